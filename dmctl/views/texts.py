"""Small pieces that all views share: stages in colour, numbers for people, the panel of an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

STAGE_COLOURS = {
    "Running": "green",
    "Paused": "yellow",
    "Stopped": "red",
    "Finished": "cyan",
    "New": "blue",
    "bound": "green",
    "free": "cyan",
    "relay": "cyan",
    "offline": "red",
}
_DM_ERROR = re.compile(
    r"^\[code=(?P<ErrCode>\d+):class=(?P<ErrClass>[^:]*):scope=(?P<ErrScope>[^:]*):level=(?P<ErrLevel>[^\]]*)\],"
    r" Message: (?P<Message>.*?)(?:, RawCause: (?P<RawCause>.*?))?(?:, Workaround: (?P<Workaround>.*))?$",
    re.DOTALL,
)


def plain_table(*columns: str) -> Table:
    """A table with a rule under its head and no other lines."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def stage_text(stage: str, *, failed: bool = False) -> Text:
    """``● Running`` in the stage's colour; red where it stands because of an error."""
    colour = "red" if failed else STAGE_COLOURS.get(stage, "yellow")
    return Text(f"● {stage or '-'}", style=colour)


def outcome_text(accepted: bool) -> Text:
    return Text("✓ done", style="green") if accepted else Text("✗ refused", style="red")


def error_panel(error: Mapping[str, Any], where: str = "", next_try: str = "") -> Panel:
    """One error: what happened, why, what to do about it, and when it is tried again without that."""
    parts: list[RenderableType] = [Text(str(error.get("Message", "")))]
    if error.get("RawCause"):
        parts.append(Text.assemble(("cause   ", "dim"), str(error["RawCause"])))
    if error.get("Workaround"):
        parts.append(Text.assemble(("to do   ", "bold green"), str(error["Workaround"])))
    scope = error.get("ErrScope", "")
    if next_try:
        parts.append(Text(f"it is tried again by itself at {next_try}", style="dim"))
    title = Text.assemble(
        (f"error {error.get('ErrCode', '')}", "bold red"),
        (f" {where}" if where else ""),
        (f" · {scope}" if scope else "", "dim"),
    )
    return Panel(Group(*parts), title=title, title_align="left", border_style="red", padding=(0, 1))


def message_panel(message: str, where: str = "") -> Panel:
    """A refusal: as an error panel when the message is one of DM's errors in text form, else as it is."""
    found = _DM_ERROR.match(message)
    if found:
        return error_panel(found.groupdict(default=""), where)
    return Panel(Text(message), title=Text(where or "refused"), title_align="left", border_style="red", padding=(0, 1))


def human_number(value: float) -> str:
    """12,345 as ``12.3k``: three digits are enough to see whether it moves."""
    for unit in ("", "k", "M", "G"):
        if abs(value) < 1000 or unit == "G":
            return f"{value:.0f}" if not unit else f"{value:.1f}{unit}"
        value /= 1000
    raise AssertionError(value)


def human_bytes(value: float) -> str:
    """1,234,000 as ``1.2 MB``."""
    short = human_number(value)
    return f"{short[:-1]} {short[-1]}B" if short[-1].isalpha() else f"{short} B"


def human_seconds(seconds: float) -> str:
    """``0.4 s``, ``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if 0 < seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def integer(value: Any) -> int:
    """A 64-bit number arrives as text, as protobuf's JSON has it."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0
