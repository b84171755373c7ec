"""Checks of expression filters: that each fits its table, as far as the upstream has it.  Pure."""

from __future__ import annotations

from collections.abc import Iterator

from dm_master.precheck.columns import structure_of
from dm_master.precheck.facts import UpstreamFacts
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import DMError
from pkg.rules.expression_filter import ExpressionFilters


def check_row_filters(facts: UpstreamFacts) -> Check:
    """Unknown columns, functions and types are failures; a table that is not there is worth a warning."""
    where = f"source {facts.subtask.source_id}"
    findings = tuple(_findings(facts, facts.subtask.row_filters(facts.flavor), where))
    return Check("table_schema", "expression filter check", f"expression filters fit their tables ({where})", findings)


def _findings(facts: UpstreamFacts, filters: ExpressionFilters, where: str) -> Iterator[Finding]:
    missing = filters.tables()
    for table in facts.tables:
        if not filters.has(*table.name):
            continue
        missing = [name for name in missing if not filters.same(name, table.name)]
        try:
            filters.of(structure_of(table))
        except DMError as exc:
            yield Finding(State.FAIL, f"{where}: {exc.message}", str(table), exc.workaround)
    for schema, name in missing:
        text = f"{where}: no table {schema}.{name} that is migrated, so its expression filter has no effect (yet)"
        yield Finding(State.WARN, text, where, "correct `schema` and `table` if it should be there")
