"""What every metastore promises, on SQLite, a real MariaDB and a real TiDB."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pymysql
import pytest
import sqlalchemy as sa

from pkg.adapters.metastore.engine import NEWEST, _upgrade, open_engine, sqlite_url
from pkg.adapters.metastore.store import MetaStore
from pkg.errors import DMError
from pkg.facts import (
    BoundFact,
    Fact,
    PurgeOrder,
    Put,
    RelayFact,
    Remove,
    RevisionFact,
    SourceFact,
    SubtaskFact,
    TaskFact,
    WorkerFact,
)
from pkg.task.stage import Stage

FACTS: list[Fact] = [
    SourceFact("s1", "source-id: s1", '{"password": "pässword€😀"}'),
    TaskFact("t", "name: t\n" + "x" * 100_000),
    SubtaskFact("t", "s1", Stage.PAUSED, 7, "{}"),
    WorkerFact("w1", "127.0.0.1:8262", 'name = "w1"'),
    BoundFact("s1", "w1", 1_700_000_000, ""),
    RelayFact("s1", Stage.PAUSED, 8, PurgeOrder(9, "bin-ä.000003", "0-1.000001")),
    RelayFact("s2", Stage.RUNNING, 8),
    RevisionFact(7),
]
Open = Callable[[bytes | None], MetaStore]


SQLITE_MARIADB = ("sqlite", pytest.param("mariadb", marks=pytest.mark.servers))
ALL = (*SQLITE_MARIADB, pytest.param("tidb", marks=pytest.mark.servers))


@pytest.fixture(params=SQLITE_MARIADB)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "data" / "meta.db")
    server = request.getfixturevalue(request.param)
    connection = pymysql.connect(host=server.host, port=server.port, user="root", ssl_disabled=True)
    with connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS metastore_contract")
        cursor.execute("CREATE DATABASE metastore_contract CHARACTER SET latin1")
    return f"mysql://root@{server.host}:{server.port}/metastore_contract"


@pytest.fixture
def open_store(url: str) -> Iterator[Open]:
    opened: list[MetaStore] = []

    def open_one(key: bytes | None = None) -> MetaStore:
        opened.append(MetaStore(url, key))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


def led(store: MetaStore) -> int:
    epoch = store.campaign("m1", "127.0.0.1:8261", 100.0, 10.0)
    assert epoch is not None
    return epoch


def as_set(facts: list[Fact]) -> set[Fact]:
    return set(facts)


def test_facts_survive_a_restart(open_store: Open) -> None:
    store = open_store(None)
    store.apply(led(store), [Put(fact) for fact in FACTS])
    assert as_set(open_store(None).load()) == as_set(FACTS)


def test_a_fact_that_is_put_again_replaces_the_first(open_store: Open) -> None:
    store = open_store(None)
    epoch = led(store)
    store.apply(epoch, [Put(fact) for fact in FACTS])
    store.apply(epoch, [Put(fact) for fact in FACTS])
    store.apply(epoch, [Put(BoundFact("s1", "", 5, "w1")), Remove(SubtaskFact, ("t", "s1")), Remove(TaskFact, ("t",))])
    loaded = store.load()
    assert BoundFact("s1", "", 5, "w1") in loaded
    assert not [fact for fact in loaded if isinstance(fact, (TaskFact, SubtaskFact))]


def test_names_that_differ_by_case_are_different(open_store: Open) -> None:
    store = open_store(None)
    store.apply(led(store), [Put(TaskFact(name, name)) for name in ("shop", "Shop", "shöp")])
    assert len(store.load()) == 3


def test_a_failed_change_leaves_nothing_behind(open_store: Open) -> None:
    store = open_store(None)
    epoch = led(store)
    with pytest.raises(DMError):
        store.apply(epoch, [Put(TaskFact("t", "text")), Put(TaskFact("t2", None))])  # type: ignore[arg-type]
    assert store.load() == []


def test_a_former_leader_changes_nothing(open_store: Open) -> None:
    store = open_store(None)
    old = led(store)
    new = store.campaign("m2", "127.0.0.1:8263", 111.0, 10.0)
    assert new is not None
    assert new > old
    with pytest.raises(DMError, match="does not lead any more"):
        store.apply(old, [Put(RevisionFact(8))])
    with pytest.raises(DMError, match="does not lead any more"):
        store.renew(old, 112.0, 10.0)
    assert store.load() == []
    store.apply(new, [Put(RevisionFact(8))])


def test_a_second_master_waits_until_the_lease_ends(open_store: Open) -> None:
    store = open_store(None)
    epoch = led(store)
    assert store.campaign("m2", "b", 109.0, 10.0) is None
    store.renew(epoch, 109.0, 10.0)
    assert store.campaign("m2", "b", 118.0, 10.0) is None
    leader = store.leader()
    assert leader is not None
    assert (leader.name, leader.epoch) == ("m1", epoch)
    store.resign(epoch)
    assert store.campaign("m2", "b", 118.0, 10.0) is not None


def test_a_master_that_restarts_leads_at_once(open_store: Open) -> None:
    store = open_store(None)
    epoch = led(store)
    assert open_store(None).campaign("m1", "127.0.0.1:8261", 101.0, 10.0) == epoch + 1


def test_configurations_are_encrypted_with_a_key(open_store: Open, tmp_path: Path) -> None:
    key = bytes(range(32))
    store = open_store(key)
    store.apply(led(store), [Put(fact) for fact in FACTS])
    assert as_set(open_store(key).load()) == as_set(FACTS)
    for file in tmp_path.rglob("meta.db*"):
        assert "pässword".encode() not in file.read_bytes()
    with pytest.raises(DMError, match="no `secret-key-path` is set"):
        open_store(None).load()


def test_the_sqlite_files_are_for_their_owner_only(tmp_path: Path) -> None:
    store = MetaStore(sqlite_url(tmp_path / "meta.db"))
    store.apply(led(store), [Put(fact) for fact in FACTS])
    modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("meta.db*")}
    store.close()
    assert modes == {0o600}


def test_an_unreachable_database_is_named_without_its_password() -> None:
    with pytest.raises(DMError) as caught:
        MetaStore("mysql://dm:s3cret@127.0.0.1:1/meta")
    assert "127.0.0.1:1" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_store_of_the_first_version_is_brought_up_to_date(url: str, open_store: Open) -> None:
    first = open_store(None)
    first.apply(led(first), [Put(fact) for fact in FACTS if not isinstance(fact, RelayFact)])
    first.close()
    engine = open_engine(url)
    with engine.begin() as connection:
        for table in ("sparkdm_relays", "sparkdm_shards"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("UPDATE sparkdm_schema_version SET version_num = '0001'")
    engine.dispose()
    second = open_store(None)
    assert as_set(second.load()) == {fact for fact in FACTS if not isinstance(fact, RelayFact)}
    second.apply(led(second), [Put(RelayFact("s1", Stage.RUNNING, 8))])
    assert RelayFact("s1", Stage.RUNNING, 8) in second.load()


def structures(engine: sa.Engine) -> dict[str, Any]:
    """Columns and primary key of all tables."""
    seen = sa.inspect(engine)
    return {
        table: (
            [(one["name"], str(one["type"]), one["nullable"], one["default"]) for one in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            seen.get_table_options(table) if engine.dialect.name != "sqlite" else None,
        )
        for table in seen.get_table_names()
    }


def test_tables_that_are_made_at_once_are_those_of_all_migrations(url: str, open_store: Open) -> None:
    open_store(None).close()
    engine = open_engine(url)
    made = structures(engine)
    with engine.connect() as connection:
        for table in made:
            connection.exec_driver_sql(f"DROP TABLE {table}")
        _upgrade(connection)
        connection.commit()
        assert connection.exec_driver_sql("SELECT version_num FROM sparkdm_schema_version").scalar() == NEWEST
    assert structures(engine) == made
    assert len(made) > 8
    engine.dispose()


@pytest.mark.parametrize("url", ALL, indirect=True)
def test_dm_masters_that_start_at_once_on_a_new_store_all_come_up(url: str) -> None:
    together = Barrier(3)

    def start(name: str) -> int | None:
        together.wait()
        store = MetaStore(url)
        epoch = store.campaign(name, "", 100.0, 10.0)
        store.close()
        return epoch

    with ThreadPoolExecutor(3) as pool:
        for _ in range(4):
            epochs = list(pool.map(start, ("m1", "m2", "m3")))
            assert sorted(epochs, key=str) == [1, None, None]
            engine = open_engine(url)
            with engine.begin() as connection:
                for table in sa.inspect(connection).get_table_names():
                    connection.exec_driver_sql(f"DROP TABLE {table}")
            engine.dispose()


def test_whoever_dies_while_it_makes_the_tables_is_followed(url: str, open_store: Open) -> None:
    open_store(None).close()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE sparkdm_shards")
        connection.exec_driver_sql("DELETE FROM sparkdm_schema_version")
    engine.dispose()
    store = open_store(None)
    store.apply(led(store), [Put(fact) for fact in FACTS])
    assert as_set(store.load()) == as_set(FACTS)
