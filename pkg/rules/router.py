"""Routes: which downstream table the rows of an upstream table go to.

The order of rules has no meaning.  A rule with a table pattern beats one for whole schemas; among
those of one level the most specific wins; two equally specific ones are an error that names both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.extract import ExtractRule
from pkg.rules.pattern import Pattern, compile_pattern
from pkg.rules.system_schemas import is_system_schema
from pkg.rules.table_index import TableIndex

AMBIGUOUS_ROUTE = ErrorKind(
    20082,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the table `{schema}`.`{table}` matches two routes, {first} and {second}, and neither is more specific",
    workaround="narrow the schema-pattern or table-pattern of one of them",
)
ROUTE_WITHOUT_TARGET = ErrorKind(
    20083,
    "config",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the route {name} has no {field}",
    workaround="a route needs a schema-pattern and a target-schema, and for a target-table also a table-pattern",
)


@dataclass(frozen=True, slots=True)
class RouteRule:
    """One rule of the task's ``routes``; an empty table pattern makes it a rule for the whole schema."""

    name: str
    schema_pattern: str
    table_pattern: str
    target_schema: str
    target_table: str  # empty: the upstream table's own name
    extracts: tuple[ExtractRule, ...] = ()  # columns filled from the upstream's names


@dataclass(frozen=True, slots=True)
class Target:
    """A downstream table; ``table`` is "" where a schema was asked for."""

    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: RouteRule
    schema: Pattern
    table: Pattern | None
    weight: tuple[tuple[int, int], tuple[int, int]]  # of the two patterns

    def beats(self, other: _Compiled) -> bool:
        """At least as specific in schema and table, and more so in one."""
        mine, theirs = self.weight, other.weight
        return mine != theirs and mine[0] >= theirs[0] and mine[1] >= theirs[1]


class Router:
    """Compiled once per task; each table's target is found once."""

    def __init__(self, rules: Iterable[RouteRule], case_sensitive: bool) -> None:
        self._case_sensitive = case_sensitive
        compiled = [self._compiled(rule) for rule in rules]
        self._targets = {(one.rule.target_schema, one.rule.target_table) for one in compiled}
        self._rules = TableIndex((one.schema, one.table, one) for one in compiled)
        self._found: dict[tuple[str, str], tuple[Target, RouteRule | None]] = {}

    def route(self, schema: str, table: str) -> Target:
        """Where ``schema``.``table`` goes; with ``table`` "", where the schema itself goes.

        Raises AMBIGUOUS_ROUTE.
        """
        return self._look_up(schema, table)[0]

    def is_target(self, target: Target) -> bool:
        """Whether a rule leads to the table, so that several tables may."""
        return not self._targets.isdisjoint({(target.schema, target.table), (target.schema, "")})

    def extracts(self, schema: str, table: str) -> tuple[ExtractRule, ...]:
        """What the table's route fills columns from.  Raises AMBIGUOUS_ROUTE."""
        rule = self._look_up(schema, table)[1]
        return rule.extracts if rule is not None else ()

    def rule_name(self, schema: str, table: str) -> str:
        """The rule that gives the table its target; "" for none.  Raises AMBIGUOUS_ROUTE."""
        rule = self._look_up(schema, table)[1]
        return rule.name if rule is not None else ""

    def _look_up(self, schema: str, table: str) -> tuple[Target, RouteRule | None]:
        found = self._found.get((schema, table))
        if found is None:
            found = self._found[schema, table] = self._find(schema, table)
        return found

    def _compiled(self, rule: RouteRule) -> _Compiled:
        for field, value in (("schema-pattern", rule.schema_pattern), ("target-schema", rule.target_schema)):
            if not value:
                raise ROUTE_WITHOUT_TARGET.error(name=rule.name, field=field)
        if rule.target_table and not rule.table_pattern:
            raise ROUTE_WITHOUT_TARGET.error(name=rule.name, field="table-pattern, but a target-table")
        table = compile_pattern(rule.table_pattern, self._case_sensitive) if rule.table_pattern else None
        schema = compile_pattern(rule.schema_pattern, self._case_sensitive)
        return _Compiled(rule, schema, table, (schema.specificity, table.specificity if table else (0, 0)))

    def _find(self, schema: str, table: str) -> tuple[Target, RouteRule | None]:
        rule = self._rule_of(schema, table)
        if rule is None:
            return Target(schema, table), None
        return Target(rule.target_schema, (rule.target_table or table) if table else ""), rule

    def _rule_of(self, schema: str, table: str) -> RouteRule | None:
        if is_system_schema(schema):
            return None
        schema_rules, table_rules = self._rules.of_schema(self._folded(schema))
        matching = table_rules.matching(self._folded(table)) if table else []
        return self._most_specific(matching or schema_rules, schema, table)

    def _most_specific(self, rules: list[_Compiled], schema: str, table: str) -> RouteRule | None:
        if len(rules) == 1:
            return rules[0].rule
        best = [one for one in rules if not any(other.beats(one) for other in rules)]
        if len(best) > 1:
            first, second = sorted(one.rule.name for one in best)[:2]
            raise AMBIGUOUS_ROUTE.error(schema=schema, table=table, first=first, second=second)
        return best[0].rule if best else None

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive else name.lower()
