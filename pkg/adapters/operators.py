"""Operators in the target's meta tables, beside the checkpoint: dm-master writes them, each run reads them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.position import Position
from pkg.task.operators import Op, Operator, Operators


def load_operators(connection: Any, tables: MetaTables, source_id: str) -> Operators:
    """All of one source, in the order of their positions."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT binlog_name, binlog_pos, op, sqls FROM {tables.operator} WHERE source_id = %s", (source_id,)
        )
        rows = cursor.fetchall()
    found = [Operator(Position(name, int(end)), Op(op), tuple(json.loads(sqls))) for name, end, op, sqls in rows]
    return {one.position: one for one in sorted(found, key=lambda one: one.position)}


def store_operator(connection: Any, tables: MetaTables, source_id: str, operator: Operator) -> None:
    """Add it, in place of one for the same position."""
    position = operator.position
    values = (
        source_id,
        position.name,
        position.offset,
        str(operator.op),
        json.dumps(operator.sqls, ensure_ascii=False),
    )
    columns = "source_id, binlog_name, binlog_pos, op, sqls"
    sql = f"REPLACE INTO {tables.operator} ({columns}) VALUES (%s, %s, %s, %s, %s)"
    in_transaction(connection, lambda cursor: cursor.execute(sql, values))


def remove_operator(connection: Any, tables: MetaTables, source_id: str, position: Position) -> bool:
    """Whether there was one."""
    sql, arguments = removal(tables, source_id, position)
    return bool(in_transaction(connection, lambda cursor: cursor.execute(sql, arguments)))


def removal(tables: MetaTables, source_id: str, position: Position) -> tuple[str, Sequence[Any]]:
    """The statement that removes one, with its arguments."""
    sql = f"DELETE FROM {tables.operator} WHERE source_id = %s AND binlog_name = %s AND binlog_pos = %s"
    return sql, (source_id, position.name, position.offset)


def remove_passed_operators(
    connection: Any, tables: MetaTables, source_id: str, stand: Position, held: Collection[Position]
) -> None:
    """Drop those for statements before ``stand``, which never come by again, but for those that wait (``held``)."""
    for position in load_operators(connection, tables, source_id):
        if position <= stand and position not in held:
            remove_operator(connection, tables, source_id, position)


def checkpoint_position(connection: Any, tables: MetaTables, source_id: str) -> Position | None:
    """Where a restart begins to read; None before replication has begun."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT binlog_name, binlog_pos FROM {tables.checkpoint} WHERE source_id = %s", (source_id,))
        row = cursor.fetchone()
    return Position(row[0], int(row[1])) if row and row[0] else None
