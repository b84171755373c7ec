"""CHECKs of MySQL for MariaDB: constraints of the table with the names that MySQL gives them; and the way back.

MySQL names those that have no name TABLE_chk_NUMBER, and again when the table is renamed; MariaDB names them otherwise,
keeps names, and loses a column's own CHECK when the column is modified.  One that is not enforced is there with a
condition that always holds, so that it can be dropped, and enforced, by its name.
A column's own CHECK that names another column, which MySQL refuses, is one of the table there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, AlterClause, ChangeColumn
from pkg.schema.checks import ADDED, DROPPED, UNNAMED, NewNames, clauses_of_checks, made_number, names_of
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.errors import shortened
from pkg.schema.indexes import Constraint
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, names_in, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit, TableName, edited
from pkg.schema.table import Check

_MADE = re.compile(r"CONSTRAINT `((?:[^`]|``)*_chk_(\d+))` CHECK", re.ASCII)
_SHOWN = re.compile(r"^  CONSTRAINT `((?:[^`]|``)*)` CHECK (\(.*\)(?: /\*!80016 NOT ENFORCED \*/)?),?$", re.MULTILINE)
_NUMBER = re.compile(r"_chk_(\d+)$", re.ASCII)
_FORCED = re.compile(r"ALTER\s+(?:CHECK|CONSTRAINT)\s+(?=.*\sENFORCED$)", re.ASCII | re.IGNORECASE | re.DOTALL)
_NO_FORCE = "(1 or "  # how SHOW CREATE TABLE prints TRUE OR
NO_SUCH_CHECK = ErrorKind(
    36235,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the CHECK {name} is to be enforced, and the target's {table} has none of that name: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with ALTER TABLE {table} ADD CONSTRAINT {name} CHECK (…), and "
    "the upstream's condition, or `dmctl binlog skip <task>` if the target shall be without it",
)
CHECK_OF_COLUMN = ErrorKind(
    36254,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "MODIFY and CHANGE drop a CHECK that MariaDB holds as a column's own, and {table} has {names}, which may be such: "
    "{sql}",
    workaround="if the upstream's table has that condition no more, ALTER TABLE {table} DROP CHECK … in the target; "
    "if it has, give it a name of its own there (DROP CHECK …, ADD CONSTRAINT … CHECK …); then resume-task",
)
_NOT_ENFORCED = re.compile(r"NOT\s+ENFORCED$", re.ASCII | re.IGNORECASE)
_ENFORCED = re.compile(r"\b(NOT\s+)?ENFORCED$", re.ASCII | re.IGNORECASE)


def has_checks(ddl: Ddl) -> bool:
    """Whether the statement may make or drop one."""
    if ddl.kind not in (DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE):
        return False
    return any(token.key in ("CHECK", "CONSTRAINT") for token in tokenize(ddl.text))


def modifies_columns(ddl: Ddl) -> bool:
    return any(isinstance(one, ChangeColumn) for one in ddl.alterations)


def refuse_checks_of_columns(ddl: Ddl, shown: str, table: str) -> None:
    """Raise CHECK_OF_COLUMN where a statement of MariaDB's may drop one; ``shown``: the target's SHOW CREATE TABLE."""
    changed = {small(one.old) for one in ddl.alterations if isinstance(one, ChangeColumn)}
    found = []
    for name, check in _SHOWN.findall(shown):
        if _NUMBER.search(name) and not changed.isdisjoint(names_in(check)):
            found.append(f"{name} {check}")
    if found:
        raise CHECK_OF_COLUMN.error(table=table, names=", ".join(found), sql=shortened(ddl.text))


def with_names_of_like(ddl: Ddl, shown: str, checks: Sequence[Check] | None = None) -> tuple[Ddl, ...]:
    """A CREATE TABLE … LIKE for MariaDB with what gives the CHECKs of the new table the names that MySQL gives them.

    MySQL names all of them anew, in the order of their names.  ``shown``: SHOW CREATE TABLE of the other table there,
    ``checks``: those of the other table upstream, where they are known.
    """
    found = dict(_SHOWN.findall(shown))
    if not found or len(found) != shown.count(" CHECK ("):
        return (ddl,)
    names = map(quote_name, names_of(ddl.subject.table, 0))
    added = [(next(names), found[name]) for name in _order(shown, checks)]
    return ddl, _made_anew(ddl, [f"`{name}`" for name in found], added)


def with_numbers_of_like(ddl: Ddl, shown: str, checks: Sequence[Check] | None, table: str) -> tuple[Ddl, ...]:
    """The same for a MySQL that has the tables under other names, and so perhaps in another order.

    ``table``: the new one's name there.  Each CHECK gets the number that the upstream's has.
    """
    found = dict(_SHOWN.findall(shown))
    order, made = _order(shown, checks), [name for name, _ in _in_order([*found.items()])]
    if order == made:
        return (ddl,)
    names = [quote_name(name) for _, name in zip(made, names_of(table, 0), strict=False)]
    return ddl, _made_anew(ddl, names, [(new, found[name]) for new, name in zip(names, order, strict=True)])


def with_own_names_of_like(ddl: Ddl, shown: str, table: str) -> tuple[Ddl, ...]:
    """MariaDB's CREATE TABLE … LIKE, which keeps names, for MySQL, where a name is that of one table of the database.

    The copy's CHECKs get names that no statement says of another one: neither those that MySQL has made, nor those
    that it makes when the copy is renamed.  ``table``: the new one's name there.
    """
    found = dict(_SHOWN.findall(shown))
    if not found:
        return (ddl,)
    checks = _in_order([*found.items()])
    names = [quote_name(name) for _, name in zip(checks, names_of(table, 0), strict=False)]
    added = [(quote_name(f"{old[:30]} of {table[:30]}"), check) for old, check in checks]
    return ddl, _made_anew(ddl, names, added)


def _order(shown: str, checks: Sequence[Check] | None) -> list[str]:
    """The target's CHECKs in the order of their names upstream, where those are known, else of their own."""
    found, there = dict(_SHOWN.findall(shown)), _NamesThere(shown, checks)
    known = [there.of(one.name) for one in sorted(checks or (), key=lambda one: small(one.name))]
    return known if set(known) == set(found) else [name for name, _ in _in_order([*found.items()])]


def _made_anew(like: Ddl, names: Sequence[str], checks: Sequence[tuple[str, str]]) -> Ddl:
    """The ALTER of the new table that drops the CHECKs of these names, and adds others; names are in quotes."""
    clauses = [f"DROP CONSTRAINT {name}" for name in names]
    clauses += [f"ADD CONSTRAINT {name} CHECK {check}" for name, check in checks]
    text = f"ALTER TABLE {like.subject.quoted()} {', '.join(clauses)}"
    return parse_ddl(text, default_schema=like.default_schema, flavor="mariadb")


def names_behind_like(shown: str, table: str) -> dict[str, str]:
    """CHECKs that LIKE, and the RENAME to ``table``, give another name in MySQL, with that."""
    found, names = _in_order(_SHOWN.findall(shown)), names_of(table, 0)
    behind = {name: quote_name(next(names))[1:-1] for name, _ in found}
    return {name: new for name, new in behind.items() if small(name) != small(new)}


def renamed_checks(shown: str, table: TableName, names: Mapping[str, str]) -> str:
    """The ALTER of ``table`` that gives its CHECKs other ``names``; ``shown``: its SHOW CREATE TABLE in the target."""
    checks = dict(_SHOWN.findall(shown))
    clauses = [f"DROP CONSTRAINT `{name}`" for name in names]
    clauses += [f"ADD CONSTRAINT `{new}` CHECK {checks[name]}" for name, new in names.items()]
    return f"ALTER TABLE {table.quoted()} {', '.join(clauses)}"


def _in_order(checks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """CHECKs as MySQL's LIKE numbers them."""
    return sorted(checks, key=lambda one: small(one[0]))


def with_checks(ddl: Ddl, shown: str, whole: Ddl | None = None, checks: Sequence[Check] | None = None) -> Ddl:
    """The statement for MariaDB; ``shown`` is its SHOW CREATE TABLE before it, "" without one.

    ``whole``: the statement of which this is a part, ``checks``: those of the upstream's table before it, where they
    are known.  Raises NO_SUCH_CHECK.
    """
    there = _NamesThere(shown, checks)
    names = _new_names(ddl, shown, whole, checks)
    edits: list[Edit] = []
    for start, end, item in _elements(ddl):
        if isinstance(item, ColumnSpec):
            edits += _moved(ddl.text, item, end, ", ", names)
        else:
            if not item.name:
                edits.append(_named(ddl.text, start, end, names))
            edits += in_force(ddl.text, start, end)
    for clause in ddl.clauses:
        edits += _clause_edits(ddl.text, clause, names, there)
    edits += _forced(ddl, there, shown)
    return _edited(ddl, edits)


def with_numbers_kept(create_sql: str, table: str, there: str) -> str:
    """SHOW CREATE TABLE of MySQL for a MySQL where the table is called ``there``, with the CHECKs of a renamed table.

    So the target numbers those that come later as the upstream does.
    """

    def named(found: re.Match[str]) -> str:
        digits = made_number(found[1].replace("``", "`"), table)
        return f"CONSTRAINT {quote_name(f'{there}_chk_{digits}')} CHECK" if digits else found[0]

    return _MADE.sub(named, create_sql)


def with_named_checks(ddl: Ddl, shown: str, whole: Ddl, checks: Sequence[Check] | None) -> Ddl:
    """The statement for TiDB, which numbers them otherwise and keeps names; arguments as of ``with_checks``."""
    there = _NamesThere(shown, checks)
    names = _new_names(ddl, shown, whole, checks)
    edits: list[Edit] = []
    for start, end, item in _elements(ddl):
        if isinstance(item, ColumnSpec):
            edits += _named_in_place(ddl.text, item, names)
        elif not item.name:
            edits.append(_named(ddl.text, start, end, names))
    for clause in ddl.clauses:
        start, end = clause.clause.start, clause.clause.end
        for one in clause.alterations:
            if isinstance(one, AddColumn | ChangeColumn):
                edits += _named_in_place(ddl.text, one.column, names)
        added = ADDED.match(ddl.text, start, end) if not clause.alterations else None
        if added is not None and UNNAMED.match(ddl.text, added.end()):
            edits.append(_named(ddl.text, added.end(), end, names))
        edits += _called(ddl.text, start, end, there)
    return _edited(ddl, edits)


def with_names_of_real(ddl: Ddl, real: str) -> Ddl:
    """A shadow table's statement with the names that its CHECKs have when it has the name ``real``."""
    text, edits = ddl.text, list[Edit]()
    for start, end in _names_said(ddl):
        name = tokenize(text[start:end])[0]
        if digits := made_number(small(name.value), small(ddl.subject.table)):
            edits.append((start + name.start, start + name.end, quote_name(f"{real}_chk_{digits}")))
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def _names_said(ddl: Ddl) -> Iterator[tuple[int, int]]:
    """Where names of CHECKs stand in an ALTER TABLE, to the ends of their clauses."""
    for clause in ddl.clauses:
        start, end = clause.clause.start, clause.clause.end
        if words := DROPPED.match(ddl.text, start, end) or _FORCED.match(ddl.text, start, end):
            yield words.end(), end
        added = ADDED.match(ddl.text, start, end) if not clause.alterations else None
        places = [(added.end(), end)] if added is not None else []
        for one in clause.alterations:
            if isinstance(one, AddColumn | ChangeColumn):
                places += [(check.start, check.end) for check in clauses_of_checks(ddl.text, one.column)]
        for first, last in places:
            if not UNNAMED.match(ddl.text, first):
                yield first + len("CONSTRAINT"), last


def with_names_there(ddl: Ddl, shown: str, checks: Sequence[Check] | None) -> Ddl:
    """The statement for MySQL, which has other names by itself where a route gives the table another one.

    Where it has names that the upstream has made, which a full migration of an earlier build has left as they are, the
    numbers of others are not the upstream's, and none is found by its number.
    """
    there = _NamesThere(shown, checks)
    if any(made_number(name, ddl.subject.table) for name in there.names):
        there.former.clear()
    places = ((one.clause.start, one.clause.end) for one in ddl.clauses)
    return _edited(ddl, [edit for start, end in places for edit in _called(ddl.text, start, end, there)])


def _edited(ddl: Ddl, edits: list[Edit]) -> Ddl:
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema) if edits else ddl


def _elements(ddl: Ddl) -> Iterator[tuple[int, int, ColumnSpec | Constraint]]:
    """Columns and CHECKs of a CREATE TABLE, and where they stand."""
    for element in ddl.create.elements if ddl.create is not None else ():
        item = element.item
        if isinstance(item, ColumnSpec) or (isinstance(item, Constraint) and not item.columns):
            yield element.clause.start, element.clause.end, item


class _NamesThere:
    """Names of the target's CHECKs, as SHOW CREATE TABLE has them in quotes, for those of the upstream's.

    MySQL gives them anew when a table is renamed, and others keep them.
    """

    def __init__(self, shown: str, checks: Sequence[Check] | None) -> None:
        upstream = {small(one.name) for one in checks or ()}
        self._there = {small(name.replace("``", "`")): name for name, _ in _SHOWN.findall(shown)}
        self.former = [name for name in self._there.values() if small(name) not in upstream and _NUMBER.search(name)]

    @property
    def names(self) -> Iterator[str]:
        """All of them, without quotes."""
        return (name.replace("``", "`") for name in self._there.values())

    def of(self, name: str) -> str:
        """By its number where the target has none of that name; "" where it is not known."""
        number = _NUMBER.search(name)
        same = [other for other in self.former if number is not None and other.endswith(number[0])]
        return self._there.get(small(name)) or (same[0] if len(same) == 1 else "")


def _new_names(ddl: Ddl, shown: str, whole: Ddl | None, checks: Sequence[Check] | None) -> NewNames:
    made = _MADE.findall(shown) if ddl.kind is DdlKind.ALTER_TABLE else []
    last = max((int(number) for _, number in made), default=0)
    return NewNames(whole or ddl, checks, last, [name for name, _ in made])


def _named(text: str, start: int, end: int, names: NewNames) -> Edit:
    words = UNNAMED.match(text, start)
    assert words is not None, "it is a CHECK without a name"
    return (*words.span(), f"CONSTRAINT {quote_name(names.take(text[start:end]))} ")


def _named_in_place(text: str, spec: ColumnSpec, names: NewNames) -> Iterator[Edit]:
    for clause in clauses_of_checks(text, spec):
        if UNNAMED.match(text, clause.start):
            yield _named(text, clause.start, clause.end, names)


def _moved(text: str, spec: ColumnSpec, end: int, head: str, names: NewNames) -> Iterator[Edit]:
    """A column's CHECK, behind it as one of the table."""
    for clause in spec.clauses:
        if clause.key in ("CHECK", "CONSTRAINT"):
            check = text[clause.start : clause.end]
            if UNNAMED.match(check):
                check = edited(check, [_named(check, 0, len(check), names)])
            yield clause.start, clause.end, ""
            yield end, end, head + edited(check, in_force(check, 0, len(check)))


def moved_for_mysql(text: str, spec: ColumnSpec, end: int, head: str, columns: Collection[str]) -> Iterator[Edit]:
    """A column's CHECK that names another one of ``columns`` (in lower case), behind the column as one of the table."""
    others = frozenset(columns) - {small(spec.name)}
    for clause in clauses_of_checks(text, spec):
        check = text[clause.start : clause.end]
        if any(token.is_name and small(token.value) in others for token in tokenize(check)):
            yield clause.start, clause.end, ""
            yield end, end, head + check


def in_force(text: str, start: int, end: int) -> Iterator[Edit]:
    """NOT ENFORCED as a condition that always holds, and ENFORCED, which MariaDB does not know, as nothing."""
    words = _ENFORCED.search(text[start:end])
    if words is None:
        return
    if words[1] is None:
        yield start + words.start(), end, ""
        return
    tokens = tokenize(text[start:end])
    at = next(number for number, token in enumerate(tokens) if token.kind is Kind.WORD and token.key == "CHECK") + 1
    yield start + tokens[at].end, start + tokens[at].end, "TRUE OR ("
    yield start + words.start(), end, ")"


def _clause_edits(text: str, clause: AlterClause, names: NewNames, there: _NamesThere) -> Iterator[Edit]:
    start, end = clause.clause.start, clause.clause.end
    for one in clause.alterations:
        if isinstance(one, AddColumn | ChangeColumn):
            yield from _moved(text, one.column, end, ", ADD ", names)
    if not clause.alterations and (added := ADDED.match(text, start, end)):
        if UNNAMED.match(text, added.end()):
            yield _named(text, added.end(), end, names)
        yield from in_force(text, added.end(), end)
    if dropped := DROPPED.match(text, start, end):
        yield from _renamed(text, dropped.end(), end, there)


def _called(text: str, start: int, end: int, there: _NamesThere) -> Iterator[Edit]:
    """The CHECK that a clause drops or alters, by its name in the target."""
    if words := DROPPED.match(text, start, end) or _FORCED.match(text, start, end):
        yield from _renamed(text, words.end(), end, there)


def _renamed(text: str, start: int, end: int, there: _NamesThere) -> Iterator[Edit]:
    """The name that stands there, where the target has the CHECK under another one."""
    token = tokenize(text[start:end])[0]
    if (other := there.of(token.value)) and small(other) != small(token.value):
        yield start + token.start, start + token.end, f"`{other}`"


def _forced(ddl: Ddl, names: _NamesThere, shown: str) -> Iterator[Edit]:
    """ALTER CHECK … [NOT] ENFORCED as another condition; the last one of a name counts.  Raises NO_SUCH_CHECK."""
    there = dict(_SHOWN.findall(shown))
    last: dict[str, AlterClause] = {}
    for clause in ddl.clauses:
        if words := _FORCED.match(ddl.text, clause.clause.start, clause.clause.end):
            wanted = tokenize(ddl.text[words.end() : clause.clause.end])[0].value
            last[names.of(wanted) or quote_name(wanted)[1:-1]] = clause
    for name, clause in last.items():
        start, end, check = clause.clause.start, clause.clause.end, there.get(name)
        is_enforced = _NOT_ENFORCED.search(ddl.text[start:end]) is None
        if check is None and is_enforced:
            table = ddl.subject.quoted()
            raise NO_SUCH_CHECK.error(name=f"`{name}`", table=table, sql=shortened(ddl.text))
        if check is not None and is_enforced == check.startswith(_NO_FORCE):
            check = f"({check.removeprefix(_NO_FORCE)}" if is_enforced else f"(TRUE OR {check})"
            yield start, end, f"DROP CONSTRAINT `{name}`, ADD CONSTRAINT `{name}` CHECK {check}"
