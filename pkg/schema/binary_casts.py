"""CAST(x AS CHAR … BINARY), a text that compares by code points: TiDB takes the word for bytes, and cuts these.

MariaDB shows it so where the session's collation was a `_bin` one (`cast(v as char charset utf8mb4 binary)`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pkg.schema.charset import charset_name
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.portable_functions import CHARS
from pkg.schema.statement import Edit, edited


def with_collated_casts(sql: str, flavor: str) -> str:
    """The text with COLLATE in place of that word, where a server of this flavour needs it."""
    if flavor != "tidb" or "BINARY" not in sql.upper():
        return sql
    return edited(sql, list(_edits(tokenize(sql))))


def _edits(tokens: Sequence[Token]) -> Iterator[Edit]:
    for place, token in enumerate(tokens[:-1]):
        if token.kind is Kind.WORD and token.key in ("CAST", "CONVERT") and tokens[place + 1].text == "(":
            words, end = _type(tokens, place + 1, "AS" if token.key == "CAST" else ",")
            binary = _binary(words)
            if binary is not None:
                yield token.start, token.start, "("
                yield binary.start, binary.end, ""
                yield end.end, end.end, f" COLLATE {_charset(words)}_bin)"


def _type(tokens: Sequence[Token], opening: int, separator: str) -> tuple[list[Token], Token]:
    """The tokens of the type that a call's value becomes, and the call's last parenthesis."""
    depth, start = 0, 0
    for place in range(opening, len(tokens)):
        token = tokens[place]
        depth += (token.text == "(") - (token.text == ")")
        if depth == 1 and token.key == separator:
            start = place + 1
        if depth == 0:
            return list(tokens[start:place]) if start else [], token
    return [], tokens[-1]


def _binary(words: Sequence[Token]) -> Token | None:
    """The word BINARY behind CHAR, which is no character set's name."""
    if not words or words[0].key not in CHARS:
        return None
    named = {number + 1 for number, one in enumerate(words) if one.key in ("CHARSET", "SET")}
    return next((one for number, one in enumerate(words) if one.key == "BINARY" and number not in named), None)


def _charset(words: Sequence[Token]) -> str:
    """What is named; else the session's, which is utf8mb4 in the target."""
    for one, behind in pairwise(words):
        if one.key in ("CHARSET", "SET"):
            name = charset_name(behind.value)
            return "utf8" if name == "utf8mb3" else name
    return "utf8mb4"
