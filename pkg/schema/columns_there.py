"""Clauses of MySQL's ALTER TABLE for which MariaDB wants a column's whole definition, as its table has it.

MariaDB makes a column visible or invisible by MODIFY alone, and its MODIFY takes a CHECK from the column, which MySQL
keeps as one of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pkg.schema.alter import AlterClause, ChangeColumn, SetVisibility
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, Edit, edited

_CHECKS = ("CHECK", "CONSTRAINT")


@dataclass(frozen=True, slots=True)
class _Definition:
    text: str  # with its name, without INVISIBLE
    checks: tuple[str, ...]
    fills_itself: bool  # where a statement does not name it


def needs_definitions(ddl: Ddl) -> bool:
    return any(isinstance(one, SetVisibility | ChangeColumn) for one in ddl.alterations)


def with_definitions(ddl: Ddl, shown: str) -> Ddl:
    """The statement as MariaDB takes it; ``shown`` is its SHOW CREATE TABLE before it."""
    there = dict(_definitions(shown))
    edits = [edit for clause in ddl.clauses for edit in _edits(clause, there)]
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def _definitions(shown: str) -> Iterator[tuple[str, _Definition]]:
    parsed = parse_ddl(shown, default_schema="there", flavor="mariadb")
    assert parsed.create is not None, "it is a CREATE TABLE"
    for element in parsed.create.elements:
        if isinstance(spec := element.item, ColumnSpec):
            start, end = element.clause.start, element.clause.end
            hidden = [(one.start - start, one.end - start, "") for one in spec.clauses if one.key == "INVISIBLE"]
            checks = tuple(parsed.text[one.start : one.end] for one in spec.clauses if one.key in _CHECKS)
            checks = tuple(check for check in checks if not _is_of_type(check, spec.name))
            fills_itself = spec.nullable is not False or spec.default is not None or bool(spec.generated)
            yield small(spec.name), _Definition(edited(parsed.text[start:end], hidden), checks, fills_itself)


def _edits(clause: AlterClause, there: Mapping[str, _Definition]) -> Iterator[Edit]:
    for one in clause.alterations:
        match one:
            case SetVisibility(name, invisible) if small(name) in there:
                column = there[small(name)]
                hides = invisible and column.fills_itself  # else MariaDB refuses it, and the column stays visible
                text = f"MODIFY COLUMN {column.text}{' INVISIBLE' * hides}"
                yield clause.clause.start, clause.clause.end, text
            case ChangeColumn(old, column) if small(old) in there:
                for check in there[small(old)].checks:
                    yield clause.clause.end, clause.clause.end, f", ADD {_renamed(check, old, column.name)}"


def _is_of_type(check: str, column: str) -> bool:
    """Whether it is the one that MariaDB gives each column of JSON: it goes with the type, and comes with it."""
    tokens = [token for token in tokenize(check) if token.kind is not Kind.END]
    words = [token.text if token.kind is Kind.QUOTED else token.key for token in tokens]
    return words == ["CHECK", "(", "JSON_VALID", "(", quote_name(column), ")", ")"]


def _renamed(check: str, old: str, new: str) -> str:
    """The condition of a column that gets another name; SHOW CREATE TABLE quotes all names."""
    named = [one for one in tokenize(check) if one.kind is Kind.QUOTED and small(one.value) == small(old)]
    return edited(check, [(one.start, one.end, quote_name(new)) for one in named])
