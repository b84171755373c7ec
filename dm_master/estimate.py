"""What a full migration would move, and how long that takes: sums over facts.  Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pkg.task import SubtaskConfig
from pkg.task.chunk_size import ChunkSize, TableSize, chunks_of

Body = dict[str, Any]

_FOREIGN_KEY = re.compile(r"\s+CONSTRAINT `(?:[^`]|``)*` FOREIGN KEY ")


class Verdict(StrEnum):
    """What becomes of a table."""

    COPIED = "copied"
    MAPPED = "mapped"
    REFUSED = "refused"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A table of the source, and what a migration would do with it."""

    schema: str
    name: str
    size: TableSize
    verdict: Verdict
    target_schema: str = ""
    target_table: str = ""
    has_key: bool = True
    notes: tuple[str, ...] = ()
    is_table: bool = True  # else a view or a sequence

    @property
    def moves(self) -> bool:
        return self.verdict in (Verdict.COPIED, Verdict.MAPPED) and self.is_table


@dataclass(frozen=True, slots=True)
class Sample:
    """What some seconds of copying (or only reading) came to."""

    seconds: float = 0.0
    rows: int = 0
    bytes: int = 0
    connections: int = 0
    table: str = ""
    writes: bool = False
    note: str = ""  # why it is less than was asked for

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def row_bytes(self) -> float:
        return self.bytes / self.rows if self.rows else 0.0


def without_foreign_keys(create_sql: str) -> str:
    """The text of SHOW CREATE TABLE without them: a scratch table has no parents."""
    kept = [line for line in create_sql.splitlines() if not _FOREIGN_KEY.match(line)]
    for number, line in enumerate(kept[1:], 1):
        if line.startswith(")"):
            kept[number - 1] = kept[number - 1].removesuffix(",")
            break
    return "\n".join(kept)


def lanes_of(subtask: SubtaskConfig) -> int:
    """Chunks that are copied at a time."""
    return min(subtask.dump.threads, subtask.load.pool_size)


def estimated_source(
    subtask: SubtaskConfig, tables: Sequence[JudgedTable], sample: Sample, sampled: TableSize | None = None
) -> Body:
    """The answer about one source; ``sampled`` are the statistics of the table that the sample is of."""
    moving = [table for table in tables if table.moves]
    rows, size = sum(table.size.rows for table in moving), sum(table.size.bytes for table in moving)
    chunk_size = ChunkSize(subtask.dump.rows, subtask.dump.chunk_bytes, lanes_of(subtask))
    chunks = {
        (table.schema, table.name): chunks_of(chunk_size, table.size, rows, has_key=table.has_key) for table in moving
    }
    rate = _limited(sample.bytes_per_second, subtask.load.max_bytes_per_second)
    sent = size * _correction(sample, sampled)
    body: Body = {
        "source": subtask.source_id,
        "rows": rows,
        "bytes": round(size),
        "chunks": sum(chunks.values()),
        "lanes": lanes_of(subtask),
        "sampleSeconds": round(sample.seconds, 3),
        "sampleRows": sample.rows,
        "sampleBytes": sample.bytes,
        "bytesPerSecond": round(rate),
        "how": _how(subtask, sample),
        "tables": [_line(table, chunks) for table in sorted(tables, key=lambda one: (-one.size.bytes, one.name))],
        "notes": list(_notes(moving, sample)),
    }
    return body | ({"seconds": round(sent / rate, 1)} if rate else {})


def _correction(sample: Sample, sampled: TableSize | None) -> float:
    """Bytes that are sent for a byte of the statistics."""
    if sampled is None or not sampled.row_bytes or not sample.rows:
        return 1.0
    return sample.row_bytes / sampled.row_bytes


def _limited(rate: float, limit: int) -> float:
    return min(rate, float(limit)) if limit and rate else rate


def _how(subtask: SubtaskConfig, sample: Sample) -> str:
    if not sample.bytes:
        return "no rows were copied for a sample, so no time can be said"
    what = "read, not written"
    if sample.writes:
        what = "copied by INSERT into a scratch table of the target, which is dropped again"
    text = (
        f"by {sample.rows} rows of {sample.table}, {what}, in {sample.seconds:.1f} s over {sample.connections} "
        f"connection{'s' if sample.connections > 1 else ''}"
    )
    if not sample.writes:
        text += "; writing takes longer than reading: this is the shortest that it can take"
    if subtask.load.max_bytes_per_second:
        text += "; not above max-bytes-per-second"
    return text


def _notes(moving: Sequence[JudgedTable], sample: Sample) -> list[str]:
    keyless = [f"{table.schema}.{table.name}" for table in moving if not table.has_key]
    notes = [sample.note] if sample.note else []
    if keyless:
        more = f" and {len(keyless) - 5} more" if len(keyless) > 5 else ""
        notes.append(f"tables without a key are one chunk each: {', '.join(keyless[:5])}{more}")
    return notes


def _line(table: JudgedTable, chunks: dict[tuple[str, str], int]) -> Body:
    return {
        "schema": table.schema,
        "table": table.name,
        "targetSchema": table.target_schema,
        "targetTable": table.target_table,
        "rows": table.size.rows,
        "bytes": round(table.size.bytes),
        "chunks": chunks.get((table.schema, table.name), 0),
        "verdict": str(table.verdict),
        "notes": list(table.notes),
    }
