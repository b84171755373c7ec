"""Runs a file of the test language: variables, blocks, sourced files, and sessions that come and go.

Only what statements depend on is carried out.  A statement that fails upstream fails there, whatever the file expects.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.corpus.allowed import left_out, placed
from tests.soak.corpus.language import Command, parsed
from tests.soak.corpus.sessions import FIRST, Answer, Sessions, Step

MOST_STATEMENTS = 20_000
MOST_DEPTH = 20
NAP_SECONDS = 0.005  # what `sleep` takes here; whatever waits for something asks often enough
_VARIABLE = re.compile(r"\\?\$(\w+)")
_NUMBER = re.compile(r"\s*[-+]?\d+")
_COMPARED = re.compile(r"(.*?)(==|!=|<=|>=|<|>)(.*)", re.S)
_GET_VALUE = re.compile(r"query_get_value\((.*),\s*([^,]+),\s*([^,]+)\)\s*;?$", re.S)
# What needs programs, restarts or replication of its own is passed over; `have_…` and `not_…` only ask for features.
_NOT_SOURCED = re.compile(
    r"(^|/)(have_|not_|is_|restart|kill_|start_mysqld|shutdown|crash|expect_crash|wait_until_(dis)?connected|search_pattern|"
    r"grep|mysqldump|diff_|master-slave|rpl_|sync_|stop_slave|start_slave|reset_|linux|windows|big_test|long_test|"
    r"check-|no_|valgrind|maybe_|default_optimizer|add_anonymous|delete_anonymous|wait_for_slave|show_binlog|load_sysvars|"
    r"write_var_to|write_result|read_file|galera|wsrep|innodb_page_size|lcase_names|mysql_upgrade|mysqladmin|log_grep)"
)


class FileEnds(Exception):
    """Nothing more of this file runs: `exit`, or its time is over."""


@dataclass
class Interpreter:
    """One file's run."""

    root: Path  # of the suite
    sessions: Sessions
    variables: dict[str, str]
    folder: str  # where std_data is for the server
    deadline: float
    session: str = FIRST
    statements: int = 0
    left_out: int = 0
    last: Answer = field(default_factory=Answer)
    _files: dict[Path, tuple[Command, ...]] = field(default_factory=dict)

    def run_file(self, path: Path) -> None:
        """The whole file; it ends early where it says so, and where its time or number of statements is over."""
        self._source(path, 0)

    def _source(self, path: Path, depth: int) -> None:
        if path not in self._files:
            self._files[path] = parsed(path.read_text(encoding="latin1")) if path.is_file() else ()
        self._run(self._files[path], depth + 1)

    def _run(self, commands: Sequence[Command], depth: int) -> None:
        if depth > MOST_DEPTH:
            raise FileEnds("files source each other")
        for command in commands:
            if time.monotonic() > self.deadline or self.statements > MOST_STATEMENTS:
                raise FileEnds("its time is over")
            self._one(command, depth)

    def _one(self, command: Command, depth: int) -> None:
        word, text = command.word, command.text
        if word == "source":
            self._sourced(self.expanded(text).strip().rstrip(";").strip("'\""), depth)
        elif word == "if":
            if self._holds(text):
                self._run(command.block, depth)
        elif word == "while":
            while self._holds(text):
                if time.monotonic() > self.deadline:
                    raise FileEnds("its time is over")
                self._run(command.block, depth)
        elif (act := _ACTS.get(word)) is not None:
            act(self, command)
        elif word in ("exit", "skip", "die"):
            raise FileEnds(word)

    def _sourced(self, name: str, depth: int) -> None:
        if _NOT_SOURCED.search(name):
            return
        found = next((path for path in (self.root / name, self.root / "main" / name) if path.is_file()), None)
        if found is not None:
            self._source(found, depth)

    # --- statements

    def _sql(self, command: Command) -> None:
        self._statement("sql", command.text, command.line)

    def _eval(self, command: Command) -> None:
        self._statement("sql", self.expanded(command.text), command.line)

    def _send(self, command: Command) -> None:
        self._statement("send", command.text, command.line)

    def _send_eval(self, command: Command) -> None:
        self._statement("send", self.expanded(command.text), command.line)

    def _reap(self, command: Command) -> None:
        self.last = self.sessions.do(Step(self.session, "reap", line=command.line))

    def _statement(self, what: str, sql: str, line: int = 0) -> None:
        self.statements += 1
        sql = placed(sql, self.folder)
        if not sql.strip():
            return
        if left_out(sql, self.folder):
            self.left_out += 1
            return
        self.last = self.sessions.do(Step(self.session, what, sql, line))

    def _asked(self, sql: str) -> Answer:
        """The answer to a query whose value the file uses; SHOW may run here."""
        return self.sessions.do(Step(self.session, "sql", placed(sql, self.folder)))

    # --- sessions

    def _connect(self, command: Command) -> None:
        inside = command.text.strip().rstrip(";").strip()
        inside = inside[1:-1] if inside.startswith("(") else inside
        parts = [self.expanded(part).strip().strip("'\"") for part in inside.split(",")] + [""] * 6
        name, _, user, password, schema = parts[:5]
        schema = "" if schema == "*NO-ONE*" else schema or "test"
        self.sessions.do(Step(name, "open", f"{user or 'root'}\t{password}\t{schema}", command.line))
        self.session = name

    def _connection(self, command: Command) -> None:
        self.session = self.expanded(command.text).strip().rstrip(";").strip()

    def _disconnect(self, command: Command) -> None:
        name = self.expanded(command.text).strip().rstrip(";").strip()
        self.sessions.do(Step(name, "close", line=command.line))

    def _change_user(self, command: Command) -> None:
        parts = [self.expanded(part).strip() for part in command.text.strip().rstrip(";").split(",")] + [""] * 3
        self.sessions.do(Step(self.session, "open", f"{parts[0] or 'root'}\t{parts[1]}\t{parts[2]}", command.line))

    def _reset_connection(self, command: Command) -> None:
        self.sessions.do(Step(self.session, "open", "root\t\ttest", command.line))

    def _sleep(self, command: Command) -> None:
        time.sleep(NAP_SECONDS)

    # --- variables

    def expanded(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            if found[0].startswith("\\"):
                return found[0][1:]
            return self._value_of(found[1])

        return _VARIABLE.sub(value, text)

    def _value_of(self, name: str) -> str:
        if name == "mysql_errno":
            return str(self.last.error)
        return self.variables.get(name, "")

    def _let(self, command: Command) -> None:
        name, equals, value = command.text.partition("=")
        if equals:
            self.variables[name.strip().lstrip("$")] = self._value(value.strip())

    def _value(self, text: str) -> str:
        text = text.rstrip(";").strip() if text.endswith(("`;", ");")) else text
        if len(text) > 1 and text[0] == text[-1] == "`":
            answer = self._asked(self.expanded(text[1:-1]))
            row = answer.rows[0] if answer.rows else ()
            return "\t".join(_text(value) for value in row)
        asked = _GET_VALUE.match(text)
        return self.expanded(text) if asked is None else self._get_value(*asked.groups())

    def _get_value(self, sql: str, column: str, number: str) -> str:
        answer = self._asked(self.expanded(sql).strip().strip("\"'"))
        name, place = self.expanded(column).strip("'\" "), self.expanded(number).strip()
        if (
            not answer.rows
            or name not in answer.columns
            or not place.isdigit()
            or not 0 < int(place) <= len(answer.rows)
        ):
            return "No such row"
        return _text(answer.rows[int(place) - 1][answer.columns.index(name)])

    def _inc(self, command: Command) -> None:
        self._add(command.text, 1)

    def _dec(self, command: Command) -> None:
        self._add(command.text, -1)

    def _add(self, text: str, step: int) -> None:
        name = text.strip().rstrip(";").strip().lstrip("$")
        self.variables[name] = str(_number(self.variables.get(name, "0")) + step)

    def _holds(self, text: str) -> bool:
        """A condition in brackets: a value that is not 0 or empty, its contrary, or two values compared."""
        inside = text.strip()
        inside = inside[1 : inside.rfind(")")].strip() if inside.startswith("(") else inside
        compared = None if inside.startswith(("`", "!`")) else _COMPARED.match(inside)
        if compared is not None:
            return _compare(self._value(compared[1].strip()), compared[2], self._value(compared[3].strip()))
        wanted = not inside.startswith("!")
        value = self._value(inside.lstrip("!").strip()).strip()
        return (value not in ("", "0", "NULL") and not re.fullmatch(r"0+", value)) == wanted


def _text(value: bytes | None) -> str:
    return "NULL" if value is None else value.decode("latin1")


def _number(text: str) -> int:
    found = _NUMBER.match(text)
    return int(found[0]) if found else 0


def _compare(left: str, how: str, right: str) -> bool:
    left, right = (text.strip("'\"") for text in (left, right))
    if how in ("==", "!="):
        same = _number(left) == _number(right) if left.isdigit() and right.isdigit() else left.lower() == right.lower()
        return same == (how == "==")
    one, other = _number(left), _number(right)
    return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[how]


_ACTS: dict[str, Callable[[Interpreter, Command], None]] = {
    "sql": Interpreter._sql, "query": Interpreter._sql, "query_vertical": Interpreter._sql,
    "query_horizontal": Interpreter._sql, "eval": Interpreter._eval, "evalp": Interpreter._eval,
    "send": Interpreter._send, "send_eval": Interpreter._send_eval, "reap": Interpreter._reap,
    "connect": Interpreter._connect, "connection": Interpreter._connection, "disconnect": Interpreter._disconnect,
    "dirty_close": Interpreter._disconnect, "change_user": Interpreter._change_user,
    "reset_connection": Interpreter._reset_connection, "let": Interpreter._let, "inc": Interpreter._inc,
    "dec": Interpreter._dec, "sleep": Interpreter._sleep, "real_sleep": Interpreter._sleep,
}  # fmt: skip
