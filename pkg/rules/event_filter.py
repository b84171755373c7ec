"""The binlog event filter: which kinds of changes of which upstream tables do not go downstream.

Of the rules whose patterns match, those for whole schemas come first, then those for tables, each in the
order in which the task names them.  The first that decides wins: a change that a rule names is left out
by Ignore and pauses the task by Error; one that it does *not* name is left out by Do.  Where none
decides, the change passes.  A rule names a DDL by ``events`` first, then by ``sql-pattern`` on its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.event_types import ROW_KINDS, EventType, canonical, names_it
from pkg.rules.pattern import Pattern, compile_pattern
from pkg.rules.table_index import TableIndex

BAD_EVENT_RULE = ErrorKind(
    20085,
    "config",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the binlog event filter {name}: {reason}",
    workaround="correct the rule in `filters`",
)


class Action(StrEnum):
    DO = "Do"
    IGNORE = "Ignore"
    ERROR = "Error"


@dataclass(frozen=True, slots=True)
class EventRule:
    """One rule as the task has it; an empty table pattern makes it a rule for the whole schema."""

    name: str
    schema_pattern: str
    table_pattern: str = ""
    events: tuple[str, ...] = ()
    sql_patterns: tuple[str, ...] = ()
    action: str = "Ignore"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a change, and the rule that says so ("": no rule does)."""

    action: Action
    rule: str = ""

    @property
    def passes(self) -> bool:
        return self.action is Action.DO


PASSES = Verdict(Action.DO)


@dataclass(frozen=True, slots=True)
class _Compiled:
    name: str
    number: int  # in the order of the rules
    table: Pattern | None
    events: tuple[str, ...]
    sql: re.Pattern[str] | None
    action: Action

    def verdict(self, event: EventType | None, sql: str) -> Verdict | None:
        """None: the next rule decides."""
        if event is not None and (found := self._decided(names_it(self.events, event))) is not None:
            return found
        if not sql or self.sql is None:
            return None
        return self._decided(self.sql.search(sql) is not None)

    def _decided(self, is_named: bool) -> Verdict | None:
        if is_named:
            return None if self.action is Action.DO else Verdict(self.action, self.name)
        return Verdict(Action.IGNORE, self.name) if self.action is Action.DO else None


class EventFilter:
    """Compiled once per task; the rows of each table are decided once."""

    def __init__(self, rules: Iterable[EventRule], case_sensitive: bool) -> None:
        self._case_sensitive = case_sensitive
        compiled = [
            (compile_pattern(rule.schema_pattern, case_sensitive), _compiled(rule, number, case_sensitive))
            for number, rule in enumerate(rules)
        ]
        self._rules = TableIndex((schema, rule.table, rule) for schema, rule in compiled)
        self.has_rules = bool(compiled)
        self._rows: dict[tuple[str, str], dict[str, Verdict]] = {}

    def rows(self, schema: str, table: str, kind: str) -> Verdict:
        """What becomes of a rows event; ``kind`` is insert, update or delete."""
        return self._of_rows(schema, table)[kind]

    def ignored_rows(self, schema: str, table: str) -> frozenset[str]:
        """The kinds of rows events that are left out."""
        verdicts = self._of_rows(schema, table).items()
        return frozenset(kind for kind, verdict in verdicts if verdict.action is Action.IGNORE)

    def refused_rows(self, schema: str, table: str) -> dict[str, str]:
        """The kinds of rows events that pause the task, each with the rule that says so."""
        verdicts = self._of_rows(schema, table).items()
        return {kind: verdict.rule for kind, verdict in verdicts if verdict.action is Action.ERROR}

    def _of_rows(self, schema: str, table: str) -> dict[str, Verdict]:
        found = self._rows.get((schema, table))
        if found is None:
            rules = self._rules_of(schema, table)
            found = {kind: _decide(rules, event, "") for kind, event in _ROW_EVENTS.items()}
            self._rows[schema, table] = found
        return found

    def ddl(self, schema: str, table: str, event: EventType | None, sql: str) -> Verdict:
        """What becomes of a DDL (``table`` "": on the database itself); ``event`` None: it could not be read."""
        return _decide(self._rules_of(schema, table), event, sql)

    def by_text(self, schema: str, table: str) -> list[str]:
        """The rules that look at the text of the table's DDL."""
        return [rule.name for rule in self._rules_of(schema, table) if rule.sql is not None]

    def _rules_of(self, schema: str, table: str) -> list[_Compiled]:
        """All that match, in the order in which they decide."""
        for_schema, for_tables = self._rules.of_schema(self._folded(schema))
        hits = [*for_schema, *for_tables.matching(self._folded(table))]
        return sorted(hits, key=lambda rule: (rule.table is not None, rule.number))

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive else name.lower()


def _decide(rules: Iterable[_Compiled], event: EventType | None, sql: str) -> Verdict:
    return next((verdict for rule in rules if (verdict := rule.verdict(event, sql)) is not None), PASSES)


_ROW_EVENTS = {kind: EventType(kind) for kind in ROW_KINDS}


def _compiled(rule: EventRule, number: int, case_sensitive: bool) -> _Compiled:
    """Raises BAD_EVENT_RULE, BAD_PATTERN."""
    if not rule.schema_pattern:
        raise BAD_EVENT_RULE.error(name=rule.name, reason="it has no schema-pattern")
    try:
        return _Compiled(
            name=rule.name,
            number=number,
            table=compile_pattern(rule.table_pattern, case_sensitive) if rule.table_pattern else None,
            events=tuple(canonical(word) for word in rule.events),
            sql=compile_sql_patterns(rule.sql_patterns),
            action=_action(rule.action),
        )
    except ValueError as exc:
        raise BAD_EVENT_RULE.error(name=rule.name, reason=str(exc)) from None


def check_sql_pattern(pattern: str) -> str:
    compile_sql_patterns((pattern,))
    return pattern


def compile_sql_patterns(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """One expression that finds any of ``patterns``; None for none."""
    for pattern in patterns:
        try:
            re.compile(pattern, re.IGNORECASE)
        except re.error as exc:
            raise ValueError(f"{pattern!r} is not a regular expression: {exc}") from None
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE) if patterns else None


def _action(word: str) -> Action:
    try:
        return Action(word)
    except ValueError:
        raise ValueError(f"the action must be Do, Ignore or Error, not {word!r}") from None
