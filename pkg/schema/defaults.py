"""DEFAULT clauses, in one spelling."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from pkg.binlog.charset import decode, is_known
from pkg.schema.charset import charset_name
from pkg.schema.cursor import Cursor
from pkg.schema.lexer import Kind, bytes_of_digits, quote_string, string_value

_DOUBLE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)e[+-]?\d+", re.ASCII | re.IGNORECASE)
_WITHOUT_EXPONENT = range(-15, 15)  # the power of ten of numbers that servers write so
_NOW = frozenset({"CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"})
_BOOLEANS = {"TRUE": "'1'", "FALSE": "'0'"}
_DIGITS = re.compile(r"(?:_\w+\s*)?((?:0x|x'|0b|b')\w+'?)", re.ASCII | re.IGNORECASE)
_INTRODUCED = re.compile(r"_(\w+)\s*((?:0x|x'|0b|b')\w*'?|'.*')", re.ASCII | re.IGNORECASE | re.DOTALL)


def read_default(cursor: Cursor) -> str:
    """The value behind DEFAULT as SQL text: constants as strings, the current time as current_timestamp(n)."""
    token = cursor.token
    if token.kind is Kind.STRING:
        return quote_string(cursor.string())
    if token.kind is Kind.NUMBER:
        text = cursor.next().text
        return text if text[:2].lower() in ("0x", "0b") else text_of_number(text)
    if token.key in ("+", "-"):
        cursor.next()
        sign = "-" if token.key == "-" else ""
        return text_of_number(sign + cursor.next().text)
    if token.key == "(":
        return cursor.parenthesized()
    if token.is_name:
        return _word(cursor)
    if token.key == "@":  # MariaDB's (@@version)
        return _variable(cursor)
    raise cursor.unreadable("a default value")


def _variable(cursor: Cursor) -> str:
    start = cursor.position
    while cursor.accept("@"):
        pass
    cursor.name()
    while cursor.accept("."):
        cursor.name()
    return cursor.text_since(start)


def _word(cursor: Cursor) -> str:
    start = cursor.position
    word = cursor.next().key
    if word == "NULL":
        return "NULL"
    if word in _BOOLEANS:
        return _BOOLEANS[word]
    if word in _NOW:
        arguments = cursor.parenthesized() if cursor.key == "(" else "()"
        return "current_timestamp" + ("()" if arguments == "(0)" else arguments)
    if word.startswith("_") and (cursor.token.kind is Kind.NUMBER or cursor.key in ("X", "B")):  # _koi8r 0xC1
        cursor.next()
    if word == "N" and cursor.token.kind is Kind.STRING:
        return quote_string(cursor.string())
    if cursor.token.kind is Kind.STRING:  # _utf8mb4'…', x'…', b'…', DATE'…'
        cursor.string()
        return cursor.text_since(start)
    if cursor.tokens[cursor.position - 1].kind is Kind.NUMBER:
        return cursor.text_since(start)
    while cursor.accept("."):
        cursor.name()
    if cursor.key == "(":
        cursor.parenthesized()
    elif word == "NEXT":  # NEXT VALUE FOR sequence
        cursor.expect("VALUE", "FOR")
        cursor.sequence_name()
    return cursor.text_since(start)


def without_introducer(default: str) -> str:
    """The same constant as text for a column of texts (_koi8r 0xC1 → 'а'), where it is one; else as it is."""
    found = _INTRODUCED.fullmatch(default)
    if found is None or not is_known(charset := charset_name(found[1])) or charset == "binary":
        return default
    try:
        raw = bytes_of_digits(found[2])
        return quote_string(decode(string_value(found[2]).encode() if raw is None else raw, charset))
    except ValueError:
        return default


def text_of_number(literal: str) -> str:
    """A number as the text that servers make of it, in quotes: 01.50 is 1.50, .5 is 0.5, 1e2 is 100."""
    if "e" in literal.lower():
        text = text_of_double(literal, None)
        return text if text.startswith("'") else quote_string(literal)
    whole, _, fraction = literal.removeprefix("-").partition(".")
    text = (whole.lstrip("0") or "0") + ("." + fraction if fraction else "")
    return quote_string("-" + text if literal.startswith("-") and text.strip("0.") else text)


def text_of_double(literal: str, length: int | None) -> str:
    """A number with an exponent as the text that MySQL and MariaDB make of it, which TiDB refuses or writes otherwise.

    As it is, where it is no such number, or has more characters than the ``length`` that the column has.
    """
    if _DOUBLE.fullmatch(literal) is None or math.isinf(value := float(literal)):
        return literal
    number = Decimal(repr(value)).normalize()
    power = number.adjusted()
    if not value:
        text = "0"
    elif power in _WITHOUT_EXPONENT:
        text = f"{number:f}"
    else:
        text = f"{number.scaleb(-power):f}e{power}"
    return quote_string(text) if length is None or len(text) <= length else literal


def without_set(default: str) -> str:
    """Digits of bytes without the set that they name (_latin1 X'E4' → X'E4'), which a column of bytes does not heed."""
    found = _DIGITS.fullmatch(default)
    return default[found.start(1) :] if found is not None else default


def is_no_text(default: str) -> bool:
    """Whether a constant is digits (X'FF', _latin1 0xE4, b'11111111') of bytes that are no text in UTF-8."""
    found = _DIGITS.fullmatch(default)
    try:
        return found is not None and not (bytes_of_digits(found[1]) or b"").decode()
    except UnicodeDecodeError:
        return True
