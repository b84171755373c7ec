"""What the target holds equal: literals written so that equal values are the same bytes.

Values of an upstream's column whose type is not the target's are first written as the target's (held_values.py).

Each collation that is known has a table in folds.zip, made from the weights that the servers themselves give
(tests/folding): character → what is written for it.  Two values that a server calls equal are written alike; a few
that it tells apart may be, too, which only costs waiting (DESIGN.md §4.3).  Of a collation without a table, such as
those of one language, all values are written alike.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files

from pkg.binlog.charset import decode, holds_alias, readable
from pkg.binlog.rare_values import introduced, quote_text
from pkg.rows.held_values import Form, held_form, unescaped
from pkg.schema.table import Column

_PLAIN = re.compile(rb"'[ -&(-\[\]-~]*'")  # printable ASCII without quotes and backslashes
_PRINTABLE = range(0x20, 0x7F)
_BINARY = re.compile(r"\w+_bin", re.ASCII)
_UNICODE = re.compile(r"(?:utf8|utf8mb3|utf8mb4|ucs2|utf16|utf16le|utf32)_(general|unicode|unicode_520)_ci")
_NEW = re.compile(r"(?:utf8mb4_(0900)|(?:\w+_)?(uca1400))_(?:ai|as)_c[is]", re.ASCII)
# TiDB reads on to U+FFFD and no further; the older tables and those of small sets know no supplementary characters.
_ENDS_NEW = re.compile("\ufffd.*", re.DOTALL)
_ENDS_OLD = re.compile("[\ufffd\U00010000-\U0010ffff].*", re.DOTALL)
_BEHIND_POINT = re.compile(r"(?:float|double)\(\d+,\s*(\d+)\)", re.ASCII)
_WITH_SUPPLEMENT = frozenset({"unicode_520", "0900", "uca1400"})


class Folding:
    """One collation's way to write values."""

    def __init__(self, table: dict[str, str], ends: re.Pattern[str] | None) -> None:
        self._table = str.maketrans(table)
        self._ends = ends
        self._is_exact = not table and ends is None
        ascii_table = bytearray(range(256))
        self._is_plain = True
        for point in _PRINTABLE:
            written = table.get(chr(point), chr(point))
            self._is_plain = self._is_plain and len(written) == 1 and written.isascii()
            ascii_table[point] = ord(written[:1] or "\0") & 0x7F
        self._ascii = bytes(ascii_table)
        self._of_text = lru_cache(maxsize=4096)(self._fold_text)

    def fold(self, literal: bytes, prefix: int | None = None) -> bytes:
        """A literal as the collation compares it; with ``prefix``, its first characters."""
        if self._is_exact and prefix is None and literal[:1] != b"_":
            return literal if literal[-2:-1] != b" " else literal[:-1].rstrip(b" ") + b"'"
        if self._is_exact and prefix is None:
            return quote_text(self._of_text(literal, None))  # as the same text is written that came without its set
        if self._is_plain and _PLAIN.fullmatch(literal):
            return literal[1:-1][:prefix].translate(self._ascii).rstrip()
        return self._of_text(literal, prefix)

    def exact(self, literal: bytes) -> bytes:
        """The literal of the value as the target's type has it, whatever the collation: equal ones are one value."""
        found = introduced(literal)
        if found is None:
            return literal
        charset, raw = found
        try:
            return literal if holds_alias(raw, charset) else quote_text(decode(raw, charset).encode())
        except UnicodeError:
            return literal

    def _fold_text(self, literal: bytes, prefix: int | None) -> bytes:
        if literal.startswith(b"_"):
            text = _introduced(literal)[:prefix]
        elif literal.startswith(b"'"):
            text = unescaped(literal)[:prefix]
        else:
            return literal  # the number of an ENUM's label, or bytes that are no text
        if self._ends is not None:
            text = self._ends.sub("", text)
        return text.translate(self._table).rstrip(" ").encode("utf-8", "surrogatepass")


class FloatingPoint(Folding):
    """Of FLOAT and DOUBLE: as the codec writes the number that is stored; the two zeros are equal.

    With ``digits`` behind the point, which the type names, as the nearest such number: some servers hold that one.
    """

    def __init__(self, shortest: Callable[[float], str], digits: int | None = None) -> None:
        super().__init__({}, None)
        self._shortest = shortest
        self._digits = digits

    def fold(self, literal: bytes, prefix: int | None = None) -> bytes:
        number = self.exact(literal)
        if self._digits is None:
            return number
        try:
            return f"{float(number):.{self._digits}f}".encode()
        except ValueError:
            return literal

    def exact(self, literal: bytes) -> bytes:
        try:
            return self._shortest(float(literal) + 0.0).encode()  # -0 + 0 is 0
        except (ValueError, OverflowError):
            return literal


def _single(value: float) -> str:
    stored = struct.pack("<f", value)
    texts = (f"{value:.{digits}g}" for digits in range(6, 10))
    return next((text for text in texts if struct.pack("<f", float(text)) == stored), repr(value))


class NothingKnown(Folding):
    """Of a collation without a table."""

    def __init__(self) -> None:
        super().__init__({}, None)

    def fold(self, literal: bytes, prefix: int | None = None) -> bytes:
        return b""


class Converted(Folding):
    """Of a column whose type upstream is another one: by ``form``, then as the target's collation compares."""

    def __init__(self, form: Form, inner: Folding | None) -> None:
        super().__init__({}, None)
        self._form = form
        self._inner = inner

    def fold(self, literal: bytes, prefix: int | None = None) -> bytes:
        held = self._form(literal)
        return held[:prefix] if self._inner is None else self._inner.fold(held, prefix)

    def exact(self, literal: bytes) -> bytes:
        held = self._form(literal)
        return held if self._inner is None else self._inner.exact(held)


_SHORTEST = {"float": _single, "double": repr}


def column_folding(above: Column, below: Column) -> Folding | None:
    """How the target compares values of the upstream's column ``above`` in its own ``below``; None: byte by byte.

    Tables that are merged have foldings of their own, by which equal values of any two of them are the same bytes.
    """
    if below.base_type in _SHORTEST:
        return _floating(below.type, below.base_type)
    form, inner = held_form(above, below), folding_of(below.collation)
    return inner if form is None else Converted(form, inner)


@cache
def _floating(column_type: str, base_type: str) -> Folding:
    found = _BEHIND_POINT.match(column_type)
    return FloatingPoint(_SHORTEST[base_type], int(found[1]) if found is not None else None)


def folding_of(collation: str | None) -> Folding | None:
    """How values of a column with this collation are compared; None: byte by byte."""
    if collation is None or collation == "binary":
        return None
    return _folding(collation.replace("_nopad", ""))


@cache
def _folding(collation: str) -> Folding:
    if _BINARY.fullmatch(collation):
        return Folding({}, None)
    found = _UNICODE.fullmatch(collation) or _NEW.fullmatch(collation)
    name = next(part for part in found.groups() if part) if found is not None else collation
    try:
        table: dict[str, str] = json.loads(_archive().read(f"{name}.json"))
    except KeyError:
        return NothingKnown()
    return Folding(table, _ENDS_NEW if name in _WITH_SUPPLEMENT else _ENDS_OLD)


@cache
def _archive() -> zipfile.ZipFile:
    with files(__package__).joinpath("folds.zip").open("rb") as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def _introduced(literal: bytes) -> str:
    """The text of bytes in a column's own set; codes without a character are all one."""
    found = introduced(literal)
    assert found is not None, "it begins with an introducer"
    charset, raw = found
    return readable(raw, charset)
