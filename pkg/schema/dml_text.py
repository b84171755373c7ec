"""Rows that a statement's text changes: the tables that it may write, and the functions that it may call.

Errs towards more: of an UPDATE or DELETE that joins tables, each counts.  What triggers, views and functions write
is not in the text; whoever needs to know asks the server about the names that are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pkg.schema.cursor import Cursor, NameSpan, Unreadable
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.statement import TableName

_MODIFIERS = ("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE", "CONCURRENT", "LOCAL")
_BEHIND_TABLES = frozenset({
    "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "SET", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "INTO",
    "FOR", "LOCK", "SELECT", "RETURNING", "PROCEDURE",
})  # fmt: skip
_ENDS = ("SET", "WHERE", "ORDER", "LIMIT", "RETURNING", ")")


@dataclass(frozen=True, slots=True)
class Written:
    """``tables`` None: it may write any, as what calls functions alone does."""

    tables: tuple[TableName, ...] | None
    functions: tuple[TableName, ...]  # every name before a parenthesis: those of the server itself, too
    names: tuple[TableName, ...] = ()  # whatever may be the name of a view that it reads
    read: tuple[TableName, ...] = ()  # those behind FROM and JOIN, which are tables or views


def written_by(text: str, default_schema: str) -> Written:
    """What a statement of kind DML_TEXT, or a CREATE … SELECT, may write."""
    tokens = tokenize(text)
    try:
        spans = _targets(Cursor(text, tokens))
    except Unreadable:
        spans = None
    tables = _resolved(spans or (), default_schema)
    made = {TableName(default_schema, name) for name in _common_tables(tokens)}
    return Written(
        tables or None,
        tuple(one for one in _resolved(_calls(tokens), default_schema) if one not in made and one not in tables),
        _resolved(_names(tokens), default_schema),
        tuple(one for one in _resolved(_read(tokens), default_schema) if one not in made),
    )


def called_and_named(text: str, default_schema: str) -> tuple[tuple[TableName, ...], tuple[TableName, ...]]:
    """The functions that a text may call, and the tables and views that it may name."""
    tokens = tokenize(text)
    return _resolved(_calls(tokens), default_schema), _resolved(_names(tokens), default_schema)


def _resolved(spans: Iterable[NameSpan], default_schema: str) -> tuple[TableName, ...]:
    """Each of them once."""
    return tuple(dict.fromkeys(TableName(span.schema or default_schema, span.name) for span in spans))


def _calls(tokens: Sequence[Token]) -> Iterator[NameSpan]:
    for number, token in enumerate(tokens[:-1]):
        if token.is_name and tokens[number + 1].key == "(":
            yield NameSpan(_schema_before(tokens, number), token.value, token.start, token.end)


def _schema_before(tokens: Sequence[Token], number: int) -> str | None:
    """The schema that qualifies the name at this place."""
    is_qualified = number >= 2 and tokens[number - 1].key == "." and tokens[number - 2].is_name
    return tokens[number - 2].value if is_qualified else None


def _common_tables(tokens: Sequence[Token]) -> Iterator[str]:
    """Names that WITH gives: `name AS (` and `name (columns) AS (`."""
    opened: list[int] = []
    for number, token in enumerate(tokens[:-2]):
        named = number  # where the name stands, if one ends here
        if token.key == "(":
            opened.append(number)
        elif token.key == ")":
            named = opened.pop() - 1 if opened else -1
        if named >= 0 and tokens[named].is_name and (tokens[number + 1].key, tokens[number + 2].key) == ("AS", "("):
            yield tokens[named].value


def _read(tokens: Sequence[Token]) -> Iterator[NameSpan]:
    """Names of tables and views behind FROM and JOIN."""
    stack = [(True, False, False)]  # whether it is a query, among its tables, and whether the next word is one of them
    for number, token in enumerate(tokens[:-1]):
        is_query, is_among, is_next = stack[-1]
        key = token.key
        if key == "(":
            begins = tokens[number + 1].key in ("SELECT", "WITH", "VALUES")
            stack[-1] = is_query, is_among, False
            stack.append((begins or is_next, is_next and not begins, is_next and not begins))
        elif key == ")":
            if len(stack) > 1:
                stack.pop()
        elif (is_query and key in ("FROM", "JOIN", "STRAIGHT_JOIN")) or (is_among and key == ","):
            stack[-1] = True, True, True
        elif is_next and key != "LATERAL" and token.is_name:
            stack[-1] = is_query, True, False
            schema, last = None, number
            if tokens[number + 1].key == "." and tokens[number + 2].is_name:
                schema, last = token.value, number + 2
            if tokens[last + 1].key != "(" and (schema or tokens[last].key != "DUAL"):
                yield NameSpan(schema, tokens[last].value, token.start, tokens[last].end)
        elif is_among and key in _BEHIND_TABLES:
            stack[-1] = is_query, False, False


def _names(tokens: Sequence[Token]) -> Iterator[NameSpan]:
    for number, token in enumerate(tokens):
        if not token.is_name:
            continue
        yield NameSpan(None, token.value, token.start, token.end)
        if (schema := _schema_before(tokens, number)) is not None:
            yield NameSpan(schema, token.value, token.start, token.end)


def _targets(cursor: Cursor) -> list[NameSpan] | None:
    """None where any table may be meant."""
    if cursor.accept("ANALYZE") and cursor.accept("FORMAT", "="):
        cursor.next()
    if cursor.accept("WITH"):
        _pass_common_tables(cursor)
    word = cursor.next().key
    while cursor.accept_any(*_MODIFIERS):
        pass
    match word:
        case "INSERT" | "REPLACE":
            cursor.accept("INTO")
            cursor.table_name()
        case "LOAD":
            return _loaded(cursor)
        case "UPDATE":
            _table_references(cursor)
        case "DELETE":
            _deleted(cursor)
        case "CREATE":
            return _created(cursor)
        case _:
            return None
    return cursor.names


def _pass_common_tables(cursor: Cursor) -> None:
    cursor.accept("RECURSIVE")
    while True:
        cursor.name()
        if cursor.at("("):
            cursor.parenthesized()
        cursor.expect("AS")
        cursor.parenthesized()
        if not cursor.accept(","):
            return


def _loaded(cursor: Cursor) -> list[NameSpan] | None:
    """LOAD DATA … INTO TABLE name."""
    while not cursor.at_end:
        if cursor.accept("INTO", "TABLE"):
            cursor.table_name()
            return cursor.names
        cursor.next()
    return None


def _created(cursor: Cursor) -> list[NameSpan]:
    cursor.accept("OR", "REPLACE")
    cursor.accept("TEMPORARY")
    cursor.expect("TABLE")
    cursor.accept("IF", "NOT", "EXISTS")
    cursor.table_name()
    return cursor.names


def _deleted(cursor: Cursor) -> None:
    """DELETE FROM t …, DELETE a.*, b FROM references, DELETE FROM a, b USING references."""
    is_first = cursor.accept("FROM")
    while True:
        if cursor.key_after(1) == "." and cursor.key_after(2) == "*":
            cursor.name()
        else:
            cursor.table_name()
        cursor.accept(".", "*")
        if not cursor.accept(","):
            break
    if cursor.accept("USING" if is_first else "FROM"):
        cursor.names.clear()  # they may be aliases; all that they stand for follow
        _table_references(cursor)


def _table_references(cursor: Cursor) -> None:
    """Tables joined in any way, up to SET, WHERE and the like."""
    _table_factor(cursor)
    while not cursor.at_end and not cursor.at(*_ENDS):
        if cursor.at("("):
            cursor.parenthesized()  # of PARTITION, USING or ON, which reads only; or hints
        elif cursor.next().key in (",", "JOIN", "STRAIGHT_JOIN"):
            _table_factor(cursor)


def _table_factor(cursor: Cursor) -> None:
    if cursor.token.kind is Kind.WORD and cursor.key == "LATERAL":
        cursor.next()
    if not cursor.at("("):
        if cursor.key_after(1) == "(":
            cursor.next()  # JSON_TABLE (…) and others are no tables
            cursor.parenthesized()
        else:
            cursor.table_name()
    elif cursor.key_after(1) in ("SELECT", "WITH", "VALUES"):
        cursor.parenthesized()
    else:
        cursor.next()
        _table_references(cursor)
        cursor.expect(")")
