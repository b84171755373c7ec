"""A COMMIT that is on its way while its connection is lost: the applier asks for it on real servers.

The first transaction holds the channel's row and is not at its end when the applier, connected anew,
wants to know whether it did commit.  It must wait for that, or the batch would be applied twice.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from dm_worker.syncer.applier import Applier, ApplySettings, Counters
from dm_worker.syncer.channels import Channels
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.rows.job import Job
from pkg.rows.statements import Limits
from pkg.task.secret import Secret
from tests.unit.rows.tables import keyed
from tests.unit.rows.test_statements import ONE, jobs

SOURCE, EPOCH = "s1", 7


@dataclass
class Lost:
    """An applier, its batch, and the connection on which an earlier try has not ended."""

    applier: Applier
    batch: list[Job]
    earlier: Connection
    watching: Connection

    def is_waiting(self) -> bool:
        with self.watching.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'UPDATE%asked%'")
            found = cursor.fetchone()
            return found is not None and bool(found[0])


@pytest.fixture(params=["mariadb", "tidb"])
def lost(request: pytest.FixtureRequest) -> Iterator[Lost]:
    server: Any = request.getfixturevalue(request.param)
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    tables = MetaTables(f"meta_{uuid.uuid4().hex[:8]}", "t")

    def connected(flag: int = 0) -> Connection:
        return connect(options, side="downstream", client_flag=flag)

    with ExitStack() as stack:
        earlier, watching = (stack.enter_context(closing(connected())) for _ in range(2))
        create_meta_tables(watching, tables)
        stack.callback(watching.query, f"DROP DATABASE {tables.schema}")
        watching.query(f"INSERT INTO {tables.channel} (source_id, channel, epoch) VALUES ('{SOURCE}', 0, {EPOCH})")
        settings = ApplySettings(connected, tables, SOURCE, EPOCH, Limits(), 1 << 20, True)
        channels = Channels(1, batch=10, queue_rows=10, budget_bytes=1 << 20)
        applier = Applier(0, channels, settings, Counters())
        stack.callback(applier._close)
        batch = jobs(keyed(), (None, ONE))
        earlier.begin()
        earlier.query(applier._move(batch[-1].place).sql)
        yield Lost(applier, batch, earlier, watching)


@pytest.mark.parametrize("committed", [True, False])
def test_whether_it_did_is_known_when_it_has_ended(lost: Lost, committed: bool) -> None:
    answers: list[bool] = []
    asking = threading.Thread(target=lambda: answers.append(lost.applier._is_applied()))
    asking.start()
    while asking.is_alive() and not lost.is_waiting():
        pass
    if committed:
        lost.earlier.commit()
    else:
        lost.earlier.rollback()
    asking.join(60)
    assert answers == [committed]


@pytest.mark.parametrize("lost", ["tidb"], indirect=True)
def test_one_without_locks_can_not_commit_after_the_question(lost: Lost) -> None:
    lost.earlier.rollback()
    lost.earlier.query("BEGIN OPTIMISTIC")
    lost.earlier.query(lost.applier._move(lost.batch[-1].place).sql)
    assert not lost.applier._is_applied()
    with pytest.raises(DMError) as refused:
        lost.earlier.commit()
    assert errno_of(refused.value) == 9007
    assert not lost.applier._is_applied()


@pytest.mark.parametrize("lost", ["tidb"], indirect=True)
def test_what_two_runs_write_meets_in_the_channels_row(lost: Lost) -> None:
    """Replays move no place; a run that was replaced must not commit them all the same."""
    lost.earlier.rollback()
    lost.earlier.query("BEGIN OPTIMISTIC")
    lost.earlier.query(lost.applier._move(None).sql)
    lost.watching.query(f"UPDATE {lost.applier._settings.tables.channel} SET epoch = {EPOCH + 1}")
    with pytest.raises(DMError):
        lost.earlier.commit()


def test_a_batch_of_replays_is_known_by_its_number(lost: Lost) -> None:
    """It moves no place; rows of tables without a key would come twice if it were taken for lost."""
    lost.earlier.rollback()
    for job in lost.batch:
        job.is_replay = True
    assert not lost.applier._is_applied()
    lost.earlier.begin()
    lost.earlier.query(lost.applier._move(None).sql)
    lost.earlier.commit()
    assert lost.applier._is_applied()
    assert lost.applier._is_applied()


def test_the_question_leaves_no_lock(lost: Lost) -> None:
    lost.earlier.commit()
    assert lost.applier._is_applied()
    other = replace(lost.applier._settings, source_id=SOURCE)
    lost.earlier.begin()
    lost.earlier.query(f"UPDATE {other.tables.channel} SET row_index = 9 WHERE source_id = '{SOURCE}'")
    lost.earlier.rollback()
