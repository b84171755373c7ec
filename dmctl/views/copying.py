"""The cells of a unit that copies (dump, load): progress, rate, time left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dmctl.views.texts import human_bytes, human_number, human_seconds, integer

Fields = Mapping[str, Any]
Cells = tuple[RenderableType, RenderableType, RenderableType]
_BAR_WIDTH = 16
_MOVING = ("copying", "loading", "dumping")  # phases in which rows move


def dump_cells(dump: Fields) -> Cells:
    total, done = float(dump.get("estimateTotalRows") or 0), float(dump.get("finishedRows") or 0)
    size = float(dump.get("finishedBytes") or 0)
    caption = f"{_tables(dump)}{human_number(done)} rows, {human_bytes(size)}"
    to_go = size / done * (total - done) if done and total > done else 0.0
    return Group(*_progress(dump, caption)), _rate(dump), _eta(dump, to_go)


def load_cells(load: Fields) -> Cells:
    total, done = integer(load.get("totalBytes")), integer(load.get("finishedBytes"))
    caption = f"{_tables(load)}{human_bytes(done)} of {human_bytes(total)}"
    lines = _progress(load, caption)
    if load.get("finishedRows"):
        rows, of = human_number(integer(load["finishedRows"])), human_number(integer(load.get("estimateTotalRows")))
        lines.insert(1, Text(f"{rows} of about {of} rows", style="dim"))
    if verify := load.get("verify"):
        lines.append(Text(f"{human_number(integer(verify.get('comparedChunks')))} chunks compared", style="dim"))
        lines += [Text(f"not compared: {one}", style="yellow") for one in verify.get("notCompared") or ()]
    return Group(*lines), _rate(load), _eta(load, float(total - done))


def while_running(subtask: Fields, cells: Cells) -> Cells:
    """The rate and the time left are of something that moves."""
    stands = subtask.get("stage") in ("Paused", "Stopped", "Finished")
    return (cells[0], Text("-"), Text("-")) if stands else cells


def eta_text(seconds: float | None) -> Text:
    """The time left as the unit says it; None: it cannot tell."""
    return Text("ETA unknown", style="dim") if seconds is None else Text(f"ETA {human_seconds(float(seconds))}")


def _progress(unit: Fields, caption: str) -> list[RenderableType]:
    """How far it is, what it does beside copying, and what holds it up."""
    lines: list[RenderableType] = [_bar(str(unit.get("progress", "")), caption)]
    if unit.get("phase") and unit["phase"] not in _MOVING:
        lines.append(Text(str(unit["phase"]), style="dim"))
    snapshot = unit.get("snapshot") or {}
    if snapshot.get("by"):
        held = f"commits were held off for {float(snapshot.get('lockHeldMs') or 0):.0f} ms"
        lines.append(Text(f"one snapshot at {unit.get('metaBinlog')}; {held}", style="dim"))
    if unit.get("waitsFor"):
        lines.append(Text(f"waits: {unit['waitsFor']}", style="yellow"))
    return lines


def _eta(unit: Fields, to_go: float) -> Text:
    """As our units say it; of DM's, which do not, by the bytes that are left."""
    if unit.get("phase"):
        return eta_text(unit.get("etaSeconds")) if unit["phase"] in _MOVING else Text("-")
    speed = integer(unit.get("bps"))
    return Text(f"ETA {human_seconds(to_go / speed)}") if speed > 0 and to_go > 0 else Text("-")


def _tables(unit: Fields) -> str:
    total = integer(unit.get("totalTables"))
    return f"{integer(unit.get('completedTables'))}/{total} tables, " if total else ""


def _rate(unit: Fields) -> Text:
    rows = float(unit.get("rowsPerSecond") or 0)
    return Text(f"{human_number(rows)} rows/s\n{human_bytes(integer(unit.get('bps')))}/s")


def _bar(progress: str, caption: str) -> RenderableType:
    """``progress`` as DM writes it: ``30.52 %``."""
    try:
        percent = min(100.0, float(progress.strip().rstrip("%")))
    except ValueError:
        return Group(Text(progress or "-"), Text(caption, style="dim"))
    line = Table.grid(padding=(0, 1))
    line.add_row(ProgressBar(total=100, completed=percent, width=_BAR_WIDTH), Text(f"{percent:.1f} %"))
    return Group(line, Text(caption, style="dim"))
