"""Columns that an expression of a table names with the table, or the schema: `CHECK (t.id > 0)`, `AS (db.t.a + 1)`.

The table may have another name in the target, and no expression of a table can name a column of another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit

_KINDS = frozenset({DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX})
# They are named as columns are.
_SEQUENCES = re.compile(r"\b(nextval|lastval|setval|(next|previous)\s+value)\b", re.ASCII | re.IGNORECASE)


def own_names(ddl: Ddl) -> list[Edit]:
    """What to change in the statement's text so that such columns stand by themselves."""
    if ddl.kind not in _KINDS or "." not in ddl.text or _SEQUENCES.search(ddl.text):
        return []
    return list(_edits(ddl, list(tokenize(ddl.text))))


def _edits(ddl: Ddl, tokens: list[Token]) -> Iterator[Edit]:
    subject = ddl.subject
    table = [subject.table.lower()]
    whole = [subject.schema.lower(), *table]
    number = 0
    while number < len(tokens):
        named = next((one for one in (whole, table) if _names(tokens, number, one)), None)
        start = tokens[number].start
        if named is None or any(span.start <= start < span.end for span in ddl.spans):
            number += 1
            continue
        column = tokens[number + 2 * len(named)]
        # Behind a point any word is a name.
        yield start, column.end, quote_name(column.text) if column.kind is Kind.WORD else column.text
        number += 2 * len(named) + 1


def _names(tokens: list[Token], number: int, parts: list[str]) -> bool:
    """Whether the parts, a column behind them, and no more stand there."""
    ahead = tokens[number : number + 2 * len(parts) + 2]
    if len(ahead) < 2 * len(parts) + 1 or (number and tokens[number - 1].key == "."):
        return False
    names, signs = ahead[: 2 * len(parts) + 1 : 2], ahead[1 : 2 * len(parts) : 2]
    if not all(one.is_name for one in names) or any(one.key != "." for one in signs):
        return False
    is_longer = len(ahead) > 2 * len(parts) + 1 and ahead[-1].key in (".", "(")
    return [one.value.lower() for one in names[:-1]] == parts and not is_longer
