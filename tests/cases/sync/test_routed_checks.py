"""CHECKs that MySQL names, in a MySQL where routes give their tables other names: each statement meets its own."""

from __future__ import annotations

from tests.cases.full.migration import migrate
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.conftest import start_or_report
from tests.servers import RunningServer

NAME = "routed_checks"
TABLES = ("r5", "r6", "r7", "r1")
MADE = "CREATE TABLE {0} (id INT PRIMARY KEY, a INT, b INT, CHECK (a > -5))"
ALTERED = (
    "ALTER TABLE r5 ADD CHECK (b <> 9)",
    "ALTER TABLE r5 ADD CHECK (b <> 10)",
    "ALTER TABLE r5 DROP CHECK r5_chk_2",
    "ALTER TABLE r7 ADD CHECK (b <> 9), ADD CHECK (b <> 10)",
    "ALTER TABLE r7 ALTER CHECK r7_chk_2 NOT ENFORCED",
    "ALTER TABLE r6 ADD CHECK (b <> 9)",
    "RENAME TABLE r6 TO t6",
    "ALTER TABLE t6 DROP CHECK t6_chk_1",
    "ALTER TABLE r1 ADD CHECK (a < 1000)",
    "CREATE TABLE l1 LIKE r1",
    "ALTER TABLE l1 DROP CHECK l1_chk_1",
    "INSERT INTO l1 VALUES (1, -50, 1)",
)


def checks(server: RunningServer) -> dict[str, list[str]]:
    """The conditions in force, by their table as it is called upstream."""
    with cursor_on(server) as cursor:
        cursor.execute(
            "SELECT t.table_name, c.check_clause FROM information_schema.table_constraints t "
            "JOIN information_schema.check_constraints c USING (constraint_schema, constraint_name) "
            f"WHERE t.constraint_schema = '{NAME}' AND t.enforced = 'YES' ORDER BY 1, 2"
        )
        found: dict[str, list[str]] = {}
        for table, clause in cursor.fetchall():
            found.setdefault(table.replace("z", "r"), []).append(clause)
        return found


def has_rows(pair: Pair) -> bool:
    with cursor_on(pair.target) as cursor:
        cursor.execute(f"SHOW TABLES FROM {NAME} LIKE 'l1'")
        return bool(cursor.fetchall()) and bool(cursor.execute(f"SELECT 1 FROM {NAME}.l1"))


def test_behind_a_full_migration(mysql: RunningServer) -> None:
    with start_or_report("mysql") as target:
        pair = made(NAME, mysql, target)
        pair.on([MADE.format(table) for table in TABLES], mysql)
        pair.on(("DROP TABLE counter", "DROP TABLE log"), target)
        routes = [
            {
                "schema-pattern": NAME,
                "table-pattern": table,
                "target-schema": NAME,
                "target-table": table.replace("r", "z"),
            }
            for table in TABLES
        ]
        config = pair.config(task_mode="all", routes=routes)
        migrate(config)
        assert checks(target) == checks(mysql)
        with running(config) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "it runs")
            pair.on(ALTERED, mysql)
            until(lambda: has_rows(pair), "the last row")
        assert checks(target) == checks(mysql)
