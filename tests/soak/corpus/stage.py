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
from tests.servers.mysql import seen_from_inside
from tests.soak.corpus.judge import META, SYSTEM, Judge
from tests.soak.corpus.passes import Pass

PATIENCE = 60.0  # seconds in which replication must get on
LONGEST = 45.0  # seconds that it may take to get to a place
POLL_SECONDS = 0.02
# What the suite's own configuration sets, limits that keep a blocked statement from holding the campaign, and a
# folder without which files could be read and written anywhere.
_LOGS_NOT = ("--max-allowed-packet=16M", "--innodb-buffer-pool-size=64M")
_COMMON = (
    *_LOGS_NOT,
    "--log-bin-trust-function-creators=1",
    "--log-slave-updates=0",
    "--slave-net-timeout=60",
    "--debug-no-sync",
)
_COMMON_OF_MYSQL = (
    *_LOGS_NOT, "--log-bin-trust-function-creators=1", "--log-replica-updates=0", "--innodb-flush-method=nosync",
    "--replica-parallel-workers=0", "--lower-case-table-names=0",
)  # fmt: skip
_LIMITS = ("--lock-wait-timeout=2", "--innodb-lock-wait-timeout=1", "--max-statement-time=15")
_IS_READ_ONLY = 3989  # an error of MySQL's
_LIMITS_OF_MYSQL = ("--lock-wait-timeout=2", "--innodb-lock-wait-timeout=1", "--max-execution-time=15000")


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
        is_mysql = self.one.upstream == "mysql"
        if is_mysql:
            shutil.copytree(self._suite / "std_data", seen_from_inside(self.folder) / "std_data", dirs_exist_ok=True)
        common, limits = (_COMMON_OF_MYSQL, _LIMITS_OF_MYSQL) if is_mysql else (_COMMON, _LIMITS)
        own = [f"--secure-file-priv={self.folder}", *common, *self.one.options]
        self.upstream = self._server(self.one.upstream, [*own, *limits])
        self.native = self._server(self.one.upstream, own)
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
            unlimited = "max_execution_time" if server.kind == "mysql" else "max_statement_time"
            end.query(f"SET lock_wait_timeout = 1, {unlimited} = 0, sql_mode = ''")
        else:
            end.query("SET sql_mode = ''")
        return end

    # --- replication

    def begin(self) -> None:
        """Empty servers, and both replications from the upstream's present end."""
        if self._runs:
            self.replication.stop()
        native = self.judge.native
        native.query(f"STOP {self._replica}")
        native.query(f"RESET {self._replica} ALL")
        for end in (self.judge.upstream, native, self.judge.target):
            self._clear(end)
        self._runs += 1
        self._begin_native()
        self.replication.start(self._subtask())

    def _clear(self, end: Server) -> None:
        if end.kind == self.one.upstream:
            end.query("SET sql_log_bin = 0")
        end.query("SET foreign_key_checks = 0")
        for (name,) in end.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"):
            if name.lower() not in SYSTEM:
                end.query(f"DROP DATABASE IF EXISTS {quoted(name)}")
        if end.kind == self.one.upstream:
            self._drop_users(end)
        end.query("SET foreign_key_checks = 1")
        known = self.one.collation if end.kind != "tidb" else "utf8mb4_general_ci"
        end.query(f"CREATE DATABASE test COLLATE {known}")
        if end.kind == self.one.upstream:
            end.query("SET sql_log_bin = 1")

    @property
    def _replica(self) -> str:
        return "REPLICA" if self.one.upstream == "mysql" else "SLAVE"

    def _drop_users(self, end: Server) -> None:
        if end.kind == "mysql":
            for user, host in end.query("SELECT User, Host FROM mysql.user WHERE User NOT REGEXP '^(root$|mysql[.])'"):
                with suppress(pymysql.err.MySQLError):
                    end.query(f"DROP USER IF EXISTS {text(user)}@{text(host)}")
            return
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
        if self.one.upstream == "mysql":
            native.query(
                f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='{self.upstream.host}', SOURCE_PORT={self.upstream.port}, "
                f"SOURCE_USER='root', GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1, SOURCE_LOG_FILE='{place.name}', "
                f"SOURCE_LOG_POS={place.offset}"
            )
            native.query("START REPLICA")
            return
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
        checked = "0" if self.one.upstream == "mysql" else "1"  # which logs what it cascades
        return SubtaskConfig(
            task_name=f"corpus_{self._runs}",
            source_id="corpus",
            task_mode=TaskMode.INCREMENTAL,
            upstream=ConnectionConfig(host=self.upstream.host, port=self.upstream.port, user="root"),
            target=ConnectionConfig(
                host=self.target.host, port=self.target.port, user="root", session={"foreign_key_checks": checked}
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
        wait = "SOURCE_POS_WAIT" if self.one.upstream == "mysql" else "MASTER_POS_WAIT"
        waited = self.judge.native.query(f"SELECT {wait}('{place.name}', {place.offset}, {PATIENCE})")[0][0]
        if waited is None or waited < 0:
            raise NativeStopped(self._native_error())
        return pause

    def _native_error(self) -> str:
        with self.judge.native.link.cursor(pymysql.cursors.DictCursor) as cursor:
            cursor.execute(f"SHOW {self._replica} STATUS")
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
                self._drop(end, name)
        self._drop_users(end)
        end.query("SET foreign_key_checks = 1")
        end.query("CREATE DATABASE IF NOT EXISTS test")

    def _drop(self, end: Server, name: str) -> None:
        try:
            end.query(f"DROP DATABASE {quoted(name)}")
        except pymysql.err.MySQLError as exc:
            if exc.args[0] == _IS_READ_ONLY:
                end.query(f"ALTER DATABASE {quoted(name)} READ ONLY = 0")
            self.sessions_are_gone()
            end.query(f"DROP DATABASE {quoted(name)}")

    def takes_sessions(self) -> bool:
        """Whether a file's sessions can log in: one that is about accounts may have locked root out."""
        try:
            pymysql.connect(unix_socket=str(self.upstream.socket), user="root").close()
        except pymysql.err.MySQLError:
            return False
        return True

    def _is_fresh(self, end: Server) -> bool:
        found = end.query(
            "SELECT (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test') + (SELECT COUNT(*) FROM "
            "information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'test') + (SELECT COUNT(*) FROM information_schema.EVENTS WHERE "
            "EVENT_SCHEMA = 'test'), (SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'test')"
        )
        return found == [(0, self.one.collation)]

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
                "'Slave_IO', 'Slave_SQL', "
                f"'Binlog Dump GTID') AND USER NOT IN ('system user', 'event_scheduler') AND ID <> {own} AND "
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
