"""What dm-master and dm-worker say to each other about a relay log arrives as it was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dm_master import cluster as wanted
from dm_master.sessions import _master_message, _observation
from dm_worker.desired import DesiredRelay, Observed, ObservedRelay, PurgeAnswer, PurgeOrder
from dm_worker.relay.log import folder_of
from dm_worker.relay.needed import Reader, earlier, needed_by
from dm_worker.session import _desired, _observed_message, _shape
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.facts import BoundFact, RelayFact, SourceFact
from pkg.facts import PurgeOrder as PurgeFact
from pkg.task.stage import Stage

ERROR = {"ErrCode": 30103, "Message": "no space left", "RawCause": "", "Workaround": "make space", "resumable": True}


def status(stage: str = "Running", *errors: object) -> dict[str, object]:
    about = {"relayBinlog": "(b.000001, 4)", "relaySubDir": "u.000001", "relayCatchUpMaster": True, "nextTry": ""}
    return {**about, "stage": stage, "result": {"isCanceled": False, "errors": list(errors)}}


@pytest.mark.parametrize("purge", [None, PurgeFact(9, "b.000003", "u.000001")])
@pytest.mark.parametrize("stage", [Stage.RUNNING, Stage.PAUSED])
def test_an_order_about_a_relay_log(stage: Stage, purge: PurgeFact | None) -> None:
    fact = RelayFact("s1", stage, 7, purge)
    desired = wanted.Desired(9, BoundFact("s1", "w1", 5), SourceFact("s1", "text", "{}"), (), fact)
    expected = PurgeOrder(9, "b.000003", "u.000001") if purge else None
    assert _desired(_master_message(desired).desired).relay == DesiredRelay(7, stage, expected)


def test_no_relay_log_is_no_order() -> None:
    desired = wanted.Desired(9, BoundFact("s1", "w1", 5), SourceFact("s1", "text", "{}"))
    assert _desired(_master_message(desired).desired).relay is None


def test_what_is_observed_of_a_relay_log() -> None:
    relay = ObservedRelay(7, status("Paused", ERROR), PurgeAnswer(9, False, "it is needed"))
    heard = _observation(_observed_message(Observed(9, "s1", 5, relay=relay))).relay
    assert heard is not None
    assert (heard.revision, heard.stage, heard.errors[0]["Message"]) == (7, "Paused", "no space left")
    assert heard.status["relayCatchUpMaster"] is True
    assert heard.purge is not None
    assert (heard.purge.number, heard.purge.done, heard.purge.message) == (9, False, "it is needed")
    assert _observation(_observed_message(Observed(9, "s1", 5))).relay is None


def test_a_stage_an_error_and_an_answer_are_told_at_once_and_progress_is_not() -> None:
    def shape(stage: str = "Running", *errors: object, purge: PurgeAnswer | None = None, **more: object) -> object:
        return _shape(Observed(9, "s1", 5, relay=ObservedRelay(7, {**status(stage, *errors), **more}, purge)))

    assert shape() == shape(relayBinlog="(b.000001, 99)")
    assert shape() != shape("Paused")
    assert shape("Paused") != shape("Paused", ERROR)
    assert shape() != shape(purge=PurgeAnswer(1, True, ""))
    assert shape() != _shape(Observed(9, "s1", 5))


@pytest.mark.parametrize(
    ("source", "name"),
    [("mysql-01", "mysql-01"), ("a b.c", "a b.c"), ("../etc", "..%2Fetc"), ("..", "%2E%2E"), ("ä", "%C3%A4")],
)
def test_each_source_has_a_folder_of_its_own_below_relay_dir(source: str, name: str) -> None:
    assert folder_of("/relay", source) == Path("/relay") / name
    assert folder_of("relay", source) == Path.cwd() / "relay" / name


def located(name: str, offset: int, gtid: str = "") -> Location:
    return Location(Position(name, offset), parse_gtid_set(gtid, "mariadb") if gtid else None)


def test_the_earlier_of_two_locations() -> None:
    one, other = located("b.000009", 4), located("b.000010", 4)
    assert earlier(one, other) == earlier(other, one) == one
    # After a switch of the upstream the positions say nothing.
    one, other = located("b.000900", 4, "0-1-5"), located("b.000001", 4, "0-1-7")
    assert earlier(one, other) == earlier(other, one) == one


def test_a_checkpoint_that_was_told_is_not_asked_for() -> None:
    wire = json.dumps(
        {
            "task-name": "t",
            "source-id": "s1",
            "task-mode": "all",
            "flavor": "mariadb",
            "upstream": {"host": "h", "port": 1, "user": "u"},
            "target": {"host": "h", "port": 1, "user": "u"},
        }
    )
    assert needed_by(Reader("t", wire, "(b.000007, 99)")) == located("b.000007", 99)
    assert needed_by(Reader("t", wire, "(b.000007, 99)", "0-1-5")) == located("b.000007", 99, "0-1-5")
