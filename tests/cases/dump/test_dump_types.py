"""Every type goes through files with its exact value, read by other programs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dm_worker.loader.misfit import TWO_EMPTY_VALUES
from tests.cases.dump.dumping import dump_task, load_by_client
from tests.cases.full.migration import contents, execute, migrate, outcome, query, start
from tests.cases.full.test_types import BYTES, EVERY_BYTE, NUMBER_ROWS, NUMBERS, TEXT_ROWS, TEXTS, TIME_ROWS, TIMES
from tests.programs import program
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("source")

_ROWS = (
    *(f"INSERT INTO texts VALUES {row}" for row in TEXT_ROWS),
    *(f"INSERT INTO times VALUES {row}" for row in TIME_ROWS),
    f"INSERT INTO bytes VALUES (x'00010203', x'{EVERY_BYTE}', x'{EVERY_BYTE}', x'{EVERY_BYTE}', POINT(1, -2.5))",
    "INSERT INTO bytes VALUES (x'FF000000', '', '', NULL, NULL)",
)
_COLUMNS = "(t, tu, s, m, b, bu, z, d, d2, f, f2, g, y, flag, bits, many)"
_TABLES = ("numbers", "texts", "bytes", "times", "other", "own")
_OTHER = """CREATE TABLE other (
    id INT PRIMARY KEY, doc JSON, twice INT GENERATED ALWAYS AS (id * 2) STORED, `od;d\n name` TEXT,
    label ENUM('?', '😀', 'x😀?') CHARACTER SET utf8mb4 NOT NULL DEFAULT '😀',
    KEY (twice)) PARTITION BY HASH (id) PARTITIONS 3"""


_OWN = {  # what one flavour has and the other has not
    "mariadb": (
        "CREATE TABLE own (id UUID PRIMARY KEY, a INET6, b INET4, g GEOMETRYCOLLECTION)",
        "INSERT INTO own VALUES (UUID(), '::1', '10.0.0.1', ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))'))",
    ),
    "mysql": (
        "CREATE TABLE own (id INT PRIMARY KEY, a VECTOR(3), g POLYGON SRID 4326, d JSON DEFAULT (JSON_ARRAY()))",
        "INSERT INTO own VALUES (1, STRING_TO_VECTOR('[1.5, -0, 3e38]'), "
        "ST_GeomFromText('POLYGON((0 0, 0 1, 1 1, 0 0))', 4326), '[1.0, 18446744073709551615]')",
    ),
}


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    execute(server, "DROP DATABASE IF EXISTS dumped", "CREATE DATABASE dumped CHARACTER SET latin1")
    execute(server, "SET time_zone = '+00:00'", NUMBERS, TEXTS, BYTES, TIMES, _OTHER, *_ROWS, database="dumped")
    execute(server, *(f"INSERT INTO numbers {_COLUMNS} VALUES {row}" for row in NUMBER_ROWS), database="dumped")
    odd = "INSERT INTO other (id, doc, `od;d\n name`) VALUES"
    execute(server, f"""{odd} (0, '{{"a": [1, "ü;\\\\n"]}}', ';\n--'), (7, NULL, NULL)""", database="dumped")
    execute(server, *_OWN[server.kind], database="dumped")
    return server


def _load_by_myloader(target: RunningServer, folder: Path, schema: str) -> None:
    execute(target, f"DROP DATABASE {schema}")
    command = [
        program("myloader"),
        "-h",
        target.host,
        "-P",
        str(target.port),
        "-u",
        "root",
        "-d",
        str(folder),
        "-v",
        "3",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("load", "compress"), [(load_by_client, "none"), (load_by_client, "zstd"), (_load_by_myloader, "none")]
)
def test_others_load_what_was_there(
    source: RunningServer, load: Callable[[RunningServer, Path, str], None], compress: str, tmp_path: Path
) -> None:
    migrate(dump_task(source, "dumped", tmp_path / "d", compress=compress))
    before = {table: _contents(source, table) for table in _TABLES}
    load(source, tmp_path / "d", "dumped")
    assert {table: _contents(source, table) for table in _TABLES} == before


def _contents(server: RunningServer, table: str) -> object:
    if table != "own":
        return contents(server, "dumped", table)
    return query(server, "SELECT HEX(id), HEX(a), HEX(ST_AsBinary(g)) FROM own", "dumped")


def test_a_row_that_no_text_says_is_shown(mariadb: RunningServer, tmp_path: Path) -> None:
    """The error is that of a full migration, and not what the SELECT ends in."""
    execute(mariadb, "DROP DATABASE IF EXISTS dump_empty", "CREATE DATABASE dump_empty")
    table = "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('', 'b'))"
    execute(mariadb, "SET sql_mode = ''", table, "INSERT INTO t VALUES (1, 'b'), (7, 'none')", database="dump_empty")
    ended = outcome(start(dump_task(mariadb, "dump_empty", tmp_path / "d")))
    assert (ended["exit"], ended["code"]) == (1, TWO_EMPTY_VALUES.code)
    assert "id=7" in ended["text"]
