"""Chunks that have got many more rows than they were planned for."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pkg.task.blocks import DumpConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import assert_same, execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_interruptions import _await as await_condition
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import points_of
from tests.servers import RunningServer

POINTS = points_of("tests/cases/full/test_split.py")
ROWS = 100  # of a chunk


def chunks(target: RunningServer, schema: str, wanted: str = "*") -> list[tuple[int, ...]]:
    tables = query(target, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}_meta'")
    if (f"{schema}_sparkdm_chunk",) not in tables:
        return []
    return query(target, f"SELECT {wanted} FROM {schema}_meta.{schema}_sparkdm_chunk")


@contextmanager
def grown(
    source: RunningServer,
    target: RunningServer,
    schema: str,
    gate: Path,
    more: str = "",
    consistency: str = "none",
    *,
    is_text: bool = False,
) -> Iterator[tuple[SubtaskConfig, subprocess.Popen[str]]]:
    """A run of which the last chunk gets 3,000 rows, and one in the middle 900, when it is planned."""
    key, kind = ("LPAD({}, 20, '0')", "CHAR(20)") if is_text else ("{}", "BIGINT")
    rows = f"SELECT {key.format('IF(n < 300, n, n + 20000)')}, 'planned' FROM ({THOUSAND}) t WHERE n < 600"
    fresh(
        source, target, schema, f"CREATE TABLE t (id {kind} PRIMARY KEY, v VARCHAR(20))", f"INSERT INTO t {rows}",
        "ANALYZE TABLE t",
    )  # fmt: skip
    dump = DumpConfig(rows=ROWS, threads=2, consistency=consistency)
    config = subtask(source, target, schema, dump=dump)
    gate.touch()
    process = start(config, crashpoints=f"loader.plan_stored=hold:{gate}{more}")
    try:
        await_condition(lambda: bool(chunks(target, schema)))
        for step in (400, 30000, 40000, 50000):
            new = f"SELECT {key.format(f'n + {step}')}, 'new' FROM ({THOUSAND}) t WHERE n < 900"
            execute(source, f"INSERT INTO t {new}", database=schema)
        gate.unlink()
        yield config, process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("pair", "consistency", "is_text"), [("mariadb-tidb", "none", False), ("mysql-mariadb", "flush", True)]
)
def test_they_are_cut_when_their_turn_comes(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str, consistency: str, is_text: bool
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema = f"split_{consistency}"
    with grown(source, target, schema, tmp_path / "gate", consistency=consistency, is_text=is_text) as (_, process):
        ended = outcome(process)
        assert ended["exit"] == 0, ended["log"]
    assert "is larger than planned" in ended["log"]
    assert_same(source, target, schema, ["t"])
    found = chunks(target, schema, "done > 0, row_count")
    assert all(done for done, _ in found)
    assert sum(rows for _, rows in found) == ended["finishedRows"] == 4200
    assert max(rows for _, rows in found) <= 4 * ROWS


@pytest.mark.parametrize("point", POINTS)
def test_a_run_that_dies_when_it_has_cut_one_goes_on_with_both(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, point: str
) -> None:
    schema = "split_killed"
    with grown(mariadb, tidb, schema, tmp_path / "gate", f",{point}@3=kill") as (config, process):
        assert outcome(process)["exit"] == -signal.SIGKILL
        migrate(config)
    assert_same(mariadb, tidb, schema, ["t"])
    assert sum(rows for (rows,) in chunks(tidb, schema, "row_count")) == 4200
