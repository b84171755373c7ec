"""The edits of an ALTER TABLE or CREATE INDEX for a target."""

from __future__ import annotations

import re

from pkg.schema.alter import (
    AddColumn,
    AddIndex,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    SetNotNull,
    SetOptions,
    SetVersioning,
    SetVisibility,
)
from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.translate_elements import (
    CHARSET_WORDS,
    Editor,
    column_edits,
    option_edit,
    takes_key,
    visibility_edits,
)

_HEAD = re.compile(r"\s*(?:ALTER|CREATE|DROP)\s+((?:(?:ONLINE|OFFLINE)\s+)+)", re.IGNORECASE)
_IGNORED = re.compile(r"ALTER\s+(?:INDEX|KEY)\s.*\sIGNORED", re.IGNORECASE | re.DOTALL)
_HINTS_OF_MYSQL = re.compile(r"(?:\s+(?:ALGORITHM|LOCK)\s*=?\s*\w+)+\s*$", re.IGNORECASE)
_HINTS_OF_MARIADB = re.compile(r"\s+(?:WAIT\s+\d+|NOWAIT)\s*$", re.IGNORECASE)


def alter_edits(editor: Editor, ddl: Ddl, structure: Table | None) -> bool:
    """Edit each clause; False when the target takes none of them, so that nothing is to be run."""
    if structure is not None:
        editor.key_columns = structure.constrained_columns
    kept = [_takes(editor, clause) for clause in ddl.clauses]
    if ddl.clauses and not any(kept):
        return False
    head = _HEAD.match(ddl.text)
    if head is not None and editor.rules.flavor not in ("mariadb", ""):
        editor.remove(*head.span(1))
    for number, clause in enumerate(ddl.clauses):
        if kept[number]:
            _clause_edits(editor, clause, structure)
        elif any(kept[:number]):
            editor.remove(ddl.clauses[number - 1].clause.end, clause.clause.end)
        else:
            editor.remove(clause.clause.start, ddl.clauses[number + 1].clause.start)
    return True


def _takes(editor: Editor, clause: AlterClause) -> bool:
    """Whether anything of the clause is for the target."""
    if not clause.alterations:
        return clause.clause.key not in editor.rules.clauses and not _is_ignoring(editor, clause)
    return all(_takes_alteration(editor, alteration) for alteration in clause.alterations)


def _is_ignoring(editor: Editor, clause: AlterClause) -> bool:
    """Whether it is ALTER INDEX … [NOT] IGNORED, which MariaDB alone has."""
    text = editor.text[clause.clause.start : clause.clause.end]
    return not editor.to_mariadb and _IGNORED.fullmatch(text) is not None


def drop_index_edits(editor: Editor) -> None:
    """Each flavour has hints of its own at the end of DROP INDEX."""
    hints = _HINTS_OF_MYSQL if editor.to_mariadb else _HINTS_OF_MARIADB
    found = hints.search(editor.text)
    if found is not None:
        editor.remove(*found.span())


def _takes_alteration(editor: Editor, alteration: object) -> bool:
    match alteration:
        case AddIndex(index):
            return takes_key(editor, index)
        case SetVersioning() | SetNotNull():
            return editor.to_mariadb
        case SetVisibility():
            return editor.rules.flavor in ("mysql", "")
        case SetOptions(options):
            return all(clause.key not in editor.unwanted_options for clause in options.clauses)
    return True


def _clause_edits(editor: Editor, clause: AlterClause, structure: Table | None) -> None:
    for alteration in clause.alterations:
        match alteration:
            case AddColumn(column) | ChangeColumn(_, column):
                settled = _settled(column, structure)
                if settled is not None:
                    column_edits(editor, column, settled, added=isinstance(alteration, AddColumn))
            case AddIndex(index):
                visibility_edits(editor, index)
            case SetOptions(options):
                for option in options.clauses:
                    if option.key not in CHARSET_WORDS:
                        option_edit(editor, option)
                if structure is not None and any(option.key in CHARSET_WORDS for option in options.clauses):
                    chosen = _table_charset(editor, structure)
                    text = f"DEFAULT CHARACTER SET {chosen.name} COLLATE {chosen.collation}"
                    editor.replace(clause.clause, text)
            case ConvertCharset() if structure is not None:
                chosen = _converted_charset(editor, structure)
                editor.replace(clause.clause, f"CONVERT TO CHARACTER SET {chosen.name} COLLATE {chosen.collation}")


def _table_charset(editor: Editor, structure: Table) -> Charset:
    return editor.charset(f"table {structure.name}", Charset(structure.charset, structure.collation))


def _converted_charset(editor: Editor, structure: Table) -> Charset:
    """Of a statement that converts all columns: the one for keys where a text column belongs to one."""
    for column in structure.columns:
        if column.base_type in TEXT_TYPES and column.name.lower() in editor.key_columns:
            return editor.column_charset(column)
    return _table_charset(editor, structure)


def _settled(spec: ColumnSpec, structure: Table | None) -> Column | None:
    """The column as it is after the statement; for an unknown table only when it names its character set."""
    if structure is not None:
        return structure.column(spec.name)
    return None if spec.type.inherits_charset() else spec.column(UTF8MB4, DEFAULT_CONTEXT)
