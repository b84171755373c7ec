"""How a round goes on behind a documented pause.

A DDL is passed over (`binlog skip`), rows are left out by the task's filter, and the tables that the error names are given up:
nothing is said of them, nor of what later DDL makes of them, until the task begins anew.  So it does behind the next comparison,
and at once where an error names no table, or one that is merged: it is stopped, its target emptied, and all is copied again.
A copy that pauses, too, is helped: the tables that the error names are emptied upstream, then dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.cases.replicate.comparing import TableName
from tests.servers.replica import execute
from tests.soak.sql.settings import GROUP, MERGED, MOVED, TASK, Settings
from tests.soak.sql.stage import Stage
from tests.soak.sql.verdicts import Pause
from tests.soak.stage import wipe

SKIP, LEAVE, ANEW, EMPTY, DROP = "skip", "leave", "anew", "empty", "drop"
MOST = 12  # pauses that are passed one by one; then it is quicker to begin anew
COPIES = ("34023", "36113", "36114", "36193")  # what only a new copy puts right
_NAME = re.compile(r"`?\b(\w+)`?\.`?(\w+)`?")


@dataclass
class Onwards:
    """The ways of one round."""

    stage: Stage
    settings: Settings
    given_up: set[TableName] = field(default_factory=set)  # upstream names
    ddl: list[str] = field(default_factory=list)  # since the task began
    passed: int = 0
    copies: int = 0  # begun since the last statement

    def heard(self, sql: str) -> None:
        """A statement was run upstream."""
        self.copies = 0
        if sql.startswith(("ALTER", "CREATE", "DROP", "RENAME")):
            self.ddl.append(sql)

    def past(self, pause: Pause) -> str:
        """Go on; the way, "" where there is none."""
        tables = named(pause.text, self.settings)
        for way in (SKIP, LEAVE, ANEW):
            if way != ANEW and (self.copies or self.passed >= MOST or pause.code in COPIES or not _can_pass(tables)):
                continue
            if way == ANEW and self.copies:
                return self._helped(tables)
            if self._do(way, pause, tables):
                return way
        return ""

    def is_about_given_up(self, pause: Pause) -> bool:
        """Whether the pause is about tables alone of which nothing is said any more."""
        tables = named(pause.text, self.settings)
        return bool(tables) and tables <= self.unclear()

    def anew(self, sources: Sequence[str] = ()) -> bool:
        """Everything is copied again, and nothing is given up; ``sources`` are forgotten with their relay logs first."""
        self.given_up.clear()
        self.ddl.clear()
        self.passed, self.copies = 0, self.copies + 1
        if not self._has("stop-task", TASK, "--wait"):
            return False
        if sources and not (self._has("operate-source", "stop", *sources, "--wait") and self.stage.know(sources)):
            return False
        wipe([self.stage.target])
        return self.stage.start_again(self.settings)

    def unclear(self) -> set[TableName]:
        """The tables of which nothing is said: those given up, and what DDL has made of them."""
        found, size = set(self.given_up), -1
        while found and size != len(found):
            size = len(found)
            for sql in self.ddl:
                names = named(sql, self.settings)
                found |= names if names & found else set()
        return found

    def _do(self, way: str, pause: Pause, tables: set[TableName]) -> bool:
        if way == ANEW:
            return self.anew()
        if way == SKIP:
            done = self._has("binlog", "skip", TASK, "-s", pause.source)
        else:
            left_out = self.given_up | tables
            done = self._has("stop-task", TASK, "--wait") and self.stage.start_on(self.settings, sorted(left_out))
        if done:
            self.given_up |= tables
            self.passed += 1
        return done

    def _helped(self, tables: set[TableName]) -> str:
        """Make a copy that paused able to go on."""
        mine = [table for table in tables if table != GROUP]
        if not mine or self.copies > 2:
            return ""
        way = EMPTY if self.copies == 1 else DROP
        verb = "TRUNCATE TABLE" if way == EMPTY else "DROP TABLE IF EXISTS"
        for schema, name in mine:
            server = self.stage.upstreams[schema.partition("_")[0]]
            if execute(server, f"SHOW TABLES IN {schema} LIKE '{name}'"):
                execute(server, "SET foreign_key_checks = 0", f"{verb} {schema}.{name}")
        return way if self.anew() else ""

    def _has(self, *words: str) -> bool:
        """Whether dmctl did it."""
        result = self.stage.cluster.ask(*words)
        return result.code == 0 or result.is_late


def named(text: str, settings: Settings) -> set[TableName]:
    """The upstream tables whose full names stand in a text, upstream's or the target's names; the merged one by its own."""
    found: set[TableName] = set()
    for schema, name in _NAME.findall(text):
        upstream = schema.removeprefix("to_") if settings.routes == MOVED else schema
        source = upstream.partition("_")[0]
        if (schema, name) == GROUP or (settings.routes == MERGED and upstream == f"{source}_g"):
            found.add(GROUP)
        elif source in settings.names and upstream != source:
            found.add((upstream, name))
    return found


def _can_pass(tables: Iterable[TableName]) -> bool:
    """Whether a pause about these can be passed by giving them up."""
    return bool(tables) and GROUP not in tables
