"""A subtask: one task on one source, with all that the worker must know to run it.

It travels from dm-master to dm-worker as JSON *with* its passwords (``to_wire``); every other way of
printing it hides them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pkg.errors import DMError
from pkg.rows.foreign_keys import asks_for_key_checks, leaves_key_checks_open
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.column_mapping import ColumnMappingRule, ColumnMappings
from pkg.rules.column_rules import ColumnRules
from pkg.rules.event_filter import EventFilter, EventRule
from pkg.rules.expression_filter import ExpressionFilters, ExpressionRule
from pkg.rules.online_ddl import OnlineTables, Rules
from pkg.rules.router import Router
from pkg.rules.router import RouteRule as Route
from pkg.rules.tidb_tables import TidbTableRule, TidbTables
from pkg.task.blocks import (
    BlockAllowListConfig,
    ColumnMapping,
    DumpConfig,
    ExpressionFilter,
    LoadConfig,
    RouteRule,
    SparkConfig,
    SyncConfig,
)
from pkg.task.blocks import (
    EventFilter as EventFilterConfig,
)
from pkg.task.connection import ConnectionConfig
from pkg.task.option import Model, option
from pkg.task.problems import BAD_META, UNKNOWN_SOURCE, nearest_word
from pkg.task.secret import REVEAL
from pkg.task.source import CheckerConfig, SourceConfig
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.start_time import parse_start_time
from pkg.task.task import DEFAULT_SHADOW_RULES, DEFAULT_TRASH_RULES, Meta, MySQLInstance, TaskConfig
from pkg.task.tidb_block import TidbTable

_TAKING = {
    "block_allow_list", "case_sensitive", "online_ddl", "shadow_table_rules", "trash_table_rules",
    "task_mode", "routes", "column_mappings",
}  # fmt: skip
_ROUTERS = lru_cache(maxsize=8)(Router)
_MAPPINGS = lru_cache(maxsize=8)(ColumnMappings)
_EVENT_FILTERS = lru_cache(maxsize=8)(EventFilter)
_ROW_FILTERS = lru_cache(maxsize=8)(ExpressionFilters)
_ONLINE_TABLES = lru_cache(maxsize=8)(OnlineTables)


@lru_cache(maxsize=8)
def _allow_list(rules: BlockAllowRules, case_sensitive: bool, online: Rules | None) -> BlockAllowList:
    leaves_out = _ONLINE_TABLES(online).is_ghost if online is not None else None
    return BlockAllowList(rules, case_sensitive, leaves_out=leaves_out)


def _compiled_routes(routes: Sequence[RouteRule], names: Sequence[str], case_sensitive: bool) -> Router:
    rules = tuple(
        Route(
            name,
            rule.schema_pattern,
            rule.table_pattern,
            rule.target_schema,
            rule.target_table,
            rule.extracts(),
        )
        for name, rule in zip(names, routes, strict=True)
    )
    return _ROUTERS(rules, case_sensitive)


def _compiled_list(lists: BlockAllowListConfig, case_sensitive: bool, online: Rules | None = None) -> BlockAllowList:
    rules = BlockAllowRules(
        do_dbs=tuple(lists.do_dbs),
        do_tables=tuple((table.db_name, table.tbl_name) for table in lists.do_tables),
        ignore_dbs=tuple(lists.ignore_dbs),
        ignore_tables=tuple((table.db_name, table.tbl_name) for table in lists.ignore_tables),
    )
    return _allow_list(rules, case_sensitive, online)


class OtherSource(Model):
    """Another source of the same task: what it takes, and where that leads."""

    source_id: str
    routes: tuple[RouteRule, ...] = option((), "its routes")
    block_allow_list: BlockAllowListConfig = option(BlockAllowListConfig, "what of it is migrated")
    case_sensitive: bool = option(False, "names differ by case in its rules")

    def router(self) -> Router:
        names = [f"routes[{number}]" for number in range(len(self.routes))]
        return _compiled_routes(self.routes, names, self.case_sensitive)

    def allow_list(self) -> BlockAllowList:
        return _compiled_list(self.block_allow_list, self.case_sensitive)


class SubtaskConfig(Model):
    """Everything about one task on one source; passwords are plain in here, and hidden when printed."""

    task_name: str
    source_id: str
    task_mode: TaskMode
    meta: Meta | None = option(None, "where replication starts when the target has no checkpoint")
    start_time: str | None = option(None, "overrides meta and checkpoint once")
    remove_meta: bool = option(False, "forget the checkpoint before the start")
    upstream: ConnectionConfig
    flavor: str = option("", "mysql, mariadb, or empty: ask the server")
    server_id: int = option(0, "0: chosen at random")
    enable_gtid: bool = option(False, "replicate by GTID")
    case_sensitive: bool = option(False, "names differ by case in rules (task or source says so)")
    checker: CheckerConfig = option(CheckerConfig, "automatic resume")
    target: ConnectionConfig
    meta_schema: str = option("dm_meta", "schema of the task's own tables")
    timezone: str = option("", "of what the target computes itself; empty: UTC")
    routes: tuple[RouteRule, ...] = option((), "the routes of this source")
    route_names: tuple[str, ...] = option((), "their names in the task file")
    block_allow_list: BlockAllowListConfig = option(BlockAllowListConfig, "what is migrated")
    column_mappings: dict[str, ColumnMapping] = option({}, "the column mappings of this source, by name")
    tidb_tables: dict[str, TidbTable] = option({}, "layouts of TiDB for tables of this source, by name")
    filters: dict[str, EventFilterConfig] = option({}, "the event filters of this source, by name, in their order")
    expression_filters: dict[str, ExpressionFilter] = option({}, "the filters on row values of this source, by name")
    shard_mode: ShardMode = option(ShardMode.NONE, "coordination of DDL on merged tables")
    source_count: int = option(1, "sources of the task, of which this is one")
    other_sources: tuple[OtherSource, ...] = option((), "the others, where no DDL is coordinated")
    online_ddl: bool = option(True, "recognise gh-ost and pt tables")
    shadow_table_rules: tuple[str, ...] = option(
        tuple(DEFAULT_SHADOW_RULES), "patterns of shadow tables, anchored, one group"
    )
    trash_table_rules: tuple[str, ...] = option(
        tuple(DEFAULT_TRASH_RULES), "patterns of trash tables, anchored, one group"
    )
    ignore_checking_items: tuple[str, ...] = option((), "checks that are left out")
    dump: DumpConfig = option(DumpConfig, "how the full migration reads")
    load: LoadConfig = option(LoadConfig, "how the full migration writes")
    sync: SyncConfig = option(SyncConfig, "how replication writes")
    spark: SparkConfig = option(SparkConfig, "where the full migration runs")

    @property
    def consistency(self) -> str:
        """Whether the full migration reads one moment of the upstream: what the task says, else as it must.

        What a foreign key cascades upstream is in no binlog of MariaDB, so replication cannot make tables of
        different moments converge; and nothing is replicated after `full`.
        """
        needed = self.task_mode is TaskMode.FULL or asks_for_key_checks(self.target.session)
        return self.dump.asked_consistency or ("auto" if needed else "none")

    @property
    def chooses_key_checks(self) -> bool:
        """Whether the task says if the target checks foreign keys, or need not, since nothing is replicated."""
        return self.task_mode is TaskMode.FULL or not leaves_key_checks_open(self.target.session)

    @property
    def verify(self) -> str:
        """Whether copied chunks are compared: "checksum" or "none"."""
        return self.load.verify or ("none" if self.consistency == "none" else "checksum")

    def router(self) -> Router:
        """The routes of this source, compiled: once for all who ask, and so is what follows."""
        names = self.route_names or tuple(f"routes[{number}]" for number in range(len(self.routes)))
        return _compiled_routes(self.routes, names, self.case_sensitive)

    def column_rules(self) -> ColumnRules:
        """What becomes of the columns of this source's tables."""
        mappings = tuple(
            ColumnMappingRule(
                name,
                rule.schema_pattern,
                rule.table_pattern,
                rule.source_column,
                rule.target_column,
                rule.expression,
                tuple(rule.arguments),
            )
            for name, rule in self.column_mappings.items()
        )
        return ColumnRules(_MAPPINGS(mappings, self.case_sensitive), self.router(), self.source_id)

    def tidb_layouts(self) -> TidbTables:
        """How TiDB is to lay out the tables of this source."""
        rules = tuple(
            TidbTableRule(
                name,
                rule.schema_pattern,
                rule.table_pattern,
                rule.shard_row_id_bits,
                rule.pre_split_regions,
                rule.auto_random,
                rule.primary_key,
            )
            for name, rule in self.tidb_tables.items()
        )
        return TidbTables(rules, self.case_sensitive)

    def allow_list(self) -> BlockAllowList:
        """What is migrated of this source, compiled."""
        return _compiled_list(self.block_allow_list, self.case_sensitive, self._online_rules)

    @property
    def taken(self) -> str:
        """What decides which tables are taken, and where their rows go with what values, as JSON: for later starts."""
        return self.model_dump_json(include=_TAKING, by_alias=True)

    def before(self, taken: str) -> SubtaskConfig:
        """This subtask as it was when a run had stored ``taken``; that of an earlier build says less."""
        names = {"route-names": ()} if "routes" in json.loads(taken) else {}  # they are for messages alone
        return SubtaskConfig.model_validate(json.loads(self.to_wire()) | json.loads(taken) | names)

    def online_tables(self) -> OnlineTables | None:
        """What tells the tables of online DDL apart, compiled; None where they are tables like any other."""
        return _ONLINE_TABLES(self._online_rules) if self._online_rules is not None else None

    @property
    def _online_rules(self) -> Rules | None:
        return Rules(self.shadow_table_rules, self.trash_table_rules) if self.online_ddl else None

    def event_filter(self) -> EventFilter:
        """Which changes of this source are left out, compiled."""
        rules = tuple(
            EventRule(
                name, rule.schema_pattern, rule.table_pattern, tuple(rule.events), tuple(rule.sql_pattern), rule.action
            )
            for name, rule in self.filters.items()
        )
        return _EVENT_FILTERS(rules, self.case_sensitive)

    def row_filters(self, flavor: str) -> ExpressionFilters:
        """Which rows of this source, a server of the flavour, are left out of replication because of their values."""
        rules = tuple(
            ExpressionRule(
                name,
                rule.schema_,
                rule.table,
                rule.insert_value_expr,
                rule.update_old_value_expr,
                rule.update_new_value_expr,
                rule.delete_value_expr,
            )
            for name, rule in self.expression_filters.items()
        )
        return _ROW_FILTERS(rules, self.case_sensitive, flavor)

    def to_wire(self) -> bytes:
        """JSON with passwords, for dm-worker and nobody else."""
        return self.model_dump_json(context=REVEAL, by_alias=True).encode()

    @classmethod
    def from_wire(cls, wire: bytes | str) -> SubtaskConfig:
        return cls.model_validate_json(wire)


def split_task(
    task: TaskConfig,
    sources: Mapping[str, SourceConfig],
    *,
    key: bytes | None = None,
    start_time: str | None = None,
    remove_meta: bool = False,
    only_sources: frozenset[str] | set[str] = frozenset(),
) -> list[SubtaskConfig]:
    """One SubtaskConfig per source of the task, in the order of the file; ``key`` decrypts passwords."""
    _refuse_unknown(only_sources, task.source_ids, f"task {task.name} does not name")
    wanted = [one for one in task.mysql_instances if not only_sources or one.source_id in only_sources]
    _refuse_unknown([one.source_id for one in wanted], sources, f"task {task.name} names")
    target = task.target_database.decrypted(key, "target-database")
    common = _common_settings(task) | {"target": target, "start_time": start_time, "remove_meta": remove_meta}
    if start_time:  # a wrong one is refused before anything is forgotten for it
        moment = timedelta(microseconds=parse_start_time(start_time, task.timezone))
        common["start_time"] = (datetime.fromtimestamp(0, UTC) + moment).isoformat(sep=" ")
    elif not task.task_mode.has_full:
        for one in wanted:
            _refuse_gtid_alone(one, sources[one.source_id])
    others = (
        []
        if task.effective_shard_mode is not ShardMode.NONE
        else [_other(task, one, sources) for one in task.mysql_instances]
    )
    return [_subtask(task, one, sources[one.source_id].decrypted(key), common, others) for one in wanted]


def _other(task: TaskConfig, instance: MySQLInstance, sources: Mapping[str, SourceConfig]) -> OtherSource:
    """A source as the others see it; it may not be there yet."""
    source = sources.get(instance.source_id)
    return OtherSource(
        source_id=instance.source_id,
        routes=tuple(task.routes[name] for name in instance.route_rules),
        block_allow_list=task.block_allow_list.get(instance.block_allow_list, BlockAllowListConfig()),
        case_sensitive=task.case_sensitive or (source is not None and source.case_sensitive),
    )


def _refuse_gtid_alone(instance: MySQLInstance, source: SourceConfig) -> None:
    """Without GTIDs a GTID set is no place: the server would begin with its first binlog file."""
    meta = instance.meta
    if meta is None or meta.binlog_name or source.enable_gtid:
        return
    raise DMError(
        BAD_META,
        f"the start location of source {instance.source_id} is a binlog-gtid alone, and the source does not replicate "
        "by GTID",
        "set enable-gtid: true in the source file, or give binlog-name and binlog-pos",
        fields={"source": instance.source_id},
    )


def _refuse_unknown(wanted: Any, known: Any, who: str) -> None:
    unknown = sorted(set(wanted) - set(known))
    if not unknown:
        return
    near = nearest_word(unknown[0], known)
    hint = f"; did you mean {near}?" if near else ""
    other = "the source" if who.endswith("not name") else "a source that dm-master does not have:"
    raise DMError(
        UNKNOWN_SOURCE,
        f"{who} {other} {', '.join(unknown)}{hint}",
        "create sources by `operate-source create source.yaml`; `operate-source show` lists them",
        fields={"sources": tuple(unknown)},
    )


def _common_settings(task: TaskConfig) -> dict[str, Any]:
    return {
        "task_name": task.name,
        "task_mode": task.task_mode,
        "meta_schema": task.meta_schema,
        "timezone": task.timezone,
        "shard_mode": task.effective_shard_mode,
        "source_count": len(task.mysql_instances),
        "online_ddl": task.effective_online_ddl,
        "shadow_table_rules": tuple(task.shadow_table_rules),
        "trash_table_rules": tuple(task.trash_table_rules),
        "ignore_checking_items": tuple(task.ignore_checking_items),
        "spark": task.spark,
    }


def _subtask(
    task: TaskConfig,
    instance: MySQLInstance,
    source: SourceConfig,
    common: Mapping[str, Any],
    sources: Sequence[OtherSource],
) -> SubtaskConfig:
    return SubtaskConfig(
        **common,
        source_id=instance.source_id,
        other_sources=tuple(one for one in sources if one.source_id != instance.source_id),
        meta=instance.meta if not task.task_mode.has_full else None,
        upstream=source.from_,
        flavor=source.flavor,
        server_id=source.server_id,
        enable_gtid=source.enable_gtid,
        case_sensitive=task.case_sensitive or source.case_sensitive,
        checker=source.checker,
        routes=tuple(task.routes[name] for name in instance.route_rules),
        route_names=tuple(instance.route_rules),
        filters=_filters(task, instance, source),
        expression_filters={name: task.expression_filter[name] for name in instance.expression_filters},
        column_mappings={name: task.column_mappings[name] for name in instance.column_mapping_rules},
        tidb_tables={name: task.tidb_tables[name] for name in instance.tidb_table_rules},
        block_allow_list=task.block_allow_list.get(instance.block_allow_list, BlockAllowListConfig()),
        dump=_dump(task, instance),
        load=load_of(task, instance),
        sync=sync_of(task, instance),
    )


def _filters(task: TaskConfig, instance: MySQLInstance, source: SourceConfig) -> dict[str, EventFilterConfig]:
    of_source = {f"filters[{number}] of the source": rule for number, rule in enumerate(source.filters)}
    return of_source | {name: task.filters[name] for name in instance.filter_rules}


def _dump(task: TaskConfig, instance: MySQLInstance) -> DumpConfig:
    block = instance.mydumper or task.mydumpers.get(instance.mydumper_config_name) or DumpConfig()
    return block.model_copy(update={"threads": instance.mydumper_thread or block.threads})


def load_of(task: TaskConfig, instance: MySQLInstance) -> LoadConfig:
    block = instance.loader or task.loaders.get(instance.loader_config_name) or LoadConfig()
    return block.model_copy(update={"pool_size": instance.loader_thread or block.pool_size})


def sync_of(task: TaskConfig, instance: MySQLInstance) -> SyncConfig:
    block = instance.syncer or task.syncers.get(instance.syncer_config_name) or SyncConfig()
    return block.model_copy(update={"worker_count": instance.syncer_thread or block.worker_count})
