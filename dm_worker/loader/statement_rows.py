"""The rows of a multi-row statement that ``StatementBuilder`` made, as literals again: for errors, which name rows.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

Row = tuple[bytes, ...]

_VALUE: Final = rb"'(?:[^'\\]++|\\.)*+'|x'[0-9A-F]*+'|COALESCE\([^()]*+\)|[^,()']++"
_VALUES: Final = re.compile(_VALUE, re.DOTALL)
_ROW: Final = re.compile(rb"\(((?:%b|,)++)\)" % _VALUE, re.DOTALL)
_NUMBER: Final = re.compile(r" at row (\d+)", re.ASCII)
_SHOWN_BYTES: Final = 80  # of one value
_SHOWN_COLUMNS: Final = 12


def rows_of(statement: bytes, prefix: bytes) -> Iterator[Row]:
    for found in _ROW.finditer(statement, len(prefix)):
        yield tuple(_VALUES.findall(found[1]))


def row_named(text: str, statement: bytes, prefix: bytes) -> Row | None:
    """The row that a server's text "… at row 7" speaks of."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    wanted = int(found[1])
    return next((row for number, row in enumerate(rows_of(statement, prefix), 1) if number == wanted), None)


def shown(names: Sequence[str], row: Sequence[bytes], keys: Sequence[str] = ()) -> str:
    """`id`=7, `name`='x' …: the key's columns first, and of the rest some."""
    pairs = sorted(zip(names, row, strict=True), key=lambda pair: pair[0] not in keys)
    text = ", ".join(f"{name}={_cut(value)}" for name, value in pairs[:_SHOWN_COLUMNS])
    return f"{text}, …" if len(pairs) > _SHOWN_COLUMNS else text


def _cut(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN_BYTES else f"{text[:_SHOWN_BYTES]} …"
