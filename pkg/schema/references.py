"""Foreign keys that an ALTER TABLE adds, in words by which a target makes them as the upstream does.

TiDB passes over REFERENCES behind a column, and names foreign keys and the keys that it makes for them in its own way:
each is a clause with its name, and its key is another one.  MySQL takes no names that are too long, also those that it
makes itself.  MariaDB counts names wrongly where a session that checks no keys adds a foreign key without a name beside
a column (error 1823), unless it copies the table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    AlterClause,
    ChangeColumn,
    DropIndex,
    RenameIndex,
)
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import ForeignKeySpec, add_foreign_key, foreign_name_there, is_replaced, makes_long_names
from pkg.schema.key_names import made_keys
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import PRIMARY, Index, Table, has_foreign_keys
from pkg.schema.translate_elements import key_clause

_FOREIGN_KEY = re.compile(r"(?:\bCONSTRAINT\s+)?\bFOREIGN\s+KEY\b", re.IGNORECASE)


def adds_references(ddl: Ddl, target: str) -> bool:
    """Whether a target of this flavour would make other foreign keys, or other keys for them."""
    added = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    if ddl.kind is not DdlKind.ALTER_TABLE or not added:
        return False
    is_named = all(key.name for key in added)
    if target == "mariadb":
        return len(ddl.alterations) > 1 and not is_named
    return target == "tidb" or (not is_named and makes_long_names(ddl.subject.table))


def by_copying(ddl: Ddl) -> Ddl:
    """The statement for MariaDB, which copies the table then, as it does where it checks keys."""
    if any(one.clause.key == "ALGORITHM" for one in ddl.clauses):
        return ddl
    end = ddl.clauses[-1].clause.end
    return replace(ddl, edits=(*ddl.edits, (end, end, ", ALGORITHM=COPY")))


def with_references_said(ddl: Ddl, before: Table, flavor: str) -> Ddl:
    """The statement for TiDB or MySQL with all names of foreign keys and their keys; ``before``: its table upstream."""
    if not has_foreign_keys(before.engine):
        return ddl
    names, foreign_keys = dict[int, str](), before.foreign_keys
    for one in ddl.alterations:
        if isinstance(one, AddForeignKey):
            foreign_keys = add_foreign_key(foreign_keys, one.key, before.schema, before.name)
            names[id(one.key)] = foreign_name_there(foreign_keys[-1].name)
    keys = {id(spec): index for spec, index in made_keys(ddl, before)}
    over = [tuple(one.key.columns) for one in ddl.alterations if isinstance(one, AddForeignKey)]
    # TiDB names the one key of several foreign keys by the first, the upstream by the last.
    said = {
        spec: index
        for spec, index in keys.items()
        if index.name.lower() != names[spec].lower() or over.count(index.columns) > 1
    }
    edits = [edit for clause in ddl.clauses for edit in _edits(ddl.text, clause, names, said)]
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def _edits(text: str, clause: AlterClause, names: Mapping[int, str], keys: Mapping[int, Index]) -> Iterator[Edit]:
    end = clause.clause.end
    match clause.alterations:
        case (AddForeignKey(key),):
            yield from _named(text, clause, key, names[id(key)])
        case (
            AddColumn(column, if_not_exists=False) | ChangeColumn(_, column, if_exists=False),
            *_,
            AddForeignKey(key),
        ):
            places = [one for one in column.clauses if one.key == "REFERENCES"]
            if len(places) != 1:
                return
            start, behind = places[0].start, places[0].end
            head = f"ADD CONSTRAINT {quote_name(names[id(key)])} FOREIGN KEY ({quote_name(column.name)})"
            yield start, behind, ""
            yield end, end, f", {head} {text[start:behind]}"
        case _:
            return
    if (made := keys.get(id(key))) is not None:
        yield end, end, f", ADD {key_clause(made)}"


def _named(text: str, clause: AlterClause, key: ForeignKeySpec, name: str) -> Iterator[Edit]:
    place = _FOREIGN_KEY.search(text, clause.clause.start)
    if not key.name and place is not None:
        yield *place.span(), f"CONSTRAINT {quote_name(name)} FOREIGN KEY"


def doubtful_keys(table: Table, ddl: Ddl) -> frozenset[str]:
    """Keys of the table, read from a server, that the statement drops without a word if they were made by the server.

    In lower case.  A server does not show which keys it has made for foreign keys: they have these columns.
    """
    new = [[name for name, _ in one.index.parts] for one in ddl.alterations if isinstance(one, AddIndex)]
    added = [list(one.key.columns) for one in ddl.alterations if isinstance(one, AddForeignKey)]
    of_keys = [_folded(columns) for columns in (*added, *(key.columns for key in table.foreign_keys))]
    starts = [_folded(columns) for columns in (*new, *added)]
    return frozenset(
        index.name.lower()
        for index in table.indexes
        if not (index.made or index.unique or any(index.prefixes))
        and _folded(index.columns) in of_keys
        and any(start[: len(index.columns)] == _folded(index.columns) for start in starts)
    )


def with_made(table: Table, names: Collection[str]) -> Table:
    """With these keys as such that the server has made."""
    return replace(
        table, indexes=tuple(replace(one, made=one.made or one.name.lower() in names) for one in table.indexes)
    )


def replaced_keys(ddl: Ddl, before: Table, after: Table) -> Iterator[tuple[Index, Index]]:
    """Keys that the upstream dropped by itself, each with a new one that serves in its place."""
    said = {one.name.lower() for one in ddl.alterations if isinstance(one, DropIndex)}
    said |= {one.old.lower() for one in ddl.alterations if isinstance(one, RenameIndex)}
    new = [one for one in after.indexes if one not in before.indexes]
    for old in before.indexes:
        now = after.index(old.name)
        if old.made and old.name.lower() not in said and (now is None or not is_same(now, old)):
            yield from ((old, one) for one in new if is_replaced(old, one))


def is_same(one: Index, other: Index) -> bool:
    """Whether two keys have one name, and are over the same columns in the same way."""
    return _said(one) == _said(other)


def _said(index: Index) -> tuple[object, ...]:
    return index.name.lower(), _folded(index.columns), index.prefixes, index.unique


def _folded(names: Iterable[str]) -> list[str]:
    return [name.lower() for name in names]


def needless_keys(there: Table) -> Iterator[str]:
    """Keys that TiDB has made for foreign keys over the column that is its primary key, which serves them as well.

    It makes them where ALTER TABLE adds the foreign key, and not where CREATE TABLE has it.
    """
    primary = there.index(PRIMARY)
    for key in there.foreign_keys if primary is not None else ():
        made = there.index(key.name)
        if made is not None and primary is not None and not made.unique:
            over = {tuple(name.lower() for name in columns) for columns in (made.columns, primary.columns, key.columns)}
            if len(over) == 1:
                yield made.name
