"""One file of the corpus on one stage: its statements upstream, comparisons before each DROP and at its end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pymysql

from tests.cases.replicate.comparing import TableName, structures
from tests.cases.replicate.replication import SlowError
from tests.soak.corpus.allowed import first_words
from tests.soak.corpus.interpreter import FileEnds, Interpreter
from tests.soak.corpus.judge import SYSTEM, Difference
from tests.soak.corpus.sessions import Sessions, Step
from tests.soak.corpus.stage import NativeStopped, Stage

MOST_SECONDS = 40.0  # of one file
MOST_DIFFERENCES = 10
AHEAD = 100  # statements by which a file may be ahead of its replication: so a pause is seen soon, and its time counts
_DROPS = re.compile(
    r"\s*(?:DROP\s+(?:TEMPORARY\s+)?TABLES?|TRUNCATE(?:\s+TABLE)?|CREATE\s+OR\s+REPLACE\s+TABLE)\s+"
    r"(?:IF\s+(?:NOT\s+)?EXISTS\s+)?((?:`[^`]+`|[\w$.\x80-\xff]+)(?:\s*[.,]\s*(?:`[^`]+`|[\w$.\x80-\xff]+))*)",
    re.I,
)
_DROPS_SCHEMA = re.compile(r"\s*DROP\s+(?:DATABASE|SCHEMA)\s+(?:IF\s+EXISTS\s+)?`?([^`\s;]+)", re.I)
_NAME = re.compile(r"`([^`]+)`|([^\s.,`]+)")


@dataclass
class Outcome:
    """What became of a file: "equal", "nothing" (nothing was written), "different", "paused", "stuck", "slow", "native" (the
    native replica itself stopped or differs), "documented" (all that differs is said in the documentation) or "broken" (a
    server or the campaign failed)."""

    file: str
    verdict: str = "equal"
    code: str = ""  # of a pause; of a difference what it is in
    detail: str = ""
    statements: int = 0
    left_out: int = 0
    checks: int = 0
    seconds: float = 0.0
    trace: list[Step] = field(default_factory=list, repr=False)

    @property
    def words(self) -> str:
        return f"{self.verdict} {self.code}".strip()


class _Enough(Exception):
    """The verdict is found."""


class Run:
    """One run of a file, or of steps that were taken from one."""

    def __init__(self, stage: Stage, file: str) -> None:
        self._stage = stage
        self.outcome = Outcome(file)
        self._different: list[Difference] = []
        self._native: list[Difference] = []
        self._documented: list[Difference] = []
        self._ran = 0
        self.sessions = Sessions(stage.upstream, stage.one.charset, self._before)

    def file(self, path: Path, suite: Path, seconds: float = MOST_SECONDS) -> Outcome:
        stage = self._stage
        variables = environment(stage, suite)
        deadline = time.monotonic() + seconds
        run = Interpreter(suite, self.sessions, variables, str(stage.folder), deadline)

        def play() -> None:
            try:
                run.run_file(path)
            except FileEnds:
                pass
            finally:
                self.outcome.statements, self.outcome.left_out = run.statements, run.left_out

        return self._judged(play)

    def steps(self, steps: Sequence[Step]) -> Outcome:
        def play() -> None:
            for step in steps:
                self.sessions.do(step)

        return self._judged(play)

    def _judged(self, play: Callable[[], None]) -> Outcome:
        begun, outcome = time.monotonic(), self.outcome
        try:
            place = self._stage.place()
            play()
            self.sessions.close()
            self._stage.sessions_are_gone()
            if self._stage.place() == place:
                outcome.verdict = "nothing"
            else:
                self._check(None)
        except _Enough:
            pass
        except NativeStopped as exc:
            outcome.verdict, outcome.code, outcome.detail = "native", "stopped", f"{exc}\n{self._without_judge()}"
        except TimeoutError as exc:
            outcome.verdict, outcome.detail = "stuck", str(exc)
        except SlowError as exc:
            outcome.verdict, outcome.detail = "slow", str(exc)
        finally:
            self.sessions.close()
        outcome.seconds = time.monotonic() - begun
        outcome.trace = self.sessions.trace
        self._say_differences()
        return outcome

    def _without_judge(self) -> str:
        """What the target has otherwise than the upstream, when the native replica has stopped: a hint, no verdict."""
        judge = self._stage.judge
        found, _ = replace(judge, native=judge.upstream).differences(judge.tables())
        return "\n".join(f"target against upstream: {one}" for one in found)

    def _say_differences(self) -> None:
        outcome = self.outcome
        if self._different and outcome.verdict in ("equal", "native", "paused"):
            outcome.verdict, outcome.code = "different", self._different[0].kind
            outcome.detail = "\n".join(map(str, self._different))
        elif self._native and outcome.verdict == "equal":
            outcome.verdict, outcome.code = "native", self._native[0].kind
            outcome.detail = "\n".join(map(str, self._native))
        elif self._documented and outcome.verdict == "equal":
            outcome.verdict, outcome.code = "documented", self._documented[0].documented.partition(":")[0]
            outcome.detail = "\n".join(dict.fromkeys(map(str, self._documented)))

    def _before(self, step: Step) -> None:
        """Compare what the statement is about to destroy."""
        self._ran += 1
        if self._ran % AHEAD == 0:
            self._wait()
        one, two = first_words(step.text)
        if one in ("drop", "truncate") or (one == "create" and two == "or"):
            tables = self._doomed(step)
            if tables:
                self._check(tables)

    def _doomed(self, step: Step) -> list[TableName]:
        upstream = self._stage.judge.upstream
        dropped = _DROPS_SCHEMA.match(step.text)
        if dropped is not None:
            schema = dropped[1].encode("latin1").decode("utf-8", "replace")
            return [] if schema in SYSTEM else sorted(one for one in self._stage.judge.tables() if one[0] == schema)
        named = _DROPS.match(step.text)
        if named is None:
            return []
        found = []
        for part in re.split(r"\s*,\s*", named[1]):
            names = [one or other for one, other in _NAME.findall(part.encode("latin1").decode("utf-8", "replace"))]
            table = (names[0] if len(names) > 1 else self.sessions.schema_of(step.session, upstream), names[-1])
            if table[0] and table[0] not in SYSTEM and self._is_there(table):
                found.append(table)
        return found

    def _is_there(self, table: TableName) -> bool:
        try:
            return structures(self._stage.judge.upstream, *table).get(table) is not None
        except pymysql.err.MySQLError:  # no server has a table of such a name
            return False

    def _check(self, tables: list[TableName] | None) -> None:
        """Wait for both replications and compare; None: everything there is."""
        self.outcome.checks += 1
        for again in (True, True, False):
            self._wait()
            ours, natives = self._stage.judge.differences(self._stage.judge.tables() if tables is None else tables)
            documented = [one for one in ours if one.documented]
            ours = [one for one in ours if not one.documented]
            if tables is None:
                ours += self._stage.judge.of_schemas()
            if not (ours or natives) or not again:
                break
        self._different += ours
        self._documented += documented
        self._native += natives
        if len(self._different) >= MOST_DIFFERENCES:
            raise _Enough

    def _wait(self) -> None:
        pause = self._stage.caught_up()
        if pause is not None:
            self._paused(pause.text)

    def _paused(self, text: str) -> None:
        found = re.search(r"code=(\d+)(?:.*?\(error (\d+)\))?", text, re.S)
        self.outcome.verdict, self.outcome.detail = "paused", text
        self.outcome.code = " ".join(filter(None, found.groups())) if found else "?"
        raise _Enough


def environment(stage: Stage, suite: Path) -> dict[str, str]:
    """What files expect of the one who runs them."""
    folder = str(stage.folder)
    return {
        "MYSQLTEST_VARDIR": folder,
        "MYSQL_TEST_DIR": str(suite),
        "MYSQL_TMP_DIR": folder,
        "MYSQLTEST_FILE": "",
        "MASTER_MYPORT": str(stage.upstream.port),
        "MASTER_MYSOCK": str(stage.upstream.socket),
        "DEFAULT_MASTER_PORT": str(stage.upstream.port),
        "engine_type": stage.one.engine,
        "ENGINE": stage.one.engine,
        "wait_timeout": "2",
    }
