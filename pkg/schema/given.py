"""Statements that an operator gives to be run in place of others: cut from their text, and looked at."""

from __future__ import annotations

from collections.abc import Iterable

from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.ddl import parse_ddl
from pkg.schema.errors import shortened
from pkg.schema.lexer import LexicalError, tokenize
from pkg.schema.statement import DdlKind

BAD_STATEMENT = ErrorKind(
    11050,
    "functional",
    Scope.NOT_SET,
    Level.MEDIUM,
    "this cannot stand in for a DDL: {sql}: {reason}",
    workaround="give CREATE, ALTER, DROP, RENAME or TRUNCATE statements in the upstream's names, with ; between them; "
    "rows are changed by hand downstream",
)


def given_statements(texts: Iterable[str], flavor: str) -> tuple[str, ...]:
    """The DDL statements of ``texts``, each of which may hold several.  Raises BAD_STATEMENT."""
    statements = tuple(statement for text in texts for statement in split_statements(text))
    for statement in statements:
        reason = _objection(statement, flavor)
        if reason:
            raise BAD_STATEMENT.error(sql=shortened(statement, 400), reason=reason)
    return statements


def split_statements(text: str) -> tuple[str, ...]:
    """``text`` cut at its semicolons; those within strings, names and comments do not count."""
    try:
        tokens = tokenize(text)
    except LexicalError as exc:
        raise BAD_STATEMENT.error(sql=shortened(text, 400), reason=str(exc)) from exc
    ends = [token.start for token in tokens if token.key == ";"] + [len(text)]
    starts = [0, *(end + 1 for end in ends)]
    parts = (text[start:end].strip() for start, end in zip(starts, ends, strict=False))
    return tuple(part for part in parts if part)


def _objection(statement: str, flavor: str) -> str:
    """Why the statement is refused; "" when it is taken."""
    try:
        ddl = parse_ddl(statement, default_schema="", flavor=flavor)
    except DMError as exc:
        return str(exc.fields.get("reason", exc.message))
    if ddl.kind is DdlKind.CREATE_TABLE_SELECT:
        return "it would write rows; give the CREATE TABLE alone"
    if ddl.kind is DdlKind.NOT_REPLICATED:
        return f"{ddl.note or 'such a statement'}: this is not replicated; run it downstream by hand"
    return "" if ddl.is_schema_change else "it is no DDL"
