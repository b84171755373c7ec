"""Defaults that a statement leaves unsaid, in words that mean the same everywhere.

- In a session with explicit_defaults_for_timestamp = 0 a TIMESTAMP that does not say NULL is NOT NULL; the table's
  first one is the moment of each change, the others are zero, unless they say what they are.  Of generated columns
  MySQL's are NOT NULL, MariaDB's never.
- In MariaDB a DATETIME or TIMESTAMP that is NOT NULL and has ON UPDATE, and no DEFAULT, is zero by default; a column
  that is COMPRESSED and NOT NULL, and has no DEFAULT, is empty by default.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import FIRST, AddColumn, AddIndex, Alteration, ChangeColumn, DropColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import Table


def is_implicit(ddl: Ddl, flavor: str) -> bool:
    """Whether the statement defines a TIMESTAMP that leaves something unsaid."""
    return any(_leaves_open(spec, flavor) for spec in _specs(ddl))


def with_explicit_timestamps(ddl: Ddl, before: Table | None, flavor: str) -> Ddl:
    """The statement with all said; ``before``: the table that it alters."""
    first = _first_timestamp(ddl, before)
    edits = [
        edit
        for spec in _specs(ddl)
        if _leaves_open(spec, flavor)
        for edit in _edits(spec, is_first=small(spec.name) == first)
    ]
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def with_defaults_said(ddl: Ddl) -> Ddl:
    """A statement of MariaDB's that says which of its columns are zero or empty by default."""
    edits = [(place, place, f" DEFAULT {default} ") for place, default in _unsaid(ddl)]
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor="mariadb") if edits else ddl


def _unsaid(ddl: Ddl) -> Iterator[tuple[int, str]]:
    """Each such default, and where to say it."""
    keys = ddl.create.keys if ddl.create is not None else ()
    listed = [one.index for one in ddl.alterations if isinstance(one, AddIndex)]
    primary = {small(name) for key in (*keys, *listed) if key.primary for name, _ in key.parts}
    for spec in _specs(ddl):
        is_never_null = spec.nullable is False or small(spec.name) in primary
        if spec.generated or spec.default is not None or not is_never_null:
            continue
        clauses = {clause.key: clause for clause in spec.clauses}
        if spec.type.base in ("datetime", "timestamp") and "ON" in clauses:
            yield spec.type_clause.end, _zero(spec)
        elif "COMPRESSED" in clauses:
            yield clauses["COMPRESSED"].end, "''"


def _zero(spec: ColumnSpec) -> str:
    digits = int(spec.type.arguments[0]) if spec.type.arguments else 0
    fraction = f".{'0' * digits}" if digits else ""
    return f"'0000-00-00 00:00:00{fraction}'"


def _specs(ddl: Ddl) -> list[ColumnSpec]:
    if ddl.kind is DdlKind.CREATE_TABLE and ddl.create is not None:
        return [element.item for element in ddl.create.elements if isinstance(element.item, ColumnSpec)]
    return [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]


def _leaves_open(spec: ColumnSpec, flavor: str) -> bool:
    if spec.type.base != "timestamp" or spec.nullable is True:
        return False
    if spec.generated:
        return spec.nullable is None and flavor == "mysql"
    return spec.nullable is None or spec.default in (None, "NULL")


def _edits(spec: ColumnSpec, *, is_first: bool) -> Iterator[Edit]:
    if spec.generated:
        end = next(clause.end for clause in spec.clauses if clause.key in ("GENERATED", "AS"))
        yield end, end, " NOT NULL "
        return
    said = "" if spec.nullable is False else " NOT NULL"
    if spec.default in (None, "NULL"):
        now = f"CURRENT_TIMESTAMP({spec.type.arguments[0]})" if spec.type.arguments else "CURRENT_TIMESTAMP"
        updates = any(clause.key == "ON" for clause in spec.clauses)
        said += f" DEFAULT {now} ON UPDATE {now}" if is_first and not updates else f" DEFAULT {_zero(spec)}"
        yield from ((clause.start, clause.end, "") for clause in spec.clauses if clause.key == "DEFAULT")
    yield spec.type_clause.end, spec.type_clause.end, f"{said} "


def _first_timestamp(ddl: Ddl, before: Table | None) -> str:
    """The table's first TIMESTAMP column, in lower case."""
    if ddl.kind is DdlKind.CREATE_TABLE:
        columns = [(small(spec.name), spec.type.base) for spec in _specs(ddl)]
    else:
        columns = [(small(column.name), column.base_type) for column in before.columns] if before is not None else []
        for one in ddl.alterations:
            columns = _after(columns, one)
    return next((name for name, base in columns if base == "timestamp"), "")


def _after(columns: list[tuple[str, str]], one: Alteration) -> list[tuple[str, str]]:
    """Names and types behind one clause."""
    names = [name for name, _ in columns]
    match one:
        case DropColumn(name):
            return [column for column in columns if column[0] != small(name)]
        case AddColumn(spec, place):
            old = small(spec.name)  # there already where an earlier run added it
        case ChangeColumn(old_name, spec, place):
            old = small(old_name)
        case _:
            return columns
    at = names.index(old) if old in names else len(names)
    rest = [column for column in columns if column[0] != old]
    if place == FIRST:
        at = 0
    elif place is not None:
        behind = small(place.removeprefix("AFTER "))
        at = next((number + 1 for number, column in enumerate(rest) if column[0] == behind), len(rest))
    elif isinstance(one, AddColumn):
        at = len(rest)
    return [*rest[:at], (small(spec.name), spec.type.base), *rest[at:]]
