"""Columns whose values a target's column takes without a word and changes: rounded, cut, read as something else.

A column that the target calculates takes no value at all.

Only pairs of types are taken of which it is known that each value arrives, or is refused by a strict session: it says
what is too large or too long.  All others are inexact: `X'3132'` is 12594 where a number is wanted, and the label
`'5.5'` is 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.folding import Folding, folding_of
from pkg.schema.charset import WIDE_SETS
from pkg.schema.column_types import (
    BINARY_TYPES,
    CHARACTER_TYPES,
    DIGITS_OF_DOUBLE,
    GEOMETRY_TYPES,
    INTEGER_TYPES,
    LABEL_TYPES,
    TEXT_TYPES,
    decimal_scale,
    fixed_digits,
)
from pkg.schema.mapping import is_rounded_again
from pkg.schema.table import Column

INEXACT_COLUMN = ErrorKind(
    36190,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{target} would change values of {source} without an error: {columns}",
    workaround="give the target's columns types that hold all values of the upstream's, and no expressions where the "
    "upstream's have none (ALTER TABLE … MODIFY there), or route the table to another target; then resume-task",
)

_FLOATS = frozenset({"float", "double"})
_COUNTS = INTEGER_TYPES | {"bit", "year"}
_TIMES = frozenset({"date", "time", "datetime", "timestamp"})
_WITH_DAY = frozenset({"datetime", "timestamp"})
_WITH_TEXT = TEXT_TYPES | _TIMES | INTEGER_TYPES | {"decimal", "json"}  # one that all servers write alike
_ADDRESSES = frozenset({"uuid", "inet4", "inet6"})
_AS_UTF8 = frozenset({"utf8mb4", "utf8mb3", "ascii"})
_WITH_FALSE_CODES = frozenset({"cp932"})  # whose servers write U+6659 for U+6661
_DIGITS = re.compile(r"\((\d+)(?:,\s*(\d+))?\)", re.ASCII)
_DIGITS_OF = {"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 20, "year": 4}
_BITS_OF = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64, "year": 12}
_BITS_IN = {"float": 24, "double": 53}  # of a whole number
_DIGITS_IN = {"float": 6, "double": DIGITS_OF_DOUBLE}  # that a binary number keeps, whatever they are
_MEDIUM_IN_FLOAT = 8  # 24 bits are a float's, too
_ALL_BITS = 64


def inexact(above: Column, below: Column, flavor: str = "") -> bool:
    """Whether the target's column may change a value of the upstream's without an error or a warning that ends it.

    ``flavor`` is the target's.
    """
    return not _keeps(above, below, flavor)


def _keeps(above: Column, below: Column, flavor: str) -> bool:
    old, new = above.base_type, below.base_type
    if new in INTEGER_TYPES:
        return old in _COUNTS or (old == "decimal" and decimal_scale(above.type) == 0)
    if new == "decimal":
        return old in _COUNTS or (old == "decimal" and decimal_scale(below.type) >= decimal_scale(above.type))
    if new in _FLOATS:
        is_number = old in _COUNTS | _FLOATS | {"decimal"}
        return is_number and not _exceeds(above, below, flavor) and not _is_rounded(above, below, flavor)
    if new == "bit":  # one of 64 takes a negative number for a large one; others refuse it
        return old == "bit" or (old in INTEGER_TYPES and (above.unsigned or below.length != _ALL_BITS))
    if new in _TIMES:
        return old in _TIMES and not _other_moment(above, below)
    if new in LABEL_TYPES:
        return old in LABEL_TYPES and not _other_label(above, below)
    if new == "json":
        is_number = old in INTEGER_TYPES and flavor != "mysql"  # which refuses them
        return is_number or old == "json" or _may_be_json(above)
    if new in CHARACTER_TYPES | BINARY_TYPES:
        return _keeps_text(above, below)
    return old == new or {old, new} <= GEOMETRY_TYPES


def _keeps_text(above: Column, below: Column) -> bool:
    """Whether a column of text or bytes gets the text of a value, or its bytes."""
    old, new = above.base_type, below.base_type
    if new in CHARACTER_TYPES:
        if old in BINARY_TYPES:
            # A CHAR's value ends before its last blanks; servers put zeros before bytes that are no whole character.
            return new != "char" and below.charset not in WIDE_SETS
        if below.charset in _WITH_FALSE_CODES and above.charset not in (None, "ascii", below.charset):
            return False
        has_text = old in _WITH_TEXT | _ADDRESSES and "zerofill" not in above.type
        return has_text and (new != "char" or old not in CHARACTER_TYPES - {"char"})
    if new == "binary":  # which adds bytes
        return old == "binary" and above.length == below.length
    if old in TEXT_TYPES:
        return above.charset in _AS_UTF8
    return old in BINARY_TYPES | GEOMETRY_TYPES or (old in _WITH_TEXT and "zerofill" not in above.type)


def _exceeds(above: Column, below: Column, flavor: str) -> bool:
    """Whether a FLOAT or DOUBLE has too few digits for a number, or rounds it to others."""
    old, new = above.base_type, below.base_type
    if "," in below.type and above.type != below.type and _rounds(above, below, flavor):
        return True
    if old in _FLOATS:
        return old == "double" and new == "float"
    if old == "bit":
        return (above.length or 1) > _BITS_IN[new]
    if old in _COUNTS:
        return _DIGITS_OF[old] > (_MEDIUM_IN_FLOAT if new == "float" else _DIGITS_IN[new])
    return _precision(above) > _DIGITS_IN[new]


def _rounds(above: Column, below: Column, flavor: str) -> bool:
    """Whether a FLOAT(M,D) or DOUBLE(M,D) makes another number of one that is not of its type.

    Servers multiply by 10 to the power of D, round, and divide: digits beyond those of a DOUBLE become others.  Of a
    FLOAT they show D digits, of which those that it does not have are others, too.
    """
    old, behind = above.base_type, decimal_scale(below.type)
    if old in _COUNTS:  # MariaDB and MySQL leave whole numbers alone
        bits = (above.length or 1) if old == "bit" else _BITS_OF[old]
        return flavor == "tidb" and 2**bits * 10**behind > 2 ** _BITS_IN["double"]
    if old == "double" and below.base_type == "double":
        old_digits, old_behind = fixed_digits(above.type)
        return not (0 <= old_behind <= behind and old_digits - old_behind + behind <= _DIGITS_IN["double"])
    scale = decimal_scale(above.type)
    if old == "float" and (below.base_type != "float" or "," not in above.type):
        return True
    if old == "float" and scale == behind:
        return False
    return scale > behind or _precision(above) - scale + behind > _DIGITS_IN[below.base_type]


def _is_rounded(above: Column, below: Column, flavor: str) -> bool:
    """Whether the target rounds a DOUBLE to the digits that it has upstream, and gets others."""
    holds_few = 0 < fixed_digits(above.type)[0] <= _DIGITS_IN["double"]
    return above.base_type == "double" and not holds_few and is_rounded_again(flavor, below.type)


def _other_moment(above: Column, below: Column) -> bool:
    old, new = above.base_type, below.base_type
    kept = old == new or (new in _WITH_DAY and old != "time")
    return not kept or _fraction(below) < _fraction(above)


def _other_label(above: Column, below: Column) -> bool:
    """Whether ENUM or SET may take a label for one that only equals it, or for a label's place."""
    new_labels = list(below.labels)
    held = [label for label in above.labels if label in new_labels]
    if below.base_type == "set" and held != [label for label in new_labels if label in held]:
        return True  # several are shown in the target's order
    folding = folding_of(below.collation)
    folded = {_folded(folding, label) for label in new_labels}
    return any(
        label.isdecimal() or _folded(folding, label) in folded or (below.base_type == "set" and "," in label)
        for label in above.labels
        if label not in new_labels
    )


def _folded(folding: Folding | None, label: str) -> bytes:
    literal = b"'" + label.replace("\\", "\\\\").replace("'", "''").encode("utf-8", "surrogatepass") + b"'"
    return folding.fold(literal) if folding is not None else literal


def _may_be_json(column: Column) -> bool:
    """MariaDB's JSON is such a text."""
    return column.base_type == "longtext" and column.collation == "utf8mb4_bin"


def _fraction(column: Column) -> int:
    found = _DIGITS.search(column.type)
    return int(found[1]) if found else 0


def _precision(column: Column) -> int:
    found = _DIGITS.search(column.type)
    return int(found[1]) if found else 10


def inexact_columns(pairs: Iterable[tuple[Column, Column]], flavor: str = "") -> str:
    """Those of (upstream's, target's) columns, in words; "" where there are none."""
    return ", ".join(filter(None, (_said(above, below, flavor) for above, below in pairs)))


def _said(above: Column, below: Column, flavor: str) -> str:
    if below.generated and not above.generated:
        return f"{above.name} is {above.type}, and generated there"
    if above.type == below.type and _is_rounded(above, below, flavor):
        return f"{above.name} is {above.type}, and the target changes last digits of such numbers (not of a double)"
    return f"{above.name} is {above.type}, and {below.type} there" if inexact(above, below, flavor) else ""
