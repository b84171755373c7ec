"""Which clauses of one ALTER TABLE do something upstream, by IF [NOT] EXISTS and by what other clauses drop.

MariaDB judges by the table before the statement, whatever other clauses drop, rename or add.  Beside it count clauses
that stand before and add, or drop, the same name.  A key without a name is looked for by that of its first column, a
foreign key by its key's name, then its own, then that of its first column.  A key behind a column has the column's
condition and its own name; REFERENCES behind it has none, and is added also where the column is there.  RENAME KEY of
a key whose columns the statement drops, all of them, does nothing, where MySQL refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    RenameColumn,
    RenameIndex,
    SetDefault,
)
from pkg.schema.clause_steps import without_keys
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import HINTS, parse_ddl
from pkg.schema.dropped_constraints import dropped_by
from pkg.schema.indexes import ForeignKeySpec, IndexSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import PRIMARY, Table
from pkg.schema.translate_elements import removed

_KINDS = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX})
_IF = re.compile(r"\bIF\b", re.ASCII | re.IGNORECASE)
_HIDES = re.compile(r"ALTER\s+(?:INDEX|KEY)\s+IF\s+EXISTS\s+(`(?:[^`]|``)+`|\w+)", re.ASCII | re.IGNORECASE)
_ADDED = re.compile(r"ADD\s+(?:COLUMN\s+)?(?P<condition>IF\s+NOT\s+EXISTS\s+)", re.ASCII | re.IGNORECASE)
_REFERENCES = re.compile(r"\bREFERENCES\b", re.ASCII | re.IGNORECASE)


def effective(table: Table, alterations: Iterable[Alteration]) -> list[Alteration]:
    """The alterations without those that do nothing; ``table``: before the statement."""
    said = list(alterations)
    return [one for one, stays in zip(said, _effects(table, said), strict=True) if stays]


def effective_in(table: Table, clauses: Iterable[AlterClause]) -> list[tuple[Alteration, ...]]:
    """Those of each clause."""
    return [
        tuple(one for one, stays in zip(clause.alterations, effects, strict=True) if stays)
        for clause, effects in _by_clause(table, clauses)
    ]


def may_lack_effect(ddl: Ddl) -> bool:
    """Whether a clause may do nothing, by the table before the statement."""
    if ddl.kind not in _KINDS:
        return False
    has_rename, has_drop = (any(isinstance(one, kind) for one in ddl.alterations) for kind in (RenameIndex, DropColumn))
    return (has_rename and has_drop) or _IF.search(ddl.text) is not None


def with_effect(ddl: Ddl, before: Table) -> Ddl | None:
    """An ALTER TABLE of MariaDB without what has no effect, by its table ``before`` it; None where all of it has none.

    What is left is judged alike wherever it runs, also clause by clause.  CHECKs and partitions, which the table does
    not tell, stay.
    """
    if not may_lack_effect(ddl):
        return ddl
    found = list(_by_clause(before, ddl.clauses))
    kept = [
        any(effect is not False for effect in effects) if effects else not _hides_nothing(clause, ddl, before)
        for clause, effects in found
    ]
    if not any(
        stays and (one.alterations or one.clause.key not in HINTS) for (one, _), stays in zip(found, kept, strict=True)
    ):
        return None if ddl.clauses else ddl
    edits: list[Edit] = []
    for number, (clause, effects) in enumerate(found):
        if not kept[number]:
            edits.append((*removed(ddl.clauses, kept, number), ""))
        elif False in effects or _hides_reference(clause):
            edits += _parted(ddl.text, clause, effects)
        if kept[number] and effects[:1] == [True]:
            edits += _unconditional(ddl.text, clause)
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor="mariadb")


def _unconditional(text: str, clause: AlterClause) -> Iterator[Edit]:
    """A column that comes for sure: one that the target has of its own, with other values, is not taken for it."""
    added = _ADDED.match(text, clause.clause.start, clause.clause.end)
    if added is not None and isinstance(clause.alterations[0], AddColumn):
        yield *added.span("condition"), ""


def _hides_nothing(clause: AlterClause, ddl: Ddl, before: Table) -> bool:
    """Whether it is an ALTER INDEX IF EXISTS of a key that is not there."""
    found = _HIDES.match(ddl.text, clause.clause.start, clause.clause.end)
    if found is None:
        return False
    name = tokenize(found[1])[0].value
    added = (_name_of_key(one.index) for one in ddl.alterations if isinstance(one, AddIndex))
    return before.index(name) is None and small(name) not in map(small, added)


def _by_clause(table: Table, clauses: Iterable[AlterClause]) -> Iterator[tuple[AlterClause, list[bool | None]]]:
    """What ``_effects`` says of each clause."""
    listed = list(clauses)
    effects = _effects(table, [one for clause in listed for one in clause.alterations])
    for clause in listed:
        yield clause, [next(effects) for _ in clause.alterations]


def _effects(table: Table, alterations: Sequence[Alteration]) -> Iterator[bool | None]:
    """Whether each has an effect; None: it is about a CHECK, or nothing, which the table does not tell."""
    added: set[tuple[str, str]] = set()
    dropped: set[tuple[str, str]] = set()
    foreign_keys = {small(key.name) for key in table.foreign_keys}
    gone = _columns_gone(table, alterations)
    for one in alterations:
        match one:
            case AddColumn(column, _, is_conditional):
                name = "column", small(column.name)
                yield not (is_conditional and (table.column(column.name) or name in added))
                added.add(name)
            case AddIndex(index):
                own = _name_of_key(index)
                name = "key", small(own)
                yield not (index.if_not_exists and (table.index(own) or name in added))
                added.add(name)
            case AddForeignKey(key):
                name = "foreign key", _name_of_foreign_key(key)
                yield not (key.if_not_exists and (name[1] in foreign_keys or name in added))
                added.add(name)
            case (
                ChangeColumn(old, if_exists=True) | RenameColumn(old, if_exists=True) | SetDefault(old, if_exists=True)
            ):
                yield table.column(old) is not None
            case RenameIndex(old, _, is_conditional):
                renamed = table.index(old)
                columns = {small(name) for name in renamed.columns} if renamed is not None else set()
                yield not (columns and columns <= gone) and not (is_conditional and renamed is None)
            case DropColumn() | DropIndex() | DropForeignKey() | DropConstraint():
                names = _dropped(one, table)
                is_again = not names.isdisjoint(dropped)
                yield not one.if_exists or (False if is_again else _is_there(one, table, foreign_keys))
                dropped |= names
            case _:
                yield True


def _columns_gone(table: Table, alterations: Sequence[Alteration]) -> set[str]:
    """Columns that keys lose: they are dropped, and not added again."""
    dropped = {small(one.name) for one in alterations if isinstance(one, DropColumn)}
    added = [one for one in alterations if isinstance(one, AddColumn)]
    return dropped - {
        small(one.column.name) for one in added if not (one.if_not_exists and table.column(one.column.name))
    }


def _is_there(
    one: DropColumn | DropIndex | DropForeignKey | DropConstraint, table: Table, foreign_keys: set[str]
) -> bool | None:
    match one:
        case DropColumn(name):
            return table.column(name) is not None
        case DropIndex(name):
            return table.index(name) is not None
        case DropForeignKey(name):
            return small(name) in foreign_keys
    return None if dropped_by(one, table) is None else True


def _dropped(one: DropColumn | DropIndex | DropForeignKey | DropConstraint, table: Table) -> set[tuple[str, str]]:
    """What it drops, by kind and name; what DROP CONSTRAINT says may be of other kinds, too."""
    name = small(one.name)
    match one:
        case DropColumn():
            return {("column", name)}
        case DropIndex():
            return {("key", name)}
        case DropForeignKey():
            return {("constraint", name)}
    is_key = isinstance(dropped_by(one, table), DropIndex)
    return {("constraint", name), ("key", name)} if is_key else {("constraint", name)}


def _name_of_key(index: IndexSpec) -> str:
    return PRIMARY if index.primary else index.name or index.parts[0][0]


def _name_of_foreign_key(key: ForeignKeySpec) -> str:
    return small(key.index_name or key.name or key.columns[0])


def _column_of(clause: AlterClause) -> ColumnSpec | None:
    """The column that the clause defines under a condition."""
    match clause.alterations:
        case (AddColumn(column, _, True), *_) | (ChangeColumn(_, column, _, True), *_):
            return column
    return None


def _hides_reference(clause: AlterClause) -> bool:
    """Whether a foreign key stands behind a column that is added under a condition."""
    column = _column_of(clause)
    return column is not None and column.reference is not None


def _parted(text: str, clause: AlterClause, effects: Sequence[bool | None]) -> Iterator[Edit]:
    """Of a column's definition what has an effect: the column alone, its keys and its foreign key as clauses."""
    column, (start, end) = _column_of(clause), (clause.clause.start, clause.clause.end)
    assert column is not None, "other clauses do one thing"
    references = [one for one in column.clauses if _is_reference(text[one.start : one.end])]
    more = []
    for one, stays in zip(clause.alterations, effects, strict=True):
        if isinstance(one, AddIndex) and stays:
            more.append(_key_text(column, one.index))
        elif isinstance(one, AddForeignKey):
            more += [_reference_text(column, text[place.start : place.end]) for place in references]
    if not effects[0]:
        yield start, end, ", ".join(more)
        return
    yield from without_keys(column)
    yield from ((place.start, place.end, "") for place in references)
    if more:
        yield end, end, "".join(f", {one}" for one in more)


def _key_text(column: ColumnSpec, index: IndexSpec) -> str:
    name = quote_name(column.name)
    if index.primary:
        return f"ADD PRIMARY KEY IF NOT EXISTS ({name})"
    return f"ADD UNIQUE KEY IF NOT EXISTS {name} ({name})"


def _is_reference(clause: str) -> bool:
    return clause[:10].upper() == "REFERENCES" or (
        clause[:10].upper() == "CONSTRAINT" and _REFERENCES.search(clause) is not None
    )


def _reference_text(column: ColumnSpec, clause: str) -> str:
    place = _REFERENCES.search(clause)
    assert place is not None
    return f"ADD {clause[: place.start()]}FOREIGN KEY ({quote_name(column.name)}) {clause[place.start() :]}"
