"""A task that plays told cases on servers, side by side or one after the other, each beside its model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from pkg.crashpoints import VARIABLE
from tests.cases.e2e.job import source_text
from tests.cases.shardddl.told import SOURCES, Placed, comparable_ddl
from tests.cases.shardddl.world import CHECKER, place
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.unit.shardddl.text_case import Case, Step
from tests.workload.shop import connect

SECONDS = 180.0  # for what a step leads to
CREATE_DATABASE = "CREATE DATABASE `{}` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"


class Stage:
    """The upstreams s1 and s2, each with a worker; tasks come and go."""

    def __init__(self, servers: dict[str, RunningServer], folder: Path) -> None:
        self.servers = servers
        self.cluster = Cluster(folder)

    def __enter__(self) -> Stage:
        self.cluster.start_master()
        for source, server in self.servers.items():
            self.cluster.environment[f"w-{source}"] = {VARIABLE: f"@{self.armed(source)}"}
            self.cluster.start_worker(f"w-{source}")
            (self.cluster.folder / f"{source}.yaml").write_text(source_text(source, server) + CHECKER)
        members = ("list-member", "--worker")
        self.cluster.wait(lambda: self.cluster.ask(*members).out.count('"free"') == len(self.servers), "workers")
        for source in self.servers:
            self.cluster.expect("operate-source", "create", str(self.cluster.folder / f"{source}.yaml"))
        return self

    def __exit__(self, *_: object) -> None:
        self.cluster.close()

    def armed(self, source: str) -> Path:
        """Names the crash points at which the source's subtask dies next."""
        return self.cluster.folder / f"{source}.armed"


class ToldTask:
    """`with ToldTask(…) as task`; ``dies_at``: points at which each source dies after each step's statement."""

    def __init__(
        self, stage: Stage, name: str, target: RunningServer, cases: Sequence[Case], dies_at: Sequence[str] = ()
    ) -> None:
        self._stage, self._name, self._target = stage, name, target
        self._dies_at = dies_at
        self.placed = [
            Placed(case, f"{name}{number:03}", sources_of(case, number)) for number, case in enumerate(cases)
        ]
        self._stack = ExitStack()
        self._open: dict[str, Any] = {}
        self._own: set[str] = set()  # statements that the target had from here

    def __enter__(self) -> ToldTask:
        for name, server in {**self._stage.servers, "target": self._target}.items():
            self._open[name] = self._stack.enter_context(closing(connect(server)))
        for placed in self.placed:
            self._create(placed)
        cluster = self._stage.cluster
        file = cluster.folder / f"{self._name}.yaml"
        file.write_text(self._text())
        begun = cluster.ask("start-task", str(file))
        cluster.wait(self._is_replicating, f"replication, {begun.out}")  # a slow machine's begins later than asked
        for placed in self.placed:
            for source in placed.case.tables:
                self._write(placed, source)
        for placed in self.placed:  # a table that is not met before its first DDL would be known as it is after it
            self._wait_rows(placed)
        return self

    def __exit__(self, *_: object) -> None:
        self._stage.cluster.ask("stop-task", self._name)
        self._stack.close()

    def _create(self, placed: Placed) -> None:
        self._run("target", CREATE_DATABASE.format(f"all_{placed.mark}"))
        for source in SOURCES:
            self._run(placed.by_name[source], CREATE_DATABASE.format(placed.database))
            if placed.leads_elsewhere:
                self._run(placed.by_name[source], CREATE_DATABASE.format(f"other_{placed.mark}"))
            for table in placed.case.tables.get(source, ()):
                columns = placed.case.columns
                self._run(placed.by_name[source], f"CREATE TABLE `{placed.database}`.{table} ({columns})")
                schema, _, name = placed.target_of(placed.database, table).partition(".")
                if schema == placed.database:
                    self._run("target", CREATE_DATABASE.format(schema).replace("DATABASE", "DATABASE IF NOT EXISTS"))
                self._run("target", f"CREATE TABLE IF NOT EXISTS `{schema}`.{name} ({columns})")

    def _text(self) -> str:
        routes = dict(route for placed in self.placed for route in placed.routes())
        rules = {f"f{placed.mark}": placed.filter_rule() for placed in self.placed if placed.case.filters}
        instances = "\n".join(
            f"  - {{source-id: {source}, route-rules: [{', '.join(routes)}], filter-rules: [{', '.join(rules)}], "
            f"block-allow-list: ours, syncer-config-name: sync, meta: {{{place(server)}}}}}"
            for source, server in self._stage.servers.items()
        )
        listed = "\n".join(f"  {name}: {rule}" for name, rule in routes.items())
        filters = "\n".join(["filters:", *(f"  {name}: {rule}" for name, rule in rules.items())]) if rules else ""
        target = self._target
        return f"""name: {self._name}
task-mode: incremental
shard-mode: pessimistic
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances:
{instances}
routes:
{listed}
block-allow-list:
  ours: {{do-dbs: ["d_{self._name}*"]}}
syncers:
  sync: {{checkpoint-flush-interval: 1, worker-count: 4}}
{filters}
"""

    def _is_replicating(self) -> bool:
        statuses = self._stage.cluster.subtasks(self._name)
        return len(statuses) == len(SOURCES) and all("sync" in one for one in statuses.values())

    # The cases' steps.

    def side_by_side(self) -> None:
        """Step by step, all cases at one time: for cases in which no source waits for another."""
        most = max(len(placed.case.steps) for placed in self.placed)
        for number in range(most):
            moved = [placed for placed in self.placed if placed.failure is None and number < len(placed.case.steps)]
            for placed in moved:
                self._guarded(placed, placed.case.steps[number])
            self._settle(moved, f"step {number + 1}")
        self._end(self.placed)

    def play(self, placed: Placed) -> None:
        """One case, while the others stand still."""
        for step in placed.case.steps:
            if placed.failure is None:
                self._guarded(placed, step)
                self._settle([placed], step.what)
        self._end([placed])

    def _guarded(self, placed: Placed, step: Step) -> None:
        try:
            self._do(placed, step)
        except Exception as exc:
            placed.failure = exc

    def _do(self, placed: Placed, step: Step) -> None:
        placed.model.do(step)
        placed.model.settle()
        if step.what.startswith("! "):
            self._operate(placed, step.what[2:])
            return
        for source in SOURCES if self._dies_at else ():
            self._stage.armed(source).write_text(",".join(f"{point}=kill" for point in self._dies_at))
        source, _, sql = step.what.partition(":")
        real = placed.by_name[source]
        if self._databases(real, placed.database):
            self._run(real, f"USE `{placed.database}`")
        self._run(real, placed.there(sql.strip()))
        self._write(placed, source)

    def _operate(self, placed: Placed, what: str) -> None:
        cluster, words = self._stage.cluster, what.split(maxsplit=2)
        locks = [lock["ID"] for lock in self._locks_of(placed)]
        lock = locks[0] if locks else ""
        real = {name: placed.by_name.get(name, "") for name in words}
        match words:
            case ["unlock", action, rest]:
                owner, _, number = rest.partition(" ")
                lock = locks[int(number or 1) - 1]
                owner = placed.by_name[owner]
                cluster.expect("shard-ddl-lock", "unlock", lock, "--action", action, "--owner", owner)
            case ["held", op, rest]:
                source, _, sqls = rest.partition(" ")
                given = [placed.there(sqls.replace(" | ", "; "))] if sqls else []
                before = self._locks_of(placed)
                cluster.expect("binlog", op, self._name, *given, "-s", placed.by_name[source])
                if op == "replace" and before:  # until dm-master knows, it takes others' DDL for the same one
                    cluster.wait(lambda: self._locks_of(placed) != before, f"dm-master knows of {given}", SECONDS)
            case ["unlock", action]:
                cluster.expect("shard-ddl-lock", "unlock", lock, "--action", action)
            case ["remove"]:
                cluster.expect("shard-ddl-lock", "unlock", lock, "--force-remove")
            case ["skip", source]:
                cluster.expect("binlog", "skip", self._name, "-s", real[source])
            case ["resume", source]:
                cluster.expect("resume-task", self._name, "-s", real[source])
            case ["hand", first, rest]:
                self._run("target", placed.there(f"{first} {rest}"))
            case ["die", source]:
                cluster.kill_subtasks(f"w-{real[source]}")
            case _:
                raise ValueError(what)

    def _write(self, placed: Placed, source: str) -> None:
        """Two rows into each of the case's tables there, one of which is changed, and one deleted."""
        real = placed.by_name[source]
        for schema in self._databases(real, f"%\\_{placed.mark}"):
            tables = self._run(real, f"SHOW FULL TABLES FROM `{schema}` WHERE Table_type = 'BASE TABLE'")
            for table, _ in tables:
                if target := placed.target_of(schema, table):
                    self._write_to(placed, real, f"`{schema}`.`{table}`", target)

    def _write_to(self, placed: Placed, real: str, table: str, target: str) -> None:
        columns = self._run(real, f"DESCRIBE {table}")
        self._run(real, "BEGIN")
        for _ in range(2):
            names, values, number = placed.row(target, columns)
            self._run(real, f"INSERT INTO {table} ({names}) VALUES ({', '.join(['%s'] * len(values))})", values)
        self._run(real, f"DELETE FROM {table} WHERE id = %s", [number - 1])
        placed.written[target].discard(number - 1)
        self._run(real, "COMMIT")

    # What comes of it.

    def _settle(self, moved: Sequence[Placed], what: str) -> None:
        """Wait until dmctl and the target show what the models tell; a case that does not come there has failed."""
        deadline = time.monotonic() + SECONDS
        left = [placed for placed in moved if placed.failure is None]
        while left:
            facts = self._facts(left)
            left = [placed for placed in left if facts[placed.mark] != placed.expected()]
            if left and time.monotonic() > deadline:
                for placed in left:
                    is_, should = sorted(facts[placed.mark]), sorted(placed.expected())
                    errors = self._stage.cluster.errors(self._name)
                    placed.failure = AssertionError(f"after {what} there is {is_}, not {should}\n{errors}")
                return
            time.sleep(0.2)  # what is asked for is reported once a second, and TiDB takes its time to list columns

    def _facts(self, placed: Iterable[Placed]) -> dict[str, set[str]]:
        statuses, locks = self._stage.cluster.subtasks(self._name), self._locks()
        columns = self._run(
            "target",
            "SELECT table_schema, table_name, column_name FROM information_schema.columns "
            f"WHERE table_schema LIKE '%\\_{self._name}%' ORDER BY table_schema, table_name, ordinal_position",
        )
        if self._target in self._stage.servers.values():  # the shards are there, too
            columns = tuple(row for row in columns if row[0].startswith("all"))
        return {one.mark: one.found(statuses, locks, columns) for one in placed}

    def _locks(self) -> list[Any]:
        answer = self._stage.cluster.ask("shard-ddl-lock", "list", self._name)
        return list(answer.json.get("locks") or []) if answer.code == 0 else []

    def _locks_of(self, placed: Placed) -> list[Any]:
        return [lock for lock in self._locks() if f"_{placed.mark}`" in lock["target"]]

    def _end(self, played: Iterable[Placed]) -> None:
        for placed in played:
            if placed.failure is None and placed.case.ends == "resolved":
                try:
                    self._check(placed)
                except Exception as exc:
                    placed.failure = exc

    def _check(self, placed: Placed) -> None:
        self._wait_rows(placed)
        for target, tables in self._shards(placed).items():
            self._compare(placed, target, tables)
        if self._target.kind == "tidb":
            self._check_executed(placed)

    def _wait_rows(self, placed: Placed) -> None:
        wait = self._stage.cluster.wait
        wait(lambda: all(self._ids(name) == sorted(ids) for name, ids in placed.written.items()), "all rows", SECONDS)

    def _ids(self, target: str) -> list[int]:
        return [number for (number,) in self._run("target", f"SELECT id FROM {_quoted(target)} ORDER BY id")]

    def _shards(self, placed: Placed) -> dict[str, list[tuple[str, str]]]:
        """(source, table) of all that there are now, by target."""
        found: dict[str, list[tuple[str, str]]] = {}
        for source in SOURCES:
            real = placed.by_name[source]
            for schema in self._databases(real, placed.database):
                for table, _ in self._run(real, f"SHOW FULL TABLES FROM `{schema}` WHERE Table_type = 'BASE TABLE'"):
                    found.setdefault(placed.target_of(schema, table), []).append((real, f"{schema}.{table}"))
        return found

    def _compare(self, placed: Placed, target: str, tables: Sequence[tuple[str, str]]) -> None:
        """Rows that are still upstream; those of dropped tables were counted."""
        shapes = [self._shape(real, table) for real, table in tables]
        merged = self._shape("target", target)
        if not placed.case.loose:
            for shape, (real, table) in zip(shapes, tables, strict=True):
                assert shape == merged, f"{real} {table}: {shape}, merged: {merged}"
        shared = [name for name in merged[0] if all(name in shape[0] for shape in shapes)]
        columns = ", ".join(f"`{name}`" for name in shared)
        wanted = [row for real, table in tables for row in self._run(real, f"SELECT {columns} FROM {_quoted(table)}")]
        ids = {row[shared.index("id")] for row in wanted}
        there = self._run("target", f"SELECT {columns} FROM {_quoted(target)}")
        found = [row for row in there if row[shared.index("id")] in ids]
        assert sorted(found, key=repr) == sorted(wanted, key=repr), f"{target} differs"

    def _shape(self, where: str, table: str) -> tuple[dict[str, tuple[Any, ...]], list[Any]]:
        schema, _, name = table.partition(".")
        columns = self._run(where, _COLUMNS, (schema, name))
        keys = self._run(where, _KEYS, (schema, name))
        return {row[0].lower(): _shape_of(row) for row in columns}, sorted((*map(str, key),) for key in keys)

    def _check_executed(self, placed: Placed) -> None:
        """TiDB has run what the case tells, each once, unless somebody died between."""
        rows = self._run(
            "target",
            "SELECT DISTINCT job_id, query FROM information_schema.ddl_jobs WHERE db_name IN (%s, %s) ORDER BY job_id",
            (f"all_{placed.mark}", f"d_{placed.mark}"),
        )
        ran = [comparable_ddl(placed.told(sql)) for _, sql in rows if sql not in self._own]
        told = [sql for sql in map(comparable_ddl, placed.model.target.executed) if not sql.startswith("BATCH")]
        if self._dies_at:
            ran, told = list(dict.fromkeys(ran)), list(dict.fromkeys(told))
        assert ran == told

    # Servers.

    def _databases(self, real: str, pattern: str) -> list[str]:
        return [name for (name,) in self._run(real, "SHOW DATABASES LIKE %s", [pattern])]

    def _run(self, where: str, sql: str, values: Sequence[Any] | None = None) -> tuple[Any, ...]:
        if where == "target":
            self._own.add(sql)
        with self._open[where].cursor() as cursor:
            cursor.execute(sql, values)
            return tuple(cursor.fetchall())


_COLUMNS = """SELECT column_name, column_type, is_nullable, column_default, collation_name, column_comment,
  generation_expression FROM information_schema.columns WHERE table_schema = %s AND table_name = %s
  ORDER BY ordinal_position"""
_KEYS = """SELECT index_name, non_unique, seq_in_index, column_name, sub_part FROM information_schema.statistics
  WHERE table_schema = %s AND table_name = %s"""


def _shape_of(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A column's type, default … as all kinds of servers say them."""
    _, kind, nullable, default, collation, comment, expression = row
    text = kind.decode() if isinstance(kind, bytes) else kind
    word, _, rest = text.partition("(")
    if word.endswith("int"):
        text = word + rest.partition(")")[2]
    if text in ("json", "longtext"):  # which JSON is in MariaDB
        text, collation = "json", None
    return (
        text,
        nullable,
        None if default in (None, "NULL") else str(default).strip("'"),
        collation,
        comment,
        bool(expression),
    )


def _quoted(name: str) -> str:
    schema, _, table = name.partition(".")
    return f"`{schema}`.`{table}`"


def sources_of(case: Case, number: int) -> dict[str, str]:
    """The task's sources by the case's: a case of one source is played in either."""
    first, second = SOURCES
    if len(case.tables) == 1 and number % 2 and case.target != "mariadb":
        return {first: second, second: first}
    return {first: first, second: second}
