"""Foreign keys that an ALTER TABLE adds, in words by which a target makes them as the upstream does.

TiDB passes over REFERENCES behind a column, and names foreign keys and the keys that it makes for them in its own way:
each is a clause with its name, and its key is another one.  MySQL takes no names that are too long, also those that it
makes itself, and none of a REFERENCES behind a column.  MariaDB counts names wrongly where a session that checks no
keys adds a foreign key without a name beside a column (error 1823), unless it copies the table.
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
    DropColumn,
    DropIndex,
    RenameIndex,
)
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import (
    ForeignKeySpec,
    foreign_name_there,
    is_replaced,
    makes_long_names,
    named_after,
    new_foreign_keys,
)
from pkg.schema.key_names import made_keys, new_keys
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import PRIMARY, Index, Table, has_foreign_keys

_REFERENCE = re.compile(
    r"(?:CONSTRAINT\b(?:\s*`(?:[^`]|``)*`|\s+[\w$]+)\s*)?\b(REFERENCES\b.*)", re.ASCII | re.IGNORECASE | re.DOTALL
)
_KEY_NAME = re.compile(r"\s*(?:`(?:[^`]|``)*`|[^\s(`]+)\s*(?=\()", re.ASCII)  # behind FOREIGN KEY
_FOREIGN_KEY = re.compile(r"(?:\bCONSTRAINT\s+)?\bFOREIGN\s+KEY\b", re.ASCII | re.IGNORECASE)


def adds_references(ddl: Ddl, target: str) -> bool:
    """Whether a target of this flavour would make other foreign keys, or other keys for them."""
    added = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    if ddl.kind is not DdlKind.ALTER_TABLE or not added:
        return False
    is_named = all(key.name for key in added)
    if target == "mariadb":
        return (len(ddl.alterations) > 1 and not is_named) or names_keys_alone(ddl)
    columns = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
    names_reference = any(column.reference is not None and column.reference.name for column in columns)
    is_long = not is_named and makes_long_names(ddl.subject.table)
    return target == "tidb" or names_reference or is_long or any(key.takes_key_name for key in added)


def counts_otherwise(ddl: Ddl, before: Table, there: Table) -> bool:
    """Whether the target, which may lack some of the upstream's foreign keys, would number the new ones otherwise.

    It may have the new ones already, by an earlier run.
    """
    specs = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    new, known = [_folded(spec.columns) for spec in specs], {small(key.name) for key in before.foreign_keys}
    present = [key for key in there.foreign_keys if small(key.name) in known or _folded(key.columns) not in new]
    upstream, target = (
        [key.name for key in new_foreign_keys(specs, keys, before.schema, before.name)]
        for keys in (before.foreign_keys, present)
    )
    return before.name == there.name and upstream != target


def says_foreign_keys(ddl: Ddl) -> bool:
    """Whether the statement adds foreign keys, if its table's engine has them."""
    said = ddl.create is not None and bool(ddl.create.foreign_keys)
    return said or any(isinstance(one, AddForeignKey) for one in ddl.alterations)


def names_keys_alone(ddl: Ddl) -> bool:
    """Whether MySQL gives a name that is said to a key and not to its foreign key.

    MariaDB gives it to the foreign key, in place of CONSTRAINT's where it checks no keys.
    """
    return any(isinstance(one, AddForeignKey) and one.key.index_name for one in ddl.alterations)


def by_copying(ddl: Ddl) -> Ddl:
    """The statement for MariaDB, which copies the table then, as it does where it checks keys."""
    if any(one.clause.key == "ALGORITHM" for one in ddl.clauses):
        return ddl
    end = ddl.clauses[-1].clause.end
    return replace(ddl, edits=(*ddl.edits, (end, end, ", ALGORITHM=COPY")))


def with_references_said(ddl: Ddl, before: Table, flavor: str, named: str = "") -> Ddl:
    """The statement with all names of foreign keys and their keys; ``before``: its table upstream.

    ``named``: the table by whose name foreign keys are called that have the upstream's table's, if it is another one.
    """
    if not has_foreign_keys(before.engine):
        return ddl
    specs = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    new = new_foreign_keys(specs, before.foreign_keys, before.schema, before.name)
    added = named_after(new, before.name, named or before.name)
    names = {id(spec): foreign_name_there(key.name) for spec, key in zip(specs, added, strict=True)}
    keys = {id(spec): index for spec, index in made_keys(ddl, before)}
    over = [tuple(one.key.columns) for one in ddl.alterations if isinstance(one, AddForeignKey)]
    # TiDB names the one key of several foreign keys by the first, the upstream by the last.
    said = {
        spec: index
        for spec, index in keys.items()
        if (small(index.name) != small(names[spec]) or over.count(index.columns) > 1) and not _stays(ddl, before, index)
    }
    edits = [edit for clause in ddl.clauses for edit in _edits(ddl.text, clause, names, said, flavor)]
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def name_edits(ddl: Ddl, names: Mapping[int, str]) -> Iterator[Edit]:
    """The names of foreign keys that the statement adds without one; ``names``: by the identity of what it says."""
    for clause in ddl.clauses:
        match clause.alterations:
            case (AddForeignKey(key),):
                yield from _named(ddl.text, clause, key, names[id(key)])


def _stays(ddl: Ddl, before: Table, made: Index) -> bool:
    """Whether the table has the same key already, which the upstream makes anew in its place."""
    old = before.index(made.name)
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropIndex)}
    return old is not None and is_same(old, made) and small(old.name) not in dropped


def _edits(
    text: str, clause: AlterClause, names: Mapping[int, str], keys: Mapping[int, Index], flavor: str
) -> Iterator[Edit]:
    end = clause.clause.end
    match clause.alterations:
        case (AddForeignKey(key),):
            yield from _named(text, clause, key, names[id(key)])
        case (
            AddColumn(column, if_not_exists=False) | ChangeColumn(_, column, if_exists=False),
            *_,
            AddForeignKey(key),
        ):
            places = [found for one in column.clauses if (found := _REFERENCE.match(text, one.start, one.end))]
            if len(places) != 1:
                return
            start, behind = places[0].span()
            head = f"ADD CONSTRAINT {quote_name(names[id(key)])} FOREIGN KEY ({quote_name(column.name)})"
            yield start, behind, ""
            yield end, end, f", {head} {places[0][1]}"
        case _:
            return
    if (made := keys.get(id(key))) is not None:
        yield end, end, f", ADD {key_text(made, flavor)}"


def _named(text: str, clause: AlterClause, key: ForeignKeySpec, name: str) -> Iterator[Edit]:
    place = _FOREIGN_KEY.search(text, clause.clause.start)
    if (not key.name or key.takes_key_name) and place is not None:
        yield *place.span(), f"CONSTRAINT {quote_name(name)} FOREIGN KEY"
    said = _KEY_NAME.match(text, place.end()) if place is not None and key.index_name else None
    if said is not None and (not key.name or key.name != key.index_name):
        yield *said.span(), " "


def doubtful_keys(table: Table, ddl: Ddl) -> frozenset[str]:
    """Keys of the table, read from a server, that the statement drops without a word if they were made by the server.

    In lower case.  A server does not show which keys it has made for foreign keys: they have these columns.
    """
    new = [[name for name, _ in one.index.parts] for one in ddl.alterations if isinstance(one, AddIndex)]
    added = [list(one.key.columns) for one in ddl.alterations if isinstance(one, AddForeignKey)]
    of_keys = [_folded(columns) for columns in (*added, *(key.columns for key in table.foreign_keys))]
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    left = [[name for name in index.columns if small(name) not in dropped] for index in table.indexes]
    shorter = [columns for columns, index in zip(left, table.indexes, strict=True) if len(columns) < len(index.columns)]
    starts = [_folded(columns) for columns in (*new, *added, *shorter)]
    return frozenset(
        small(index.name)
        for index in table.indexes
        if not (index.made or index.said or index.unique or any(index.prefixes))
        and _folded(index.columns) in of_keys
        and any(start[: len(index.columns)] == _folded(index.columns) for start in starts)
    )


def made_by_server(table: Table, ddl: Ddl, doubtful: Collection[str], now: Table) -> frozenset[str]:
    """Those of the doubtful keys that the statement has dropped without a word; ``now``: the table upstream.

    A new key cannot have the name of one that somebody has made.  Of others the names tell: where a server's key gives
    way, a new key without a name takes its name, and else another one.
    """
    found = names_said(ddl) & set(doubtful)
    for name in set(doubtful) - found - names_freed(ddl):
        kept = [index for index in table.indexes if small(index.name) == name]
        stays, is_gone = [*kept, *new_keys(ddl, table)], new_keys(ddl, with_made(table, {name}))
        if _missing(is_gone, now) < _missing(stays, now):
            found.add(name)
    return frozenset(found)


def names_said(ddl: Ddl) -> set[str]:
    """Of keys that the statement adds, in lower case, but for names that it takes from other keys itself."""
    new = (one.index for one in ddl.alterations if isinstance(one, AddIndex))
    return {small(index.name) for index in new if not index.if_not_exists} - names_freed(ddl)


def names_freed(ddl: Ddl) -> set[str]:
    """Of keys that the statement drops or renames itself, in lower case."""
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropIndex)}
    return dropped | {small(one.old) for one in ddl.alterations if isinstance(one, RenameIndex)}


def _missing(keys: Iterable[Index], now: Table) -> int:
    return sum(not any(is_same(one, there) for there in now.indexes) for one in keys)


def with_made(table: Table, names: Collection[str]) -> Table:
    """With these keys as such that the server has made."""
    return replace(
        table, indexes=tuple(replace(one, made=one.made or small(one.name) in names) for one in table.indexes)
    )


def replaced_keys(ddl: Ddl, before: Table, after: Table) -> Iterator[tuple[Index, Index]]:
    """Keys that the upstream dropped by itself, each with a new one that serves in its place."""
    said = {small(one.name) for one in ddl.alterations if isinstance(one, DropIndex)}
    said |= {small(one.old) for one in ddl.alterations if isinstance(one, RenameIndex)}
    new = [one for one in after.indexes if one not in before.indexes]
    for old in before.indexes:
        now = after.index(old.name)
        if old.made and small(old.name) not in said and (now is None or not is_same(now, old)):
            yield from ((old, one) for one in new if is_replaced(old, one))


def is_same(one: Index, other: Index) -> bool:
    """Whether two keys have one name, and are over the same columns in the same way."""
    return _said(one) == _said(other)


def _said(index: Index) -> tuple[object, ...]:
    return small(index.name), _folded(index.columns), index.prefixes, index.unique


def _folded(names: Iterable[str]) -> list[str]:
    return [small(name) for name in names]


def needless_keys(there: Table) -> Iterator[str]:
    """Keys that TiDB has made for foreign keys over the column that is its primary key, which serves them as well.

    It makes them where ALTER TABLE adds the foreign key, and not where CREATE TABLE has it.
    """
    primary = there.index(PRIMARY)
    for key in there.foreign_keys if primary is not None else ():
        made = there.index(key.name)
        if made is not None and primary is not None and not made.unique:
            over = {tuple(small(name) for name in columns) for columns in (made.columns, primary.columns, key.columns)}
            if len(over) == 1:
                yield made.name
