"""Shard DDL under random kills: `./dev soak shardddl [--rounds N] [--seconds S] [--seed S] [--target tidb|mariadb]`.

Each round merges 2-8 tables of 2-4 MariaDB servers, and some that are created later.  Every 1-3 seconds a
random DDL is made up, and every table gets all of them in order, each when its time comes, with writes all
along; subtasks, workers and dm-master are killed meanwhile.  Once no table waits any more the merged table
must have the sources' rows, and their columns.  `--rounds 1 --seed S` repeats a round as far as
time allows.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pymysql

from tests.cases.shardddl.test_crashpoints import POINTS
from tests.cases.shardddl.world import TARGET, TASK, World
from tests.servers import RunningServer, start
from tests.soak.data import kill_something
from tests.soak.shard_shapes import COLUMNS, Shape, next_ddl
from tests.soak.shard_writers import ShardWriter
from tests.soak.stage import Stage
from tests.workload.shop import connect

SETTLE_SECONDS = 300.0  # far more than it takes, also where much else runs


@dataclass
class Round:
    """What one seed does, and what came of it."""

    seed: int
    seconds: float
    ddls: list[str] = field(default_factory=list)
    kills: dict[str, int] = field(default_factory=dict)
    changes: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def leaves(self) -> bool:
        return self.seed % 3 == 0

    def play(self, stage: Stage, target: RunningServer) -> None:
        rng = random.Random(self.seed)
        names = sorted(stage.servers)[: rng.randint(2, len(stage.servers))]
        parts = {name: [f"t{number}" for number in range(1, rng.choice((1, 1, 2, 2)) + 1)] for name in names}
        chosen = {name: stage.servers[name] for name in names}
        cluster = stage.cleared(target)
        world = World(cluster, chosen, target, COLUMNS, parts, loads=False)
        try:
            world.create()
            world.start_task("--remove-meta")
            self._work(world, rng)
        except AssertionError as exc:
            self.problems.append(str(exc)[:2000])
        if self.problems:
            self.problems += [f"DDL {number}: {sql}" for number, sql in enumerate(self.ddls, 1)]
            self.problems.append(explained(world) + cluster.logs(60))
            stage.end_cluster()

    def _work(self, world: World, rng: random.Random) -> None:
        writers = [
            ShardWriter(server, f"db{number}", world.tables[name], base=number * 1_000_000, seed=rng.randrange(1 << 30))
            for number, (name, server) in enumerate(world.servers.items(), 1)
        ]
        with ExitStack() as stack:
            for writer in writers:
                stack.enter_context(writer)
            self._disturb(world, writers, rng)
        for writer in writers:
            writer.finish()
            self.changes += writer.changes
            writer.assert_wrote()
        world.cluster.wait(lambda: settled(world), "no table waits and all rows are there", SETTLE_SECONDS)
        self.rows = len(merged(world))
        self.problems += different_columns(world)

    def _disturb(self, world: World, writers: Sequence[ShardWriter], rng: random.Random) -> None:
        """Hand out DDLs and kill things until the time is over."""
        over = threading.Event()
        giver = threading.Thread(target=self._give, args=(writers, random.Random(rng.random()), over))
        giver.start()
        workers = [f"w-{name}" for name in world.servers]
        end = time.monotonic() + self.seconds
        try:
            while (now := time.monotonic()) < end:
                time.sleep(min(rng.uniform(0.2, 4), end - now))
                victim = self._hurt(world, rng, workers)
                self.kills[victim] = self.kills.get(victim, 0) + 1
        finally:
            over.set()
            giver.join()

    def _hurt(self, world: World, rng: random.Random, workers: list[str]) -> str:
        if self.leaves and rng.random() < 0.3:
            return leave(world, rng)
        return arm(world, rng) if rng.random() < 0.4 else kill_something(world.cluster, rng, workers)

    def _give(self, writers: Sequence[ShardWriter], rng: random.Random, over: threading.Event) -> None:
        shape = Shape()
        while not over.is_set():
            shape, clause = next_ddl(shape, rng, only_adds=self.leaves)
            self.ddls.append(clause)
            for writer in writers:
                writer.give(clause, shape, rng)
            over.wait(rng.uniform(1, 3))


def leave(world: World, rng: random.Random) -> str:
    """A source leaves the task, and comes back some time later."""
    source = rng.choice(list(world.servers))
    world.cluster.expect("stop-task", TASK, "-s", source)
    time.sleep(rng.uniform(0, 6))
    world.cluster.expect("start-task", str(world.cluster.folder / "task.yaml"), "-s", source)
    return "a source left"


def arm(world: World, rng: random.Random) -> str:
    """Let a source die where its shard DDL is at its next or second next step; a file that is there is left."""
    file = world.cluster.folder / rng.choice(list(world.servers))
    if not file.exists() or not file.read_text():
        file.write_text(f"{rng.choice(POINTS)}@{rng.randint(1, 2)}=kill")
    return "at a point"


Rows = list[tuple[object, ...]]


def merged(world: World) -> Rows:
    return sorted(world.rows(world.target, TARGET, "*"), key=repr)


def wanted(world: World) -> Rows:
    """The rows of all shards."""
    numbered = enumerate(world.servers.items(), 1)
    shards = [(server, f"db{number}.{table}") for number, (name, server) in numbered for table in world.tables[name]]
    return sorted((row for server, table in shards for row in world.rows(server, table, "*")), key=repr)


def settled(world: World) -> bool:
    """Whether no group waits, no lock is there and the merged rows are the sources' rows."""
    try:
        if merged(world) != wanted(world):
            return False
    except pymysql.Error:  # columns that are not there yet
        return False
    syncs = [status.get("sync", {}) for status in world.statuses().values()]
    if len(syncs) < len(world.servers) or any(sync.get("unresolvedGroups", [None]) for sync in syncs):
        return False
    listed = world.cluster.ask("shard-ddl-lock", "list", TASK)
    return listed.code == 0 and not listed.json.get("locks")


def explained(world: World) -> str:
    """What an operator would look at."""
    shown = world.cluster.ask("shard-ddl-lock", "explain", TASK, "--output", "table").out
    lines = [shown, world.cluster.ask("query-status", TASK, "--more").out]
    try:
        there, needed = set(merged(world)), set(wanted(world))
        lines.append(f"lacking: {sorted(needed - there, key=repr)[:10]}")
        lines.append(f"too many: {sorted(there - needed, key=repr)[:10]}")
    except Exception as exc:
        lines.append(f"not comparable: {exc!r}; {different_columns(world)}")
    return "\n".join(lines)


def different_columns(world: World) -> list[str]:
    """The merged table's columns and keys against those of each shard."""
    target = structure(world.target, "all", "t")
    problems = []
    for number, (name, server) in enumerate(world.servers.items(), 1):
        for table in world.tables[name]:
            found = structure(server, f"db{number}", table)
            if found != target:
                problems.append(f"{name} {table} is unlike the merged table:\n  {found}\n  {target}")
    return problems


def structure(server: RunningServer, schema: str, table: str) -> tuple[object, ...]:
    """Names, types, defaults and keys, as all kinds of servers say them."""
    columns = (
        "SELECT column_name, data_type, character_maximum_length, numeric_precision, is_nullable, column_default "
        "FROM information_schema.columns WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"
    )
    keys = (
        "SELECT index_name, non_unique, seq_in_index, column_name FROM information_schema.statistics "
        "WHERE table_schema = %s AND table_name = %s"
    )
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(columns, (schema, table))
        found = [(*row[:5], None if row[5] in (None, "NULL") else str(row[5]).strip("'")) for row in cursor.fetchall()]
        cursor.execute(keys, (schema, table))
        return found, sorted((row[0], int(row[2]), int(row[1]), row[3]) for row in cursor.fetchall())


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak shardddl", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=15, help="of DDL and kills in each round")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first round")
    parser.add_argument("--target", choices=("tidb", "mariadb"), help="default: by turns")
    options = parser.parse_args(words)
    failed = 0
    with ExitStack() as stack:
        servers = {f"s{number}": stack.enter_context(start("mariadb")) for number in range(1, 5)}
        kinds = [options.target] if options.target else ["tidb", "mariadb"]
        targets = {kind: stack.enter_context(start(kind)) for kind in kinds}
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-dm-soak-"))
        stage = stack.enter_context(Stage(servers, Path(folder), [TASK]))
        for number in range(options.rounds):
            kind = kinds[(options.seed + number) % len(kinds)]
            this = Round(options.seed + number, options.seconds)
            print(f"round {number + 1}/{options.rounds}  to {kind}  seed {this.seed}", end="  ", flush=True)
            this.play(stage, targets[kind])
            failed += bool(this.problems)
            say(this)
    print(f"{options.rounds - failed} passed, {failed} failed")
    return 1 if failed else 0


def say(this: Round) -> None:
    kills = ", ".join(f"{count} {victim}" for victim, count in sorted(this.kills.items())) or "nothing"
    verdict = "equal" if not this.problems else f"FAILED, seed {this.seed}"
    print(f"{len(this.ddls)} DDLs, killed {kills}; {this.changes:,} changes, {this.rows:,} rows: {verdict}", flush=True)
    for problem in this.problems:
        print(problem, flush=True)
