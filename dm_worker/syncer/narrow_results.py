"""Rows with characters that the upstream's generated column lacks and the target's has: refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dm_worker.syncer.cased_letters import text_of
from pkg.binlog.charset import as_held
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import RowImage
from pkg.schema.calculated import calculated_columns
from pkg.schema.lexer import quote_name
from pkg.schema.narrow_results import NarrowRead, narrow_reads, reads_of
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

LACKING_CHARACTER = ErrorKind(
    36273,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {source} at {place} has the character {character} in {column}, which the {charset} of the upstream's "
    "generated column {reader} lacks: it holds ? there, and that of {target} the character",
    workaround="make {reader} a plain column in {target}, which replication then fills (DROP and ADD COLUMN without "
    "the expression, and copy its values by the table's key), then resume-task; or give the upstream's {reader} the "
    "character set utf8mb4, and copy the tables anew (start-task --remove-meta)",
)


@dataclass(frozen=True, slots=True)
class NarrowResults:
    """What generated columns of another set read of an upstream table's texts, each with its place."""

    source: str
    target: str
    reads: tuple[tuple[int, Column, NarrowRead], ...]

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise LACKING_CHARACTER for one of the rows."""
        for row in rows:
            for ordinal, column, read in self.reads:
                text = text_of(row[ordinal], column)
                held = as_held(text, read.charset)
                if held != text:
                    lacking = next(one for one, kept in zip(text, held, strict=True) if one != kept)
                    raise LACKING_CHARACTER.error(
                        source=self.source, target=self.target, place=place, character=lacking, column=column.name,
                        charset=read.charset, reader=read.of,
                    )  # fmt: skip


def narrow_results(structure: Table, there: Table) -> NarrowResults | None:
    """None where the target's generated columns, of the table ``there``, hold what those of ``structure`` do."""
    found = narrow_reads(structure, there)
    if not found:
        return None
    columns = [(structure.ordinal(read.column), structure.column(read.column), read) for read in found]
    reads = tuple((ordinal, column, read) for ordinal, column, read in columns if column is not None)
    return NarrowResults(f"{structure.schema}.{structure.name}", f"{there.schema}.{there.name}", reads)


def narrow_calculated(
    piece: Ddl, before: Table | None, after: Table, present: Table, charset: str
) -> Iterator[tuple[str, str, str, str]]:
    """Columns that an ALTER TABLE calculates so: with the text that it reads, the set, and a condition.

    ``charset``: that of the target's texts.  The condition finds its rows with characters that are not plain ASCII.
    """
    for column, text in calculated_columns(piece, before, after):
        for read in reads_of(column, charset, text, after):
            name, above = quote_name(read.column), after.column(read.column)
            if present.column(read.column) is not None:
                yield column.name, read.column, read.charset, f"LENGTH({name}) <> CHAR_LENGTH({name})"
            elif above is not None and not (above.default or "").isascii():
                yield column.name, read.column, read.charset, "TRUE"
