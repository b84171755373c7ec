"""A target's table that was there with other types: each pair that docs/exactness.md takes is copied exactly, both ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pkg.schema.inexact import inexact
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column
from tests.cases.full.migration import query
from tests.cases.full.one_chunk import OneChunk
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("ends")

ENDS = ("mariadb-tidb", "mariadb-mariadb2", "mariadb-mysql", "mysql-mariadb", "mysql-tidb", "mysql-mysql")
# 49 to 57 are the codes of digits: what takes bytes for a text, or a text for bytes, finds a number in them.
UPSTREAM = {
    "TINYINT": ("0", "5", "49", "97"),
    "INT": ("0", "5", "57", "7"),
    "BIGINT UNSIGNED": ("0", "10", "53", "9"),
    "BIT(1)": ("0", "1", "1", "0"),
    "BIT(8)": ("0", "5", "53", "57"),
    "BIT(16)": ("0", "49", "57", "92"),
    "BIT(64)": ("0", "9", "56", "10"),
    "YEAR": ("0", "1970", "2020", "2155"),
    "DECIMAL(10,0)": ("0", "5", "53", "9"),
    "DECIMAL(10,2)": ("0", "7.50", "-1.25", "100"),
    "FLOAT": ("0", "0.1", "1.5", "-7"),
    "DOUBLE": ("0", "0.1", "1.5", "1e10"),
    "DATE": ("'2020-01-01'", "'2021-12-31'", "'2022-02-03'", "'2000-01-01'"),
    "TIME(2)": ("'-10:00:00.25'", "'10:11:12'", "'0:0:0'", "'100:00:00.5'"),
    "DATETIME(2)": ("'2020-01-01'", "'2020-01-01 10:11:12.25'", "'2022-02-03 01:02:03'", "'2000-01-01'"),
    "TIMESTAMP(1) NULL": ("'2020-01-01'", "'2020-01-01 10:11:12.5'", "'2022-02-03 01:02:03'", "'2000-01-01'"),
    "ENUM('a','1','ä')": ("'a'", "'1'", "'ä'", "2"),
    "SET('a','b','5')": ("'a,b'", "''", "'5'", "'b,5'"),
    "CHAR(10)": ("'a'", "'5'", "''", "'ä'"),
    "VARCHAR(10)": ("'a '", "'5'", "''", "'ä\\\\'"),
    "VARCHAR(11) CHARACTER SET latin1": ("'a '", "'5'", "''", "'ä'"),
    "VARCHAR(12) CHARACTER SET ucs2": ("'a '", "'5'", "''", "'ä'"),
    "TEXT": ("'a '", "'5'", "''", "'ä\\t'"),
    "VARBINARY(9)": ("'a '", "'5'", "''", "x'61'"),
    "BINARY(3)": ("'a'", "'567'", "''", "x'613100'"),
    "BLOB": ("'a '", "'5'", "''", "x'610A'"),
    "POINT": tuple(f"ST_GeomFromText('POINT({one} 5)')" for one in (0, 1, 2, 3)),
}
BELOW = {
    **dict.fromkeys(("TINYINT UNSIGNED", "INT", "BIGINT UNSIGNED", "DECIMAL(20,0)", "DECIMAL(20,4)"), "number"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "BIT(8)", "BIT(20)", "BIT(64)", "YEAR"), "number"),
    **dict.fromkeys(("DATE", "DATETIME(6)", "TIMESTAMP(3) NULL"), "moment"),
    "TIME(6)": "time",
    **dict.fromkeys(
        ("ENUM('z','ä','1','a') COLLATE utf8mb4_bin", "SET('z','a','b','5')", "CHAR(40)", "VARCHAR(40)", "TEXT"), "text"
    ),
    **dict.fromkeys(("VARCHAR(42) CHARACTER SET latin1", "VARCHAR(41) CHARACTER SET ucs2"), "text"),
    **dict.fromkeys(("BINARY(3)", "VARBINARY(40)", "BLOB"), "bytes"),
    "JSON": "document",
}
READ = {
    "number": "{c} + 0e0",
    "moment": "CAST(CAST({c} AS DATETIME(6)) AS CHAR)",
    "time": "CAST(CAST({c} AS TIME(6)) AS CHAR)",
    "text": "HEX(CONVERT(CAST({c} AS CHAR) USING utf8mb4))",
    "bytes": "HEX(CONVERT(CAST({c} AS CHAR) USING utf8mb4))",
    "document": "CAST({c} AS CHAR)",
}
_AS_BYTES = frozenset({"binary", "varbinary", "blob", "point"})


def _column(text: str) -> Column:
    return parse_create_table(f"CREATE TABLE t (c {text}) CHARSET=utf8mb4", "s").columns[0]


def _fits(above: str, below: str) -> bool:
    """Whether all values of the type have a place in the other one, which refuses them else."""
    if "YEAR" in above and (below in ("TINYINT UNSIGNED", "BIT(8)")):
        return False
    return not (above.startswith("ENUM") and below.startswith("SET"))


def _pairs(ends: str, kind: str) -> Iterator[tuple[str, str]]:
    target = ends.replace("2", "").split("-")[1]
    for above in UPSTREAM:
        for below in BELOW:
            is_lacking = target == "tidb" and "ucs2" in below
            is_wanted = kind == (BELOW[below] if BELOW[below] in ("text", "bytes") else "") and not is_lacking
            if is_wanted and _fits(above, below) and not inexact(_column(above), _column(below), target):
                yield above, below


def _read(place: int, above: str, below: str) -> str:
    is_bytes = _column(above).base_type in _AS_BYTES
    return ("HEX({c})" if is_bytes else READ[BELOW[below]]).format(c=f"c{place}")


@pytest.mark.parametrize("streams", [True, False], ids=["load", "insert"])
@pytest.mark.parametrize("kind", ["text", "bytes", ""], ids=["texts", "bytes", "others"])
@pytest.mark.parametrize("ends", ENDS)
def test_values_arrive_in_columns_of_other_types(
    ends: str, kind: str, streams: bool, request: pytest.FixtureRequest
) -> None:
    source, target = (request.getfixturevalue(end) for end in ends.split("-"))
    pairs = list(_pairs(ends, kind))
    chunk = OneChunk(source, target, "unlike_types", streams=streams)
    create, there = (
        ", ".join(["id INT PRIMARY KEY", *(f"c{place} {pair[end]}" for place, pair in enumerate(pairs))])
        for end in (0, 1)
    )
    values = [[UPSTREAM[above][row] for above, _ in pairs] for row in range(4)]
    rows = [f"({row}, {', '.join(one)})" for row, one in enumerate([*values, ["NULL"] * len(pairs)])]
    chunk.fill(create, *rows, at=there)
    assert chunk.copy().error is None
    shown = ", ".join(_read(place, *pair) for place, pair in enumerate(pairs))
    found, wanted = (
        query(server, f"SELECT {shown} FROM t ORDER BY id", schema)
        for server, schema in ((target, chunk.target_schema), (source, chunk.schema))
    )
    differing = {
        f"{above} -> {below}": (have[place], want[place])
        for have, want in zip(found, wanted, strict=True)
        for place, (above, below) in enumerate(pairs)
        if have[place] != want[place]
    }
    assert differing == {}


@pytest.mark.parametrize("streams", [True, False], ids=["load", "insert"])
@pytest.mark.parametrize("kind", ["tidb", "mariadb2", "mysql"])
def test_bits_whose_bytes_are_digits_are_numbers(
    kind: str, streams: bool, mysql: RunningServer, request: pytest.FixtureRequest
) -> None:
    """Where no other value misfits, LOAD DATA stays, which takes `x'35'` for the number 5, and 5 for the bits of '5'."""
    chunk = OneChunk(mysql, request.getfixturevalue(kind), "unlike_digits", streams=streams)
    types = ("INT", "BIT(8)"), ("BIT(8)", "INT"), ("BIT(16)", "DECIMAL(9,2)"), ("BIT(16)", "DOUBLE"), ("INT", "BIT(20)")
    create, there = (
        ", ".join(["id INT PRIMARY KEY", *(f"c{place} {pair[end]}" for place, pair in enumerate(types))])
        for end in (0, 1)
    )
    chunk.fill(create, "(1, 5, 53, 12594, 12594, 57)", "(2, 9, 57, 14649, 13625, 48)", at=there)
    assert chunk.copy().error is None
    shown = "SELECT c0 + 0, c1 + 0, c2 + 0, c3 + 0, c4 + 0 FROM t ORDER BY id"
    found = query(chunk.target, shown, chunk.target_schema)
    assert [tuple(map(int, row)) for row in found] == [(5, 53, 12594, 12594, 57), (9, 57, 14649, 13625, 48)]


@pytest.mark.parametrize("streams", [True, False], ids=["load", "insert"])
@pytest.mark.parametrize("kind", ["tidb", "mariadb2", "mysql"])
def test_a_negative_number_is_no_bits(
    kind: str, streams: bool, mariadb: RunningServer, request: pytest.FixtureRequest
) -> None:
    chunk = OneChunk(mariadb, request.getfixturevalue(kind), "unlike_bits", streams=streams)
    chunk.fill("id INT PRIMARY KEY, v INT", "(1, 5)", "(2, -1)", at="id INT PRIMARY KEY, v BIT(40)")
    done = chunk.copy()
    assert done.error is not None
    assert "v" in done.error.message
