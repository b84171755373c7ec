"""DDL for a target: every character set explicit, and without what the target does not take.

Only the pieces that have to change are edited; each change that a user should know of is a note.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.collation import nearest, note_on
from pkg.schema.context import DEFAULT_CONTEXT, SHOWN_CONTEXT, DdlContext
from pkg.schema.create import build_table
from pkg.schema.ddl import parse_ddl
from pkg.schema.introducers import as_read_by
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.schema.translate_alter import alter_edits, ways_edit
from pkg.schema.translate_elements import CHARSET_WORDS, Editor, element_edits
from pkg.schema.translate_options import option_edits, takes_database_option


@dataclass(frozen=True, slots=True)
class Translation:
    """A statement for the target; "" when nothing of it is left for the target."""

    sql: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TranslatedDdl:
    """The same with names still to be mapped (``ddl.rename``); None when nothing is left for the target."""

    ddl: Ddl | None
    notes: tuple[str, ...] = ()


def translate_create_table(
    sql: str,
    *,
    schema: str,
    table: str,
    flavor: str,
    collations: Collection[str],
    structure: Table | None = None,
    source_schema: str = "",
    defaults: Charset = UTF8MB4,
) -> Translation:
    """``SHOW CREATE TABLE`` text as a statement that creates ``schema``.``table`` on a server of this flavour.

    Character sets come from ``structure``, else from the text with ``defaults`` as the database's.  A
    parent table of the same schema is looked for in the target schema.
    """
    ddl = parse_ddl(sql, default_schema=source_schema or schema)
    subject = ddl.subject

    def renaming(name: TableName) -> TableName:
        if name == subject:
            return TableName(schema, table)
        return TableName(schema, name.table) if name.schema == subject.schema else name

    structure = structure or _structure(ddl, defaults, SHOWN_CONTEXT)
    translated = translate_ddl(
        ddl, structure, flavor=flavor, collations=collations, database=defaults, has_sequences=True
    )
    assert translated.ddl is not None, "a CREATE TABLE always leaves one"
    text = as_read_by(flavor, translated.ddl.rename(renaming))
    return Translation(text, translated.notes)


def translate_create_database(schema: str, collation: str, *, flavor: str, collations: Collection[str]) -> Translation:
    """The statement that creates a schema with the nearest default collation, if it is not there."""
    chosen = nearest(collation, collations)
    sql = f"CREATE DATABASE IF NOT EXISTS {quote_name(schema)} CHARACTER SET {chosen.name} COLLATE {chosen.collation}"
    note = note_on(f"database {schema}", collation, chosen)
    return Translation(sql, (note,) if note else ())


def translate_ddl(
    ddl: Ddl,
    structure: Table | None,
    *,
    flavor: str,
    collations: Collection[str],
    database: Charset,
    has_sequences: bool = False,
    present: Table | None = None,
    keys_there: Collection[str] = (),
) -> TranslatedDdl:
    """``ddl`` with the edits that a target of this flavour needs.

    ``structure`` is the table after the statement, ``present`` the target's before it (TiDB's), ``database`` the
    default character set of its database (for a CREATE or ALTER DATABASE: the one that the statement sets).
    ``has_sequences``: the target has those that defaults name; ``keys_there``: see alter_edits.
    """
    editor = Editor(ddl.text, flavor, collations, has_sequences=has_sequences)
    if ddl.kind is DdlKind.CREATE_TABLE:
        structure = structure or _structure(ddl, database)
        assert ddl.create is not None
        element_edits(editor, ddl.create, structure)
        option_edits(editor, ddl.create, structure)
    elif ddl.kind in (DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX):
        if not alter_edits(editor, ddl, structure, present, keys_there):
            return TranslatedDdl(None, tuple(editor.notes))
    elif ddl.kind is DdlKind.DROP_INDEX:
        ways_edit(editor)
    elif ddl.options is not None and not _database_edits(editor, ddl, database):
        return TranslatedDdl(None, tuple(editor.notes))
    return TranslatedDdl(replace(ddl, edits=(*ddl.edits, *editor.edits)), tuple(editor.notes))


def _structure(ddl: Ddl, database: Charset, context: DdlContext = DEFAULT_CONTEXT) -> Table:
    assert ddl.create is not None
    name = ddl.subject
    return build_table(ddl.create, name.schema, name.table, database, context)


def _database_edits(editor: Editor, ddl: Ddl, database: Charset) -> bool:
    """False when nothing of an ALTER DATABASE is left."""
    assert ddl.options is not None
    names_charset = ddl.kind is DdlKind.CREATE_DATABASE
    kept = 0
    for clause in ddl.options.clauses:
        if clause.key in CHARSET_WORDS:
            names_charset = True
            editor.remove(clause.start, clause.end)
        elif not takes_database_option(editor, clause, ddl.subject.schema):
            editor.remove(clause.start, clause.end)
        else:
            kept += 1
    if names_charset:
        chosen = editor.charset(f"database {ddl.subject.schema}", database)
        editor.insert(len(ddl.text), f" CHARACTER SET {chosen.name} COLLATE {chosen.collation}")
    return names_charset or kept > 0
