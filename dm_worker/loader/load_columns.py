"""How LOAD DATA must take each column, so that it stores what an INSERT of the same values would.

Pure.  A field is bytes.  Columns of bytes, numbers, times and text in UTF-8 take them as they are; text of
another character set, and types that want to read text, get it through a variable.  Where MariaDB gets anything through
a variable, so does the column that counts: else it takes no notice of NO_AUTO_VALUE_ON_ZERO, and numbers the row whose
number is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dm_worker.loader.streamed import LoadColumn
from pkg.rows.text_protocol import BINARY, BITS, NUMBER, TEXT, VECTOR
from pkg.schema.letter_case import small

AS_TEXT: Final = "CONVERT(@c USING utf8mb4)"
_AS_NUMBER: Final = "CAST(@c AS UNSIGNED)"  # as text it would be the label of this name, or the bits of its digits
_NUMBER_OF_BITS: Final = "CONV(HEX(@c), 16, 10)"  # as text they would be digits: `x'35'` is 53, and the text 5

_UTF8: Final = frozenset(("utf8mb4", "utf8mb3", "utf8"))
_TAKE_BYTES: Final = frozenset((
    "tinyint", "smallint", "mediumint", "int", "integer", "bigint", "decimal", "numeric", "float", "double", "real",
    "bit", "year", "date", "time", "datetime", "timestamp", "binary", "varbinary", "tinyblob", "blob", "mediumblob",
    "longblob", "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
    "geometrycollection", "geomcollection", "vector", "bool", "boolean", "fixed", "dec",
))  # fmt: skip
_TYPE: Final = re.compile(r"\w+", re.ASCII)


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """What of a target's column matters here; ``charset`` is "" where it is none of text."""

    base_type: str
    charset: str
    counts: bool = False


def target_columns(rows: Iterable[Sequence[str | None]]) -> dict[str, TargetColumn]:
    """From three columns of SHOW FULL COLUMNS and its Extra: name, type, collation; by name in lower case."""
    columns = {}
    for name, kind, collation, extra in rows:
        found = _TYPE.match(kind or "")
        charset = (collation or "").split("_")[0].lower()
        columns[small(name or "")] = TargetColumn(
            found[0].lower() if found else "", charset, "auto_increment" in (extra or "").lower()
        )
    return columns


def load_columns(
    names: Sequence[str], modes: Sequence[int], target: Mapping[str, TargetColumn], flavor: str
) -> list[LoadColumn]:
    """``names`` are quoted, in the order of the fields; ``modes`` say how the upstream's values are written."""
    there = [target.get(_plain(name)) for name in names]
    expressions = [_expression(mode, one, flavor) for mode, one in zip(modes, there, strict=True)]
    if flavor == "mariadb" and any(expressions):
        counts = [one is not None and one.counts for one in there]
        expressions = [text or "@c" * is_counter for text, is_counter in zip(expressions, counts, strict=True)]
    return [LoadColumn(name, text) for name, text in zip(names, expressions, strict=True)]


def _expression(mode: int, there: TargetColumn | None, flavor: str) -> str:
    base = "" if there is None else there.base_type
    if mode == BITS:
        return "" if base == "bit" else _NUMBER_OF_BITS
    if (mode == NUMBER and base == "set") or (mode in (NUMBER, TEXT) and base == "bit"):
        return _AS_NUMBER
    return "" if mode in (BINARY, VECTOR) or _takes_bytes(there, flavor) else AS_TEXT


def _takes_bytes(column: TargetColumn | None, flavor: str) -> bool:
    if column is None:
        return False
    if column.base_type == "json":
        return flavor != "mysql"  # which makes no document of what has no character set
    return column.base_type in _TAKE_BYTES or column.charset in _UTF8


def _plain(quoted: str) -> str:
    return small(quoted[1:-1].replace("``", "`"))
