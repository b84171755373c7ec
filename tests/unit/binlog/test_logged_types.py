"""Types of a table map beside those of the columns that are known."""

from __future__ import annotations

import pytest

from pkg.binlog.events import TableMap
from pkg.binlog.logged_types import unlike_column
from pkg.schema.parse import parse_create_table

STRING = 254


def char(size: int) -> int:
    """The metadata of a CHAR or BINARY of so many bytes."""
    return ((STRING ^ ((size & 0x300) >> 4)) << 8) | (size & 255)


@pytest.mark.parametrize(
    ("column", "code", "meta", "said"),
    [
        ("DECIMAL(10,2)", 246, 2 << 8 | 10, ""),
        ("DECIMAL", 246, 10, ""),
        ("DECIMAL(10,2)", 246, 4 << 8 | 10, "decimal(10,4)"),
        ("DATETIME(3)", 18, 3, ""),
        ("TIMESTAMP", 17, 6, "timestamp(6)"),
        ("TIME(2)", 19, 0, "time(0)"),
        ("BIT(9)", 16, 1 << 8 | 1, ""),
        ("BIT(4)", 16, 1 << 8, "bit(8)"),
        ("ENUM('a','b')", 247, 1, ""),
        ("ENUM('a','b')", STRING, 247 << 8 | 2, "enum of 2 bytes"),
        ("SET('a','b')", STRING, 248 << 8 | 1, ""),
        ("SET('a','b')", 248, 2, "set of 2 bytes"),
        ("VARCHAR(20)", 15, 80, ""),
        ("VARCHAR(20) CHARACTER SET latin1", 15, 20, ""),
        ("VARCHAR(20) CHARACTER SET latin1", 15, 80, "varchar of 80 bytes"),
        ("VARBINARY(4)", 15, 4, ""),
        ("VARBINARY(4)", STRING, char(4), "binary of 4 bytes"),
        ("CHAR(4)", STRING, char(16), ""),
        ("CHAR(255)", STRING, char(1020), ""),
        ("CHAR(4)", 15, 16, "varchar of 16 bytes"),
        ("BINARY(4)", STRING, char(4), ""),
        ("BINARY(4)", 15, 4, "varbinary of 4 bytes"),
        ("TEXT", 252, 2, ""),
        ("MEDIUMTEXT", 252, 3, ""),
        ("TINYBLOB", 252, 1, ""),
        ("LONGBLOB", 252, 2, "a blob with 2 length bytes"),
        ("INT", 3, 0, ""),
        ("DOUBLE", 5, 8, ""),
    ],
)
def test_unlike_column(column: str, code: int, meta: int, said: str) -> None:
    table = parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, v {column})", "db")
    found = unlike_column(table.columns, TableMap("db", "t", bytes((3, code)), (0, meta)))
    assert found == (f"v {table.columns[1].type} is {said} in the binlog" if said else "")


def test_the_set_that_is_logged_counts() -> None:
    table = parse_create_table("CREATE TABLE t (v VARCHAR(20) CHARACTER SET utf8mb4)", "db")
    latin1 = TableMap("db", "t", bytes((15,)), (20,), collations=(8,))
    assert unlike_column(table.columns, latin1) == ""
