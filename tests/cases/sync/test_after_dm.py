"""Going on where DM stopped: DM's checkpoint rows in the target are taken over, and every change arrives once."""

from __future__ import annotations

import logging
import time

import pytest

from pkg.errors import DMError
from tests.cases.sync.dm_left import NOWHERE
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("job")

CHANGE = ("UPDATE counter SET n = n + 1", "INSERT INTO counter VALUES (4, 0, 'd')", "DELETE FROM counter WHERE id = 3")
LATER = ("UPDATE counter SET n = n + 10", "INSERT INTO log VALUES (1, 'x'), (7, 'later')")


@pytest.fixture(params=["mariadb", "mysql"])
def job(request: pytest.FixtureRequest, tidb: RunningServer) -> Pair:
    upstream = request.getfixturevalue(request.param)
    return made(f"dm_left_{request.param}_{abs(hash(request.node.name)) % 10**6}", upstream, tidb)


@pytest.mark.parametrize("enable_gtid", [True, False], ids=["gtid", "position"])
def test_an_exact_checkpoint_needs_no_safe_mode(job: Pair, enable_gtid: bool) -> None:
    place = job.here()
    relay = (place[0].replace(".", "|000001."), place[1], place[2])
    with job.left() as left:
        left.checkpoint("one", relay, exit_point=relay)
        left.table("one", job.name, "log", relay)
    job.on(CHANGE + LATER, job.upstream)
    with running(job.config(enable_gtid=enable_gtid)) as syncer:
        until(job.is_equal, "all arrives")
        assert syncer.status()["safeMode"] is False
    job.on(LATER, job.upstream)
    with running(job.config(enable_gtid=enable_gtid)):
        until(job.is_equal, "all arrives after a restart, which finds the task's own checkpoint")


@pytest.mark.parametrize("enable_gtid", [True, False], ids=["gtid", "position"])
def test_what_a_killed_dm_applied_beyond_its_checkpoint_is_repeated_safely(
    job: Pair, enable_gtid: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with job.left() as left:
        left.checkpoint("one", job.here())
    job.both(*CHANGE)
    end = job.here()
    job_config = job.config(enable_gtid=enable_gtid)
    with caplog.at_level(logging.INFO), cursor_on(job.upstream, job.name) as writing, running(job_config) as syncer:
        until(lambda: "replication starts" in caplog.text, "it runs")
        assert f"taken over from DM, safe mode until ({end[0]}, {end[1]})" in caplog.text
        for statement in LATER:
            writing.execute(statement)
        until(job.is_equal, "all arrives; rows of the keyless table came after safe mode, and arrive once")
        until(lambda: syncer.status()["safeMode"] is False, "safe mode has ended")


def test_safe_mode_ends_behind_dms_exit_point(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_exit", mariadb, tidb)
    begin = job.here()
    job.both(*CHANGE)
    name, offset, gtid = job.here()
    with job.left() as left:
        left.checkpoint("one", begin, exit_point=(name, offset + 1, gtid))
    with cursor_on(job.upstream, job.name) as writing, running(job.config()) as syncer:
        until(lambda: syncer.status().get("syncerBinlog") == f"({name}, {offset})", "it stands before the exit point")
        assert syncer.status()["safeModeReason"] == (
            f"DM ran this task and may have applied more than its checkpoint; until ({name}, {offset + 1})"
        )
        writing.execute(LATER[0])
        until(lambda: not syncer.status()["safeMode"], "safe mode ends")
        writing.execute(LATER[1])
        until(job.is_equal, "all arrives")


def test_a_table_ahead_of_the_global_checkpoint_gets_its_later_rows_only(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    job = made("dm_left_ahead", mariadb, tidb)
    begin = job.here()
    job.both("INSERT INTO log VALUES (5, 'ahead')")
    with job.left() as left:
        left.checkpoint("one", begin, exit_point=begin)
        left.table("one", job.name, "log", job.here())
    job.on(CHANGE + LATER, job.upstream)
    with running(job.config()):
        until(job.is_equal, "the keyless table has its rows once")


def test_a_shard_group_in_the_middle_of_a_ddl_is_refused(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_group", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", job.here())
        left.shard_group("one", f"`{job.name}`.`log`", "ALTER TABLE log ADD COLUMN c INT")
        left.shard_group("other", "`x`.`y`", "of another source")
    with pytest.raises(DMError, match=r"in the middle of a sharded DDL: .*log.* \(ALTER TABLE log") as caught:
        Replication(job.config()).end(SECONDS)
    assert caught.value.kind.code == 24101
    assert "of another source" not in caught.value.message


def test_a_checkpoint_that_cannot_be_read_is_an_error(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_broken", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", ("mysql-bin.000001", 4, "nonsense"))
    with pytest.raises(DMError, match="cannot be read: 'nonsense' is no mariadb GTID set") as caught:
        Replication(job.config(enable_gtid=True)).end(SECONDS)
    assert caught.value.kind.code == 24102


def test_a_start_time_comes_over_dms_checkpoint(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_time", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", ("mysql-bin.000099", 4, ""), NOWHERE)  # would fail
    with cursor_on(job.upstream) as cursor:
        cursor.execute("SELECT UNIX_TIMESTAMP()")
        begun = int(cursor.fetchone()[0])
        until(lambda: bool(cursor.execute("SELECT 1 FROM DUAL WHERE UNIX_TIMESTAMP() > %s", (begun,))), "a second")
    job.on(CHANGE, job.upstream)
    moment = time.strftime("%Y-%m-%d %H:%M:%S+00:00", time.gmtime(begun + 1))
    with running(job.config(start_time=moment)):
        until(job.is_equal, "all since then arrives")
