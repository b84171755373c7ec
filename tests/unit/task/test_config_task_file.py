"""Task files as DM users have them: what is accepted, with which defaults and warnings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pkg.errors import DMError
from pkg.task import ShardMode, TaskMode, load_source, load_task, read_task, split_task

DM_SHARDING_TASK = """\
---
name: test                      # written for an old DM
task-mode: all
is-sharding: true
meta-schema: "dm_meta"
enable-heartbeat: false
timezone: "Asia/Shanghai"

target-database:
  host: "192.168.0.1"
  port: 4000
  user: "root"
  password: 0123                # a number to YAML, four characters to us
  session:
    tidb_txn_mode: optimistic
    foreign_key_checks: 0

mysql-instances:
  -
    source-id: "instance118-4306"
    meta: {binlog-name: mysql-bin.000001, binlog-pos: 4}
    route-rules: ["user-route-rules-schema", "user-route-rules"]
    black-white-list:  "instance"
    mydumper-config-name: "global"
    loader-config-name: "global"
    syncer-config-name: "global"
    syncer-thread: 32
  -
    source-id: "instance118-5306"
    route-rules: ["user-route-rules-schema", "user-route-rules"]
    black-white-list: "instance"
    mydumper:
      threads: 8
      chunk-filesize: 64
      skip-tz-utc: true
      extra-args: "--consistency none --no-locks --escape-backslash"
    loader:
      pool-size: 4
      dir: "./dumped_data"
      on-duplicate: error
    syncer:
      worker-count: 16
      batch: 200

routes:
  user-route-rules-schema:
    schema-pattern: "test_*"
    target-schema: "test"
  user-route-rules:
    schema-pattern: "test_*"
    table-pattern: "~^t_[0-9]+$"
    target-schema: "test"
    target-table: "t"

black-white-list:
  instance:
    do-dbs: ["~^test.*", "do"]
    ignore-dbs: ["mysql", "ignored"]
    do-tables:
    - db-name: "~^test.*"
      tbl-name: "~^t.*"
    ignore-tables:
    - {db-name: "test", tbl-name: "log"}

mydumpers:
  global:
    threads: 4
    chunk-filesize: "64"

loaders:
  global:
    pool-size: 16
    import-mode: "sql"

syncers:
  global:
    worker-count: 16
    batch: 100
    safe-mode-duration: 1m30s
"""

# what `config task` of DM prints: every option, with nulls and empty texts
DM_EXPORTED_TASK = """\
name: test
task-mode: all
is-sharding: false
shard-mode: pessimistic
strict-optimistic-shard-mode: false
ignore-checking-items: []
meta-schema: dm_meta
enable-heartbeat: false
heartbeat-update-interval: 1
heartbeat-report-interval: 10
timezone: ""
case-sensitive: false
collation_compatible: loose
target-database:
  host: 127.0.0.1
  port: 4000
  user: root
  password: ''
  max-allowed-packet: null
  session:
    tidb_txn_mode: optimistic
  security: null
mysql-instances:
- source-id: mysql-replica-01
  meta: null
  filter-rules: []
  column-mapping-rules: []
  route-rules:
  - route-01
  expression-filters: []
  black-white-list: ""
  block-allow-list: balist-01
  mydumper-config-name: dump-01
  mydumper: null
  mydumper-thread: 0
  loader-config-name: load-01
  loader: null
  loader-thread: 0
  syncer-config-name: sync-01
  syncer: null
  syncer-thread: 0
  validator-config-name: validator-01
online-ddl: true
shadow-table-rules: []
trash-table-rules: []
online-ddl-scheme: ""
routes:
  route-01:
    schema-pattern: dmctl
    table-pattern: t_*
    target-schema: dmctl
    target-table: t_target
    extract-table: null
filters: {}
column-mappings: {}
expression-filter: {}
black-white-list: {}
block-allow-list:
  balist-01:
    do-tables:
    - db-name: dmctl
      tbl-name: ~^t_[\\d]+
    do-dbs:
    - dmctl
    ignore-tables: []
    ignore-dbs: []
mydumpers:
  dump-01:
    mydumper-path: ./bin/mydumper
    threads: 4
    chunk-filesize: "64"
    statement-size: 0
    rows: 0
    where: ""
    skip-tz-utc: true
    extra-args: ""
loaders:
  load-01:
    pool-size: 16
    dir: ./dumped_data
    sorting-dir: ""
    import-mode: logical
    on-duplicate: ""
    on-duplicate-logical: replace
    on-duplicate-physical: none
    disk-quota: 0
    checksum: required
    analyze: optional
    range-concurrency: 0
    compress-kv-pairs: ""
    pd-addr: ""
syncers:
  sync-01:
    meta-file: ""
    worker-count: 16
    batch: 100
    queue-size: 1024
    checkpoint-flush-interval: 30
    compact: false
    multiple-rows: false
    max-retry: 0
    auto-fix-gtid: false
    enable-gtid: false
    disable-detect: false
    safe-mode: false
    safe-mode-duration: 60s
    enable-ansi-quotes: false
validators:
  validator-01:
    mode: none
    worker-count: 4
    validate-interval: 10s
    check-interval: 5s
    row-error-delay: 30m0s
    meta-flush-interval: 5m0s
    batch-query-size: 100
    max-pending-row-size: 500m
    max-pending-row-count: 2147483647
clean-dump-file: true
ansi-quotes: false
remove-meta: false
experimental:
  async-checkpoint-flush: false
"""

MINIMAL = """\
name: t
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
"""

SOURCE = "source-id: {}\nfrom: {{host: up, port: 3306, user: u, password: pw-{}}}\nenable-gtid: true\nflavor: mariadb\n"


def test_an_old_sharding_task_of_dm_is_accepted_as_it_is() -> None:
    task = load_task(DM_SHARDING_TASK, "task.yaml")

    assert task.task_mode is TaskMode.ALL
    assert task.effective_shard_mode is ShardMode.PESSIMISTIC
    assert task.target_database.password.reveal() == "0123"
    assert task.target_database.session == {"tidb_txn_mode": "optimistic", "foreign_key_checks": "0"}
    assert task.mysql_instances[0].block_allow_list == "instance"
    assert task.block_allow_list["instance"].do_tables[0].tbl_name == "~^t.*"
    assert task.syncers["global"].safe_mode_duration == timedelta(seconds=90)


def test_deprecated_names_and_options_without_effect_are_said_once_each_with_their_line() -> None:
    warnings = [str(warning) for warning in read_task(DM_SHARDING_TASK, "task.yaml").warnings]

    assert "task.yaml:4: `is-sharding`: deprecated: write `shard-mode: pessimistic`" in warnings
    assert "task.yaml:58: `black-white-list`: the name is deprecated: write `block-allow-list`" not in warnings
    assert any(w.endswith("`black-white-list`: the name is deprecated: write `block-allow-list`") for w in warnings)
    assert any("`mysql-instances[1].loader.on-duplicate`: the name is deprecated" in w for w in warnings)
    assert any("extra-args`: --escape-backslash: no effect here" in w for w in warnings)
    assert any("`mysql-instances[0].meta`: has no effect with task-mode all" in w for w in warnings)
    assert len(warnings) == len(set(warnings))


def test_a_task_that_dm_exported_with_every_option_is_accepted_without_warnings() -> None:
    loaded = read_task(DM_EXPORTED_TASK, "export.yaml")

    assert loaded.warnings == ()
    assert loaded.config.syncers["sync-01"].compact is False
    assert loaded.config.block_allow_list["balist-01"].do_tables[0].tbl_name == r"~^t_[\d]+"


def test_defaults_of_the_smallest_task_are_dms() -> None:
    [subtask] = split_task(load_task(MINIMAL), {"one": load_source(SOURCE.format("one", "one"))})

    assert (subtask.meta_schema, subtask.online_ddl) == ("dm_meta", True)
    assert (subtask.dump.threads, subtask.dump.chunk_bytes, subtask.dump.rows) == (4, 64 * 2**20, 0)
    assert (subtask.load.pool_size, subtask.load.on_duplicate_logical) == (16, "")
    assert (subtask.sync.worker_count, subtask.sync.batch, subtask.sync.queue_size) == (8, 500, 1024)
    assert subtask.sync.checkpoint_flush_interval == 30
    assert subtask.sync.compact
    assert subtask.sync.multiple_rows
    assert subtask.spark.master == "local[*]"
    assert subtask.checker.backoff_max == timedelta(minutes=5)
    assert subtask.shard_mode is ShardMode.NONE


@pytest.mark.parametrize(("mode", "known"), [("", ["two"]), ("pessimistic", [])])
def test_a_source_knows_what_leads_to_its_tables(mode: str, known: list[str]) -> None:
    rules = "routes: {r: {schema-pattern: a, target-schema: b}}\nblock-allow-list: {l: {do-dbs: [a]}}\n"
    text = f"{rules}shard-mode: '{mode}'\n{MINIMAL}- {{source-id: two, route-rules: [r], block-allow-list: l}}\n"
    sources = {name: load_source(SOURCE.format(name, name)) for name in ("one", "two")}

    [subtask] = split_task(load_task(text), sources, only_sources={"one"})

    assert [other.source_id for other in subtask.other_sources] == known
    assert all(other.router().route("a", "t").schema == "b" for other in subtask.other_sources)
    assert not any(other.allow_list().allows("c", "t") for other in subtask.other_sources)


def test_thread_options_of_an_instance_override_its_block() -> None:
    text = MINIMAL + "  mydumper-thread: 7\n  loader-thread: 8\n  syncer-thread: 9\n  syncer: {batch: 5}\n"

    [subtask] = split_task(load_task(text), {"one": load_source(SOURCE.format("one", "one"))})

    assert (subtask.dump.threads, subtask.load.pool_size, subtask.sync.worker_count) == (7, 8, 9)
    assert subtask.sync.batch == 5


def test_anchors_aliases_and_merges_of_yaml_work() -> None:
    text = MINIMAL + "  syncer: &sync {worker-count: 3, batch: 7}\n- source-id: two\n  syncer: {<<: *sync, batch: 9}\n"

    first, second = load_task(text).mysql_instances

    assert first.syncer is not None
    assert second.syncer is not None
    assert (first.syncer.worker_count, first.syncer.batch) == (3, 7)
    assert (second.syncer.worker_count, second.syncer.batch) == (3, 9)


@pytest.mark.parametrize("scheme", ["gh-ost", "pt"])
def test_the_old_online_ddl_scheme_switches_online_ddl_on(scheme: str) -> None:
    task = load_task(MINIMAL + f"online-ddl: false\nonline-ddl-scheme: {scheme}\n")

    assert task.effective_online_ddl


def test_spark_settings_of_a_cluster_are_kept() -> None:
    task = load_task(MINIMAL + "spark:\n  master: spark://host:7077\n  conf: {spark.executor.cores: 2}\n")

    assert task.spark.master == "spark://host:7077"
    assert task.spark.conf == {"spark.executor.cores": "2"}


def test_start_location_of_incremental_by_position_or_gtid() -> None:
    text = MINIMAL.replace("all", "incremental") + "  meta: {binlog-name: mysql-bin.000002, binlog-pos: 5000000000}\n"

    [subtask] = split_task(load_task(text), {"one": load_source(SOURCE.format("one", "one"))})

    assert subtask.meta is not None
    assert (subtask.meta.binlog_name, subtask.meta.binlog_pos) == ("mysql-bin.000002", 5_000_000_000)


def test_a_sources_id_that_nobody_knows_is_named_with_the_nearest() -> None:
    with pytest.raises(
        DMError, match=r"names a source that dm-master does not have: one; did you mean ones\?"
    ) as caught:
        split_task(load_task(MINIMAL), {"ones": load_source(SOURCE.format("ones", "x"))})

    assert caught.value.code == 20031
