"""DEFAULT clauses, in one spelling."""

from __future__ import annotations

from pkg.schema.cursor import Cursor
from pkg.schema.lexer import Kind, quote_string

_NOW = frozenset({"CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"})
_BOOLEANS = {"TRUE": "'1'", "FALSE": "'0'"}


def read_default(cursor: Cursor) -> str:
    """The value behind DEFAULT as SQL text: constants as strings, the current time as current_timestamp(n)."""
    token = cursor.token
    if token.kind is Kind.STRING:
        return quote_string(cursor.string())
    if token.kind is Kind.NUMBER:
        text = cursor.next().text
        return text if text[:2].lower() in ("0x", "0b") else quote_string(text)
    if token.key in ("+", "-"):
        cursor.next()
        sign = "-" if token.key == "-" else ""
        return quote_string(sign + cursor.next().text)
    if token.key == "(":
        return cursor.parenthesized()
    if token.is_name:
        return _word(cursor)
    raise cursor.unreadable("a default value")


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
    if cursor.token.kind is Kind.STRING:  # _utf8mb4'…', x'…', b'…', DATE'…'
        cursor.string()
        return cursor.text_since(start)
    while cursor.accept("."):
        cursor.name()
    if cursor.key == "(":
        cursor.parenthesized()
    elif word == "NEXT":  # NEXT VALUE FOR sequence
        cursor.expect("VALUE", "FOR")
        cursor.sequence_name()
    return cursor.text_since(start)
