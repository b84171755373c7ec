"""Foreign keys that the target checks (`session: {foreign_key_checks: 1}`): parents and children in order, cascades."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymysql
import pytest

from dm_master.precheck.gather import gather_target, gather_upstream
from dm_master.precheck.report import State
from dm_master.precheck.tables import check_cascades
from dm_worker.syncer.unlike_cascades import IDLE_CASCADES, LOST_CASCADES, MAKES_IDLE_KEYS, OWN_CASCADES
from dm_worker.syncer.unseen_cascades import UNSEEN_CASCADES
from pkg.adapters.structures import Cascade, cascades_of
from pkg.errors import DMError, ErrorKind
from pkg.task.blocks import EventFilter
from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests import servers
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.cases.sync.test_observing import holding
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

TABLES = (
    "CREATE TABLE p (id INT PRIMARY KEY, v INT)",
    "CREATE TABLE casc (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE grand (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES casc (id) ON DELETE CASCADE)",
    "CREATE TABLE nulls (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL ON UPDATE SET NULL)",
    "CREATE TABLE strict (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))",
    "CREATE TABLE keyed (p INT, n INT, PRIMARY KEY (p, n), FOREIGN KEY (p) REFERENCES p (id) "
    "ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE loose (p INT, v INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE tree (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES tree (id))",
    "CREATE TABLE pair (a INT, b VARCHAR(9), v INT, PRIMARY KEY (a, b))",
    "CREATE TABLE pairs (id INT PRIMARY KEY, a INT, b VARCHAR(9), FOREIGN KEY (a, b) REFERENCES pair (a, b) "
    "ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE hen (id INT PRIMARY KEY, egg INT)",
    "CREATE TABLE egg (id INT PRIMARY KEY, hen INT, FOREIGN KEY (hen) REFERENCES hen (id))",
    "ALTER TABLE hen ADD FOREIGN KEY (egg) REFERENCES egg (id)",
    "CREATE TABLE apart (id INT PRIMARY KEY, v INT)",
)
NAMES = (
    "p", "casc", "grand", "nulls", "strict", "keyed", "loose", "tree", "pair", "pairs", "hen", "egg", "apart", "counter",
    "log",
)  # fmt: skip
STORY = (
    "INSERT INTO p VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)",
    "INSERT INTO casc VALUES (1, 1), (2, 2), (3, 3), (4, NULL)",
    "INSERT INTO grand VALUES (1, 1), (2, 2), (3, 1)",
    "INSERT INTO nulls VALUES (1, 1), (2, 2), (3, 3)",
    "INSERT INTO strict VALUES (1, 4), (2, 5)",
    "INSERT INTO keyed VALUES (1, 1), (2, 1), (2, 2)",
    "INSERT INTO loose VALUES (2, 1), (2, 1), (3, 1)",
    "INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2), (4, 1)",
    "INSERT INTO pair VALUES (1, 'x', 0), (1, 'y', 0), (2, 'x', 0)",
    "INSERT INTO pairs VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x'), (4, NULL, 'x')",
    "INSERT INTO hen VALUES (1, NULL), (2, NULL)",
    "INSERT INTO egg VALUES (1, 1), (2, 2)",
    "UPDATE hen SET egg = id",
    "INSERT INTO apart VALUES (1, 0), (2, 0)",
    "UPDATE p SET v = v + 1",
    "DELETE FROM p WHERE id = 1",
    "UPDATE p SET id = 20 WHERE id = 2",
    "UPDATE p SET id = 2 WHERE id = 20",
    "UPDATE casc SET p = 5 WHERE id = 4",
    "UPDATE pair SET b = 'z' WHERE a = 1 AND b = 'y'",
    "UPDATE pair SET b = 'Z' WHERE a = 1 AND b = 'z'",
    "UPDATE pair SET b = 'x ' WHERE a = 1 AND b = 'x'",
    "DELETE FROM pair WHERE a = 2",
    "UPDATE strict SET p = 6 WHERE id = 1",
    "DELETE FROM p WHERE id = 4",
    "INSERT INTO p VALUES (4, 9), (7, 0)",
    "INSERT INTO strict VALUES (3, 4), (4, 7)",
    "DELETE FROM strict WHERE p = 7",
    "DELETE FROM p WHERE id = 7",
    "DELETE FROM tree WHERE id = 3",
    "DELETE FROM tree WHERE id IN (2, 4) ORDER BY id DESC",
    "DELETE FROM tree WHERE id = 1",
    "INSERT INTO tree VALUES (9, NULL), (8, 9), (7, 8)",
    "UPDATE tree SET up = 9 WHERE id = 7",
    "UPDATE hen SET egg = NULL WHERE id = 1",
    "DELETE FROM egg WHERE id = 1",
    "DELETE FROM hen WHERE id = 1",
    "DELETE FROM p WHERE id = 3",
    "DELETE FROM apart WHERE id = 1",
    "SET foreign_key_checks = 0",
    "DELETE FROM p WHERE id = 5",
    "INSERT INTO strict VALUES (8, 888)",
    "UPDATE p SET id = 55 WHERE id = 6",
)


def config_of(pair: Pair, checks: str = "on", **sync: Any) -> SubtaskConfig:
    config = pair.config({"worker-count": 4, **sync})
    session = {"FOREIGN_KEY_CHECKS": checks}
    target = ConnectionConfig(host=pair.target.host, port=pair.target.port, user="root", session=session)
    return config.model_copy(update={"target": target})


def rows(pair: Pair, server: RunningServer, names: Sequence[str] = NAMES) -> dict[str, list[Any]]:
    found = {}
    with cursor_on(server, pair.name) as cursor:
        for table in names:
            cursor.execute(f"SELECT * FROM `{table}`")
            found[table] = sorted(cursor.fetchall(), key=repr)
    return found


@pytest.fixture(params=["mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mariadb"])
def pair(request: pytest.FixtureRequest) -> Pair:
    upstream, _, target = str(request.param).partition("-")
    there = request.getfixturevalue("mariadb2" if target == "mariadb" else target)
    pair = made(f"fk_{abs(hash(request.node.name)) % 10**6}", request.getfixturevalue(upstream), there)
    pair.both(*TABLES)
    return pair


@pytest.mark.parametrize("safe", [False, True])
def test_parents_and_children(pair: Pair, safe: bool) -> None:
    config = config_of(pair, **{"safe-mode": safe})
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(STORY, pair.upstream)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
        status = syncer.status()
    assert rows(pair, pair.target) == rows(pair, pair.upstream)
    assert f"{pair.name}.casc" in status["foreignKeys"]
    assert "apart" not in status["foreignKeys"]


@pytest.mark.parametrize("target", ["tidb", "mariadb2"])
def test_a_replaced_parent_keeps_the_children_that_it_kept(
    mysql: RunningServer, target: str, request: pytest.FixtureRequest
) -> None:
    """MySQL from 9.6 on logs REPLACE as a DELETE and an INSERT, and its children stay."""
    pair = made(f"fk_replaced_{target}", mysql, request.getfixturevalue(target))
    pair.both(*TABLES)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(("INSERT INTO p VALUES (1, 0), (2, 0)", "INSERT INTO casc VALUES (1, 1), (2, 2)"), mysql)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
    pair.on(("REPLACE INTO p VALUES (1, 5)", "DELETE FROM p WHERE id = 2"), mysql)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step again")
    assert rows(pair, pair.target) == rows(pair, mysql)
    assert rows(pair, mysql)["casc"] == [(1, 1)]


def random_story(rng: random.Random, count: int) -> list[str]:
    """Some fail upstream, as they would anywhere; what is logged must not fail below."""
    made_up = []
    for number in range(count):
        parent, child = rng.randrange(8), rng.randrange(30)
        made_up.append(
            rng.choice(
                (
                    f"INSERT IGNORE INTO p VALUES ({parent}, {number})",
                    f"INSERT IGNORE INTO casc VALUES ({child}, {parent})",
                    f"INSERT IGNORE INTO grand VALUES ({number}, {child})",
                    f"INSERT IGNORE INTO nulls VALUES ({child}, {parent})",
                    f"INSERT IGNORE INTO strict VALUES ({child}, {parent})",
                    f"INSERT IGNORE INTO keyed VALUES ({parent}, {child})",
                    f"INSERT IGNORE INTO loose VALUES ({parent}, {child})",
                    f"DELETE IGNORE FROM p WHERE id = {parent}",
                    f"UPDATE IGNORE p SET id = {rng.randrange(8)} WHERE id = {parent}",
                    f"DELETE IGNORE FROM strict WHERE id = {child}",
                    f"UPDATE IGNORE casc SET p = {parent} WHERE id = {child}",
                )
            )
        )
    return made_up


def attempt(pair: Pair, statements: Sequence[str]) -> None:
    """One transaction upstream, without the statements that fail there."""
    with cursor_on(pair.upstream, pair.name) as cursor:
        cursor.execute("BEGIN")
        for statement in statements:
            with contextlib.suppress(pymysql.err.MySQLError):
                cursor.execute(statement)
        cursor.execute("COMMIT")


def test_many_random_changes(pair: Pair) -> None:
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    rng = random.Random(5)
    for _ in range(20):
        attempt(pair, random_story(rng, 20))
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
    assert rows(pair, pair.target) == rows(pair, pair.upstream)


def test_a_child_without_its_parent_pauses_the_task(mariadb: RunningServer, tidb: RunningServer) -> None:
    pair = made("fk_orphan", mariadb, tidb)
    pair.both(*TABLES)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(("INSERT INTO p VALUES (1, 0)",), pair.upstream)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
    pair.on(("DELETE FROM p",), pair.target)
    pair.on(("INSERT INTO strict VALUES (1, 1)",), pair.upstream)
    with pytest.raises(DMError, match=r"foreign key constraint fails.*INSERT INTO"):
        Replication(config_of(pair)).end(60)
    pair.on(("INSERT INTO p VALUES (1, 0)",), pair.target)
    with running(config_of(pair)):
        until(lambda: rows(pair, pair.target) == rows(pair, pair.upstream), "it goes on")


def test_keys_that_come_and_go(mariadb: RunningServer, tidb: RunningServer) -> None:
    pair = made("fk_come_and_go", mariadb, tidb)
    pair.both("CREATE TABLE up (id INT PRIMARY KEY)", "CREATE TABLE down (id INT PRIMARY KEY, up INT, KEY (up))")
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        for _ in range(3):
            pair.on(
                (
                    "DELETE FROM down",
                    "DELETE FROM up",
                    "ALTER TABLE down ADD CONSTRAINT fk FOREIGN KEY (up) REFERENCES up (id) ON DELETE CASCADE",
                    *[f"INSERT INTO up VALUES ({number})" for number in range(30)],
                    *[f"INSERT INTO down VALUES ({number}, {number})" for number in range(30)],
                    "DELETE FROM up WHERE id < 20",
                ),
                mariadb,
            )
            until(lambda: rows(pair, tidb, ["up", "down"]) == rows(pair, mariadb, ["up", "down"]), "with the key")
            assert "fk_come_and_go.down" in syncer.status()["foreignKeys"]
            pair.on(
                ("ALTER TABLE down DROP FOREIGN KEY fk", "DELETE FROM up", "INSERT INTO down VALUES (99, 99)"), mariadb
            )
            until(lambda: rows(pair, tidb, ["up", "down"]) == rows(pair, mariadb, ["up", "down"]), "without")
            assert syncer.status()["foreignKeys"] == ""


@pytest.mark.parametrize("kind", ["mariadb", "tidb"])
def test_tables_that_refer_to_each_other_are_dropped_by_one_statement(
    mysql: RunningServer, kind: str, request: pytest.FixtureRequest
) -> None:
    """In any order, as MySQL takes it: each target drops them one by one."""
    pair = made(f"fk_dropped_{kind}", mysql, request.getfixturevalue(kind))

    def tables() -> set[str]:
        with cursor_on(pair.target, pair.name) as cursor:
            cursor.execute("SHOW TABLES")
            return {row[0] for row in cursor.fetchall()} - {"counter", "log"}

    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(
            (
                "CREATE TABLE p (id INT PRIMARY KEY)",
                "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))",
                "CREATE TABLE g (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES c (id))",
                "DROP TABLE p, g, c",
                "CREATE TABLE a (id INT PRIMARY KEY, b INT)",
                "CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))",
                "ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id)",
                "CREATE TABLE t (id INT PRIMARY KEY)",
                "DROP TABLE IF EXISTS t, a, b",
                "CREATE TABLE last (id INT PRIMARY KEY)",
            ),
            mysql,
        )
        until(lambda: tables() == {"last"}, "all the others are dropped")


def test_cascades_that_nobody_does_are_refused_or_chosen(
    mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    pair = made("fk_warned", mariadb, tidb)
    pair.both(*TABLES)
    _refused(Replication(pair.config()))
    chosen = config_of(pair, "0")
    with caplog.at_level("WARNING"), running(chosen) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    assert "fk_warned.grand → fk_warned.casc" in caplog.text
    assert check_cascades(gather_upstream(pair.config())).state is State.FAIL
    check = check_cascades(gather_upstream(chosen))
    assert check.state is State.WARN
    assert "fk_warned.casc → fk_warned.p" in check.findings[0].text
    assert "ON DELETE CASCADE ON UPDATE CASCADE" in check.findings[0].text
    assert not check_cascades(gather_upstream(config_of(pair))).findings
    copying = config_of(pair).model_copy(update={"task_mode": TaskMode.ALL})
    assert not check_cascades(gather_upstream(copying)).findings
    apart = copying.model_copy(update={"dump": copying.dump.model_copy(update={"consistency": "none"})})
    assert "until `query-status`" in check_cascades(gather_upstream(apart)).findings[0].instruction
    logging = made("fk_logged", mysql, tidb)  # MySQL 9.6 and later log what they cascade
    logging.both(*TABLES)
    assert not check_cascades(gather_upstream(logging.config())).findings


@pytest.mark.parametrize("rule", ["ON DELETE CASCADE", "ON UPDATE SET NULL"])
def test_keys_that_only_the_target_cascades_are_refused(pair: Pair, rule: str) -> None:
    child = "CREATE TABLE down (id INT PRIMARY KEY, up INT, CONSTRAINT fk FOREIGN KEY (up) REFERENCES up (id)"
    pair.both("CREATE TABLE up (id INT PRIMARY KEY)")
    pair.on((f"{child})",), pair.upstream)
    pair.on((f"{child} {rule})", f"CREATE TABLE own (up INT, FOREIGN KEY (up) REFERENCES up (id) {rule})"), pair.target)
    pair.both("INSERT INTO up VALUES (1)", "INSERT INTO down VALUES (1, 1)")
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(("INSERT INTO up VALUES (2)",), pair.upstream)
    _refused(Replication(config_of(pair)), OWN_CASCADES)
    pair.on(
        (
            "ALTER TABLE down DROP FOREIGN KEY fk",
            "ALTER TABLE down ADD CONSTRAINT fk FOREIGN KEY (up) REFERENCES up (id)",
        ),
        pair.target,
    )
    with running(config_of(pair)):
        until(lambda: rows(pair, pair.target, ["up"]) == rows(pair, pair.upstream, ["up"]), "it goes on")


@pytest.mark.parametrize("kind", ["mariadb", "mysql", "tidb"])
def test_a_parent_in_another_database_is_known_by_it(kind: str, request: pytest.FixtureRequest) -> None:
    """TiDB's referential_constraints name the child's database."""
    server: RunningServer = request.getfixturevalue(kind)
    with cursor_on(server, "mysql") as cursor:
        for name in ("fk_across", "fk_across_2"):
            cursor.execute(f"CREATE DATABASE {name}")
            cursor.execute(f"CREATE TABLE {name}.p (id INT PRIMARY KEY)")
        key = "CONSTRAINT fk FOREIGN KEY (p) REFERENCES fk_across_2.p (id) ON DELETE CASCADE"
        cursor.execute(f"CREATE TABLE fk_across.c (id INT PRIMARY KEY, p INT, {key})")
        found = [one for one in cascades_of(cursor.connection) if one.child == ("fk_across", "c")]
        assert found == [Cascade("fk", ("fk_across", "c"), ("fk_across_2", "p"), ("p",), "CASCADE", "")]
        cursor.execute("DROP DATABASE fk_across")
        cursor.execute("DROP DATABASE fk_across_2")


def test_keys_that_only_the_upstream_cascades_are_named(
    mariadb: RunningServer, tidb: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    pair = made("fk_above", mariadb, tidb)
    pair.both(*TABLES)
    pair.on(("ALTER TABLE casc DROP FOREIGN KEY fk_1",), tidb)
    with caplog.at_level("WARNING"), running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO p VALUES (1, 0)",), mariadb)
        until(lambda: rows(pair, tidb, ["p"]) == rows(pair, mariadb, ["p"]), "the row")
    assert "fk_above.casc → fk_above.p" in caplog.text
    assert "fk_above.nulls → fk_above.p" not in caplog.text


def test_cascades_that_a_filter_sees_at_one_end_alone_are_named(
    mariadb: RunningServer, tidb: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    pair = made("fk_filtered", mariadb, tidb)
    pair.both(*TABLES)
    rule = {"schema-pattern": pair.name, "table-pattern": "casc", "events": ["delete"], "action": "Ignore"}
    config = config_of(pair).model_copy(update={"filters": {"keeps": EventFilter.model_validate(rule)}})
    with caplog.at_level("WARNING"), running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO p VALUES (1, 0)",), mariadb)
        until(lambda: rows(pair, tidb, ["p"]) == rows(pair, mariadb, ["p"]), "the row")
    assert "the filter leaves out deletes of fk_filtered.casc" in caplog.text
    assert "leaves out deletes of fk_filtered.p" not in caplog.text
    assert "deletes of fk_filtered.casc" in check_cascades(gather_upstream(config)).findings[0].text


def _refused(replication: Replication, error: ErrorKind = UNSEEN_CASCADES) -> None:
    with pytest.raises(DMError) as raised:
        replication.end(wait=60)
    assert raised.value.code == error.code


_LETTERS = (
    "CREATE TABLE people (name VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, n INT)",
    "CREATE TABLE theirs (id INT PRIMARY KEY, name VARCHAR(9) COLLATE utf8mb4_general_ci, n INT, "
    "FOREIGN KEY (name) REFERENCES people (name) ON UPDATE CASCADE ON DELETE SET NULL)",
)


def _arrives(pair: Pair, story: Sequence[str]) -> None:
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(story, pair.upstream)
        until(lambda: rows(pair, pair.target, ["people"]) == rows(pair, pair.upstream, ["people"]), "the last row")
    assert rows(pair, pair.target, ["theirs"]) == rows(pair, pair.upstream, ["theirs"])


def test_letters_that_are_cascaded_and_logged_arrive(mysql: RunningServer) -> None:
    """MySQL drops the whole UPDATE of a parent where a child has the new letters already, as the logged child has."""
    story = (
        "INSERT INTO people VALUES ('ann', 1), ('bob', 1), ('eve ', 1)",
        "INSERT INTO theirs VALUES (1, 'ann', 1), (2, 'bob', 2), (3, 'eve', 3)",
        "UPDATE people SET name = UPPER(name), n = n + 1",
        "UPDATE people SET name = 'éve' WHERE name = 'EVE'",
        "DELETE FROM people WHERE name = 'ann'",
        "INSERT INTO people VALUES ('last', 1)",
    )
    with servers.start("mysql") as target:
        pair = made("fk_letters", mysql, target)
        pair.both(*_LETTERS)
        _arrives(pair, story)


def test_a_target_that_loses_cascades_is_refused(mariadb: RunningServer, mysql: RunningServer) -> None:
    pair = made("fk_losing", mariadb, mysql)
    pair.both(*_LETTERS)
    replication = Replication(config_of(pair))
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    pair.on(("INSERT INTO people VALUES ('ann', 1)",), mariadb)
    _refused(replication, LOST_CASCADES)
    facts = gather_upstream(config_of(pair))
    check = check_cascades(facts, gather_target([config_of(pair)], [facts]))
    assert check.state is State.FAIL
    assert "innodb_native_foreign_keys=ON" in check.findings[0].instruction
    with servers.start("mysql", options=("--innodb-native-foreign-keys=ON",)) as native:
        pair = made("fk_losing", mariadb, native)
        pair.both(*_LETTERS)
        story = (
            "INSERT INTO people VALUES ('ann', 1), ('bob', 1)",
            "INSERT INTO theirs VALUES (1, 'ANN', 1), (2, 'bob', 2)",
            "UPDATE people SET name = UPPER(name), n = n + 1",
            "DELETE FROM people WHERE name = 'bob'",
        )
        _arrives(pair, story)


def test_keys_that_tidb_holds_by_name_only_are_refused(mariadb: RunningServer) -> None:
    """Whether they were there before, or TiDB makes such ones now."""
    family = (
        "CREATE TABLE p (id INT PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)",
    )
    with servers.start("tidb") as tidb:
        pair = made("fk_idle", mariadb, tidb)
        with cursor_on(tidb) as cursor:
            cursor.execute("SET GLOBAL tidb_enable_foreign_key = OFF")
        pair.both(*family)
        replication = Replication(config_of(pair))
        until(lambda: bool(replication.unit.status().get("synced")), "it runs")
        pair.on(("INSERT INTO p VALUES (7)",), mariadb)
        _refused(replication, MAKES_IDLE_KEYS)
        assert _found(pair, "tidb_enable_foreign_key is OFF")
        with cursor_on(tidb) as cursor:
            cursor.execute("SET GLOBAL tidb_enable_foreign_key = ON")
        _refused(Replication(config_of(pair)), IDLE_CASCADES)
        assert _found(pair, "fk_idle.c → fk_idle.p")
        with cursor_on(tidb, pair.name) as cursor:
            cursor.execute(
                "ALTER TABLE c DROP FOREIGN KEY fk_1, ADD FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE"
            )
        assert not _found(pair, "INVALID")
        story = ("INSERT INTO p VALUES (1), (2)", "INSERT INTO c VALUES (1, 1), (2, 2)", "DELETE FROM p WHERE id <> 2")
        with running(config_of(pair)) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "it runs")
            pair.on(story, mariadb)
            until(lambda: rows(pair, tidb, ["p"]) == rows(pair, mariadb, ["p"]), "the last row")
        assert rows(pair, tidb, ["c"]) == rows(pair, mariadb, ["c"]) == {"c": [(2, 2)]}


def _found(pair: Pair, text: str) -> bool:
    """Whether `check-task` fails with such words."""
    facts = gather_upstream(config_of(pair))
    check = check_cascades(facts, gather_target([config_of(pair)], [facts]))
    return check.state is State.FAIL and any(text in one.text for one in check.findings)


def test_cascades_that_come_while_replicating_are_refused(mariadb: RunningServer, tidb: RunningServer) -> None:
    """Before the statement runs, so that the task goes on from there once it is said who cascades."""
    pair = made("fk_came", mariadb, tidb)
    pair.both("CREATE TABLE p (id INT PRIMARY KEY)", "CREATE TABLE c (id INT PRIMARY KEY, p INT)")
    replication = Replication(pair.config())
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    pair.on(("ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL",), mariadb)
    pair.on(("INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (1, 1)", "DELETE FROM p"), mariadb)
    _refused(replication)
    with running(config_of(pair)):
        until(lambda: rows(pair, tidb, ("c",)) == {"c": [(1, None)]}, "the target cascades")


def test_a_target_that_is_ahead_ends_where_the_upstream_is(mariadb: RunningServer, tidb: RunningServer) -> None:
    """As after a copy that saw later changes, or a task of DM: rows up to there are applied once more, in safe mode."""
    pair = made("fk_ahead", mariadb, tidb)
    pair.both(*TABLES)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    changes = (
        "INSERT INTO p VALUES (1, 0), (2, 0)",
        "INSERT INTO strict VALUES (1, 1)",
        "DELETE FROM strict",
        "DELETE FROM p WHERE id = 1",
        "UPDATE p SET id = 3 WHERE id = 2",
        "INSERT INTO p VALUES (1, 1)",
        "INSERT INTO strict VALUES (2, 1)",
        "UPDATE strict SET p = 3",
        "INSERT INTO p VALUES (4, 1)",
        "UPDATE strict SET p = 4",
        "UPDATE p SET id = 30 WHERE id = 3",
        "DELETE FROM p WHERE id = 30",
    )
    pair.on(changes, mariadb)
    pair.on(
        ("SET foreign_key_checks = 0", "INSERT INTO p VALUES (1, 1), (4, 1)", "INSERT INTO strict VALUES (2, 4)"), tidb
    )
    with running(config_of(pair, **{"safe-mode": True})) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
    assert rows(pair, tidb) == rows(pair, mariadb)


def test_a_full_migration_is_followed_by_checked_replication(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """All tables are read at one moment, since cascades of the time between two would be seen nowhere."""
    pair = made("fk_all", mariadb, tidb)
    with cursor_on(tidb) as cursor:
        cursor.execute("DROP DATABASE fk_all")
    pair.on((*TABLES, *STORY[:13]), mariadb)
    writing = Run(config_of(pair).model_copy(update={"task_mode": TaskMode.ALL}), tmp_path, 1)
    try:
        rng = random.Random(8)
        while not _is_there(tidb, "fk_all"):
            attempt(pair, random_story(rng, 10))
        attempt(pair, random_story(rng, 200))
        until(lambda: rows(pair, tidb) == rows(pair, mariadb), "in step")
    finally:
        writing.end()


def _is_there(server: RunningServer, schema: str) -> bool:
    """Whether the last table has its rows."""
    try:
        with cursor_on(server, schema) as cursor:
            return bool(cursor.execute("SELECT * FROM hen WHERE id = 1"))
    except pymysql.err.MySQLError:
        return False


@pytest.mark.parametrize("checked_before", [True, False])
def test_the_setting_changes_after_a_crash(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, checked_before: bool
) -> None:
    """Rows that were applied ahead of the checkpoint went through other channels than they would now."""
    pair = made(f"fk_changes_{checked_before}".lower(), mariadb, tidb)
    pair.both(*TABLES)
    checked, unchecked = config_of(pair), config_of(pair, "0")
    before, after = (checked, unchecked) if checked_before else (unchecked, checked)
    dying = Run(before, tmp_path, 1)
    try:
        until(lambda: _has_checkpoint(pair), "it runs")
        with holding(pair, "1"):
            pair.on(("UPDATE counter SET n = n + 1 WHERE id = 1",), mariadb)
            pair.on([f"INSERT INTO p VALUES ({number}, 0)" for number in range(40)], mariadb)
            until(lambda: len(rows(pair, tidb, ["p"])["p"]) >= 20, "channels that need not wait go on")
            dying.process.kill()
            dying.process.wait()
    finally:
        dying.end()
    with running(after) as syncer:
        until(lambda: rows(pair, tidb) == rows(pair, mariadb), "each once")
        pair.on(("INSERT INTO casc VALUES (1, 1)", "UPDATE p SET v = v + 1"), mariadb)
        until(lambda: rows(pair, tidb) == rows(pair, mariadb), "it goes on")
        assert bool(syncer.status()["foreignKeys"]) is not checked_before


def _has_checkpoint(pair: Pair) -> bool:
    try:
        with cursor_on(pair.target, f"{pair.name}_meta") as cursor:
            return bool(cursor.execute(f"SELECT * FROM {pair.name}_sparkdm_checkpoint"))
    except pymysql.err.MySQLError:
        return False
