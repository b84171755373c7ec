"""What expression filters do to a rows event: it is cut into what is left out and what stays."""

from __future__ import annotations

from collections.abc import Iterator

from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.rules.expression_filter import RowFilter


def pieces(row_filter: RowFilter, event: RowsEvent, file_name: str) -> Iterator[tuple[bool, RowsEvent]]:
    """(stays, rows) in the event's order; all end where the event does.  Raises NO_VALUE with the event's place."""
    try:
        runs = list(row_filter.runs(event.kind, event.rows))
    except DMError as exc:
        exc.fields.setdefault("place", str(Position(file_name, event.end)))
        raise
    if len(runs) == 1:
        yield runs[0][0], event
        return
    size, total = event.end - event.start, len(event.rows)
    for stays, rows in runs:
        start = event.end - size * len(rows) // total  # what it takes of the event, which memory is counted by
        place = (start, event.end, event.timestamp, event.server_id, event.is_statement_end, event.checks_keys)
        yield stays, RowsEvent(event.table_map, event.kind, rows, *place)
