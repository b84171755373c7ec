"""The named blocks of a task file: routes, block-allow-lists, filters and the settings of the units."""

from __future__ import annotations

import shlex
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from pkg.rules import extract
from pkg.rules.event_filter import check_sql_pattern
from pkg.rules.event_types import EVENT_WORDS, canonical
from pkg.rules.expression_filter import problem_of
from pkg.task import problems
from pkg.task.dump_arguments import consistency_in
from pkg.task.option import Model, option, refused, tuning
from pkg.task.values import Bytes, ChunkSize, Duration, Pattern, Size, chunk_megabytes

_LIGHTNING = "only used by import-mode physical"
_NO_VALIDATOR = "there is no continuous validation in this version"
_LATER = "is not in this version"


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


class TablePattern(Model):
    """Tables by schema and name."""

    db_name: Pattern = option(..., "schema name or pattern", sample="shop")
    tbl_name: Pattern = option(..., "table name or pattern", sample="orders")


class BlockAllowListConfig(Model):
    """Which upstream schemas and tables are migrated; `do` beats `ignore`, `~` starts a regular expression."""

    do_dbs: list[Pattern] = option([], "schemas to migrate; empty: all", sample=["shop_*"])
    ignore_dbs: list[Pattern] = option([], "schemas to leave out, when do-dbs is empty")
    do_tables: list[TablePattern] = option([], "tables to migrate; empty: all of the schemas")
    ignore_tables: list[TablePattern] = option([], "tables to leave out, when do-tables does not name them")


def _check_extract(expression: str) -> str:
    problem = extract.problem_of(expression)
    if problem:
        raise ValueError(problem)
    return expression


_Extract = Annotated[str, AfterValidator(_check_extract)]


def _filled_column(sample: str) -> Any:
    return option(
        ..., "column that is in the target table already", sample=sample, kind=problems.BAD_ROUTE, min_length=1
    )


class ExtractTable(Model):
    """A downstream column filled from the upstream table's name."""

    table_regexp: _Extract = option(
        ...,
        "regular expression with a group; what the groups match is the value, an empty text where nothing matches",
        sample="orders_(.*)",
        kind=problems.BAD_ROUTE,
    )
    target_column: str = _filled_column("from_table")

    def rule(self) -> extract.ExtractRule:
        return extract.ExtractRule(extract.Origin.TABLE, self.table_regexp, self.target_column)


class ExtractSchema(Model):
    """A downstream column filled from the upstream schema's name."""

    schema_regexp: _Extract = option(
        ..., "regular expression with a group, as table-regexp", sample="shop_(.*)", kind=problems.BAD_ROUTE
    )
    target_column: str = _filled_column("from_schema")

    def rule(self) -> extract.ExtractRule:
        return extract.ExtractRule(extract.Origin.SCHEMA, self.schema_regexp, self.target_column)


class ExtractSource(Model):
    """A downstream column filled from the source-id."""

    source_regexp: _Extract = option(
        ..., "regular expression with a group, as table-regexp", sample="(.*)", kind=problems.BAD_ROUTE
    )
    target_column: str = _filled_column("from_source")

    def rule(self) -> extract.ExtractRule:
        return extract.ExtractRule(extract.Origin.SOURCE, self.source_regexp, self.target_column)


class RouteRule(Model):
    """Upstream tables by pattern → downstream schema and table."""

    schema_pattern: Pattern = option(
        ...,
        "upstream schemas: a name with `*`, `?`, `[a-z]`, or `~` and a regular expression",
        sample="shop_*",
        kind=problems.BAD_ROUTE,
        min_length=1,
    )
    table_pattern: Pattern = option(
        "", "upstream tables; empty: the whole schema is renamed", sample="orders_*", kind=problems.BAD_ROUTE
    )
    target_schema: str = option(..., "downstream schema", sample="shop", kind=problems.BAD_ROUTE, min_length=1)
    target_table: str = option("", "downstream table; empty: the upstream's name", sample="orders")
    extract_table: ExtractTable | None = option(None, "fills a column from the upstream table's name")
    extract_schema: ExtractSchema | None = option(None, "fills a column from the upstream schema's name")
    extract_source: ExtractSource | None = option(None, "fills a column from the source-id")

    def extracts(self) -> tuple[extract.ExtractRule, ...]:
        """The columns that are filled, in DM's order."""
        wanted = (self.extract_table, self.extract_schema, self.extract_source)
        return tuple(one.rule() for one in wanted if one is not None)


class ColumnMapping(Model):
    """Values of a column that change on their way, so that keys of merged shards do not collide (DM 1.0)."""

    schema_pattern: Pattern = option(
        ..., "upstream schemas, as in routes", sample="shop_*", kind=problems.BAD_COLUMN_MAPPING, min_length=1
    )
    table_pattern: Pattern = option(
        "", "upstream tables; empty: all of the schemas", sample="orders_*", kind=problems.BAD_COLUMN_MAPPING
    )
    expression: Literal["partition id", "add prefix", "add suffix"] = option(
        ...,
        "what the value becomes: numbers of the instance, the schema and the table above an id of 44 bits, or a text "
        "with something before or behind it",
        sample="partition id",
        kind=problems.BAD_COLUMN_MAPPING,
    )
    source_column: str = option(
        ..., "column that the value is made of", sample="id", kind=problems.BAD_COLUMN_MAPPING, min_length=1
    )
    target_column: str = option(
        ...,
        "column that gets the value, mostly the same",
        sample="id",
        kind=problems.BAD_COLUMN_MAPPING,
        min_length=1,
    )
    arguments: list[str] = option(
        ...,
        "partition id: instance-id (0-15), schema prefix, table prefix and, if there is one, the separator behind the "
        "prefixes; numbers up to 127 and 255 follow in the names; an empty text leaves a part out. Otherwise the text "
        "to add",
        sample=["1", "shop_", "orders_"],
        kind=problems.BAD_COLUMN_MAPPING,
    )
    create_table_query: str = tuning("", "statement that creates the table", "DM 1.0 did not act on it either")


def _check_event(word: str) -> str:
    try:
        return canonical(word)
    except ValueError as exc:
        near = problems.nearest_word(word, EVENT_WORDS)
        raise ValueError(f"{exc}" + (f", did you mean `{near}`?" if near else "; docs/rules.md lists them")) from None


class EventFilter(Model):
    """A binlog event filter: what becomes of some kinds of changes of the tables that match."""

    schema_pattern: Pattern = option(
        ..., "upstream schemas, written as in `routes`", sample="shop_*", kind=problems.BAD_EVENT_FILTER, min_length=1
    )
    table_pattern: Pattern = option(
        "",
        "upstream tables; empty: the schemas with all their tables",
        sample="orders_*",
        kind=problems.BAD_EVENT_FILTER,
    )
    events: list[Annotated[str, AfterValidator(_check_event)]] = option(
        [],
        "types of changes and groups of them (docs/rules.md), read from left to right",
        sample=["truncate table", "drop table"],
        kind=problems.BAD_EVENT_FILTER,
    )
    sql_pattern: list[Annotated[str, AfterValidator(check_sql_pattern)]] = option(
        [],
        "regular expressions of which one is to be found in the text of a DDL; case does not matter",
        kind=problems.BAD_EVENT_FILTER,
    )
    action: Literal["Do", "Ignore", "Error"] = option(
        ...,
        "Ignore: what the rule names is left out; Do: all that it does not name is left out; Error: the task pauses",
        sample="Ignore",
        kind=problems.BAD_EVENT_FILTER,
    )


def _check_expression(expression: str) -> str:
    problem = problem_of(expression) if expression.strip() else ""
    if problem:
        raise ValueError(problem)
    return expression


_Expression = Annotated[str, AfterValidator(_check_expression)]


def _expression(description: str, sample: str = "") -> Any:
    return option("", description, kind=problems.BAD_EXPRESSION, sample=sample or None)


class ExpressionFilter(Model):
    """A filter on the values of a table's rows, by SQL expressions; changes of one kind (insert, update or delete)."""

    schema_: str = option(
        ..., "upstream schema, by its name", alias="schema", sample="shop", kind=problems.BAD_EXPRESSION, min_length=1
    )
    table: str = option(..., "upstream table, by its name", sample="orders", kind=problems.BAD_EXPRESSION, min_length=1)
    insert_value_expr: _Expression = _expression("inserts of rows for which this is true are left out")
    update_old_value_expr: _Expression = _expression(
        "updates of rows for which this was true are left out; with update-new-value-expr only where both are true"
    )
    update_new_value_expr: _Expression = _expression(
        "updates of rows for which this is true afterwards are left out; with update-old-value-expr where both are"
    )
    delete_value_expr: _Expression = _expression(
        "deletes of rows for which this was true are left out", sample="created < '2020-01-01'"
    )


class DumpConfig(Model):
    """`mydumpers`: how the full migration reads."""

    mydumper_path: str = tuning("./bin/mydumper", "path of mydumper", "no program is called")
    threads: int = option(4, "connections that read one upstream at the same time", sample=4, ge=1, le=1024)
    chunk_filesize: ChunkSize = option(
        "64",
        "about how much of a table is one chunk, the unit that is repeated after a failure",
        unit="MB",
        sample="64",
        kind=problems.BAD_CHUNK_SIZE,
    )
    statement_size: int = option(
        0, "about how long one INSERT in a dump file is (task-mode dump); 0: 1000000", unit="bytes", ge=0, le=2**30
    )
    rows: int = option(0, "rows of a chunk; 0: by chunk-filesize", unit="rows", ge=0)
    where: str = option("", "condition on the rows of every table that is dumped (task-mode dump alone)")
    compress: Annotated[Literal["none", "zstd"], BeforeValidator(_lower)] = option(
        "none", "how dump files are packed (task-mode dump; not in DM)"
    )
    skip_tz_utc: bool = tuning(True, "no `SET TIME_ZONE` in dump files", "a TIMESTAMP always keeps its instant")
    consistency: Annotated[Literal["", "auto", "none", "flush", "lock", "snapshot"], BeforeValidator(_lower)] = option(
        "",
        "what all reading connections see: one moment (`flush`: FLUSH TABLES WITH READ LOCK; `lock`: LOCK TABLES ... "
        "READ; `snapshot`: without a lock, MariaDB only; `auto`: what the server and the privileges allow), or each "
        "chunk its own (`none`: no lock; replication makes it converge); empty: auto with full, and "
        "with all where the target checks foreign keys; else none",
        sample="auto",
    )
    extra_args: str = option(
        "",
        "mydumper arguments; `--consistency` and `--no-locks` mean `consistency`, those that choose tables or rows "
        "are refused, others have no effect",
    )

    @property
    def asked_consistency(self) -> str:
        """``consistency``, also where it is said as mydumper's argument; "" where the task says nothing."""
        return self.consistency or consistency_in(self.extra_args)

    @property
    def chunk_bytes(self) -> int:
        return chunk_megabytes(self.chunk_filesize) * 2**20

    def has_argument(self, *names: str) -> bool:
        """Whether `extra-args` has an argument by one of these names."""
        return any(word in names for word in shlex.split(self.extra_args))


class LoadConfig(Model):
    """`loaders`: how the full migration writes."""

    pool_size: int = option(16, "connections that write to the target at the same time", sample=16, ge=1, le=1024)
    dir: str = option(
        "./dumped_data",
        "folder (or URL: docs/dump-files.md) of the dump files, on the host of dm-worker (task-modes dump, load); "
        "where the task has several sources, each has a folder in it by its name",
        min_length=1,
    )
    import_mode: Annotated[Literal["logical", "sql", "loader", "physical", "import-into"], BeforeValidator(_lower)] = (
        refused(
            "logical",
            "how rows reach the target (`sql` and `loader` are old words for logical)",
            f"writing past the SQL layer {_LATER}",
            accepted=("sql", "loader"),
            kind=problems.BAD_LOAD_MODE,
        )
    )
    on_duplicate_logical: Annotated[Literal["", "replace", "error", "ignore"], BeforeValidator(_lower)] = option(
        "",
        "what happens when a row is there already: it is replaced (`replace`), the task stops with an `error` that "
        "shows both rows, or the upstream's row is left out (`ignore`); empty: `replace`, but two rows of one upstream "
        "table that the target holds equal stop the task (docs/loading.md)",
        old_names=("on-duplicate",),
        kind=problems.BAD_ON_DUPLICATE,
    )
    indexes: Annotated[Literal["before", "after"], BeforeValidator(_lower)] = option(
        "before",
        "when a table that the full migration creates gets its secondary indexes that are not unique: with the table, "
        "or `after` the rows, by one ALTER TABLE (not in DM; docs/loading.md says when that is quicker)",
        sample="before",
    )
    verify: Annotated[Literal["", "checksum", "none"], BeforeValidator(_lower)] = option(
        "",
        "whether each chunk that is copied is compared with its rows upstream before it counts (not in DM): by a "
        "`checksum` that both servers calculate, or not (`none`); empty: checksum where the full migration reads one "
        "consistent snapshot (mydumpers' `consistency`), else none; files (task-modes dump, load) are not compared",
        sample="checksum",
    )
    max_bytes_per_second: Bytes = option(
        0,
        "most bytes per second that the full migration moves, over all its connections (not in DM), for example 20MB; "
        "0: no limit; `dmctl task set` changes it in a running task",
        unit="bytes",
        ge=0,
        le=2**40,
    )
    max_threads_running: int = option(
        100,
        "the full migration slows down while more threads than this run on the upstream or the target (status "
        "Threads_running; not in DM); 0: it does not look; `dmctl task set` changes it in a running task",
        ge=0,
        le=100_000,
    )

    @property
    def late_indexes(self) -> bool:
        return self.indexes == "after"

    on_duplicate_physical: str = tuning("none", "duplicates in physical import", _LIGHTNING)
    sorting_dir_physical: str = tuning("", "folder for sorted data", _LIGHTNING, old_names=("sorting-dir",))
    disk_quota_physical: Size = tuning("0", "disk for sorted data", _LIGHTNING, old_names=("disk-quota",))
    checksum_physical: str = tuning("required", "checksum after import", _LIGHTNING, old_names=("checksum",))
    analyze: str = tuning("optional", "ANALYZE after import", _LIGHTNING)
    range_concurrency: int = tuning(0, "ranges imported at a time", _LIGHTNING)
    compress_kv_pairs: str = tuning("", "compression towards TiKV", _LIGHTNING)
    pd_addr: str = tuning("", "address of PD", _LIGHTNING)


class SyncConfig(Model):
    """`syncers`: how replication writes."""

    meta_file: str = tuning("", "file for the location", "locations are kept in the target")
    worker_count: int = option(
        8,
        "channels that write to the target at the same time; `dmctl task set` changes it in a running task",
        dm_default="16",
        sample=8,
        ge=1,
        le=1024,
    )
    batch: int = option(
        500,
        "most row changes in one transaction of a channel: under a backlog; else a commit goes out at once; `dmctl "
        "task set` changes it in a running task",
        dm_default="100",
        sample=500,
        ge=1,
        le=100_000,
    )
    queue_size: int = option(1024, "row changes that may wait before a channel", ge=1, le=10_000_000)
    checkpoint_flush_interval: int = option(30, "how often the checkpoint is saved", unit="seconds", ge=1, le=86_400)
    compact: bool = option(True, "merge several changes of one row in a batch into one", dm_default="false")
    multiple_rows: bool = option(True, "write several rows with one statement", dm_default="false")
    on_duplicate: Annotated[Literal["error", "replace", "ignore"], BeforeValidator(_lower)] = option(
        "error",
        "what happens when a row of the target that somebody else wrote has a unique value that a change needs (not in "
        "DM): the task pauses and shows both rows, the target's row gives way, or the change is passed over",
    )
    on_missing_row: Annotated[Literal["error", "ignore"], BeforeValidator(_lower)] = option(
        "error",
        "what happens when an update or delete finds no row outside safe mode (not in DM, which passes over): the task "
        "pauses and shows the change, or it is counted in `missingRows`, as always where `on-duplicate` is not `error`",
    )
    max_rows_per_second: int = option(
        0,
        "most row changes per second that go to the target (not in DM); 0: no limit; `dmctl task set` changes it in a "
        "running task",
        ge=0,
        le=100_000_000,
    )
    safe_mode: bool = option(False, "write so that repeating a change does no harm (REPLACE, DELETE + REPLACE), always")
    safe_mode_duration: Duration = tuning(
        "60s",
        "how long safe mode lasts after a start",
        "a restart is exact to the row and needs no safe mode",
        kind=problems.BAD_SAFE_MODE_DURATION,
        sample="60s",
    )
    enable_gtid: bool = tuning(False, "replicate by GTID", "enable-gtid of the source file decides")
    max_retry: int = tuning(0, "retries", "retries follow the kind of the error", deprecated="nothing")
    auto_fix_gtid: bool = tuning(False, "repair GTID sets", "locations are never guessed", deprecated="nothing")
    disable_detect: bool = tuning(False, "no conflict detection", "conflicts are always seen to", deprecated="nothing")
    enable_ansi_quotes: bool = tuning(False, "ANSI quotes", "each event says its sql_mode", deprecated="nothing")


class ValidatorConfig(Model):
    """`validators`: continuous validation."""

    mode: Annotated[Literal["none", "fast", "full"], BeforeValidator(_lower)] = refused(
        "none",
        "compare rows while they are replicated",
        f"{_NO_VALIDATOR}, so nothing would be compared",
        kind=problems.BAD_VALIDATOR_MODE,
    )
    worker_count: int = tuning(4, "threads", _NO_VALIDATOR, ge=1)
    validate_interval: Duration = tuning("10s", "time between comparisons", _NO_VALIDATOR)
    check_interval: Duration = tuning("5s", "time between checks", _NO_VALIDATOR)
    row_error_delay: Duration = tuning("30m", "time until a difference is an error", _NO_VALIDATOR)
    meta_flush_interval: Duration = tuning("5m", "time between checkpoints", _NO_VALIDATOR)
    batch_query_size: int = tuning(100, "rows of a query", _NO_VALIDATOR, ge=1)
    max_pending_row_size: Size = tuning("500m", "memory for waiting rows", _NO_VALIDATOR)
    max_pending_row_count: int = tuning(2**31 - 1, "waiting rows", _NO_VALIDATOR, ge=1)


class SparkConfig(Model):
    """Where the full migration runs (an option that DM does not have)."""

    master: str = option(
        "local[*]",
        "URL of the Spark master; `local[*]`: in the worker's own process, with all cores",
        sample="local[*]",
        min_length=1,
    )
    start: Annotated[Literal["auto", "at-once"], BeforeValidator(_lower)] = option(
        "auto",
        "`auto`: with a `local` master, threads of the worker's process copy what is small, and Spark starts for 1 GiB "
        "and more, or after 30 s; a cluster gets work at once. `at-once`: Spark starts there, too, but for a few small "
        "tables",
    )
    conf: dict[str, str] = option({}, "Spark properties by their names", sample={"spark.driver.memory": "1g"})
