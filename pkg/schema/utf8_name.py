"""What MariaDB means by `utf8`: utf8mb3, or utf8mb4 where its old_mode lacks UTF8_IS_UTF8MB3.

No event of the binlog names old_mode, so the server's global value counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.statement import Edit

MODE = "UTF8_IS_UTF8MB3"
_SETS = frozenset({"CHARSET", "USING"})
_CHARACTERS = frozenset({"CHARACTER", "CHAR"})


def utf8mb4_names(text: str) -> Iterator[Edit]:
    """What makes the character set `utf8`, and collations of it, those of utf8mb4."""
    if "utf8" not in text.lower():
        return
    tokens = [token for token in tokenize(text) if token.key != "="]
    for number, token in enumerate(tokens):
        before, second = (tokens[number - back].key if number >= back else "" for back in (1, 2))
        is_set = before in _SETS or (before == "SET" and second in _CHARACTERS)
        if new := _utf8mb4(token, is_set=is_set, is_collation=before == "COLLATE"):
            yield token.start, token.end, new


def _utf8mb4(token: Token, *, is_set: bool, is_collation: bool) -> str:
    """The name in its place; "" where it stays."""
    if token.kind is Kind.WORD and token.key == "_UTF8":
        return "_utf8mb4"
    name = token.value.lower() if token.is_name or token.kind is Kind.STRING else ""
    if is_set and name == "utf8":
        return "utf8mb4"
    return f"utf8mb4_{name.removeprefix('utf8_')}" if is_collation and name.startswith("utf8_") else ""
