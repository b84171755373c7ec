"""Puts settings around the battery's statements: set in the writing session, or GLOBAL on one server and not on the other.

A `Strip` is a theme of the battery in tables of its own.  `Play` writes the strips upstream, replicates them, compares structures
and rows, copies the same tables, and compares again.  What differs without any setting is no matter of settings: `Play.known`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pymysql

from pkg.binlog.position import Position
from pkg.task.blocks import BlockAllowListConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import outcome, start
from tests.cases.replicate.arena import BOTH_COLLATIONS, LOADED, Pair, new_schema, subtask
from tests.cases.replicate.comparing import (
    Column,
    Server,
    alike,
    connected,
    contents,
    finer_keys,
    indexes,
    keep_their_set,
    structures,
)
from tests.cases.replicate.replication import Pause, Replication, SlowError, present_position
from tests.cases.replicate.settings_battery import THEMES
from tests.cases.replicate.settings_list import Chosen
from tests.servers import RunningServer

PATIENCE = 40
_STRIP = re.compile(r"s_(\d{4})")
# Pauses that docs/exactness.md and docs/ddl.md name, whatever the setting.  The last ones: what a target of that kind cannot have (TiDB's
# 8200 and 3106, expressions that MariaDB does not take, long keys), and what the target's own limits leave no way around.
DOCUMENTED = re.compile(
    r"code=(11126|22012|36014|36067|36107|36115|36116|36117|36118|36122|36126|36140|36170|36171|36195|36196|36197|36198|34104|34130|34195|44011|44012):"
    r"|code=(36108|34103):.*\(error (8200|3106|1901|1071|1709|1173|1305)\)|code=10208:",
    re.DOTALL,
)

# Settings that generated columns and defaults depend on, and that no event names (docs/exactness.md, docs/ddl.md).
_COMPUTING = ("generated", "computed", "week_defaults")
_COMPUTED_WITH = frozenset({
    "time_zone", "lc_time_names", "default_week_format", "div_precision_increment", "default_regex_flags", "block_encryption_mode",
})  # fmt: skip


@dataclass(slots=True)
class Strip:
    """A theme in tables of its own, written by a session with ``session``; ``run`` is what the upstream took of it."""

    number: int
    theme: str
    session: tuple[Chosen, ...] = ()
    statements: tuple[str, ...] = ()
    run: list[str] = field(default_factory=list)
    end: Position | None = None

    @property
    def name(self) -> str:
        return f"s_{self.number:04d}"

    def texts(self, schema: str) -> Iterator[str]:
        for sql in self.statements or THEMES[self.theme]:
            yield sql.replace("$FILE", str(LOADED)).replace("$T", self.name).replace("$D", f"{schema}_{self.name}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A strip that does not hold: what differs or why it pauses, replicated or copied, under which settings."""

    strip: Strip
    stage: str  # "replicated" or "copied"
    verdict: str  # "differs", "structure" or "pauses"
    what: str
    upstream: tuple[Chosen, ...] = ()
    target: tuple[Chosen, ...] = ()

    @property
    def kind(self) -> tuple[str, str, str]:
        code = re.search(r"code=(\d+)", self.what)
        return self.stage, self.verdict, code[1] if code else ""

    @property
    def look(self) -> tuple[str, ...]:
        """The same of findings that are likely to have one cause."""
        said = re.sub(r"\d+", "", self.what)
        return self.strip.theme, said[:60] if self.verdict != "pauses" else said[-500:-300], *self.kind

    def __str__(self) -> str:
        places = ("upstream GLOBAL", self.upstream), ("target GLOBAL", self.target), ("session", self.strip.session)
        under = "; ".join(f"{place} {', '.join(map(str, them))}" for place, them in places if them)
        sql = ";\n".join(self.strip.run)
        return f"{self.strip.theme} / {under or 'no setting'}: {self.stage}, {self.verdict}: {self.what}\n{sql};"


def strips(themes: Sequence[str], sessions: Sequence[tuple[Chosen, ...]] = ((),)) -> list[Strip]:
    """Each theme under each session's settings."""
    crossed = [(theme, session) for session in sessions for theme in themes]
    return [Strip(number, theme, session) for number, (theme, session) in enumerate(crossed, 1)]


@contextmanager
def in_force(server: RunningServer, settings: Sequence[Chosen]) -> Iterator[list[Chosen]]:
    """GLOBAL values while the block runs; those that the server takes."""
    taken: list[Chosen] = []
    before: list[tuple[str, str]] = []
    try:
        for one in settings:
            with server.connect(ssl_disabled=True) as link, link.cursor() as cursor:
                try:
                    cursor.execute(f"SELECT @@GLOBAL.{one.name}")
                    (value,) = cursor.fetchone()
                    cursor.execute(one.sql("GLOBAL"))
                except pymysql.err.MySQLError:
                    continue
                taken.append(one)
                before.append((one.name, "DEFAULT" if value in (None, "DEFAULT") else str(link.escape(value))))
        yield taken
    finally:
        for name, old in reversed(before):
            with server.connect(ssl_disabled=True) as link, link.cursor() as cursor:
                cursor.execute(f"SET GLOBAL {name} = {old}")


@dataclass
class Play:
    """One run: some strips on one pair of servers, in a schema of their own, under GLOBAL settings of both ends."""

    pair: Pair
    schema: str
    replication: Replication
    upstream: Sequence[Chosen] = ()
    target: Sequence[Chosen] = ()
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by theme: what differs without settings
    copies: bool = True
    cells: int = 0
    refused: int = 0
    findings: list[Finding] = field(default_factory=list)
    taken: tuple[tuple[Chosen, ...], tuple[Chosen, ...]] = ((), ())
    seen: dict[str, set[str]] = field(default_factory=dict)  # as ``known``, of this run

    def run(self, wanted: Sequence[Strip]) -> None:
        for server in (self.pair.upstream, self.pair.target):
            new_schema(server, self.schema, BOTH_COLLATIONS)
        with ExitStack() as stack:
            for server in (self.pair.upstream, self.pair.target):
                stack.callback(self._clear, server)
            ours, theirs = (
                tuple(stack.enter_context(in_force(server, settings)))
                for server, settings in ((self.pair.upstream, self.upstream), (self.pair.target, self.target))
            )
            self.taken = ours, theirs
            if (self.upstream or self.target) and not (ours or theirs):
                return
            self.replication.start(self._task([], []))
            self.replication.stop()
            written = [strip for strip in wanted if self._write(strip)]
            left = self._reach(written, "replicated", self._replicate)
            self._compare(left, "replicated")
            if self.copies:
                self._clear(self.pair.target)
                left = self._reach(written, "copied", self._copy)
                self._compare(left, "copied")

    def _write(self, strip: Strip) -> bool:
        """What the upstream refuses is left out; whether anything was run at all under the session's settings."""
        server = self.pair.upstream
        with server.connect(self.schema, local_infile=True, ssl_disabled=True) as link, link.cursor() as cursor:
            if not all(_runs(cursor, one.sql("SESSION")) for one in strip.session):
                return False
            for sql in strip.texts(self.schema):
                if not link.open:  # completion_type = RELEASE
                    link.connect()
                if _runs(cursor, sql):
                    strip.run.append(sql)
            _runs(cursor, "COMMIT")
        strip.end = present_position(self.pair.upstream)
        return bool(strip.run)

    def _reach(
        self, written: list[Strip], stage: str, act: Callable[[list[Strip], list[Strip]], Pause | None]
    ) -> list[Strip]:
        """Act until it goes through, each time without a strip that it pauses at; the strips that are left."""
        left, without = list(written), list[Strip]()
        while left:
            pause = act(left, without)
            if pause is None:
                break
            guilty = self._guilty(pause, left)
            if guilty is None:  # nothing can be left out to go on
                self.cells += len(left) - 1
                self._paused(replace(left[0], theme="all", run=[]), stage, pause.text)
                self.refused += (len(left) - 1) * (DOCUMENTED.search(pause.text) is not None)
                return []
            left.remove(guilty)
            without.append(guilty)
            self._paused(guilty, stage, pause.text)
        return left

    def _paused(self, strip: Strip, stage: str, text: str) -> None:
        code = re.search(r"code=(\d+)", text)
        sign = f"{stage} pauses {code[1] if code else ''}"
        self.cells += 1
        self.seen.setdefault(strip.theme, set()).add(sign)
        if sign in self.known.get(strip.theme, ()) or DOCUMENTED.search(text):
            self.refused += 1
        else:
            self._found(strip, stage, "pauses", text)

    def _found(self, strip: Strip, stage: str, verdict: str, what: str) -> None:
        self.findings.append(Finding(strip, stage, verdict, what[:900], *self.taken))

    def _guilty(self, pause: Pause, left: list[Strip]) -> Strip | None:
        """The strip that the error names, else the one whose statements it stands in."""
        named = _STRIP.search(pause.text)
        if named is not None:
            return next((strip for strip in left if strip.number == int(named[1])), None)
        said = re.search(r"(\S+\.\d{6})(?::|, )(\d+)", pause.text)
        if not pause.place and said is None:
            return None
        place = Position.parse(pause.place) if pause.place else Position(said[1].lstrip("("), int(said[2]) - 1)  # type: ignore[index]
        return next((strip for strip in left if strip.end is not None and strip.end > place), None)

    def _replicate(self, left: list[Strip], without: list[Strip]) -> Pause | None:
        self.replication.start(self._task(left, without))
        try:
            return self.replication.until(present_position(self.pair.upstream), PATIENCE)
        except (TimeoutError, SlowError) as slow:
            return Pause(str(slow), "")
        finally:
            self.replication.stop()

    def _copy(self, left: list[Strip], without: list[Strip]) -> Pause | None:
        config = self._task(left, without).model_copy(
            update={"task_mode": TaskMode.FULL, "meta_schema": f"{self.schema}_copied"}
        )
        said = outcome(start(config))
        return None if said["exit"] == 0 else Pause(str(said.get("text", said["log"][-900:])), "")

    def _task(self, left: list[Strip], without: list[Strip]) -> SubtaskConfig:
        ignored = [{"db-name": self.schema, "tbl-name": f"~^{strip.name}"} for strip in without]
        own = [f"{self.schema}_{strip.name}" for strip in left if strip.theme == "database"]
        rules = {"do-dbs": [self.schema, *own], "ignore-tables": ignored}
        config = subtask(self.pair, self.schema, [self.schema])
        return config.model_copy(update={"block_allow_list": BlockAllowListConfig.model_validate(rules)})

    def _clear(self, server: RunningServer) -> None:
        with server.connect(ssl_disabled=True) as link, link.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION READ WRITE")
            cursor.execute("SET foreign_key_checks = 0, sql_select_limit = 18446744073709551615, sql_big_selects = 1")
            cursor.execute(
                f"SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE '{self.schema}%'"
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP DATABASE `{name}`")

    def _compare(self, left: list[Strip], stage: str) -> None:
        """A strip has one verdict: that of its rows before that of its structure."""
        with connected(self.pair.upstream) as here, connected(self.pair.target) as there:
            found = _differences(here, there, f"{self.schema}%")
        for strip in left:
            self.cells += 1
            signs = {what: f"{stage} {what.replace(strip.name, '$T')}" for what in found.get(strip.number, {})}
            self.seen.setdefault(strip.theme, set()).update(signs.values())
            new = [what for what, sign in signs.items() if sign not in self.known.get(strip.theme, ())]
            settings = {one.name for one in (*strip.session, *self.taken[0], *self.taken[1])}
            if new and strip.theme in _COMPUTING and settings & _COMPUTED_WITH:
                self.refused += 1
            elif new:
                verdict = min(found[strip.number][what] for what in new)  # "differs" before "structure"
                self._found(strip, stage, verdict, "; ".join(new))


def _differences(here: Server, there: Server, schemas: str) -> dict[int, dict[str, str]]:
    """By strip: what differs, and whether it is the rows ("differs") or the structure."""
    ours, theirs = structures(here, schemas), structures(there, schemas)
    our_keys, their_keys = indexes(here, schemas), indexes(there, schemas)
    found: dict[int, dict[str, str]] = {}
    for name in sorted({*ours, *theirs}):
        number = _STRIP.search(".".join(name))
        if number is None:
            continue  # of the task itself
        own = found.setdefault(int(number[1]), {})
        if name not in ours or name not in theirs:
            own[f"{name[1]} is {'only' if name in ours else 'not'} upstream"] = "differs"
            continue
        for what in _structure(here, there, ours[name], theirs[name], their_keys.get(name, [])):
            own[f"{name[1]}: {what}"] = "structure"
        if our_keys.get(name) != their_keys.get(name):
            own[f"{name[1]}: keys {our_keys.get(name)} are {their_keys.get(name)}"] = "structure"
        kept = keep_their_set(ours[name], theirs[name]) if there.kind != "tidb" else frozenset[str]()
        if rows := _rows(here, there, name, ours[name], kept):
            own[f"{name[1]}: {rows}"] = "differs"
    return found


def _structure(here: Server, there: Server, ours: list[Column], theirs: list[Column], keys: list[Any]) -> Iterator[str]:
    kinds = here.kind, there.kind
    if there.kind == "tidb":
        ours = _mapped(ours, theirs)
    columns = alike(finer_keys(ours, theirs, keys), *kinds), alike(theirs, *kinds)
    if [one[0] for one in columns[0]] != [one[0] for one in columns[1]]:
        yield f"columns {[one[0] for one in columns[0]]} are {[one[0] for one in columns[1]]}"
        return
    for one, other in zip(*columns, strict=True):
        if one != other:
            yield f"{one} is {other}"


def _mapped(ours: list[Column], theirs: list[Column]) -> list[Column]:
    """As TiDB has texts in sets or collations that it lacks: in utf8mb4 (docs/exactness.md)."""
    there = {one.name: one.collation for one in theirs if one.collation.startswith("utf8mb4_")}
    return [
        one if one.collation.startswith("utf8mb4_") else replace(one, collation=there.get(one.name, one.collation))
        for one in ours
    ]


def _rows(here: Server, there: Server, name: tuple[str, str], columns: list[Column], kept: frozenset[str]) -> str:
    try:
        ours, theirs = (contents(server, name, columns, kept) for server in (here, there))
    except pymysql.err.MySQLError as exc:
        return f"not comparable: {exc}"
    if ours == theirs:
        return ""
    return f"upstream {list((ours - theirs).elements())[:2]}, target {list((theirs - ours).elements())[:2]}"


def _runs(cursor: pymysql.cursors.Cursor, sql: str) -> bool:
    try:
        cursor.execute(sql)
    except pymysql.err.MySQLError:
        return False
    return True


def reduced(
    finding: Finding, again: Callable[[Sequence[Chosen], Sequence[Chosen], list[Strip]], list[Finding]]
) -> Finding:
    """The finding with one GLOBAL setting and the fewest statements; ``again`` plays strips and says what does not hold."""
    for own, place in ((finding.upstream, "upstream"), (finding.target, "target")):
        for one in own if len(own) > 1 else ():
            tried = {"upstream": (), "target": (), place: (one,)}
            if same := [
                f for f in again(tried["upstream"], tried["target"], [_fresh(finding.strip)]) if f.kind == finding.kind
            ]:
                finding = same[0]
                break
    while len(statements := _fresh(finding.strip).statements) > 1:
        shorter = [tuple(statements[:n]) + tuple(statements[n + 1 :]) for n in reversed(range(len(statements)))]
        tries = [replace(_fresh(finding.strip), number=n, statements=one) for n, one in enumerate(shorter, 1)]
        held = [f for f in again(finding.upstream, finding.target, tries) if f.kind == finding.kind]
        if not held:
            break
        finding = min(held, key=lambda one: len(one.strip.statements))
    return finding


def _fresh(strip: Strip) -> Strip:
    """The same, not yet run; its statements name their tables by $T again."""
    texts = tuple(
        re.sub(r"\bsv\w*?_s_\d{4}|s_\d{4}", lambda m: "$D" if m[0][0:2] == "sv" else "$T", one) for one in strip.run
    )
    return Strip(strip.number, strip.theme, strip.session, texts)
