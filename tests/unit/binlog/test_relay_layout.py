"""Names and texts of a relay log's folder."""

from __future__ import annotations

import pytest

from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Position
from pkg.binlog.raw_events import Gtids
from pkg.binlog.relay_layout import (
    Received,
    SubDir,
    following,
    in_order,
    index_text,
    is_binlog_name,
    next_sub_dir,
    parse_index,
    with_gtids,
)

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
OTHER = "4e11fa47-71ca-11e1-9e33-c80aa9429562"


def test_the_index_is_read_as_written() -> None:
    known = [SubDir(UUID, 1), SubDir("33989", 2), SubDir(UUID, 3)]
    assert index_text(known) == f"{UUID}.000001\n33989.000002\n{UUID}.000003\n"
    assert parse_index(index_text(known)) == known


@pytest.mark.parametrize("name", ["", UUID, f"{UUID}.1", f"../{UUID}.000001", f"{UUID}.00000x", f"{UUID}.000001 "])
def test_what_is_no_sub_directory(name: str) -> None:
    with pytest.raises(ValueError, match="is no <server-uuid>"):
        SubDir.parse(name)


def test_a_server_that_comes_back_gets_another_number() -> None:
    assert next_sub_dir(UUID, []) == SubDir(UUID, 1)
    assert next_sub_dir(UUID, [SubDir(UUID, 1), SubDir(OTHER, 2)]) == SubDir(UUID, 3)


@pytest.mark.parametrize(("flavor", "gtid"), [("mysql", f"{UUID}:1-5:7"), ("mariadb", "0-1-100,7-2-3"), ("mysql", "")])
def test_relay_meta_is_read_as_written(flavor: str, gtid: str) -> None:
    received = Received(Position("mysql-bin.000007", 1 << 33), parse_gtid_set(gtid, flavor))
    assert Received.parse(received.text(), flavor) == received


@pytest.mark.parametrize(
    "text",
    [
        "",
        'binlog-name = "mysql-bin.000001"\n',
        'binlog-name = "mysql-bin.000001"\nbinlog-pos = "4"\nbinlog-gtid = ""\n',
        'binlog-name = "../etc.000001"\nbinlog-pos = 4\nbinlog-gtid = ""\n',
        'binlog-name = "mysql-bin.000001"\nbinlog-pos = 4\nbinlog-g',
        "\0" * 80,
    ],
)
def test_relay_meta_that_is_not_whole(text: str) -> None:
    with pytest.raises(ValueError, match=r"it lacks|is no name|at line|at end|Invalid"):
        Received.parse(text, "mysql")


@pytest.mark.parametrize("name", ["mysql-bin.000001", "a.1", "my.log-bin.4294967295"])
def test_names_of_files(name: str) -> None:
    assert is_binlog_name(name)


@pytest.mark.parametrize("name", ["", "relay.meta", ".000001", "../x.000001", "a/b.000001", "x", "x.", "a\n.000001"])
def test_names_that_a_server_must_not_give(name: str) -> None:
    assert not is_binlog_name(name)


def test_files_go_by_number() -> None:
    assert in_order(["b.1000000", "relay.meta", "b.999999", "b.000002"]) == ["b.000002", "b.999999", "b.1000000"]
    assert [following(name) for name in ("b.000009", "b.999999")] == ["b.000010", "b.1000000"]


def test_transactions_received_since() -> None:
    known = parse_gtid_set(f"{UUID}:1-5", "mysql")
    assert str(with_gtids(known, Gtids(None, [(UUID, 6, 9)]))) == f"{UUID}:1-9"
    assert str(with_gtids(known, Gtids(None, [(UUID, 8, 9), (OTHER, 1, 1)]))) == f"{UUID}:1-5:8-9,{OTHER}:1"
    assert str(with_gtids(known, Gtids(f"{OTHER}:1-3", [(OTHER, 4, 4)]))) == f"{OTHER}:1-4"
    assert str(with_gtids(known, Gtids(None, [(f"{UUID}:blue", 1, 2)]))) == f"{UUID}:1-5:blue:1-2"
    mariadb = parse_gtid_set("0-1-100,1-1-5", "mariadb")
    assert str(with_gtids(mariadb, Gtids(None, [("0-2", 101, 101)]))) == "0-2-101,1-1-5"
