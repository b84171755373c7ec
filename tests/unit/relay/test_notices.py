"""The daemon's end of relay.sock: what readers are told, and what is known of them."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dm_worker.relay.notices import Notices, connect
from tests.contract.processes import eventually


@pytest.fixture
def notices(tmp_path: Path) -> Iterator[Notices]:
    made = Notices(tmp_path)
    made.start()
    yield made
    made.close()


class Reader:
    def __init__(self, folder: Path) -> None:
        self.socket = connect(folder)
        self.socket.settimeout(20)
        self._lines = self.socket.makefile("rb")

    def hear(self) -> dict[str, Any] | None:
        """The next notice; None at the end."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def say(self, line: bytes) -> None:
        self.socket.sendall(line + b"\n")

    def close(self) -> None:
        self._lines.close()
        self.socket.close()


@pytest.fixture
def new_reader(tmp_path: Path, notices: Notices) -> Iterator[Callable[[], Reader]]:
    readers: list[Reader] = []

    def new() -> Reader:
        readers.append(Reader(tmp_path))
        return readers[-1]

    yield new
    for reader in readers:
        reader.close()


NewReader = Callable[[], Reader]


def notice(size: int, file: str = "b.000001") -> dict[str, Any]:
    return {"sub_dir": "s.000001", "file": file, "size": size}


def test_a_reader_is_told_at_once_and_at_each_growth(notices: Notices, new_reader: NewReader) -> None:
    notices.publish("s.000001", "b.000001", 100)
    reader = new_reader()
    assert reader.hear() == notice(100)
    notices.publish("s.000001", "b.000001", 200)
    assert reader.hear() == notice(200)
    notices.publish("s.000001", "b.000002", 4)
    assert reader.hear() == notice(4, "b.000002")


def test_all_readers_are_told(notices: Notices, new_reader: NewReader) -> None:
    readers = [new_reader() for _ in range(5)]
    notices.publish("s.000001", "b.000001", 100)
    assert [reader.hear() for reader in readers] == [notice(100)] * 5


def test_a_slow_reader_gets_the_latest_and_holds_nobody_up(notices: Notices, new_reader: NewReader) -> None:
    slow, quick = new_reader(), new_reader()
    slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    count = 20_000
    for size in range(1, count + 1):
        notices.publish("s.000001", "b.000001", size)
    for reader in (quick, slow):
        heard = []
        while not heard or heard[-1] != notice(count):
            heard.append(reader.hear())
        sizes = [one["size"] for one in heard if one is not None]
        assert sizes == sorted(sizes)
        assert len(sizes) < count


def test_what_readers_say_is_known_until_they_leave(notices: Notices, new_reader: NewReader) -> None:
    first, second = new_reader(), new_reader()
    first.say(b'{"sub_dir": "s.000001", "file": "b.000001"}')
    second.say(b'{"sub_dir": "s.000001", "file": "b.000002"}')
    eventually(
        lambda: sorted(notices.readers()) == [("s.000001", "b.000001"), ("s.000001", "b.000002")], "the daemon knows"
    )
    first.say(b'{"sub_dir": "s.000001", "file": "b.000003"}')
    eventually(lambda: ("s.000001", "b.000003") in notices.readers(), "the daemon knows")
    first.close()
    eventually(lambda: notices.readers() == [("s.000001", "b.000002")], "the daemon knows")


@pytest.mark.parametrize("said", [b"nonsense", b"[]", b'{"file": 1}', b"x" * 100_000])
def test_who_speaks_no_sense_is_dropped(notices: Notices, new_reader: NewReader, said: bytes) -> None:
    odd, other = new_reader(), new_reader()
    try:
        odd.say(said)
        assert odd.hear() is None
    except ConnectionError:
        pass  # it was dropped while it spoke
    notices.publish("s.000001", "b.000001", 7)
    assert other.hear() == notice(7)


def test_closing_tells_what_was_published_and_then_the_end(
    notices: Notices, new_reader: NewReader, tmp_path: Path
) -> None:
    reader = new_reader()
    notices.publish("s.000001", "b.000001", 100)
    notices.close()
    assert reader.hear() == notice(100)
    assert reader.hear() is None
    assert not (tmp_path / "relay.sock").exists()
    with pytest.raises(OSError, match=r"No such file|refused"):
        connect(tmp_path)


def test_the_socket_of_a_daemon_that_died_is_replaced(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    dead.bind(str(tmp_path / "relay.sock"))
    dead.close()
    with pytest.raises(ConnectionRefusedError):
        connect(tmp_path)
    notices = Notices(tmp_path)
    notices.start()
    notices.publish("s.000001", "b.000001", 100)
    reader = Reader(tmp_path)
    assert reader.hear() == notice(100)
    reader.close()
    notices.close()


def test_a_path_longer_than_a_socket_address_will_do(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    notices = Notices(folder)
    notices.start()
    notices.publish("s.000001", "b.000001", 100)
    reader = Reader(folder)
    assert reader.hear() == notice(100)
    reader.close()
    notices.close()
