"""Every type arrives from files with its exact value, whoever wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.dump.dumping import dump_task
from tests.cases.full.migration import assert_same, contents, execute, migrate, query
from tests.cases.full.test_types import BYTES, EVERY_BYTE, NUMBER_ROWS, NUMBERS, TEXT_ROWS, TEXTS, TIME_ROWS, TIMES
from tests.cases.load.loading import fresh, load_task, mydumper, write_dump
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("ends")

_ROWS = (
    *(f"INSERT INTO texts VALUES {row}" for row in TEXT_ROWS),
    *(f"INSERT INTO times VALUES {row}" for row in TIME_ROWS),
    f"INSERT INTO bytes VALUES (x'00010203', x'{EVERY_BYTE}', x'{EVERY_BYTE}', x'{EVERY_BYTE}', NULL)",
    "INSERT INTO bytes VALUES (x'FF000000', '', '', NULL, NULL)",
)
_COLUMNS = "(t, tu, s, m, b, bu, z, d, d2, f, f2, g, y, flag, bits, many)"
_TABLES = ("numbers", "texts", "bytes", "times", "other")
_OTHER = """CREATE TABLE other (
    id INT PRIMARY KEY, doc JSON, twice INT GENERATED ALWAYS AS (id * 2) STORED, `odd;\n name` TEXT, KEY (twice))"""
_BYTES = BYTES.replace("p POINT", "p BLOB")  # TiDB has no geometry


def _filled(server: RunningServer) -> RunningServer:
    execute(server, "DROP DATABASE IF EXISTS loaded", "CREATE DATABASE loaded CHARACTER SET latin1")
    execute(server, "SET time_zone = '+00:00'", NUMBERS, TEXTS, _BYTES, TIMES, _OTHER, *_ROWS, database="loaded")
    execute(server, *(f"INSERT INTO numbers {_COLUMNS} VALUES {row}" for row in NUMBER_ROWS), database="loaded")
    odd = "INSERT INTO other (id, doc, `odd;\n name`) VALUES"
    execute(server, f"""{odd} (0, '{{"a": [1, "ü;\\\\n"]}}', ';\n--'), (7, NULL, NULL)""", database="loaded")
    return server


@pytest.fixture(params=["mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mysql"])
def ends(request: pytest.FixtureRequest) -> tuple[RunningServer, RunningServer]:
    source, target = request.param.split("-")
    servers = request.getfixturevalue(source), request.getfixturevalue("mariadb2" if target == "mariadb" else target)
    _filled(servers[0])
    fresh(servers[1], "loaded")
    return servers


@pytest.mark.parametrize("compress", ["none", "zstd"])
def test_our_own_dump(ends: tuple[RunningServer, RunningServer], compress: str, tmp_path: Path) -> None:
    source, target = ends
    migrate(dump_task(source, "loaded", tmp_path / "d", compress=compress))
    status = migrate(load_task(target, "loaded", tmp_path / "d"))
    if (source.kind, target.kind) == ("mysql", "mariadb"):  # whose JSON is text
        assert_same(source, target, "loaded", _TABLES[:-1])
        assert_same(source, target, "loaded", ["other"], ["id", "twice", "odd;\n name"])
    else:
        assert_same(source, target, "loaded", _TABLES)
    assert status["finishedRows"] == len(NUMBER_ROWS) + len(TEXT_ROWS) + len(TIME_ROWS) + 4
    assert status["finishedBytes"] == sum(file.stat().st_size for file in (tmp_path / "d").glob("*.0000*"))
    assert (status["completedTables"], status["progress"], status["metaBinlog"][:1]) == (5, "100.00 %", "(")


@pytest.mark.parametrize("arguments", [(), ("-c", "-r", "2"), ("-s", "2000", "--less-locking")])
def test_a_dump_by_mydumper(
    mariadb: RunningServer, tidb: RunningServer, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    source, target = _filled(mariadb), tidb
    execute(source, "UPDATE numbers SET f = 0.1, f2 = 1.5", database="loaded")  # mydumper cuts FLOAT to six digits
    fresh(target, "loaded")
    mydumper(source, "loaded", tmp_path / "d", *arguments)
    migrate(load_task(target, "loaded", tmp_path / "d"))
    assert_same(source, target, "loaded", _TABLES)


def test_rows_by_statements_where_local_infile_is_off(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    source, target = _filled(mariadb), mariadb2
    fresh(target, "loaded")
    migrate(dump_task(source, "loaded", tmp_path / "d"))
    execute(target, "SET GLOBAL local_infile = 0")
    try:
        migrate(load_task(target, "loaded", tmp_path / "d"))
    finally:
        execute(target, "SET GLOBAL local_infile = 1")
    assert_same(source, target, "loaded", _TABLES)


_DUMPLING: dict[str, str | bytes] = {
    "shop-schema-create.sql": "/*!40101 SET NAMES binary*/;\nCREATE DATABASE `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;\n",
    "shop.order%2Es-schema.sql": "/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n/*!40101 SET NAMES binary*/;\n"
    "CREATE TABLE `order.s` (\n  `id` bigint(20) NOT NULL,\n  `name` varchar(20) CHARACTER SET latin1 DEFAULT NULL,\n"
    "  `raw` varbinary(20) DEFAULT NULL,\n  `bits` bit(10) DEFAULT NULL,\n  `doc` json DEFAULT NULL,\n"
    "  `twice` bigint(20) GENERATED ALWAYS AS (`id` * 2) VIRTUAL,\n  PRIMARY KEY (`id`)\n"
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;\n",
    "shop.order%2Es.0000000010000.sql": b"/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n/*!40101 SET NAMES binary*/;\n"
    b"INSERT INTO `order.s` (`id`,`name`,`raw`,`bits`,`doc`) VALUES\n"
    b"(1,'\xe4''s \\\"x\\\"\\\\',x'00ff5c27',x'0201','{\\\"a\\\": \\\"\\\\n\\\"}'),\n(2,NULL,NULL,NULL,NULL);\n"
    b"INSERT INTO `order.s` (`id`,`name`,`raw`,`bits`,`doc`) VALUES\n(3,'',x'',x'03FF','[1]');\n",
    "shop.order%2Es.0000000020000.sql": "INSERT INTO `order.s` (`id`,`raw`) VALUES\n(4,_binary 'a\\0b');\n",
}


def test_a_dump_as_dumpling_writes_it(tidb: RunningServer, tmp_path: Path) -> None:
    fresh(tidb, "shop")
    write_dump(tmp_path / "d", _DUMPLING, "Started dump at: 2026-01-02 03:04:05\nSHOW MASTER STATUS:\n\tLog: bin.000007\n"
               "\tPos: 154\n\tGTID:\n\nFinished dump at: 2026-01-02 03:05:00\n")  # fmt: skip
    status = migrate(load_task(tidb, "shop", tmp_path / "d"))
    assert status["metaBinlog"] == "(bin.000007, 154)"
    rows = query(tidb, "SELECT id, name, HEX(raw), bits + 0, doc, twice FROM `order.s` ORDER BY id", "shop")
    assert rows == [
        (1, 'ä\'s "x"\\', "00FF5C27", 513, '{"a": "\\n"}', 2),
        (2, None, None, None, None, 4),
        (3, "", "", 1023, "[1]", 6),
        (4, None, "610062", None, None, 8),
    ]


def test_extracted_columns_and_routes(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    execute(mariadb, "DROP DATABASE IF EXISTS part", "CREATE DATABASE part")
    for number in (1, 2):
        execute(mariadb, f"CREATE TABLE t_{number} (id INT PRIMARY KEY)", f"INSERT INTO t_{number} VALUES ({number})",
                database="part")  # fmt: skip
    fresh(tidb, "part")
    execute(tidb, "CREATE DATABASE part", "CREATE TABLE part.t (id INT PRIMARY KEY, origin VARCHAR(20))")
    mydumper(mariadb, "part", tmp_path / "d")
    extract = {"table-regexp": "t_(.*)", "target-column": "origin"}
    route = {"schema-pattern": "part", "table-pattern": "t_*", "target-schema": "part", "target-table": "t",
             "extract-table": extract}  # fmt: skip
    migrate(load_task(tidb, "part", tmp_path / "d", routes=[route]))
    assert query(tidb, "SELECT * FROM t ORDER BY id", "part") == [(1, "1"), (2, "2")]
    assert sum(contents(tidb, "part", "t").values()) == 2


_BITS = "id INT PRIMARY KEY, a {}, b {}, c {}, d {}"


@pytest.mark.parametrize("streams", [True, False], ids=["load", "insert"])
def test_bits_and_numbers_of_a_file_are_numbers_in_each_other(
    ends: tuple[RunningServer, RunningServer], streams: bool, tmp_path: Path
) -> None:
    source, target = ends
    fresh(source, "bits")
    fresh(target, "bits")
    above, below = ("INT", "BIT(8)", "BIT(16)", "BIT(9)"), ("BIT(16)", "INT", "DOUBLE", "BIT(12)")
    for server, types in ((source, above), (target, below)):
        execute(server, "CREATE DATABASE bits", f"CREATE TABLE bits.t ({_BITS.format(*types)})")
    rows = {(1, 5, 53, 12594, 257), (2, 49, 57, 13625, 53)}
    execute(source, *(f"INSERT INTO bits.t VALUES {row}" for row in rows))
    migrate(dump_task(source, "bits", tmp_path / "d"))
    execute(target, f"SET GLOBAL local_infile = {int(streams)}")
    try:
        migrate(load_task(target, "bits", tmp_path / "d"))
    finally:
        execute(target, "SET GLOBAL local_infile = 1")
    found = query(target, "SELECT id, a + 0, b + 0, c + 0, d + 0 FROM bits.t")
    assert {tuple(map(int, row)) for row in found} == rows
