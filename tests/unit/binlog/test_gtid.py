"""GTID sets as servers print them."""

from __future__ import annotations

import pytest

from pkg.binlog.gtid import parse_gtid_set, parse_transactions
from pkg.errors import DMError

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def test_neighbouring_intervals_are_joined() -> None:
    assert str(parse_gtid_set(f"{UUID}:1-3:4-5:9", "mysql")) == f"{UUID}:1-5:9"


def test_tagged_sets_are_printed_behind_their_source() -> None:
    text = f"{UUID}:1-5:blue:1-3"
    assert str(parse_gtid_set(text, "mysql")) == text


def test_white_space_and_case_do_not_matter() -> None:
    assert parse_gtid_set(f" {UUID.upper()}:1-2,\n", "mysql") == parse_gtid_set(f"{UUID}:1-2", "mysql")


@pytest.mark.parametrize("text", ["x", f"{UUID}:", f"{UUID}:5-3", f"{UUID}:0", "3e11:1"])
def test_what_is_no_mysql_set_says_why(text: str) -> None:
    with pytest.raises(DMError, match="is no mysql GTID set"):
        parse_gtid_set(text, "mysql")


@pytest.mark.parametrize("text", ["0-1", "a-1-2", "0-1-2-3"])
def test_what_is_no_mariadb_set_says_why(text: str) -> None:
    with pytest.raises(DMError, match="is no mariadb GTID set"):
        parse_gtid_set(text, "mariadb")


def test_sets_of_two_flavours_are_not_compared() -> None:
    with pytest.raises(TypeError):
        parse_gtid_set("0-1-2", "mariadb").contains(parse_gtid_set("", "mysql"))


def test_a_server_holds_what_it_or_the_same_other_server_wrote() -> None:
    """MariaDB: one that lacks transactions may have written as many of its own, under the same numbers."""
    needed = parse_gtid_set("0-1-13,7-1-5", "mariadb")
    held = parse_transactions("0-1-7,0-2-23,7-1-6", "mariadb")
    assert held.missing(needed.transactions()) == "0-1-13 (it has 0-1-7)"
    assert parse_transactions("0-1-13,0-2-14,7-1-5", "mariadb").missing(needed.transactions()) == ""
    assert str(needed.held_by(held)) == "0-1-7,7-1-5"
    assert parse_transactions("0-2-23", "mariadb").missing(needed.transactions()) == "0-1-13, 7-1-5"


@pytest.mark.parametrize(
    ("gtids", "before", "may_begin"),
    [
        ("0-1-13", "0-1-12", True),
        ("0-1-13", "0-1-13", True),
        ("0-1-13", "0-1-13,0-2-14", False),
        ("0-1-14", "0-1-14,0-2-14", False),  # written by a replica itself
        ("0-1-14", "0-1-13,0-2-14", True),  # which has the other one yet to come
        ("0-1-13", "7-1-1", False),
        (f"{UUID}:1-5", f"{UUID}:1-4", True),
        (f"{UUID}:1-5", f"{UUID}:1-6", False),
    ],
)
def test_where_a_file_begins(gtids: str, before: str, may_begin: bool) -> None:
    flavor = "mysql" if ":" in gtids else "mariadb"
    assert parse_gtid_set(gtids, flavor).may_begin(parse_transactions(before, flavor)) is may_begin


def test_a_mariadb_set_names_a_place_of_each_domain() -> None:
    """Not one that is as far: a server that has diverged has no such place."""
    gtids = parse_gtid_set("0-1-9,7-1-5", "mariadb")

    def goes(*stream: str) -> bool:
        met = parse_transactions("0-1-7", "mariadb")
        for gtid in stream:
            if not gtids.is_before(gtid, met):
                break
            met = met.add(gtid)
        return gtids.is_reached(met)

    assert goes("0-1-8", "7-1-5", "0-1-9", "0-1-10")
    assert goes("0-2-9", "0-1-9", "7-1-5", "7-2-5")
    assert not goes("0-2-8", "0-2-9", "7-1-5", "0-2-10")
    assert not goes("0-1-8", "0-1-9", "0-1-10", "7-1-5")


def test_what_must_come_for_all_to_have_come() -> None:
    known = parse_gtid_set("0-1-7,7-1-5", "mariadb")
    applied = parse_transactions("0-2-6,7-1-5,0-1-9", "mariadb")
    assert str(applied.awaited(known)) == "0-1-9"
    assert str(applied.news(known)) == "0-1-9"
    assert applied.has("0-1-8")
    assert not applied.has("0-2-8")
    tagged = parse_transactions(f"{UUID}:2:4:shop:1", "mysql")
    assert str(tagged.awaited(parse_gtid_set(f"{UUID}:1-3", "mysql"))) == f"{UUID}:4:shop:1"


@pytest.mark.parametrize(
    ("flavor", "applied", "logged", "place", "missed"),
    [
        ("mariadb", "0-1-252", "0-1-231,0-2-254", "0-1-231", "0-1-252"),  # applied without logging
        ("mariadb", "0-1-252", "0-1-252,0-2-254", "0-1-231", ""),  # logged
        ("mariadb", "0-1-252", "0-2-254", "0-1-252", ""),  # replicated
        ("mariadb", "0-1-100", "0-2-254", "0-2-200", ""),  # long ago
        ("mariadb", "1-7-50", "0-2-254", "0-2-200", ""),  # of a domain that the reader never had
        ("mysql", f"{UUID}:1-98", "", f"{UUID}:1-80", f"{UUID}:81-98"),
        ("mysql", f"{UUID}:1-80", "", f"{UUID}:1-90", ""),
    ],
)
def test_what_a_reader_misses_of_a_binlog_that_lacks_transactions(
    flavor: str, applied: str, logged: str, place: str, missed: str
) -> None:
    lacking = parse_gtid_set(applied, flavor).beyond(parse_transactions(logged, flavor))
    assert str(lacking.missed_from(parse_gtid_set(place, flavor))) == missed
