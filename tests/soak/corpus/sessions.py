"""The upstream's sessions in one file of the corpus: each step runs in the session that it names."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pymysql
from pymysql.constants import CLIENT

from tests.cases.replicate.comparing import Server
from tests.servers import RunningServer

ANSWER_SECONDS = 40.0
FIRST = "default"
Rows = list[tuple[bytes | None, ...]]


@dataclass(frozen=True, slots=True)
class Step:
    """What one session does: "open" (``text``: user, password and schema, by tabs), "close", "sql", "send" or "reap"."""

    session: str
    what: str
    text: str = ""
    line: int = 0


@dataclass(slots=True)
class Answer:
    """What came of a statement: the columns and rows of its last result, or an error's number."""

    columns: tuple[str, ...] = ()
    rows: Rows | None = None
    error: int = 0


class Session:
    """One connection, which may have a statement under way on a thread of its own."""

    def __init__(self, server: RunningServer, charset: str, user: str, password: str, schema: str) -> None:
        self._link = pymysql.connect(
            unix_socket=str(server.socket), user=user, password=password, database=schema or None, charset=charset,
            client_flag=CLIENT.MULTI_STATEMENTS, local_infile=True, autocommit=None, use_unicode=False, conv={},
            connect_timeout=10, read_timeout=ANSWER_SECONDS, write_timeout=ANSWER_SECONDS,
        )  # fmt: skip
        self._link.encoding = "latin1"  # names of columns, which may be in any character set
        self._sent: Future[Answer] | None = None

    def run(self, sql: str) -> Answer:
        self.reap()
        return self._run(sql)

    def send(self, sql: str, pool: ThreadPoolExecutor) -> None:
        self.reap()
        self._sent = pool.submit(self._run, sql)

    def reap(self) -> Answer:
        sent, self._sent = self._sent, None
        return Answer() if sent is None else sent.result()

    def _run(self, sql: str) -> Answer:
        answer = Answer()
        try:
            self._link.query(sql.encode("latin1", "replace"))
            while True:
                self._keep(answer)
                result: Any = self._link._result  # type: ignore[attr-defined]
                if result is None or not result.has_next:
                    return answer
                self._link.next_result()
        except pymysql.err.MySQLError as exc:
            answer.error = exc.args[0] if exc.args and isinstance(exc.args[0], int) else 2000
        except (OSError, ValueError, AttributeError, IndexError, AssertionError):  # the protocol's state is lost
            answer.error = 2013
        return answer

    def _keep(self, answer: Answer) -> None:
        result: Any = self._link._result  # type: ignore[attr-defined]
        if result is not None and result.rows is not None and result.description:
            answer.columns = tuple(column[0] for column in result.description)
            answer.rows = list(result.rows)

    @property
    def number(self) -> int:
        """The server's number of the connection."""
        return int(self._link.thread_id())

    @property
    def is_alive(self) -> bool:
        return bool(self._link.open)

    def close(self) -> None:
        with suppress(Exception):
            self._link._force_close()  # type: ignore[attr-defined]


class Sessions:
    """All sessions of one file, by name."""

    def __init__(self, server: RunningServer, charset: str, before: Callable[[Step], None]) -> None:
        """``before`` is called with each statement that is about to run."""
        self._server = server
        self._charset = charset
        self._before = before
        self._open: dict[str, Session] = {}
        self._pool = ThreadPoolExecutor(thread_name_prefix="corpus")
        self.trace: list[Step] = []

    def do(self, step: Step) -> Answer:
        self.trace.append(step)
        if step.what == "close":
            session = self._open.pop(step.session, None)
            if session is not None:
                session.close()
            return Answer()
        if step.what == "open":
            return self._log_in(step)
        session = self._of(step.session)
        if session is None:
            return Answer(error=2002)
        if step.what == "reap":
            return session.reap()
        self._before(step)
        if step.what == "send":
            session.send(step.text, self._pool)
            return Answer()
        return session.run(step.text)

    def _of(self, name: str) -> Session | None:
        session = self._open.get(name)
        if session is not None and not session.is_alive:
            session = None
        if session is None:
            self._log_in(Step(name, "open", "root\t\ttest"))
            session = self._open.get(name)
        return session

    def _log_in(self, step: Step) -> Answer:
        user, password, schema = (*step.text.split("\t"), "", "")[:3]
        old = self._open.pop(step.session, None)
        if old is not None:
            old.close()
        for tried in (schema, ""):
            try:
                self._open[step.session] = Session(self._server, self._charset, user, password, tried)
                return Answer()
            except pymysql.err.MySQLError as exc:
                error = exc.args[0] if exc.args and isinstance(exc.args[0], int) else 2000
            except OSError:
                error = 2002
            if error != 1049:
                return Answer(error=error)
        return Answer(error=1049)

    def schema_of(self, name: str, asked: Server) -> str:
        """The default database of a session, as another connection sees it."""
        session = self._open.get(name)
        if session is None:
            return "test"
        found = asked.query(f"SELECT DB FROM information_schema.PROCESSLIST WHERE ID = {session.number}")
        return str(found[0][0] or "") if found else ""

    def close(self) -> None:
        """End all sessions; what they had open is rolled back when the server has seen it."""
        for session in self._open.values():
            session.close()
        self._open.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
