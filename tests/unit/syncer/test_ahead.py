"""What channels have applied beyond the checkpoint, where another server goes on."""

from __future__ import annotations

import pytest

from dm_worker.syncer.ahead import NOT_TOLD, AheadByGtid, Beyond
from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.switch import BETWEEN_SERVERS, channels_ahead, lacking, needed_of
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.gtid import parse_gtid_set, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.rows.causality import Causality
from pkg.rows.change import TargetTable, plan_target
from pkg.rows.job import Job, Origin, Place
from tests.unit.rows.tables import column, keyed, table

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
KEYLESS = plan_target(table([column("a")], name="log"), table([column("a")], name="log"))


def job(gtid: str, row_index: int = 0, where: TargetTable = KEYLESS, before: str = "", flavor: str = "mariadb") -> Job:
    image = (b"1",) if where is KEYLESS else (b"1", b"'a'", b"'b'")
    event = RowsEvent(TableMap("s", "t", b"", ()), "insert", [image], 0, 10, 0)
    origin = Origin("f", gtid, parse_transactions(before, flavor))
    [made] = Causality(1).jobs(
        where, event.kind, event.rows, safe=False, origin=origin, event_end=10, row_index=row_index, size=1
    )
    return made


def at(gtids: str, server: str = "one", offset: int = 100) -> Checkpoint:
    flavor = "mysql" if ":" in gtids else "mariadb"
    return Checkpoint(Location(Position("f.000001", offset), parse_gtid_set(gtids, flavor)), 3, server)


def test_each_transaction_is_known_whatever_the_order() -> None:
    ahead = AheadByGtid({0: Place("f", 9, 4, "0-1-9", "7-1-3,0-1-8")}, parse_gtid_set("0-1-5", "mariadb"))
    assert [ahead.has(0, job(gtid)) for gtid in ("7-1-3", "7-1-4", "0-1-8", "0-1-10")] == [True, False, True, False]
    assert [ahead.has(0, job("0-1-9", row)) for row in (1, 2, 3)] == [True, True, False]
    assert not ahead.has(1, job("0-1-8"))
    assert ahead.is_beyond(0, Position("g", 4), "7-1-3")
    assert not ahead.is_beyond(0, Position("g", 4), "0-1-9"), "it may have stood before a ROLLBACK"
    for gtid in ("0-1-6", "0-1-7", "0-1-8", "0-1-9"):
        ahead.commit(Position("g", 4), gtid)
    assert not ahead.is_over
    ahead.commit(Position("g", 4), "7-1-3")
    assert ahead.is_over


def test_a_channel_keeps_what_it_had_when_it_goes_on_elsewhere() -> None:
    ahead = AheadByGtid({0: Place("f", 9, 4, "0-1-9", "0-1-8")}, parse_gtid_set("0-1-5", "mariadb"))
    one = job("7-1-1", before="0-1-6")
    assert not ahead.is_replay(0, one)
    place = Place("g", 20, 2, "7-1-1", str(ahead.origin(0, one).before))
    again = Beyond.of(place, "mariadb")
    assert again is not None
    assert [again.has_row(gtid, 4) for gtid in ("0-1-8", "0-1-9", "7-1-1")] == [True, True, False]
    assert again.has_row("7-1-1", 2)
    assert not again.has_row("0-1-9", 6)


def test_an_earlier_builds_place_does_not_tell_what_came_before() -> None:
    with pytest.raises(DMError) as raised:
        AheadByGtid({0: Place("f", 9, 4, f"{UUID}:9")}, parse_gtid_set(f"{UUID}:1-5", "mysql"))
    assert raised.value.is_a(NOT_TOLD)


def test_rows_with_a_key_are_applied_anew() -> None:
    ahead = AheadByGtid({0: Place("f", 9, 4, "0-1-9", "0-1-8")}, parse_gtid_set("0-1-5", "mariadb"))
    assert not ahead.has(0, job("0-1-8", where=keyed()))
    assert ahead.is_replay(0, job("0-1-8", where=keyed()))


def test_which_channels_are_ahead() -> None:
    applied = {
        0: Place("f.000001", 90, 0, "0-1-4", ""),
        1: Place("f.000001", 110, 0, "0-1-6", "0-1-5"),
        2: Place("f.000001", 110, 0, "0-2-5", "0-1-5"),  # a replica's own, behind what it has of its source
    }
    assert channels_ahead(applied, at("0-1-5")).keys() == {1, 2}
    assert channels_ahead(applied, at("0-1-5", offset=4)).keys() == {1, 2}, "places go back in a stream by GTID"
    assert channels_ahead(applied, at("0-1-5", BETWEEN_SERVERS)).keys() == {0, 1, 2}, "the others were forgotten"
    assert channels_ahead({0: Place("f.000001", 110, 0, f"{UUID}:3", "")}, at(f"{UUID}:1-5")) == {}


def test_what_the_channels_applied_must_be_there() -> None:
    known = at("0-1-7")
    ahead = AheadByGtid(
        channels_ahead({0: Place("f.000001", 110, 0, "0-1-17", "0-1-16")}, known), known.location.gtid_set
    )  # type: ignore[arg-type]
    assert lacking(parse_transactions("0-1-7,0-2-23", "mariadb"), needed_of(known, ahead)) == "0-1-17 (it has 0-1-7)"
    assert lacking(parse_transactions("0-1-17,0-2-23", "mariadb"), needed_of(known, ahead)) == ""
