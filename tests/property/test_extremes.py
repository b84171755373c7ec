"""The widest, longest, deepest and oldest that servers have, read back from their binlogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pkg.binlog.rare_values import quote_text
from tests.property.test_binlog_round_trip import Mirror
from tests.servers import RunningServer

pytestmark = pytest.mark.servers  # asked for by name, so that conftest.py cannot see it


@pytest.fixture(params=["mariadb", "mysql"])
def mirror(request: pytest.FixtureRequest) -> Iterator[Mirror]:
    made = Mirror(request.getfixturevalue(request.param))
    yield made
    made.connection.close()


def test_a_table_of_many_columns(mirror: Mirror) -> None:
    count = 4096 if mirror.server.gtid_flavor == "mysql" else 2400  # what the engine of each takes
    columns = ", ".join(f"c{place} TINYINT" for place in range(count))
    mirror.cursor.execute(f"CREATE TABLE mirror.source ({columns}) ENGINE = MyISAM")
    start = mirror.location()
    values = [str(place % 100) if place % 3 else "NULL" for place in range(count)]
    mirror.cursor.execute(f"INSERT INTO mirror.source VALUES ({', '.join(values)})")
    mirror.cursor.execute("UPDATE mirror.source SET c0 = 1")
    images = mirror.decoded("source", start, 3)
    expected = tuple(value.encode() for value in values)
    assert images == [expected, expected, (b"1", *expected[1:])]


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_blobs_of_each_length_that_is_written_in_more_bytes(
    kind: str, server_factory: Callable[..., RunningServer]
) -> None:
    mirror = Mirror(server_factory(kind, options=["--max-allowed-packet=64M"]))
    mirror.cursor.execute(
        "CREATE TABLE mirror.source (id INT PRIMARY KEY, t TINYBLOB, b BLOB, m MEDIUMBLOB, l LONGBLOB, x LONGTEXT)"
    )
    sizes = [
        (0, 0, 0, 0),
        (255, 255, 255, 255),
        (1, 256, 256, 256),
        (1, 65535, 65536, 65536),
        (1, 1, (1 << 24) - 1, (1 << 24) + 1),
    ]
    for number, (tiny, blob, medium, long) in enumerate(sizes):
        start = mirror.location()
        mirror.cursor.execute(
            f"INSERT INTO mirror.source VALUES ({number}, REPEAT('a', {tiny}), REPEAT('b', {blob}), "
            f"REPEAT('c', {medium}), REPEAT('d', {long}), REPEAT('e', {long}))"
        )
        [image] = mirror.decoded("source", start, 1)
        raw = zip((b"61", b"62", b"63", b"64"), (tiny, blob, medium, long), strict=True)
        assert image[1:5] == tuple(b"x'" + digits * size + b"'" if size else b"''" for digits, size in raw)
        assert image[5] == b"'" + b"e" * long + b"'"
    mirror.connection.close()


def test_the_deepest_json(mirror: Mirror) -> None:
    mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, j JSON)")
    depth = 99 if mirror.server.gtid_flavor == "mysql" else 30  # both with the value in it
    for opening, closing in (("[", "]"), ('{"a": ', "}")):
        text = opening * depth + "1" + closing * depth
        start = mirror.location()
        mirror.cursor.execute(f"REPLACE INTO mirror.source VALUES (1, '{text}')")
        assert mirror.decoded("source", start, 1)[-1] == (b"1", quote_text(text.encode()))
        mirror.cursor.execute("DELETE FROM mirror.source")


def test_large_json_has_offsets_of_four_bytes(mirror: Mirror) -> None:
    mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, j JSON)")
    text = '{"a": [1, -40000, 70000, {"b": "' + "x" * 70_000 + '"}], "c": null}'
    start = mirror.location()
    mirror.cursor.execute(f"INSERT INTO mirror.source VALUES (1, '{text}')")
    assert mirror.decoded("source", start, 1) == [(b"1", quote_text(text.encode()))]


def test_times_in_marias_old_formats(mariadb: RunningServer) -> None:
    mirror = Mirror(mariadb)
    types = [f"{base}({digits}) NULL" for digits in range(7) for base in ("TIME", "DATETIME", "TIMESTAMP")]
    columns = ", ".join(f"c{place} {type_}" for place, type_ in enumerate(types))
    rows = [
        ("-838:59:58.123456", "2024-02-29 23:58:57.123456", "2038-01-19 03:14:06.987654"),
        ("838:59:59.999999", "9999-12-31 23:59:59.999999", "1970-01-01 00:00:01.000001"),
        ("-00:00:00.500000", "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
        ("00:00:00.000001", "0000-01-00 00:00:00.1", "2001-09-09 01:46:40.000010"),
    ]
    with mirror.connection:
        mirror.cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES'")
        mirror.cursor.execute("SET GLOBAL mysql56_temporal_format = OFF")
        mirror.cursor.execute(f"CREATE TABLE mirror.source ({columns})")
        mirror.cursor.execute("SET GLOBAL mysql56_temporal_format = ON")
        start = mirror.location()
        for row in rows:
            mirror.cursor.execute(
                "INSERT INTO mirror.source VALUES (" + ", ".join(f"'{text}'" for text in row * 7) + ")"
            )
        images = mirror.decoded("source", start, len(rows))
        texts = ", ".join(f"CAST(c{place} AS CHAR)" for place in range(len(types)))
        mirror.cursor.execute(f"SELECT {texts} FROM mirror.source")
        assert images == [tuple(f"'{text}'".encode() for text in row) for row in mirror.cursor.fetchall()]
