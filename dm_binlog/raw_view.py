"""--raw-events: one line for each event, as it lies in the file."""

from __future__ import annotations

from dm_binlog.items import (
    Begin,
    Ending,
    Gtid,
    Head,
    Meaning,
    Opened,
    Original,
    Placed,
    Remark,
    Rotate,
    Rows,
    Statement,
    Step,
    Unreadable,
)
from dm_binlog.words import clock, plural
from dm_binlog.writer import Writer

_LONGEST = 90
_HEADINGS = f"{'position':>12} {'size':>10}  {'time (UTC)':19}  {'server':>10}  {'event':<24}"


class RawView:
    """A list of events."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._file = ""

    def show(self, step: Step) -> None:
        if not isinstance(step, Placed):
            return
        frame = step.item.frame
        if frame.file != self._file:
            self._file = frame.file
            self._writer.line((frame.file, "bold"))
            self._writer.line((_HEADINGS + "what", "bright_black"))
        time = clock(frame.timestamp) if frame.timestamp else ""
        place = "inside" if frame.inner else str(frame.start)
        self._writer.line(
            (f"{place:>12}", "cyan"),
            (f" {frame.size:>10,}  {time:19}  {frame.server_id:>10}  ", ""),
            (f"{frame.name:<24}", "bold"),
            (summary(step.item.meaning), "bright_black"),
        )

    def end_file(self) -> None:
        """Nothing is open."""


def summary(meaning: Meaning) -> str:
    """An event's content in a few words."""
    match meaning:
        case Head(version, checksum):
            return f"{version}, {'with' if checksum else 'without'} checksums"
        case Gtid(text):
            return text or "anonymous"
        case Begin(sql) | Statement(sql=sql) | Original(sql):
            return sql if len(sql) <= _LONGEST else f"{sql[:_LONGEST]}…"
        case Opened(layout):
            return f"{layout.full_name}, {plural(len(layout.names), 'column')}"
        case Rows(layout, _, _):
            return f"{layout.full_name}, {plural(meaning.count, 'row')}"
        case Unreadable(table, _, reason):
            return f"{table} not readable: {reason}".strip()
        case Ending(outcome, text):
            return f"{outcome} {text}".strip()
        case Rotate(text) | Remark(text):
            return text
