"""Row images with the columns mapped and added: SQL literals in, SQL literals out.

Compiled once for each structure that a table has; rows of a table without such rules never come here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pkg.binlog.rare_values import hex_literal, utf8_literal
from pkg.rules.column_mapping import MAX_ID, Affix, MappedColumn
from pkg.rules.column_rules import (
    NOT_AN_ID,
    VALUE_DOES_NOT_FIT,
    TableColumnRules,
    check_downstream,
    check_upstream,
    is_integer,
    is_text,
)
from pkg.rules.extract import ExtractedColumn
from pkg.schema.letter_case import small
from pkg.schema.table import Table

RowImage = tuple[bytes, ...]
Change = Callable[[bytes], bytes]

_NULL: Final = b"NULL"
_DIGITS: Final = re.compile(rb"'(0|[1-9][0-9]{0,13})'")
_MOST_SHOWN: Final = 400


class RowMapper:
    """Maps the row images of one upstream table."""

    def __init__(self, structure: Table, downstream: Table, rules: TableColumnRules) -> None:
        """Raises what ``check_upstream`` and ``check_downstream`` raise."""
        check_upstream(structure, rules)
        check_downstream(structure, downstream, rules)
        self._structure = structure
        self._rules = rules
        self._changes = tuple(
            (structure.ordinal(one.source), structure.ordinal(one.target), _change_of(one, structure))
            for one in rules.mapped
        )
        self._added = tuple(_literal(one, downstream) for one in rules.extracted)

    def __call__(self, rows: list[RowImage]) -> list[RowImage]:
        """``rows`` as they go downstream.  Raises VALUE_DOES_NOT_FIT."""
        added = self._added
        try:
            match self._changes:
                case ():
                    return [image + added for image in rows]
                case ((source, target, change),):
                    behind = target + 1
                    return [(*image[:target], change(image[source]), *image[behind:], *added) for image in rows]
                case _:
                    return [self._mapped(image) for image in rows]
        except ValueError:
            raise self._first_misfit(rows) from None

    def _mapped(self, image: RowImage) -> RowImage:
        values = [*image, *self._added]
        for source, target, change in self._changes:
            values[target] = change(image[source])
        return tuple(values)

    def _first_misfit(self, rows: list[RowImage]) -> Exception:
        for image in rows:
            for source, _, change in self._changes:
                try:
                    change(image[source])
                except ValueError:
                    return self._misfit(image, source)
        raise AssertionError("a value did not fit")

    def _misfit(self, image: RowImage, source: int) -> Exception:
        column = self._structure.columns[source].name
        rule = next(one.rule for one in self._rules.mapped if small(one.source) == small(column))
        names = (column.name for column in self._structure.columns)
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in zip(names, image, strict=True))
        return VALUE_DOES_NOT_FIT.error(
            rule=rule, column=column, value=_shown(image[source]), schema=self._structure.schema,
            table=self._structure.name, reason=NOT_AN_ID, row=shown[:_MOST_SHOWN],
        )  # fmt: skip


def _shown(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _literal(column: ExtractedColumn, downstream: Table) -> bytes:
    """The value as a literal; a number for a column of integers, so that equal keys are equal literals."""
    there = downstream.column(column.name)
    if there is not None and is_integer(there) and column.value.isascii() and column.value.isdigit():
        return str(int(column.value)).encode()
    return utf8_literal(column.value.encode())


def _change_of(mapped: MappedColumn, structure: Table) -> Change:
    if isinstance(mapped.change, Affix):
        return _affixed(mapped.change)
    source, target = structure.column(mapped.source), structure.column(mapped.target)
    assert source is not None, "check_upstream has seen it"
    assert target is not None, "check_upstream has seen it"
    made = b"'%d'" if is_text(target) else b"%d"
    return (_text_partitioned if is_text(source) else _partitioned)(mapped.change.base, made)


def _partitioned(base: int, made: bytes) -> Change:
    def change(value: bytes) -> bytes:
        if value == _NULL:
            return value
        number = int(value)
        if not 0 <= number <= MAX_ID:
            raise ValueError(value)
        return made % (base + number)

    return change


def _text_partitioned(base: int, made: bytes) -> Change:
    def change(value: bytes) -> bytes:
        if value == _NULL:
            return value
        digits = _DIGITS.fullmatch(value)
        if digits is None or (number := int(digits[1])) > MAX_ID:
            raise ValueError(value)
        return made % (base + number)

    return change


def _affixed(affix: Affix) -> Change:
    prefix, suffix = affix.prefix.encode(), affix.suffix.encode()
    quoted_prefix, quoted_suffix = utf8_literal(prefix)[:-1], utf8_literal(suffix)[1:]
    hex_prefix, hex_suffix = hex_literal(prefix)[2:-1] if prefix else b"", hex_literal(suffix)[2:] if suffix else b"'"

    def change(value: bytes) -> bytes:
        if value == _NULL:
            return value
        if value.startswith(b"'"):
            return quoted_prefix + value[1:-1] + quoted_suffix
        return b"x'" + hex_prefix + value[2:-1] + hex_suffix  # bytes that are no text in their character set

    return change
