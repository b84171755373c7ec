"""What a MODIFY or CHANGE does to a column, in the words of the event filter: the first one as DM finds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.letter_case import small
from pkg.schema.table import Column

_WIDTHS = ("tinyint", "smallint", "mediumint", "int", "bigint")
_TEXTS = {"tinytext": 2**8, "text": 2**16, "mediumtext": 2**24, "longtext": 2**32,
          "tinyblob": 2**8, "blob": 2**16, "mediumblob": 2**24, "longblob": 2**32}  # fmt: skip
_VARYING = {"char", "varchar", "binary", "varbinary", *_TEXTS}
_NUMBERS = re.compile(r"\(([0-9, ]+)\)")


def column_change(old: Column, new: Column, moved: bool) -> tuple[str, ...]:
    """The types of the change; () for one that only widens or does not touch values.  ``moved``: FIRST or AFTER."""
    return tuple(_changes(old, new, moved))


def _changes(old: Column, new: Column, moved: bool) -> Iterator[str]:
    values = _same_type(old, new) if old.base_type == new.base_type else _other_type(old, new)
    if values:
        yield values
    if old.auto_increment and not new.auto_increment:
        yield "remove auto increment"
    if old.default != new.default and _says_default(old, new):
        yield "modify default value"
    if old.charset and new.charset and old.collation != new.collation:
        yield "modify collation" if old.charset == new.charset else "modify charset"
    if moved:
        yield "modify columns order"
    if small(old.name) != small(new.name):
        yield "rename column"


def _says_default(old: Column, new: Column) -> bool:
    """Whether a default changes, and not only whether NULL, which is the default of what may be NULL, is one."""
    return {old.default, new.default} != {None, "NULL"}


def _same_type(old: Column, new: Column) -> str:
    if old.base_type == "decimal":
        changed = _numbers(old) != _numbers(new) or old.unsigned != new.unsigned
        return "precision decrease" if changed else ""
    if old.base_type in ("enum", "set"):
        return "" if new.labels[: len(old.labels)] == old.labels else "value range decrease"
    if old.base_type in INTEGER_TYPES:
        return "precision decrease" if old.unsigned != new.unsigned else ""
    if old.base_type == "binary":
        return "precision decrease" if old.length != new.length else ""
    shorter = old.length is not None and new.length is not None and new.length < old.length
    fewer = any(two < one for one, two in zip(_numbers(old), _numbers(new), strict=False)) or new.fsp < old.fsp
    return "value range decrease" if shorter or fewer or old.unsigned != new.unsigned else ""


def _other_type(old: Column, new: Column) -> str:
    if {old.base_type, new.base_type} == {"char", "varchar"}:
        return "modify column"
    if old.base_type in _VARYING and new.base_type in _VARYING:
        return "modify column" if _capacity(new) < _capacity(old) else ""
    if old.base_type in INTEGER_TYPES and new.base_type in INTEGER_TYPES:
        narrower = _WIDTHS.index(new.base_type) < _WIDTHS.index(old.base_type)
        return "value range decrease" if narrower or old.unsigned != new.unsigned else ""
    return "modify column"


def _capacity(column: Column) -> int:
    return _TEXTS.get(column.base_type) or column.length or 0


def _numbers(column: Column) -> list[int]:
    """What stands in parentheses behind a number's type."""
    if column.base_type not in ("decimal", "float", "double"):
        return []
    found = _NUMBERS.search(column.type)
    return [int(part) for part in found[1].split(",")] if found else []
