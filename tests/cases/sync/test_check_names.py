"""CHECKs have the names that MySQL gives them, in a TiDB that has CHECKs, too."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer

STATEMENTS = (
    "CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT, CHECK (b > a), CONSTRAINT foo_chk_7 CHECK (a <> 77))",
    "ALTER TABLE t DROP CHECK t_chk_2, ADD CHECK (a + b > 0), ADD c INT CHECK (c > 1)",
    "ALTER TABLE t ADD CHECK (b <> 9)",
    "ALTER TABLE t DROP CHECK t_chk_3",
    "CREATE TABLE u (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT CHECK (b > 0))",
    "RENAME TABLE u TO v",
    "ALTER TABLE v ADD CHECK (a <> 5), ALTER CHECK v_chk_1 NOT ENFORCED",
    "ALTER TABLE v DROP CHECK v_chk_2",
    "INSERT INTO counter VALUES (9, 9, '9')",
)
_SHOWN = re.compile(r"CONSTRAINT `(\w+)` CHECK (.*)")


@pytest.fixture
def pair(mysql: RunningServer, tidb: RunningServer) -> Iterator[Pair]:
    with cursor_on(tidb) as cursor:
        cursor.execute("SET GLOBAL tidb_enable_check_constraint = ON")
        yield made("check_names", mysql, tidb)
        cursor.execute("SET GLOBAL tidb_enable_check_constraint = OFF")


def checks(pair: Pair, server: RunningServer, table: str) -> dict[str, tuple[object, ...]]:
    """By name: the columns, constants and whether it is enforced; servers write conditions in ways of their own."""
    with cursor_on(server, pair.name) as cursor:
        cursor.execute(f"SHOW CREATE TABLE {table}")
        shown = cursor.fetchone()[1]
    found = _SHOWN.findall(shown)
    return {name: (re.findall(r"`\w+`|\b\d\b", check), "NOT ENFORCED" in check) for name, check in found}


def test_names_of_checks_in_tidb(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(STATEMENTS, pair.upstream)
        until(pair.is_equal, "the last row")
    assert checks(pair, pair.target, "t") == checks(pair, pair.upstream, "t")
    above, below = (checks(pair, server, "v") for server in (pair.upstream, pair.target))
    assert sorted(above) == ["v_chk_1", "v_chk_3"]
    assert sorted(below) == ["u_chk_1", "v_chk_3"]  # a RENAME gives CHECKs no other names there
    assert [below["u_chk_1"], below["v_chk_3"]] == [above["v_chk_1"], above["v_chk_3"]]
