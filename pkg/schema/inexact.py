"""Columns whose values a target's column takes without a word and changes: rounded, cut, read as something else.

A column that the target calculates takes no value at all.

A strict session refuses what is too large or too long, so such columns are not looked at: only what no server says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.folding import Folding, folding_of
from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, TEXT_TYPES, fixed_digits
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

_LABELS = frozenset({"enum", "set"})
_PLAIN_TEXT = TEXT_TYPES - _LABELS
_TEXTS = _PLAIN_TEXT | BINARY_TYPES
_FLOATS = frozenset({"float", "double"})
_NUMBERS = INTEGER_TYPES | _FLOATS | {"decimal"}
_TIMES = frozenset({"date", "time", "datetime", "timestamp"})
_WITH_DAY = frozenset({"datetime", "timestamp"})
_DIGITS = re.compile(r"\((\d+)(?:,\s*(\d+))?\)")
_DIGITS_OF = {"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 20}
_DIGITS_IN = {"float": 6, "double": 15}  # that a binary number keeps, whatever they are
_MEDIUM_IN_FLOAT = 8  # 24 bits are a float's, too


def inexact(above: Column, below: Column, flavor: str = "") -> bool:
    """Whether the target's column may change a value of the upstream's without an error or a warning that ends it.

    ``flavor`` is the target's.
    """
    old, new = above.base_type, below.base_type
    if new in INTEGER_TYPES:
        return old in _FLOATS | _PLAIN_TEXT or (old == "decimal" and _scale(above) > 0)
    if new == "decimal":
        return old in _FLOATS | _PLAIN_TEXT or (old == "decimal" and _scale(below) < _scale(above))
    if new in _FLOATS:
        return old in _PLAIN_TEXT or _exceeds(above, below) or _is_rounded(above, below, flavor)
    if new in _TIMES:
        return _other_moment(above, below)
    if new == "year":
        return old in INTEGER_TYPES | _PLAIN_TEXT
    if new in _LABELS:
        return _other_label(above, below)
    if new == "json":
        return old in _FLOATS | {"decimal"} | _TEXTS and not _may_be_json(above)
    if new == "char":
        return old in _PLAIN_TEXT - {"char"}  # blanks at the end
    return new == "binary" and old in BINARY_TYPES and (old != "binary" or above.length != below.length)


def _exceeds(above: Column, below: Column) -> bool:
    """Whether a FLOAT or DOUBLE has too few digits for a number."""
    old, new = above.base_type, below.base_type
    if old not in _NUMBERS:
        return False
    fixed = _DIGITS.search(below.type) if "," in below.type else None
    if fixed is not None and not (old in INTEGER_TYPES or ("," in above.type and _scale(above) <= _scale(below))):
        return True
    if old in _FLOATS:
        return old == "double" and new == "float"
    if old in INTEGER_TYPES:
        return _DIGITS_OF[old] > (_MEDIUM_IN_FLOAT if new == "float" else _DIGITS_IN[new])
    return _precision(above) > _DIGITS_IN[new]


def _is_rounded(above: Column, below: Column, flavor: str) -> bool:
    """Whether the target rounds a DOUBLE to the digits that it has upstream, and gets others."""
    holds_few = 0 < fixed_digits(above.type)[0] <= _DIGITS_IN["double"]
    return above.base_type == "double" and not holds_few and is_rounded_again(flavor, below.type)


def _other_moment(above: Column, below: Column) -> bool:
    old, new = above.base_type, below.base_type
    if old in _NUMBERS | _PLAIN_TEXT:
        return True
    if old not in _TIMES:
        return False
    kept = old == new or (new in _WITH_DAY and old != "time")
    return not kept or _fraction(below) < _fraction(above)


def _other_label(above: Column, below: Column) -> bool:
    """Whether ENUM or SET may take a value for a label that only equals it, or for a label's place."""
    if above.base_type not in _LABELS:
        return above.base_type in _NUMBERS | _TEXTS | {"bit", "year"}
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


def _scale(column: Column) -> int:
    found = _DIGITS.search(column.type)
    return int(found[2] or 0) if found else 0


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
