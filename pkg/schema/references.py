"""Foreign keys that an ALTER TABLE adds, in words by which a target makes them as the upstream does.

TiDB passes over REFERENCES behind a column, and names foreign keys and the keys that it makes for them in its own way:
each is a clause with its name, and its key is another one.  MariaDB counts names wrongly where a session that checks no
keys adds a foreign key without a name beside a column (error 1823), unless it copies the table.  MySQL takes no name
of a REFERENCES behind a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pkg.schema.alter import AddColumn, AddForeignKey, AlterClause, ChangeColumn
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import ForeignKeySpec, add_foreign_key, foreign_name_there
from pkg.schema.key_names import made_keys
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import PRIMARY, Index, Table, has_foreign_keys
from pkg.schema.translate_elements import key_clause

_REFERENCE = re.compile(
    r"(?:CONSTRAINT\b(?:\s*`(?:[^`]|``)*`|\s+[\w$]+)\s*)?\b(REFERENCES\b.*)", re.IGNORECASE | re.DOTALL
)
_FOREIGN_KEY = re.compile(r"(?:\bCONSTRAINT\s+)?\bFOREIGN\s+KEY\b", re.IGNORECASE)


def adds_references(ddl: Ddl, target: str) -> bool:
    """Whether a target of this flavour would make other foreign keys, or other keys for them."""
    added = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    if ddl.kind is not DdlKind.ALTER_TABLE or not added:
        return False
    if target == "mysql":
        columns = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
        return any(column.reference is not None and column.reference.name for column in columns)
    return target == "tidb" or (target == "mariadb" and len(ddl.alterations) > 1 and not all(key.name for key in added))


def by_copying(ddl: Ddl) -> Ddl:
    """The statement for MariaDB, which copies the table then, as it does where it checks keys."""
    if any(one.clause.key == "ALGORITHM" for one in ddl.clauses):
        return ddl
    end = ddl.clauses[-1].clause.end
    return replace(ddl, edits=(*ddl.edits, (end, end, ", ALGORITHM=COPY")))


def with_references_said(ddl: Ddl, before: Table, flavor: str) -> Ddl:
    """The statement for TiDB with all names of foreign keys and their keys; ``before``: its table upstream."""
    if not has_foreign_keys(before.engine):
        return ddl
    names, foreign_keys = dict[int, str](), before.foreign_keys
    for one in ddl.alterations:
        if isinstance(one, AddForeignKey):
            foreign_keys = add_foreign_key(foreign_keys, one.key, before.schema, before.name)
            names[id(one.key)] = foreign_name_there(foreign_keys[-1].name)
    keys = {id(spec): index for spec, index in made_keys(ddl, before)}
    edits = [edit for clause in ddl.clauses for edit in _edits(ddl.text, clause, names, keys)]
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
            places = [found for one in column.clauses if (found := _REFERENCE.match(text, one.start, one.end))]
            if len(places) != 1:
                return
            start, behind = places[0].span()
            head = f"ADD CONSTRAINT {quote_name(names[id(key)])} FOREIGN KEY ({quote_name(column.name)})"
            yield start, behind, ""
            yield end, end, f", {head} {places[0][1]}"
        case _:
            return
    made = keys.get(id(key))
    if made is not None and made.name.lower() != names[id(key)].lower():
        yield end, end, f", ADD {key_clause(made)}"


def _named(text: str, clause: AlterClause, key: ForeignKeySpec, name: str) -> Iterator[Edit]:
    place = _FOREIGN_KEY.search(text, clause.clause.start)
    if not key.name and place is not None:
        yield *place.span(), f"CONSTRAINT {quote_name(name)} FOREIGN KEY"


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
