"""What a full migration says of itself at its end: a document that a person and a script can read later.

A migration that was interrupted adds up: seconds, warnings and the slowest tables of its earlier runs are in
the document that those left.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from dm_worker.loader.compared_tables import merged
from dm_worker.loader.table_progress import Amount, TableProgress

_SLOWEST: Final = 20
_MOST_WARNINGS: Final = 200
_MOST_LISTED: Final = 200
_MOVING: Final = ("copying", "loading")  # phases in which rows move
_LOGGERS: Final = ("dm_worker.loader", "dm_worker.dumper")

TableName = tuple[str, str]


@dataclass(slots=True)
class Journal:
    """What one run notes while it goes on."""

    warnings: list[str] = field(default_factory=list)
    more_warnings: int = 0
    left_out: list[str] = field(default_factory=list)
    seconds: dict[TableName, float] = field(default_factory=dict)  # of a table: of all lanes together
    snapshot: Mapping[str, Any] = field(default_factory=dict)  # where and how it began, if there was one
    verify: Callable[[], Mapping[str, Any]] = dict  # what was compared

    def spent(self, table: TableName, seconds: float) -> None:
        self.seconds[table] = self.seconds.get(table, 0.0) + seconds

    def warn(self, text: str) -> None:
        if text in self.warnings:
            return
        if len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(text)
        else:
            self.more_warnings += 1

    @contextmanager
    def hearing(self) -> Iterator[None]:
        """While this lasts, what the migration's own loggers warn of is noted."""
        handler = _Hearing(self)
        loggers = [logging.getLogger(name) for name in _LOGGERS]
        for logger in loggers:
            logger.addHandler(handler)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeHandler(handler)


class _Hearing(logging.Handler):
    def __init__(self, journal: Journal) -> None:
        super().__init__(logging.WARNING)
        self._journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.WARNING:  # errors are in the status
            self._journal.warn(record.getMessage())


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    source: str
    outcome: str  # finished, stopped or failed
    started: str  # RFC 3339
    ended: str
    seconds: float
    phases: Mapping[str, float]
    tables: Mapping[TableName, TableProgress]
    error: str = ""


def summary_of(end: RunEnd, journal: Journal, earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    """The document; ``earlier`` is that of the run before, None or of a finished migration where this one is new."""
    if earlier and earlier.get("outcome") == end.outcome == "finished" and not journal.seconds:
        return dict(earlier)  # there was nothing left to do
    before: Mapping[str, Any] = earlier if earlier and earlier.get("outcome") != "finished" else {}
    rows = sum(table.done.rows for table in end.tables.values())
    size = sum(table.done.bytes for table in end.tables.values())
    seconds = end.seconds + float(before.get("seconds", 0.0))
    phases = _added(before.get("phases") or {}, end.phases)
    copying = sum(phases.get(name, 0.0) for name in _MOVING)
    return {
        "source": end.source,
        "outcome": end.outcome,
        "error": end.error,
        "started": before.get("started", end.started),
        "ended": end.ended,
        "runs": int(before.get("runs", 0)) + 1,
        "seconds": round(seconds, 3),
        "phases": phases,
        "tables": len(end.tables),
        "completedTables": sum(table.is_done for table in end.tables.values()),
        "rows": int(rows),
        "bytes": int(size),
        "chunks": sum(table.done_chunks for table in end.tables.values()),
        "rowsPerSecond": round(rows / copying) if copying else 0,
        "bytesPerSecond": round(size / copying) if copying else 0,
        "snapshot": dict(journal.snapshot or before.get("snapshot") or {}),
        "verify": merged(before.get("verify") or {}, journal.verify()),
        "slowestTables": _slowest(end.tables, journal.seconds, before.get("slowestTables") or ()),
        "leftOut": _listed([*(before.get("leftOut") or ()), *journal.left_out], _MOST_LISTED),
        "warnings": _listed([*(before.get("warnings") or ()), *journal.warnings], _MOST_WARNINGS),
        "moreWarnings": int(before.get("moreWarnings", 0)) + journal.more_warnings,
    }


def _added(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    names = dict.fromkeys([*before, *now])
    return {name: round(float(before.get(name, 0.0)) + now.get(name, 0.0), 3) for name in names}


def _slowest(
    tables: Mapping[TableName, TableProgress], seconds: Mapping[TableName, float], before: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The tables that took most time, all lanes together."""
    taken = dict(seconds)
    for one in before:
        name = str(one["schema"]), str(one["table"])
        taken[name] = taken.get(name, 0.0) + float(one["seconds"])
    lines = []
    for name, spent in sorted(taken.items(), key=lambda one: -one[1])[:_SLOWEST]:
        done = tables[name].done if name in tables else Amount()
        lines.append(
            {
                "schema": name[0],
                "table": name[1],
                "seconds": round(spent, 3),
                "rows": int(done.rows),
                "bytes": int(done.bytes),
                "chunks": tables[name].chunks if name in tables else 0,
            }
        )
    return lines


def _listed(texts: Sequence[str], most: int) -> list[str]:
    return list(dict.fromkeys(texts))[:most]
