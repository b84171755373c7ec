"""GTID sets as servers print them."""

from __future__ import annotations

import pytest

from pkg.binlog.gtid import parse_gtid_set
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
