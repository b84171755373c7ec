"""Keys of the target that change while a task is paused: rows then go to other channels than those that are ahead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dm_worker.syncer.row_orders import OTHER_ORDER
from pkg.errors import DMError
from tests.cases.sync.pair import Pair, Replication, made, running, until
from tests.cases.sync.test_foreign_keys import config_of, rows
from tests.cases.sync.test_observing import holding
from tests.servers import RunningServer

TABLES = {
    "par": "CREATE TABLE par (id INT PRIMARY KEY)",
    "kid": "CREATE TABLE kid (id INT PRIMARY KEY, up INT, KEY kid_up (up), CONSTRAINT fk FOREIGN KEY (up) REFERENCES par (id))",
    "free": "CREATE TABLE free (id INT PRIMARY KEY, up INT, KEY free_up (up))",
    "two": "CREATE TABLE two (a INT NOT NULL, b INT NOT NULL, v INT, UNIQUE two_a (a), UNIQUE two_b (b))",
    "none": "CREATE TABLE none (a INT NOT NULL, v INT)",
    "loose": "CREATE TABLE loose (up INT, KEY loose_up (up), CONSTRAINT lf FOREIGN KEY (up) REFERENCES par (id))",
}
NAMES = ("par", "kid", "free", "two")
ALTERED = {
    "a foreign key is dropped": ("ALTER TABLE kid DROP FOREIGN KEY fk",),
    "a foreign key is added": (
        "SET foreign_key_checks = 0",
        "ALTER TABLE free ADD CONSTRAINT ff FOREIGN KEY (up) REFERENCES par (id)",
    ),
    "the key is another one": ("ALTER TABLE two DROP INDEX two_a",),
    "a table is made anew with another key": (
        "CREATE TABLE other (a INT NOT NULL, b INT NOT NULL, v INT, PRIMARY KEY (b), UNIQUE two_a (a))",
        "INSERT INTO other SELECT a, b, v FROM two",
        "DROP TABLE two",
        "RENAME TABLE other TO two",
    ),
}


def paused_ahead(pair: Pair, names: Sequence[str], statements: Sequence[str], awaited: str) -> None:
    """The task pauses while one channel waits and the others are ahead, by 20 rows of ``awaited``."""
    pair.both(*(TABLES[name] for name in names))
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    with holding(pair, "1"):
        replication = Replication(config_of(pair))
        pair.on(("UPDATE counter SET n = n + 1 WHERE id = 1", *statements), pair.upstream)
        until(lambda: len(rows(pair, pair.target, [awaited])[awaited]) >= 20, "the others go on")
        replication.end()


@pytest.fixture(params=["mariadb-tidb", "mysql-mariadb"])
def pair(request: pytest.FixtureRequest) -> Pair:
    upstream, _, target = str(request.param).partition("-")
    return made(
        f"orders_{abs(hash(request.node.name)) % 10**6}",
        request.getfixturevalue(upstream),
        request.getfixturevalue(target),
    )


@pytest.mark.crossed("pair")
@pytest.mark.parametrize("what", ALTERED)
def test_no_row_is_lost(pair: Pair, what: str) -> None:
    ids = range(1, 81)
    statements = (
        *(f"INSERT INTO par VALUES ({one})" for one in ids),
        *(f"INSERT INTO {name} VALUES ({one}, {one})" for one in ids for name in ("kid", "free")),
        *(f"INSERT INTO two VALUES ({one}, {one + 1000}, 0)" for one in ids),
        "UPDATE two SET v = v + 1",
        "DELETE FROM kid WHERE id IN (7, 8)",
    )
    paused_ahead(pair, NAMES, statements, "two")
    pair.on(ALTERED[what], pair.target)
    for _ in range(2):  # the second run knows the order that the first one has stored
        with running(config_of(pair)) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "in step")
        assert rows(pair, pair.target, NAMES) == rows(pair, pair.upstream, NAMES)
        pair.on(("UPDATE two SET v = v + 1", "DELETE FROM par WHERE id IN (7, 8) AND 0"), pair.upstream)


def test_a_table_without_a_key_is_refused_until_its_keys_are_back(mariadb: RunningServer, mysql: RunningServer) -> None:
    pair = made("orders_keyless", mariadb, mysql)
    statements = ("INSERT INTO par VALUES (1)", *("INSERT INTO loose VALUES (1)" for _ in range(40)))
    paused_ahead(pair, ("par", "loose"), statements, "loose")
    pair.on(("ALTER TABLE loose DROP FOREIGN KEY lf",), mysql)
    with pytest.raises(DMError) as raised:
        Replication(config_of(pair)).end(60)
    assert raised.value.code == OTHER_ORDER.code
    pair.on(("ALTER TABLE loose ADD CONSTRAINT lf FOREIGN KEY (up) REFERENCES par (id)",), mysql)
    with running(config_of(pair)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "in step")
    assert rows(pair, mysql, ["loose"]) == rows(pair, mariadb, ["loose"])
