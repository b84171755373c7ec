"""--where, --from, --to and --limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from dm_binlog.bounds import Place, Time, Transaction, parse_bound
from dm_binlog.where import Where
from tests.golden.made_events import ONE_ROW, made, rows
from tests.unit.dm_binlog.runs import MARIADB, MYSQL, Run, begin, commit, gtid, query, rotate, run, write

UUID = "00010203-0405-0607-0809-0a0b0c0d0e0f"


def table_map(schema: bytes, table: bytes, number: int) -> bytes:
    names = bytes((len(schema),)) + schema + b"\0" + bytes((len(table),)) + table + b"\0"
    return made(19, number.to_bytes(6, "little") + b"\1\0" + names + b"\x02\x03\x0f" + b"\x02\x50\x00" + b"\0")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Three transactions, the second about two tables, and a DDL."""
    a, b = table_map(b"shop", b"orders", 1), table_map(b"log", b"hits", 2)
    row_a, row_b = rows(ONE_ROW, number=1), rows(ONE_ROW, number=2)
    return write(
        tmp_path / "bin.000001",
        [
            gtid(1), begin(), a, row_a, commit(1),
            gtid(2), begin(), made(29, b"\x03ins"), a, row_a, made(29, b"\x03log"), b, row_b, row_b, commit(2),
            gtid(3), begin(), b, row_b, commit(3),
            gtid(4), query(b"ALTER TABLE orders ADD x INT", b"shop"),
            gtid(5), query(b"DROP DATABASE log", b""),
            rotate(),
        ],
    )  # fmt: skip


def gtids(shown: Run) -> list[int]:
    """The transactions that are shown, by the number of their GTID."""
    heads = [line for line in shown.out.splitlines() if line.startswith(("┌", "•"))]
    return [int(line.split(f"{UUID}:")[1].split()[0]) for line in heads]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["shop.orders"], [1, 2, 4]),
        (["SHOP.Orders"], [1, 2, 4]),
        (["`shop`.`orders`"], [1, 2, 4]),
        (["shop.*"], [1, 2, 4]),
        (["log.h?ts"], [2, 3, 5]),
        (["*.*"], [1, 2, 3, 4, 5]),
        (["shop.orders", "log.hits"], [1, 2, 3, 4, 5]),
        (["shop.order"], []),
    ],
)
def test_where_shows_these_tables_and_their_transactions(shop: Path, patterns: list[str], expected: list[int]) -> None:
    shown = run(shop, *(word for pattern in patterns for word in ("--where", pattern)))
    assert shown.code == 0
    assert gtids(shown) == expected
    assert ("nothing matches" in shown.err) == (not expected)


def test_where_leaves_out_rows_and_statements_of_other_tables(shop: Path) -> None:
    second = run(shop, "--where", "shop.*", "--limit", "2").out.split("┌")[2]
    assert "shop.orders" in second
    assert "│ ins" in second
    assert "log" not in second.replace("orders", "")
    assert run(shop, "--where", "log.*", "--limit", "1").out.count("insert log.hits") == 2


def test_where_of_something_else_is_a_wrong_usage(shop: Path) -> None:
    shown = run(shop, "--where", "orders")
    assert shown.code == 2
    assert "'orders' is no table; write db.table, or db.* for all of a database" in shown.err


def test_patterns_take_nothing_as_an_expression() -> None:
    where = Where(["`a.b`.`c+`"])
    assert where.matches("a.b", "c+")
    assert not where.matches("axb", "cc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1234", Place("", 1234)),
        ("mysql-bin.000007:1234", Place("mysql-bin.000007", 1234)),
        ("(mysql-bin.000007, 1234)", Place("mysql-bin.000007", 1234)),
        ("2026-03-01", Time(1772323200.0)),
        ("2026-03-01 12:30", Time(1772368200.0)),
        ("2026-03-01T12:30:00Z", Time(1772368200.0)),
        ("2026-03-01 12:30:00+02:00", Time(1772361000.0)),
        ("0-1-42", Transaction("0-1-42")),
        ("2026-13-41", Transaction("2026-13-41")),
        (f"{UUID}:7", Transaction(f"{UUID}:7")),
        (f"{UUID.upper()}:7", Transaction(f"{UUID}:7")),
        (f"{UUID}:tag:7", Transaction(f"{UUID}:tag:7")),
    ],
)
def test_bounds_are_understood(text: str, expected: object) -> None:
    assert parse_bound(text) == expected


def test_another_bound_is_a_wrong_usage_that_says_the_forms(shop: Path) -> None:
    shown = run(shop, "--from", "yesterday")
    assert shown.code == 2
    assert "write a place (1234 or mysql-bin.000007:1234), a time in UTC" in shown.err


def test_between_transactions(shop: Path) -> None:
    assert gtids(run(shop, "--from", f"{UUID}:2", "--to", f"{UUID}:3")) == [2, 3]
    assert gtids(run(shop, "--from", f"{UUID}:4")) == [4, 5]
    assert gtids(run(shop, "--to", f"{UUID}:1")) == [1]


def test_a_transaction_that_is_not_there_is_told(shop: Path) -> None:
    shown = run(shop, "--from", f"{UUID}:99")
    assert shown.code == 1
    assert f"no transaction {UUID}:99 in bin.000001" in shown.err


def places(shown: Run) -> list[int]:
    return [event["position"] for event in shown.objects]


def test_between_places_every_event_counts() -> None:
    everything = places(run(MARIADB, "--raw-events", "--json"))
    assert places(run(MARIADB, "--raw-events", "--json", "--from", "3866")) == [
        4,
        *(at for at in everything if at >= 3866),
    ]
    assert places(run(MARIADB, "--raw-events", "--json", "--to", "3866")) == [at for at in everything if at < 3866]
    inside = run(MARIADB, "--raw-events", "--json", "--from", "3900", "--to", "3901")
    assert places(inside) == [4, 3866]  # the event that holds the byte


def test_a_place_in_a_transaction_shows_the_rest_of_it() -> None:
    out = run(MARIADB, "--from", "3866", "--limit", "1").out.splitlines()
    assert out[2].startswith("┌ 3612  ")
    assert out[3].startswith("│ 3866  update golden.types")


def test_between_times(shop: Path) -> None:
    assert "┌" not in run(MARIADB, "--to", "2026-11-21 08:27:56").out
    assert run(MARIADB, "--from", "2026-11-21 08:27:56", "--to", "2026-11-21 08:27:57").out.count("┌") == 6
    assert "┌" not in run(MARIADB, "--from", "2026-11-21 08:27:57").out
    assert run(MARIADB, MYSQL, "--from", "2026-11-21 10:27:57+02:00").out.count("┌") == 6


def test_places_in_files(shop: Path) -> None:
    both = run(MARIADB, MYSQL, "--raw-events", "--json", "--from", "mysql.binlog:6640")
    assert [(event["file"], event["position"]) for event in both.objects] == [
        ("mysql.binlog", 4),
        ("mysql.binlog", 6640),
    ]
    first = run(MARIADB, MYSQL, "--raw-events", "--json", "--to", "mariadb.binlog:300")
    assert [event["position"] for event in first.objects] == [4, 256, 285]
    wrong = run(MARIADB, "--from", "other.000001:4")
    assert wrong.code == 2
    assert "no FILE is called 'other.000001'; given: mariadb.binlog" in wrong.err


def test_a_limit_counts_transactions_or_events() -> None:
    assert run(MARIADB, "--limit", "3").out.count("ends at") == 1  # after two statements
    assert len(run(MARIADB, "--limit", "5", "--raw-events", "--json").objects) == 5
    assert run(MARIADB, MYSQL, "--limit", "1").out.count("CREATE DATABASE") == 1
    assert run(MARIADB, "--limit", "0").code == 2


def test_two_views_at_once_are_a_wrong_usage() -> None:
    assert run(MARIADB, "--stats", "--raw-events").code == 2
    assert run().code == 2
