"""Operators that a sql_mode gives another meaning, written so that no mode is needed to read them.

`a || b` under PIPES_AS_CONCAT is `CONCAT(a, b)`; `NOT a = b` under HIGH_NOT_PRECEDENCE is `! a = b`, which is
`(NOT a) = b`.  The operands of `||` are what both servers' grammars call a simple_expr: it binds closer than `^`, and
less close than signs, `~`, `!`, BINARY and COLLATE.  MariaDB's ORACLE mode has another `||`, which stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pkg.schema.lexer import Kind, Token, closing_of

Edit = tuple[int, int, str]

_PREFIXES = frozenset({"-", "+", "~", "!", "BINARY", "NOT"})
_PATHS = frozenset({"->", "->>"})
# Words that are no operand: an expression, or a part of one, comes behind them.
_OPERATORS = frozenset({
    "AND", "OR", "XOR", "NOT", "DIV", "MOD", "LIKE", "IN", "BETWEEN", "REGEXP", "RLIKE", "SOUNDS", "ESCAPE", "IS",
    "WHEN", "THEN", "ELSE", "CASE", "BINARY", "INTERVAL", "DISTINCT", "BOTH", "LEADING", "TRAILING", "FROM", "FOR",
    "USING", "AS", "SEPARATOR", "MEMBER", "OF", "COLLATE", "DEFAULT", "CHECK", "ON", "RETURN", "SET", "BY", "SELECT",
})  # fmt: skip


def mode_edits(tokens: Sequence[Token], modes: Collection[str]) -> list[Edit]:
    """What to replace in the text of ``tokens``, as (start, end, new); operators whose operands are not found stay."""
    edits: list[Edit] = []
    if "PIPES_AS_CONCAT" in modes and "ORACLE" not in modes:
        for chain in _chains(tokens, "HIGH_NOT_PRECEDENCE" in modes):
            edits += chain
    if "HIGH_NOT_PRECEDENCE" in modes:
        for place in _prefix_nots(tokens):
            if _key(tokens, place + 1) != "NULL":  # else mostly an attribute, as in BINARY NOT NULL
                edits.append((tokens[place].start, tokens[place].end, " ! "))  # MySQL reads !!a as !a
    return edits


def depends_on_modes(tokens: Sequence[Token], modes: Collection[str]) -> bool:
    """Whether the expression has another meaning in a session without ``modes``."""
    if ("PIPES_AS_CONCAT" in modes or "ORACLE" in modes) and any(token.key == "||" for token in tokens):
        return True
    return "HIGH_NOT_PRECEDENCE" in modes and any(True for _ in _prefix_nots(tokens))


def _prefix_nots(tokens: Sequence[Token]) -> Iterator[int]:
    """Where NOT stands before an operand, and not in `IS NOT NULL`, `a NOT IN (b)` or `IF NOT EXISTS`."""
    for place, token in enumerate(tokens):
        before = _key(tokens, place - 1) if place else ""
        if token.key == "NOT" and not _ends_operand(tokens, place - 1) and before not in ("IS", "IF"):
            yield place


def _chains(tokens: Sequence[Token], high_not: bool) -> Iterator[list[Edit]]:
    """The edits of each `a || b || …`."""
    read: set[int] = set()
    for place, token in enumerate(tokens):
        if token.key != "||" or place in read:
            continue
        start, behind, signs = _operand_start(tokens, place - 1, high_not), place, list[int]()
        while _key(tokens, behind) == "||" and (end := operand_end(tokens, behind + 1, high_not)) is not None:
            signs.append(behind)
            behind = end + 1
        read.update(signs)
        if start is None or not signs or _key(tokens, behind) == "||":
            continue
        chain = tokens[start:behind]
        if len({one.executable for one in chain}) == 1:
            commas = [(tokens[sign].start, tokens[sign].end, ",") for sign in signs]
            yield [(chain[0].start, chain[0].start, "CONCAT("), *commas, (chain[-1].end, chain[-1].end, ")")]


def _ends_operand(tokens: Sequence[Token], place: int) -> bool:
    if place < 0:
        return False
    token = tokens[place]
    if token.kind in (Kind.STRING, Kind.NUMBER, Kind.QUOTED) or token.key in (")", "END"):
        return True
    return token.kind is Kind.WORD and token.key not in _OPERATORS


def _operand_start(tokens: Sequence[Token], last: int, high_not: bool) -> int | None:
    """Where the operand begins that ends with the token ``last``; None where that is not understood."""
    start, depth = None, 0
    for place in range(last, -1, -1):
        key = tokens[place].key
        depth += (key in (")", "END")) - (key in ("(", "CASE"))
        if depth < 0 or (not depth and key in (",", "||")):
            break  # no operand goes over it
        if not depth and not _ends_operand(tokens, place - 1) and operand_end(tokens, place, high_not) == last:
            start = place
    is_variable = start and tokens[start - 1].key in ("@", ":")
    return None if is_variable else start


def operand_end(tokens: Sequence[Token], first: int, high_not: bool = False) -> int | None:
    """The last token of the operand that begins with ``first``; None where that is not understood."""
    place = first
    while place < len(tokens) and _is_prefix(tokens, place, high_not):
        place += 1
    if place >= len(tokens):
        return None
    token, end = tokens[place], place
    if token.key == "(":
        closing = closing_of(tokens, place)
    elif token.key == "CASE":
        closing = closing_of(tokens, place, "CASE", "END")
    elif token.kind is Kind.STRING:
        closing = place
    elif token.kind is Kind.WORD and _is_literal_head(token.key) and _kind(tokens, place + 1) is Kind.STRING:
        closing = place + 1
    elif token.kind is Kind.NUMBER or (token.is_name and _ends_operand(tokens, place)):
        while _key(tokens, end + 1) == "." and end + 2 < len(tokens) and tokens[end + 2].is_name:
            end += 2
        closing = closing_of(tokens, end + 1) if _key(tokens, end + 1) == "(" else end
    else:
        closing = None
    if closing is None:
        return None
    while tokens[closing].kind is Kind.STRING and _kind(tokens, closing + 1) is Kind.STRING:
        closing += 1
    while _key(tokens, closing + 1) in _PATHS or _key(tokens, closing + 1) == "COLLATE":
        closing += 2
    return closing if closing < len(tokens) and tokens[closing].kind is not Kind.END else None


def _is_prefix(tokens: Sequence[Token], place: int, high_not: bool) -> bool:
    """Whether a sign or word before an operand belongs to it; NOT alone does where it binds as closely."""
    key = tokens[place].key
    return key in _PREFIXES and (key != "NOT" or high_not) and not _ends_operand(tokens, place - 1)


def _is_literal_head(word: str) -> bool:
    """An introducer, `X'41'`, `N'a'`, `DATE '2020-01-01'`."""
    return word.startswith("_") or word in ("X", "B", "N", "DATE", "TIME", "TIMESTAMP")


def _key(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].key if place < len(tokens) else ""


def _kind(tokens: Sequence[Token], place: int) -> Kind | None:
    return tokens[place].kind if place < len(tokens) else None
