"""How TiDB is to lay out tables that the full migration creates: `tidb-tables` of a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.router import AMBIGUOUS_ROUTE, Router, RouteRule

TWO_TIDB_RULES = ErrorKind(
    20086,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "the table `{schema}`.`{table}` matches two rules of tidb-tables, {first} and {second}, and neither is more "
    "specific",
    workaround="narrow the schema-pattern or table-pattern of one of them",
)
NOT_A_TIDB = ErrorKind(
    20087,
    "config",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the task has rules for TiDB's tables ({rules}), and the target is {flavor}",
    workaround="take tidb-table-rules out of the instances, or migrate to TiDB",
)

MOST_BITS = 15


@dataclass(frozen=True, slots=True)
class TidbTableRule:
    """One rule; 0 and "" leave a thing as TiDB does it by itself."""

    name: str
    schema_pattern: str
    table_pattern: str
    shard_row_id_bits: int = 0
    pre_split_regions: int = 0
    auto_random: int = 0
    primary_key: str = ""  # "clustered" or "nonclustered"


def problem_of(shard_row_id_bits: int, pre_split_regions: int, auto_random: int, primary_key: str) -> tuple[str, str]:
    """The option of a rule that is wrong and what is wrong with it; "" when nothing is."""
    bits = shard_row_id_bits or auto_random
    if shard_row_id_bits and auto_random:
        return "auto-random", "`shard-row-id-bits` is for tables without a clustered key, and this makes one"
    if shard_row_id_bits and primary_key == "clustered":
        return "primary-key", "a table with a clustered key has no row ids that `shard-row-id-bits` could spread"
    if auto_random and primary_key == "nonclustered":
        return "primary-key", "`auto-random` needs a clustered key"
    if pre_split_regions and not bits:
        return "pre-split-regions", "needs `shard-row-id-bits` or `auto-random`: what is not spread cannot be split"
    if pre_split_regions > bits:
        return "pre-split-regions", f"is more than the {bits} bits by which rows are spread"
    if not (bits or primary_key):
        return "schema-pattern", "the rule sets nothing"
    return "", ""


class TidbTables:
    """The rules of one source, compiled: as with routes, the most specific one counts."""

    def __init__(self, rules: Iterable[TidbTableRule], case_sensitive: bool) -> None:
        self._rules = {rule.name: rule for rule in rules}
        routes = [RouteRule(rule.name, rule.schema_pattern, rule.table_pattern, "any", "") for rule in rules]
        self._router = Router(routes, case_sensitive)

    def of(self, schema: str, table: str) -> TidbTableRule | None:
        """Raises TWO_TIDB_RULES."""
        try:
            name = self._router.rule_name(schema, table)
        except DMError as exc:
            if not exc.is_a(AMBIGUOUS_ROUTE):
                raise
            raise TWO_TIDB_RULES.error(**exc.fields) from None
        return self._rules.get(name)

    def check_target(self, flavor: str) -> None:
        """Raises NOT_A_TIDB."""
        if self._rules and flavor != "tidb":
            raise NOT_A_TIDB.error(rules=", ".join(self._rules), flavor={"mysql": "MySQL"}.get(flavor, "MariaDB"))
