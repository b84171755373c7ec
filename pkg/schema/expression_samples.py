"""Whether two expressions of a generated column have the same values: statements that try them on one server.

Servers write one expression in many ways, so texts that differ say little.  A table that is made for it has both as
generated columns of the column's type, beside the columns that they read; sample values of each type, and what the
expressions name themselves, tell them apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, TEXT_TYPES
from pkg.schema.introducers import as_read_by
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_name, quote_string, tokenize
from pkg.schema.table import Column, Table

_ABOVE, _BELOW = "`sparkdm above`", "`sparkdm below`"
_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
_TEXTS = ("", "a", "A", "Ab c", "ä", "1", "12.5", "2020-01-02", "2021-11-30 23:59:58", "a@b.c", "x,y", "ba b")
_DAYS = ("2020-01-02", "1999-12-31", "2024-02-29")
_CLOCKS = ("03:04:05.654321", "23:59:59.999999", "00:00:00")
_NUMBERS = (0, 1, 2, 3, 7, 10, 100, -1, -8)
_FRACTIONS = ("0", "1", "-1.5", "2.25", "0.5", "9")
_PATH_PART = re.compile(r'\.(?:"([^"]+)"|(\w+))|\[(\d+)\]')
_LEAVES = (1, "x", 2.5, None)
_LEAST_ROWS, _MOST_ROWS = 24, 60
REAL_ROWS = 100


@dataclass(frozen=True, slots=True)
class Trial:
    """SQL for one column; ``table`` stands for the qualified, quoted name of the table that is made."""

    create: str
    rows: tuple[str, ...]  # of VALUES; servers may refuse some
    columns: str  # that they fill, and that rows of the real table fill, too
    differing: str  # the values of rows in which the two differ


def trial(above: Column, below: Column, there: Table, table: str, flavor: str) -> Trial:
    """``above``, ``below``: the column upstream and in the target's table ``there``; ``flavor``: the target's."""
    tokens = [*tokenize(above.expression), *tokenize(below.expression)]
    named = {small(token.value) for token in tokens if token.is_name}
    read = [one for one in there.columns if small(one.name) in named and one.name != below.name]
    definition = f"{below.type}{_charset(below)} GENERATED ALWAYS AS"
    texts = (as_read_by(flavor, above.expression), below.expression)  # the target reads its own as it shows it
    both = [f"{name} {definition} ({text}) STORED" for name, text in zip((_ABOVE, _BELOW), texts, strict=True)]
    plain = [f"{quote_name(one.name)} {one.type}{_charset(one)} NULL" for one in read] or ["`sparkdm none` INT NULL"]
    return Trial(
        f"CREATE TABLE {table} ({', '.join([*plain, *both])})",
        tuple(_rows(read, tokens)),
        ", ".join(quote_name(one.name) for one in read),
        f"SELECT {_ABOVE}, {_BELOW} FROM {table} WHERE NOT ({_bytes(_ABOVE)} <=> {_bytes(_BELOW)}) LIMIT 1",
    )


def _bytes(name: str) -> str:
    return f"HEX(CONCAT('', {name}))"


def _charset(column: Column) -> str:
    is_text = column.base_type in TEXT_TYPES and column.charset != "binary"
    return f" CHARACTER SET {column.charset} COLLATE {column.collation}" if is_text else ""


def _rows(columns: Sequence[Column], tokens: Sequence[Token]) -> Iterator[str]:
    samples = [list(dict.fromkeys(_samples(column, tokens))) for column in columns]
    if not samples:
        yield "(NULL)"
        return
    count = min(max(_LEAST_ROWS, 2 * max(map(len, samples))), _MOST_ROWS)
    yield "(" + ", ".join(["NULL"] * len(samples)) + ")"
    for row in range(count):
        picked = (one[(row + place * (1 + row // len(one))) % len(one)] for place, one in enumerate(samples))
        yield "(" + ", ".join(picked) + ")"


def _samples(column: Column, tokens: Sequence[Token]) -> Iterator[str]:
    """Literals for a column; what the expressions compare it with among them."""
    base = column.base_type
    strings = [token.value for token in tokens if token.kind is Kind.STRING]
    numbers = [token.text for token in tokens if token.kind is Kind.NUMBER and token.text.replace(".", "").isdigit()]
    if base in INTEGER_TYPES:
        yield from _integers(column, numbers)
    elif base in ("decimal", "float", "double"):
        yield from (one for one in (*_FRACTIONS, *numbers) if one[0] != "-" or not column.unsigned)
    elif column.labels:
        yield from (quote_string(label) for label in column.labels)
    elif base in TEXT_TYPES | BINARY_TYPES:
        texts = [*_documents(strings), *strings, *numbers, *_TEXTS]
        yield from (quote_string(text[: column.length]) for text in texts)
    elif base == "json":
        yield from map(quote_string, (*_documents(strings), "{}", '[1, "x"]', '"a"', "5"))
    elif base in ("date", "datetime", "timestamp", "time", "year"):
        yield from _moments(base)
    elif base == "bit":
        yield from ("b'0'", "b'1'")
    else:
        yield "NULL"


def _integers(column: Column, numbers: Sequence[str]) -> Iterator[str]:
    bits = _BITS.get(column.base_type, 32)
    least, most = (0, 2**bits - 1) if column.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    near = [int(float(one)) + step for one in numbers for step in (0, 1, -1)]
    yield from (str(one) for one in (*near, *_NUMBERS) if least <= one <= most)


def _moments(base: str) -> Iterator[str]:
    if base == "date":
        yield from map(quote_string, _DAYS)
    elif base == "time":
        yield from map(quote_string, _CLOCKS)
    elif base == "year":
        yield from ("2020", "1999", "2001")
    else:
        yield from (quote_string(f"{day} {clock}") for day in _DAYS for clock in _CLOCKS)


def _documents(strings: Sequence[str]) -> list[str]:
    """JSON that has what the paths among the texts lead to."""
    paths = [_PATH_PART.findall(text) for text in strings if text.startswith("$")]
    found = []
    for leaf in _LEAVES if paths else ():
        document: Any = {}
        for path in paths:
            document = _with_path(document, path, leaf)
        found.append(json.dumps(document, ensure_ascii=False))
    return found


def _with_path(document: Any, path: Sequence[tuple[str, str, str]], leaf: Any) -> Any:
    if not path:
        return leaf
    quoted, word, number = path[0]
    if number:
        return [_with_path({}, path[1:], leaf)] * (min(int(number), 9) + 1)
    inner = document if isinstance(document, dict) else {}
    name = quoted or word
    return {**inner, name: _with_path(inner.get(name, {}), path[1:], leaf)}
