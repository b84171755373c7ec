"""Files that are no binlog, are cut off, damaged or encrypted: what is whole is shown, the rest is told by place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.made_events import ONE_ROW, format_event, made, rows, table_map
from tests.unit.dm_binlog.runs import BINLOGS, MARIADB, MYSQL, begin, commit, events, gtid, query, rotate, run, write


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "it is empty"),
        (b"-- MySQL dump 10.13\n", "it is a dump, SQL text"),
        (b"-- MariaDB dump 10.19\n", "it is a dump, SQL text"),
        (b"./mysql-bin.000001\n./mysql-bin.000002\n", "it is the index of the binlogs"),
        (b"\x1f\x8b\x08\0\0\0", "it is packed by gzip"),
        (b"\x28\xb5\x2f\xfd\0\0", "it is packed by zstd"),
        (b"hello world\n", "it is text that starts with 'hello world'"),
        (b"\x01\x02\x03\x04\xff", "something else that starts with the bytes 01 02 03 04"),
        (bytes(100), "it is full of zeros"),
        (b"\xfdbin" + bytes(508), "encrypted for its own server"),
    ],
)
def test_what_is_no_binlog_is_named(content: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "mysql-bin.000001"
    path.write_bytes(content)
    shown = run(path)
    assert (shown.code, shown.out) == (1, "")
    assert what in shown.err
    assert "  → " in shown.err


def test_a_directory_names_a_binlog_in_it(tmp_path: Path) -> None:
    write(tmp_path / "mysql-bin.000007", [])
    shown = run(tmp_path)
    assert shown.code == 1
    assert "it is a directory" in shown.err
    assert f"give it files, for example {tmp_path / 'mysql-bin.000007'}" in shown.err


def test_a_missing_file_does_not_hide_the_others(tmp_path: Path) -> None:
    shown = run(tmp_path / "missing", MYSQL)
    assert shown.code == 1
    assert "cannot be read: No such file or directory" in shown.err
    assert shown.out == run(MYSQL).out


@pytest.mark.slow
@pytest.mark.parametrize("flavor", BINLOGS)
def test_any_cut_shows_the_whole_events_and_the_place(flavor: str, tmp_path: Path) -> None:
    data, listed = BINLOGS[flavor].read_bytes(), events(BINLOGS[flavor])
    path = tmp_path / "cut.000001"
    for size in {*range(4, len(data), 97), *(at + 1 for at, _, _ in listed), *(at + 19 for at, _, _ in listed)}:
        path.write_bytes(data[:size])
        whole = [at for at, _, length in listed if at + length <= size]
        shown = run(path, "--raw-events", "--json")
        assert [event["position"] for event in shown.objects] == whole
        end = max((at + length for at, _, length in listed if at + length <= size), default=4)
        assert shown.code == int("ends inside" in shown.err or "inside the transaction" in shown.err)
        if end < size or size == 4:
            assert f"event at {end}:" in shown.err


def test_a_cut_between_events_of_a_transaction_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [gtid(1), begin(), table_map(), rows(ONE_ROW)])
    shown = run(path)
    assert shown.code == 1
    assert shown.out.endswith("│   + @1=5  @2='ab'\n└ …\n")
    assert f"ends at {path.stat().st_size} inside the transaction that began at" in shown.err


def test_a_file_that_is_being_written_says_so(tmp_path: Path) -> None:
    head = bytearray(format_event())
    head[17] |= 1
    path = write(tmp_path / "b.000001", [begin(), table_map(), rows(ONE_ROW), commit()], bytes(head))
    shown = run(path)
    assert shown.code == 0
    assert "not closed by its server" in shown.out
    path.write_bytes(path.read_bytes() + commit()[:20])
    cut = run(path)
    assert cut.code == 1
    assert cut.out == shown.out
    assert "20 of its 31 bytes are there" in cut.err
    assert "the server is still writing it" in cut.err


def test_a_wrong_checksum_names_file_and_place(tmp_path: Path) -> None:
    data = bytearray(MARIADB.read_bytes())
    data[3900] ^= 1
    path = tmp_path / "mysql-bin.000003"
    path.write_bytes(data)
    shown = run(path)
    assert shown.code == 1
    assert "mysql-bin.000003 is damaged at 3866, UPDATE_ROWS_V1: the checksum is wrong" in shown.err
    assert "ends at 3612" in shown.out


def test_a_damaged_length_names_the_place(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [begin(), commit(), made(16)[:9] + bytes(10)])
    at = path.stat().st_size - 19
    assert f"b.000001 is damaged at {at}: an event says that it has 0 bytes" in run(path).err


def test_an_encrypted_file_of_mariadb_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [made(164, bytes(17)), b"\x93" * 200])
    shown = run(path)
    assert shown.code == 1
    assert "is encrypted for its own server from position" in shown.err
    assert "--read-from-remote-server" in shown.err


def test_a_body_that_makes_no_sense_does_not_hide_the_next(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.000001", [made(2, b"\0"), begin(), table_map(), rows(b"\x00\x05\x00"), commit(), rotate()]
    )
    shown = run(path)
    assert shown.code == 1
    assert shown.out.count("not readable") == 2
    assert "└ commit" in shown.out
    assert "2 events could not be read" in shown.err


def test_a_relay_file_that_ends_inside_a_transaction_and_names_the_next_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [begin(), table_map(), rows(ONE_ROW), rotate()])
    assert run(path).code == 0


@pytest.mark.slow
def test_every_flip_of_a_byte_is_told_or_shown(tmp_path: Path) -> None:
    """Nothing but an error with a place may come of damage."""
    path = write(tmp_path / "b.000001", [gtid(1), begin(), table_map(), rows(ONE_ROW), commit(), query(b"x"), rotate()],
                 format_event(checksum=False))  # fmt: skip
    data = path.read_bytes()
    for at in range(4, len(data)):
        path.write_bytes(data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :])
        shown = run(path)  # it raises nothing
        assert shown.code in (0, 1)
        assert (shown.code == 0) == (not shown.err)
