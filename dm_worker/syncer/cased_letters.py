"""Rows with letters of which the target makes other large or small ones than the upstream: refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pkg.binlog.charset import decode_with_marks
from pkg.binlog.rare_values import introduced
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import RowImage
from pkg.schema.calculated import calculated_columns
from pkg.schema.cased_texts import CasedText, cased_in, condition, pattern_of, plain_text, texts_cased
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

OTHER_LETTER = ErrorKind(
    36272,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {source} at {place} has the letter {letter} in {column}, of which {function} makes another one in "
    "{target} than upstream; {reader} has it",
    workaround="make what is calculated there a plain column in {target}, which replication then fills (DROP and ADD "
    "COLUMN without the expression, and copy its values by the table's key; of a unique key: DROP INDEX), then "
    "resume-task; or give the upstream's column the target's character set and collation (ALTER TABLE … MODIFY), and "
    "copy the tables anew (start-task --remove-meta)",
)
Unlike = Callable[[str, Column, Column], str]
"""See LetterMaps.unlike."""
_HEX = b"x'"


@dataclass(frozen=True, slots=True)
class CasedLetters:
    """What the target makes large or small of an upstream table's texts: each with its place, and the letters."""

    source: str
    target: str
    reads: tuple[tuple[int, Column, re.Pattern[str], CasedText], ...]

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise OTHER_LETTER for one of the rows."""
        for row in rows:
            for ordinal, column, letters, read in self.reads:
                found = letters.search(text_of(row[ordinal], column))
                if found is not None:
                    raise OTHER_LETTER.error(
                        source=self.source, target=self.target, place=place, letter=found[0], column=column.name,
                        function=read.function, reader=read.of,
                    )  # fmt: skip


def text_of(literal: bytes, column: Column) -> str:
    """The text that a row has in a column of text; "" for NULL."""
    known = introduced(literal)
    if known is not None:
        return decode_with_marks(known[1], known[0])
    if literal.startswith(_HEX):
        raw = bytes.fromhex(literal[len(_HEX) : -1].decode("ascii"))
        return decode_with_marks(raw, column.charset or "utf8mb4")
    text = literal[1:-1].decode("utf-8", "replace") if literal.startswith(b"'") else ""
    return plain_text(text, is_json=column.base_type == "json")


def cased_letters(structure: Table, there: Table, unlike: Unlike) -> CasedLetters | None:
    """None where the target, whose table is ``there``, makes the same letters of all rows of ``structure``."""
    reads = []
    for read in texts_cased(there):
        above, below = structure.column(read.column), there.column(read.column)
        letters = unlike(read.function, above, below) if above is not None and below is not None else ""
        if above is not None and letters:
            reads.append((structure.ordinal(above.name), above, pattern_of(letters), read))
    if not reads:
        return None
    return CasedLetters(f"{structure.schema}.{structure.name}", f"{there.schema}.{there.name}", tuple(reads))


def letters_calculated(
    piece: Ddl,
    before: Table | None,
    after: Table,
    present: Table,
    made: Callable[[Column], Column],
    unlike: Unlike,
) -> Iterator[tuple[str, str, str, str]]:
    """Columns that an ALTER TABLE makes large or small of texts: with the text, the function and a condition.

    The condition finds rows of the target, which is ``present``, with a letter of which it would make another one.
    ``made`` says what it makes of a new column.
    """
    for column, text in calculated_columns(piece, before, after):
        for read in cased_in(column.name, text, after):
            above, below = after.column(read.column), present.column(read.column)
            if above is None:
                continue
            letters = unlike(read.function, above, below if below is not None else made(above))
            if letters and below is None:
                if pattern_of(letters).search(above.default or ""):
                    yield column.name, above.name, read.function, "TRUE"
            elif letters:
                found = condition(read.column, letters, is_json=above.base_type == "json")
                yield column.name, above.name, read.function, found
