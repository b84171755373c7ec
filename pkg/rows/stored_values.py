"""Queries for rows whose STORED column has another value than the upstream's row says.  Pure.

The target calculates such a column in its own session, the upstream did in that of whoever wrote the row.  A query
finds nothing where all is as it should be.  Rows are asked for by one text of each, `… NOT IN (…)`, which servers look
up: for 200 rows TiDB takes 1 ms, beside 10 ms for their INSERT.  Rows that have no such text are asked for one by one,
`… OR …`, with all of which each row is tried (36 ms).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pkg.rows.change import RowImage, TargetTable
from pkg.rows.compact import TableSegment
from pkg.rows.conditions import exactly, row_text
from pkg.rows.statements import Limits, Statement, key_in, key_value, row_condition, whole_row

_ROWS_APART = 20


def compared(segment: TableSegment, limits: Limits) -> Iterator[Statement]:
    """Queries that find a row, of those that ``segment`` wrote, with another value; they go behind its statements."""
    table = segment.table
    if not table.calculated:
        return
    apart, images, texts = [], [], []
    for change in segment.changes():
        if change.after is None:
            continue
        text = row_text([change.after[i] for i in (*table.identity, *table.calculated)]) if table.row_text else None
        if text is None:
            apart.append(change.after)
        else:
            images.append(change.after)
            texts.append(text)
    for first, end in _runs([len(text) for text in texts], limits.rows(limits.compared_rows), limits.statement_bytes):
        others = table.row_text + b" NOT IN (" + b",".join(texts[first:end]) + b")"
        yield _query(table, images[first:end], others)
    sizes = [sum(map(len, image)) for image in apart]
    for first, end in _runs(sizes, limits.rows(_ROWS_APART), limits.statement_bytes):
        others = b" OR ".join([b"(" + has_other_value(table, image) + b")" for image in apart[first:end]])
        yield _query(table, apart[first:end], others)


def has_other_value(table: TargetTable, image: RowImage) -> bytes:
    """What is true of the row ``image`` where the target has another value of it."""
    same = b" AND ".join([exactly(table.columns[i], table.names[i], image[i]) for i in table.calculated])
    return written_row(table, image) + b" AND (" + same + b") IS NOT TRUE"


def written_row(table: TargetTable, image: RowImage) -> bytes:
    """What is true of the row ``image``, whatever the target calculated for it."""
    return whole_row(table, image) if _has_calculated_key(table) else row_condition(table, image)


def _has_calculated_key(table: TargetTable) -> bool:
    return table.keyless or not set(table.calculated).isdisjoint(table.identity)


def _query(table: TargetTable, images: Sequence[RowImage], others: bytes) -> Statement:
    if not _has_calculated_key(table):
        keys = map(table.take_identity, images)
        written = list(keys) if table.write_key is None else list(map(table.write_key, keys))
        others = b"(%b) AND (%b)" % (key_in(table, [key_value(table, key) for key in written]), others)
    return Statement(b"SELECT 1 FROM %b WHERE %b LIMIT 1" % (table.qualified, others), 0)


def _runs(sizes: Sequence[int], most: int, most_bytes: int) -> Iterator[tuple[int, int]]:
    """Where runs begin and end: at most so many, and about so many bytes; what is larger stands alone."""
    first = length = 0
    for place, size in enumerate(sizes):
        if place > first and (place - first >= most or length + size > most_bytes):
            yield first, place
            first, length = place, 0
        length += size
    if sizes:
        yield first, len(sizes)
