"""Random tables over all column types that the codec reads, with random rows, as SQL."""

from __future__ import annotations

import ipaddress
import json
import struct
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from pkg.binlog.charset import decode

Literals = st.SearchStrategy[str]


@dataclass(frozen=True, slots=True)
class AnyTable:
    """Columns c0, c1, … and rows as SQL literals."""

    types: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def create(self, name: str) -> str:
        columns = ", ".join(f"c{place} {type_}" for place, type_ in enumerate(self.types))
        return f"CREATE TABLE {name} (id INT PRIMARY KEY AUTO_INCREMENT, {columns}) DEFAULT CHARSET latin1"

    def insert(self, name: str) -> str:
        names = ", ".join(f"c{place}" for place in range(len(self.types)))
        return f"INSERT INTO {name} ({names}) VALUES " + ", ".join(f"({', '.join(row)})" for row in self.rows)


def _integers(bits: int) -> Mapping[str, Literals]:
    word = {8: "TINYINT", 16: "SMALLINT", 24: "MEDIUMINT", 32: "INT", 64: "BIGINT"}[bits]
    return {
        word: st.integers(-(1 << bits - 1), (1 << bits - 1) - 1).map(str),
        f"{word} UNSIGNED": st.integers(0, (1 << bits) - 1).map(str),
    }


def _decimals(precision: int, scale: int) -> Literals:
    def text(number: int) -> str:
        digits = f"{abs(number):0{scale + 1}d}"
        whole, fraction = (digits[:-scale], digits[-scale:]) if scale else (digits, "")
        return ("-" if number < 0 else "") + whole + ("." + fraction if scale else "")

    largest = 10**precision - 1
    return st.one_of(st.sampled_from((0, 1, -1, largest, -largest)), st.integers(-largest, largest)).map(text)


def _fraction(digits: int) -> Literals:
    if not digits:
        return st.just("")
    return st.integers(0, 10**digits - 1).map(lambda number: f".{number:0{digits}d}")


def _datetimes(digits: int, first: int, last: int) -> Literals:
    return st.builds(
        "'{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}{}'".format,
        st.integers(first, last), st.integers(1, 12), st.integers(1, 28), st.integers(0, 23), st.integers(0, 59),
        st.integers(0, 59), _fraction(digits),
    )  # fmt: skip


def _times(digits: int) -> Literals:
    return st.builds(
        "'{}{:02d}:{:02d}:{:02d}{}'".format,
        st.sampled_from(("", "-")), st.integers(0, 837), st.integers(0, 59), st.integers(0, 59), _fraction(digits),
    )  # fmt: skip


def _hex(raw: bytes) -> str:
    return f"x'{raw.hex()}'"


def _text(charset: str, longest: int) -> Literals:
    characters = st.sampled_from(_repertoire(charset))
    return st.lists(characters, max_size=longest).map(lambda parts: f"_{charset} {_hex(b''.join(parts))}")


def _repertoire(charset: str) -> list[bytes]:
    """Some of the set's characters, as its bytes; among them all that literals must escape."""
    if charset in ("utf8mb4", "utf8mb3"):
        text = "\0'\"\\%_a1 \t\n\x1aäßé€中日ก‏\u0301" + ("😀𝔘" if charset == "utf8mb4" else "")
        return [character.encode() for character in text]
    if charset in ("ucs2", "utf16", "utf32", "utf16le"):
        codec = {"ucs2": "utf-16-be", "utf16": "utf-16-be", "utf32": "utf-32-be", "utf16le": "utf-16-le"}[charset]
        return [character.encode(codec) for character in "\0'\\aäß€中" + ("" if charset == "ucs2" else "😀")]
    refused = {"cp932": b"\x80\xa0\xfd\xfe\xff"}.get(charset, b"")  # Python reads something in them
    singles = [bytes((number,)) for number in range(256) if number not in refused]
    doubles = [bytes((lead, trail)) for lead in range(0x81, 0xFF, 3) for trail in (0x5C, 0x61, 0xA1, 0xC5, 0xFE)]
    return [raw for raw in singles + doubles if len(_decoded(raw, charset)) == 1]


def _decoded(raw: bytes, charset: str) -> str:
    try:
        return decode(raw, charset)
    except UnicodeDecodeError:
        return ""


_NUMBERS = {name: values for bits in (8, 16, 24, 32, 64) for name, values in _integers(bits).items()} | {
    f"DECIMAL({precision},{scale})": _decimals(precision, scale)
    for precision, scale in ((1, 0), (9, 0), (10, 2), (12, 12), (18, 9), (19, 4), (30, 30), (65, 0), (65, 30))
}
_FLOATS: Mapping[str, Literals] = {
    "FLOAT": st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False).map(repr),
    "DOUBLE": st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False).map(repr),
}
_TIMES = (
    {f"DATETIME({digits})": _datetimes(digits, 0, 9999) for digits in range(7)}
    | {f"TIMESTAMP({digits}) NULL": _datetimes(digits, 1971, 2037) for digits in range(7)}
    | {f"TIME({digits})": _times(digits) for digits in range(7)}
    | {"DATE": _datetimes(0, 0, 9999).map(lambda text: text[:11] + "'")}
    | {"YEAR": st.integers(1901, 2155).map(str)}
)
_BYTES: Mapping[str, Literals] = {
    "BINARY(5)": st.binary(max_size=5).map(_hex),
    "VARBINARY(300)": st.binary(max_size=300).map(_hex),
    "BLOB": st.binary(max_size=600).map(_hex),
    "BIT(1)": st.integers(0, 1).map(str),
    "BIT(11)": st.integers(0, 2047).map(str),
    "BIT(64)": st.integers(0, (1 << 64) - 1).map(str),
    "GEOMETRY": st.builds("ST_GeomFromText('POINT({} {})')".format, st.integers(-90, 90), st.integers(-90, 90)),
}
_LISTS: Mapping[str, Literals] = {
    "ENUM('a','ü','it''s','\\\\')": st.integers(1, 4).map(str),
    "SET('a','ü','it''s','\\\\')": st.integers(0, 15).map(str),
    "ENUM('x','中') CHARACTER SET utf8mb4": st.integers(1, 2).map(str),
}
CHARSETS = (
    "utf8mb4", "utf8mb3", "latin1", "ascii", "latin2", "latin5", "latin7", "cp1250", "cp1251", "cp1256", "cp1257",
    "cp850", "cp852", "cp866", "koi8r", "koi8u", "greek", "hebrew", "tis620", "macroman", "macce", "armscii8", "dec8",
    "geostd8", "hp8", "keybcs2", "swe7", "big5", "gbk", "gb2312", "sjis", "cp932", "euckr", "ujis", "eucjpms", "ucs2",
    "utf16", "utf16le", "utf32",
)  # fmt: skip
_TEXTS = (
    {f"VARCHAR(20) CHARACTER SET {charset}": _text(charset, 20) for charset in CHARSETS}
    | {f"CHAR(10) CHARACTER SET {charset}": _text(charset, 10) for charset in ("utf8mb4", "latin1", "gbk")}
    | {"VARCHAR(20)": _text("latin1", 20), "TEXT CHARACTER SET utf8mb4": _text("utf8mb4", 200)}
)
_EVERYWHERE: Mapping[str, Literals] = {**_NUMBERS, **_FLOATS, **_TIMES, **_BYTES, **_LISTS, **_TEXTS}
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=200),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("aé'\\\"", max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
_OWN: Mapping[str, Mapping[str, Literals]] = {
    "mysql": {
        "JSON": _json.map(lambda document: f"CONVERT({_hex(json.dumps(document).encode())} USING utf8mb4)"),
        "VECTOR(9)": st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=9).map(
            lambda values: _hex(struct.pack(f"<{len(values)}f", *values))
        ),
        "VARCHAR(20) CHARACTER SET gb18030": _text("gb18030", 20),
    },
    "mariadb": {
        "UUID": st.builds(
            lambda raw, version: f"'{uuid.UUID(bytes=raw, version=version)}'",
            st.binary(min_size=16, max_size=16),
            st.sampled_from((1, 4)),
        ),
        "INET4": st.integers(0, (1 << 32) - 1).map(lambda number: f"'{ipaddress.IPv4Address(number)}'"),
        "INET6": st.one_of(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 128) - 1)).map(
            lambda number: f"'{ipaddress.IPv6Address(number)}'"
        ),
        "VARCHAR(300) COMPRESSED": st.one_of(_text("latin1", 20), st.just("REPEAT('x', 300)")),
        "TEXT COMPRESSED CHARACTER SET utf8mb4": st.one_of(_text("utf8mb4", 20), st.just("REPEAT('é', 3000)")),
        "BLOB COMPRESSED": st.one_of(st.binary(max_size=9).map(_hex), st.just("REPEAT(x'ff00', 3000)")),
        "JSON": _json.map(lambda document: f"CONVERT({_hex(json.dumps(document).encode())} USING utf8mb4)"),
    },
}


@st.composite
def any_tables(draw: st.DrawFn, flavor: str) -> AnyTable:
    """A table of types that servers of the flavour have, with up to eight rows."""
    known = {**_EVERYWHERE, **_OWN[flavor]}
    types = tuple(draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=12)))
    row = st.tuples(*(st.one_of(st.just("NULL"), known[type_], known[type_]) for type_ in types))
    return AnyTable(types, tuple(draw(st.lists(row, min_size=1, max_size=8))))
