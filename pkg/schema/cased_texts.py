"""Texts whose letters an expression makes large or small, and the letters of which two servers make other ones.

Which letter belongs to which is said by the character set and the collation: latin1 has no small letter for `Š`,
latin5 and the Turkish collations make `İ` of `i`, and newer versions of Unicode have more letters than older ones.  So
the servers are asked, for all letters at once; nothing is known here.  Pure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.document_reads import expressions_of
from pkg.schema.expression_tree import Call, Case, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.expressions import base_columns, names_in
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name, quote_string, tokenize
from pkg.schema.table import Column, Table

_FUNCTIONS: Final = {"UPPER": "UPPER", "UCASE": "UPPER", "LOWER": "LOWER", "LCASE": "LOWER"}
_OF_JSON: Final = ("utf8mb4", "utf8mb4_bin")
_BASIC: Final = 0x10000  # code points of Unicode's first plane
_SURROGATES: Final = range(0xD800, 0xE000)
_SEPARATOR: Final = "\n"
_ROOM: Final = "\u0131\u212a" * 4096  # they get fewer bytes as a large and as a small letter
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_SPECIAL: Final = frozenset("]^-[&|~`'\\")  # in a class of a regular expression
_BACKSLASH: Final = "\\\\"  # one, in a pattern of LIKE
TEXTS: Final = TEXT_TYPES | {"json"}


@dataclass(frozen=True, slots=True)
class CasedText:
    """A column, in lower case, that ``function`` (UPPER or LOWER) reads; ``of`` says whose expression it is."""

    column: str
    function: str
    of: str


def texts_cased(table: Table) -> list[CasedText]:
    """What the generated columns and unique keys of a table read so."""
    return list(dict.fromkeys(one for name, text, _ in expressions_of(table) for one in cased_in(name, text, table)))


def cased_in(of: str, text: str, table: Table) -> Iterator[CasedText]:
    """What one expression reads so."""
    tokens = tokenize(text)
    if not any(token.key in _FUNCTIONS for token in tokens):
        return
    try:
        calls = list(_calls(tree_of(bare_expression(tokens))))
    except UnreadExpression:
        names = [token.value for token in names_in(tokens)]
        calls = [(function, name) for function in ("UPPER", "LOWER") for name in names]
    for function, name in calls:
        for column in base_columns(quote_name(name), table):
            if column.base_type in TEXTS:
                yield CasedText(small(column.name), function, of)


def _calls(node: Node, function: str = "") -> Iterator[tuple[str, str]]:
    """Function and name, of all names inside of one."""
    if isinstance(node, Name) and function:
        yield function, node.text
    elif isinstance(node, Case):
        for one in (*([node.tested] if node.tested is not None else []), *node.whens, *node.values):
            yield from _calls(one, function)
    elif isinstance(node, Call):
        inner = _FUNCTIONS.get(node.name)
        for one in node.arguments:
            yield from _calls(one, inner or function)
            if inner and function and inner != function:
                yield from _calls(one, function)


@cache
def letters() -> str:
    """All characters of the first plane of Unicode, and those behind it that are large or small."""
    basic = (chr(code) for code in range(ord(" "), _BASIC) if code not in _SURROGATES)
    later = (chr(code) for code in range(_BASIC, sys.maxunicode + 1))
    return "".join([*basic, *(one for one in later if one.upper() != one or one.lower() != one)])


def rules_of(column: Column) -> tuple[str, str]:
    """The character set and collation by which letters of the column are made large or small."""
    if column.base_type == "json" or not column.charset or not column.collation:
        return _OF_JSON
    return column.charset, column.collation


def asking(function: str, charset: str, collation: str) -> str:
    """A query whose row has all letters as the set has them, and what the function makes of them."""
    text = _SEPARATOR.join([_ROOM, *letters()]).encode().hex()
    there = f"CONVERT(CONVERT(X'{text}' USING utf8mb4) USING {charset})"
    made = f"{function}({there} COLLATE {collation})"
    return f"SELECT CONVERT({there} USING utf8mb4), CONVERT({made} USING utf8mb4)"


def pairs_of(row: Sequence[str]) -> dict[str, str]:
    """What is made of each letter that the set has, by the row of ``asking``; "" where that is not sure.

    MySQL cuts the text behind a letter that gets more bytes by it (`ɐ`), unless others before it got fewer.
    """
    there, made = (text.split(_SEPARATOR)[1:] for text in row)
    if not len(there) == len(made) == len(letters()):
        return dict.fromkeys(letters(), "")
    return {
        letter: new if len(new.encode()) <= len(letter.encode()) else ""
        for letter, kept, new in zip(letters(), there, made, strict=True)
        if kept == letter
    }


def unlike_letters(above: Mapping[str, str], below: Mapping[str, str]) -> str:
    """Letters of the upstream's set of which the two servers make other ones."""
    return "".join(letter for letter, made in above.items() if not made or below.get(letter) != made)


def pattern_of(found: str) -> re.Pattern[str]:
    """It finds one of the letters in a text."""
    return re.compile("[" + re.escape(found) + "]")


def plain_text(text: str, *, is_json: bool) -> str:
    """A text with the characters that a document may write as escapes."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if is_json and "\\u" in text else text


def condition(column: str, found: str, *, is_json: bool = False) -> str:
    """SQL that holds for rows whose text has one of the letters."""
    name = f"CONVERT({quote_name(column)} USING utf8mb4) COLLATE utf8mb4_bin"
    special = "".join(f"\\{one}" if one in _SPECIAL else one for one in found)
    escapes = f" OR {name} LIKE {quote_string('%' + _BACKSLASH + 'u%')}" if is_json else ""
    return f"({name} REGEXP {quote_string(f'[{special}]')}{escapes})"
