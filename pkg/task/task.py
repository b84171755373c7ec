"""The task file: what is migrated from which sources into which target, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from pkg.errors import DMError
from pkg.rules.online_ddl import compile_rule
from pkg.task import problems
from pkg.task.blocks import (
    BlockAllowListConfig,
    ColumnMapping,
    DumpConfig,
    EventFilter,
    ExpressionFilter,
    LoadConfig,
    RouteRule,
    SparkConfig,
    SyncConfig,
    ValidatorConfig,
)
from pkg.task.connection import ConnectionConfig
from pkg.task.option import Model, option, refused, tuning
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.tidb_block import TidbTable
from pkg.task.values import TimeZone

CHECK_ITEMS = frozenset(
    [
        "all",
        "dump_privilege",
        "replication_privilege",
        "version",
        "server_id",
        "binlog_enable",
        "binlog_format",
        "binlog_row_image",
        "table_schema",
        "schema_of_shard_tables",
        "auto_increment_ID",
        "online_ddl",
        "binlog_db",
        "meta_position",
        "conn_number",
        "target_privilege",
        "shared_target",
        "local_infile",
        "exactness",
        "empty_region",
        "region_distribution",
        "downstream_version",
        "free_space",
        "downstream_mutex_features",
        "downstream_table_empty",
        "uncopied_tables",
        "changed_rules",
        "primary_key",
    ]
)
DEFAULT_SHADOW_RULES = ["^_(.+)_(?:new|gho)$"]
DEFAULT_TRASH_RULES = ["^_(.+)_(?:ghc|del|old)$"]
MAX_TASK_NAME_LENGTH = 40  # it is the prefix of table names, which may have 64 characters

_IN_DM_TOO = "DM does not act on it any more either"


def _check_name(name: str) -> str:
    if len(name) > MAX_TASK_NAME_LENGTH:
        raise ValueError(f"at most {MAX_TASK_NAME_LENGTH} characters: table names in the target start with it")
    if name != name.strip() or any(character in "`/\\\0\n\r\t" for character in name):
        raise ValueError("no spaces at the ends, no back quotes, slashes and control characters")
    return name


def _check_ghost_rules(rules: list[str]) -> list[str]:
    for rule in rules:
        try:
            compile_rule(rule)
        except DMError as exc:
            raise ValueError(f"{rule!r} is not valid: {exc.fields['reason']}") from exc
    return rules


def _known_mode(value: Any) -> Any:
    if value == "load&sync":
        raise ValueError("it is not in this version: use load, and then incremental with the `meta` that load shows")
    return value


def _known_shard_mode(value: Any) -> Any:
    if value == "optimistic":
        raise ValueError("optimistic shard DDL is not in this version: use pessimistic")
    return value


def _text_mode(mode: TaskMode | ShardMode) -> str:
    return str(mode)


def _check_items(items: list[str]) -> list[str]:
    for item in items:
        if item not in CHECK_ITEMS:
            near = problems.nearest_word(item, CHECK_ITEMS)
            hint = f", did you mean `{near}`?" if near else f"; known are {', '.join(sorted(CHECK_ITEMS))}"
            raise ValueError(f"{item!r} is not a checking item{hint}")
    return items


class Meta(Model):
    """Where replication starts, for task-mode incremental."""

    binlog_name: str = option("", "binlog file", sample="mysql-bin.000001")
    binlog_pos: int = option(0, "position in the file", sample=4, ge=0, le=2**63 - 1)
    binlog_gtid: str = option("", "GTID set that is there already")


class MySQLInstance(Model):
    """One source in the task, with the names of the rules and settings that hold for it."""

    source_id: str = option(
        ..., "source-id of the source file", sample="mysql-replica-01", kind=problems.NO_SOURCE_ID, min_length=1
    )
    meta: Meta | None = option(None, "where replication starts; only for incremental", kind=problems.BAD_META)
    route_rules: list[str] = option([], "names of `routes`", sample=["orders", "shop"])
    block_allow_list: str = option(
        "", "name of a `block-allow-list`", old_names=("black-white-list",), sample="shop-only"
    )
    filter_rules: list[str] = option([], "names of `filters`", sample=["no-truncate"])
    expression_filters: list[str] = option([], "names of `expression-filter`", sample=["old-orders"])
    column_mapping_rules: list[str] = option([], "names of `column-mappings`")
    tidb_table_rules: list[str] = option([], "names of `tidb-tables`")
    mydumper_config_name: str = option("", "name of a `mydumpers` block", sample="global")
    mydumper: DumpConfig | None = option(None, "the settings themselves, instead of a name")
    mydumper_thread: int = option(0, "overrides `threads`; 0: does not", ge=0, le=1024)
    loader_config_name: str = option("", "name of a `loaders` block", sample="global")
    loader: LoadConfig | None = option(None, "the settings themselves, instead of a name")
    loader_thread: int = option(0, "overrides `pool-size`; 0: does not", ge=0, le=1024)
    syncer_config_name: str = option("", "name of a `syncers` block", sample="global")
    syncer: SyncConfig | None = option(None, "the settings themselves, instead of a name")
    syncer_thread: int = option(0, "overrides `worker-count`; 0: does not", ge=0, le=1024)
    validator_config_name: str = option("", "name of a `validators` block; only mode none is in this version")


class Experimental(Model):
    """DM's experimental options."""

    async_checkpoint_flush: bool = tuning(False, "save checkpoints beside the work", "this is always so here")


class MariaDBConversion(Model):
    """DM's rewriting of MariaDB's DDL."""

    mode: Annotated[str, BeforeValidator(lambda v: {True: "on", False: "off"}.get(v, v))] = refused(
        "auto", "when to rewrite", "DDL of MariaDB is always fitted to the target", accepted=("on",)
    )
    strict_mode: bool = tuning(True, "stop at what cannot be rewritten", "this is always so here")
    enabled_rules: list[str] = refused([], "rules to apply", "the rules cannot be chosen")
    disabled_rules: list[str] = refused([], "rules to leave out", "the rules cannot be chosen")


class TaskConfig(Model):
    """One migration: sources, target, mode, rules and settings."""

    name: Annotated[str, AfterValidator(_check_name)] = option(
        ...,
        "name of the task; the task's tables in the target start with it",
        sample="shop",
        kind=problems.NO_TASK_NAME,
        min_length=1,
    )
    task_mode: Annotated[TaskMode, BeforeValidator(_known_mode), PlainSerializer(_text_mode, return_type=str)] = option(
        ...,
        "full: migrate once; incremental: replicate; all: the one and then the other; dump: write the upstream to "
        "files in mydumper's layout; load: bring such files into the target (docs/dump-files.md)",
        sample="all",
        kind=problems.BAD_TASK_MODE,
    )
    shard_mode: Annotated[
        ShardMode, BeforeValidator(_known_shard_mode), PlainSerializer(_text_mode, return_type=str)
    ] = option(
        "",
        "how DDL on tables that are merged into one is coordinated (docs/shard-ddl.md); empty: not, a DDL on merged "
        "tables pauses the task",
        kind=problems.BAD_SHARD_MODE,
        sample="pessimistic",
    )
    is_sharding: bool = option(False, "the same as shard-mode pessimistic", deprecated="shard-mode: pessimistic")
    strict_optimistic_shard_mode: bool = refused(
        False,
        "errors instead of waiting in optimistic mode",
        "there is no optimistic mode in this version",
        kind=problems.STRICT_OPTIMISTIC,
    )
    meta_schema: str = option(
        "dm_meta", "schema in the target for the task's own tables", sample="dm_meta", min_length=1, max_length=64
    )
    timezone: TimeZone = option(
        "",
        "time zone (IANA name or offset) of local times that the target fills in by itself (columns that the upstream "
        "lacks) and of a --start-time that names none; empty: UTC. Rows are written in UTC whatever this says, so a "
        "TIMESTAMP is the same moment on both ends",
        sample="+00:00",
        kind=problems.BAD_TIMEZONE,
    )
    case_sensitive: bool = option(False, "schema and table names in rules differ by case")
    online_ddl: bool = option(
        True,
        "recognise the tables of gh-ost and pt-online-schema-change by their names: their rows are left out, and "
        "their ALTER runs downstream when the shadow table takes the real one's place. When false they are tables "
        "like any other",
    )
    online_ddl_scheme: Literal["", "gh-ost", "pt"] = option(
        "", "the tool; sets online-ddl", deprecated="online-ddl: true", kind=problems.BAD_ONLINE_SCHEME
    )
    shadow_table_rules: Annotated[list[str], AfterValidator(_check_ghost_rules)] = option(
        DEFAULT_SHADOW_RULES,
        "names of the tables that the tools copy into: regular expressions from `^` to `$`, with one group, the real "
        "table's name",
        kind=problems.BAD_SHADOW_RULES,
    )
    trash_table_rules: Annotated[list[str], AfterValidator(_check_ghost_rules)] = option(
        DEFAULT_TRASH_RULES,
        "names of the tables that the tools leave behind or keep notes in, written like shadow-table-rules",
        kind=problems.BAD_SHADOW_RULES,
    )
    clean_dump_file: bool = tuning(True, "delete the dump files", "tables pass through Spark without dump files")
    collation_compatible: Literal["loose", "strict"] = tuning(
        "loose",
        "whether implied collations are named in DDL sent to the target",
        "they are always named",
        alias="collation_compatible",
        kind=problems.BAD_COLLATION_MODE,
    )
    ignore_checking_items: Annotated[list[str], AfterValidator(_check_items)] = option(
        [], "checks before the start that are left out; `all`: every one", kind=problems.BAD_CHECK_ITEM
    )
    target_database: ConnectionConfig = option(..., "how to log in to the target", kind=problems.NO_TARGET)
    mysql_instances: list[MySQLInstance] = option(
        ..., "the sources of the task", kind=problems.NO_INSTANCE, min_length=1
    )
    routes: dict[str, RouteRule] = option({}, "upstream tables → downstream tables, by rule name")
    block_allow_list: dict[str, BlockAllowListConfig] = option(
        {}, "which schemas and tables are migrated, by name", old_names=("black-white-list",)
    )
    filters: dict[str, EventFilter] = option(
        {},
        "binlog event filters, by name: which kinds of changes are left out of replication",
        kind=problems.BAD_EVENT_FILTER,
    )
    expression_filter: dict[str, ExpressionFilter] = option(
        {}, "filters on row values, by name: which changes of rows are left out of replication"
    )
    column_mappings: dict[str, ColumnMapping] = option(
        {}, "changes of column values, by name (as in DM 1.0; newer ones refuse it)"
    )
    tidb_tables: dict[str, TidbTable] = option(
        {}, "layouts of TiDB for tables that the full migration creates, by name (not in DM)"
    )
    mydumpers: dict[str, DumpConfig] = option({}, "settings of reading in the full migration, by name")
    loaders: dict[str, LoadConfig] = option({}, "settings of writing in the full migration, by name")
    syncers: dict[str, SyncConfig] = option({}, "settings of replication, by name")
    validators: dict[str, ValidatorConfig] = option({}, "settings of continuous validation, by name")
    spark: SparkConfig = option(SparkConfig, "where the full migration runs (not in DM)")
    experimental: Experimental = option(Experimental, "experimental options")
    mariadb2tidb: MariaDBConversion = option(MariaDBConversion, "rewriting of MariaDB's DDL")
    enable_heartbeat: bool = tuning(False, "measure the lag by a table", _IN_DM_TOO, deprecated="nothing")
    heartbeat_update_interval: int = tuning(1, "see enable-heartbeat", _IN_DM_TOO, deprecated="nothing")
    heartbeat_report_interval: int = tuning(10, "see enable-heartbeat", _IN_DM_TOO, deprecated="nothing")
    ansi_quotes: bool = tuning(False, "ANSI quotes", "each event says its sql_mode", deprecated="nothing")
    remove_meta: bool = refused(
        False, "forget where the task was", "use `start-task --remove-meta`", deprecated="start-task --remove-meta"
    )

    @property
    def effective_shard_mode(self) -> ShardMode:
        """The shard-mode, also where the deprecated is-sharding asks for it."""
        return ShardMode.PESSIMISTIC if self.is_sharding else self.shard_mode

    @property
    def effective_online_ddl(self) -> bool:
        return self.online_ddl or bool(self.online_ddl_scheme)

    @property
    def source_ids(self) -> list[str]:
        return [instance.source_id for instance in self.mysql_instances]

    def decrypted(self, key: bytes | None) -> TaskConfig:
        """The same with a plain password."""
        return self.model_copy(update={"target_database": self.target_database.decrypted(key, "target-database")})

    def embedded(self, read_file: Callable[[str], str]) -> TaskConfig:
        """The same with the certificates inside, to be used on another host."""
        return self.model_copy(update={"target_database": self.target_database.embedded(read_file)})
