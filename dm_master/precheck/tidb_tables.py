"""Whether the task's layouts of TiDB fit the target and the tables.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dm_master.precheck.facts import TableFacts, TargetFacts, UpstreamFacts
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import DMError
from pkg.schema.table import PRIMARY
from pkg.schema.tidb_layout import Layout, misfit


def check_tidb_tables(upstreams: Sequence[UpstreamFacts], target: TargetFacts) -> Check:
    found = [finding for facts in upstreams for finding in _findings(facts, target)]
    return Check("table_schema", "tidb table check", "rules of tidb-tables fit the tables", tuple(found))


def _findings(facts: UpstreamFacts, target: TargetFacts) -> Iterator[Finding]:
    layouts = facts.subtask.tidb_layouts()
    where = f"source {facts.subtask.source_id}"
    try:
        layouts.check_target(target.flavor)
        for table in facts.tables if facts.subtask.task_mode.has_full else ():
            rule = layouts.of(*table.name)
            if rule is None or facts.targets[table.name] in target.tables:
                continue
            layout = Layout(rule.shard_row_id_bits, rule.pre_split_regions, rule.auto_random, rule.primary_key)
            reason = misfit(layout, _primary_key(table), _counter(table))
            if reason:
                text = f"{where}: the rule {rule.name} of tidb-tables is not applied to {table}: {reason}"
                yield Finding(State.WARN, text, where, "narrow the patterns of the rule, or leave it as it is")
    except DMError as exc:
        yield Finding(State.FAIL, f"{where}: {exc.message}", where, exc.workaround)


def _primary_key(table: TableFacts) -> tuple[str, ...]:
    return next((key.columns for key in table.unique_keys if key.name == PRIMARY), ())


def _counter(table: TableFacts) -> str:
    return next((one.name for one in table.columns if one.auto_increment and one.type.lower().startswith("bigint")), "")
