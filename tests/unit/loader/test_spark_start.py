"""When a full migration starts Spark."""

from __future__ import annotations

import pytest

from dm_worker.loader.spark_start import SparkStart
from dm_worker.loader.unit import FullMigration
from pkg.adapters.spark import NO_JAVA
from pkg.errors import DMError
from pkg.task.blocks import SparkConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig

MB, GB = 1 << 20, 1 << 30


@pytest.mark.parametrize(
    ("config", "waits"),
    [
        ({}, True),
        ({"master": "local[2]"}, True),
        ({"start": "at-once"}, False),
        ({"master": "spark://127.0.0.1:7077"}, False),
        ({"master": "yarn", "start": "auto"}, False),
    ],
)
def test_on_one_machine_threads_do_what_is_small(config: dict[str, str], waits: bool) -> None:
    when = SparkStart.of(SparkConfig.model_validate(config))
    assert when.waits is waits
    assert (when.for_bytes(100 * MB), when.for_chunks(50), when.after(5)) == (not waits,) * 3
    assert (when.for_bytes(2 * GB), when.after(60)) == (True, True)
    assert (when.for_bytes(MB), when.for_chunks(2), when.after(0.5)) == (False,) * 3


def migration(config: SparkConfig) -> FullMigration:
    server = ConnectionConfig(host="127.0.0.1", port=1, user="root")
    return FullMigration(
        SubtaskConfig(
            task_name="t", source_id="s", task_mode=TaskMode.ALL, upstream=server, target=server, spark=config
        ),
        1,
    )


def test_without_java_threads_do_all_unless_spark_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert migration(SparkConfig())._start_engine() is None
    for asked in (SparkConfig(start="at-once"), SparkConfig(master="spark://127.0.0.1:7077")):
        with pytest.raises(DMError) as refused:
            migration(asked)._start_engine()
        assert refused.value.is_a(NO_JAVA)
