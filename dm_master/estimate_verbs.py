"""``estimate``: looks at the tables of a task's sources and says what a full migration would come to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from dm_master.estimate import JudgedTable, Sample, Verdict, estimated_source, lanes_of, without_foreign_keys
from dm_master.estimate_sample import MOST_CONNECTIONS, Scratch, take_sample
from dm_master.tasks import Prepared
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.structures import shown_create
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.system_schemas import is_system_schema
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.schema.translate import translate_create_table
from pkg.task import SubtaskConfig
from pkg.task.chunk_size import TableSize

Body = dict[str, Any]

LONGEST_SAMPLE: Final = 300  # seconds, of all sources together

NOTHING_TO_ESTIMATE = ErrorKind(
    38095,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "task {task} has no full migration: its task-mode is {mode}",
    workaround="an estimate is of task-mode `all` or `full`: replication has no end that could be estimated",
)
SAMPLE_TOO_LONG = ErrorKind(
    38096,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "a sample of {seconds} s of each of {sources} sources is too long",
    workaround="take at most {most} s: `--sample {most}s`; or fewer sources: `-s SOURCE`",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """Something of the upstream that the task's rules take."""

    schema: str
    name: str
    kind: str
    size: TableSize


@dataclass(frozen=True, slots=True)
class Judged:
    """A table with what copying it needs; ``structure`` is None where it cannot be copied."""

    table: JudgedTable
    structure: Table | None = None
    create_sql: str = ""  # of a scratch table in the target; {} stands for its name


def estimate(prepared: Prepared, seconds: int, *, writes: bool) -> Body:
    """For each source of the task its tables, their chunks, and a time by a sample of ``seconds``."""
    if not prepared.mode.has_full:
        raise NOTHING_TO_ESTIMATE.error(task=prepared.name, mode=prepared.mode)
    if not 0 <= seconds * len(prepared.subtasks) <= LONGEST_SAMPLE:
        raise SAMPLE_TOO_LONG.error(
            seconds=seconds, sources=len(prepared.subtasks), most=LONGEST_SAMPLE // max(len(prepared.subtasks), 1)
        )
    return {"result": True, "msg": "", "sources": [_source(one, seconds, writes) for one in prepared.subtasks]}


def _source(subtask: SubtaskConfig, seconds: int, writes: bool) -> Body:
    options = ConnectionOptions.from_config(subtask.upstream, side="upstream")
    with closing(connect(options, side="upstream")) as upstream:
        source = Server.probe(upstream)
        set_session(upstream, source.upstream_session())
        to = ConnectionOptions.from_config(subtask.target, side="downstream")
        with closing(connect(to, side="downstream")) as downstream:
            target = Server.probe(downstream)
            collations = target.known_collations(downstream)
        listed = _listed(upstream, subtask)
        judged = [_judged(upstream, subtask, one, target.flavor, collations) for one in listed]
    largest = max(
        (one for one in judged if one.structure is not None), key=lambda one: one.table.size.bytes, default=None
    )
    if largest is None or not seconds or not largest.table.size.rows:
        return estimated_source(subtask, [one.table for one in judged], Sample())
    lanes = min(lanes_of(subtask), MOST_CONNECTIONS)
    sample = take_sample(subtask, source, target, _scratch(largest), float(seconds), lanes, writes=writes)
    return estimated_source(subtask, [one.table for one in judged], sample, largest.table.size)


def _listed(connection: Connection, subtask: SubtaskConfig) -> list[Listed]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_schema, table_name, table_type, table_rows, avg_row_length FROM information_schema.tables"
        )
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
    allowed, own = subtask.allow_list(), subtask.meta_schema.lower()
    online = subtask.online_tables()
    return [
        Listed(str(schema), str(name), str(kind), TableSize(int(count or 0), int(size or 0)))
        for schema, name, kind, count, size in rows
        if not is_system_schema(str(schema)) and str(schema).lower() != own and allowed.allows(str(schema), str(name))
        if online is None or not online.is_ghost(str(name))
    ]


def _judged(connection: Connection, subtask: SubtaskConfig, one: Listed, flavor: str, collations: Any) -> Judged:
    """What becomes of it; a table that cannot be understood or made is refused, with the reason."""
    if one.kind == "VIEW" or (one.kind == "SEQUENCE" and flavor != "mysql"):
        return Judged(_judged_object(subtask, one))
    if one.kind not in ("BASE TABLE", "SYSTEM VERSIONED"):
        note = f"a {one.kind} is not migrated"
        return Judged(JudgedTable(one.schema, one.name, TableSize(0, 0), Verdict.LEFT_OUT, notes=(note,)))
    target = subtask.router().route(one.schema, one.name)
    target_names = target.schema, target.table
    try:
        sql = _create_sql(connection, one)
        structure = parse_create_table(sql, one.schema)
        translation = translate_create_table(
            sql, schema=target.schema, table=target.table, flavor=flavor, collations=collations, structure=structure,
            source_schema=one.schema,
        )  # fmt: skip
        own = subtask.column_rules().of(one.schema, one.name)
        notes = (*translation.notes, *own.notes())
        scratch = translate_create_table(
            without_foreign_keys(sql), schema="{}", table="{}", flavor=flavor, collations=collations,
            structure=structure, source_schema=one.schema,
        )  # fmt: skip
    except DMError as exc:
        return Judged(JudgedTable(one.schema, one.name, one.size, Verdict.REFUSED, *target_names, notes=(exc.message,)))
    has_key = bool(structure.identity_key)
    verdict = Verdict.MAPPED if notes else Verdict.COPIED
    table = JudgedTable(one.schema, one.name, one.size, verdict, *target_names, has_key=has_key, notes=notes)
    return Judged(table, structure, scratch.sql.replace("`{}`.`{}`", "{}"))


def _judged_object(subtask: SubtaskConfig, one: Listed) -> JudgedTable:
    try:
        target = subtask.router().route(one.schema, one.name)
    except DMError as exc:
        return JudgedTable(one.schema, one.name, TableSize(0, 0), Verdict.LEFT_OUT, notes=(exc.message,))
    note = "a sequence: made before the tables, with its value at the end of the copy"
    if one.kind == "VIEW":
        note = "a view: made when the tables are there, if they all are and the target takes its text"
    names = target.schema, target.table
    return JudgedTable(one.schema, one.name, TableSize(0, 0), Verdict.COPIED, *names, notes=(note,), is_table=False)


def _create_sql(connection: Connection, one: Listed) -> str:
    return shown_create(connection, f"TABLE {quoted(one.schema)}.{quoted(one.name)}")


def _scratch(largest: Judged) -> Scratch:
    table, structure = largest.table, largest.structure
    assert structure is not None, "the caller has chosen one with a structure"
    columns = tuple(quoted(column.name) for column in structure.columns if not column.generated)
    select = f"SELECT {', '.join(columns)} FROM {quoted(table.schema)}.{quoted(table.name)}"
    return Scratch(f"{table.schema}.{table.name}", select, columns, largest.create_sql)
