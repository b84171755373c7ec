"""What rules cost: `python -m tests.bench.bench_rules [--rounds 5] [--changes 120000] [--target mariadb]`.

1. Start: 1,000 routes, lists and event filters from the text of the task to the plan of 10,000 upstream tables.
   Asked: less than 2 s.
2. Replication of one backlog without rules, with routes + lists + event filters, and with an expression filter on
   one table and a column mapping on all on top of them; in turns, since machines are not the same from minute to
   minute.  Asked of the second: at most 5 % of the first's CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pkg.task import SubtaskConfig, load_task
from pkg.task.source import SourceConfig
from pkg.task.subtask import split_task
from tests.bench import backlog
from tests.bench.ceiling import connect
from tests.bench.loads import LOADS, Load
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

ROUTES, TABLES = 1_000, 10_000
ROWS_PER_EVENT = 1 / (0.5 / 10 + 0.4 + 0.1)  # of the mixed load: ten for an insert, one for the others


def task_text() -> str:
    """A task with a route, an ignored table and an event filter for each of the merged tables."""
    numbers = range(ROUTES)
    routes = "\n".join(
        f'  r{i}: {{schema-pattern: "shop_*", table-pattern: "t{i}_*", target-schema: merged, target-table: t{i}}}'
        for i in numbers
    )
    filters = "\n".join(
        f'  f{i}: {{schema-pattern: "shop_*", table-pattern: "t{i}_*", events: ["drop table"], action: Ignore}}'
        for i in numbers
    )
    ignored = ", ".join(f'{{db-name: "shop_*", tbl-name: "t{i}_old"}}' for i in numbers)
    return f"""name: big
task-mode: incremental
shard-mode: pessimistic
target-database: {{host: 127.0.0.1, port: 4000, user: root, password: ""}}
mysql-instances:
  - source-id: s1
    meta: {{binlog-name: binlog.000001, binlog-pos: 4}}
    block-allow-list: all
    route-rules: [{", ".join(f"r{i}" for i in numbers)}]
    filter-rules: [{", ".join(f"f{i}" for i in numbers)}]
routes:
{routes}
filters:
{filters}
block-allow-list:
  all: {{do-dbs: ["shop_*"], ignore-tables: [{ignored}]}}
"""


def measure_start() -> None:
    text = task_text()
    source = SourceConfig.model_validate({"source-id": "s1", "from": {"host": "h", "port": 3306, "user": "root"}})
    names = [(f"shop_{i % 100}", f"t{i % ROUTES}_{i}") for i in range(TABLES)]
    took: dict[str, float] = {}
    at, began = time.process_time(), time.perf_counter()

    def lap(word: str) -> None:
        nonlocal at
        took[word], at = time.process_time() - at, time.process_time()

    task = load_task(text)
    lap("read the task")
    wire = split_task(task, {"s1": source})[0].to_wire()
    config = SubtaskConfig.from_wire(wire)
    lap("to the worker")
    allow_list, columns, events = config.allow_list(), config.column_rules(), config.event_filter()
    router = config.router()
    lap("compile")
    targets = set()
    for name in names:
        assert allow_list.allows(*name)
        targets.add(router.route(*name))
        assert not columns.of(*name)
        assert not events.ignored_rows(*name)
    lap("plan")
    assert len(targets) == ROUTES
    seconds = time.perf_counter() - began
    parts = ", ".join(f"{word} {part:.2f}" for word, part in took.items())
    print(f"start: {ROUTES:,} routes and filters × {TABLES:,} tables: {seconds:.2f} s (asked < 2)", flush=True)
    print(f"       CPU {sum(took.values()):.2f} s: {parts}", flush=True)
    again = time.process_time()
    for name in names:
        if allow_list.allows(*name):
            router.route(*name)
            events.rows(*name, "insert")
    nanoseconds = (time.process_time() - again) / TABLES * 1e9
    print(f"       a table that was planned before: {nanoseconds:.0f} ns for list, route and event filter", flush=True)


PLAIN: Mapping[str, Any] = {
    "routes": (
        {"schema-pattern": "ben*", "target-schema": "bench"},
        *(
            {"schema-pattern": "ben*", "table-pattern": f"x{i}_*", "target-schema": "a", "target-table": f"t{i}"}
            for i in range(100)
        ),
    ),
    "block_allow_list": {
        "do-dbs": ["~^ben", "shop_*"],
        "ignore-tables": [{"db-name": "bench", "tbl-name": f"old_{i}*"} for i in range(100)],
    },
    "filters": {
        "drops": {"schema-pattern": "ben*", "events": ["all ddl"], "action": "Ignore"},
        "log": {"schema-pattern": "ben*", "table-pattern": "log*", "events": ["all dml"], "action": "Ignore"},
    },
}
BY_VALUE: Mapping[str, Any] = {
    **PLAIN,
    "expression_filters": {"far": {"schema": "bench", "table": "t0", "insert-value-expr": "quantity > 1000"}},
    "column_mappings": {
        "ids": {
            "schema-pattern": "ben*", "table-pattern": "t*", "source-column": "id", "target-column": "id",
            "expression": "partition id", "arguments": ["1", "", ""],
        }
    },
}  # fmt: skip
RULES: Mapping[str, Mapping[str, Any]] = {"none": {}, "routes, lists, events": PLAIN, "… and by value": BY_VALUE}


@dataclass(frozen=True, slots=True)
class Taken:
    rate: float
    cpu_us: float  # for a row change


def replicate(
    rules: Mapping[str, Any], load: Load, made: backlog.Backlog, up: RunningServer, to: RunningServer
) -> Taken:
    backlog.make_schema(to, load)
    plain = subtask(up, to, made.name, made.offset).to_wire()
    config = SubtaskConfig.model_validate({**SubtaskConfig.from_wire(plain).model_dump(), **rules})
    process = SyncProcess(config)
    seconds = process.in_step()
    cost = process.stop()
    assert _sums(to, load) == _sums(up, load), "the target has other rows"
    return Taken(made.changes / seconds, cost.cpu_seconds / made.changes * 1e6)


def _sums(server: RunningServer, load: Load) -> list[Any]:
    """What the rules here leave as it is."""
    connection = connect(server)
    found = []
    with connection.cursor() as cursor:
        for table in load.tables:
            cursor.execute(f"SELECT COUNT(*), SUM(quantity), SUM(customer) FROM {table}")
            found.append(cursor.fetchone())
    connection.close()
    return found


def measure_cost(rounds: int, changes: int, kind: str) -> None:
    load = LOADS["mixed"].over(4)
    taken: dict[str, list[Taken]] = {name: [] for name in RULES}
    with start("mariadb") as upstream, start(kind) as target:
        made = backlog.write(upstream, load, changes)
        for _ in range(rounds):
            for name, rules in RULES.items():
                taken[name].append(replicate(rules, load, made, upstream, target))
    base = _middle(taken["none"])
    print(f"replication of {made.changes:,} row changes into {kind}, middle of {rounds} rounds")
    print("rules                       rate   CPU/row       more   ns/rows event")
    for name, ones in taken.items():
        middle = _middle(ones)
        more = middle.cpu_us / base.cpu_us - 1
        nanoseconds = (middle.cpu_us - base.cpu_us) * 1000 * ROWS_PER_EVENT
        print(
            f"{name:<24} {middle.rate:>7,.0f}/s {middle.cpu_us:>6.1f} us {more:>+9.1%} {nanoseconds:>12,.0f}",
            flush=True,
        )


def _middle(ones: list[Taken]) -> Taken:
    return Taken(statistics.median(one.rate for one in ones), statistics.median(one.cpu_us for one in ones))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--changes", type=int, default=120_000)
    arguments.add_argument("--target", default="mariadb", choices=["tidb", "mariadb", "mysql"])
    options = arguments.parse_args()
    measure_start()
    measure_cost(options.rounds, options.changes, options.target)


if __name__ == "__main__":
    main()
