"""The CHECKs of a table, with the names that MySQL gives those which have none.

MySQL names them TABLE_chk_NUMBER, from behind the largest number that the statement leaves, and again when the table is
renamed; LIKE names all of a table anew, in the order of their names.  A column that is dropped takes its CHECKs along.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pkg.schema.alter import AddColumn, AlterClause, ChangeColumn, DropColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.create import Element, TableSpec
from pkg.schema.cursor import Clause
from pkg.schema.indexes import Constraint
from pkg.schema.letter_case import small
from pkg.schema.lexer import Token, names_in, tokenize
from pkg.schema.statement import Ddl
from pkg.schema.table import Check

UNNAMED = re.compile(r"(?:CONSTRAINT\s+)?(?=CHECK\b)", re.ASCII | re.IGNORECASE)
_SAID = r"(?:CONSTRAINT\s+(?:`(?:[^`]|``)*`\s*|(?!CHECK\b)[\w$]+\s+)?)?CHECK\b"
_IS_CHECK = re.compile(_SAID, re.ASCII | re.IGNORECASE)
ADDED = re.compile(rf"ADD\s+(?={_SAID})", re.ASCII | re.IGNORECASE)
_MARK = re.compile(r"/\*!\d{5}|\*/", re.ASCII)
DROPPED = re.compile(r"DROP\s+(?:CHECK|CONSTRAINT)\s+", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SaidCheck:
    """One that a statement says; ``name`` is "" where it says none."""

    name: str
    condition: str  # its tokens

    def named(self, names: Iterator[str], columns: frozenset[str]) -> Check:
        return Check(self.name or next(names), tuple(sorted(names_in(self.condition) & columns)))


def leaves_check_names(ddl: Ddl) -> bool:
    """Whether the statement makes one that has no name."""
    return any(not one.name for one in said_checks(ddl))


def created_checks(text: str, spec: TableSpec, table: str) -> tuple[Check, ...]:
    """Those of a CREATE TABLE whose text this is."""
    columns = frozenset(small(column.name) for column in spec.columns)
    names = names_of(table, 0)
    return tuple(one.named(names, columns) for element in spec.elements for one in _of_element(text, element))


def altered_checks(ddl: Ddl, checks: Sequence[Check], columns: frozenset[str]) -> tuple[Check, ...]:
    """Those of a table behind an ALTER TABLE; ``columns``: of the table behind it, in small letters."""
    names = newnames_of(ddl, checks)
    return (*_left(ddl, checks), *(one.named(names, columns) for one in said_checks(ddl)))


class NewNames:
    """For the CHECKs that a statement says without one.

    ``checks``: the table's before it, None where they are not known; then ``last`` is the largest number in the target.
    ``there``: names that the target has, which a repeated part of the statement may have given.
    """

    def __init__(self, ddl: Ddl, checks: Sequence[Check] | None, last: int, there: Collection[str] = ()) -> None:
        self._there = there
        self._more = names_of(ddl.subject.table, last)
        unnamed = [one.condition for one in said_checks(ddl) if not one.name]
        known = newnames_of(ddl, checks or ()) if checks is not None or ddl.create is not None else self._more
        self._made = [(condition, next(known)) for condition in unnamed]

    def take(self, check: str) -> str:
        """For one of them, or of a part of the statement; by its condition, since parts may be left out."""
        condition = condition_of(tokenize(check))
        same = [one for one in self._made if one[0] == condition] or self._made
        if not same:
            return next(self._more)
        found = next((one for one in same if one[1] not in self._there), same[0])
        self._made.remove(found)
        return found[1]


def newnames_of(ddl: Ddl, checks: Sequence[Check]) -> Iterator[str]:
    """For those that a statement adds without a name to a table with these, in the order of the text."""
    old, new = ddl.subject.table, ddl.renames[-1][1].table if ddl.renames else ddl.subject.table
    return names_of(new, max((_number(one.name, old) for one in _left(ddl, checks)), default=0))


def renamed_checks(checks: Sequence[Check], old: str, new: str) -> tuple[Check, ...]:
    return tuple(
        replace(one, name=f"{new}_chk_{digits}") if (digits := made_number(one.name, old)) else one for one in checks
    )


def like_checks(checks: Sequence[Check], table: str) -> tuple[Check, ...]:
    names = names_of(table, 0)
    return tuple(replace(one, name=next(names)) for one in sorted(checks, key=lambda one: small(one.name)))


def said_checks(ddl: Ddl) -> Iterator[SaidCheck]:
    """Those of a CREATE or ALTER TABLE, in the order of the text."""
    if ddl.create is not None:
        for element in ddl.create.elements:
            yield from _of_element(ddl.text, element)
    for clause in ddl.clauses:
        yield from _of_clause(ddl.text, clause)


def names_of(table: str, last: int) -> Iterator[str]:
    """As MySQL makes them behind a number."""
    return (f"{table}_chk_{number}" for number in count(last + 1))


def condition_of(tokens: Sequence[Token]) -> str:
    """What stands in the parentheses behind CHECK, token by token."""
    start = next(place for place, token in enumerate(tokens) if token.key == "CHECK") + 1
    depth, found = 0, []
    for token in tokens[start:]:
        depth += {"(": 1, ")": -1}.get(token.key, 0)
        found.append(token.text)
        if not depth:
            break
    return " ".join(found)


def _left(ddl: Ddl, checks: Sequence[Check]) -> list[Check]:
    """Those of the table before an ALTER TABLE that it does not drop."""
    columns = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    dropped = {small(name) for clause in ddl.clauses if (name := _dropped(ddl.text, clause))}
    return [one for one in checks if small(one.name) not in dropped and columns.isdisjoint(one.columns)]


def _dropped(text: str, clause: AlterClause) -> str:
    found = DROPPED.match(text, clause.clause.start, clause.clause.end)
    return tokenize(text[found.end() : clause.clause.end])[0].value if found is not None else ""


def _of_element(text: str, element: Element) -> Iterator[SaidCheck]:
    if isinstance(element.item, ColumnSpec):
        yield from _of_column(text, element.item)
    elif isinstance(element.item, Constraint) and not element.item.columns:
        yield _said(text, element.clause)


def _of_clause(text: str, clause: AlterClause) -> Iterator[SaidCheck]:
    for one in clause.alterations:
        if isinstance(one, AddColumn | ChangeColumn):
            yield from _of_column(text, one.column)
    if not clause.alterations and ADDED.match(text, clause.clause.start, clause.clause.end):
        yield _said(text, clause.clause)


def clauses_of_checks(text: str, spec: ColumnSpec) -> Iterator[Clause]:
    """Those of a column's clauses that are CHECKs."""
    for clause in spec.clauses:
        if clause.key in ("CHECK", "CONSTRAINT") and _IS_CHECK.match(text, clause.start, clause.end):
            yield clause


def _of_column(text: str, spec: ColumnSpec) -> Iterator[SaidCheck]:
    return (_said(text, clause) for clause in clauses_of_checks(text, spec))


def _said(text: str, clause: Clause) -> SaidCheck:
    tokens = tokenize(_MARK.sub(" ", text[clause.start : clause.end]))  # NOT ENFORCED stands in such a comment
    place = next(place for place, token in enumerate(tokens) if token.key == "CHECK")
    named = place and tokens[place - 1].key != "CONSTRAINT" and tokens[place - 1].key != "ADD"
    return SaidCheck(tokens[place - 1].value if named else "", condition_of(tokens))


def _number(name: str, table: str) -> int:
    return int(made_number(name, table) or 0)


def made_number(name: str, table: str) -> str:
    """Of a name that MySQL takes for one that it has made for the table, letter by letter; "" for others."""
    digits = name.removeprefix(f"{table}_chk_")
    return digits if digits != name and digits.isascii() and digits.isdecimal() else ""
