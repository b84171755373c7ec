"""What expressions take out of documents, and which values of SQL types make them others than the text does."""

from __future__ import annotations

import pytest

from pkg.binlog.json_binary import Node, SqlScalar
from pkg.binlog.read_documents import unlike_read
from pkg.schema.document_reads import documents_read
from pkg.schema.parse import parse_create_table


def decimal(text: str) -> SqlScalar:
    return SqlScalar.of(text, "DECIMAL")


DAY = SqlScalar.of('"2024-01-31"', "DATE")
OTHERS: dict[str, Node] = {"name": '"x"', "price": decimal("19.90"), "at": DAY, "list": [decimal("1.50"), DAY]}


def unlike(defined: str, value: Node) -> bool:
    table = parse_create_table(f"CREATE TABLE t (id INT, j JSON, {defined})", "s")
    tree: Node = {**OTHERS, "v": value}
    return unlike_read(tree, documents_read(table).get("j", ())) is not None


@pytest.mark.parametrize(
    ("defined", "value", "expected"),
    [
        ("g VARCHAR(9) AS (j->>'$.name')", decimal("1.10"), False),
        ("g VARCHAR(9) AS (json_unquote(json_extract(`j`,_utf8mb4'$.v')))", decimal("1.10"), True),
        ("g VARCHAR(9) AS (j->>'$.v')", decimal("1.15"), False),
        ("g VARCHAR(9) AS (j->>'$.v')", decimal("5"), False),
        ("g VARCHAR(9) AS (j->>'$.v')", decimal("100000000000000000000"), True),
        ("g VARCHAR(9) AS (j->>'$.v')", DAY, False),
        ("g VARCHAR(9) AS (j->>'$.v')", {"a": [decimal("2.50")]}, True),
        ("g VARCHAR(9) AS (j->>'$.v.a[1]')", {"a": [decimal("2.50"), '"x"']}, False),
        ("g VARCHAR(9) AS (j->>'$.v.a[*]')", {"a": [decimal("2.50"), '"x"']}, True),
        ("g VARCHAR(9) AS (j->>'$.v[0]')", decimal("2.50"), True),
        ("g VARCHAR(9) AS (j->>'$.\"v\"')", decimal("2.50"), True),
        ("g INT AS (CHAR_LENGTH(j->>'$.v')) STORED", decimal("2.50"), True),
        ("g INT AS (JSON_LENGTH(j))", decimal("2.50"), False),
        ("g INT AS (j->'$.v' IS NULL)", decimal("2.50"), False),
        ("g DECIMAL(10,2) AS (j->>'$.v')", decimal("2.50"), False),
        ("g DECIMAL(10,2) AS (IFNULL(j->>'$.v', 0))", decimal("2.50"), False),
        ("g DECIMAL(10,2) AS (CAST(j->>'$.v' AS DECIMAL(10,2)))", decimal("2.50"), False),
        ("g DECIMAL(10,2) AS (j->'$.v')", decimal("2.50"), False),
        ("g DECIMAL(10,1) AS (j->'$.v')", decimal("2.55"), True),
        ("g DOUBLE AS (j->'$.v' * 2)", decimal("2.50"), False),
        ("g INT AS (j->'$.v')", decimal("2.5"), True),
        ("g INT AS (j->'$.v')", decimal("2.00"), False),
        ("g INT AS (j->'$.v' > 10)", decimal("2.50"), False),
        ("g INT AS (j->'$.v' > '2020')", DAY, True),
        ("g DATE AS (j->'$.v')", DAY, False),
        ("g DATETIME AS (j->'$.v')", DAY, True),
        ("g DATETIME AS (CAST(j->'$.v' AS TIME(6)))", DAY, True),
        ("g VARCHAR(9) AS (CAST(j->'$.v' AS JSON))", decimal("2.50"), True),
        ("g BIGINT AS (j->'$.v')", decimal("100000000000000000000"), True),
        ("g VARCHAR(9) AS (JSON_VALUE(j, '$.v' RETURNING DECIMAL(9,2)))", decimal("2.50"), True),
        ("g DATE AS (j->>'$.v')", DAY, False),
        ("g DATE AS (CAST(j->>'$.v' AS DATE))", DAY, False),
        ("g VARCHAR(9) AS (JSON_TYPE(j->'$.v'))", DAY, True),
        ("g VARCHAR(9) AS (JSON_TYPE(j->'$.name'))", DAY, False),
        ("g VARCHAR(9) AS (JSON_VALUE(j, '$.v' RETURNING CHAR(9)))", decimal("2.50"), True),
        ("g VARCHAR(9) AS (json_value(`j`, _utf8mb4'$.name' returning char(512)))", decimal("2.50"), False),
        ("g JSON AS (j->'$.v')", decimal("2.50"), False),
        ("k JSON AS (j->'$.v'), g VARCHAR(9) AS (k->>'$.a')", {"a": decimal("2.50")}, True),
        ("k JSON AS (j->'$.name'), g VARCHAR(9) AS (k->>'$.a')", {"a": decimal("2.50")}, False),
        ("UNIQUE KEY u ((CAST(j->>'$.v' AS CHAR(9))))", decimal("2.50"), True),
        ("KEY u ((CAST(j->>'$.v' AS CHAR(9))))", decimal("2.50"), False),
    ],
)
def test_what_differs_where_the_text_is_read(defined: str, value: Node, expected: bool) -> None:
    assert unlike(defined, value) is expected
