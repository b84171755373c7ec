"""Tables of every shape arrive whole: chunk bounds lose and double nothing, whatever the key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pkg.task.blocks import BlockAllowListConfig, DumpConfig, LoadConfig
from tests.cases.full.migration import (
    assert_same,
    connection,
    contents,
    execute,
    migrate,
    outcome,
    query,
    start,
    subtask,
)
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("source")

SMALL_CHUNKS = DumpConfig(rows=70)
DIGITS = "(SELECT 0 n UNION ALL " + " UNION ALL ".join(f"SELECT {n}" for n in range(1, 10)) + ")"
THOUSAND = f"SELECT a.n * 100 + b.n * 10 + c.n AS n FROM {DIGITS} a, {DIGITS} b, {DIGITS} c"


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


def fresh(source: RunningServer, target: RunningServer, schema: str, *statements: str) -> None:
    execute(source, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")
    execute(target, f"DROP DATABASE IF EXISTS {schema}", f"DROP DATABASE IF EXISTS {schema}_meta")
    execute(source, *statements, database=schema)


def chunks(target: RunningServer, schema: str, table: str) -> int:
    sql = f"SELECT COUNT(*) FROM {schema}_meta.{schema}_sparkdm_chunk WHERE table_name = '{table}' AND done = 1"
    return int(query(target, sql)[0][0])


@pytest.mark.parametrize(
    ("table", "create", "fill"),
    [
        ("dense", "id INT PRIMARY KEY, v INT", f"SELECT n, n FROM ({THOUSAND}) t"),
        ("gaps", "id BIGINT PRIMARY KEY, v INT", f"SELECT n * n * n * 1000003 - 500000000, n FROM ({THOUSAND}) t"),
        ("huge", "id BIGINT UNSIGNED PRIMARY KEY, v INT", f"SELECT 18446744073709551615 - n, n FROM ({THOUSAND}) t"),
        (
            "composite",
            "a INT, b VARCHAR(20), c DATE, v INT, PRIMARY KEY (a, b, c)",
            f"SELECT n % 3, CONCAT('key ''', n % 17), DATE('2024-01-01') + INTERVAL n DAY, n FROM ({THOUSAND}) t",
        ),
        (
            "folded",
            "id VARCHAR(40) NOT NULL, v INT, PRIMARY KEY (id)",
            f"SELECT CONCAT(ELT(1 + n % 4, 'a', 'Ä', 'z', '\\\\\\''), '-', n, ELT(1 + n % 2, '', '🦆')), n FROM ({THOUSAND}) t",
        ),
        (
            "bytes",
            "id VARBINARY(16) PRIMARY KEY, v INT",
            f"SELECT LEFT(UNHEX(SHA2(n, 256)), 16), n FROM ({THOUSAND}) t",
        ),
        ("price", "id DECIMAL(20,5) PRIMARY KEY, v INT", f"SELECT n / 7, n FROM ({THOUSAND}) t"),
        (
            "moment",
            "id DATETIME(6) PRIMARY KEY, v INT",
            f"SELECT '2024-01-01' + INTERVAL n * 777 MICROSECOND, n FROM ({THOUSAND}) t",
        ),
        ("other_key", "u INT NOT NULL, v INT, UNIQUE KEY k (u)", f"SELECT n * 5, n FROM ({THOUSAND}) t"),
        ("no_start", "id FLOAT PRIMARY KEY, v INT", f"SELECT n / 4, n FROM ({THOUSAND}) t"),
    ],
)
def test_rows_of_a_key_are_cut_into_chunks_and_all_arrive(
    source: RunningServer, tidb: RunningServer, table: str, create: str, fill: str
) -> None:
    schema = f"full_{table}"
    fresh(source, tidb, schema, f"CREATE TABLE {table} ({create})", f"INSERT INTO {table} {fill}")
    migrate(subtask(source, tidb, schema, dump=SMALL_CHUNKS))
    assert_same(source, tidb, schema, [table])
    assert chunks(tidb, schema, table) == 1 if table == "no_start" else chunks(tidb, schema, table) >= 10


def test_a_keyless_table_is_read_in_one_pinned_snapshot(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_keyless"
    statements = ["CREATE TABLE k (a INT, b VARCHAR(10), UNIQUE KEY (a))", "INSERT INTO k VALUES (1, 'x'), (NULL, 'y')"]
    fresh(source, tidb, schema, *statements, "INSERT INTO k SELECT NULL, 'twice' FROM k", "CREATE TABLE e (a INT)")
    migrate(subtask(source, tidb, schema, dump=SMALL_CHUNKS))
    assert_same(source, tidb, schema, ["k", "e"])
    pinned = query(tidb, f"SELECT table_name, binlog_name, binlog_pos FROM {schema}_meta.{schema}_sparkdm_pinned")
    assert sorted(row[0] for row in pinned) == ["e", "k"]
    assert all(name and offset for _, name, offset in pinned)


def test_a_keyless_table_without_transactions_is_locked_while_it_is_read(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    schema = "full_myisam"
    fresh(mariadb, tidb, schema, "CREATE TABLE k (a INT) ENGINE = MyISAM", "INSERT INTO k VALUES (1), (1), (2)")
    migrate(subtask(mariadb, tidb, schema))
    assert_same(mariadb, tidb, schema, ["k"])


def test_generated_columns_are_computed_again_and_invisible_ones_carried(
    source: RunningServer, tidb: RunningServer
) -> None:
    schema = "full_generated"
    statements = [
        "CREATE TABLE g (id INT PRIMARY KEY, a INT, twice INT AS (a * 2) VIRTUAL, sum INT AS (a + id) STORED, "
        "hidden INT INVISIBLE DEFAULT 5, tail VARCHAR(5))",
        "INSERT INTO g (id, a, hidden, tail) VALUES (1, 10, 7, 'x'), (2, NULL, NULL, 'y')",
    ]
    fresh(source, tidb, schema, *statements)
    migrate(subtask(source, tidb, schema))
    assert_same(source, tidb, schema, ["g"], ["id", "a", "twice", "sum", "hidden", "tail"])


def test_shards_merge_into_one_table(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_shards"
    shards = [f"shard_{number}" for number in range(4)]
    statements = [f"CREATE TABLE {name} (id INT PRIMARY KEY, v VARCHAR(10))" for name in shards]
    statements += [
        f"INSERT INTO {name} SELECT n * 4 + {i}, '{name}' FROM ({THOUSAND}) t" for i, name in enumerate(shards)
    ]
    fresh(source, tidb, schema, *statements)
    route = {"schema-pattern": schema, "table-pattern": "shard_*", "target-schema": schema, "target-table": "merged"}
    migrate(subtask(source, tidb, schema, routes=[route], dump=SMALL_CHUNKS))
    assert contents(tidb, schema, "merged") == sum(
        (contents(source, schema, one) for one in shards[1:]), contents(source, schema, shards[0])
    )


@pytest.fixture
def hiding(mysql: RunningServer) -> Iterator[RunningServer]:
    """A MySQL that shows nobody the primary keys that it makes."""
    execute(mysql, "SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF")
    yield mysql
    execute(mysql, "SET GLOBAL show_gipk_in_create_table_and_information_schema = ON")


@pytest.mark.parametrize("mode", ["none", "flush"])
def test_a_primary_key_that_is_hidden_is_copied(hiding: RunningServer, tidb: RunningServer, mode: str) -> None:
    schema = "full_hidden_key"
    made = "SET SESSION sql_generate_invisible_primary_key = ON", "CREATE TABLE t (a INT)"
    fresh(hiding, tidb, schema, *made, "INSERT INTO t VALUES (1), (1), (2)")
    migrate(subtask(hiding, tidb, schema, dump=DumpConfig.model_validate({"consistency": mode})))
    assert query(tidb, f"SELECT my_row_id, a FROM {schema}.t ORDER BY 1") == [(1, 1), (2, 1), (3, 2)]
    assert "PRIMARY KEY (`my_row_id`)" in query(tidb, f"SHOW CREATE TABLE {schema}.t")[0][1]


@pytest.mark.parametrize(
    ("first", "second", "values", "code"),
    [
        ("k VARCHAR(9) COLLATE utf8mb4_general_ci", "k VARCHAR(9) COLLATE utf8mb4_bin", "bB", "34210"),
        ("k VARCHAR(9), UNIQUE (k(1))", "k VARCHAR(9), UNIQUE (k)", ("ba", "bb"), "34133"),
    ],
    ids=["collation", "prefix"],
)
@pytest.mark.parametrize("said", ["", "replace"])
def test_shards_whose_keys_hold_other_rows_equal_are_refused(
    source: RunningServer, tidb: RunningServer, first: str, second: str, values: Sequence[str], code: str, said: str
) -> None:
    """By prefixes before anything is copied; by collations, in which servers differ, where two rows meet."""
    schema = "full_unlike_shards"
    keys = ["" if "UNIQUE" in one else ", PRIMARY KEY (k)" for one in (first, second)]
    statements = [
        f"CREATE TABLE shard_{i} ({one}{key})" for i, one, key in zip((1, 2), (first, second), keys, strict=True)
    ]
    filled = "INSERT INTO shard_1 VALUES ('x')", *(f"INSERT INTO shard_2 VALUES ('{one}')" for one in values)
    fresh(source, tidb, schema, *statements, *filled)
    route = {"schema-pattern": schema, "table-pattern": "shard_*", "target-schema": schema, "target-table": "merged"}
    load = LoadConfig.model_validate({"on-duplicate-logical": said})
    ended = outcome(start(subtask(source, tidb, schema, routes=[route], load=load)))
    assert (code in str(ended)) == (not said), ended
    meeting = "SELECT COUNT(*) FROM {}.merged WHERE k <> 'x'"
    assert query(tidb, meeting.format(schema)) == [(1 if said else 0,)]


def test_where_replication_starts_and_safe_mode_ends_is_stored(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_locations"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    migrate(subtask(source, tidb, schema))
    sql = (
        "SELECT load_status, start_binlog_pos > 0, end_binlog_pos >= start_binlog_pos, start_gtid <> '', end_gtid <> '' "
        f"FROM {schema}_meta.{schema}_sparkdm_source"
    )
    assert query(tidb, sql) == [("finished", 1, 1, 1, 1)]
    assert query(tidb, f"SELECT table_name FROM {schema}_meta.{schema}_sparkdm_structure") == [("t",)]


def test_rows_that_are_there_already_are_replaced(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_replace"
    create = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10), UNIQUE KEY (v))"
    fresh(source, tidb, schema, create, f"INSERT INTO t SELECT n, CONCAT('new', n) FROM ({THOUSAND}) t")
    execute(
        tidb, f"CREATE DATABASE {schema}", f"USE {schema}", create, "INSERT INTO t VALUES (7, 'old'), (5000, 'new8')"
    )
    migrate(subtask(source, tidb, schema, dump=SMALL_CHUNKS))
    assert_same(source, tidb, schema, ["t"])


def test_a_collision_is_named_where_the_task_says_error(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_error"
    create = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10))"
    fresh(source, tidb, schema, create, "INSERT INTO t VALUES (4711, 'new')")
    execute(tidb, f"CREATE DATABASE {schema}", f"USE {schema}", create, "INSERT INTO t VALUES (4711, 'old')")
    ended = outcome(start(subtask(source, tidb, schema, load=LoadConfig(on_duplicate_logical="error"))))
    assert (ended["exit"], ended["code"], ended["resumable"]) == (1, 34020, False)
    assert f"`{schema}`.`t`" in ended["text"]
    assert "4711" in ended["text"]


def test_a_value_that_does_not_fit_is_an_error_and_not_cut(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_narrow"
    fresh(
        source,
        tidb,
        schema,
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10))",
        "INSERT INTO t VALUES (1, 'too long')",
    )
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, v VARCHAR(3))")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 10216)
    assert f"the row of `{schema}`.`t`, on its way to `{schema}`.`t`: (`id`=1, `v`='too long')" in ended["text"]
    assert query(tidb, f"SELECT COUNT(*) FROM {schema}.t") == [(0,)]


def test_a_target_table_without_a_column_is_refused(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_columns"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY, here INT, gone INT)")
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, here INT)")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34101)
    assert "gone" in ended["text"]


def test_a_missing_privilege_is_named_with_its_grant(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_grants"
    fresh(source, tidb, schema, "CREATE TABLE t (a INT)")
    reader = f"reader_{source.kind}"
    execute(
        source,
        f"DROP USER IF EXISTS {reader}@'%'",
        f"CREATE USER {reader}@'%' IDENTIFIED BY ''",
        f"GRANT SELECT ON {schema}.* TO {reader}@'%'",
        f"GRANT {'BINLOG MONITOR' if source.kind == 'mariadb' else 'REPLICATION CLIENT'} ON *.* TO {reader}@'%'",
    )
    ended = outcome(start(subtask(source, tidb, schema, user=reader)))
    assert (ended["exit"], ended["code"]) == (1, 32004)
    assert f"GRANT LOCK TABLES, SELECT ON `{schema}`.* TO '{reader}'@'" in ended["text"]


def test_a_writer_that_does_not_end_is_an_error_that_passes(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "full_busy"
    fresh(mariadb, tidb, schema, "CREATE TABLE t (a INT)")
    with connection(mariadb, schema) as writer, writer.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("INSERT INTO t VALUES (1)")
        ended = outcome(start(subtask(mariadb, tidb, schema)))
        assert (ended["exit"], ended["code"], ended["resumable"]) == (1, 32005, True)
        writer.commit()
    migrate(subtask(mariadb, tidb, schema))
    assert_same(mariadb, tidb, schema, ["t"])


def test_two_tables_that_a_target_without_case_takes_for_one(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_letters"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE T (id INT PRIMARY KEY)")
    execute(source, "INSERT INTO t VALUES (1)", "INSERT INTO T VALUES (2)", database=schema)
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 36125)
    assert query(tidb, f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{schema}'") == []


def test_a_target_that_would_count_for_null_is_refused(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_counts"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT AUTO_INCREMENT NULL UNIQUE, v INT)")
    execute(source, "INSERT INTO t VALUES (NULL, 1), (NULL, 2)", database=schema)
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT AUTO_INCREMENT UNIQUE, v INT)")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34104)
    assert "full_counts.t would count: id" in ended["text"]


def test_a_target_that_would_round_values_is_refused(source: RunningServer, tidb: RunningServer) -> None:
    schema = "full_rounds"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY, n DECIMAL(10, 2), at DATETIME(3))")
    execute(source, "INSERT INTO t VALUES (1, 1.55, '2020-01-01 00:00:00.5')", database=schema)
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, n INT, at DATETIME(6))")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34190)
    assert "full_rounds.t without an error: n is decimal(10,2), and int" in ended["text"]


@pytest.mark.parametrize("harm", ["ALTER TABLE t ENGINE=MyISAM", "CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 0"])  # fmt: skip
def test_a_target_that_does_not_keep_rows_as_they_are_written_is_refused(
    source: RunningServer, mariadb2: RunningServer, harm: str
) -> None:
    schema = "full_unfit"
    fresh(source, mariadb2, schema, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    execute(source, "INSERT INTO t VALUES (1, 1)", database=schema)
    execute(mariadb2, f"CREATE DATABASE {schema}")
    execute(mariadb2, "CREATE TABLE t (id INT PRIMARY KEY, v INT)", harm, database=schema)
    ended = outcome(start(subtask(source, mariadb2, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34197)


@pytest.mark.parametrize(
    ("above", "below", "value"),
    [
        ("INT", "INT AS (id * 2) STORED", "7"),
        ("INT", "INT AS (id * 2) VIRTUAL", "7"),
        ("INT", "ENUM('5','1')", "1"),
        ("INT", "SET('5','1')", "3"),
        ("ENUM('A','b')", "ENUM('a','b') COLLATE utf8mb4_general_ci", "'A'"),
        ("VARCHAR(9)", "SET('a','b')", "'B,A,b'"),
        ("TEXT", "JSON", """'{"a": 1, "a": 2}'"""),
    ],
)
def test_a_target_column_that_takes_other_values_is_refused(
    source: RunningServer, tidb: RunningServer, above: str, below: str, value: str
) -> None:
    schema = "full_unlike"
    fresh(source, tidb, schema, f"CREATE TABLE t (id INT PRIMARY KEY, c {above})")
    execute(source, f"INSERT INTO t VALUES (1, {value})", database=schema)
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, c {below})")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34190)


@pytest.mark.parametrize(
    ("above", "below", "code"),
    [
        ("a + 5", "a * 2", 34191),
        ("CONCAT(a, 'x')", "CONCAT(a, 'X')", 34191),
        ("a / 3", "a / 3", 34191),  # MySQL, and TiDB, have other digits of it
        ("a + 5", "5 + a", 0),
        ("a <> 3 AND NOT a", "((a != 3) and (a = 0))", 0),
    ],
)
def test_a_generated_column_with_another_expression_is_refused_where_its_values_differ(
    source: RunningServer, tidb: RunningServer, above: str, below: str, code: int
) -> None:
    schema = "full_other_expression"
    table = "t (id INT PRIMARY KEY, a INT, g VARCHAR(20) AS ({}) STORED)"
    fresh(source, tidb, schema, f"CREATE TABLE {table.format(above)}")
    execute(source, "INSERT INTO t (id, a) VALUES (1, 5)", database=schema)
    execute(tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.{table.format(below)}")
    ended = outcome(start(subtask(source, tidb, schema)))
    assert ended.get("code", 0) == code
    assert not query(tidb, f"SHOW TABLES IN {schema}_meta LIKE 'sparkdm_expression%'")


@pytest.mark.parametrize("expression", ["LENGTH(v)", "v = 'A'", "YEAR(CHAR_LENGTH(v) + 1)"])
def test_a_generated_column_with_other_values_is_refused(
    source: RunningServer, tidb: RunningServer, expression: str
) -> None:
    schema = "full_generated"
    columns = f"v VARCHAR(9) CHARACTER SET latin1 PRIMARY KEY, g INT AS ({expression}) STORED"
    fresh(source, tidb, schema, f"CREATE TABLE t ({columns})")
    execute(source, "INSERT INTO t (v) VALUES ('ä')", database=schema)
    ended = outcome(start(subtask(source, tidb, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34195)


def test_a_generated_column_that_the_target_does_not_generate_is_copied(
    source: RunningServer, tidb: RunningServer
) -> None:
    schema = "full_plain_there"
    create = (
        "CREATE TABLE t (id INT PRIMARY KEY, g INT AS (id * 2) STORED, v VARCHAR(9) AS (CONCAT('<', w)), w CHAR(3))"
    )
    fresh(source, tidb, schema, create)
    execute(source, "INSERT INTO t (id, w) VALUES (1, 'a'), (2, NULL)", database=schema)
    execute(tidb, f"CREATE DATABASE {schema}")
    execute(tidb, f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, w CHAR(3), v VARCHAR(9), g INT UNIQUE)")
    migrate(subtask(source, tidb, schema, load=LoadConfig(verify="checksum")))
    assert query(tidb, f"SELECT id, g, v, w FROM {schema}.t ORDER BY id") == [(1, 2, "<a", "a"), (2, 4, None, None)]


def test_a_function_that_mysql_has_no_more(mariadb: RunningServer, mysql: RunningServer) -> None:
    schema = "full_md5"
    fresh(mariadb, mysql, schema, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), m CHAR(32) AS (MD5(v)) STORED)")
    ended = outcome(start(subtask(mariadb, mysql, schema)))
    assert (ended["exit"], ended["code"]) == (1, 34103)
    assert "has no function MD5()" in ended["log"]


def test_a_database_without_tables_is_made(source: RunningServer, tidb: RunningServer) -> None:
    schema = f"full_empty_{source.kind}"
    fresh(source, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY)")
    empty, left_out = f"{schema}_2", f"{schema}_3"
    for name in (empty, left_out):
        execute(tidb, f"DROP DATABASE IF EXISTS {name}")
        execute(source, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name} COLLATE utf8mb4_bin")
    allowed = BlockAllowListConfig.model_validate({"do-dbs": [schema, empty]})
    migrate(subtask(source, tidb, schema).model_copy(update={"block_allow_list": allowed}))
    there = "SELECT schema_name, default_collation_name FROM information_schema.schemata WHERE schema_name IN (%r, %r)"
    assert query(tidb, there % (empty, left_out)) == [(empty, "utf8mb4_bin")]
