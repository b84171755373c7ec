"""Servers that cannot be used: away, other password, too few privileges, a binary log that lacks what is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.cases.bad_input.arena import Arena, run
from tests.servers import RunningServer
from tests.servers.ports import free_port

KEYED = "t (id INT PRIMARY KEY, v INT)"
KEYLESS = "log (at INT, line VARCHAR(20))"
WRITE = "CREATE, ALTER, DROP, INDEX, SELECT, INSERT, UPDATE, DELETE"


@contextmanager
def setting(server: RunningServer, name: str, value: str) -> Iterator[None]:
    [[before]] = run(server, f"SELECT @@GLOBAL.{name}")
    run(server, f"SET GLOBAL {name} = '{value}'")
    try:
        yield
    finally:
        run(server, f"SET GLOBAL {name} = '{before}'")


@contextmanager
def bound(arena: Arena, **changes: object) -> Iterator[str]:
    """A source that dm-master accepts and that the free worker takes."""
    name = arena.fresh("src")
    arena.cluster.expect("operate-source", "create", str(arena.source(name, **changes)))
    try:
        yield name
    finally:
        arena.cluster.expect("operate-source", "stop", name)


def test_an_upstream_that_is_away(arena: Arena) -> None:
    port = free_port()
    said = arena.refused("operate-source", "create", str(arena.source(port=port)))
    assert f"error 10102 · upstream upstream 127.0.0.1:{port}: cannot be reached" in said
    assert "Connection refused" in said
    assert "check `host` and `port`, that the server runs" in said


def test_a_target_that_is_away(arena: Arena) -> None:
    port = free_port()
    said = arena.refused("start-task", str(arena.task(arena.schema(KEYED), port=port)))
    assert f"the target: downstream 127.0.0.1:{port}: cannot be reached" in said
    assert "check `host` and `port`, that the server runs" in said


def test_an_upstream_with_another_password(arena: Arena) -> None:
    user = arena.user(arena.upstream)
    said = arena.refused("operate-source", "create", str(arena.source(user=user, password="not-secret")))
    assert f"error 10101 · upstream upstream 127.0.0.1:{arena.upstream.port}: access denied for user '{user}'" in said
    assert "check `user` and `password`" in said


def test_a_target_with_another_password(arena: Arena) -> None:
    user = arena.user(arena.target)
    said = arena.refused("start-task", str(arena.task(arena.schema(KEYED), user=user, password="not-secret")))
    assert f"downstream 127.0.0.1:{arena.target.port}: access denied for user '{user}'" in said
    assert "check `user` and `password`" in said


def named_grants(said: str) -> set[str]:
    return {part.split(";")[0] for part in said.split("run there: ") if part.startswith("GRANT ")}


def test_an_upstream_account_that_may_do_nothing_until_the_named_grants_are_run(arena: Arena) -> None:
    schema = arena.schema(KEYED, KEYLESS)
    user = arena.user(arena.upstream)
    with bound(arena, user=user, password="secret") as source:
        task = str(arena.task(schema, source=source))
        said = arena.refused("start-task", task)
        assert f"'{user}'@'%' lacks REPLICATION SLAVE, REPLICATION CLIENT on *.*" in said
        assert f"'{user}'@'%' lacks SELECT on `{schema}`.*" in said
        replication = f"GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '{user}'@'%'"
        assert named_grants(said) == {replication, f"GRANT SELECT ON `{schema}`.* TO '{user}'@'%'"}
        run(arena.upstream, *named_grants(said))
        # Only now the keyless table is seen.
        said = arena.refused("start-task", task)
        assert f"'{user}'@'%' lacks LOCK TABLES on `{schema}`.*" in said
        assert named_grants(said) == {f"GRANT LOCK TABLES ON `{schema}`.* TO '{user}'@'%'"}
        run(arena.upstream, *named_grants(said))
        assert arena.cluster.ask("check-task", task).code == 0


def test_a_target_account_that_may_do_nothing_until_the_named_grants_are_run(arena: Arena) -> None:
    user = arena.user(arena.target)
    task = str(arena.task(arena.schema(KEYED), user=user, password="secret"))
    said = arena.refused("start-task", task)
    assert named_grants(said), said
    run(arena.target, *named_grants(said))
    assert arena.cluster.ask("check-task", task).code == 0


def test_a_target_account_that_may_not_write(arena: Arena) -> None:
    schema = arena.schema(KEYED)
    arena.schema(KEYED, server=arena.target, name=schema)
    user = arena.user(arena.target, f"{WRITE} ON dm_meta.*", f"SELECT ON {schema}.*")
    said = arena.refused("start-task", str(arena.task(schema, user=user, password="secret")))
    assert f"'{user}'@'%' lacks CREATE, INSERT, UPDATE, DELETE on `{schema}`.*" in said
    assert f"run there: GRANT CREATE, INSERT, UPDATE, DELETE ON `{schema}`.* TO '{user}'@'%';" in said


def test_a_target_schema_that_is_missing_and_may_not_be_created(arena: Arena) -> None:
    schema = arena.schema(KEYED)
    user = arena.user(arena.target, f"{WRITE} ON dm_meta.*", "SELECT, INSERT, UPDATE, DELETE ON *.*")
    said = arena.refused("start-task", str(arena.task(schema, user=user, password="secret")))
    assert f"'{user}'@'%' lacks CREATE on `{schema}`.*, which is to be created" in said
    assert f"run there: GRANT CREATE ON `{schema}`.* TO '{user}'@'%';" in said


def test_an_upstream_without_a_binary_log(arena: Arena, server_factory: Callable[..., RunningServer]) -> None:
    server = server_factory("mariadb", options=["--skip-log-bin"])
    schema = arena.schema(KEYED, server=server)
    with bound(arena, port=server.port) as source:
        said = arena.refused("start-task", str(arena.task(schema, source=source)))
    assert "log_bin is OFF, there is no binary log to read" in said
    assert "set log_bin there and restart the server" in said


@pytest.mark.parametrize(
    ("name", "value", "wanted"), [("binlog_format", "MIXED", "ROW"), ("binlog_row_image", "MINIMAL", "FULL")]
)
def test_a_binary_log_without_whole_rows(arena: Arena, name: str, value: str, wanted: str) -> None:
    schema = arena.schema(KEYED)
    with setting(arena.upstream, name, value):
        said = arena.refused("start-task", str(arena.task(schema)))
    assert f"source main at 127.0.0.1:{arena.upstream.port}: {name} is {value}, it must be {wanted}" in said
    assert f"SET GLOBAL {name} = '{wanted}'" in said


def test_gtids_asked_of_a_mysql_that_has_them_off(arena: Arena, server_factory: Callable[..., RunningServer]) -> None:
    server = server_factory("mysql", options=["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"])
    source = str(arena.source(port=server.port, more="enable-gtid: true\n"))
    said = arena.refused("operate-source", "create", source)
    assert f"says enable-gtid, but GTID_MODE of 127.0.0.1:{server.port} is OFF, not ON" in said
    assert "turn gtid_mode=ON and enforce_gtid_consistency=ON on the upstream, or set enable-gtid: false" in said


def test_a_keyless_target_table_with_rows(arena: Arena) -> None:
    schema = arena.schema(KEYLESS)
    arena.schema(KEYLESS, server=arena.target, name=schema)
    run(arena.target, f"INSERT INTO {schema}.log VALUES (1, 'mine')")
    said = arena.refused("start-task", str(arena.task(schema)))
    assert f"rows and no key, the upstream's rows would come on top of them: `{schema}`.`log`" in said
    assert "empty or drop them" in said
    assert run(arena.target, f"SELECT * FROM {schema}.log") == [(1, "mine")]


def test_a_target_table_with_rows_and_a_key_is_pointed_out(arena: Arena) -> None:
    schema = arena.schema(KEYED)
    arena.schema(KEYED, server=arena.target, name=schema)
    run(arena.target, f"INSERT INTO {schema}.t VALUES (1, 1)")
    said = arena.refused("check-task", str(arena.task(schema)), code=0)
    assert f"rows; those with the key of an upstream row are replaced, others stay: `{schema}`.`t`" in said
