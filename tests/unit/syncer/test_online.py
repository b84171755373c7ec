"""Records of shadow tables: what begins, fills and ends them, and what of them is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dm_worker.syncer.online import OnlineDdl
from dm_worker.syncer.online_rows import Record, RecordStatements, record_of
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.binlog.sql_modes import mode_names
from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.online_ddl import Exchange, OnlineTables, Rules
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.task.task import DEFAULT_SHADOW_RULES, DEFAULT_TRASH_RULES

PLACE = "(b.000001, 4)"
SHADOW = TableName("db", "_t_gho")
STATEMENTS = RecordStatements("`m`.`t_onlineddl`", "s1")


class World:
    """The tracker and the records of a source whose task takes ``tables`` of the schema db."""

    def __init__(self, *tables: str) -> None:
        rules = OnlineTables(Rules(tuple(DEFAULT_SHADOW_RULES), tuple(DEFAULT_TRASH_RULES)))
        lists = BlockAllowRules(do_dbs=("db",), do_tables=tuple(("db", table) for table in tables))
        self.allowed = BlockAllowList(lists, True, leaves_out=rules.is_ghost)
        self.rules = rules
        self.stored: dict[str, str] = {}
        self.tracker = SchemaTracker()
        self.ran: list[str] = []
        self.present: Table | None = None  # the target's table, in a repetition
        self.before: Table | None = None  # the real table's structure at the last exchange
        self.online = OnlineDdl(rules, self.allowed, {}, STATEMENTS)

    def restart(self) -> None:
        records = {TableName("db", table): record_of(text) for table, text in self.stored.items()}
        self.online = OnlineDdl(self.rules, self.allowed, records, STATEMENTS)

    def do(self, sql: str, *, skipped: bool = False, **status: Any) -> list[str]:
        """One statement of the stream; what ran on real tables."""
        self.ran = []
        event = QueryEvent("db", sql, 1, 2, QueryStatus(**status))
        ddl = self._read(event)
        parted = None if skipped else self.online.parted(ddl, PLACE)
        for exchange in parted.exchanges if parted else ():
            self.online.exchange(exchange, self.tracker, self._read, self._run, lambda _: self.present, self._check)
        self.online.keep_structures(ddl, self.tracker)
        self.tracker.apply(ddl)
        self.online.follow(ddl, event, PLACE, is_skipped=skipped)
        for text, values in self.online.take_changes():
            if text.startswith("DELETE"):
                del self.stored[values[2]]
            else:
                self.stored[values[2]] = values[3]
        return self.ran

    def _read(self, event: QueryEvent) -> Ddl:
        modes = mode_names(event.status.sql_mode, "mysql")
        return parse_ddl(event.sql, default_schema=event.schema, flavor="mysql", sql_mode=modes)

    def _run(self, event: QueryEvent) -> None:
        ddl = self._read(event)
        self.tracker.apply(ddl)
        self.ran.append(ddl.text)

    def _check(self, exchange: Exchange, begun: str, events: Sequence[QueryEvent], before: Table | None) -> None:
        self.before = before

    def columns(self, table: str) -> list[str]:
        found = self.tracker.table("db", table)
        return [] if found is None else [column.name for column in found.columns]


@pytest.fixture
def world() -> World:
    world = World()
    world.do("CREATE TABLE t (id INT PRIMARY KEY)")
    world.do("CREATE TABLE _t_gho LIKE t")
    world.do("ALTER TABLE _t_gho ADD COLUMN a INT")
    return world


def test_what_was_done_to_the_shadow_runs_on_the_real_table(world: World) -> None:
    world.do("CREATE INDEX k ON _t_gho (a)")
    world.restart()
    ran = world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    assert ran == ["ALTER TABLE `db`.`t` ADD COLUMN a INT", "CREATE INDEX k ON `db`.`t` (a)"]
    assert world.columns("t") == ["id", "a"]
    assert world.columns("_t_del") == ["id"]
    assert not world.stored


def test_quotes_and_backslashes_are_read_by_the_modes_of_their_statement_once(world: World) -> None:
    bits = {"ANSI_QUOTES": 1 << 2, "NO_BACKSLASH_ESCAPES": 1 << 20}
    world.do("""ALTER TABLE "_t_gho" ADD COLUMN b VARCHAR(9) DEFAULT 'c:\\'""", sql_mode=sum(bits.values()))
    world.restart()
    ran = world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    assert ran[-1] == r"ALTER TABLE `db`.`t` ADD COLUMN b VARCHAR(9) DEFAULT 'c:\\'"


@pytest.mark.parametrize(
    ("columns", "repeated"),
    [
        ("id INT", 3),
        ("id INT, a INT", 3),
        ("id INT, b INT", 2),
        ("id INT, b INT, c INT, z INT", 1),
        ("id INT, y INT", 3),
    ],
)
def test_a_repetition_begins_where_the_earlier_run_ended(world: World, columns: str, repeated: int) -> None:
    """Else the first change would bring a column back that the second has renamed."""
    world.do("ALTER TABLE _t_gho CHANGE COLUMN a b INT")
    world.do("ALTER TABLE _t_gho ADD COLUMN c INT")
    create = parse_ddl(f"CREATE TABLE t ({columns})", default_schema="x", flavor="mysql", sql_mode=frozenset())
    target = SchemaTracker()
    target.apply(create)
    world.present = target.table("x", "t")
    assert len(world.do("RENAME TABLE t TO _t_del, _t_gho TO t")) == repeated
    assert world.columns("t") == ["id", "b", "c"]


def test_the_real_table_goes_first(world: World) -> None:
    world.do("ALTER TABLE t RENAME _t_del")
    world.restart()
    assert world.do("ALTER TABLE _t_gho RENAME t") == ["ALTER TABLE `db`.`t` ADD COLUMN a INT"]
    assert (world.columns("t"), world.columns("_t_del")) == (["id", "a"], ["id"])
    assert not world.stored


def test_the_real_table_comes_back(world: World) -> None:
    world.do("RENAME TABLE t TO _t_del")
    world.do("RENAME TABLE _t_del TO t")
    assert record_of(world.stored["_t_gho"]).moved_to == ""
    assert world.do("RENAME TABLE t TO _t_del, _t_gho TO t") == ["ALTER TABLE `db`.`t` ADD COLUMN a INT"]


@pytest.mark.parametrize("back", ["RENAME TABLE t TO __t_del, _t_del TO t", "RENAME TABLE t TO u, _t_del TO t"])
def test_a_finished_exchange_is_not_taken_back(world: World, back: str) -> None:
    world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    with pytest.raises(DMError) as caught:
        world.do(back)
    assert caught.value.kind.code in (20050, 36244)
    world.do(back, skipped=True)
    assert world.columns("t") == ["id"]


def test_what_is_left_comes_back_while_another_change_is_under_way(world: World) -> None:
    world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    world.do("CREATE TABLE _t_gho LIKE t")
    with pytest.raises(DMError, match="36244"):
        world.do("RENAME TABLE t TO __t_del, _t_del TO t")


@pytest.mark.parametrize(
    "sql",
    ["DROP TABLE _t_gho", "DROP TABLE IF EXISTS t, _t_gho, u", "RENAME TABLE _t_gho TO _t_old", "DROP DATABASE db"],
)
def test_a_record_ends_with_its_table(world: World, sql: str) -> None:
    world.do(sql)
    assert not world.stored


def test_a_record_begins_anew_with_its_table(world: World) -> None:
    world.do("CREATE TABLE IF NOT EXISTS _t_gho LIKE t")
    assert record_of(world.stored["_t_gho"]).events
    world.do("DROP TABLE _t_gho")
    world.do("CREATE TABLE _t_gho LIKE t")
    assert record_of(world.stored["_t_gho"]) == Record(begun=PLACE, is_like=True)
    assert world.do("RENAME TABLE t TO _t_del, _t_gho TO t") == []


def test_without_a_record_the_exchange_is_an_error() -> None:
    world = World()
    world.do("CREATE TABLE t (id INT PRIMARY KEY)")
    with pytest.raises(DMError) as caught:
        world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    assert caught.value.code == 36046


def test_tables_that_are_not_migrated_may_do_what_they_like() -> None:
    world = World("t")
    for sql in (
        "CREATE TABLE u (id INT PRIMARY KEY)", "CREATE TABLE _u_gho LIKE u", "RENAME TABLE u TO backup, _u_gho TO u",
        "RENAME TABLE u TO _u_new", "RENAME TABLE _u_new TO x",
    ):  # fmt: skip
        assert world.do(sql) == []
    assert not world.stored


def test_a_skipped_change_is_not_kept(world: World) -> None:
    world.do("ALTER TABLE _t_gho ADD COLUMN b INT", skipped=True)
    assert [event.sql for event in record_of(world.stored["_t_gho"]).events] == ["ALTER TABLE _t_gho ADD COLUMN a INT"]
    world.do("RENAME TABLE t TO _t_del, _t_gho TO t", skipped=True)
    assert not world.stored


def test_a_given_change_of_the_shadow_is_kept(world: World) -> None:
    given = "ALTER TABLE _t_gho ADD COLUMN b INT"
    event = QueryEvent("db", "ALTER TABLE _t_gho ADD b NONSENSE", 1, 2)
    ddl = parse_ddl(given, default_schema="db", flavor="mysql", sql_mode=frozenset())
    assert world.online.takes_given(ddl, event, PLACE)
    ran = world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    assert ran == ["ALTER TABLE `db`.`t` ADD COLUMN a INT", "ALTER TABLE `db`.`t` ADD COLUMN b INT"]


def test_the_session_is_stored_with_the_change(world: World) -> None:
    world.do("ALTER TABLE _t_gho ADD COLUMN d DATETIME", time_zone="+05:00", sql_mode=4, microseconds=9)
    last = record_of(world.stored["_t_gho"]).events[-1]
    assert last.status == QueryStatus(time_zone="+05:00", sql_mode=4, microseconds=9)


def test_a_real_table_is_not_dropped_under_its_shadow(world: World) -> None:
    with pytest.raises(DMError) as caught:
        world.do("DROP TABLE IF EXISTS t")
    assert caught.value.code == 36047
    assert "drop_swap" in caught.value.workaround
    world.do("DROP TABLE t", skipped=True)
    assert world.do("RENAME TABLE _t_gho TO t") == ["ALTER TABLE `db`.`t` ADD COLUMN a INT"]


@pytest.mark.parametrize(
    ("taking", "skipped"),
    [
        (["DROP TABLE t"], True),
        (["RENAME TABLE t TO _t_del", "DROP TABLE _t_del"], False),
        (["RENAME TABLE t TO _t_del", "RENAME TABLE _t_del TO __t_del"], False),
    ],
)
def test_a_table_that_is_gone_before_its_shadow_comes_is_known(world: World, taking: list[str], skipped: bool) -> None:
    for sql in taking:
        world.do(sql, skipped=skipped)
        world.restart()
    world.do("RENAME TABLE _t_gho TO t")
    assert world.before is not None
    assert (world.before.name, [column.name for column in world.before.columns]) == ("t", ["id"])


def test_a_table_that_was_made_anew_under_its_shadow_is_known_by_that(world: World) -> None:
    world.do("DROP TABLE t", skipped=True)
    world.do("CREATE TABLE t (id INT PRIMARY KEY, b INT)")
    world.do("RENAME TABLE t TO _t_del, _t_gho TO t")
    assert world.before is not None
    assert [column.name for column in world.before.columns] == ["id", "b"]


def test_other_statements_are_none_of_its_business(world: World) -> None:
    for sql in ("ALTER TABLE t ADD COLUMN z INT", "CREATE TABLE copy LIKE _t_gho", "DROP TABLE u", "CREATE DATABASE x"):
        ddl = parse_ddl(sql, default_schema="db", flavor="mysql", sql_mode=frozenset())
        assert world.online.parted(ddl, PLACE) is None


def test_the_rest_of_a_statement_stays(world: World) -> None:
    sql = "RENAME TABLE x TO y, t TO _t_del, _t_gho TO t"
    parted = world.online.parted(parse_ddl(sql, default_schema="db", flavor="mysql", sql_mode=frozenset()), PLACE)
    assert parted is not None
    assert [piece.text for piece in parted.plain] == ["RENAME TABLE `db`.`x` TO `db`.`y`"]
