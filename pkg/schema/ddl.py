"""From a statement's text to a Ddl."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pkg.schema.added_again import added_again
from pkg.schema.alter import (
    AddColumn,
    Alteration,
    AlterClause,
    ChangeColumn,
    DropColumn,
    read_alterations,
    read_create_index,
    read_drop_index,
)
from pkg.schema.bound_literals import introduced_bounds
from pkg.schema.clause_order import in_order
from pkg.schema.clause_steps import steps_of
from pkg.schema.columns import ColumnSpec
from pkg.schema.create import TableOptions, TableSpec, read_create_body, read_option
from pkg.schema.cursor import Cursor, NameSpan, Unreadable
from pkg.schema.errors import UNREADABLE_DDL, shortened
from pkg.schema.held_literals import bytes_of_defaults, held_literals, held_names
from pkg.schema.introducers import literals_in_a_row
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, blanked, comments, quote_name, tokenize
from pkg.schema.listed_columns import listed_columns
from pkg.schema.mode_operators import mode_edits
from pkg.schema.mode_types import mode_types
from pkg.schema.needless_words import needless_words
from pkg.schema.not_replicated import DML_WORDS, NAMED_AS_TABLES, SEQUENCES, TEMPORARY, not_replicated, without_programs
from pkg.schema.own_names import own_names
from pkg.schema.settings import without_settings
from pkg.schema.statement import DATABASE_KINDS, Ddl, DdlKind, Edit, TableName, edited
from pkg.schema.table import Table
from pkg.schema.utf8_name import utf8mb4_names

__all__ = ["Ddl", "DdlKind", "TableName", "parse_ddl", "split_alter"]


def parse_ddl(
    sql: str,
    *,
    default_schema: str,
    flavor: str = "mysql",
    sql_mode: Collection[str] = frozenset(),
    logged_by: str = "",
    folds_names: bool = False,
    utf8_is_utf8mb4: bool = False,
    sets: tuple[str, str] = ("utf8mb4", "utf8mb4"),
) -> Ddl:
    """What ``sql``, with ``sql_mode`` in ``default_schema``, is; its text then has no comments.

    ``logged_by``: the flavour of the server whose binlog it is from, ``folds_names``: whether it takes names of
    databases and tables in small letters, as the text then has them; ``utf8_is_utf8mb4``: see utf8_name;
    ``sets``: the character set that literals were sent in, and the one that they were converted to.
    Raises UNREADABLE_DDL for what is not understood.
    """
    try:
        code = without_programs(sql) if logged_by == "mysql" else sql
        code = blanked(code, comments(code, sql_mode, logged_by=logged_by))
        text = _portable(without_settings(code, sql_mode), sql_mode)
        text = edited(text, list(literals_in_a_row(text)))
        text = edited(text, list(introduced_bounds(text, sets[0])))
        text = edited(text, list(held_literals(text, *sets)))
        if logged_by:
            text = edited(text, list(held_names(text)))
        if utf8_is_utf8mb4:
            text = edited(text, list(utf8mb4_names(text)))
        ddl = _understood(text, default_schema, flavor)
        edits = [*mode_types(ddl, sql_mode), *own_names(ddl), *needless_words(ddl, flavor), *listed_columns(ddl)]
        edits += bytes_of_defaults(ddl, sets[1])
        if edits:
            ddl = _understood(edited(text, edits), default_schema, flavor)
        if edits := added_again(ddl):
            ddl = _understood(edited(ddl.text, edits), default_schema, flavor)
        if folds_names:
            default_schema = small(default_schema)
            ddl = _understood(_with_small_names(ddl), default_schema, flavor)
        return ddl
    except ValueError as exc:  # Unreadable, LexicalError, or a length that is no number
        raise UNREADABLE_DDL.error(reason=str(exc), schema=default_schema, sql=shortened(sql)) from exc


def _understood(text: str, default_schema: str, flavor: str) -> Ddl:
    return _read(Cursor(text, tokenize(text)), default_schema, flavor)


def _with_small_names(ddl: Ddl) -> str:
    edits = []
    for span in ddl.spans:
        if span.end > span.start:
            parts = (span.name,) if span.schema is None else (span.schema, span.name)
            edits.append((span.start, span.end, ".".join(quote_name(small(part)) for part in parts)))
    return edited(ddl.text, edits)


def named_words(sql: str, flavor: str) -> tuple[list[Token], frozenset[int], list[tuple[int, int]]]:
    """The tokens of a statement as parse_ddl leaves it, which are names, and from where to where expressions stand.

    Raises ValueError for what is not understood.
    """
    cursor = Cursor(sql, tokenize(sql))
    _read(cursor, "any", flavor)
    return cursor.tokens, frozenset(cursor.words), cursor.expressions


HINTS = frozenset({"ALGORITHM", "LOCK", "WAIT", "NOWAIT", "WITH", "WITHOUT"})


def split_alter(ddl: Ddl, flavor: str = "mysql", before: Table | None = None) -> tuple[Ddl, ...]:
    """An ALTER TABLE as one statement for each clause, for a target that takes clauses only one by one.

    It stays whole where that would mean something else.  ``before``: the table before it, where it is known: it may not
    be without any column in between.
    """
    clauses = [one for one in ddl.clauses if one.alterations or one.clause.key not in HINTS]
    if ddl.kind is not DdlKind.ALTER_TABLE or not clauses:
        return (ddl,)
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    is_emptied = before is not None and {small(column.name) for column in before.columns} <= dropped
    steps = in_order(steps_of(ddl, clauses, before), drops_last=is_emptied)
    if steps is None or len(steps) < 2:
        return (ddl,)
    head = "ALTER TABLE IF EXISTS" if ddl.if_exists else "ALTER TABLE"
    statements = [f"{head} {ddl.subject.quoted()} {step.text}" for step in steps]
    return tuple(parse_ddl(statement, default_schema=ddl.default_schema, flavor=flavor) for statement in statements)


_ODBC = {"D": "DATE", "T": "TIME", "TS": "TIMESTAMP"}


def _portable(sql: str, sql_mode: Collection[str]) -> str:
    """The text as it reads everywhere: without modes that would change it, and a semicolon at its end.

    Names that are more than ASCII stand in quotes: Python takes some letters of names for blanks (U+00A0, U+3000).
    """
    tokens = tokenize(sql, sql_mode)
    edits = [(token.start, token.end, new) for token in tokens if (new := _portable_token(token, sql_mode))]
    if "REAL_AS_FLOAT" in sql_mode:  # a reserved word, so it is nothing but the type
        edits += [
            (token.start, token.end, "FLOAT") for token in tokens if token.kind is Kind.WORD and token.key == "REAL"
        ]
    edits += [*_braces(tokens), *mode_edits(tokens, sql_mode)]
    last = len(tokens) - 2
    while last >= 0 and tokens[last].key == ";":
        edits.append((tokens[last].start, tokens[last].end, ""))
        last -= 1
    return edited(sql, edits).strip()


def _braces(tokens: Sequence[Token]) -> Iterator[Edit]:
    """ODBC's `{d '2020-01-01'}` is DATE'2020-01-01', and `{fn NOW()}` is NOW()."""
    for token, behind in pairwise(tokens):
        if token.key == "{":
            yield token.start, behind.end, _ODBC.get(behind.key, "")
        elif token.key == "}":
            yield token.start, token.end, ""


def _portable_token(token: Token, sql_mode: Collection[str]) -> str:
    if (token.kind is Kind.QUOTED and token.text[0] in '"[') or (token.kind is Kind.WORD and not token.text.isascii()):
        return quote_name(token.value)
    if token.text == r"\N":
        return "NULL"
    if token.kind is Kind.STRING and "\\" in token.text and "NO_BACKSLASH_ESCAPES" in sql_mode:
        return token.text.replace("\\", "\\\\")
    return ""


def _read(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    simple = _transaction_kind(cursor)
    if simple is not None:
        return Ddl(simple, cursor.sql, default_schema)
    note = not_replicated(cursor) or ("comments" if cursor.at_end else "")
    if note:
        return _about_no_table(cursor, default_schema, note)
    if cursor.key in DML_WORDS or cursor.at("("):
        return Ddl(DdlKind.DML_TEXT, cursor.sql, default_schema)
    for words, reader in _READERS:
        found = _after_head(cursor, words)
        if found is not None:
            ddl = reader(found, default_schema, flavor)
            if not found.at_end:
                raise found.unreadable("the end of the statement")
            return ddl
    raise cursor.unreadable("a statement that we know")


def _about_no_table(cursor: Cursor, default_schema: str, note: str) -> Ddl:
    """A statement that stays upstream; CREATE OR REPLACE SEQUENCE as what it does to a table of that name."""
    if note not in NAMED_AS_TABLES:
        spans = _temporary_tables(cursor) if note == TEMPORARY else ()
        return Ddl(DdlKind.NOT_REPLICATED, cursor.sql, default_schema, spans, note)
    spans, is_conditional = _other_names(cursor)
    ddl = Ddl(DdlKind.NOT_REPLICATED, cursor.sql, default_schema, spans, note, if_exists=is_conditional)
    replaces = note == SEQUENCES and spans and _or_replace(cursor) is not None
    return ddl.dropped_if_exists(1) if replaces else ddl


def _temporary_tables(cursor: Cursor) -> tuple[NameSpan, ...]:
    """The tables or sequences of a CREATE or DROP TEMPORARY, which ALTER and RENAME TABLE name alike."""
    head = Cursor(cursor.sql, cursor.tokens)
    while head.accept_any("CREATE", "OR", "REPLACE", "DROP", "TEMPORARY"):
        pass
    if not head.accept_any("TABLE", "TABLES", "SEQUENCE"):
        return ()
    head.accept("IF", "NOT", "EXISTS")
    head.accept("IF", "EXISTS")
    head.table_name()
    while cursor.key == "DROP" and head.accept(","):
        head.table_name()
    return tuple(head.names)


def _other_names(cursor: Cursor) -> tuple[tuple[NameSpan, ...], bool]:
    """The views or sequences of a CREATE, ALTER or DROP, and whether it says IF [NOT] EXISTS."""
    words = ("VIEW", "SEQUENCE")
    place = next((number for number, token in enumerate(cursor.tokens) if token.key in words), None)
    if place is None:
        return (), False
    head = Cursor(cursor.sql, cursor.tokens, place + 1)
    is_conditional = head.accept("IF", "NOT", "EXISTS") or head.accept("IF", "EXISTS")
    head.table_name()
    while cursor.key == "DROP" and head.accept(","):
        head.table_name()
    return tuple(head.names), is_conditional


def _transaction_kind(cursor: Cursor) -> DdlKind | None:
    match cursor.key:
        case "BEGIN":
            return DdlKind.BEGIN
        case "START" if cursor.key_after(1) == "TRANSACTION":
            return DdlKind.BEGIN
        case "COMMIT":
            return DdlKind.COMMIT
        case "ROLLBACK":
            words = (cursor.key_after(1), cursor.key_after(2))
            return DdlKind.SAVEPOINT if "TO" in words else DdlKind.ROLLBACK
        case "SAVEPOINT" | "RELEASE":
            return DdlKind.SAVEPOINT
        case "XA":
            return DdlKind.XA
    return None


_OPTIONAL_WORDS = {"CREATE": ("ONLINE", "OFFLINE"), "DROP": ("ONLINE", "OFFLINE"), "ALTER": ("ONLINE", "IGNORE")}


def _after_head(cursor: Cursor, words: tuple[str, ...]) -> Cursor | None:
    """A cursor behind the first word when the statement is of this kind: CREATE [OR REPLACE] TABLE."""
    start = Cursor(cursor.sql, cursor.tokens, cursor.position)
    start.words, start.expressions = cursor.words, cursor.expressions
    if not start.accept(words[0]):
        return None
    start.accept("OR", "REPLACE")
    while start.accept_any(*_OPTIONAL_WORDS.get(words[0], ())):
        pass
    return start if len(words) == 1 or start.key in words[1:] else None


def _create_table(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.expect("TABLE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    cursor.table_name()
    or_replace = _or_replace(cursor)
    spec = read_create_body(cursor, flavor, replaces=or_replace is not None)
    kind = DdlKind.CREATE_TABLE_LIKE if spec.like else DdlKind.CREATE_TABLE
    if spec.from_select:
        kind = DdlKind.CREATE_TABLE_SELECT
    return _ddl(kind, cursor, default_schema, if_exists=if_not_exists, create=spec, or_replace=or_replace)


def _or_replace(cursor: Cursor) -> tuple[int, int] | None:
    first, second = cursor.tokens[1:3]
    return (first.start, second.end) if (first.key, second.key) == ("OR", "REPLACE") else None


def _alter_table(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.expect("TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    cursor.table_name()
    clauses = read_alterations(cursor, flavor)
    return _ddl(DdlKind.ALTER_TABLE, cursor, default_schema, if_exists=if_exists, clauses=clauses)


def _drop_table(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.accept_any("TABLE", "TABLES")
    if_exists = cursor.accept("IF", "EXISTS")
    cursor.table_name()
    while cursor.accept(","):
        cursor.table_name()
    _accept_wait(cursor)
    suffix = cursor.accept_any("RESTRICT", "CASCADE")
    return _ddl(DdlKind.DROP_TABLE, cursor, default_schema, if_exists=if_exists, suffix=suffix)


def _accept_wait(cursor: Cursor) -> None:
    if cursor.accept("WAIT"):
        cursor.next()
    else:
        cursor.accept("NOWAIT")


def _rename_table(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    word = cursor.token
    cursor.accept_any("TABLE", "TABLES")
    if_exists = cursor.accept("IF", "EXISTS")
    while True:
        cursor.table_name()
        _accept_wait(cursor)
        cursor.expect("TO")
        cursor.table_name()
        if not cursor.accept(","):
            renaming = _ddl(DdlKind.RENAME_TABLE, cursor, default_schema, if_exists=if_exists)
            return replace(renaming, edits=((word.start, word.end, "TABLE"),)) if word.key == "TABLES" else renaming


def _truncate_table(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.accept("TABLE")
    cursor.table_name()
    _accept_wait(cursor)
    start = cursor.token.start
    if cursor.accept_any("DROP", "REUSE"):  # of MariaDB in Oracle mode, which does the same without it
        cursor.expect("STORAGE")
    truncate = _ddl(DdlKind.TRUNCATE_TABLE, cursor, default_schema)
    return replace(truncate, edits=((start, len(cursor.sql), ""),)) if start < len(cursor.sql) else truncate


def _create_index(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    addition = read_create_index(cursor)
    cursor.position = len(cursor.tokens) - 1  # options of the index and of the ALTER that it stands for
    exists = addition.index.if_not_exists
    return _ddl(DdlKind.CREATE_INDEX, cursor, default_schema, if_exists=exists, clauses=_whole(cursor, addition))


def _drop_index(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    drop = read_drop_index(cursor)
    cursor.position = len(cursor.tokens) - 1
    return _ddl(DdlKind.DROP_INDEX, cursor, default_schema, if_exists=drop.if_exists, clauses=_whole(cursor, drop))


def _whole(cursor: Cursor, alteration: Alteration) -> tuple[AlterClause, ...]:
    return (AlterClause(cursor.clause_since(0), (alteration,)),)


def _create_database(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.next()
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    span = _database_span(cursor)
    options = _database_options(cursor)
    found = _ddl(
        DdlKind.CREATE_DATABASE, cursor, default_schema, spans=(span,), if_exists=if_not_exists, options=options
    )
    return replace(found, or_replace=_or_replace(cursor))


def _alter_database(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    word = cursor.next()
    named = cursor.token.is_name and not _starts_database_option(cursor)
    span = _database_span(cursor) if named else NameSpan(None, default_schema, word.end, word.end)
    options = _database_options(cursor)
    return _ddl(DdlKind.ALTER_DATABASE, cursor, default_schema, spans=(span,), options=options)


_DATABASE_OPTIONS = frozenset({"DEFAULT", "CHARACTER", "COLLATE", "CHARSET", "ENCRYPTION", "COMMENT", "READ"})


def _starts_database_option(cursor: Cursor) -> bool:
    """Some of the words may be names: ALTER DATABASE comment COMMENT 'x'."""
    is_name = cursor.at("CHARSET", "ENCRYPTION", "COMMENT") and cursor.key_after(1) in _DATABASE_OPTIONS
    return cursor.at(*_DATABASE_OPTIONS) and not is_name


def _drop_database(cursor: Cursor, default_schema: str, flavor: str) -> Ddl:
    cursor.next()
    if_exists = cursor.accept("IF", "EXISTS")
    span = _database_span(cursor)
    return _ddl(DdlKind.DROP_DATABASE, cursor, default_schema, spans=(span,), if_exists=if_exists)


def _database_span(cursor: Cursor) -> NameSpan:
    token = cursor.token
    return NameSpan(None, cursor.name("a database name"), token.start, token.end)


def _database_options(cursor: Cursor) -> TableOptions:
    options = TableOptions()
    while not cursor.at_end:
        start = cursor.position
        if cursor.accept("READ", "ONLY"):
            cursor.accept("=")
            cursor.next()
            options.clauses.append(cursor.clause_since(start))
        elif cursor.accept("UPGRADE", "DATA", "DIRECTORY", "NAME"):
            pass
        else:
            read_option(cursor, options)
    return options


def _ddl(
    kind: DdlKind,
    cursor: Cursor,
    default_schema: str,
    *,
    spans: tuple[NameSpan, ...] | None = None,
    if_exists: bool = False,
    or_replace: tuple[int, int] | None = None,
    create: TableSpec | None = None,
    clauses: tuple[AlterClause, ...] = (),
    options: TableOptions | None = None,
    suffix: str = "",
) -> Ddl:
    found = tuple(cursor.names) if spans is None else spans
    if not default_schema and kind not in DATABASE_KINDS and any(span.schema is None for span in found):
        raise Unreadable("a table is named without its database, and the statement has no default database")
    return Ddl(kind, cursor.sql, default_schema, found, "", if_exists, or_replace, create, clauses, options, suffix)


_Reader = Callable[[Cursor, str, str], Ddl]
_READERS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    (("CREATE", "TABLE"), _create_table),
    (("CREATE", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR"), _create_index),
    (("CREATE", "DATABASE", "SCHEMA"), _create_database),
    (("ALTER", "TABLE"), _alter_table),
    (("ALTER", "DATABASE", "SCHEMA"), _alter_database),
    (("DROP", "TABLE", "TABLES"), _drop_table),
    (("DROP", "INDEX"), _drop_index),
    (("DROP", "DATABASE", "SCHEMA"), _drop_database),
    (("RENAME", "TABLE", "TABLES"), _rename_table),
    (("TRUNCATE",), _truncate_table),
)


def defined_columns(ddl: Ddl) -> Iterator[tuple[ColumnSpec, bool]]:
    """The columns that CREATE, ADD, CHANGE and MODIFY define, each with whether rows that are there get its default."""
    for element in ddl.create.elements if ddl.create is not None else ():
        if isinstance(element.item, ColumnSpec):
            yield element.item, False
    for one in ddl.alterations:
        if isinstance(one, AddColumn | ChangeColumn):
            yield one.column, isinstance(one, AddColumn)
