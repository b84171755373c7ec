"""Columns as nodes: the SQL literal of a row image → a value, for those columns that an expression names."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pkg.rules.expression.json_order import read_document
from pkg.rules.expression.node import BYTES, DATE, INT, REAL, UNSIGNED, Kind, Level, Node, RowImage, Run, Type
from pkg.rules.expression.problem import BadExpression, BadValue
from pkg.rules.expression.times import time_of
from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, TEXT_TYPES
from pkg.schema.table import Column

_NULL = b"NULL"
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)


def column_node(column: Column, ordinal: int, at: int) -> Node:
    """Raises BadExpression for a type that expressions cannot read."""
    base = column.base_type
    if base in ("enum", "set"):
        return _labelled(column, ordinal, at)
    type_, decode = _reader(column, at)
    return Node(type_, _value(ordinal, decode), column=True, at=at)


def _reader(column: Column, at: int) -> tuple[Type, Callable[[bytes], Any]]:
    base = column.base_type
    if base in INTEGER_TYPES:
        return replace(
            UNSIGNED if column.unsigned else INT, oddity="ZEROFILL" if "zerofill" in column.type else ""
        ), int
    if base in ("year", "bit"):
        return replace(UNSIGNED, is_year=base == "year", oddity=base.upper()), int
    if base == "decimal":
        return Type(Kind.DECIMAL, scale=_scale(column.type)), lambda raw: Decimal(raw.decode("ascii"))
    if base == "double":
        return REAL, float
    if base == "float":
        return REAL, _single
    if base in TEXT_TYPES:
        if column.charset == "binary":
            return BYTES, bytes_of
        name = column.collation or "utf8mb4_bin"
        return Type(Kind.TEXT, collation=name, level=Level.IMPLICIT), text_of
    if base in BINARY_TYPES:
        return BYTES, bytes_of
    if base == "date":
        return DATE, _date
    if base in ("datetime", "timestamp"):
        return Type(Kind.DATETIME, scale=column.fsp), _datetime
    if base == "time":
        return Type(Kind.TIME, scale=column.fsp), lambda raw: time_of(text_of(raw))
    if base == "json":
        return Type(Kind.JSON), lambda raw: read_document(text_of(raw))
    raise BadExpression(f"the column {column.name!r} is of type {column.type}, which expressions cannot read", at)


def _date(raw: bytes) -> tuple[int, ...]:
    """As the codec writes it: '2020-01-31'."""
    return int(raw[1:5]), int(raw[6:8]), int(raw[9:11])


def _datetime(raw: bytes) -> tuple[int, ...]:
    """As the codec writes it: '2020-01-31 23:59:59.123', with up to six digits behind the point."""
    day = int(raw[1:5]), int(raw[6:8]), int(raw[9:11])
    micros = int(raw[21:-1].ljust(6, b"0")) if len(raw) > 22 else 0
    return *day, int(raw[12:14]), int(raw[15:17]), int(raw[18:20]), micros


def _single(raw: bytes) -> float:
    """The bits of a FLOAT, which its shortest text stands for."""
    return float(struct.unpack("<f", struct.pack("<f", float(raw)))[0])


def _value(ordinal: int, decode: Callable[[bytes], Any]) -> Run:
    def run(row: RowImage) -> Any:
        literal = row[ordinal]
        return None if literal == _NULL else decode(literal)

    return run


def _labelled(column: Column, ordinal: int, at: int) -> Node:
    """ENUM and SET: text that has a number."""
    numbers = {label: place for place, label in enumerate(column.labels)}

    def place_of(label: str) -> int:
        if label not in numbers:
            raise BadValue(f"{label!r} is no label of {column.name}: its number is not known")
        return numbers[label]

    def index_of(raw: bytes) -> int:
        return 0 if raw == b"0" else place_of(text_of(raw)) + 1

    def bits_of(raw: bytes) -> int:
        return sum(1 << place_of(label) for label in text_of(raw).split(",") if label)

    def label_of(raw: bytes) -> str:
        return "" if raw == b"0" else text_of(raw)

    number = Node(UNSIGNED, _value(ordinal, index_of if column.base_type == "enum" else bits_of), at=at)
    type_ = Type(Kind.TEXT, collation=column.collation or "utf8mb4_bin", level=Level.IMPLICIT)
    return replace(Node(type_, _value(ordinal, label_of), column=True, at=at), number=number)


def _scale(type_: str) -> int:
    found = re.match(r"decimal\(\d+,\s*(\d+)\)", type_)
    return int(found[1]) if found else 0


def text_of(raw: bytes) -> str:
    """The characters of a text literal.  Raises BadValue for bytes that are no text of their character set."""
    if not raw.startswith(b"'"):
        raise BadValue(f"{raw[:60].decode('ascii', 'replace')} is no text in the character set of its column")
    inner = raw[1:-1]
    if b"\\" in inner:
        inner = _ESCAPE.sub(lambda escape: b"\0" if escape[1] == b"0" else escape[1], inner)
    return inner.decode()


def bytes_of(raw: bytes) -> bytes:
    if raw.startswith(b"x'"):
        return bytes.fromhex(raw[2:-1].decode("ascii"))
    return text_of(raw).encode()
