"""Chunks of keys of every type on real servers: all rows, once each, and no pass over the index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from dm_worker.dumper.chunks import Range, TableSize
from dm_worker.dumper.copy_plan import TableCopy, plan_copy
from dm_worker.dumper.cutting import plan_ranges
from dm_worker.dumper.key_probe import IndexProbe
from dm_worker.loader.split import TIMES, cut_of
from pkg.adapters.mysql.connection import Connection, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import structure_of
from tests.cases.full.migration import execute
from tests.cases.full.one_chunk import options
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

ROWS, TARGET = 50_000, 1_000
_DIGIT = "(SELECT 0 n" + "".join(f" UNION ALL SELECT {digit}" for digit in range(1, 10)) + ")"
_NUMBERS = (
    "SELECT a.n + b.n * 10 + c.n * 100 + d.n * 1000 + e.n * 10000 AS n "
    f"FROM {_DIGIT} a, {_DIGIT} b, {_DIGIT} c, {_DIGIT} d, {_DIGIT} e WHERE e.n < 5"
)
_UUID = "INSERT(INSERT(INSERT(INSERT(LEFT(SHA2(n, 256), 32), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-')"
_NAME = "ELT(1 + n % 9, 'anna', 'Émile', 'zoë', 'ångström', 'Übel', 'o''neil', 'a\\\\b', 'ß', 'x y')"
_EMOJI = "CONCAT(ELT(1 + n % 5, '😀', '🎉', 'Zoë', 'ZOE', 'ñandú'), ' ', n)"


@dataclass(frozen=True, slots=True)
class Keyed:
    """Columns of a key, and their values from ``n``."""

    columns: dict[str, str]
    values: tuple[str, ...]
    only: str = ""  # that kind of server

    def create(self) -> str:
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return f"({columns}, n INT NOT NULL, PRIMARY KEY ({', '.join(self.columns)}))"


def one(kind: str, value: str, only: str = "") -> Keyed:
    return Keyed({"k": kind}, (value,), only)


KEYS = {
    "uuid_text": one("CHAR(36) CHARACTER SET ascii", _UUID),
    "general_ci": one("CHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", f"CONCAT({_NAME}, n)"),
    "unicode_ci": one("VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", _EMOJI),
    "bin": one("VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", _EMOJI),
    "0900_ai_ci": one("VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", _EMOJI, "mysql"),
    "zh_0900": one(
        "VARCHAR(40) COLLATE utf8mb4_zh_0900_as_cs",
        "CONCAT(CONVERT(UNHEX(HEX(19968 + n % 5000)) USING ucs2), n)",
        "mysql",
    ),
    "cp932": one(  # two codes of one character, and texts that begin with them
        "VARCHAR(40) CHARACTER SET cp932 COLLATE cp932_bin",
        "CONCAT(CONVERT(ELT(1 + n % 4, x'878A', x'FA58', x'81E0', x'8790') USING cp932), n DIV 4)",
    ),
    "armscii8": one("CHAR(20) CHARACTER SET armscii8", "CONCAT(CONVERT(x'FF' USING armscii8), n, ' AND ''0')"),
    "utf16": one("VARCHAR(40) CHARACTER SET utf16 COLLATE utf16_unicode_ci", _EMOJI),
    "latin1": one("VARCHAR(40) CHARACTER SET latin1", f"CONCAT({_NAME}, n)"),
    "binary16": one("BINARY(16)", "UNHEX(LEFT(SHA2(n, 256), 32))"),
    "varbinary": one("VARBINARY(40)", "CONCAT(LEFT(SHA2(n, 256), 32), CHAR(n % 256))"),
    "decimal": one("DECIMAL(30,4)", "n * CAST(n AS DECIMAL(20)) * 0.0173 - 1000000"),
    "datetime": one("DATETIME(6)", "'2024-02-28 23:00:00.5' + INTERVAL n * 77777777 MICROSECOND"),
    "timestamp": one("TIMESTAMP", "FROM_UNIXTIME(1700000000 + n * 60)"),
    "date_int": Keyed({"d": "DATE", "i": "INT"}, ("'2020-01-01' + INTERVAL n % 1000 DAY", "n")),
    "time_int": Keyed({"t": "TIME", "i": "INT"}, ("SEC_TO_TIME(n % 90 * 60 - 3000)", "n")),
    "year_int": Keyed({"y": "YEAR", "i": "INT"}, ("IF(n % 50, 2024, 1990 + n % 40)", "n")),
    "int_int": Keyed({"a": "INT", "b": "INT"}, ("IF(n % 10, 2, n % 7)", "n")),
    "varchar_int": Keyed({"a": "VARCHAR(20)", "b": "INT UNSIGNED"}, (f"IF(n % 20, 'Acme', {_NAME})", "n")),
    "partial": Keyed({"a": "INT", "e": "ENUM('x','y')", "b": "INT"}, ("n % 500", "1 + n % 2", "n")),
    "uuid4": one("UUID", f"INSERT(INSERT({_UUID}, 15, 1, '4'), 20, 1, '8')", "mariadb"),
    "uuid7": one("UUID", "CONCAT(LPAD(HEX(n * 7), 8, '0'), '-0000-7000-8000-', LEFT(SHA2(n, 256), 12))", "mariadb"),
    "uuid_mixed": one("UUID", f"INSERT(INSERT({_UUID}, 15, 1, 4 + n % 4), 20, 1, '8')", "mariadb"),
    "inet6": one("INET6", "CONCAT('2001:db8::', HEX(n DIV 256), ':', HEX(n % 256))", "mariadb"),
}


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def upstream(request: pytest.FixtureRequest) -> Iterator[Connection]:
    server: RunningServer = request.getfixturevalue(request.param)
    execute(server, "DROP DATABASE IF EXISTS planning", "CREATE DATABASE planning CHARACTER SET utf8mb4")
    execute(server, "CREATE TABLE numbers (n INT PRIMARY KEY)", f"INSERT INTO numbers {_NUMBERS}", database="planning")
    with closing(connect(options(server), side="upstream")) as probe:
        session = Server.probe(probe).upstream_session()
    with closing(connect(options(server), side="upstream", session=session, database="planning")) as connection:
        yield connection
    execute(server, "DROP DATABASE planning")


def read(connection: Connection, sql: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def rows_read(connection: Connection) -> int:
    return sum(int(value) for _, value in read(connection, "SHOW SESSION STATUS LIKE 'Handler_read%'"))


def filled(connection: Connection, name: str, keyed: Keyed) -> tuple[TableCopy, IndexProbe]:
    read(connection, f"CREATE TABLE {name} {keyed.create()}")
    read(connection, f"INSERT INTO {name} SELECT {', '.join(keyed.values)}, n FROM numbers")
    read(connection, f"ANALYZE TABLE {name}")
    structure = structure_of(connection, "planning", name)
    assert structure is not None
    table = plan_copy(structure, "planning", name)
    assert table.key is not None
    return table, IndexProbe(connection, table.upstream_name, table.key)


def numbers_of(connection: Connection, table: TableCopy, chunk: Range) -> list[int]:
    selected = table.select(chunk)
    return [row[-1] for row in read(connection, selected)]


@pytest.mark.parametrize("name", KEYS)
def test_chunks_hold_every_row_once_without_a_pass_over_the_index(upstream: Connection, name: str) -> None:
    keyed = KEYS[name]
    flavor = Server.probe(upstream).flavor
    if keyed.only not in ("", flavor):
        return
    table, probe = filled(upstream, f"t_{name}", keyed)
    assert table.key is not None
    before = rows_read(upstream)
    ranges = plan_ranges(table.key, TableSize(ROWS, 100), TARGET, probe)
    read_for_it = rows_read(upstream) - before
    chunks = [numbers_of(upstream, table, one) for one in ranges]
    assert sorted(n for chunk in chunks for n in chunk) == list(range(ROWS))
    assert max(map(len, chunks)) <= 5 * TARGET
    assert len(chunks) <= 4 * ROWS / TARGET
    assert read_for_it <= ROWS / 2
    large = Range(ranges[3].upper, ranges[len(ranges) // 2].upper)
    assert cut_of(upstream, table, large, ROWS // TIMES) is None
    at = cut_of(upstream, table, large, TARGET)
    kept, rest = (numbers_of(upstream, table, one) for one in (Range(large.lower, at), Range(at, large.upper)))
    assert TARGET <= len(kept) < 2 * TARGET
    assert sorted(kept + rest) == sorted(numbers_of(upstream, table, large))
