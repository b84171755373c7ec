"""A statement's text as words that are the same however it was written: letter case, quotes, blanks.  No I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_name, quote_string

FUNCTIONS = frozenset(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURRENT_ROLE", "LOCALTIME", "LOCALTIMESTAMP",
     "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "SYSDATE", "TRUE", "FALSE", "NULL", "DEFAULT"}
)  # fmt: skip
"""Words that mean a value as they stand, and a column's name in quotes."""
OWN_NAME = "{}"  # in place of the shard's name


def words(tokens: Sequence[Token], columns: Collection[str]) -> list[str]:
    """The tokens, each in one spelling; ``columns``: names, in lower case, that need no quotes to be a column's."""
    return list(_words(tokens, columns))


def _words(tokens: Sequence[Token], columns: Collection[str]) -> Iterator[str]:
    for number, token in enumerate(tokens):
        behind = tokens[number + 1].key if number + 1 < len(tokens) else ""
        if token.kind is Kind.STRING:
            yield quote_string(token.value)
        elif token.kind is Kind.QUOTED:
            yield quote_name(small(token.value))
        elif token.kind is not Kind.WORD:
            yield token.text.lower()
        elif small(token.value) in columns and token.key not in FUNCTIONS and behind != "(":
            yield quote_name(small(token.value))
        else:
            yield token.key


def key_words(tokens: Sequence[Token], columns: Collection[str]) -> list[str]:
    """The parts and options of a key's definition, without what servers take for said, and without its name."""
    start = next((number for number, token in enumerate(tokens) if token.key == "("), 0)
    heads = [n for n, token in enumerate(tokens[:start]) if token.key in ("USING", "TYPE") and n + 2 == start]
    inside = [token for number in heads for token in tokens[number : number + 2]] + _in_force(tokens[start:])
    keys, texts, depth = [token.key for token in inside], words(inside, columns), 0
    for number, token in enumerate(inside):
        depth += (token.key == "(") - (token.key == ")")
        if depth == 1 and token.is_name and keys[number - 1] in ("(", ","):  # a column, which may have a length behind
            texts[number] = quote_name(small(token.value))
    left_out = {number for number, key in enumerate(keys) if key == "ASC"}
    for number, pair in enumerate(pairwise(keys)):
        if pair in (("USING", "BTREE"), ("TYPE", "BTREE")):
            left_out |= {number, number + 1}
    return [text for number, text in enumerate(texts) if number not in left_out]


def _in_force(tokens: Sequence[Token]) -> list[Token]:
    """Without ALGORITHM = x and LOCK = x at the end, which are hints."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if not depth and token.key in ("ALGORITHM", "LOCK"):
            return list(tokens[:number])
    return list(tokens)


def common_name(name: str, shard: str, columns: Collection[str]) -> str:
    """A key's or constraint's name in lower case, with OWN_NAME for the name of the ``shard`` in it.

    Not where a column is called as the shard is: the name may be that one's.
    """
    if small(shard) in columns:
        return small(name)
    return own_name_pattern(shard).sub(OWN_NAME, small(name))


def own_name_pattern(shard: str) -> re.Pattern[str]:
    """Where the shard's name stands in another name that is in lower case."""
    return re.compile(rf"(?<![^\W_]){re.escape(small(shard))}(?![^\W_])")
