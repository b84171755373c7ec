"""What is taken for the same, whether MySQL reads a document or its text, is the same: expressions by values."""

from __future__ import annotations

import pymysql
import pytest

from dm_worker.dumper.read_documents import read_documents
from pkg.binlog.json_binary import Node, SqlScalar
from pkg.binlog.read_documents import unlike_read
from pkg.schema.document_reads import documents_read
from pkg.schema.parse import parse_create_table
from tests.cases.full.migration import connection, execute
from tests.servers import RunningServer

SCHEMA = "typed_documents"
VALUES: dict[str, Node] = {
    **{
        f"CAST({text} AS DECIMAL({size}))": SqlScalar.of(text, "DECIMAL")
        for text, size in (
            ("19.90", "10,2"), ("19.95", "10,2"), ("2.5", "10,1"), ("-2.5", "10,1"), ("3.00", "10,2"), ("7", "10"),
            ("-0.05", "10,2"), ("0.000001", "10,6"), ("1000000000000000", "20"), ("1000000000000000.0", "20,1"),
            ("100000000000000000000", "25"), ("1.005", "10,3"), ("12345.67", "10,2"), ("0.00", "10,2"),
        )
    },
    "DATE'2024-01-31'": SqlScalar.of('"2024-01-31"', "DATE"),
    "TIMESTAMP'2024-01-31 10:11:12'": SqlScalar.of('"2024-01-31 10:11:12.000000"', "DATETIME"),
    "TIMESTAMP'2024-01-31 10:11:12.5'": SqlScalar.of('"2024-01-31 10:11:12.500000"', "DATETIME"),
    "TIME'10:11:12'": SqlScalar.of('"10:11:12.000000"', "TIME"),
    "X'00FF'": SqlScalar.of('"base64:type253:AP8="', "BLOB"),
}  # fmt: skip
TYPES = (
    "VARCHAR(90)", "VARCHAR(90) CHARACTER SET latin1", "DECIMAL(30,2)", "DECIMAL(30,1)", "DOUBLE", "FLOAT", "BIGINT",
    "BIGINT UNSIGNED", "TINYINT", "DATE", "DATETIME", "DATETIME(6)", "TIME", "TIME(6)", "YEAR", "VARBINARY(90)", "JSON",
    "ENUM('19.90', '19.9', '7')",
)  # fmt: skip
NEEDLESS = 200  # rows that the full migration refuses though both are the same: 1e15, decimals that fill dates
PLAIN = ("j->'$.v'", "j->>'$.v'", "JSON_VALUE(j, '$.v')", "IFNULL(j->>'$.v', 0)", "COALESCE(j->'$.v', j->'$.w')")
EXPRESSIONS = (
    *((PLAIN[0], kind) for kind in TYPES),
    *((PLAIN[1], kind) for kind in TYPES if kind != "JSON"),
    *((PLAIN[2], kind) for kind in TYPES if kind != "JSON"),
    *((PLAIN[3], kind) for kind in TYPES if kind != "JSON"),
    *((PLAIN[4], kind) for kind in TYPES),
    *(
        (f"CAST({taken} AS {kind})", "VARCHAR(90)")
        for taken in PLAIN[:2]
        for kind in (
            "CHAR", "CHAR(3)", "DECIMAL(30,2)", "DECIMAL(30,1)", "DECIMAL(30)", "SIGNED", "UNSIGNED", "DOUBLE", "FLOAT",
            "DATE", "DATETIME", "TIME", "BINARY", "YEAR", "JSON",
        )
    ),
    *(
        (f"JSON_VALUE(j, '$.v' RETURNING {kind})", "VARCHAR(90)")
        for kind in ("CHAR(20)", "DECIMAL(30,2)", "DECIMAL(30,1)", "SIGNED", "DOUBLE", "DATE", "DATETIME", "JSON")
    ),
    *(
        (text.format(taken), "VARCHAR(190)")
        for taken in PLAIN[:2]
        for text in (
            "{} + 1", "{} * 2", "{} - 1", "{} / 3", "-{}", "CONCAT({}, '!')", "CONCAT_WS(',', 'a', {})", "LENGTH({})",
            "CHAR_LENGTH({})", "HEX({})", "SHA2({}, 256)", "CRC32({})", "LOWER({})", "UPPER({})",
            "LEFT({}, 4)", "RIGHT({}, 4)", "SUBSTRING({}, 2)", "REPLACE({}, '9', 'x')", "TRIM({})", "REVERSE({})",
            "REPEAT({}, 2)", "LPAD({}, 40, 'x')", "LOCATE('9', {})", "INSTR({}, '0')", "{} LIKE '%0'", "{} REGEXP '0$'",
            "TO_BASE64({})", "{} = 3", "{} > 3", "{} <= 7", "{} <> 3", "{} <=> 7", "{} = '3.00'", "{} < '2024-02-01'",
            "{} IN (3, 7)", "{} BETWEEN 2 AND 7", "{} IS NULL", "NULLIF({}, 3)", "ROUND({}, 1)", "FLOOR({})", "ABS({})",
            "YEAR({})", "HOUR({})", "DATE_FORMAT({}, '%Y')", "IF({}, 'a', 'b')", "IF(id, {}, 'b')",
            "CASE WHEN id > 0 THEN {} ELSE 'x' END", "CASE {} WHEN 3 THEN 'a' ELSE 'b' END", "COALESCE({}, 'x')",
            "SUBSTRING_INDEX({}, '.', 1)", "{} COLLATE utf8mb4_bin", "GREATEST({}, 1)", "NOT {}", "{} AND 1",
            "STRCMP({}, '3')", "JSON_OBJECT('a', {})", "JSON_QUOTE({})", "QUOTE({})", "{} DIV 2", "{} % 2",
        )
    ),
    ("JSON_LENGTH(j)", "INT"),
    ("JSON_DEPTH(j)", "INT"),
    ("JSON_KEYS(j)", "VARCHAR(90)"),
    ("JSON_TYPE(j->'$.v')", "VARCHAR(90)"),
    ("JSON_CONTAINS(j, '3', '$.v')", "INT"),
    ("JSON_CONTAINS(j, '3.0', '$.v')", "INT"),
    ("JSON_CONTAINS_PATH(j, 'one', '$.v')", "INT"),
    ("JSON_SEARCH(j, 'one', '2024-01-31')", "VARCHAR(90)"),
    ("JSON_STORAGE_SIZE(j)", "INT"),
    ("JSON_PRETTY(j)", "VARCHAR(290)"),
    ("CAST(j AS CHAR(290))", "VARCHAR(290)"),
    ("LENGTH(j)", "INT"),
    ("j->'$'", "VARCHAR(290)"),
)  # fmt: skip


@pytest.mark.timeout(600)
def test_expressions_of_documents_and_of_their_texts(mysql: RunningServer) -> None:
    execute(mysql, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4")
    wrong, unseen, needless, same = [], [], [], 0
    with connection(mysql, SCHEMA) as link, link.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")
        for expression, kind in EXPRESSIONS:
            create = f"CREATE TABLE t (id INT PRIMARY KEY, j JSON, g {kind} AS ({expression}) STORED)"
            cursor.execute("DROP TABLE IF EXISTS t")
            try:
                cursor.execute(create)
            except pymysql.err.MySQLError:  # a type or a function that MySQL does not take there
                continue
            cursor.execute("SHOW CREATE TABLE t")
            table = parse_create_table(cursor.fetchone()[1], SCHEMA)
            reads = documents_read(table).get("j", ())
            for value, tree in VALUES.items():
                is_same = unlike_read({"v": tree, "x": '"y"'}, reads) is None
                said = expression, kind, value
                try:
                    cursor.execute(f"REPLACE INTO t (id, j) VALUES (1, JSON_OBJECT('v', {value}, 'x', 'y'))")
                    cursor.execute("REPLACE INTO t (id, j) SELECT 2, CAST(CAST(j AS CHAR) AS JSON) FROM t WHERE id = 1")
                except pymysql.err.MySQLError:  # no such row can be, or none is lost
                    continue
                cursor.execute("SELECT CAST(CAST(g AS CHAR) AS BINARY) FROM t ORDER BY id")
                above, below = cursor.fetchall()
                is_alike = above == below or (kind == "JSON" and "DECIMAL" in value)
                same += is_same
                if is_same and not is_alike:
                    wrong.append((*said, above, below))
                for read in read_documents(table):
                    cursor.execute(f"SELECT {read.condition} FROM t WHERE id = 1")
                    (is_found_same,) = cursor.fetchone()
                    if is_found_same and not is_alike:
                        unseen.append((*said, above, below))
                    elif not is_found_same and is_alike:
                        needless.append(said)
    assert not wrong, "\n".join(map(str, wrong))
    assert not unseen, "\n".join(map(str, unseen))
    assert len(needless) < NEEDLESS, "\n".join(map(str, needless))
    assert same > 2 * len(EXPRESSIONS)
