"""What a round of the campaign of full copies is like: drawn from its seed.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.servers import RunningServer
from tests.soak.copy_tables import Table, random_tables, total_bytes

MODES = ("all",) * 6 + ("full",) * 3 + ("files",) * 2
CONSISTENCIES = {"mariadb": ("auto", "flush", "lock", "snapshot"), "mysql": ("auto", "flush", "lock")}
MERGED = "merged"  # a table of all sources, which becomes one


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one round; `files` dumps and then loads."""

    mode: str
    sources: dict[str, str]  # kinds of servers by name
    consistency: dict[str, str]  # by source
    tables: dict[str, list[Table]]  # by source
    threads: int
    pool_size: int
    rows: int  # of a chunk
    rate: int  # bytes per second
    local_infile: bool
    spark: str
    spark_start: str
    pause: float  # between two transactions of a writer
    movers: int  # writers of transfers, in each source

    @property
    def has_merged(self) -> bool:
        return any(table.name == MERGED for tables in self.tables.values() for table in tables)

    def __str__(self) -> str:
        sources = ", ".join(f"{kind} {self.consistency[name]}" for name, kind in self.sources.items())
        tables = ", ".join(f"{table.kind} {table.rows:,}" for tables in self.tables.values() for table in tables)
        infile = "" if self.local_infile else ", no local_infile"
        return (
            f"{self.mode} from {sources} by {self.threads}/{self.pool_size} lanes on {self.spark} ({self.spark_start}), chunks of "
            f"{self.rows} rows, {self.rate:,} B/s{infile}; {tables}"
        )


def drawn(rng: random.Random, kinds: Mapping[str, str]) -> Settings:
    """``kinds`` are those of the servers that there are."""
    mode = rng.choice(MODES)
    names = sorted(rng.sample(sorted(kinds), rng.choice((1, 1, 2))))
    rows, chunks = rng.choice((20, 50, 100, 200)), rng.randint(10, 60)
    lock_free = mode == "all" and rng.random() < 0.7
    tables = {name: random_tables(rng, chunks // len(names), rows) for name in names}
    if lock_free and len(names) > 1:
        for number, name in enumerate(names):
            tables[name].append(Table(MERGED, "int", "plain", rng.randrange(800), number * 1_000_000))
    size = sum(total_bytes(one) for one in tables.values())
    return Settings(
        mode=mode,
        sources={name: kinds[name] for name in names},
        consistency={name: "none" if lock_free else rng.choice(CONSISTENCIES[kinds[name]]) for name in names},
        tables=tables,
        threads=rng.randint(1, 4),
        pool_size=rng.randint(1, 6),
        rows=rows,
        rate=max(round(size / len(names) / rng.uniform(3, 25)), 30_000),
        local_infile=rng.random() < 0.75,
        spark=rng.choice(("local[*]", "local[*]", "local[1]", "local[2]")),
        spark_start=rng.choice(("at-once", "at-once", "auto")),
        pause=rng.choice((0.01, 0.03, 0.1)),
        movers=rng.choice((1, 1, 2)),
    )


def schemas(sources: Sequence[str]) -> dict[str, str]:
    """The upstream schema of each source, which has the same name downstream."""
    return {name: f"db_{name}" for name in sources}


def task_text(
    name: str, mode: str, settings: Settings, target: RunningServer, folder: Path, places: Mapping[str, str]
) -> str:
    """`places`: where replication of each source begins, for task-mode incremental."""
    routed, routes = "", ""
    if settings.has_merged:
        pattern = f'schema-pattern: "db_*", table-pattern: {MERGED}'
        routed = ", route-rules: [merge]"
        routes = f"routes: {{merge: {{{pattern}, target-schema: all, target-table: {MERGED}}}}}\n"
    instances = "\n".join(
        f"  - {{source-id: {source}, block-allow-list: own, mydumper-config-name: {source}, loader-config-name: load, "
        f"syncer-config-name: sync{routed}{places.get(source, '')}}}"
        for source in settings.sources
    )
    dumpers = "\n".join(
        f"  {source}: {{threads: {settings.threads}, rows: {settings.rows}, consistency: {consistency}}}"
        for source, consistency in settings.consistency.items()
    )
    return f"""name: {name}
task-mode: {mode}
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances:
{instances}
{routes}block-allow-list:
  own: {{do-dbs: ["db_*"]}}
mydumpers:
{dumpers}
loaders:
  load: {{pool-size: {settings.pool_size}, max-bytes-per-second: {settings.rate}, dir: "{folder}"}}
syncers:
  sync: {{checkpoint-flush-interval: 1, worker-count: 4}}
spark: {{master: "{settings.spark}", start: {settings.spark_start}}}
"""
