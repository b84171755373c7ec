"""Full copies under random kills: `./dev soak copy [--rounds N] [--seconds S] [--seed S] [--target tidb|mariadb] [--gtid]`.

Each round copies random tables of a MariaDB, a MySQL 9 or both, while writers change rows: lock-free or from one
snapshot and on with replication, as task-mode full, or by dump files.  Subtasks, executors, JVMs, workers with all
below them, dm-master and connections are killed meanwhile, also right at the steps of a copy, tasks are paused and
stopped, and the target restarts.  A snapshot must hold all transfers of money whole; in the end every row is the
upstream's, also where there is no key.  `--rounds 1 --seed S` repeats a round as far as time allows.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.cases.e2e.job import binlog_position, have_applied
from tests.cases.full.migration import contents, query
from tests.cases.full.transfers import TABLES, TOTAL, accounts, moving, total, turns
from tests.cases.sync.test_crashpoints import ALL_POINTS
from tests.cluster import Cluster
from tests.servers import RunningServer, start
from tests.soak.copy_harm import Harm, ordered
from tests.soak.copy_settings import MERGED, Settings, drawn, schemas, task_text
from tests.soak.copy_writers import CopyWriter, create
from tests.soak.stage import Stage
from tests.workload.shop import connect

SETTLE_SECONDS = 300.0  # far more than it takes, also where much else runs
LOOKS = 10  # for the end of something, before a look at whether it ends at all
MIGRATIONS = {"all": ("copy",), "full": ("copy",), "files": ("dump", "load")}  # tasks, one after the other
TASKS = ("copy", "dump", "load", "on")
POINTS = [point for point in ALL_POINTS if point.split(".")[0] in ("loader", "snapshot", "dumper", "files")]
TRANSFERS = (*TABLES, "turns", "log")
Place = tuple[str, int, str]


@dataclass
class Round:
    """What one seed does, and what came of it."""

    seed: int
    seconds: float
    settings: Settings
    harm: Counter[str] = field(default_factory=Counter)
    copying: int = 0  # how often it copied when harm was done
    changes: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    def play(self, stage: Stage, target: RunningServer) -> None:
        cluster = stage.cleared(target)
        servers = {name: stage.servers[name] for name in self.settings.sources}
        copy = Copy(cluster, servers, target, self.settings)
        try:
            self._work(copy, random.Random(self.seed))
        except AssertionError as exc:
            self.problems.append(str(exc)[:2000])
        except Exception:  # of the campaign itself, or a server
            self.problems.append(traceback.format_exc())
        if self.problems:
            self.problems += [cluster.ask("query-status", task, "--more").out[:4000] for task in copy.tasks[-1:]]
            self.problems.append(f"logs are in {kept_logs(cluster, self.seed)}")
            stage.end_cluster()

    def _work(self, copy: Copy, rng: random.Random) -> None:
        copy.create(rng)
        with ExitStack() as stack:
            writers = [stack.enter_context(writer) for writer in copy.writers(rng)]
            for name in copy.servers:
                stack.enter_context(moving(copy.servers[name], copy.schemas[name], self.settings.movers))
            for task in MIGRATIONS[self.settings.mode]:
                copy.start(task, self.settings.mode if task == "copy" else task)
                self._disturb(copy, rng)
            if self.settings.mode != "all":
                copy.wait_copied()
                self.problems += copy.torn_transfers()
                copy.go_on()
        for writer in writers:
            writer.assert_wrote()
            self.changes += writer.changes
        copy.wait_in_step()
        self.rows, different = copy.differences()
        self.problems += different

    def _disturb(self, copy: Copy, rng: random.Random) -> None:
        """Do harm until the time is over."""
        harm = Harm(copy.cluster, copy.servers, copy.target, copy.tasks[-1], POINTS, rng)
        end = time.monotonic() + self.seconds / len(MIGRATIONS[self.settings.mode])
        while (now := time.monotonic()) < end:
            time.sleep(min(rng.uniform(0.1, 2), end - now))
            copied = copy.is_copying()
            done = harm.do()
            self.harm[done] += bool(done)
            self.copying += bool(done) and copied
        if self.settings.mode != "files" and rng.random() < 0.6:
            last = harm.on_spark(copy.is_copying)
            self.harm[last] += 1
            self.copying += bool(last)
        harm.calm()
        copy.hurry()


class Copy:
    """The tables and tasks of one round."""

    def __init__(
        self, cluster: Cluster, servers: dict[str, RunningServer], target: RunningServer, settings: Settings
    ) -> None:
        self.cluster = cluster
        self.servers = servers
        self.target = target
        self.settings = settings
        self.schemas = schemas(list(servers))
        self.tasks: list[str] = []
        self._files = Path(tempfile.mkdtemp(prefix="dump-", dir=cluster.folder))

    def create(self, rng: random.Random) -> None:
        for name, schema in self.schemas.items():
            accounts(self.servers[name], self.target, schema)
            with connect(self.servers[name], database=schema, autocommit=False) as connection:
                with connection.cursor() as cursor:
                    create(cursor, self.settings.tables[name], rng)
                connection.commit()
        with connect(self.target) as connection, connection.cursor() as cursor:
            cursor.execute(f"SET GLOBAL local_infile = {int(self.settings.local_infile)}")

    def writers(self, rng: random.Random) -> list[CopyWriter]:
        return [
            CopyWriter(
                self.servers[name],
                schema,
                self.settings.tables[name],
                rng.randrange(1 << 30),
                pause=self.settings.pause,
            )
            for name, schema in self.schemas.items()
        ]

    def start(self, task: str, mode: str, places: Mapping[str, str] | None = None) -> None:
        """A task, once the one before has ended."""
        if self.tasks:
            self.wait_copied()
            ordered(self.cluster, "stop-task", self.tasks[-1])
        self.tasks.append(task)
        file = self.cluster.folder / f"{task}.yaml"
        file.write_text(task_text(task, mode, self.settings, self.target, self._files, places or {}))
        ordered(self.cluster, "start-task", str(file))

    def go_on(self) -> None:
        """Replicate from where the copy is."""
        places = {}
        for name, (file, offset, gtids) in self._places().items():
            places[name] = f', meta: {{binlog-name: {file}, binlog-pos: {offset}, binlog-gtid: "{gtids}"}}'
        self.start("on", "incremental", places)

    def _places(self) -> dict[str, Place]:
        columns = "source_id, start_binlog_name, start_binlog_pos, start_gtid"
        rows = query(self.target, f"SELECT {columns} FROM dm_meta.{self.tasks[-1]}_sparkdm_source")
        return {name: (file, offset, gtids or "") for name, file, offset, gtids in rows}

    def is_copying(self) -> bool:
        return any(one.get("unit") in ("Dump", "Load") and one["stage"] != "Finished" for one in self._subtasks())

    def wait_copied(self) -> None:
        self._wait(lambda: [one.get("stage") for one in self._subtasks()] == ["Finished"] * len(self.servers), "a copy")

    def wait_in_step(self) -> None:
        written = {name: binlog_position(server) for name, server in self.servers.items()}
        self._wait(lambda: have_applied(self.cluster, self.tasks[-1], written), "all sources are in step")

    def hurry(self) -> None:
        """Nothing holds the copy back any more."""
        self.cluster.ask("task", "set", self.tasks[-1], "max-bytes-per-second=0")

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        looks = count(1)
        self.cluster.wait(lambda: condition() or (next(looks) % LOOKS == 0 and self._is_stuck()), what, SETTLE_SECONDS)
        assert condition(), f"it waits for an operator: {self.cluster.errors(self.tasks[-1])}"

    def _is_stuck(self) -> bool:
        """Whether a subtask is paused by an error that it does not try again after."""
        paused = [one for one in self._subtasks() if one.get("stage") == "Paused" and one["result"]["errors"]]
        return any(not one.get("nextTry") for one in paused)

    def _subtasks(self) -> list[dict[str, Any]]:
        return list(self.cluster.subtasks(self.tasks[-1]).values())

    def torn_transfers(self) -> list[str]:
        """What of the transfers is there in part, where each source is copied at one moment."""
        problems = []
        for schema in self.schemas.values():
            if (found := total(self.target, schema)) != TOTAL:
                problems.append(f"{schema}: the sum is {found} and not {TOTAL}")
            logged = query(self.target, f"SELECT COUNT(*), COUNT(DISTINCT writer, turn) FROM {schema}.log")
            if logged != [(turns(self.target, schema),) * 2]:
                problems.append(f"{schema}: {logged} are logged of {turns(self.target, schema)} transfers")
        return problems

    def differences(self) -> tuple[int, list[str]]:
        """How many rows there are, and what differs."""
        rows, problems, merged = 0, [], Counter[Any]()
        for name, schema in self.schemas.items():
            for table in (*TRANSFERS, *(table.name for table in self.settings.tables[name])):
                wanted = contents(self.servers[name], schema, table)
                rows += wanted.total()
                if table == MERGED:
                    merged += wanted
                else:
                    problems += different(f"{schema}.{table}", wanted, contents(self.target, schema, table))
        if self.settings.has_merged:
            problems += different(f"all.{MERGED}", merged, contents(self.target, "all", MERGED))
        return rows, problems


def different(table: str, wanted: Counter[Any], found: Counter[Any]) -> list[str]:
    missing, extra = wanted - found, found - wanted
    if not missing and not extra:
        return []
    lines = [f"{table}: {wanted.total()} rows, {missing.total()} missing and {extra.total()} too many"]
    for title, rows in (("upstream only", missing), ("target only", extra)):
        lines += [f"  {title}: {str(row)[:400]} x{count}" for row, count in sorted(rows.items(), key=repr)[:8]]
    return ["\n".join(lines)]


def kept_logs(cluster: Cluster, seed: int) -> Path:
    folder = Path(f"soak-copy-{seed}").resolve()
    folder.mkdir(exist_ok=True)
    for path in [*cluster.folder.glob("*.log*"), *cluster.folder.glob("*.out"), *cluster.folder.glob("*.yaml")]:
        shutil.copy(path, folder)
    return folder


def campaign(
    stage: Stage, targets: Mapping[str, RunningServer], rounds: int, seconds: float, first: int
) -> list[Round]:
    """The rounds that failed."""
    failed = []
    kinds = {name: server.kind for name, server in stage.servers.items()}
    for number in range(rounds):
        seed = first + number
        rng = random.Random(seed)
        kind = rng.choice(("tidb", "mariadb"))
        target = targets.get(kind) or next(iter(targets.values()))
        this = Round(seed, seconds, drawn(rng, kinds))
        print(f"round {number + 1}/{rounds}  seed {seed}  to {target.kind}: {this.settings}", flush=True)
        began = time.monotonic()
        this.play(stage, target)
        say(this, time.monotonic() - began)
        if this.problems:
            failed.append(this)
    return failed


def say(this: Round, seconds: float) -> None:
    harm = ", ".join(f"{count} {what}" for what, count in sorted(this.harm.items()) if what) or "nothing"
    verdict = "equal" if not this.problems else f"FAILED, seed {this.seed}"
    print(
        f"  harmed {harm} ({this.copying} while it copied); {this.changes:,} changes, {this.rows:,} rows, "
        f"{seconds:.0f} s: {verdict}",
        flush=True,
    )
    for problem in this.problems:
        print(problem, flush=True)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak copy", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=8, help="of harm in each round")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first round")
    parser.add_argument("--target", choices=("tidb", "mariadb"), help="default: any")
    parser.add_argument("--gtid", action="store_true", help="replicate by GTID")
    options = parser.parse_args(words)
    with ExitStack() as stack:
        servers = {f"s_{kind}": stack.enter_context(start(kind)) for kind in ("mariadb", "mysql")}
        kinds = [options.target] if options.target else ["tidb", "mariadb"]
        targets = {kind: stack.enter_context(start(kind)) for kind in kinds}
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-dm-soak-"))
        more = "enable-gtid: true\n" if options.gtid else ""
        stage = stack.enter_context(Stage(servers, Path(folder), TASKS, more))
        failed = campaign(stage, targets, options.rounds, options.seconds, options.seed)
    print(f"{options.rounds - len(failed)} passed, {len(failed)} failed: {[one.seed for one in failed]}")
    return 1 if failed else 0
