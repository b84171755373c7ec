"""What a target makes of a column: the one rule for the translation of DDL and for what the precheck says."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pkg.binlog.charset import is_lossless
from pkg.rows.equal_labels import equal_labels
from pkg.schema.charset import Charset, charset_name
from pkg.schema.collation import may_join, nearest, nearest_in_key, note_on
from pkg.schema.column_types import (
    CHARACTER_TYPES,
    DIGITS_OF_DOUBLE,
    GEOMETRY_TYPES,
    LABEL_TYPES,
    TEXT_TYPES,
    fixed_digits,
)
from pkg.schema.table import Column, Table
from pkg.schema.targets import rules_for

_CODE_POINTS = Charset("utf8mb4", "utf8mb4_bin")


def text_charset(
    column: Column, collations: Collection[str], flavor: str, *, in_key: bool, what: str = ""
) -> tuple[Charset, str]:
    """The character set and collation of a text column on a server that has ``collations``, and a note of a change."""
    wanted = column.collation or ""
    if not in_key or column.base_type in LABEL_TYPES:  # keys hold the numbers of labels
        chosen = nearest(wanted, collations)
        if not equal_labels(column.labels, chosen.collation):  # which a server refuses, or takes for one
            return chosen, note_on(what, wanted, chosen)
    chosen = nearest_in_key(wanted, collations, flavor)
    if flavor == "tidb" and (equal := equal_labels(column.labels, chosen.collation)):  # which it has in no mode
        labels = " and ".join(map(repr, equal))
        note = f"{chosen.collation} becomes {_CODE_POINTS.collation}, since the labels {labels} are equal in it"
        return _CODE_POINTS, f"{what}: {note}" if what else note
    return chosen, note_on(what, wanted, chosen, in_key=True)


def other_type(flavor: str, base_type: str) -> str:
    """What is written for a type that a target of this flavour lacks; "" for one that it has."""
    return dict(rules_for(flavor).types).get(base_type, "") if flavor else ""


def is_rounded_again(flavor: str, column_type: str) -> bool:
    """Whether such a server changes digits that show of a DOUBLE(M,D) that it is given.

    MariaDB does where D has all digits of a DOUBLE, TiDB where M has more, but for whole numbers.
    """
    shown, behind = fixed_digits(column_type)
    if flavor == "tidb":
        return behind > 0 and shown > DIGITS_OF_DOUBLE
    return flavor == "mariadb" and behind >= DIGITS_OF_DOUBLE


def lacks_type(flavor: str, base_type: str) -> bool:
    """Whether a target of this flavour has neither the type nor one that could stand for it."""
    return flavor == "tidb" and base_type in GEOMETRY_TYPES


def stores_unicode(flavor: str) -> bool:
    """Whether every text is Unicode on such a server, whatever character set its column names."""
    return flavor == "tidb"


_SAME_SIZE = frozenset({"ascii", "utf8mb3", "utf8mb4", "utf32"})  # whose characters take no more bytes in UTF-8
_LARGER = {"tinytext": "text", "text": "mediumtext", "mediumtext": "longtext"}


def larger_text(column: Column, chosen: str) -> str:
    """The text type that holds in the character set ``chosen`` what the column may hold; "" where that is its own."""
    charset = charset_name(column.charset or "")
    if charset in _SAME_SIZE or charset == charset_name(chosen) or not chosen.startswith("utf8"):
        return ""
    return _LARGER.get(column.base_type, "")


def keeps_bytes(charset: str, chosen: Charset, flavor: str) -> bool:
    """Whether text arrives by its bytes, whatever Unicode knows of them."""
    return not stores_unicode(flavor) and charset_name(chosen.name) == charset


def joins(above: Column, below: Column, flavor: str) -> bool:
    """Whether the target's column, in a unique key, may hold equal two texts that are different upstream.

    Tables that are created here have no such key; one that was there may, or a column that gets its key later.
    """
    if not ({above.base_type, below.base_type} <= CHARACTER_TYPES and above.collation and below.collation):
        return False
    return may_join(above.collation, below.collation, flavor)


def joining_columns(upstream: Table, downstream: Table, flavor: str) -> Iterator[tuple[Column, Column]]:
    """Upstream's and target's columns of the target's unique keys that may hold two rows equal."""
    for ordinal in sorted({ordinal for key in downstream.unique_keys for ordinal in key.columns}):
        below = downstream.columns[ordinal]
        above = upstream.column(below.name)
        if above is not None and joins(above, below, flavor):
            yield above, below


def changes(column: Column, collations: Collection[str], flavor: str, *, in_key: bool) -> list[str]:
    """What is not the same in the target, one sentence without the column's name each; [] for an exact column."""
    other = other_type(flavor, column.base_type)
    if other and not other.startswith((column.base_type, "geo")):
        return [f"the type {column.base_type} becomes {other.split()[0]}"]
    if is_rounded_again(flavor, column.type) and not column.generated:
        return [f"the type {column.type} becomes double: the target would change the last digits"]
    if column.base_type not in TEXT_TYPES or not column.collation:
        return []
    chosen, note = text_charset(column, collations, flavor, in_key=in_key)
    found = [note.removeprefix(": ")] if note else []
    if larger := larger_text(column, chosen.name):
        found.append(f"the type {column.base_type} becomes {larger}, since its characters take more bytes")
    charset = column.charset or ""
    if column.base_type in CHARACTER_TYPES and not (is_lossless(charset) or keeps_bytes(charset, chosen, flavor)):
        found.append(f"{charset} text goes through Unicode; a value with a code that Unicode lacks stops the task")
    return found
