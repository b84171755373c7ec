"""What a round is like: its servers, its task file, and where each upstream table leads.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.cases.replicate.comparing import TableName

PAIRS = ("mariadb-tidb", "mysql-tidb", "mariadb-mariadb", "mysql-mariadb")
TASK = "soak"
META = "dm_meta"
PLAIN, MOVED, MERGED = "plain", "moved", "merged"
GROUP = ("all_", "g")  # the table that is merged
LEFT_OUT = "left_"  # tables whose names begin so are filtered


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one round."""

    pair: str
    sources: int  # 1 or 2
    routes: str  # PLAIN: names stay; MOVED: each schema has another name downstream; MERGED: some tables become one
    mode: str  # "all": a copy first, under traffic; "incremental"
    relay: bool
    gtid: bool
    statements: int
    workers: int  # channels

    @property
    def upstream(self) -> str:
        return self.pair.partition("-")[0]

    @property
    def target(self) -> str:
        return self.pair.partition("-")[2]

    @property
    def kinds(self) -> tuple[str, str]:
        """Of upstream and target."""
        return self.upstream, self.target

    @property
    def names(self) -> tuple[str, ...]:
        """Of the sources."""
        return tuple(f"s{number}" for number in range(1, self.sources + 1))

    def schemas(self, source: str) -> tuple[str, ...]:
        """The schemas of the source in which statements are run."""
        own = (f"{source}_a", f"{source}_b")
        return (*own, f"{source}_g") if self.routes == MERGED else own

    def target_of(self, source: str, table: TableName) -> TableName | None:
        """Where the table's rows lead; None: the task passes over it."""
        schema, name = table
        if name.startswith(LEFT_OUT) or not schema.startswith(f"{source}_"):
            return None
        if self.routes == MERGED and schema == f"{source}_g":
            return GROUP
        return (f"to_{schema}", name) if self.routes == MOVED and schema in self.schemas(source) else table

    def __str__(self) -> str:
        words = [self.pair, f"{self.sources} sources", self.routes, self.mode]
        words += [name for name, on in (("relay", self.relay), ("gtid", self.gtid)) if on]
        return ", ".join(words)


def drawn(rng: random.Random, pair: str, statements: int) -> Settings:
    """Those of a seed's round."""
    routes = rng.choice((PLAIN, PLAIN, MOVED, MERGED))
    return Settings(
        pair=pair,
        sources=2 if routes == MERGED else rng.choice((1, 1, 2)),
        routes=routes,
        mode="all" if routes == MERGED else rng.choice(("all", "incremental")),
        relay=rng.random() < 0.35,
        gtid=rng.random() < 0.5,
        statements=statements,
        workers=rng.choice((1, 4, 8)),
    )


def task_text(
    settings: Settings, host: str, port: int, places: Mapping[str, str], left_out: Sequence[TableName] = ()
) -> str:
    """The task file; ``places``: where each source's binlog is to be read from on, of task-mode incremental; ``left_out``: tables."""
    more = "".join(f', {{db-name: "{schema}", tbl-name: "{name}"}}' for schema, name in left_out)
    routes = _routes(settings)
    named = {name: [rule for rule in routes if rule.startswith(("group", name))] for name in settings.names}
    instances = "\n".join(
        f"  - {{source-id: {name}, block-allow-list: {name}, syncer-config-name: sync, route-rules: [{', '.join(named[name])}]"
        f"{places.get(name, '')}}}"
        for name in settings.names
    )
    rules = "".join(f"  {rule}: {{{text}}}\n" for rule, text in routes.items())
    lists = "\n".join(
        f'  {name}: {{do-dbs: ["{name}_*"], ignore-tables: [{{db-name: "~^s", tbl-name: "~^{LEFT_OUT}"}}{more}]}}'
        for name in settings.names
    )
    shards = "shard-mode: pessimistic\n" if settings.routes == MERGED else ""
    return f"""name: {TASK}
task-mode: {settings.mode}
{shards}meta-schema: {META}
target-database: {{host: {host}, port: {port}, user: root, password: ""}}
mysql-instances:
{instances}
{rules and f"routes:{chr(10)}{rules}"}block-allow-list:
{lists}
syncers:
  sync: {{checkpoint-flush-interval: 1, worker-count: {settings.workers}}}
"""


def _routes(settings: Settings) -> dict[str, str]:
    """The rules by name."""
    if settings.routes == MERGED:
        schema, table = GROUP
        return {"group": f'schema-pattern: "s?_g", table-pattern: "g*", target-schema: {schema}, target-table: {table}'}
    if settings.routes == MOVED:
        schemas = [schema for source in settings.names for schema in settings.schemas(source)]
        return {schema: f'schema-pattern: "{schema}", target-schema: "to_{schema}"' for schema in schemas}
    return {}


def source_more(settings: Settings) -> str:
    """What stands in a source file beside its address."""
    said = f"enable-gtid: {str(settings.gtid).lower()}\nchecker: {{backoff-max: 1s}}\n"
    return said + ("enable-relay: true\n" if settings.relay else "")
