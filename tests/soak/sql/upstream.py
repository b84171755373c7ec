"""The server of a source, behind an address that stays when another server takes its place."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

import pymysql

from tests.servers import RunningServer, start
from tests.servers.forwarder import Forwarder
from tests.servers.replica import execute, follow, has_all, logged

FOLLOW_SECONDS = 30.0
_EMPTY = {
    "mariadb": ("RESET MASTER", "SET GLOBAL gtid_slave_pos = '{gtids}'"),
    "mysql": ("RESET BINARY LOGS AND GTIDS", "SET GLOBAL gtid_purged = '{gtids}'"),
}
_ALONE = {
    "mariadb": ("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL gtid_slave_pos = ''"),
    "mysql": ("STOP REPLICA", "RESET REPLICA ALL"),
}


class Upstream:
    """`server` is the one that is there now; dm-workers reach it by `port`."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.server: RunningServer = start(kind)
        self._forwarder = Forwarder(self.server.port)
        self._folder = folder
        self._backup: Path | None = None
        self._begun: str | None = None  # the GTIDs at which it held nothing

    @property
    def port(self) -> int:
        return self._forwarder.port

    def begin(self) -> None:
        """A round begins: the server holds nothing."""
        self._forget_backup()
        self._begun = logged(self.server)

    def close(self) -> None:
        self._forget_backup()
        self._forwarder.__exit__()
        self.server.close()

    def reset(self) -> None:
        """Its binlog begins anew."""
        is_mysql = self.server.kind == "mysql"
        execute(self.server, "RESET BINARY LOGS AND GTIDS" if is_mysql else "RESET MASTER", "FLUSH BINARY LOGS")
        self._begun = None

    def back_up(self) -> None:
        """As a snapshot of its disk would."""
        self._forget_backup()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._backup = self.server.snapshot(self._folder)

    def restore(self) -> bool:
        """It crashes, and comes back with what it had when it was backed up; whether it was."""
        if self._backup is None:
            return False
        backup, self._backup = self._backup, None
        self.server.put_back(backup)
        return True

    def switch(self) -> bool:
        """A replica takes the server's place, which is gone; whether there was one that had all."""
        if self._begun is None:
            return False
        former, replica = self.server, start(self.server.kind)
        execute(replica, *(text.format(gtids=self._begun) for text in _EMPTY[replica.kind]))
        follow(replica, former)
        if not _in_step(replica, former):
            replica.close()
            return False
        execute(replica, *_ALONE[replica.kind])
        self._forwarder.point_at(replica.port)
        self.server = replica
        former.close()
        self._forget_backup()
        return True

    def _forget_backup(self) -> None:
        if self._backup is not None:
            shutil.rmtree(self._backup, ignore_errors=True)
        self._backup = None


def _in_step(replica: RunningServer, source: RunningServer) -> bool:
    end = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < end:
        with suppress(pymysql.Error):
            if has_all(replica, source):
                return True
        time.sleep(0.1)
    return False
