"""Rows that servers log without all their columns are refused with the statement that mends it."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from tests.property.test_binlog_round_trip import Mirror
from tests.servers import RunningServer

pytestmark = pytest.mark.servers  # asked for by name, so that conftest.py cannot see it

CHANGES = {
    "MINIMAL": (
        "INSERT INTO mirror.source (id, n) VALUES (2, 2)",
        "UPDATE mirror.source SET n = 3 WHERE id = 1",
        "DELETE FROM mirror.source WHERE id = 1",
    ),
    "NOBLOB": ("UPDATE mirror.source SET n = 3 WHERE id = 1", "DELETE FROM mirror.source WHERE id = 1"),
}
CASES = [
    (flavor, image, change)
    for flavor, images in (("mariadb", ("MINIMAL", "NOBLOB")), ("mysql", ("MINIMAL", "NOBLOB")))
    for image in images
    for change in CHANGES[image]
]


@pytest.mark.parametrize(("flavor", "image", "change"), CASES)
def test_images_that_are_not_full_are_refused(
    flavor: str, image: str, change: str, request: pytest.FixtureRequest
) -> None:
    server: RunningServer = request.getfixturevalue(flavor)
    mirror = Mirror(server)
    with mirror.connection:
        mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, n INT, b BLOB)")
        mirror.cursor.execute("INSERT INTO mirror.source VALUES (1, 1, 'long')")
        mirror.cursor.execute(f"SET binlog_row_image = {image}")
        start = mirror.location()
        mirror.cursor.execute(change)
        with pytest.raises(DMError, match=r"rows of mirror.source at \S+:\d+ do not log all columns") as raised:
            mirror.decoded("source", start, 1)
    assert "SET GLOBAL binlog_row_image = 'FULL'" in raised.value.workaround


def test_partial_updates_of_json_need_the_document_before(mysql: RunningServer) -> None:
    mirror = Mirror(mysql)
    with mirror.connection:
        mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, n INT, j JSON)")
        mirror.cursor.execute("INSERT INTO mirror.source VALUES (1, 1, JSON_ARRAY(1, 2, REPEAT('x', 99)))")
        mirror.cursor.execute("SET binlog_row_image = NOBLOB, binlog_row_value_options = PARTIAL_JSON")
        start = mirror.location()
        mirror.cursor.execute("UPDATE mirror.source SET j = JSON_REPLACE(j, '$[2]', 3)")
        assert mirror.decoded("source", start, 2)[1] == (b"1", b"1", b"'[1, 2, 3]'")
        mirror.cursor.execute("SET binlog_row_image = MINIMAL")
        start = mirror.location()
        mirror.cursor.execute("UPDATE mirror.source SET j = JSON_REPLACE(j, '$[1]', 3)")
        with pytest.raises(DMError, match="do not log all columns"):
            mirror.decoded("source", start, 1)


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
def test_rows_without_their_blobs_are_whole_where_there_are_none(flavor: str, request: pytest.FixtureRequest) -> None:
    mirror = Mirror(request.getfixturevalue(flavor))
    with mirror.connection:
        mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, n INT)")
        mirror.cursor.execute("INSERT INTO mirror.source VALUES (1, 1)")
        mirror.cursor.execute("SET binlog_row_image = NOBLOB")
        start = mirror.location()
        mirror.cursor.execute("UPDATE mirror.source SET n = 3")
        assert mirror.decoded("source", start, 2) == [(b"1", b"1"), (b"1", b"3")]
