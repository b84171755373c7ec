"""CHECKs of MySQL for MariaDB: constraints of the table with the names that MySQL gives them; and the way back.

MySQL names those that have no name TABLE_chk_NUMBER, and again when the table is renamed; MariaDB names them otherwise,
keeps names, and loses a column's own CHECK when the column is modified.  One that is not enforced is there with a
condition that always holds, so that it can be dropped, and enforced, by its name.
A column's own CHECK that names another column, which MySQL refuses, is one of the table there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import count

from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, AlterClause, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.errors import shortened
from pkg.schema.indexes import Constraint
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit, TableName, edited

_MADE = re.compile(r"CONSTRAINT `((?:[^`]|``)*_chk_(\d+))` CHECK")
_SHOWN = re.compile(r"^  CONSTRAINT `((?:[^`]|``)*)` CHECK (\(.*\)(?: /\*!80016 NOT ENFORCED \*/)?),?$", re.MULTILINE)
_UNNAMED = re.compile(r"(?:CONSTRAINT\s+)?(?=CHECK\b)", re.IGNORECASE)
_IS_CHECK = re.compile(r"(?:CONSTRAINT\s+(?:`(?:[^`]|``)*`\s*|(?!CHECK\b)[\w$]+\s+)?)?CHECK\b", re.IGNORECASE)
_ADDED = re.compile(r"ADD\s+(?=(?:CONSTRAINT\s+(?:`(?:[^`]|``)*`\s*|(?!CHECK\b)[\w$]+\s+)?)?CHECK\b)", re.IGNORECASE)
_DROPPED = re.compile(r"DROP\s+(?:CHECK|CONSTRAINT)\s+", re.IGNORECASE)
_NUMBER = re.compile(r"_chk_(\d+)$")
_FORCED = re.compile(r"ALTER\s+(?:CHECK|CONSTRAINT)\s+(?=.*\sENFORCED$)", re.IGNORECASE | re.DOTALL)
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
_NOT_ENFORCED = re.compile(r"NOT\s+ENFORCED$", re.IGNORECASE)
_ENFORCED = re.compile(r"\b(NOT\s+)?ENFORCED$", re.IGNORECASE)


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
        over = {small(token.value) for token in tokenize(check) if token.is_name}
        if _NUMBER.search(name) and not changed.isdisjoint(over):
            found.append(f"{name} {check}")
    if found:
        raise CHECK_OF_COLUMN.error(table=table, names=", ".join(found), sql=shortened(ddl.text))


def with_names_of_like(ddl: Ddl, shown: str) -> tuple[Ddl, ...]:
    """A CREATE TABLE … LIKE for MariaDB with what gives the CHECKs of the new table the names that MySQL gives them.

    MySQL names all of them anew, in the order of their names.  ``shown``: SHOW CREATE TABLE of the other table there.
    """
    found = _SHOWN.findall(shown)
    if not found or len(found) != shown.count(" CHECK ("):
        return (ddl,)
    clauses = [f"DROP CONSTRAINT `{name}`" for name, _ in found]
    names = _names(ddl.subject.table, 0)
    clauses += [f"ADD CONSTRAINT {next(names)} CHECK {check}" for _, check in _in_order(found)]
    text = f"ALTER TABLE {ddl.subject.quoted()} {', '.join(clauses)}"
    return ddl, parse_ddl(text, default_schema=ddl.default_schema, flavor="mariadb")


def names_behind_like(shown: str, table: str) -> dict[str, str]:
    """CHECKs that LIKE, and the RENAME to ``table``, give another name in MySQL, with that."""
    found, names = _in_order(_SHOWN.findall(shown)), _names(table, 0)
    behind = {name: next(names)[1:-1] for name, _ in found}
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


def with_checks(ddl: Ddl, shown: str) -> Ddl:
    """The statement for MariaDB; ``shown`` is its SHOW CREATE TABLE before it, "" without one.

    Raises NO_SUCH_CHECK.
    """
    made = _MADE.findall(shown) if ddl.kind is DdlKind.ALTER_TABLE else []
    names = _names(ddl.subject.table, max((int(number) for _, number in made), default=0))
    edits: list[Edit] = []
    if ddl.create is not None:
        for element in ddl.create.elements:
            if isinstance(element.item, ColumnSpec):
                edits += _moved(ddl.text, element.item, element.clause.end, ", ", names)
            elif isinstance(element.item, Constraint) and not element.item.columns:
                start, end = element.clause.start, element.clause.end
                if not element.item.name:
                    edits.append(_named(ddl.text, start, next(names)))
                edits += in_force(ddl.text, start, end)
    for clause in ddl.clauses:
        edits += _clause_edits(ddl.text, clause, names, dict(made))
    edits += _forced(ddl, dict(made), shown)
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema)


def _names(table: str, last: int) -> Iterator[str]:
    return (quote_name(f"{table}_chk_{number}") for number in count(last + 1))


def _named(text: str, start: int, name: str) -> Edit:
    words = _UNNAMED.match(text, start)
    assert words is not None, "it is a CHECK without a name"
    return (*words.span(), f"CONSTRAINT {name} ")


def _moved(text: str, spec: ColumnSpec, end: int, head: str, names: Iterator[str]) -> Iterator[Edit]:
    """A column's CHECK, behind it as one of the table."""
    for clause in spec.clauses:
        if clause.key in ("CHECK", "CONSTRAINT"):
            check = text[clause.start : clause.end]
            if _UNNAMED.match(check):
                check = edited(check, [_named(check, 0, next(names))])
            yield clause.start, clause.end, ""
            yield end, end, head + edited(check, in_force(check, 0, len(check)))


def moved_for_mysql(text: str, spec: ColumnSpec, end: int, head: str, columns: Collection[str]) -> Iterator[Edit]:
    """A column's CHECK that names another one of ``columns`` (in lower case), behind the column as one of the table."""
    others = frozenset(columns) - {small(spec.name)}
    for clause in spec.clauses:
        if clause.key in ("CHECK", "CONSTRAINT") and _IS_CHECK.match(text, clause.start, clause.end):
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


def _clause_edits(text: str, clause: AlterClause, names: Iterator[str], made: dict[str, str]) -> Iterator[Edit]:
    start, end = clause.clause.start, clause.clause.end
    for one in clause.alterations:
        if isinstance(one, AddColumn | ChangeColumn):
            yield from _moved(text, one.column, end, ", ADD ", names)
    if not clause.alterations and (added := _ADDED.match(text, start, end)):
        if _UNNAMED.match(text, added.end()):
            yield _named(text, added.end(), next(names))
        yield from in_force(text, added.end(), end)
    if dropped := _DROPPED.match(text, start, end):
        token = tokenize(text[dropped.end() : end])[0]
        if other := _other_name(token.value, made):
            yield dropped.end() + token.start, dropped.end() + token.end, f"`{other}`"


def _other_name(name: str, made: dict[str, str]) -> str:
    """The name in the target of a CHECK that MySQL has named, by its number; "" where that is the same, or unknown."""
    number = _NUMBER.search(name)
    same = [other for other, n in made.items() if number is not None and n == number[1]]
    return same[0] if name not in made and len(same) == 1 else ""


def _forced(ddl: Ddl, made: dict[str, str], shown: str) -> Iterator[Edit]:
    """ALTER CHECK … [NOT] ENFORCED as another condition; the last one of a name counts.  Raises NO_SUCH_CHECK."""
    there = dict(_SHOWN.findall(shown))
    by_name = {small(name): name for name in there}
    last: dict[str, AlterClause] = {}
    for clause in ddl.clauses:
        if words := _FORCED.match(ddl.text, clause.clause.start, clause.clause.end):
            wanted = quote_name(tokenize(ddl.text[words.end() : clause.clause.end])[0].value)[1:-1]
            last[_other_name(wanted, made) or by_name.get(small(wanted), wanted)] = clause
    for name, clause in last.items():
        start, end, check = clause.clause.start, clause.clause.end, there.get(name)
        is_enforced = _NOT_ENFORCED.search(ddl.text[start:end]) is None
        if check is None and is_enforced:
            table = ddl.subject.quoted()
            raise NO_SUCH_CHECK.error(name=f"`{name}`", table=table, sql=shortened(ddl.text))
        if check is not None and is_enforced == check.startswith(_NO_FORCE):
            check = f"({check.removeprefix(_NO_FORCE)}" if is_enforced else f"(TRUE OR {check})"
            yield start, end, f"DROP CONSTRAINT `{name}`, ADD CONSTRAINT `{name}` CHECK {check}"
