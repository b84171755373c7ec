"""`ADD COLUMN (a INT, b INT, KEY (a))` as a clause for each: `ADD COLUMN a INT, ADD COLUMN b INT, ADD KEY (a)`.

The text is changed where it is read: a target may take some of them, or each by itself, and nobody who looks at a
clause later needs to know of lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pkg.schema.alter import AlterClause
from pkg.schema.cursor import Cursor
from pkg.schema.indexes import starts_key
from pkg.schema.lexer import tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit

_HEAD = re.compile(r"ADD(?:\s+COLUMN)?(\s+IF\s+NOT\s+EXISTS)?\s*\(", re.ASCII | re.IGNORECASE)


def listed_columns(ddl: Ddl) -> list[Edit]:
    """What to change in the statement's text so that each column and key is added by a clause of its own."""
    if ddl.kind is not DdlKind.ALTER_TABLE:
        return []
    return [edit for clause in ddl.clauses for edit in _edits(ddl.text, clause)]


def _edits(text: str, clause: AlterClause) -> Iterator[Edit]:
    start, end = clause.clause.start, clause.clause.end
    head = _HEAD.match(text, start, end)
    if head is None:
        return
    listed = text[head.end() : end - 1]  # the last sign is its parenthesis
    yield start, head.end(), ""
    yield end - 1, end, ""
    tokens = tokenize(listed)
    depth = 0
    for number, token in enumerate(tokens):
        if depth == 0 and (number == 0 or tokens[number - 1].key == ","):
            words = "ADD " if starts_key(Cursor(listed, tokens, number)) else f"ADD COLUMN{head[1] or ''} "
            yield head.end() + token.start, head.end() + token.start, words
        depth += (token.key == "(") - (token.key == ")")
