"""LOAD DATA LOCAL from memory, on real servers: what goes wrong in the middle leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dm_worker.loader.streamed import (
    CLIENT_FLAG,
    LoadColumn,
    Loaded,
    allows_local,
    load_statement,
    load_stream,
    refuses_local,
)
from pkg.adapters.mysql.connection import Connection, connect
from pkg.errors import DMError
from tests.cases.full.migration import execute, query
from tests.cases.full.one_chunk import options
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

SCHEMA = "load_stream"
STATEMENT = load_statement(f"{SCHEMA}.t", [LoadColumn("id")])


@pytest.fixture(params=["tidb", "mariadb", "mysql"])
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    statements = [f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}"]
    execute(server, *statements, f"CREATE TABLE {SCHEMA}.t (id INT PRIMARY KEY)")
    return server


@pytest.fixture
def link(target: RunningServer) -> Iterator[Connection]:
    connection = connect(options(target), side="downstream", client_flag=CLIENT_FLAG)
    yield connection
    if connection.open:
        connection.close()


def count(target: RunningServer) -> int:
    return int(query(target, f"SELECT COUNT(*) FROM {SCHEMA}.t")[0][0])


def test_blocks_are_cut_anywhere_and_their_number_has_no_limit(target: RunningServer, link: Connection) -> None:
    text = b"".join(b"%d\n" % number for number in range(400))
    buffer = bytearray(3)

    def reused() -> Iterator[memoryview]:
        for at in range(0, len(text), 3):
            piece = text[at : at + 3]
            buffer[: len(piece)] = piece
            yield memoryview(buffer)[: len(piece)]

    assert load_stream(link, STATEMENT, reused()) == Loaded(0, 400, 0)
    assert count(target) == 400
    assert load_stream(link, STATEMENT, [b"399\n400\n"]) == Loaded(1, 2, 1)


def test_without_a_block_nothing_is_run(link: Connection) -> None:
    assert load_stream(link, "this is no statement", []) == Loaded(0, 0, 0)


def test_a_reader_that_fails_takes_the_connection_with_it(target: RunningServer, link: Connection) -> None:
    def failing() -> Iterator[bytes]:
        yield b"1\n2\n"
        raise OSError("the upstream is gone")

    with pytest.raises(OSError, match="upstream is gone"):
        load_stream(link, STATEMENT, failing())
    assert not link.open
    execute(target, f"ALTER TABLE {SCHEMA}.t COMMENT 'waits for the statement to end'")
    assert count(target) == 0  # and the session commits by itself


def test_an_error_of_the_server_leaves_the_connection_usable(link: Connection) -> None:
    with pytest.raises(DMError, match="none"):
        load_stream(link, STATEMENT.replace("(id)", "(none)"), [b"1\n"])
    assert load_stream(link, STATEMENT, [b"1\n"]).records == 1


def test_a_server_that_allows_none_says_so(mariadb2: RunningServer) -> None:
    with connect(options(mariadb2), side="downstream", client_flag=CLIENT_FLAG) as connection:
        assert allows_local(connection)
        execute(mariadb2, "SET GLOBAL local_infile = 0")
        try:
            assert not allows_local(connection)
            with pytest.raises(DMError) as caught:
                load_stream(connection, STATEMENT, [b"1\n"])
        finally:
            execute(mariadb2, "SET GLOBAL local_infile = 1")
    assert refuses_local(caught.value)
    assert not refuses_local(OSError())
