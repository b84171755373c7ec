"""Structures of tables: as a server shows them, and as a task tracks them in its target's meta tables."""

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE, errno_of
from pkg.adapters.mysql.transaction import in_transaction
from pkg.adapters.true_texts import ShownTable, shown_truly
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.foreign_keys import Name
from pkg.schema.introducers import decoded, may_be_mangled, with_bytes_as_digits
from pkg.schema.parse import with_escaped_labels
from pkg.schema.table import Table
from pkg.schema.table import kind_of as kind_of_engine
from pkg.schema.unfit_tables import Trigger

VIEW_IN_PLACE = ErrorKind(
    44014,
    "schema-tracker",
    Scope.NOT_SET,
    Level.HIGH,
    "{name} is a view in {server}, and a table is wanted there",
    workaround="in the target: rename or drop the view, put the table in its place, with its rows, then resume-task; "
    "or route the upstream's table to another name",
)

log = logging.getLogger(__name__)

_BROKEN_MERGE = 1168  # ER_WRONG_MRG_TABLE
_TABLE = "TABLE "
_OF_ONE = "source_id = %s AND schema_name = %s AND table_name = %s"


def shown_create(connection: Connection, what: str) -> str:
    """SHOW CREATE TABLE or VIEW: its text, with the true characters where the server shows others."""
    if what.startswith(_TABLE):
        return shown_table(connection, what.removeprefix(_TABLE)).text
    return _shown(connection, what)


def shown_table(connection: Connection, table: str) -> ShownTable:
    """SHOW CREATE TABLE of a table (quoted), and what the server does not tell of it."""
    return shown_truly(connection, _flavor(connection), table, lambda: _shown(connection, _TABLE + table))


def _flavor(connection: Connection) -> str:
    driver: Any = connection  # its stubs know less of it
    version = driver.get_server_info()
    return next((flavor for flavor in ("TiDB", "MariaDB") if flavor in version), "MySQL").lower()


def _shown(connection: Connection, what: str) -> str:
    """The text, in which MySQL may print literals in other sets than the rest of it."""
    text = with_bytes_as_digits(shown_bytes(connection, what))
    flavor = _flavor(connection)
    if flavor == "tidb":
        return with_escaped_labels(text)
    if not may_be_mangled(text) or flavor == "mariadb":
        return text
    connection.query("SET character_set_results = NULL")
    try:
        return decoded(shown_bytes(connection, what))
    finally:
        connection.query("SET character_set_results = utf8mb4")


def _server_of(connection: Connection) -> str:
    driver: Any = connection  # its stubs know less of it
    return f"{driver.host}:{driver.port}"


def shown_bytes(connection: Connection, what: str) -> bytes:
    """What SHOW CREATE sends of a table, view or database, of which not all has to be text.  Raises DMError."""
    driver: Any = connection
    driver.use_unicode = False
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SHOW CREATE {what}")
            row = cursor.fetchone()
    finally:
        driver.use_unicode = True
    assert row is not None, "else it is an error"
    return bytes(row[1])


def has_row(connection: Connection, schema: str, table: str, where: str = "") -> bool:
    """Whether the table has a row, of those that a condition names."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {quoted(schema)}.{quoted(table)}{where and ' WHERE '}{where} LIMIT 1")
        return cursor.fetchone() is not None


def structure_of(connection: Connection, schema: str, table: str) -> Table | None:
    """The structure of a base table; None when there is none of that name.  Raises VIEW_IN_PLACE.

    A MERGE table over one that is gone is none: the server shows nothing of it, and takes and gives no rows.
    """
    try:
        shown = shown_table(connection, f"{quoted(schema)}.{quoted(table)}")
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return None
        if errno_of(exc) == _BROKEN_MERGE:
            log.warning("%s.%s is a MERGE table that %s cannot open", schema, table, _server_of(connection))
            return None
        raise
    try:
        found = shown.parsed(schema)
        return found if _flavor(connection) == "mysql" else replace(found, checks=None)  # which have other names
    except DMError as exc:
        if kind_of(connection, schema, table) in ("VIEW", "SYSTEM VIEW"):
            name = f"{quoted(schema)}.{quoted(table)}"
            raise VIEW_IN_PLACE.error(name=name, server=_server_of(connection)) from exc
        raise


def shown_merge(connection: Connection, schema: str, table: str) -> str:
    """SHOW CREATE TABLE of a MERGE table; "" when there is none of that name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT engine FROM information_schema.tables WHERE table_schema = %s AND table_name = %s", (schema, table)
        )
        row = cursor.fetchone()
    if row is None or kind_of_engine(str(row[0]).upper()) != "merge":
        return ""
    try:
        return shown_create(connection, f"TABLE {quoted(schema)}.{quoted(table)}")
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return ""
        raise


def triggers_of(connection: Connection, flavor: str, schema: str, table: str) -> list[Trigger]:
    """The triggers of a table, in the order in which they run; TiDB has none."""
    if flavor == "tidb":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT trigger_name, action_timing, event_manipulation, action_statement FROM information_schema.triggers "
            "WHERE event_object_schema = %s AND event_object_table = %s ORDER BY action_order",
            (schema, table),
        )
        return [Trigger(*map(str, row)) for row in cursor.fetchall()]


def kind_of(connection: Connection, schema: str, table: str) -> str:
    """BASE TABLE, VIEW, SEQUENCE …; "" when there is nothing of that name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_type FROM information_schema.tables WHERE table_schema = %s AND table_name = %s",
            (schema, table),
        )
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def references_of(connection: Connection) -> list[tuple[Name, Name]]:
    """The foreign keys of all tables of a server, as (child, parent)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT table_schema, table_name, referenced_table_schema, referenced_table_name "
            "FROM information_schema.key_column_usage WHERE referenced_table_name IS NOT NULL"
        )
        return [((str(a), str(b)), (str(c), str(d))) for a, b, c, d in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Cascade:
    """A foreign key whose parent's changes reach the child by themselves; ``columns``: the child's."""

    name: str
    child: Name
    parent: Name
    columns: tuple[str, ...]
    on_delete: str
    on_update: str
    is_idle: bool = False  # TiDB holds it by name only, and neither checks nor cascades

    def __str__(self) -> str:
        rules = [f"ON {what} {rule}" for what, rule in (("DELETE", self.on_delete), ("UPDATE", self.on_update)) if rule]
        return f"{'.'.join(self.child)} → {'.'.join(self.parent)} ({self.name}: {' '.join(rules)})"


def filtered_cascades(found: Iterable[Cascade], ignored_rows: Callable[[str, str], frozenset[str]]) -> Iterator[str]:
    """Foreign keys of which an event filter leaves out the parent's changes and not what they cascade, or the reverse.

    ``ignored_rows``: see EventFilter.  Where both are left out nothing is lost; where no binlog tells what cascades,
    only the target's own key does it.
    """
    for one in found:
        of_delete = "delete" if one.on_delete == "CASCADE" else "update"
        for rule, above, below in ((one.on_delete, "delete", of_delete), (one.on_update, "update", "update")):
            of_parent, of_child = above in ignored_rows(*one.parent), below in ignored_rows(*one.child)
            if rule and of_parent != of_child:
                left_out = f"{above}s of {'.'.join(one.parent)}" if of_parent else f"{below}s of {'.'.join(one.child)}"
                yield f"{one}: the filter leaves out {left_out}"


_ACTIONS = ("CASCADE", "SET NULL")
_IDLE_KEY = re.compile(r"\s*CONSTRAINT `((?:[^`]|``)+)` FOREIGN KEY .*/\* FOREIGN KEY INVALID \*/,?")


def schema_collations(connection: Connection) -> dict[str, str]:
    """The default collation of each database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT SCHEMA_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA")
        return {str(schema): str(collation) for schema, collation in cursor.fetchall()}


def cascades_of(connection: Connection, flavor: str = "") -> list[Cascade]:
    """The foreign keys of a server that cascade or set NULL; ``flavor`` "tidb": also which of them are idle."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT constraint_name, constraint_schema, table_name, unique_constraint_schema, referenced_table_name, "
            "delete_rule, update_rule FROM information_schema.referential_constraints "
            "WHERE delete_rule IN %s OR update_rule IN %s ORDER BY 2, 3, 1",
            (_ACTIONS, _ACTIONS),
        )
        found = [[str(value) for value in row] for row in cursor.fetchall()]
        columns: defaultdict[tuple[str, Name], list[str]] = defaultdict(list)
        databases: dict[tuple[str, Name], str] = {}  # of the parents: TiDB names the child's above
        if found:
            cursor.execute(
                "SELECT constraint_name, table_schema, table_name, column_name, referenced_table_schema "
                "FROM information_schema.key_column_usage "
                "WHERE referenced_table_name IS NOT NULL ORDER BY 1, 2, 3, ordinal_position"
            )
            for name, schema, child, column, above in cursor.fetchall():
                key = str(name), (str(schema), str(child))
                columns[key].append(str(column))
                databases[key] = str(above)
    keys = [((name, (schema, child)), above, parent, rules) for name, schema, child, above, parent, *rules in found]
    idle = _idle_keys(connection, {child for (_, child), *_ in keys}) if flavor == "tidb" else set[tuple[str, Name]]()
    return [
        Cascade(*key, (databases.get(key, above), parent), tuple(columns[key]), *_acting(*rules), key in idle)
        for key, above, parent, rules in keys
    ]


def _idle_keys(connection: Connection, tables: Iterable[Name]) -> set[tuple[str, Name]]:
    """Foreign keys that TiDB made while ``tidb_enable_foreign_key`` was OFF; SHOW CREATE TABLE alone tells which."""
    found = set[tuple[str, Name]]()
    with connection.cursor() as cursor:
        for name in tables:
            try:
                cursor.execute(f"SHOW CREATE TABLE {quoted(name[0])}.{quoted(name[1])}")
            except DMError as exc:
                if not UNKNOWN_TABLE.matches(exc):
                    raise
                continue  # dropped meanwhile
            row = cursor.fetchone()
            for line in str(row[1]).splitlines() if row is not None else ():
                if key := _IDLE_KEY.fullmatch(line):
                    found.add((key[1].replace("``", "`"), name))
    return found


def _acting(on_delete: str, on_update: str) -> tuple[str, str]:
    return on_delete if on_delete in _ACTIONS else "", on_update if on_update in _ACTIONS else ""


def cascades(table: Table | None) -> list[Cascade]:
    """Those of a table's foreign keys."""
    keys = table.foreign_keys if table is not None else ()
    return [
        Cascade(
            key.name,
            (table.schema, table.name),
            (key.ref_schema or table.schema, key.ref_table),
            key.columns,
            *_acting(key.on_delete, key.on_update),
        )
        for key in keys
        if table is not None and {key.on_delete, key.on_update} & set(_ACTIONS)
    ]


def cascades_there(tracked: Iterable[Table], now: Iterable[Cascade]) -> Iterator[Cascade]:
    """As they are where replication stands: of tables that are not tracked as they are ``now``."""
    known = set[Name]()
    for table in tracked:
        known.add((table.schema.lower(), table.name.lower()))
        yield from cascades(table)
    yield from (one for one in now if (one.child[0].lower(), one.child[1].lower()) not in known)


def load_structure(connection: Connection, tables: MetaTables, source_id: str, schema: str, table: str) -> Table | None:
    """The tracked structure of an upstream table; None when it is not tracked (yet)."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT structure FROM {tables.structure} WHERE {_OF_ONE}", (source_id, schema, table))
        row = cursor.fetchone()
    return Table.from_json(json.loads(row[0])) if row else None


def store_structure(
    connection: Connection, tables: MetaTables, source_id: str, table: Table, read_at: Position | None = None
) -> None:
    """Track ``table`` from the checkpoint on; a run that is still at work is fenced off.

    ``read_at``: where the binlog was when the upstream had that structure; None: it is known to be the checkpoint's.
    """
    _write(connection, tables, source_id, *structure_row(tables, (source_id, table.schema, table.name), table, read_at))


def structure_row(
    tables: MetaTables, key: tuple[str, str, str], table: Table, read_at: Position | None
) -> tuple[str, tuple[Any, ...]]:
    """The statement, and its values, that stores a structure by source, schema and table (see store_structure)."""
    columns = "source_id, schema_name, table_name, structure, read_binlog_name, read_binlog_pos"
    text = json.dumps(table.to_json(), ensure_ascii=False)
    sql = f"REPLACE INTO {tables.structure} ({columns}) VALUES (%s, %s, %s, %s, %s, %s)"
    place = ("", 0) if read_at is None else (read_at.name, read_at.offset)
    return sql, (*key, text, *place)


def remove_structure(connection: Connection, tables: MetaTables, source_id: str, schema: str, table: str) -> bool:
    """Whether it was tracked; a run that is still at work is fenced off."""
    sql = f"DELETE FROM {tables.structure} WHERE {_OF_ONE}"
    return bool(_write(connection, tables, source_id, sql, (source_id, schema, table)))


def _write(connection: Connection, tables: MetaTables, source_id: str, sql: str, arguments: Sequence[Any]) -> int:
    def work(cursor: Any) -> int:
        cursor.execute(f"UPDATE {tables.source} SET epoch = epoch + 1 WHERE source_id = %s", (source_id,))
        return int(cursor.execute(sql, arguments))

    return in_transaction(connection, work)
