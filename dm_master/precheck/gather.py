"""Asks the servers for the facts that the checks look at; the only file here that does I/O."""

from __future__ import annotations

import re
import socket
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dm_master.precheck.facts import (
    ColumnFacts,
    EarlierRuns,
    KeyFacts,
    TableFacts,
    TableName,
    TargetFacts,
    UpstreamFacts,
)
from dm_master.precheck.grants import Grants, parse_grants
from dm_master.precheck.shared_target import Written
from pkg.adapters.dm_meta import sources_with_checkpoint
from pkg.adapters.kept_runs import kept_runs
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server, folds_names
from pkg.adapters.mysql.errors import MISSING_PRIVILEGE, UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.adapters.structures import Cascade, cascades_of, has_row, shown_table, triggers_of
from pkg.errors import DMError
from pkg.rules.router import Router
from pkg.schema.hidden_characters import MARK
from pkg.task import SubtaskConfig, TaskMode

_VARIABLES = (
    "log_bin", "binlog_format", "binlog_row_image", "server_id", "gtid_mode", "max_connections",
    "log_slave_updates", "log_replica_updates", "lower_case_table_names", "binlog_row_value_options",
    "binlog_transaction_compression", "local_infile",
)  # fmt: skip
_SCHEMAS_PER_QUERY = 200


def gather_upstream(subtask: SubtaskConfig) -> UpstreamFacts:
    """Facts of a source; raises DMError when it cannot be reached."""
    options = ConnectionOptions.from_config(subtask.upstream, side="upstream")
    connection = connect(options, side="upstream")
    try:
        server = Server.probe(connection)
        set_session(connection, server.upstream_session())
        listed = _listed_tables(connection, subtask)
        allow_list = subtask.allow_list()
        targets, unrouted = _routed([one.name for one in listed if allow_list.allows(*one.name)], subtask.router())
        tables = tuple(_with_statement(connection, table) for table in listed if table.name in targets)
        do_db, ignore_db, files = _binlog(connection, server)
        return UpstreamFacts(
            subtask,
            options.address,
            server.flavor,
            server.version,
            _variables(connection),
            _grants(connection, server),
            tables,
            targets,
            do_db,
            ignore_db,
            files,
            _unlogged_cascades(connection, server, subtask),
            _ghosts(listed, subtask),
            unrouted,
            _is_replica(connection, server),
        )
    finally:
        connection.close()


def gather_written(subtask: SubtaskConfig) -> Written:
    """Which target tables a subtask writes, by what its source has now."""
    targets: dict[TableName, TableName] = {}
    schemas: dict[str, str] = {}
    try:
        connection = connect(ConnectionOptions.from_config(subtask.upstream, side="upstream"), side="upstream")
        with connection:
            allow_list, router, own = subtask.allow_list(), subtask.router(), subtask.meta_schema.lower()
            names = [str(row[0]) for row in _rows(connection, "SHOW DATABASES")]
            for schema in (name for name in names if name.lower() != own and allow_list.allows(name)):
                if allow_list.takes_all(schema):
                    schemas[schema] = router.route(schema, "").schema
                listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
                tables = [(schema, str(row[0])) for row in _rows(connection, listed, (schema,))]
                targets |= _routed([name for name in tables if allow_list.allows(*name)], router)[0]
    except DMError as exc:
        return Written(subtask.task_name, subtask.source_id, targets, schemas, exc.message)
    return Written(subtask.task_name, subtask.source_id, targets, schemas)


def writes_same_target(one: SubtaskConfig, other: SubtaskConfig) -> bool:
    """Whether two subtasks write one server, whatever name it is called by."""
    return one.target.port == other.target.port and bool(_addresses(one.target.host) & _addresses(other.target.host))


def _addresses(host: str) -> frozenset[str]:
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except OSError:
        found = set()
    return frozenset(found | {host.lower()})


def gather_target(subtasks: Sequence[SubtaskConfig], upstreams: Sequence[UpstreamFacts]) -> TargetFacts:
    """Facts of the target; raises DMError when it cannot be reached."""
    config = subtasks[0]
    options = ConnectionOptions.from_config(config.target, side="downstream")
    connection = connect(options, side="downstream")
    try:
        server = Server.probe(connection)
        set_session(connection, server.upstream_session())  # it only reads
        wanted = {target for facts in upstreams for target in facts.targets.values()}
        schemas = frozenset(str(row[0]) for row in _rows(connection, "SHOW DATABASES"))
        tables = {table.name: table for table in _tables(connection, {schema for schema, _ in wanted} & schemas)}
        existing = {name: _with_statement(connection, table) for name, table in tables.items() if name in wanted}
        filled = frozenset(name for name in existing if _has_rows(connection, name))
        variables = _variables(connection)
        return TargetFacts(
            options.address,
            server.flavor,
            _grants(connection, server),
            schemas,
            existing,
            filled,
            _earlier_runs(connection, config),
            int(variables.get("max_connections", "0") or 0),
            variables.get("local_infile", "").upper() in ("1", "ON"),
            server.known_collations(connection),
            server.version,
            {name: triggers_of(connection, server.flavor, *name) for name in existing},
            server.lacking_functions(connection),
            server.logs_cascades(connection),
            folds_names(connection),
            server.makes_idle_keys(connection),
            tuple(one for one in cascades_of(connection, server.flavor) if one.is_idle and one.child in existing),
        )
    finally:
        connection.close()


def _listed_tables(connection: Connection, subtask: SubtaskConfig) -> list[TableFacts]:
    """All tables of the schemas that are migrated."""
    allow_list = subtask.allow_list()
    own = subtask.meta_schema.lower()
    names = [str(row[0]) for row in _rows(connection, "SHOW DATABASES")]
    schemas = [name for name in names if name.lower() != own and allow_list.allows(name)]
    return _tables(connection, schemas)


def _with_statement(connection: Connection, table: TableFacts) -> TableFacts:
    """With what makes the table, where columns are generated: the check reads their expressions.

    And with the true labels, where they have a `?`.
    """
    is_generated = any(column.generated for column in table.columns)
    if not is_generated and not any(column.marked for column in table.columns):
        return table
    try:
        found = shown_table(connection, str(table))
    except DMError as exc:
        if any(error.matches(exc) for error in (MISSING_PRIVILEGE, UNKNOWN_TABLE, UNKNOWN_DATABASE)):
            return table  # the check of privileges says so; or it has just been dropped
        raise
    told = replace(table, create_sql=found.text) if is_generated else table
    types = {one.name: one.type for one in found.parsed(table.name[0]).columns if one.labels}
    columns = tuple(replace(one, type=types.get(one.name, one.type)) if one.marked else one for one in told.columns)
    return replace(told, columns=columns, doubtful=found.doubtful)


def _routed(names: Iterable[TableName], router: Router) -> tuple[dict[TableName, TableName], tuple[DMError, ...]]:
    """Where the tables go, and why some have no one target."""
    targets: dict[TableName, TableName] = {}
    problems = []
    for name in names:
        try:
            target = router.route(*name)
        except DMError as exc:
            problems.append(exc)
        else:
            targets[name] = target.schema, target.table
    return targets, tuple(problems)


def _ghosts(listed: Iterable[TableFacts], subtask: SubtaskConfig) -> tuple[TableName, ...]:
    online = subtask.online_tables()
    return tuple(table.name for table in listed if online is not None and online.is_ghost(table.name[1]))


def _unlogged_cascades(connection: Connection, server: Server, subtask: SubtaskConfig) -> tuple[Cascade, ...]:
    if server.logs_cascades(connection):
        return ()
    allow_list = subtask.allow_list()
    return tuple(one for one in cascades_of(connection) if allow_list.allows(*one.child))


def _tables(connection: Connection, schemas: Iterable[str]) -> list[TableFacts]:
    """Base tables with columns and unique keys, of all ``schemas``, by a few queries."""
    found: list[TableFacts] = []
    listed = sorted(schemas)
    for start in range(0, len(listed), _SCHEMAS_PER_QUERY):
        found += _tables_of(connection, tuple(listed[start : start + _SCHEMAS_PER_QUERY]))
    return found


def _tables_of(connection: Connection, schemas: tuple[str, ...]) -> list[TableFacts]:
    among = "(" + ", ".join(["%s"] * len(schemas)) + ")"
    engines = {
        (str(row[0]), str(row[1])): str(row[2] or "")
        for row in _rows(
            connection,
            "SELECT table_schema, table_name, engine FROM information_schema.tables "
            f"WHERE table_type = 'BASE TABLE' AND table_schema IN {among} ORDER BY 1, 2",
            schemas,
        )
    }
    columns: dict[TableName, list[ColumnFacts]] = defaultdict(list)
    for schema, table, name, kind, nullable, collation, extra, default in _rows(
        connection,
        "SELECT table_schema, table_name, column_name, column_type, is_nullable, collation_name, extra, column_default "
        f"FROM information_schema.columns WHERE table_schema IN {among} ORDER BY 1, 2, ordinal_position",
        schemas,
    ):
        said = extra.lower()
        columns[schema, table].append(
            ColumnFacts(
                name,
                _text(kind),
                nullable == "YES",
                collation or "",
                auto_increment="auto_increment" in said,
                has_default=default is not None or "auto_increment" in said or "generated" in said,
                generated="virtual generated" in said or "stored generated" in said,
                marked=MARK in _text(kind) or (default is not None and MARK in _text(default)),
            )
        )
    keys = _unique_keys(connection, among, schemas)
    return [
        TableFacts(name, tuple(columns[name]), keys.get(name, ()), engine=engine) for name, engine in engines.items()
    ]


def _unique_keys(
    connection: Connection, among: str, schemas: tuple[str, ...]
) -> Mapping[TableName, tuple[KeyFacts, ...]]:
    parts: dict[TableName, dict[str, list[tuple[str, int | None]]]] = defaultdict(lambda: defaultdict(list))
    has_expressions = _rows(
        connection,
        "SELECT 1 FROM information_schema.columns WHERE UPPER(table_schema) = 'INFORMATION_SCHEMA' "
        "AND UPPER(table_name) = 'STATISTICS' AND UPPER(column_name) = 'EXPRESSION'",
    )
    for schema, table, index, column, prefix, expression in _rows(
        connection,
        f"SELECT table_schema, table_name, index_name, column_name, sub_part, "
        f"{'expression' if has_expressions else 'NULL'} FROM information_schema.statistics "
        f"WHERE non_unique = 0 AND table_schema IN {among} ORDER BY 1, 2, 3, seq_in_index",
        schemas,
    ):
        calculated = "" if expression is None else _unescaped(_text(expression))
        parts[schema, table][index].append((f"({calculated})" if calculated else column or "", prefix))
    return {name: tuple(_key(index, listed) for index, listed in indexes.items()) for name, indexes in parts.items()}


def _unescaped(expression: str) -> str:
    """As SHOW CREATE TABLE has it: here MySQL escapes the quotes, too, and what is escaped within them."""
    is_escaped = expression[: expression.find("'")].endswith("\\")
    return re.sub(r"\\(.)", r"\1", expression, flags=re.DOTALL) if is_escaped else expression


def _key(name: str, parts: Sequence[tuple[str, int | None]]) -> KeyFacts:
    whole = all(column and not column.startswith("(") and prefix is None for column, prefix in parts)
    return KeyFacts(name, tuple(column for column, _ in parts), whole, tuple(prefix for _, prefix in parts))


def _variables(connection: Connection) -> dict[str, str]:
    among = ", ".join(f"'{name}'" for name in _VARIABLES)
    rows = _rows(connection, f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({among})")
    return {str(row[0]).lower(): str(row[1]) for row in rows}


def _is_replica(connection: Connection, server: Server) -> bool:
    if server.flavor == "mariadb":
        return any(str(row[1]) != "0" for row in _rows(connection, "SHOW GLOBAL STATUS LIKE 'Slaves_running'"))
    try:
        return bool(_rows(connection, "SHOW REPLICA STATUS"))
    except DMError as exc:
        if MISSING_PRIVILEGE.matches(exc):
            return False
        raise


def _grants(connection: Connection, server: Server) -> Grants:
    user = str(_rows(connection, "SELECT CURRENT_USER()")[0][0])
    lines = [str(row[0]) for row in _rows(connection, "SHOW GRANTS")]
    if server.flavor == "mysql" and server.version >= (8, 0, 0):
        roles = str(_rows(connection, "SELECT CURRENT_ROLE()")[0][0])
        if roles and roles.upper() != "NONE":
            lines += [str(row[0]) for row in _rows(connection, f"SHOW GRANTS FOR CURRENT_USER() USING {roles}")]
    return parse_grants(user, lines)


def _binlog(connection: Connection, server: Server) -> tuple[str, str, tuple[str, ...] | None]:
    """Binlog_Do_DB, Binlog_Ignore_DB and the files; what may not be asked is left to the check of privileges."""
    try:
        status = _rows(connection, server.binlog_status_sql)
        files = tuple(str(row[0]) for row in _rows(connection, server.binlog_files_sql)) if status else ()
    except DMError as exc:
        if exc.resumable:
            raise
        return "", "", None
    if not status:
        return "", "", files
    return str(status[0][2] or ""), str(status[0][3] or ""), files


def _has_rows(connection: Connection, name: TableName) -> bool:
    try:
        return has_row(connection, *name)
    except DMError as exc:
        if MISSING_PRIVILEGE.matches(exc):
            return False  # the check of privileges says so
        raise


def _earlier_runs(connection: Connection, config: SubtaskConfig) -> EarlierRuns:
    tables = MetaTables(config.meta_schema, config.task_name)
    by_dm = frozenset[str]()
    try:
        by_dm = sources_with_checkpoint(connection, tables)
        kept = kept_runs(connection, tables)
        feeders = _feeders(connection, config, tables)
    except DMError as exc:
        if MISSING_PRIVILEGE.matches(exc):
            return EarlierRuns()
        if not (UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc)):
            raise
        kept, feeders = {}, {}
    begun = frozenset(source for source, one in kept.items() if one.is_begun)
    planned = frozenset(source for source, one in kept.items() if one.load_status)
    taken_over = frozenset[str]() if config.task_mode is TaskMode.FULL else by_dm  # as dm-worker does
    return EarlierRuns(by_dm | begun, kept, taken_over | planned, feeders)


def _feeders(connection: Connection, config: SubtaskConfig, tables: MetaTables) -> Mapping[TableName, frozenset[str]]:
    """By target table the sources that have copied to it, or that replicate a table to it."""
    routers = {one.source_id: one.router() for one in config.other_sources}
    found: dict[TableName, set[str]] = defaultdict(set)
    for source, schema, table in _rows(
        connection, f"SELECT DISTINCT source_id, target_schema, target_table FROM {tables.chunk}"
    ):
        found[str(schema), str(table)].add(str(source))
    for source, schema, table in _rows(
        connection, f"SELECT source_id, schema_name, table_name FROM {tables.structure}"
    ):
        name = str(schema), str(table)
        for to in _routed([name], routers.get(str(source), config.router()))[0].values():
            found[to].add(str(source))
    return {name: frozenset(sources) for name, sources in found.items()}


def _rows(connection: Connection, sql: str, arguments: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return list(cursor.fetchall())


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
