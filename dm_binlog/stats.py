"""--stats: what is counted while a file's events pass by.  Memory grows with the number of tables only."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

from dm_binlog.items import Ended, Group, Head, Placed, Rows, Statement, Step, Unreadable
from dm_binlog.time_counts import TimeCounts

BIGGEST = 5


@dataclass(slots=True)
class TableCounts:
    insert: int = 0
    update: int = 0
    delete: int = 0
    events: int = 0
    size: int = 0  # bytes of its rows events
    unreadable: int = 0  # events of which the rows are not known

    @property
    def rows(self) -> int:
        return self.insert + self.update + self.delete


@dataclass(slots=True)
class Stats:
    """Counted over all files that are shown."""

    files: list[str] = field(default_factory=list)
    servers: list[str] = field(default_factory=list)
    events: int = 0
    size: int = 0
    first_second: int | None = None
    last_second: int | None = None
    tables: dict[str, TableCounts] = field(default_factory=dict)
    transactions: int = 0
    statements: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    longest: Group | None = None
    rate: TimeCounts = field(default_factory=TimeCounts)
    _biggest: list[tuple[int, int, Group]] = field(default_factory=list)

    def show(self, step: Step) -> None:
        match step:
            case Placed():
                self._event(step)
            case Ended(group):
                self._ended(group)

    def end_file(self) -> None:
        """Counts go on."""

    @property
    def biggest(self) -> list[Group]:
        """By bytes, the biggest first."""
        return [group for _, _, group in sorted(self._biggest, key=lambda entry: (-entry[0], entry[1]))]

    def _event(self, placed: Placed) -> None:
        frame, meaning = placed.item.frame, placed.item.meaning
        if not frame.inner:
            self.events += 1
            self.size += frame.size
        if isinstance(meaning, Head):
            self.files += [] if frame.file in self.files else [frame.file]
            self.servers += [] if meaning.version in self.servers else [meaning.version]
        elif frame.timestamp:
            self.first_second = min(self.first_second or frame.timestamp, frame.timestamp)
            self.last_second = max(self.last_second or 0, frame.timestamp)
        if isinstance(meaning, Rows):
            table = self._table(meaning.layout.full_name, frame.size)
            setattr(table, meaning.kind, getattr(table, meaning.kind) + meaning.count)
            self.rate.add(frame.timestamp, meaning.count)
        elif isinstance(meaning, Unreadable) and meaning.table:
            self._table(meaning.table, frame.size).unreadable += 1
        elif isinstance(meaning, Statement):
            self.statements += 1

    def _table(self, name: str, size: int) -> TableCounts:
        table = self.tables.setdefault(name, TableCounts())
        table.events += 1
        table.size += size
        return table

    def _ended(self, group: Group) -> None:
        if group.outcome == "statement":
            return
        self.transactions += 1
        self.outcomes[group.outcome] = self.outcomes.get(group.outcome, 0) + 1
        if self.longest is None or group.seconds > self.longest.seconds:
            self.longest = group
        entry = (group.size, -self.transactions, group)
        if len(self._biggest) < BIGGEST:
            heapq.heappush(self._biggest, entry)
        else:
            heapq.heappushpop(self._biggest, entry)

    def as_json(self) -> dict[str, Any]:
        from dm_binlog.json_view import iso

        bucket, chart = self.rate.chart(1000)
        return {
            "type": "stats",
            "files": self.files,
            "servers": self.servers,
            "events": self.events,
            "size": self.size,
            "first_time": iso(self.first_second or 0),
            "last_time": iso(self.last_second or 0),
            "transactions": self.transactions,
            "outcomes": self.outcomes,
            "statements": self.statements,
            "tables": {
                name: {
                    kind: getattr(table, kind)
                    for kind in ("insert", "update", "delete", "events", "size", "unreadable")
                }
                for name, table in sorted(self.tables.items())
            },
            "biggest": [_group(group) for group in self.biggest],
            "longest": None if self.longest is None else _group(self.longest),
            "rows_over_time": {
                "bucket_seconds": bucket,
                "rows": {str(iso(at)): amount for at, amount in chart},
            },
        }  # fmt: skip


def _group(group: Group) -> dict[str, Any]:
    return {
        "file": group.file,
        "position": group.start,
        "end": group.end,
        "gtid": group.gtid,
        "size": group.size,
        "rows": group.rows,
        "seconds": group.seconds,
    }
