"""Random statements that change structures and the rows that are there: `./dev soak statements [--pair UPSTREAM-TARGET] [--seconds S] [--seed N]`.

A case is a session of some twenty statements (statement_grammar.py) in a schema of its own; many are replicated at once, and
the tables are compared: rows on all pairs, structures too where both ends are servers of one kind.  A case that pauses is
left out from there on, and counted by the error's code.  What differs is made fewer statements and printed, goes to
`soak-statements-PAIR.txt`, and each pair adds a line to tests/soak/ledger/statements.jsonl.  `--show CODE` prints what
has paused with it.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pymysql

from tests.cases.replicate.arena import Upstream, replicate_all, schema_of
from tests.cases.replicate.cases import Case
from tests.cases.replicate.comparing import (
    alike,
    connected,
    contents,
    foreign_keys,
    indexes,
    keep_their_set,
    partitions,
    structures,
)
from tests.servers import RunningServer, start
from tests.soak import matrix
from tests.soak.matrix import each_pair, keep, record
from tests.soak.statement_grammar import Grammar, Known

PAIRS = (*matrix.PAIRS, "mariadb-mariadb", "mysql-mysql")
LEDGER = Path(__file__).parent / "ledger" / "statements.jsonl"
_STATEMENTS = 22
_ROUNDS_TO_REDUCE = 6


@dataclass
class Sessions(Upstream):
    """Cases whose statements are made up while they run, or are given."""

    seed: str = ""
    given: dict[int, list[str]] = field(default_factory=dict)
    said: dict[int, list[str]] = field(default_factory=dict)  # what had an effect

    def _run(self, case: Case, place: str, server: RunningServer) -> None:
        schema = schema_of(case, server)
        with closing(server.connect(schema)) as session, closing(server.connect(schema)) as other:
            said = self.said[case.number] = []
            for sql in self.given.get(case.number) or self._made_up(case.number, other, schema):
                if _ran(session, sql):
                    said.append(sql)

    def _made_up(self, number: int, beside: Any, schema: str) -> Iterator[str]:
        grammar = Grammar(Random(f"{self.seed} {number}"), self.server.kind)
        for _ in range(_STATEMENTS):
            yield grammar.next(_known(beside, schema))


def _ran(session: Any, sql: str) -> bool:
    try:
        with session.cursor() as cursor:
            cursor.execute(sql)
            cursor.fetchall()
    except (pymysql.err.MySQLError, UnicodeError):
        return False
    return True


def _known(beside: Any, schema: str) -> list[Known]:
    def asked(columns: str, table: str, more: str = "") -> list[tuple[Any, ...]]:
        with beside.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns} FROM information_schema.{table} WHERE TABLE_SCHEMA = %s {more}", (schema,)
            )
            return list(cursor.fetchall())

    columns = asked("TABLE_NAME, COLUMN_NAME, EXTRA", "COLUMNS", "ORDER BY TABLE_NAME, ORDINAL_POSITION")
    keys = asked("DISTINCT TABLE_NAME, INDEX_NAME", "STATISTICS", "AND INDEX_NAME <> 'PRIMARY' ORDER BY 1, 2")
    parts = asked("TABLE_NAME, PARTITION_NAME", "PARTITIONS", "AND PARTITION_NAME IS NOT NULL ORDER BY 1, 2")
    others = "AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK') ORDER BY 1, 2"
    constraints = asked("TABLE_NAME, CONSTRAINT_NAME", "TABLE_CONSTRAINTS", others)
    return [
        Known(
            name,
            tuple(column for table, column, _ in columns if table == name),
            tuple(column for table, column, extra in columns if table == name and "GENERATED" not in extra),
            tuple(key for table, key in keys if table == name),
            tuple(part for table, part in parts if table == name),
            tuple(one for table, one in constraints if table == name),
        )
        for name in dict.fromkeys(row[0] for row in columns)
    ]


@dataclass
class Outcome:
    """Of one batch: cases that differ with how, those that pause with their errors, and what the status said."""

    differs: dict[int, str]
    paused: dict[int, str]
    unlike: list[str]


def sessions_of(count: int, upstream: RunningServer, target: RunningServer, name: str, **more: Any) -> Sessions:
    """So many sessions for the target; ``name`` is in that of their task."""
    cases = [Case(number, "statements", str(number), "", (), False, ()) for number in range(1, count + 1)]
    return Sessions(upstream, cases, {target.kind: {case.number for case in cases}}, name, **more)


def replicated(sessions: Sessions, target: RunningServer, log: Path) -> Outcome:
    """Write the cases, replicate and compare them.  Schemas of an earlier batch are gone."""
    _drop(sessions.server, target)
    sessions.write([target], log)
    paused, status = replicate_all(sessions, target, log)
    differs = {}
    with connected(sessions.server) as here, connected(target) as there:
        for case in sessions.cases:
            if case.number not in paused and (found := _difference(here, there, schema_of(case, sessions.server))):
                differs[case.number] = found
    texts = {number: pause.text for number, pause in paused.items()}
    return Outcome(differs, texts, [str(one) for one in status.get("unlikeUpstream", ())])


def _difference(here: Any, there: Any, schema: str) -> str:
    ours, theirs = structures(here, schema), structures(there, schema)
    if set(ours) != set(theirs):
        return f"tables: {sorted(name for _, name in ours)} are {sorted(name for _, name in theirs)}"
    of_one_kind = here.kind == there.kind
    ends = [
        (_keys(end, schema), partitions(end, schema), foreign_keys(end, schema)) for end in (here, there) if of_one_kind
    ]
    for table, columns in ours.items():
        if [one.name for one in columns] != [one.name for one in theirs[table]]:
            return f"columns of {table}: {columns} are {theirs[table]}"
        if of_one_kind:
            shapes = [
                (alike(both, here.kind, there.kind), *(found.get(table) for found in parts))
                for both, parts in zip((columns, theirs[table]), ends, strict=True)
            ]
            for what, one, other in zip(("columns", "keys", "partitions", "foreign keys"), *shapes, strict=True):
                if one != other:
                    return f"{what} of {table}: {one} are {other}"
        kept = keep_their_set(columns, theirs[table]) if there.kind != "tidb" else frozenset[str]()
        try:
            expected = contents(here, table, columns, kept)
        except pymysql.err.MySQLError:  # a virtual column with an error for a value: nobody reads the table
            continue
        found = contents(there, table, columns, kept)
        if expected != found:
            return f"rows of {table}: {sorted(map(str, expected - found))} are {sorted(map(str, found - expected))}"
    return ""


def _keys(server: Any, schema: str) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """Without those that InnoDB needs in the target for the counter of a MyISAM table."""
    found = indexes(server, schema)
    return {table: [one for one in keys if not one[0].endswith("_counter")] for table, keys in found.items()}


def reduced(upstream: RunningServer, target: RunningServer, said: list[str], name: str, log: Path) -> list[str]:
    """Fewer statements that differ, too: all that lack one are tried at once, a few times or until none does."""
    for turn in range(_ROUNDS_TO_REDUCE):
        shorter = [said[:place] + said[place + 1 :] for place in range(len(said))]
        given = dict(enumerate(shorter, 1))
        outcome = replicated(sessions_of(len(given), upstream, target, f"{name}r{turn}", given=given), target, log)
        if not outcome.differs:
            return said
        # All that can be left out alone are left out together where that differs, too, else the first of them.
        free = {number - 1 for number in outcome.differs}
        together = [sql for place, sql in enumerate(said) if place not in free]
        alone = sessions_of(1, upstream, target, f"{name}t{turn}", given={1: together})
        said = together if replicated(alone, target, log).differs else shorter[min(free)]
    return said


def _about(text: str, sessions: Sessions) -> str:
    """A message that names a table, and the statements of its case."""
    named = re.search(r"`c_m._(\d+)m?`", text)
    return "\n".join((text, *(sessions.said.get(int(named[1]), []) if named else [])))


def _drop(*servers: RunningServer) -> None:
    for server in servers:
        with closing(server.connect()) as link, link.cursor() as cursor:
            cursor.execute("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'c\\_m%'")
            for (schema,) in cursor.fetchall():
                cursor.execute(f"DROP DATABASE `{schema}`")


def play(name: str, chosen: argparse.Namespace) -> bool:
    """One pair; whether nothing differs."""
    kinds, log = name.split("-"), Path(f"soak-statements-{name}.log")
    verdicts, seed = Counter[str](), chosen.seed
    with ExitStack() as stack:
        upstream, target = (stack.enter_context(start(kind)) for kind in kinds)
        begun = time.monotonic()
        while time.monotonic() - begun < chosen.seconds:
            sessions = sessions_of(chosen.cases, upstream, target, f"s{seed}", seed=f"{name} {seed}")
            outcome = replicated(sessions, target, log)
            codes = {number: re.search(r"code=(\d+)", text) for number, text in outcome.paused.items()}
            verdicts += Counter(f"paused {found[1] if found else ''}" for found in codes.values())
            verdicts += Counter(
                holds=chosen.cases - len(outcome.paused) - len(outcome.differs), different=len(outcome.differs)
            )
            verdicts += Counter(unlike=len(outcome.unlike), statements=sum(map(len, sessions.said.values())))
            for number, found in codes.items():
                if found and found[1] in chosen.show:
                    print(
                        f"paused: seed {seed}, case {number}: {outcome.paused[number][:900]}",
                        *sessions.said[number],
                        sep="\n",
                    )
            keep(f"statements-{name}", [f"unlike: seed {seed}: {_about(one, sessions)}" for one in outcome.unlike])
            for number, how in outcome.differs.items():
                few = reduced(upstream, target, sessions.said[number], f"s{seed}c{number}", log)
                keep(f"statements-{name}", ["\n".join((f"differs: seed {seed}, case {number}: {how}", *few))])
            print(f"{name} seed {seed}: {dict(verdicts.most_common())}", flush=True)
            seed += 1
    statements, unlike = verdicts.pop("statements"), verdicts.pop("unlike", 0)
    others = {what: count for what, count in verdicts.items() if what != "holds" and count}
    done = {"cells": verdicts.total(), "verdicts": others}
    record(name, done, LEDGER, seed=chosen.seed, statements=statements, unlike=unlike)
    return "different" not in verdicts


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak statements", description=__doc__)
    arguments.add_argument("--pair", choices=PAIRS, action="append", help="default: all of them")
    arguments.add_argument("--seconds", type=float, default=600, help="at most, for each pair")
    arguments.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    arguments.add_argument("--cases", type=int, default=60, help="of one batch")
    arguments.add_argument("--show", action="append", default=[], help="codes of pauses to print")
    options = arguments.parse_args(words)
    return each_pair(options.pair or PAIRS, lambda name: play(name, options))
