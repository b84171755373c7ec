"""MySQL's statements about documents for MariaDB: `->` and `->>`, which it lacks, and CONVERT TO CHARACTER SET.

MariaDB's columns of JSON are texts.

MySQL leaves documents alone.  MariaDB converts its LONGTEXT, too, whatever else the statement says of it; so the
statement names the table's new default, and each text column with its whole definition, as MariaDB's table has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import AddColumn, ChangeColumn, ConvertCharset, DropColumn
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import Column, Table

_ARROWS = {"->": ("JSON_EXTRACT(", ")"), "->>": ("JSON_UNQUOTE(JSON_EXTRACT(", "))")}
_OF_TEXT = ("CHARACTER", "CHARSET", "COLLATE", "CHAR")


def without_arrows(ddl: Ddl) -> Ddl:
    """The statement with the functions that ``column->'$.path'`` and ``column->>'$.path'`` stand for."""
    if "->" not in ddl.text or ddl.kind not in (DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX):
        return ddl
    edits = _arrow_edits(ddl.text)
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema) if edits else ddl


def called_by_name(expression: str) -> str:
    """The expression with the functions that ``->`` and ``->>`` stand for."""
    return edited(expression, _arrow_edits(expression))


def _arrow_edits(text: str) -> list[Edit]:
    edits: list[Edit] = []
    tokens = tokenize(text)
    for place, token in enumerate(tokens):
        if token.kind is not Kind.SIGN or token.key not in _ARROWS:
            continue
        first = place - 1
        while first > 1 and tokens[first - 1].key == ".":  # of its table
            first -= 2
        head, tail = _ARROWS[token.key]
        start, end = tokens[first].start, tokens[place + 1].end
        edits += [(start, start, head), (token.start, token.end, ", "), (end, end, tail)]
    return edits


def converts_documents(ddl: Ddl, before: Table) -> bool:
    """Whether MySQL's statement converts a table in which documents stay, or to which it adds some."""
    said = (one.column.type.base for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn))
    has_any = bool(_documents(before)) or "json" in said
    return has_any and any(isinstance(one, ConvertCharset) for one in ddl.alterations)


def with_documents(sql: str, shown: str, before: Table, after: Table) -> str:
    """The translated statement; ``shown`` is MariaDB's SHOW CREATE TABLE, the tables are the upstream's."""
    ddl = parse_ddl(sql, default_schema="there", flavor="mariadb")
    named = {small(name) for one in ddl.alterations for name in _named(one)} | _documents(before)
    edits = []
    for clause in ddl.clauses:
        for one in clause.alterations:
            if isinstance(one, ConvertCharset) and one.charset is not None:
                said = f"CHARACTER SET {one.charset}" + (f" COLLATE {one.collation}" if one.collation else "")
                texts = _texts(shown, after, named, "" if one.charset == "binary" else f" {said}")
                edits.append((clause.clause.start, clause.clause.end, ", ".join([f"DEFAULT {said}", *texts])))
    return edited(ddl.text, edits)


def _documents(table: Table) -> set[str]:
    return {small(column.name) for column in table.columns if column.base_type == "json"}


def _named(alteration: object) -> tuple[str, ...]:
    match alteration:
        case ChangeColumn(old):
            return (old,)
        case AddColumn(column):
            return (column.name,)
        case DropColumn(name):
            return (name,)
    return ()


def _texts(shown: str, after: Table, named: set[str], said: str) -> Iterator[str]:
    """MODIFY of each text column that the statement does not name otherwise."""
    parsed = parse_ddl(shown, default_schema="there", flavor="mariadb")
    assert parsed.create is not None, "it is a CREATE TABLE"
    for element in parsed.create.elements:
        spec = element.item
        column = after.column(spec.name) if isinstance(spec, ColumnSpec) else None
        if column is None or not isinstance(spec, ColumnSpec) or small(spec.name) in named:
            continue
        if spec.type.base in TEXT_TYPES and spec.type.charset != "binary":
            yield f"MODIFY COLUMN {_converted(parsed.text, spec, column, said)}"


def _converted(text: str, spec: ColumnSpec, column: Column, said: str) -> str:
    kind = text[spec.type_clause.start : spec.type_clause.end]
    kept = [text[one.start : one.end] for one in spec.clauses if one.key not in _OF_TEXT]
    return (
        f"{quote_name(spec.name)} {kind if column.base_type == spec.type.base else column.type}{said} {' '.join(kept)}"
    )
