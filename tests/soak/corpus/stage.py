"""The servers of one pass: an upstream, its native replica, a target, and the replication between them."""

from __future__ import annotations

import re
import shutil
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pymysql

from pkg.binlog.position import Position
from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.comparing import Server
from tests.cases.replicate.replication import Pause, Replication, present_position
from tests.servers import RunningServer, start
from tests.soak.corpus.judge import META, SYSTEM, Judge
from tests.soak.corpus.passes import Pass

PATIENCE = 60.0  # seconds in which replication must get on
LONGEST = 45.0  # seconds that it may take to get to a place
POLL_SECONDS = 0.02
# What the suite's own configuration sets, limits that keep a blocked statement from holding the campaign, and a
# folder without which files could be read and written anywhere.
_COMMON = (
    "--log-bin-trust-function-creators=1",
    "--max-allowed-packet=16M",
    "--log-slave-updates=0",
    "--innodb-buffer-pool-size=64M",
    "--slave-net-timeout=60",
    "--debug-no-sync",
)
_LIMITS = ("--lock-wait-timeout=2", "--innodb-lock-wait-timeout=1", "--max-statement-time=15")


class NativeStopped(Exception):
    """The native replica ended with an error: nothing can be said of the file."""


class Stage:
    """All servers; `with Stage(...) as stage`."""

    def __init__(self, one: Pass, suite: Path, folder: Path) -> None:
        self.one = one
        self.folder = folder
        self._suite = suite
        self._open = ExitStack()
        self._runs = 0
        self._globals: dict[str, str] = {}

    def __enter__(self) -> Stage:
        try:
            self._start()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def renew(self) -> None:
        """Other servers in place of these."""
        self._open.close()
        self._open, self._runs = ExitStack(), 0
        self._start()

    def _start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "std_data").exists():
            shutil.copytree(self._suite / "std_data", self.folder / "std_data")
        own = [f"--secure-file-priv={self.folder}", *_COMMON, *self.one.options]
        self.upstream = self._server("mariadb", [*own, *_LIMITS])
        self.native = self._server("mariadb", own)
        self.target = self._server(self.one.target, self._target_options())
        self.replication = Replication(self.folder / "replication.log")
        self._open.callback(self.replication.close)
        self.judge = Judge(*(self._end(one) for one in (self.upstream, self.native, self.target)))
        self._globals = self._global_values()
        self.begin()

    def _server(self, kind: str, options: list[str]) -> RunningServer:
        return self._open.enter_context(start(kind, options=options))

    def _target_options(self) -> list[str]:
        """Another default character set than the upstream's: what a DDL leaves unsaid must not depend on it."""
        if self.one.target == "mysql":
            return ["--skip-log-bin", "--innodb-flush-method=nosync"]
        if self.one.target == "tidb":
            return []
        other = {"latin1": "utf8mb4", "utf8mb4": "latin1"}[self.one.charset]
        return [*_COMMON, f"--default-storage-engine={self.one.engine}", f"--character-set-server={other}"]

    def _end(self, server: RunningServer) -> Server:
        link = server.connect(ssl_disabled=True, read_timeout=120)
        self._open.callback(link.close)
        end = Server(server.kind, link)
        end.query("SET time_zone = '+00:00'")
        if server is self.upstream:  # a table that a file has locked is not waited for
            end.query("SET lock_wait_timeout = 1, max_statement_time = 0, sql_mode = ''")
        else:
            end.query("SET sql_mode = ''")
        return end

    # --- replication

    def begin(self) -> None:
        """Empty servers, and both replications from the upstream's present end."""
        if self._runs:
            self.replication.stop()
        native = self.judge.native
        native.query("STOP SLAVE")
        native.query("RESET SLAVE ALL")
        for end in (self.judge.upstream, native, self.judge.target):
            self._clear(end)
        self._runs += 1
        self._begin_native()
        self.replication.start(self._subtask())

    def _clear(self, end: Server) -> None:
        if end.kind == "mariadb":
            end.query("SET sql_log_bin = 0")
        end.query("SET foreign_key_checks = 0")
        for (name,) in end.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"):
            if name.lower() not in SYSTEM:
                end.query(f"DROP DATABASE IF EXISTS {quoted(name)}")
        if end.kind == "mariadb":
            self._drop_users(end)
        end.query("SET foreign_key_checks = 1")
        collation = {"latin1": "latin1_swedish_ci", "utf8mb4": "utf8mb4_general_ci"}[self.one.charset]
        known = collation if end.kind != "tidb" else "utf8mb4_general_ci"
        end.query(f"CREATE DATABASE test COLLATE {known}")
        if end.kind == "mariadb":
            end.query("SET sql_log_bin = 1")

    def _drop_users(self, end: Server) -> None:
        for user, host, is_role in end.query(
            "SELECT User, Host, JSON_VALUE(Priv, '$.is_role') FROM mysql.global_priv "
            "WHERE User NOT IN ('root', 'mariadb.sys', 'PUBLIC')"
        ):
            with suppress(pymysql.err.MySQLError):
                if is_role:
                    end.query(f"DROP ROLE IF EXISTS {text(user)}")
                else:
                    end.query(f"DROP USER IF EXISTS {text(user)}@{text(host)}")

    def _begin_native(self) -> None:
        place, native = present_position(self.upstream), self.judge.native
        by = f"MASTER_LOG_FILE='{place.name}', MASTER_LOG_POS={place.offset}"
        if self.one.gtid:
            begun = self.judge.upstream.query("SELECT @@gtid_binlog_pos")[0][0]
            native.query(f"SET GLOBAL gtid_slave_pos = '{begun}'")
            by = "MASTER_USE_GTID=slave_pos"
        native.query(
            f"CHANGE MASTER TO MASTER_HOST='{self.upstream.host}', MASTER_PORT={self.upstream.port}, MASTER_USER='root', "
            f"MASTER_CONNECT_RETRY=1, {by}"
        )
        native.query("START SLAVE")

    def _subtask(self) -> SubtaskConfig:
        return SubtaskConfig(
            task_name=f"corpus_{self._runs}",
            source_id="corpus",
            task_mode=TaskMode.INCREMENTAL,
            upstream=ConnectionConfig(host=self.upstream.host, port=self.upstream.port, user="root"),
            target=ConnectionConfig(
                host=self.target.host, port=self.target.port, user="root", session={"foreign_key_checks": "0"}
            ),
            meta_schema=META,
            enable_gtid=self.one.gtid,
            sync={"worker-count": 4, "checkpoint-flush-interval": 1},
        )

    def place(self) -> Position:
        """Where the upstream's binlog ends."""
        return present_position(self.upstream)

    def caught_up(self) -> Pause | None:
        """Wait until both have all that the upstream has; a pause of the task.

        Raises NativeStopped, TimeoutError where the task is stuck, and SlowError.
        """
        place = self.place()
        pause = self.replication.until(place, PATIENCE, POLL_SECONDS, LONGEST)
        waited = self.judge.native.query(f"SELECT MASTER_POS_WAIT('{place.name}', {place.offset}, {PATIENCE})")[0][0]
        if waited is None or waited < 0:
            raise NativeStopped(self._native_error())
        return pause

    def _native_error(self) -> str:
        with self.judge.native.link.cursor(pymysql.cursors.DictCursor) as cursor:
            cursor.execute("SHOW SLAVE STATUS")
            status: dict[str, Any] = cursor.fetchone() or {}
        return f"{status.get('Last_SQL_Errno')} {status.get('Last_SQL_Error') or status.get('Last_IO_Error') or 'late'}"

    # --- between files

    def tidy(self) -> None:
        """Undo what a file has left behind upstream: databases, users, global variables."""
        end = self.judge.upstream
        end.query("UNLOCK TABLES")
        self._restore_globals(end)
        end.query("SET foreign_key_checks = 0")
        schemas = {name for (name,) in end.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")}
        for name in schemas - set(SYSTEM):
            if name != "test" or not self._is_fresh(end):
                end.query(f"DROP DATABASE {quoted(name)}")
        self._drop_users(end)
        end.query("SET foreign_key_checks = 1")
        end.query("CREATE DATABASE IF NOT EXISTS test")

    def takes_sessions(self) -> bool:
        """Whether a file's sessions can log in: one that is about accounts may have locked root out."""
        try:
            pymysql.connect(unix_socket=str(self.upstream.socket), user="root").close()
        except pymysql.err.MySQLError:
            return False
        return True

    def _is_fresh(self, end: Server) -> bool:
        collation = {"latin1": "latin1_swedish_ci", "utf8mb4": "utf8mb4_general_ci"}[self.one.charset]
        found = end.query(
            "SELECT (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test') + (SELECT COUNT(*) FROM "
            "information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'test') + (SELECT COUNT(*) FROM mysql.event WHERE db = "
            "'test'), (SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'test')"
        )
        return found == [(0, collation)]

    def _global_values(self) -> dict[str, str]:
        return dict(self.judge.upstream.query("SHOW GLOBAL VARIABLES"))

    def _restore_globals(self, end: Server) -> None:
        for name, value in self._global_values().items():
            wanted = self._globals.get(name)
            if wanted is not None and value != wanted and not re.match(r"gtid_|pseudo|.*timestamp$", name):
                said = wanted if re.fullmatch(r"-?\d+(\.\d+)?", wanted) else text(wanted)
                with suppress(pymysql.err.MySQLError):
                    end.query(f"SET GLOBAL {name} = {said}")

    def sessions_are_gone(self) -> None:
        """Wait until the server has ended the file's sessions, which rolls back what they had open."""
        end, deadline = self.judge.upstream, time.monotonic() + 20
        own = end.query("SELECT CONNECTION_ID()")[0][0]
        while time.monotonic() < deadline:
            left = end.query(
                "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND NOT IN ('Binlog Dump', 'Daemon', "
                f"'Slave_IO', 'Slave_SQL') AND USER NOT IN ('system user', 'event_scheduler') AND ID <> {own} AND "
                "HOST = 'localhost'"
            )
            if not left:
                return
            for (number,) in left:
                with suppress(pymysql.err.MySQLError):
                    end.query(f"KILL {number}")
            time.sleep(0.005)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
