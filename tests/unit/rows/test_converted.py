"""What an ALTER makes of a key's value: whether two literals of unlike columns are one value behind it."""

from __future__ import annotations

import pytest

from pkg.rows.converted import conversion
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column


def column(kind: str) -> Column:
    return parse_create_table(f"CREATE TABLE t (k {kind}) ENGINE=InnoDB", schema="d").columns[0]


LATIN = "VARCHAR(9) CHARACTER SET latin1"


# A literal of each type that is one value; None: not known.
PAIRS: list[tuple[str, str, bytes, bytes | None]] = [
    ("INT", "VARCHAR(20)", b"5", b"'5'"),
    ("INT", "BIGINT", b"-5", b"-5"),
    ("INT", "DECIMAL(10,2)", b"5", b"5.00"),
    ("INT", "VARBINARY(9)", b"5", b"x'35'"),
    ("INT", "DOUBLE", b"5", b"5.0"),
    ("INT(5) ZEROFILL", "VARCHAR(9)", b"5", None),
    ("INT", "TINYINT", b"300", None),
    ("DECIMAL(10,2)", "DECIMAL(12,3)", b"1.50", b"1.500"),
    ("DECIMAL(10,2)", "DECIMAL(12,1)", b"1.55", b"1.6"),
    ("DECIMAL(10,2)", "VARCHAR(20)", b"0.50", b"'0.50'"),
    ("DECIMAL(10,2)", "INT", b"-0.40", b"0"),
    ("VARCHAR(9)", "INT", b"'05'", b"5"),
    ("VARCHAR(9)", "INT", b"'x'", None),
    ("FLOAT", "DOUBLE", b"0.1", b"0.10000000149011612"),
    ("DOUBLE", "FLOAT", b"0.1", b"0.1"),
    ("FLOAT", "VARCHAR(20)", b"0.1", None),
    ("FLOAT", "INT", b"2.5", None),
    ("DATE", "DATETIME", b"'2020-01-01'", b"'2020-01-01 00:00:00'"),
    ("DATE", "VARCHAR(20)", b"'2020-01-01'", b"'2020-01-01'"),
    ("DATETIME", "DATETIME(3)", b"'2020-01-01 10:00:00'", b"'2020-01-01 10:00:00.000'"),
    ("DATETIME(3)", "DATETIME", b"'2020-01-01 10:00:00.500'", None),
    ("DATETIME(3)", "DATETIME", b"'2020-01-01 10:00:00.000'", b"'2020-01-01 10:00:00'"),
    ("DATETIME", "TIMESTAMP", b"'2020-01-01 10:00:00'", None),
    ("TIMESTAMP", "TIMESTAMP(6)", b"'2020-01-01 10:00:00'", b"'2020-01-01 10:00:00.000000'"),
    ("TIME", "TIME(3)", b"'-10:00:00'", b"'-10:00:00.000'"),
    ("TIME(3)", "TIME", b"'10:00:00.500'", None),
    ("BINARY(2)", "BINARY(4)", b"x'6100'", b"x'61000000'"),
    ("BINARY(2)", "VARBINARY(4)", b"x'6100'", b"x'6100'"),
    ("VARCHAR(9)", "VARBINARY(9)", "'ä'".encode(), b"x'c3a4'"),
    (LATIN, "VARBINARY(9)", "'ä'".encode(), b"x'e4'"),
    (LATIN, "VARCHAR(9) CHARACTER SET utf8mb4", "'ä'".encode(), "'ä'".encode()),
    ("VARCHAR(9) CHARACTER SET utf8mb4", LATIN, "'ж'".encode(), b"'?'"),
    ("VARBINARY(9)", "VARCHAR(9)", b"x'c3a4'", "'ä'".encode()),
    ("VARBINARY(9)", "VARCHAR(9)", b"x'e4'", None),
    ("VARCHAR(9)", "CHAR(9)", b"'a '", b"'a'"),
    ("VARCHAR(9)", "VARCHAR(2)", b"'abc'", None),
    ("ENUM('o','p')", "VARCHAR(9)", b"'p'", b"'p'"),
    ("ENUM('o','p')", "ENUM('p','o')", b"'p'", b"1"),
    ("VARCHAR(9)", "ENUM('p','o')", b"'p'", b"'p'"),
    ("BIT(8)", "INT", b"5", None),
]


@pytest.mark.parametrize(("old", "new", "before", "behind"), PAIRS)
def test_one_value(old: str, new: str, before: bytes, behind: bytes | None) -> None:
    above, below = column(old), column(new)
    found = conversion(above, below)(before)
    assert found == (None if behind is None else conversion(below, below)(behind))
    assert (found is None) == (behind is None)


@pytest.mark.parametrize(
    ("old", "new", "before", "behind"),
    [
        ("INT", "VARCHAR(9)", b"5", b"'05'"),
        ("VARBINARY(4)", "BINARY(4)", b"x'61'", b"x'61000001'"),
        ("VARCHAR(9)", "VARCHAR(10)", b"'a'", b"'A'"),
        ("DATE", "DATETIME", b"'2020-01-01'", b"'2020-01-01 00:00:01'"),
    ],
)
def test_other_values(old: str, new: str, before: bytes, behind: bytes) -> None:
    above, below = column(old), column(new)
    assert conversion(above, below)(before) != conversion(below, below)(behind)
