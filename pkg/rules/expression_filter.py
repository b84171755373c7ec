"""Expression filters of a task: which row changes are left out because of their values.

A change is left out when an expression for its kind is TRUE (neither FALSE nor NULL) of its row; an update
when the expressions of its old and of its new row are, where a filter gives both.  A filter whose
expression does not fit its table is an error as soon as the table is known: nothing passes unjudged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.expression.node import RowImage, Run
from pkg.rules.expression.problem import BadExpression, UnknownColumn
from pkg.schema.table import Table

_WAYS_OUT = "correct the expression-filter in the task file and start the task again: its checkpoint is kept"
BAD_FILTER = ErrorKind(
    36160,
    "sync-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "expression-filter {filter}: {option} {expression!r} does not fit the table {table}: {reason}",
    workaround=_WAYS_OUT,
)
MISSING_COLUMN = ErrorKind(
    36161,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "expression-filter {filter}: {option} {expression!r} names the column {column}, which {table} does not have "
    "(any more)",
    workaround=_WAYS_OUT,
)
NO_VALUE = ErrorKind(
    36162,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "expression-filter {filter}: {option} {expression!r} has no value for a row of {table}: {reason}; the row: {row}",
    workaround="write the expression so that it has a value for such rows (CASE, CAST), start the task again with it",
)
_SHOWN_BYTES = 400
_OPTIONS = ("insert-value-expr", "update-old-value-expr", "update-new-value-expr", "delete-value-expr")
_OLD, _NEW = _OPTIONS[1:3]


def problem_of(expression: str) -> str:
    """What is wrong with an expression as far as that is known without its table; "" for nothing."""
    from pkg.rules.expression.grammar import parse  # sqlglot takes a tenth of a second, and few tasks need it

    try:
        parse(expression)
    except BadExpression as exc:
        return str(exc)
    return ""


@dataclass(frozen=True, slots=True)
class ExpressionRule:
    """One named filter; an expression that is not given is ""."""

    name: str
    schema: str
    table: str
    insert: str = ""
    update_old: str = ""
    update_new: str = ""
    delete: str = ""

    def given(self) -> dict[str, str]:
        """The expressions by their options."""
        texts = (self.insert, self.update_old, self.update_new, self.delete)
        return {option: text for option, text in zip(_OPTIONS, texts, strict=True) if text.strip()}


@dataclass(frozen=True, slots=True)
class _Condition:
    """One compiled expression."""

    filter: str
    option: str
    text: str
    run: Run

    def holds(self, image: RowImage, table: str) -> bool:
        try:
            return self.run(image) is True
        except (ValueError, ArithmeticError) as exc:  # BadValue, or numbers beyond all that Python converts
            shown = b", ".join(image)[:_SHOWN_BYTES].decode("utf-8", "replace")
            raise NO_VALUE.error(
                filter=self.filter, option=self.option, expression=self.text, table=table, reason=str(exc), row=shown
            ) from exc


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The filters of one table with its present structure."""

    table: str
    inserts: tuple[_Condition, ...]
    updates: tuple[tuple[_Condition | None, _Condition | None], ...]
    deletes: tuple[_Condition, ...]

    def concerns(self, kind: str) -> bool:
        """Whether changes of this kind (insert, update, delete) are looked at."""
        return bool({"insert": self.inserts, "update": self.updates, "delete": self.deletes}[kind])

    def runs(self, kind: str, images: Sequence[RowImage]) -> Iterator[tuple[bool, list[RowImage]]]:
        """The images cut where what is left out (False) and what stays (True) follow each other."""
        width = 2 if kind == "update" else 1
        changes = (images[at : at + width] for at in range(0, len(images), width))
        for stays, group in groupby(changes, lambda change: not self.leaves_out(kind, change)):
            yield stays, [image for change in group for image in change]

    def leaves_out(self, kind: str, change: Sequence[RowImage]) -> bool:
        """Raises NO_VALUE."""
        if kind == "update":
            before, after = change
            return any(
                (old is None or old.holds(before, self.table)) and (new is None or new.holds(after, self.table))
                for old, new in self.updates
            )
        conditions = self.inserts if kind == "insert" else self.deletes
        return any(condition.holds(change[0], self.table) for condition in conditions)


class ExpressionFilters:
    """The filters of one source, by upstream table; ``flavor`` is the upstream's, whose verdicts theirs are."""

    def __init__(self, rules: Iterable[ExpressionRule], case_sensitive: bool, flavor: str) -> None:
        self._case_sensitive = case_sensitive
        self._flavor = flavor
        self._rules: dict[tuple[str, str], list[ExpressionRule]] = {}
        for rule in rules:
            if rule.given():
                self._rules.setdefault(self._key(rule.schema, rule.table), []).append(rule)

    def _key(self, schema: str, table: str) -> tuple[str, str]:
        return (schema, table) if self._case_sensitive else (schema.lower(), table.lower())

    def has(self, schema: str, table: str) -> bool:
        return self._key(schema, table) in self._rules

    def same(self, one: tuple[str, str], other: tuple[str, str]) -> bool:
        """Whether two names of tables are one."""
        return self._key(*one) == self._key(*other)

    def tables(self) -> list[tuple[str, str]]:
        """Schema and table of each filter, as the task file has them."""
        return [(rules[0].schema, rules[0].table) for rules in self._rules.values()]

    def of(self, table: Table) -> RowFilter | None:
        """None for a table without a filter.  Raises BAD_FILTER, MISSING_COLUMN."""
        rules = self._rules.get(self._key(table.schema, table.name)) if self._rules else None
        if rules is None:
            return None
        compiled = [
            {option: _compiled(rule, option, text, table, self._flavor) for option, text in rule.given().items()}
            for rule in rules
        ]
        return RowFilter(
            table=f"{table.schema}.{table.name}",
            inserts=tuple(one["insert-value-expr"] for one in compiled if "insert-value-expr" in one),
            updates=tuple((one.get(_OLD), one.get(_NEW)) for one in compiled if _OLD in one or _NEW in one),
            deletes=tuple(one["delete-value-expr"] for one in compiled if "delete-value-expr" in one),
        )


def _compiled(rule: ExpressionRule, option: str, text: str, table: Table, flavor: str) -> _Condition:
    from pkg.rules.expression.compiler import condition_of
    from pkg.rules.expression.grammar import parse

    name = f"{table.schema}.{table.name}"
    fields: dict[str, Any] = {"filter": rule.name, "option": option, "expression": text, "table": name}
    try:
        return _Condition(rule.name, option, text, condition_of(parse(text), table, flavor))
    except UnknownColumn as exc:
        raise MISSING_COLUMN.error(column=exc.column, **fields) from exc
    except BadExpression as exc:
        raise BAD_FILTER.error(reason=str(exc), **fields) from exc
