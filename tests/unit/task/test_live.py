"""Live settings: how they are read, what is refused, where they are kept."""

from __future__ import annotations

import pytest

from pkg.errors import DMError, ErrorKind
from pkg.task import SubtaskConfig, TaskMode
from pkg.task.connection import ConnectionConfig
from pkg.task.live import (
    BAD_SETTING,
    LIVE,
    NOT_LIVE,
    UNKNOWN_SETTING,
    LiveSettings,
    live_of,
    read_changes,
    split_live,
    value_range,
    with_changes,
    with_live,
)

SERVER = ConnectionConfig(host="127.0.0.1", port=3306, user="root", password="secret")


def wire(**sync: object) -> str:
    subtask = SubtaskConfig(
        task_name="t", source_id="s", task_mode=TaskMode.ALL, upstream=SERVER, target=SERVER, sync=sync
    )
    return subtask.to_wire().decode()


def test_the_settings_and_their_ranges() -> None:
    assert {name: value_range(name) for name in LIVE} == {
        "worker-count": (1, 1024),
        "batch": (1, 100_000),
        "max-rows-per-second": (0, 100_000_000),
        "max-bytes-per-second": (0, 2**40),
        "max-threads-running": (0, 100_000),
    }


def test_words_are_read() -> None:
    assert read_changes(["worker-count=8", " batch = 200 "], "t") == {"worker-count": 8, "batch": 200}
    assert read_changes([], "t") == {}
    assert read_changes(["max-bytes-per-second=20MB"], "t") == {"max-bytes-per-second": 20 * 2**20}


@pytest.mark.parametrize(
    ("words", "kind", "text"),
    [
        (["worker-cont=8"], UNKNOWN_SETTING, "'worker-cont'; did you mean worker-count?"),
        (["max_rows_per_second=8"], UNKNOWN_SETTING, "did you mean max-rows-per-second?"),
        (["frobnicate=8"], UNKNOWN_SETTING, "there is no setting 'frobnicate'"),
        ([""], UNKNOWN_SETTING, "there is no setting ''"),
        (["queue-size=8"], NOT_LIVE, "queue-size cannot be changed while the task is there"),
        (["block-allow-list=x"], NOT_LIVE, "max-bytes-per-second and max-threads-running can"),
        (["batch"], BAD_SETTING, "batch needs a value"),
        (["batch=0"], BAD_SETTING, "batch must be a whole number from 1 to 100000, not '0'"),
        (["batch=many"], BAD_SETTING, "not 'many'"),
        (["worker-count=1025"], BAD_SETTING, "from 1 to 1024"),
        (["max-bytes-per-second=fast"], BAD_SETTING, "max-bytes-per-second must be"),
        (["max-rows-per-second=-1"], BAD_SETTING, "from 0 to"),
        (["batch=1", "batch=2"], BAD_SETTING, "batch is given twice"),
    ],
)
def test_what_is_wrong_is_said(words: list[str], kind: ErrorKind, text: str) -> None:
    with pytest.raises(DMError) as refused:
        read_changes(words, "shop")
    assert refused.value.is_a(kind)
    assert text in refused.value.message
    assert "shop" in refused.value.workaround


def test_changes_are_kept_in_the_configuration_and_nothing_else_changes() -> None:
    before = wire(**{"batch": 100, "queue-size": 77})
    after = SubtaskConfig.from_wire(with_changes(before, {"worker-count": 2, "batch": 7}))
    assert live_of(after) == LiveSettings(2, 7, 0)
    assert after.sync.queue_size == 77
    assert after.target.password.reveal() == "secret"
    assert with_live(after, LiveSettings(8, 100, 0)) == SubtaskConfig.from_wire(before)


def test_changes_that_change_nothing() -> None:
    before = wire(batch=100)
    assert with_changes(before, {"batch": 100}) is before


def test_only_live_settings_are_split_off() -> None:
    rest, live = split_live(wire(**{"batch": 100, "worker-count": 3}))
    assert live == LiveSettings(3, 100, 0)
    assert split_live(wire(**{"max-rows-per-second": 5})) == (rest, LiveSettings(8, 500, 5))
    assert split_live(wire(**{"queue-size": 5}))[0] != rest
    assert with_live(SubtaskConfig.from_wire(rest), live).sync.batch == 100


def test_settings_of_the_copy_stand_in_their_own_block() -> None:
    after = SubtaskConfig.from_wire(with_changes(wire(batch=100), {"max-bytes-per-second": 5000}))
    assert (after.sync.batch, after.load.max_bytes_per_second) == (100, 5000)
    assert split_live(after.to_wire().decode())[1] == LiveSettings(8, 100, 0, max_bytes_per_second=5000)
