"""Checks on facts, and the report that DM's users know."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from dm_master.precheck.facts import ColumnFacts, EarlierRuns, KeyFacts, TableFacts, TargetFacts, UpstreamFacts
from dm_master.precheck.grants import parse_grants
from dm_master.precheck.report import PASSED, Report, failures_first
from dm_master.precheck.run import all_checks
from pkg.task import SubtaskConfig, TaskMode
from pkg.task.kept import Kept
from pkg.task.secret import REVEAL

ROOT = parse_grants("root@%", ["GRANT ALL PRIVILEGES ON *.* TO `root`@`%`"])
GOOD = {
    "log_bin": "ON",
    "gtid_mode": "ON",
    "binlog_format": "ROW",
    "binlog_row_image": "FULL",
    "server_id": "7",
    "max_connections": "150",
}
ID = ColumnFacts("id", "int(11)", nullable=False)
NOTE = ColumnFacts("note", "varchar(20)")
PRIMARY = KeyFacts("PRIMARY", ("id",), True)


def table(name: str, *columns: ColumnFacts, keys: tuple[KeyFacts, ...] = (PRIMARY,)) -> TableFacts:
    return TableFacts(("shop", name), columns or (ID, NOTE), keys)


def upstream(*tables: TableFacts, source: str = "s1", **changes: Any) -> UpstreamFacts:
    subtask = SubtaskConfig.model_validate(
        {
            "task-name": "t",
            "source-id": source,
            "task-mode": changes.pop("mode", TaskMode.ALL),
            "upstream": {"host": "h", "port": 1, "user": "u"},
            "target": {"host": "h", "port": 1, "user": "u"},
            "enable-gtid": changes.pop("enable_gtid", False),
            "server-id": 429000000,
            "block-allow-list": changes.pop("allow_list", {"do-dbs": ["shop"]}),
            "dump": changes.pop("dump", {}),
        }
    )
    facts = UpstreamFacts(
        subtask,
        "10.0.0.1:3306",
        changes.pop("flavor", "mysql"),
        (8, 0, 40),
        GOOD | changes.pop("variables", {}),
        changes.pop("grants", ROOT),
        tables or (table("a"),),
        {},
    )
    targets = changes.pop("targets", {one.name: one.name for one in facts.tables})
    return replace(facts, targets=targets, **changes)


def target(*tables: TableFacts, **changes: Any) -> TargetFacts:
    """``changes``: of the facts, and of what they say of earlier runs."""
    earlier = {one.name: changes.pop(one.name) for one in fields(EarlierRuns) if one.name in changes}
    facts = TargetFacts(
        "10.0.0.9:4000", "tidb", ROOT, frozenset(("shop",)), {one.name: one for one in tables}, frozenset()
    )
    return replace(facts, earlier=EarlierRuns(**earlier), **changes)


def report(*upstreams: UpstreamFacts, into: TargetFacts | None = None) -> Report:
    return failures_first(all_checks(upstreams, into or target()))


def failures(*upstreams: UpstreamFacts, into: TargetFacts | None = None) -> list[str]:
    return [f"{one.text} | {one.instruction}" for one in report(*upstreams, into=into).failures]


def test_a_target_that_refuses_load_data_is_warned_of() -> None:
    off = target(takes_load_data=False)
    assert ["local_infile is off" in one.text for one in report(upstream(), into=off).warnings] == [True]
    assert not report(upstream(mode=TaskMode.INCREMENTAL), into=off).warnings


def test_a_good_pair_of_servers_passes_silently() -> None:
    found = report(upstream())
    assert not found.failures
    assert not found.warnings
    assert found.message() == PASSED


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"log_bin": "OFF"}, ["log_bin is OFF", "restart"]),
        ({"binlog_format": "MIXED"}, ["binlog_format is MIXED", "SET GLOBAL binlog_format = 'ROW'"]),
        ({"binlog_row_image": "MINIMAL"}, ["binlog_row_image is MINIMAL", "SET GLOBAL binlog_row_image = 'FULL'"]),
        ({"max_connections": "3"}, ["max_connections is 3", "needs 6"]),
        ({"server_id": "429000000"}, ["server-id 429000000 is the upstream's own"]),
    ],
)
def test_a_wrong_server_setting_fails_with_the_way_out(variables: dict[str, str], words: list[str]) -> None:
    (failure,) = failures(upstream(variables=variables))
    assert "source s1 at 10.0.0.1:3306" in failure
    for word in words:
        assert word in failure


@pytest.mark.parametrize(("flavor", "name"), [("mariadb", "log_slave_updates"), ("mysql", "log_replica_updates")])
def test_a_replica_must_log_what_it_replicates(flavor: str, name: str) -> None:
    facts = upstream(flavor=flavor, variables={name: "OFF"})
    assert not failures(facts)
    (failure,) = failures(replace(facts, is_replica=True))
    assert f"{name} is OFF" in failure
    assert not failures(replace(facts, is_replica=True, variables=facts.variables | {name: "ON"}))


def test_gtids_must_be_on_where_the_source_asks_for_them() -> None:
    assert (
        "gtid_mode is OFF_PERMISSIVE"
        in failures(upstream(enable_gtid=True, variables={"gtid_mode": "OFF_PERMISSIVE"}))[0]
    )
    assert not failures(upstream(enable_gtid=True, variables={"gtid_mode": "ON"}))
    assert not failures(upstream(enable_gtid=True, flavor="mariadb"))


def test_a_schema_that_is_not_logged_fails() -> None:
    assert "shop are not in the binary log" in failures(upstream(binlog_do_db="other, more"))[0]
    assert failures(upstream(binlog_ignore_db="shop"))


def test_a_missing_privilege_is_named_with_its_grant() -> None:
    reader = parse_grants("dm@%", ["GRANT SELECT ON `shop`.* TO `dm`@`%`"])
    (failure,) = failures(upstream(grants=reader))
    assert "'dm'@'%' lacks REPLICATION SLAVE, REPLICATION CLIENT on *.*" in failure
    assert "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'dm'@'%';" in failure


def test_a_schema_that_may_not_be_read_is_not_seen_but_missed() -> None:
    follower = parse_grants("dm@%", ["GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `dm`@`%`"])
    facts = replace(upstream(grants=follower), tables=(), targets={})
    assert any("GRANT SELECT ON `shop`.* TO 'dm'@'%';" in failure for failure in failures(facts))


@pytest.mark.parametrize(
    ("allow_list", "granted", "seen", "found"),
    [
        ({"do-dbs": ["shop"]}, "`shop`.*", True, ""),
        ({"do-dbs": ["shop"]}, "*.*", False, "warn: no table is there"),
        ({"do-dbs": ["shop"]}, "`shop`.`a`", True, "fail: lacks SELECT on `shop`.*: tables there that it may not see"),
        ({"do-tables": [{"db-name": "shop", "tbl-name": "a"}]}, "`shop`.`a`", True, ""),
        (
            {"do-tables": [{"db-name": "shop", "tbl-name": "a"}, {"db-name": "shop", "tbl-name": "b"}]},
            "`shop`.`a`", True, "fail: lacks SELECT on `shop`.`b`",
        ),
        ({"do-tables": [{"db-name": "shop", "tbl-name": "~."}]}, "`shop`.`a`", True, "fail: lacks SELECT on `shop`.*"),
        ({"do-dbs": ["sh*"]}, "`shop`.*", True, "warn: sees `shop`, and may not see all"),
        ({"do-dbs": ["sh*"]}, "`other`.*", False, "fail: sees nothing, and may not see all"),
        ({}, "`other`.*", False, "fail: sees nothing, and may not see all"),
        ({"ignore-dbs": ["x"]}, "*.*", True, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", [TaskMode.ALL, TaskMode.FULL, TaskMode.INCREMENTAL])
def test_what_an_account_may_not_see_is_not_left_out_silently(
    mode: TaskMode, allow_list: dict[str, Any], granted: str, seen: bool, found: str
) -> None:
    lines = [
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT, RELOAD ON *.* TO `dm`@`%`", f"GRANT SELECT ON {granted} TO `dm`@`%`"
    ]  # fmt: skip
    facts = upstream(mode=mode, grants=parse_grants("dm@%", lines), allow_list=allow_list)
    result = report(facts if seen else replace(facts, tables=(), targets={}))
    told = [("fail", one.text) for one in result.failures] + [("warn", one.text) for one in result.warnings]
    level, _, words = found.partition(": ")
    assert [(state, words in text) for state, text in told] == ([(level, True)] if found else [])


@pytest.mark.parametrize(
    ("mode", "consistency", "needs"),
    [
        (TaskMode.FULL, "", False), (TaskMode.FULL, "none", True), (TaskMode.ALL, "auto", True),
        (TaskMode.INCREMENTAL, "", True), (TaskMode.DUMP, "", False),
    ],
)  # fmt: skip
def test_only_who_reads_the_binlog_needs_replication_slave(mode: TaskMode, consistency: str, needs: bool) -> None:
    grants = parse_grants("dm@%", ["GRANT REPLICATION CLIENT, RELOAD, SELECT ON *.* TO `dm`@`%`"])
    found = failures(upstream(mode=mode, dump={"consistency": consistency}, grants=grants))
    assert ["lacks REPLICATION SLAVE on *.*" in one for one in found] == ([True] if needs else [])


def test_a_keyless_table_needs_a_lock() -> None:
    lines = [
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `dm`@`%`",
        "GRANT SELECT ON `shop`.* TO `dm`@`%`",
    ]
    grants = parse_grants("dm@%", lines)
    assert not failures(upstream(grants=grants))
    assert any("LOCK TABLES" in one for one in failures(upstream(table("log", keys=()), grants=grants)))


@pytest.mark.parametrize(
    ("dump", "privilege", "missing"),
    [
        ({}, "SELECT", "LOCK TABLES"),
        ({}, "LOCK TABLES", ""),
        ({}, "RELOAD", ""),
        ({"consistency": "flush"}, "LOCK TABLES", "RELOAD"),
        ({"consistency": "flush"}, "FLUSH_TABLES", ""),
        ({"consistency": "lock"}, "RELOAD", "LOCK TABLES"),
        ({"extra-args": "--consistency none"}, "SELECT", ""),
    ],
)
def test_a_consistent_snapshot_needs_a_lock(dump: dict[str, str], privilege: str, missing: str) -> None:
    follower = "GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT"
    grants = parse_grants("dm@%", [f"{follower}, {privilege} ON *.* TO `dm`@`%`"])
    found = failures(upstream(mode=TaskMode.FULL, dump=dump, grants=grants))
    assert [f"lacks {missing}" in one for one in found] == ([True] if missing else [])


@pytest.mark.parametrize(("gtid_mode", "privilege", "is_enough"), [
    ("OFF", "SELECT", False), ("OFF", "LOCK TABLES", True), ("OFF", "RELOAD", True), ("ON", "SELECT", True),
])  # fmt: skip
def test_a_copy_without_a_lock_needs_one_for_a_moment_where_mysql_has_no_gtids(
    gtid_mode: str, privilege: str, is_enough: bool
) -> None:
    grants = parse_grants(
        "dm@%", [f"GRANT REPLICATION SLAVE, REPLICATION CLIENT, {privilege}, SELECT ON *.* TO `dm`@`%`"]
    )
    facts = upstream(grants=grants)
    facts = replace(facts, flavor="mysql", variables={**facts.variables, "gtid_mode": gtid_mode})
    assert any("MySQL without GTIDs" in one for one in failures(facts)) != is_enough


def test_a_target_that_may_not_be_written_fails() -> None:
    reader = parse_grants("dm@%", ["GRANT SELECT ON *.* TO `dm`@`%`"])
    found = failures(upstream(), into=target(grants=reader, schemas=frozenset()))
    assert any("lacks CREATE, INSERT, UPDATE, DELETE on `shop`.*, which is to be created" in one for one in found)
    assert any("ON `dm_meta`.* TO 'dm'@'%';" in one for one in found)


def test_a_table_without_key_is_a_warning() -> None:
    nullable = KeyFacts("u", ("note",), True)
    prefix = KeyFacts("p", ("id",), False)
    found = report(upstream(table("log", keys=(nullable, prefix))))
    assert ["`shop`.`log`" in one.text for one in found.warnings] == [True]


def test_shards_that_differ_fail() -> None:
    other = table("b", ColumnFacts("id", "bigint(20)", nullable=False), ColumnFacts("extra", "text"))
    merged = {("shop", "a"): ("shop", "all"), ("shop", "b"): ("shop", "all")}
    (failure,) = failures(upstream(table("a"), other, targets=merged))
    assert "column id is int(11) and bigint(20)" in failure
    assert "column note is missing in the second" in failure
    assert "column extra is missing in the first" in failure


def test_shards_that_differ_only_warn_when_the_target_table_was_made_before() -> None:
    merged = {("shop", "a"): ("shop", "a"), ("shop", "b"): ("shop", "a")}
    other = table("b", ID, NOTE, ColumnFacts("extra", "text"))
    made = table("a", ID, NOTE, ColumnFacts("extra", "text"))
    found = report(upstream(table("a"), other, targets=merged), into=target(made))
    assert not found.failures
    assert any("differ" in one.text for one in found.warnings)


def test_display_widths_are_no_difference() -> None:
    one, two = upstream(table("a")), upstream(table("a", replace(ID, type="int"), NOTE), source="s2")
    assert not failures(one, two)


def test_shards_that_count_on_their_own_are_a_warning() -> None:
    counted = replace(ID, auto_increment=True)
    one, two = upstream(table("a", counted, NOTE)), upstream(table("a", counted, NOTE), source="s2")
    assert any("AUTO_INCREMENT" in finding.text for finding in report(one, two).warnings)


def test_targets_that_differ_by_case_fail_where_these_are_one_table() -> None:
    routed = {("shop", "a"): ("shop", "orders"), ("shop", "b"): ("shop", "Orders")}
    facts = upstream(table("a"), table("b"), targets=routed)
    assert any("differ by case only" in one for one in failures(facts))
    assert not failures(facts, into=target(flavor="mariadb", folds_names=False))


def test_rows_in_the_target_warn_with_a_key_and_fail_without() -> None:
    filled = frozenset((("shop", "a"),))
    assert any("have rows" in one.text for one in report(upstream(), into=target(table("a"), filled=filled)).warnings)
    keyless = table("a", keys=())
    assert any("no key" in one for one in failures(upstream(), into=target(keyless, filled=filled)))
    assert not failures(upstream(mode=TaskMode.INCREMENTAL), into=target(keyless, filled=filled))


def test_rows_of_our_own_earlier_run_are_expected() -> None:
    filled = frozenset((("shop", "a"),))
    into = target(table("a", keys=()), filled=filled, started=frozenset(("s1",)), copied=frozenset(("s1",)))
    assert not report(upstream(), into=into).failures


def test_a_copy_that_begins_behind_replication_doubles_rows() -> None:
    """The task-mode was incremental before, and is all now."""
    into = target(table("a", keys=()), filled=frozenset((("shop", "a"),)), started=frozenset(("s1",)),
                  feeders={("shop", "a"): frozenset(("s1",))})  # fmt: skip
    assert any("no key" in one for one in failures(upstream(), into=into))


@pytest.mark.parametrize("keys", [(PRIMARY,), ()])
def test_remove_meta_is_refused_where_tables_have_rows(keys: tuple[KeyFacts, ...]) -> None:
    names = [f"t{number}" for number in range(7)]
    facts = upstream(*(table(name, keys=keys) for name in names))
    both = frozenset(("s1", "s2"))
    into = target(
        *facts.tables, filled=frozenset(facts.targets), started=both, copied=both,
        feeders={("shop", "t0"): both, ("shop", "t1"): frozenset(("s1",))},
    )  # fmt: skip
    assert not report(facts, into=into).failures
    (found,) = failures_first(all_checks([facts], into, forgets=True)).failures
    assert "`shop`.`t4` and 2 more; rows that the upstream has no longer would stay" in found.text
    assert ("be there twice" in found.text) == (not keys)
    for words in ("TRUNCATE TABLE", "of s2, too", "`downstream_table_empty` into ignore-checking-items"):
        assert words in found.instruction
    assert not failures_first(all_checks([facts], replace(into, filled=frozenset()), forgets=True)).failures


@pytest.mark.parametrize(("mode", "counts"), [(TaskMode.ALL, (1, 0)), (TaskMode.INCREMENTAL, (0, 1))])
def test_tables_that_the_last_run_left_out_do_not_come_by_themselves(mode: TaskMode, counts: tuple[int, int]) -> None:
    before = upstream(allow_list={"do-tables": [{"db-name": "shop", "tbl-name": "a"}]}).subtask
    runs = {"started": frozenset(("s1",)), "copied": frozenset(("s1",))}
    into = target(**runs, kept={"s1": Kept(taken=before.taken)})
    wider = upstream(table("a"), table("b"), table("c"), mode=mode)
    found = report(wider, into=into)
    assert (len(found.failures), len(found.warnings)) == counts
    (finding,) = [*found.failures, *found.warnings]
    assert "rows that they have upstream are not copied: `shop`.`b`, `shop`.`c`" in finding.text
    assert "`uncopied_tables` into ignore-checking-items" in finding.instruction
    same = target(**runs, kept={"s1": Kept(taken=wider.subtask.taken)})
    for into_same in (same, target(**runs, kept={"s1": Kept()}), target()):
        assert not report(wider, into=into_same).failures
    assert not failures_first(all_checks([wider], into, forgets=True)).failures


def test_rules_that_have_changed_behind_a_copy_are_warned_of() -> None:
    facts = upstream(table("a"), table("b"))
    route = {"schema-pattern": "shop", "table-pattern": "b", "target-schema": "shop", "target-table": "b2"}
    mapping = {"schema-pattern": "shop", "table-pattern": "a", "source-column": "note", "target-column": "note",
               "expression": "add prefix", "arguments": ["x"]}  # fmt: skip
    wire = json.loads(facts.subtask.to_wire())
    now = SubtaskConfig.model_validate(wire | {"routes": [route], "column-mappings": {"m": mapping}})
    begun, kept = frozenset(("s1",)), Kept("finished", facts.subtask.taken, True)
    into = target(started=begun, copied=begun, kept={"s1": kept})
    found = report(replace(facts, subtask=now), into=into)
    assert [one.text for one in found.warnings if "changed since the task ran" in one.text] == [
        "source s1: column-mappings changed since the task ran: rows that are there keep the former values: shop.a",
        "source s1: routes changed since the task ran: rows that are there stay in the former tables, and their "
        "changes go to others from now on: shop.b",
    ]
    assert not found.failures
    assert not report(facts, into=into).warnings


@pytest.mark.parametrize("feeders", [{("shop", "a"): frozenset(("s2",))}, {}])
def test_rows_of_other_sources_of_the_task_are_expected(feeders: dict[Any, frozenset[str]]) -> None:
    """Of one that DM ran before nothing is known but that it has begun."""
    filled, begun = frozenset((("shop", "a"),)), frozenset(("s2",))
    into = target(table("a", keys=()), filled=filled, started=begun, copied=begun, feeders=feeders)
    assert not report(upstream(), into=into).failures
    other = target(table("a", keys=()), filled=filled, started=begun, feeders={("shop", "b"): begun})
    assert any("no key" in one for one in failures(upstream(), into=other))


def test_a_start_position_that_was_purged_fails() -> None:
    facts = upstream(mode=TaskMode.INCREMENTAL, binlog_files=("mysql-bin.000005",))
    meta = facts.subtask.model_copy(update={"meta": _meta("mysql-bin.000003")})
    assert "the oldest is mysql-bin.000005" in failures(replace(facts, subtask=meta))[0]


def _meta(name: str) -> Any:
    from pkg.task.task import Meta

    return Meta.model_validate({"binlog-name": name, "binlog-pos": 4})


def test_the_report_has_dms_shape_and_limits() -> None:
    found = report(upstream(variables={"log_bin": "OFF", "binlog_format": "STATEMENT"}))
    headline, _, detail = found.message(1, 0).partition("detail:")
    assert headline.startswith("[code=26005:class=task-check")
    assert "fail to check synchronization configuration" in headline
    body = json.loads(detail)
    assert len(body["results"]) == 1
    assert set(body["results"][0]) == {"id", "name", "desc", "state", "errors", "instruction", "extra"}
    assert body["results"][0]["state"] == "fail"
    assert body["summary"]["failed"] == 2
    assert body["summary"]["passed"] is False


def mapped(facts: UpstreamFacts, *arguments: str, expression: str = "partition id") -> UpstreamFacts:
    """The same with a column mapping of the ids."""
    rule = {
        "schema-pattern": "shop",
        "table-pattern": "*",
        "expression": expression,
        "source-column": "id",
        "target-column": "id",
        "arguments": arguments,
    }
    subtask = facts.subtask.model_dump(by_alias=True, context=REVEAL)
    return replace(facts, subtask=SubtaskConfig.model_validate(subtask | {"column-mappings": {"ids": rule}}))


def filled(facts: UpstreamFacts, column: str, expression: str) -> UpstreamFacts:
    """The same with a route that fills a column."""
    route = {
        "schema-pattern": "shop",
        "table-pattern": "*",
        "target-schema": "shop",
        "target-table": "t",
        "extract-table": {"table-regexp": expression, "target-column": column},
    }
    subtask = facts.subtask.model_dump(by_alias=True, context=REVEAL)
    return replace(facts, subtask=SubtaskConfig.model_validate(subtask | {"routes": [route]}))


COUNTED = ColumnFacts("id", "bigint(20)", nullable=False, auto_increment=True)
TO_T = {("shop", name): ("shop", "t") for name in ("a", "t_1", "t_2", "t_01")}


def test_rules_for_columns_that_do_not_fit_fail() -> None:
    [text] = failures(mapped(upstream(table("a")), "1", "", ""))
    assert "`shop`.`a` of s1: the column mapping ids cannot be applied to the target table shop.a: id is int" in text
    [text] = failures(mapped(upstream(table("a", COUNTED)), "1", "", "t_"))
    assert "finds no number" in text
    [text] = failures(mapped(upstream(table("a", COUNTED)), "x", expression="add prefix"))
    assert "needs a text type" in text
    assert failures(mapped(upstream(table("a")), "1", "", ""), into=target(table("a", COUNTED))) == []


def test_shards_with_the_same_partition_id_bits_fail() -> None:
    one = mapped(upstream(table("t_1", COUNTED), source="s1", targets=TO_T), "1", "", "t_")
    two = mapped(upstream(table("t_01", COUNTED), source="s2", targets=TO_T), "1", "", "t_")
    [text] = failures(one, two)
    assert "`shop`.`t_1` of s1 and `shop`.`t_01` of s2 go to shop.t" in text
    assert failures(one, replace(two, tables=(table("t_2", COUNTED),))) == []


def test_shards_whose_ids_are_mapped_may_count_on_their_own() -> None:
    shards = upstream(table("t_1", COUNTED), table("t_2", COUNTED), targets=TO_T)
    assert "AUTO_INCREMENT" in str(report(shards).warnings)
    assert not report(mapped(shards, "1", "", "t_")).warnings


def test_a_column_that_the_route_fills_must_be_in_the_target_and_tells_shards_apart_in_its_key() -> None:
    shards = filled(upstream(table("t_1", COUNTED), table("t_2", COUNTED), targets=TO_T), "part", "t_(.*)")
    assert all("fills the column part" in text for text in failures(shards))
    part = ColumnFacts("part", "varchar(9)", nullable=False)
    wide = table("t", COUNTED, part, keys=(KeyFacts("PRIMARY", ("part", "id"), True),))
    assert not report(shards, into=target(wide)).warnings
    assert not failures(shards, into=target(wide))
    narrow = table("t", COUNTED, part)
    assert "AUTO_INCREMENT" in str(report(shards, into=target(narrow)).warnings)


def test_an_expression_that_does_not_match_is_a_warning() -> None:
    part = ColumnFacts("part", "varchar(9)", nullable=False)
    facts = filled(upstream(table("a", COUNTED), targets=TO_T), "part", "t_(.*)")
    assert "does not match" in str(report(facts, into=target(table("t", COUNTED, part))).warnings)


def test_tables_of_online_ddl_are_named_where_their_real_tables_are_migrated() -> None:
    ghosts = (("shop", "_a_gho"), ("shop", "_b_old"), ("other", "_c_new"))
    found = report(upstream(ghosts=ghosts))
    (failure,) = found.failures
    assert "`shop`.`_a_gho`" in failure.text
    assert "online-ddl: false" in failure.instruction
    (warning,) = found.warnings
    assert "`shop`.`_b_old`" in warning.text
    assert not report(upstream(ghosts=ghosts), into=target(started=frozenset({"s1"}))).failures


def test_a_dump_asks_for_what_reads_tables_and_no_more() -> None:
    lines = ["GRANT SELECT ON *.* TO `dm`@`%`", "GRANT REPLICATION CLIENT ON *.* TO `dm`@`%`"]
    reader, blind = parse_grants("dm@%", lines), parse_grants("dm@%", lines[:1])
    off = {"log_bin": "OFF", "binlog_format": "MIXED", "server_id": "0"}
    tables = (table("a", ColumnFacts("id", "int(11)"), keys=()), table("b"))
    merged = {one.name: ("shop", "both") for one in tables}
    assert not failures(upstream(*tables, mode=TaskMode.DUMP, variables=off, grants=reader, targets=merged))
    (failure,) = failures(upstream(mode=TaskMode.DUMP, grants=blind))
    assert "REPLICATION CLIENT" in failure
    (failure,) = failures(upstream(mode=TaskMode.DUMP, grants=reader, dump={"consistency": "lock"}))
    assert "LOCK TABLES" in failure
    (failure,) = failures(upstream(mode=TaskMode.DUMP, variables={"max_connections": "3"}))
    assert "max_connections is 3" in failure
