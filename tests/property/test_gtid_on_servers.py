"""GTID sets against the arithmetic of the server itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkg.binlog.gtid import parse_gtid_set
from tests.servers import RunningServer

SOURCES = [f"{number:08x}-71ca-11e1-9e33-c80aa9429562" for number in range(3)]
intervals = st.builds(lambda first, more: f"{first}-{first + more}", st.integers(1, 60), st.integers(0, 9))
parts = st.builds(
    lambda source, tag, ranges: ":".join([source, *tag, *ranges]),
    st.sampled_from(SOURCES),
    st.sampled_from([[], ["blue"], ["a_1"]]),
    st.lists(intervals, min_size=1, max_size=5),
)
sets = st.lists(parts, max_size=5).map(",".join)


@pytest.fixture
def cursor(mysql: RunningServer) -> Iterator[Any]:
    with pymysql.connect(host=mysql.host, port=mysql.port, user="root", ssl_disabled=True) as connection:
        yield connection.cursor()


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(sets, sets)
def test_the_server_calculates_the_same(cursor: Any, one: str, other: str) -> None:
    cursor.execute(
        "SELECT GTID_SUBTRACT(%s, %s), GTID_SUBSET(%s, %s), GTID_SUBTRACT(%s, '')", (one, other, one, other, one)
    )
    subtracted, is_subset, printed = cursor.fetchone()
    mine, others = parse_gtid_set(one, "mysql"), parse_gtid_set(other, "mysql")
    assert str(mine.subtract(others)).replace(",", ",\n") == subtracted
    assert others.contains(mine) == bool(is_subset)
    assert str(mine).replace(",", ",\n") == printed
    assert parse_gtid_set(printed, "mysql") == mine
