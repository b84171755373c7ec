"""The cases of replication: upstream tables, a target table, statements, and the rows that are then there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.cases.columns.tasks import Rules, mapping, partition, route

ONE = 1 << 59  # the bits of instance 1


@dataclass(frozen=True)
class Case:
    """``$DB`` stands for the target's schema; upstream schemas are $DB, or begin with it.

    ``target`` runs on the target before replication starts, ``upstream`` while it runs (its CREATEs, which come first,
    before), ``repair`` on the
    target after a pause whose text has ``pauses`` (parts by `` … ``).  ``rows`` of ``query`` are there at the end.
    """

    title: str
    rules: Rules
    target: tuple[str, ...]
    upstream: tuple[str, ...]
    query: str = ""
    rows: tuple[tuple[Any, ...], ...] = ()
    pauses: str = ""
    repair: tuple[str, ...] = ()


SHARD = "id BIGINT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(40)"
TWO_SHARDS = (
    f"CREATE TABLE $DB.t_1 ({SHARD})",
    f"CREATE TABLE $DB.t_2 ({SHARD})",
    "INSERT INTO $DB.t_1 (v) VALUES ('a'), ('b'), ('c'), ('d')",
    "INSERT INTO $DB.t_2 (v) VALUES ('A'), ('B'), ('C')",
    "UPDATE $DB.t_1 SET v = CONCAT(v, '!') WHERE id = 2",
    "UPDATE $DB.t_2 SET v = CONCAT(v, '?') WHERE id > 1",
    "DELETE FROM $DB.t_1 WHERE id = 1",
    "DELETE FROM $DB.t_2 WHERE id = 3",
)
MERGED = {"t": route()}
XS = "(id INT PRIMARY KEY, u VARCHAR(20), v VARCHAR(20)) PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (10))"
RANGES = "(id BIGINT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION pm VALUES LESS THAN MAXVALUE)"

CASES = (
    Case(
        "auto increment ids of two shards merge",
        Rules(MERGED, {"ids": partition("1", "", "t_")}),
        (f"CREATE TABLE $DB.t ({SHARD})",),
        TWO_SHARDS,
        "SELECT id - (1 << 59), v FROM $DB.t ORDER BY id",
        (
            ((1 << 51) + 2, "b!"),
            ((1 << 51) + 3, "c"),
            ((1 << 51) + 4, "d"),
            ((2 << 51) + 1, "A"),
            ((2 << 51) + 2, "B?"),
        ),
    ),
    Case(
        "instance, schema and table with a separator",
        Rules(MERGED, {"ids": partition("15", "$DB", "t", "_")}),
        (f"CREATE TABLE $DB.t ({SHARD})",),
        (
            "CREATE DATABASE $DB_127",
            f"CREATE TABLE $DB.t ({SHARD})",
            f"CREATE TABLE $DB_127.t_255 ({SHARD})",
            "INSERT INTO $DB.t VALUES (5, 'low')",
            "INSERT INTO $DB_127.t_255 VALUES (17592186044415, 'high'), (5, 'five')",
            "UPDATE $DB_127.t_255 SET v = 'highest' WHERE id > 5",
        ),
        "SELECT id, v FROM $DB.t ORDER BY id",
        (((15 << 59) + 5, "low"), (2**63 - (1 << 44) + 5, "five"), (2**63 - 1, "highest")),
    ),
    Case(
        "keys that change",
        Rules(MERGED, {"ids": partition("1", "", "")}),
        ("CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, u INT UNIQUE, v VARCHAR(40))",),
        (
            "CREATE TABLE $DB.t1 (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(40))",
            "INSERT INTO $DB.t1 VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')",
            "UPDATE $DB.t1 SET id = id + 100 WHERE id = 1",
            "REPLACE INTO $DB.t1 VALUES (9, 2, 'eats b')",
            "INSERT INTO $DB.t1 VALUES (3, 4, 'x') ON DUPLICATE KEY UPDATE u = 7",
            "UPDATE $DB.t1 SET u = u + 10 ORDER BY u DESC",
            "UPDATE $DB.t1 SET id = 1 WHERE id = 101",
        ),
        f"SELECT id - {ONE}, u, v FROM $DB.t ORDER BY id",
        ((1, 11, "a"), (3, 17, "c"), (9, 12, "eats b")),
    ),
    Case(
        "ids that are texts",
        Rules(MERGED, {"ids": partition("1", "", "")}),
        ("CREATE TABLE $DB.t (id VARCHAR(40) PRIMARY KEY, v INT)",),
        (
            "CREATE TABLE $DB.t1 (id VARCHAR(40) PRIMARY KEY, v INT)",
            "INSERT INTO $DB.t1 VALUES ('0', 0), ('17', 1), ('17592186044415', 2)",
            "UPDATE $DB.t1 SET v = v + 10",
            "DELETE FROM $DB.t1 WHERE id = '0'",
        ),
        "SELECT id, v FROM $DB.t ORDER BY v",
        ((str(ONE + 17), 11), (str(ONE + 2**44 - 1), 12)),
    ),
    Case(
        "a prefix on the key",
        Rules(
            MERGED,
            {
                "one": mapping("add prefix", "it's-1-", column="code", table="t1"),
                "two": mapping("add prefix", "2\\", column="code", table="t2"),
            },
        ),
        ("CREATE TABLE $DB.t (code VARCHAR(40) PRIMARY KEY, v INT)",),
        (
            "CREATE TABLE $DB.t1 (code VARCHAR(20) PRIMARY KEY, v INT)",
            "CREATE TABLE $DB.t2 (code VARCHAR(20) PRIMARY KEY, v INT)",
            "INSERT INTO $DB.t1 VALUES ('a', 1), ('b', 2), ('ü', 3)",
            "INSERT INTO $DB.t2 VALUES ('a', 1), ('', 2), ('''', 3)",
            "UPDATE $DB.t1 SET v = 11 WHERE code = 'a'",
            "UPDATE $DB.t1 SET code = 'c' WHERE code = 'b'",
            "UPDATE $DB.t2 SET v = v * 7",
            "DELETE FROM $DB.t2 WHERE code = 'a'",
        ),
        "SELECT code, v FROM $DB.t ORDER BY v",
        (("it's-1-c", 2), ("it's-1-ü", 3), ("it's-1-a", 11), ("2\\", 14), ("2\\'", 21)),
    ),
    Case(
        "a suffix on texts of other character sets",
        Rules(MERGED, {"one": mapping("add suffix", "-é€", column="v"), "two": mapping("add suffix", "z", column="w")}),
        ("CREATE TABLE $DB.t (id INT PRIMARY KEY, v VARCHAR(40), w TEXT) CHARACTER SET utf8mb4",),
        (
            "CREATE TABLE $DB.t1 (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, w TEXT CHARACTER SET ucs2)",
            "INSERT INTO $DB.t1 VALUES (1, 'ä', 'ж'), (2, NULL, NULL), (3, '', '')",
            "UPDATE $DB.t1 SET v = 'ö' WHERE id = 3",
        ),
        "SELECT id, v, w FROM $DB.t ORDER BY id",
        ((1, "ä-é€", "жz"), (2, None, None), (3, "ö-é€", "z")),
    ),
    Case(
        "the table's name in the key",
        Rules({"t": route(table=("t_(.*)", "part"))}),
        ("CREATE TABLE $DB.t (id BIGINT, part VARCHAR(9), v VARCHAR(40), PRIMARY KEY (id, part))",),
        TWO_SHARDS,
        "SELECT part, id, v FROM $DB.t ORDER BY part, id",
        (("1", 2, "b!"), ("1", 3, "c"), ("1", 4, "d"), ("2", 1, "A"), ("2", 2, "B?")),
    ),
    Case(
        "numbers from names go into a column of integers",
        Rules({"t": route(table=("t_(0*)([0-9]+)", "part"))}),
        ("CREATE TABLE $DB.t (part INT, id INT, v INT, PRIMARY KEY (part, id))",),
        (
            "CREATE TABLE $DB.t_007 (id INT PRIMARY KEY, v INT)",
            "CREATE TABLE $DB.t_8 (id INT PRIMARY KEY, v INT)",
            "INSERT INTO $DB.t_007 VALUES (1, 1), (2, 2)",
            "INSERT INTO $DB.t_8 VALUES (1, 3), (2, 4)",
            "UPDATE $DB.t_007 SET v = 5 WHERE id = 1",
            "DELETE FROM $DB.t_8 WHERE id = 2",
        ),
        "SELECT part, id, v FROM $DB.t ORDER BY part, id",
        ((7, 1, 5), (7, 2, 2), (8, 1, 3)),
    ),
    Case(
        "schema, table and source, and a name that does not match",
        Rules({"t": route(table=("t_(.*)", "part"), schema=("_([a-z])$", "shop"), source=("(.)(.)", "source"))}),
        (
            "CREATE TABLE $DB.t (id INT, part VARCHAR(9), shop VARCHAR(9), source VARCHAR(9), PRIMARY KEY (shop, part, id))",
        ),
        (
            "CREATE DATABASE $DB_x",
            "CREATE TABLE $DB.t (id INT PRIMARY KEY)",
            "CREATE TABLE $DB_x.t_1 (id INT PRIMARY KEY)",
            "INSERT INTO $DB.t VALUES (1), (2)",
            "INSERT INTO $DB_x.t_1 VALUES (1), (2)",
            "DELETE FROM $DB.t WHERE id = 1",
        ),
        "SELECT id, part, shop, source FROM $DB.t ORDER BY shop, id",
        ((2, "", "", "ma"), (1, "1", "x", "ma"), (2, "1", "x", "ma")),
    ),
    Case(
        "a unique value that moves between rows",
        Rules({"t": route(table=("t_(.*)", "part"))}),
        ("CREATE TABLE $DB.t (id INT, u INT, part VARCHAR(9), PRIMARY KEY (part, id), UNIQUE KEY (part, u))",),
        (
            "CREATE TABLE $DB.t_1 (id INT PRIMARY KEY, u INT UNIQUE)",
            "CREATE TABLE $DB.t_2 (id INT PRIMARY KEY, u INT UNIQUE)",
            "INSERT INTO $DB.t_1 VALUES (1, 1), (2, 2), (3, 3)",
            "INSERT INTO $DB.t_2 VALUES (1, 1), (2, 2), (3, 3)",
            *(f"UPDATE $DB.t_{part} SET u = u + 1 ORDER BY u DESC" for part in (1, 2) for _ in range(5)),
            "UPDATE $DB.t_1 SET u = NULL WHERE id = 1",
            "UPDATE $DB.t_1 SET u = 6 WHERE id = 3",
        ),
        "SELECT part, id, u FROM $DB.t ORDER BY part, id",
        (("1", 1, None), ("1", 2, 7), ("1", 3, 6), ("2", 1, 6), ("2", 2, 7), ("2", 3, 8)),
    ),
    Case(
        "two mapped columns, and one made of another",
        Rules(
            MERGED,
            {
                "ids": partition("1", "", ""),
                "parents": partition("1", "", "", column="parent"),
                "copies": mapping("partition id", "2", "", "", column="id", target="copy"),
            },
        ),
        ("CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, parent BIGINT, copy BIGINT)",),
        (
            "CREATE TABLE $DB.t1 (id INT PRIMARY KEY, parent INT, copy INT)",
            "INSERT INTO $DB.t1 VALUES (1, NULL, 0), (2, 1, NULL), (3, 1, NULL)",
            "UPDATE $DB.t1 SET parent = 2 WHERE id = 3",
        ),
        f"SELECT id - {ONE}, parent - {ONE}, copy - {2 * ONE} FROM $DB.t ORDER BY id",
        ((1, None, 1), (2, 1, 2), (3, 2, 3)),
    ),
    Case(
        "a target without a key",
        Rules({"t": route(table=("t_(.*)", "part"))}, {"v": mapping("add suffix", "!", column="v")}),
        ("CREATE TABLE $DB.t (id INT, part VARCHAR(9), v VARCHAR(9))",),
        (
            "CREATE TABLE $DB.t_1 (id INT, v VARCHAR(9))",
            "CREATE TABLE $DB.t_2 (id INT, v VARCHAR(9))",
            "INSERT INTO $DB.t_1 VALUES (1, 'a'), (1, 'a'), (2, NULL)",
            "INSERT INTO $DB.t_2 VALUES (1, 'a'), (1, 'a'), (2, NULL)",
            "DELETE FROM $DB.t_1 WHERE id = 1 LIMIT 1",
            "UPDATE $DB.t_2 SET v = 'n' WHERE v IS NULL",
        ),
        "SELECT part, id, v FROM $DB.t ORDER BY part, id, v",
        (("1", 1, "a!"), ("1", 2, None), ("2", 1, "a!"), ("2", 1, "a!"), ("2", 2, "n!")),
    ),
    Case(
        "a column is added to a mapped table",
        Rules({}, {"ids": partition("1", "", "")}),
        ("CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, v INT)",),
        (
            "CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, v INT)",
            "INSERT INTO $DB.t VALUES (1, 1)",
            "ALTER TABLE $DB.t ADD COLUMN w INT DEFAULT 5 FIRST",
            "INSERT INTO $DB.t (id, v) VALUES (2, 2)",
            "UPDATE $DB.t SET w = 6 WHERE id = 1",
        ),
        f"SELECT id - {ONE}, v, w FROM $DB.t ORDER BY id",
        ((1, 1, 6), (2, 2, 5)),
    ),
    Case(
        "an id that does not fit",
        Rules(MERGED, {"ids": partition("1", "", "")}),
        (f"CREATE TABLE $DB.t ({SHARD})",),
        (f"CREATE TABLE $DB.t1 ({SHARD})", "INSERT INTO $DB.t1 VALUES (17592186044416, 'too many')"),
        pauses="code=20098 … id = 17592186044416 of $DB.t1 … id=17592186044416, v='too many'",
    ),
    Case(
        "a mapped column is dropped",
        Rules({}, {"vs": mapping("add prefix", "x", column="v")}),
        ("CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, v VARCHAR(9))",),
        (
            "CREATE TABLE $DB.t (id BIGINT PRIMARY KEY, v VARCHAR(9))",
            "INSERT INTO $DB.t VALUES (1, 'a')",
            "ALTER TABLE $DB.t DROP COLUMN v",
            "INSERT INTO $DB.t VALUES (2)",
        ),
        pauses="code=20093 … names the column v … it has (id bigint",
    ),
    *(
        Case(
            f"partitions by a mapped column, {clause.lower()}",
            Rules({}, {"ids": partition("1", "", "t")}),
            (f"CREATE TABLE $DB.t {RANGES}",),
            (
                f"CREATE TABLE $DB.t {RANGES}",
                "CREATE TABLE $DB.x (id BIGINT PRIMARY KEY)",
                "INSERT INTO $DB.t VALUES (1), (15), (25)",
                f"ALTER TABLE $DB.t {clause.replace('x', '$DB.x')}",
            ),
            pauses="code=36195 … the column id, which decides about them, is mapped",
        )
        for clause in ("TRUNCATE PARTITION pm", "DROP PARTITION p0", "EXCHANGE PARTITION pm WITH TABLE x")
    ),
    *(
        Case(
            f"a mapped column and rows that are there, {statement.split('; ')[-1].lower()}",
            Rules({}, {"vs": mapping("add prefix", "P-", column="v", table="t")}),
            ("CREATE TABLE $DB.t (id INT PRIMARY KEY, u VARCHAR(20), v VARCHAR(20))", f"CREATE TABLE $DB.x {XS}"),
            (
                "CREATE TABLE $DB.t (id INT PRIMARY KEY, u VARCHAR(20), v VARCHAR(20))",
                f"CREATE TABLE $DB.x {XS}",
                "INSERT INTO $DB.t VALUES (1, 'b', NULL), (2, 'b', 'c')",
                "INSERT INTO $DB.x VALUES (1, 'b', NULL), (2, 'b', 'c')",
                *statement.split("; "),
            ),
            pauses=f"code=36231 … {words}",
        )
        for statement, words in (
            ("ALTER TABLE $DB.t ADD w VARCHAR(40) DEFAULT (CONCAT(v, '!'))", "the default of w reads v"),
            ("ALTER TABLE $DB.t DROP COLUMN v, CHANGE u v VARCHAR(20)", "the column u becomes v"),
            ("SET sql_mode = ''; ALTER TABLE $DB.t MODIFY v VARCHAR(20) NOT NULL", "NULL becomes a value"),
            ("SET sql_mode = ''; ALTER TABLE $DB.t MODIFY v VARCHAR(1)", "cut or converted"),
            (
                "ALTER TABLE $DB.t DROP COLUMN v; ALTER TABLE $DB.t ADD v VARCHAR(20) DEFAULT 'x'",
                "the column v is mapped",
            ),
            ("RENAME TABLE $DB.t TO $DB.t2", "the rules for `$DB`.`t` and `$DB`.`t2`"),
            ("ALTER TABLE $DB.t RENAME TO $DB.t2", "the rules for `$DB`.`t` and `$DB`.`t2`"),
            ("RENAME TABLE $DB.t TO $DB.y, $DB.x TO $DB.t, $DB.y TO $DB.x", "the rules for `$DB`.`t` and `$DB`.`x`"),
            ("ALTER TABLE $DB.x EXCHANGE PARTITION p WITH TABLE $DB.t", "the rules for `$DB`.`x` and `$DB`.`t`"),
        )
    ),
    Case(
        "a mapped column and other changes of its table",
        Rules({}, {"vs": mapping("add prefix", "P-", column="v", table="t*")}),
        ("CREATE TABLE $DB.t (id INT PRIMARY KEY, u VARCHAR(20), v VARCHAR(20))",),
        (
            "CREATE TABLE $DB.t (id INT PRIMARY KEY, u VARCHAR(20), v VARCHAR(20))",
            "INSERT INTO $DB.t VALUES (1, 'b', 'c'), (2, 'b', 'c')",
            "SET sql_mode = ''",
            "ALTER TABLE $DB.t MODIFY v VARCHAR(30) NOT NULL, MODIFY u VARCHAR(5) NOT NULL",
            "SET sql_mode = 'STRICT_TRANS_TABLES'",
            "ALTER TABLE $DB.t MODIFY v VARCHAR(25), ADD w VARCHAR(9) DEFAULT (CONCAT(u, 'v'))",
            "RENAME TABLE $DB.t TO $DB.x, $DB.x TO $DB.t2",
            "INSERT INTO $DB.t2 VALUES (3, 'd', 'e', 'f')",
        ),
        "SELECT * FROM $DB.t2 ORDER BY id",
        ((1, "b", "P-c", "bv"), (2, "b", "P-c", "bv"), (3, "d", "P-e", "f")),
    ),
    Case(
        "a target whose id is too narrow, and is widened",
        Rules(MERGED, {"ids": partition("1", "", "")}),
        ("CREATE TABLE $DB.t (id INT PRIMARY KEY)",),
        ("CREATE TABLE $DB.t1 (id INT PRIMARY KEY)", "INSERT INTO $DB.t1 VALUES (1)"),
        f"SELECT id - {ONE} FROM $DB.t",
        ((1,),),
        pauses="code=20094 … id is int … needs bigint",
        repair=("ALTER TABLE $DB.t MODIFY id BIGINT",),
    ),
    Case(
        "a target without the column that the route fills, and gets it",
        Rules({"t": route(table=("(.*)", "part"))}),
        ("CREATE TABLE $DB.t (id INT PRIMARY KEY)",),
        ("CREATE TABLE $DB.t1 (id INT PRIMARY KEY)", "INSERT INTO $DB.t1 VALUES (1)"),
        "SELECT id, part FROM $DB.t",
        ((1, "t1"),),
        pauses="code=20095 … the column part … upstream: (id int … downstream: (id int",
        repair=("ALTER TABLE $DB.t ADD part VARCHAR(9)",),
    ),
    Case(
        "a table that has no number",
        Rules(MERGED, {"ids": partition("1", "", "t_")}),
        (f"CREATE TABLE $DB.t ({SHARD})",),
        (f"CREATE TABLE $DB.tx ({SHARD})", "INSERT INTO $DB.tx VALUES (1, 'a')"),
        pauses="code=20092 … the table name 'tx' … from 0 to 255",
    ),
    Case(
        "two shards with one number",
        Rules(MERGED, {"ids": partition("1", "", "t_")}),
        (f"CREATE TABLE $DB.t ({SHARD})",),
        (
            f"CREATE TABLE $DB.t_1 ({SHARD})",
            f"CREATE TABLE $DB.t_01 ({SHARD})",
            "INSERT INTO $DB.t_1 VALUES (1, 'a')",
            "INSERT INTO $DB.t_01 VALUES (1, 'A')",
        ),
        pauses="code=20097 … $DB.t_1 and $DB.t_01 go to $DB.t",
    ),
)
