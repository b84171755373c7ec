"""`verify: checksum`: equal rows compare equal in every type, and a changed value in any of them is found."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from dm_worker.dumper.chunks import WHOLE
from dm_worker.loader.compared_tables import plan_compared
from dm_worker.loader.comparer import CHECKSUM_DIFFERS, HAD_ROWS, Comparer
from pkg.adapters.mysql.connection import Connection, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import structure_of
from pkg.errors import DMError
from pkg.rules.column_rules import TableColumnRules
from pkg.task.blocks import DumpConfig, LoadConfig
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.full.one_chunk import OneChunk, linked, options
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.full.transfers import full
from tests.cases.sync.pair import until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("ends")

EVERY_BYTE = "".join(f"{byte:02X}" for byte in range(256))


@dataclass(frozen=True)
class Sample:
    """A column: values that must compare equal, and one that the first row must not be taken for."""

    kind: str
    values: tuple[str, str]
    changed: str
    target: str = ""  # its type in the target, where that is another one


SAMPLES = {
    "t": Sample("TINYINT", ("-128", "127"), "-127"),
    "flag": Sample("BOOLEAN", ("1", "0"), "0"),
    "bu": Sample("BIGINT UNSIGNED NOT NULL", ("18446744073709551615", "0"), "18446744073709551614"),
    "z": Sample("INT(6) UNSIGNED ZEROFILL", ("42", "999999"), "43", "INT UNSIGNED"),
    "wider": Sample("INT", ("-7", "2147483647"), "-8", "BIGINT"),
    "y": Sample("YEAR", ("1901", "0"), "1902"),
    "bits": Sample("BIT(13)", ("b'1010101010101'", "b'0'"), "b'1010101010100'"),
    "many": Sample("BIT(64)", ("x'FFFFFFFFFFFFFFFF'", "b'1'"), "x'7FFFFFFFFFFFFFFF'"),
    "d": Sample(
        "DECIMAL(65,30)",
        ("-12345678901234567890123456789012345.123456789012345678901234567890", "0"),
        "-12345678901234567890123456789012345.123456789012345678901234567891",
    ),
    "d2": Sample("DECIMAL(12,2)", ("0.10", "-99.99"), "0.11", "DECIMAL(14,4)"),
    "d3": Sample("DECIMAL(12,2)", ("5.00", "7"), "6", "BIGINT"),
    "f": Sample("FLOAT", ("0.1", "3.4028234e38"), "0.1001"),
    "f1": Sample("FLOAT", ("1.17549435e-38", "16777217"), "1.1754945e-38", "DOUBLE"),
    "f2": Sample("FLOAT(10,3)", ("1234.567", "-0.001"), "1234.568"),
    "g": Sample("DOUBLE", ("1.7976931348623157e308", "-2.2250738585072014e-305"), "1.7976931348623155e308"),
    "g3": Sample("DOUBLE(12,3)", ("123456.789", "-0.001"), "123456.788", "DOUBLE"),
    "g1": Sample("DOUBLE", ("123456789.123456789", "1e20"), "123456789.12345680"),
    "g2": Sample("DOUBLE", ("1e-15", "-0.0"), "1.0000000000000002e-15"),
    "c": Sample("CHAR(10) CHARACTER SET latin1", ("'äöü'", "''"), "'äöu'"),
    "v": Sample("VARCHAR(50) CHARACTER SET latin1", ("'a  '", "'€'"), "'a '", "VARCHAR(50) CHARACTER SET utf8mb4"),
    "cyrillic": Sample("VARCHAR(50) CHARACTER SET cp1251", ("'Привет'", "''"), "'привет'", "TEXT CHARACTER SET utf8mb4"),
    "gbk": Sample("VARCHAR(50) CHARACTER SET gbk", ("'中文'", "' '"), "'中'"),
    "ucs": Sample("VARCHAR(50) CHARACTER SET ucs2", ("'ß漢'", "''"), "'ss漢'", "TEXT CHARACTER SET utf8mb4"),
    "wide": Sample("LONGTEXT CHARACTER SET utf8mb4", ("'🦆 \\0 \\n \\\\ #N'", "REPEAT('x', 100000)"), "'🦆'"),
    "size": Sample("ENUM('klein','größer') CHARACTER SET utf8mb4", ("'größer'", "'klein'"), "'klein'"),
    "more": Sample("ENUM('a','b')", ("'b'", "'a'"), "'a'", "ENUM('c','b','a')"),
    "tags": Sample("SET('a','bß','c d') CHARACTER SET utf8mb4", ("'a,bß'", "''"), "'a'"),
    "b": Sample("BINARY(4)", ("x'00FF5C27'", "''"), "x'00FF5C28'"),
    "vb": Sample("VARBINARY(300)", (f"x'{EVERY_BYTE}'", "''"), f"x'{EVERY_BYTE[:-2]}'"),
    "blob_": Sample("LONGBLOB", (f"REPEAT(x'{EVERY_BYTE}', 1000)", "x'00'"), "x'00'"),
    "day": Sample("DATE", ("'2024-02-29'", "'0000-00-00'"), "'2024-02-28'"),
    "day_of": Sample("DATE", ("'2024-02-29'", "'1000-01-01'"), "'2024-02-29 00:00:01'", "DATETIME"),
    "hours": Sample("TIME", ("'-838:59:59'", "'00:00:00'"), "'838:59:59'"),
    "hours6": Sample("TIME(6)", ("'-00:00:00.000001'", "'838:59:58.999999'"), "'00:00:00.000001'"),
    "at": Sample("DATETIME", ("'9999-12-31 23:59:59'", "'0000-00-00 00:00:00'"), "'9999-12-31 23:59:58'"),
    "at3": Sample("DATETIME(3)", ("'2024-02-29 12:34:56.789'", "'1000-01-01'"), "'2024-02-29 12:34:56.7891'", "DATETIME(6)"),
    "instant": Sample("TIMESTAMP NULL", ("'2024-03-31 02:30:00'", "'2038-01-19 03:14:07'"), "'2024-03-31 03:30:00'"),
    "instant3": Sample("TIMESTAMP(3) NULL", ("'2024-10-27 02:30:00.5'", "'1970-01-01 00:00:01'"), "'2024-10-27 02:30:00.501'"),
    "doc": Sample("JSON", ('\'{"b": 1.5, "aa": [1, 2]}\'', "'[]'"), '\'{"b": 1.5, "aa": [1, 2], "c": 3}\''),
}  # fmt: skip
MYSQL_ONLY = {"vec": Sample("VECTOR(3)", ("x'0000803f0000803f0000803f'", "x'cdcccc3d0000803f00000000'"), "NULL")}
SHAPES = {"p": Sample("POINT", ("ST_GeomFromText('POINT(1 2)')",) * 2, "ST_GeomFromText('POINT(1 3)')")}
NAMED = {
    "u": Sample("UUID", ("'123e4567-e89b-12d3-a456-426614174000'",) * 2, "'123e4567-e89b-12d3-a456-426614174001'"),
    "ip": Sample("INET6", ("'2001:db8::ff00:42:8329'", "'::1'"), "'2001:db8::1'"),
}


class Compared(OneChunk):
    """A chunk that is compared, and afterwards once more after changes of the target."""

    def planned(self) -> None:
        copy = self.job.tables[0]
        with linked(self.source) as upstream, linked(self.target) as downstream:
            here = structure_of(upstream, copy.schema, copy.name)
            there = structure_of(downstream, copy.target_schema, copy.target_table)
            assert here is not None
            assert there is not None
            flavors = Server.probe(upstream).flavor, Server.probe(downstream).flavor
            self.compared, self.notes = plan_compared(copy, here, there, TableColumnRules(), flavors, is_cut=False)
        self.job = replace(self.job, compared=(self.compared,))

    def differing(self, change: str) -> DMError | None:
        """What is found after ``change``, which is taken back."""
        with self._ends() as (reader, downstream):
            comparer = Comparer(self.job.tables[0], self.compared, WHOLE, downstream)
            downstream.begin()
            downstream.query(change)
            found = comparer.compare(reader)
            explained = None if found is None else comparer.explained(found, reader)
            downstream.rollback()
            return explained

    @contextmanager
    def _ends(self) -> Iterator[tuple[Connection, Connection]]:
        job = self.job
        with (
            closing(connect(options(self.source), side="upstream", session=job.upstream_session)) as reader,
            closing(connect(options(self.target), side="downstream", session=job.downstream_session)) as downstream,
        ):
            yield reader, downstream


@pytest.fixture(params=["mariadb-tidb", "mysql-tidb", "mariadb-mariadb", "mysql-mysql", "mariadb-mysql"])
def ends(request: pytest.FixtureRequest) -> tuple[RunningServer, RunningServer]:
    source, target = request.param.split("-")
    names = {"mariadb": "mariadb2", "tidb": "tidb", "mysql": "mysql"}
    return request.getfixturevalue(source), request.getfixturevalue(names[target])


def samples_for(source: RunningServer, target: RunningServer) -> dict[str, Sample]:
    samples = dict(SAMPLES)
    if source.kind == "mysql":
        samples |= MYSQL_ONLY
    if target.kind != "tidb":
        samples |= SHAPES
    if source.kind == target.kind == "mariadb":
        samples |= NAMED
    return samples


def columns_of(samples: dict[str, Sample], *, in_target: bool = False) -> str:
    kinds = (f"{name} {one.target if in_target and one.target else one.kind}" for name, one in samples.items())
    return ", ".join(["id INT PRIMARY KEY", *kinds])


def test_every_type_compares_equal_and_a_changed_value_is_found(ends: tuple[RunningServer, RunningServer]) -> None:
    samples = samples_for(*ends)
    chunk = Compared(*ends, "verify_types")
    rows = [", ".join(one.values[number] for one in samples.values()) for number in (0, 1)]
    nulls = ", ".join(one.values[1] if "NOT NULL" in one.kind else "NULL" for one in samples.values())
    texts = [f"({number}, {row})" for number, row in enumerate([*rows, nulls], 1)]
    chunk.fill(columns_of(samples), *texts, at=columns_of(samples, in_target=True))
    chunk.planned()
    done = chunk.copy()
    assert (done.error, done.is_compared, done.note) == (None, True, "")
    missed = {}
    for name, one in samples.items():
        found = chunk.differing(f"UPDATE {chunk.target_schema}.t SET `{name}` = {one.changed} WHERE id = 1")
        if found is None or f"`id`=1 (`{name}`)" not in found.message:
            missed[name] = found and found.message
    assert not missed
    by_shape = {note.split("`")[1] for note in chunk.notes}
    assert by_shape == {
        "mariadb-tidb": {"doc"}, "mysql-tidb": {"doc", "vec"}, "mariadb-mysql": {"doc"}
    }.get(f"{ends[0].kind}-{ends[1].kind}", set())  # fmt: skip


def test_floats_of_any_size_compare_equal(ends: tuple[RunningServer, RunningServer]) -> None:
    chance = random.Random(7)
    chunk = Compared(*ends, "verify_floats")
    rows = []
    for number in range(400):
        double = struct.unpack("<d", struct.pack("<Q", chance.getrandbits(64)))[0]
        single = struct.unpack("<f", struct.pack("<I", chance.getrandbits(32)))[0]
        small = chance.uniform(-1, 1) * 10.0 ** chance.randint(-20, 20)
        values = (double, single, small, round(small, 2))
        rows.append(f"({number}, {', '.join(repr(one) if math.isfinite(one) else 'NULL' for one in values)})")
    chunk.fill("id INT PRIMARY KEY, g DOUBLE, f FLOAT, h DOUBLE, i DOUBLE", *rows)
    chunk.planned()
    done = chunk.copy()
    assert (done.error, done.is_compared) == (None, True)
    found = chunk.differing(f"UPDATE {chunk.target_schema}.t SET h = h * 1.0000000000000002 WHERE id = 200")
    assert found is not None
    assert "`id`=200 (`h`)" in found.message


def test_null_is_no_empty_value(ends: tuple[RunningServer, RunningServer]) -> None:
    chunk = Compared(*ends, "verify_nulls")
    samples = {"a": "VARCHAR(10)", "b": "VARBINARY(10)", "n": "INT", "d": "DECIMAL(5,2)", "g": "DOUBLE"}
    columns = ", ".join(["id INT PRIMARY KEY", *(f"{name} {kind}" for name, kind in samples.items())])
    chunk.fill(columns, "(1, NULL, NULL, NULL, NULL, NULL)", "(2, '', '', 0, 0, 0)")
    chunk.planned()
    assert chunk.copy().is_compared
    for name, empty in zip(samples, ("''", "''", "0", "0", "0"), strict=True):
        for value, row in ((empty, 1), ("NULL", 2)):
            found = chunk.differing(f"UPDATE {chunk.target_schema}.t SET {name} = {value} WHERE id = {row}")
            assert found is not None
            assert f"`id`={row} (`{name}`)" in found.message


def test_rows_that_are_missing_or_too_many_are_named(mariadb: RunningServer, tidb: RunningServer) -> None:
    chunk = Compared(mariadb, tidb, "verify_rows")
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(10)", *(f"({n}, 'v{n}')" for n in range(9)))
    chunk.planned()
    assert chunk.copy().is_compared
    missing = chunk.differing(f"DELETE FROM {chunk.target_schema}.t WHERE id = 4")
    assert missing is not None
    assert "9 rows with" in missing.message
    assert "8 with" in missing.message
    assert "`id`=4 is missing downstream" in missing.message
    extra = chunk.differing(f"INSERT INTO {chunk.target_schema}.t VALUES (77, 'x')")
    assert extra is not None
    assert "`id`=77 is downstream alone" in extra.message
    swapped = chunk.differing(f"UPDATE {chunk.target_schema}.t SET v = IF(id = 2, 'v3', 'v2') WHERE id IN (2, 3)")
    assert swapped is not None
    assert "`id`=2 (`v`); `id`=3 (`v`)" in swapped.message


def test_a_range_that_had_rows_is_not_compared(mariadb: RunningServer, tidb: RunningServer) -> None:
    chunk = Compared(mariadb, tidb, "verify_before")
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(10)", "(1, 'a')", "(2, 'b')")
    chunk.planned()
    execute(tidb, f"INSERT INTO {chunk.target_schema}.t VALUES (9, 'theirs')")
    done = chunk.copy()
    assert (done.error, done.is_compared, done.note) == (None, False, HAD_ROWS)
    assert query(tidb, f"SELECT COUNT(*) FROM {chunk.target_schema}.t") == [(3,)]


@pytest.mark.parametrize("streams", [True, False])
def test_what_a_target_changes_is_an_error_and_nothing_of_it_stays(
    mariadb: RunningServer, mariadb2: RunningServer, streams: bool
) -> None:
    chunk = Compared(mariadb, mariadb2, "verify_trigger", streams=streams)
    chunk.fill("id INT PRIMARY KEY, v VARCHAR(10)", "(1, 'a')", "(2, 'b')")
    chunk.planned()
    trigger = f"CREATE TRIGGER {chunk.target_schema}.upper BEFORE INSERT ON {chunk.target_schema}.t FOR EACH ROW "
    execute(mariadb2, f"{trigger} SET NEW.v = IF(NEW.id = 2, 'B', NEW.v)")
    done = chunk.copy()
    assert done.error is not None
    assert done.error.is_a(CHECKSUM_DIFFERS)
    assert not done.error.resumable
    assert "all rows: 2 rows with" in done.error.message
    assert "`id`=2 (`v`)" in done.error.message
    assert query(mariadb2, f"SELECT COUNT(*) FROM {chunk.target_schema}.t") == [(0,)]
    execute(mariadb2, f"DROP TRIGGER {chunk.target_schema}.upper")
    assert chunk.copy().is_compared


def _numbers(schema: str, source: RunningServer, target: RunningServer, *more: str) -> None:
    create = "CREATE TABLE t (id INT PRIMARY KEY, g DOUBLE NOT NULL, name VARCHAR(20) CHARACTER SET latin1)"
    fresh(source, target, schema, create, f"INSERT INTO t SELECT n, n / 7, CONCAT('ä', n) FROM ({THOUSAND}) t", *more)


def _chunks(server: RunningServer, schema: str) -> dict[str, tuple[int, int]]:
    """Of each table the chunks that are compared, and those that are only copied; how many depends on statistics."""
    sums = "SUM(done = 2), SUM(done = 1)"
    sql = f"SELECT table_name, {sums} FROM {schema}_meta.{schema}_sparkdm_chunk GROUP BY table_name"
    return {str(name): (int(compared), int(copied)) for name, compared, copied in query(server, sql)}


def test_a_value_that_the_target_changes_pauses_with_its_range_and_resumes(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    """By a trigger that was not there when the table was looked at."""
    schema, gate = "verify_changed", tmp_path / "gate"
    gate.touch()
    _numbers(schema, mariadb, mariadb2)
    execute(mariadb2, f"CREATE DATABASE {schema}")
    execute(mariadb2, f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, g DOUBLE NOT NULL, name VARCHAR(20))")
    config = subtask(
        mariadb, mariadb2, schema, dump=DumpConfig(rows=250, consistency="none"), load=LoadConfig(verify="checksum")
    )
    process = start(config, crashpoints=f"loader.plan_stored=hold:{gate}")
    try:
        until(lambda: "plan_stored" in gate.read_text(), "the plan is stored")
        trigger = f"CREATE TRIGGER {schema}.other BEFORE INSERT ON {schema}.t FOR EACH ROW "
        execute(mariadb2, f"{trigger} SET NEW.g = IF(NEW.id = 700, 0, NEW.g)")
    finally:
        gate.unlink()
        ended = outcome(process)
    assert (ended["exit"], ended.get("code")) == (1, CHECKSUM_DIFFERS.code), ended["log"]
    assert "rows with `id` " in ended["text"]
    assert "(`g`)" in ended["text"]
    execute(mariadb2, f"DROP TRIGGER {schema}.other")
    ended = outcome(start(config, bind_epoch=2))
    assert ended["exit"] == 0, ended["log"]
    (compared, copied) = _chunks(mariadb2, schema)["t"]
    assert (compared > 1, copied) == (True, 0)
    assert ended["verify"] == {"comparedChunks": compared, "notCompared": []}


def test_a_consistent_copy_compares_by_default_also_keyless_and_in_spark(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    schema = "verify_consistent"
    _numbers(
        schema, mariadb, tidb,
        "CREATE TABLE log (a INT, b VARCHAR(20))", f"INSERT INTO log SELECT n % 10, 'same' FROM ({THOUSAND}) t",
        "CREATE TABLE aria (id INT PRIMARY KEY) ENGINE = Aria", "INSERT INTO aria VALUES (1), (2)",
    )  # fmt: skip
    ended = migrate(full(mariadb, tidb, schema))
    found = _chunks(tidb, schema)
    compared = sum(one[0] for one in found.values())
    assert {name for name, one in found.items() if one[0] and not one[1]} == {"t", "log", "aria"}
    assert ended["verify"] == {"comparedChunks": compared, "notCompared": []}
    assert f'"comparedChunks": {compared}' in ended["log"]  # the summary


def test_a_lock_free_copy_compares_when_asked(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "verify_free"
    _numbers(
        schema, mariadb, tidb,
        "CREATE TABLE log (a INT, b VARCHAR(20))", "INSERT INTO log VALUES (1, 'a'), (1, 'a'), (2, NULL)",
        "CREATE TABLE aria (id INT PRIMARY KEY) ENGINE = Aria", "INSERT INTO aria VALUES (1), (2)",
        "CREATE TABLE words (w VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german2_ci PRIMARY KEY)",
        f"INSERT INTO words SELECT CONCAT('w', n) FROM ({THOUSAND}) t",
    )  # fmt: skip
    ended = migrate(subtask(mariadb, tidb, schema, dump=DumpConfig(rows=250), load=LoadConfig(verify="checksum")))
    found = _chunks(tidb, schema)
    notes = ended["verify"]["notCompared"]
    assert {name for name, one in found.items() if one[0] and not one[1]} == {"t", "log"}
    assert {name for name, one in found.items() if one[1] and not one[0]} == {"aria", "words"}
    assert ended["verify"]["comparedChunks"] == found["t"][0] + 1
    assert [note.partition(":")[0] for note in notes] == [f"{schema}.aria", f"{schema}.words"]


def test_merged_tables_are_compared_where_the_route_tells_them_apart(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    schema = "verify_merged"
    tables = [
        statement
        for n in (1, 2)
        for statement in (
            f"CREATE TABLE o{n} (id INT PRIMARY KEY, v VARCHAR(10))",
            f"INSERT INTO o{n} SELECT n + {n * 1000}, 'v' FROM ({THOUSAND}) t",
            f"CREATE TABLE p{n} (id INT PRIMARY KEY, v VARCHAR(10))",
            f"INSERT INTO p{n} SELECT n + {n * 1000}, 'v' FROM ({THOUSAND}) t",
            f"CREATE TABLE q{n} (id INT PRIMARY KEY, v VARCHAR(10))",
            f"INSERT INTO q{n} VALUES ({n}, 'v')",
        )
    ]
    fresh(mariadb, tidb, schema, *tables)
    execute(tidb, f"CREATE DATABASE {schema}")
    execute(tidb, f"CREATE TABLE {schema}.o (id INT PRIMARY KEY, v VARCHAR(10), c VARCHAR(255) NOT NULL)")
    execute(tidb, f"CREATE TABLE {schema}.q (id INT PRIMARY KEY, v VARCHAR(10), n INT NOT NULL)")
    extract = {"extract-table": {"table-regexp": "(.*)", "target-column": "c"}}
    number = {"extract-table": {"table-regexp": "q(.*)", "target-column": "n"}}
    routes = [
        {"schema-pattern": schema, "table-pattern": f"{name}*", "target-schema": schema, "target-table": name, **more}
        for name, more in (("o", extract), ("p", {}), ("q", number))
    ]
    load = LoadConfig(verify="checksum")
    ended = migrate(subtask(mariadb, tidb, schema, dump=DumpConfig(rows=500), load=load, routes=routes))
    found = _chunks(tidb, schema)
    assert {name for name, one in found.items() if one[0]} == {"o1", "o2", "q1", "q2"}
    assert ended["verify"]["comparedChunks"] == sum(found[name][0] for name in ("o1", "o2", "q1", "q2"))
    assert [note.partition(":")[0] for note in ended["verify"]["notCompared"]] == [f"{schema}.p1", f"{schema}.p2"]
    assert query(tidb, f"SELECT COUNT(*), COUNT(DISTINCT c) FROM {schema}.o") == [(2000, 2)]
    assert query(tidb, f"SELECT id, n FROM {schema}.q ORDER BY id") == [(1, 1), (2, 2)]
