"""A subtask's life, by its inputs."""

from __future__ import annotations

import pytest

from dm_worker.subtask import (
    STOP_SECONDS,
    Action,
    ChildEnded,
    ChildFailed,
    ChildFinished,
    ChildStopped,
    ChildWorked,
    Dropped,
    Input,
    Order,
    Ordered,
    Policy,
    RelayCaughtUp,
    Subtask,
    TimePassed,
    begin,
    step,
    units_for,
)
from pkg.retry import Backoff
from pkg.task.live import LiveSettings
from pkg.task.stage import Stage, TaskMode
from pkg.unit import UnitName

POLICY = Policy(backoff=Backoff(first=1, maximum=4, jitter=False), rollback_seconds=60)
WORKED = ChildWorked("Sync", {"synced": False})
PASSING = ChildFailed({"ErrCode": 10102, "resumable": True})
LASTING = ChildFailed({"ErrCode": 36001, "resumable": False})
ENDED = ChildEnded("exit code 0")


def run(revision: int = 1, epoch: int = 1, wire: str = "wire") -> Ordered:
    return Ordered(Order(Stage.RUNNING, revision, epoch, wire), POLICY)


def pause(revision: int = 2) -> Ordered:
    return Ordered(Order(Stage.PAUSED, revision, 1, "wire"), POLICY)


def after(*events: Input | tuple[float, Input], subtask: Subtask | None = None) -> tuple[Subtask, list[Action]]:
    """The subtask after ``events`` (each with its time, or at 0), and all actions."""
    actions: list[Action] = []
    for event in events:
        now, one = event if isinstance(event, tuple) else (0.0, event)
        if subtask is None:
            assert isinstance(one, Ordered)
            subtask, more = begin("t", one)
        else:
            subtask, more = step(subtask, one, now)
        actions += more
    assert subtask is not None
    return subtask, actions


def test_an_order_to_run_starts_a_child_and_it_runs_when_it_works() -> None:
    subtask, actions = after(run())
    assert (subtask.stage, actions) == (Stage.NEW, [Action.START])
    subtask, actions = after(WORKED, subtask=subtask)
    assert (subtask.stage, subtask.unit, actions) == (Stage.RUNNING, "Sync", [])


def test_a_subtask_that_is_ordered_paused_starts_nothing() -> None:
    assert after(pause())[1] == []
    assert after(pause())[0].stage is Stage.PAUSED


def test_a_repeated_order_does_nothing() -> None:
    assert after(run(), WORKED, run())[1] == [Action.START]


def test_a_pause_stops_the_child_and_counts_when_it_has_ended() -> None:
    subtask, actions = after(run(), WORKED, pause())
    assert (subtask.stage, actions[-1]) == (Stage.PAUSING, Action.STOP)
    assert after(WORKED, ChildStopped(), subtask=subtask)[0].stage is Stage.PAUSING
    assert after(ChildStopped(), ENDED, subtask=subtask)[0].stage is Stage.PAUSED


def test_a_resume_while_pausing_starts_again_after_the_end() -> None:
    subtask, actions = after(run(), WORKED, pause(), run(3))
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START, Action.STOP])
    subtask, actions = after(ChildStopped(), ENDED, subtask=subtask)
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START])


def test_a_child_that_does_not_stop_is_killed() -> None:
    subtask, actions = after(run(), WORKED, pause(), (STOP_SECONDS, TimePassed()))
    assert actions[-1] is Action.KILL
    assert after(ChildEnded("signal 9"), subtask=subtask)[0].stage is Stage.PAUSED


def test_a_passing_error_is_tried_again_after_a_growing_wait() -> None:
    subtask, _ = after(run(), WORKED, PASSING, ENDED)
    assert (subtask.stage, subtask.next_try) == (Stage.PAUSED, 1.0)
    assert after((0.9, TimePassed()), subtask=subtask)[1] == []
    subtask, actions = after((1.0, TimePassed()), subtask=subtask)
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START])
    subtask, _ = after((2.0, PASSING), (2.0, ENDED), subtask=subtask)
    assert subtask.next_try == 4.0


def test_the_errors_stay_in_sight_until_it_works_again() -> None:
    subtask, _ = after(run(), WORKED, PASSING, ENDED, (1.0, TimePassed()))
    assert subtask.errors
    assert not after(WORKED, subtask=subtask)[0].errors


def test_health_makes_the_wait_shorter_again() -> None:
    subtask, _ = after(run(), PASSING, ENDED, (1.0, TimePassed()), (1.0, WORKED), (61.0, TimePassed()))
    assert subtask.failures == 0


def test_a_lasting_error_waits_for_an_order() -> None:
    subtask, _ = after(run(), WORKED, LASTING, ENDED)
    assert (subtask.stage, subtask.next_try) == (Stage.PAUSED, None)
    assert after((1e6, TimePassed()), subtask=subtask)[1] == []
    assert after(run(2), subtask=subtask)[1] == [Action.START]


def test_a_lasting_error_is_forgotten_when_the_source_is_bound_anew() -> None:
    subtask, _ = after(run(), WORKED, LASTING, ENDED)
    assert after(run(1, epoch=2), subtask=subtask)[1] == [Action.START]


def test_nothing_is_tried_again_when_the_checker_is_off() -> None:
    off = Ordered(Order(Stage.RUNNING, 1, 1, "wire"), Policy(enabled=False))
    assert after(off, PASSING, ENDED)[0].next_try is None


def test_an_ordered_pause_is_never_undone_by_itself() -> None:
    subtask, _ = after(run(), PASSING, ENDED, pause())
    assert after((1e6, TimePassed()), subtask=subtask)[1] == []
    assert subtask.stage is Stage.PAUSED


def test_a_killed_child_is_a_passing_error() -> None:
    subtask, _ = after(run(), WORKED, ChildEnded("killed by signal 9 (SIGKILL)"))
    assert subtask.stage is Stage.PAUSED
    assert "SIGKILL" in subtask.errors[0]["Message"]
    assert subtask.next_try == 1.0


def test_a_new_binding_restarts_a_running_child() -> None:
    subtask, actions = after(run(), WORKED, run(1, epoch=2))
    assert (subtask.stage, actions[-1]) == (Stage.RESUMING, Action.STOP)
    assert after(ChildStopped(), ENDED, subtask=subtask)[1] == [Action.START]


def test_what_a_child_of_another_binding_says_is_not_of_this_one() -> None:
    """The other source's position would be shown as this one's, and be taken for what is applied."""
    subtask, _ = after(run(), WORKED, Dropped(), run(1, epoch=2))
    assert (subtask.unit, subtask.status) == ("", {})
    subtask, _ = after(ChildWorked("Sync", {"synced": True}), subtask=subtask)
    assert (subtask.stage, subtask.unit, subtask.status) == (Stage.RESUMING, "", {})
    subtask, actions = after(ChildStopped(), ENDED, subtask=subtask)
    assert actions == [Action.START]
    assert after(WORKED, subtask=subtask)[0].status == WORKED.status


@pytest.mark.parametrize("last", [PASSING, LASTING, ChildFinished()])
def test_how_a_child_of_another_binding_ends_is_nothing_to_this_one(last: Input) -> None:
    subtask, actions = after(run(), WORKED, Dropped(), run(1, epoch=2), last, ENDED)
    assert (subtask.stage, subtask.errors, actions[-1]) == (Stage.RESUMING, (), Action.START)


def test_an_error_under_a_configuration_that_is_replaced_does_not_pause_the_next_one() -> None:
    subtask, actions = after(run(), WORKED, run(2, wire="other"), LASTING, ENDED)
    assert (subtask.stage, subtask.errors, actions[-1]) == (Stage.RESUMING, (), Action.START)


def test_a_subtask_without_a_child_shows_nothing_of_another_binding() -> None:
    subtask, _ = after(run(), WORKED, LASTING, ENDED, run(1, epoch=2))
    assert (subtask.unit, subtask.status, subtask.errors) == ("", {}, ())


def test_a_finished_subtask_stays_finished_until_something_changes() -> None:
    subtask, _ = after(run(), WORKED, ChildFinished(), ENDED)
    assert subtask.stage is Stage.FINISHED
    assert after(run(2), subtask=subtask) == (after(run(2), subtask=subtask)[0], [])
    assert after(pause(3), subtask=subtask)[0].stage is Stage.FINISHED
    assert after(run(2, wire="other"), subtask=subtask)[1] == [Action.START]


def test_a_dropped_subtask_is_over_when_its_child_has_ended() -> None:
    subtask, actions = after(run(), WORKED, Dropped())
    assert (subtask.stage, actions[-1], subtask.is_over) == (Stage.STOPPING, Action.STOP, False)
    subtask, actions = after(PASSING, ENDED, subtask=subtask)
    assert (subtask.is_over, actions) == (True, [])


def test_a_subtask_without_a_child_is_dropped_at_once() -> None:
    assert after(pause(), Dropped())[0].is_over


@pytest.mark.parametrize(
    ("mode", "load_status", "units"),
    [
        (TaskMode.ALL, "", (UnitName.LOAD, UnitName.SYNC)),
        (TaskMode.ALL, "running", (UnitName.LOAD, UnitName.SYNC)),
        (TaskMode.ALL, "finished", (UnitName.SYNC,)),
        (TaskMode.FULL, "finished", (UnitName.SYNC,)),
        (TaskMode.INCREMENTAL, "", (UnitName.SYNC,)),
        (TaskMode.DUMP, "", (UnitName.DUMP,)),
        (TaskMode.LOAD, "", (UnitName.LOAD,)),
        (TaskMode.LOAD, "finished", (UnitName.LOAD,)),
    ],
)
def test_units_follow_from_mode_and_load_status(mode: TaskMode, load_status: str, units: tuple[UnitName, ...]) -> None:
    assert units_for(mode, load_status) == units


def reading(relay_folder: str, revision: int = 1) -> Ordered:
    return Ordered(Order(Stage.RUNNING, revision, 1, "wire", relay_folder), POLICY)


@pytest.mark.parametrize(("before", "after_that"), [("", "/relay/s1"), ("/relay/s1", "")])
def test_replication_is_started_anew_when_its_relay_log_is_switched_on_or_off(before: str, after_that: str) -> None:
    subtask, actions = after(reading(before), WORKED, reading(after_that))
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START, Action.STOP])
    subtask, actions = after(ChildStopped(), ENDED, WORKED, subtask=subtask)
    assert (subtask.stage, subtask.started_relay, actions) == (Stage.RUNNING, after_that, [Action.START])


def test_a_copy_goes_on_when_the_relay_log_is_switched_and_replication_after_it_reads_the_other_stream() -> None:
    copying = ChildWorked("Load", {})
    subtask, actions = after(reading(""), copying, reading("/relay/s1"), copying)
    assert (subtask.stage, actions) == (Stage.RUNNING, [Action.START])
    subtask, actions = after(WORKED, ChildStopped(), ENDED, subtask=subtask)
    assert (subtask.started_relay, actions) == ("/relay/s1", [Action.STOP, Action.START])


def test_a_relay_log_that_is_switched_twice_before_the_child_has_ended() -> None:
    subtask, _ = after(reading(""), WORKED, reading("/relay/s1"), reading("", revision=2))
    subtask, actions = after(ChildStopped(), ENDED, subtask=subtask)
    assert (subtask.started_relay, actions) == ("", [Action.START])


def test_a_paused_subtask_stays_paused_when_the_relay_log_is_switched() -> None:
    paused = Ordered(Order(Stage.PAUSED, 2, 1, "wire", "/relay/s1"), POLICY)
    subtask, actions = after(pause(), paused)
    assert (subtask.stage, actions) == (Stage.PAUSED, [])


def test_a_relay_log_that_has_caught_up_gets_back_who_went_past_it() -> None:
    remote, local = ChildWorked("Sync", {"binlogType": "remote"}), ChildWorked("Sync", {"binlogType": "local"})
    assert after(reading("/relay/s1"), local, RelayCaughtUp())[1] == [Action.START]
    assert after(reading(""), remote, RelayCaughtUp())[1] == [Action.START]
    subtask, actions = after(reading("/relay/s1"), remote, RelayCaughtUp(), RelayCaughtUp())
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START, Action.STOP])


def steered(revision: int, batch: int, wire: str = "wire") -> Ordered:
    return Ordered(Order(Stage.RUNNING, revision, 1, wire, live=LiveSettings(8, batch, 0)), POLICY)


def test_live_settings_are_told_to_the_child_that_is_there() -> None:
    subtask, actions = after(steered(1, 100), WORKED, steered(2, 200))
    assert (subtask.stage, subtask.order.revision, actions) == (Stage.RUNNING, 2, [Action.START, Action.STEER])
    assert after(steered(3, 200), subtask=subtask)[1] == []  # the same ones


def test_live_settings_before_the_first_word_of_the_child() -> None:
    subtask, actions = after(steered(1, 100), steered(2, 200))
    assert (subtask.stage, actions) == (Stage.NEW, [Action.START, Action.STEER])


def test_another_configuration_replaces_the_child_with_its_settings() -> None:
    subtask, actions = after(steered(1, 100), WORKED, steered(2, 200, "other"), steered(3, 300, "other"))
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START, Action.STOP])
    assert after(ChildStopped(), ENDED, subtask=subtask)[1] == [Action.START]


def test_live_settings_start_nothing_that_has_finished() -> None:
    subtask, actions = after(steered(1, 100), WORKED, ChildFinished(), ENDED, steered(2, 200))
    assert (subtask.stage, subtask.order.revision, actions) == (Stage.FINISHED, 2, [Action.START])


def test_live_settings_try_again_what_has_failed() -> None:
    subtask, actions = after(steered(1, 100), WORKED, LASTING, ENDED, steered(2, 50))
    assert (subtask.stage, actions) == (Stage.RESUMING, [Action.START, Action.START])
