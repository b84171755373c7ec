"""Replication starts at a location that lies behind: what the upstream shows today is not what it had there."""

from __future__ import annotations

from typing import Any

import pytest

from dm_worker.syncer.former import FORMER_DEFAULT
from dm_worker.syncer.unseen_cascades import UNKNOWN_CASCADES
from pkg.errors import DMError, ErrorKind
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

PARENT = "CREATE TABLE p (id INT PRIMARY KEY)"
CHILD = "CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)"
FAMILY = PARENT, CHILD, "INSERT INTO p VALUES (1), (2)", "INSERT INTO c VALUES (1, 1), (2, 2)"


@pytest.fixture(params=["mariadb-mariadb2", "mariadb-tidb"])
def pair(request: pytest.FixtureRequest) -> Pair:
    upstream, target = (request.getfixturevalue(name) for name in request.param.split("-"))
    return made("old_starts", upstream, target)


@pytest.fixture(params=["mariadb-mariadb2", "mysql-tidb"])
def either(request: pytest.FixtureRequest) -> Pair:
    upstream, target = (request.getfixturevalue(name) for name in request.param.split("-"))
    return made("old_defaults", upstream, target)


def at(pair: Pair) -> dict[str, Any]:
    """Settings of a task that starts where the binlog is now."""
    name, offset, _ = pair.here()
    return {"meta": {"binlog-name": name, "binlog-pos": offset, "binlog-gtid": ""}}


def refused(pair: Pair, kind: ErrorKind, settings: dict[str, Any]) -> None:
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError) as raised:
            Replication(pair.config(**settings)).end(SECONDS)
        assert raised.value.is_a(kind), raised.value


def values(server: RunningServer, sql: str, *arguments: str) -> list[Any]:
    with cursor_on(server) as cursor:
        cursor.execute(sql, arguments)
        return [row[0] for row in cursor.fetchall()]


def collation(server: RunningServer, schema: str, table: str) -> list[Any]:
    sql = "SELECT collation_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s AND column_name = 'v'"  # fmt: skip
    return values(server, sql, schema, table)


DROPS = {
    "foreign_key": ("ALTER TABLE c DROP FOREIGN KEY f",),
    "constraint": ("ALTER TABLE c DROP CONSTRAINT f",),
    "and_another_name": ("ALTER TABLE c DROP FOREIGN KEY f", "RENAME TABLE c TO d"),
}


@pytest.mark.parametrize("how", DROPS)
def test_a_foreign_key_that_cascaded_and_is_gone_today(pair: Pair, how: str) -> None:
    pair.both(*FAMILY)
    settings = at(pair)
    pair.on(("DELETE FROM p WHERE id = 1", *DROPS[how]), pair.upstream)
    refused(pair, UNKNOWN_CASCADES, settings)
    with cursor_on(pair.target, pair.name) as cursor:  # what the error asks for
        cursor.execute("DELETE FROM c WHERE id = 1")
    config = pair.config(**settings)
    taken = config.model_copy(
        update={"target": config.target.model_copy(update={"session": {"foreign_key_checks": "0"}})}
    )
    with running(taken):
        pair.on(("INSERT INTO p VALUES (3)",), pair.upstream)
        until(lambda: values(pair.target, f"SELECT id FROM {pair.name}.p ORDER BY id") == [2, 3], "it goes on")


def test_a_foreign_key_of_behind_the_start_asks_for_nothing(pair: Pair) -> None:
    pair.both(PARENT, CHILD.replace("ON DELETE CASCADE", ""))
    settings = at(pair)
    pair.on(("ALTER TABLE c DROP FOREIGN KEY IF EXISTS none", "INSERT INTO p VALUES (9)"), pair.upstream)
    with running(pair.config(**settings)):
        until(lambda: values(pair.target, f"SELECT id FROM {pair.name}.p") == [9], "the row arrives")


LATER = {
    "altered": ("ALTER DATABASE {0} COLLATE utf8mb4_general_ci",),
    "made_anew": (
        "CREATE TABLE {1}.t LIKE t", "CREATE TABLE {1}.u LIKE t", "DROP TABLE t", "DROP DATABASE {0}",
        "CREATE DATABASE {0} COLLATE utf8mb4_general_ci", "USE {0}",
    ),
    "dropped": ("RENAME TABLE t TO {1}.t, s TO {1}.s", "DROP DATABASE {0}", "USE {1}"),
}  # fmt: skip


@pytest.mark.parametrize("how", LATER)
def test_the_default_of_a_database_that_was_another_one(either: Pair, how: str) -> None:
    pair = either
    aside = f"{pair.name}_aside"
    pair.both(f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin", f"DROP DATABASE IF EXISTS {aside}", f"CREATE DATABASE {aside}")  # fmt: skip
    settings = at(pair)
    later = [sql.format(pair.name, aside) for sql in LATER[how]]
    pair.on(("CREATE TABLE s (v VARCHAR(9)) COLLATE utf8mb4_unicode_ci", "CREATE TABLE t (v VARCHAR(9))", *later), pair.upstream)  # fmt: skip
    settings["block_allow_list"] = {"do-dbs": [pair.name, aside]}
    refused(pair, FORMER_DEFAULT, settings)
    assert collation(pair.target, pair.name, "s") == ["utf8mb4_unicode_ci"]  # which was created before it
    assert not collation(pair.target, pair.name, "t")


def test_the_default_that_a_statement_has_set_since_the_start(either: Pair) -> None:
    pair = either
    pair.both(f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin")
    settings = at(pair)
    pair.on(
        (
            f"ALTER DATABASE {pair.name} COLLATE utf8mb4_unicode_ci",
            "CREATE TABLE t (v VARCHAR(9))",
            f"ALTER DATABASE {pair.name} COLLATE utf8mb4_general_ci",
            "CREATE TABLE u (v VARCHAR(9))",
        ),
        pair.upstream,
    )
    with running(pair.config(**settings)):
        until(lambda: bool(collation(pair.target, pair.name, "u")), "the tables arrive")
    assert collation(pair.target, pair.name, "t") == ["utf8mb4_unicode_ci"]
    assert collation(pair.target, pair.name, "u") == ["utf8mb4_general_ci"]


def test_a_default_that_stays_the_same_is_settled(either: Pair) -> None:
    pair = either
    pair.both(f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin")
    settings = at(pair)
    pair.on(("CREATE TABLE t (v VARCHAR(9))",), pair.upstream)
    with running(pair.config(**settings)):
        until(lambda: bool(collation(pair.target, pair.name, "t")), "the table arrives")
    pair.on(("CREATE TABLE w (v VARCHAR(9))", f"ALTER DATABASE {pair.name} COLLATE utf8mb4_general_ci"), pair.upstream)
    with running(pair.config(**settings)):
        until(lambda: bool(collation(pair.target, pair.name, "w")), "the table arrives")
    assert collation(pair.target, pair.name, "t") == collation(pair.target, pair.name, "w") == ["utf8mb4_bin"]
