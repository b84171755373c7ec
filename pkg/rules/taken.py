"""Which tables' parts of a DDL a task takes, and statements that mix tables of the task with others.

Each piece of a statement is judged by the table that it is about: the others of a ``DROP TABLE a, b`` may have
namesakes in the target which are none of the task's.  Of renames that follow each other (``a TO x, b TO a, x TO b``)
the table counts that went in, and the name that it ends with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import PartitionChange
from pkg.schema.statement import Ddl, DdlKind, TableName

MIXED_TABLES = ErrorKind(
    36170,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "at {place} {reason}: {sql}",
    workaround="bring the target's tables to where they shall be (rows that are not there yet, too), then "
    "`dmctl binlog skip <task>`; or `dmctl binlog replace <task> <sql>` runs another statement in its place; or let "
    "the block-allow-list take both tables and copy anew; a binlog event filter may leave such statements out",
)

Allows = Callable[[str, str], bool]
"""Whether a task takes a table (or, with "" for its name, the schema)."""


def taken_pieces(ddl: Ddl, allows: Allows) -> tuple[Ddl, ...]:
    """The statements about one table each that concern the task; () where it takes none of the tables."""
    if ddl.kind is DdlKind.RENAME_TABLE:
        return tuple(piece for piece, *ends in moves(ddl) if any(_allowed(one, allows) for one in ends))
    return tuple(piece for piece in ddl.pieces() if any(_allowed(name, allows) for name in _concerned(piece)))


def mixture(ddl: Ddl, allows: Allows) -> str:
    """What a statement does to tables of the task and others together that only a person can decide, "" if nothing."""
    if ddl.kind is DdlKind.RENAME_TABLE:
        pairs = [(first, last) for _, first, last in moves(ddl)]
    elif ddl.kind is DdlKind.CREATE_TABLE_LIKE:
        new, model = ddl.tables
        like = f"{new.quoted()} is created like {model.quoted()}, which the task does not take"
        return like if _allowed(new, allows) and not _allowed(model, allows) else ""
    else:
        pairs = list(ddl.renames)
        for other in exchanged(ddl):
            if _allowed(ddl.subject, allows) != _allowed(other, allows):
                outside = next(name for name in (ddl.subject, other) if not _allowed(name, allows))
                return f"rows move from or to {outside.quoted()}, which the task does not take"
    return next((reason for pair in pairs if (reason := _renamed(*pair, allows))), "")


def _renamed(old: TableName, new: TableName, allows: Allows) -> str:
    if _allowed(old, allows) == _allowed(new, allows):
        return ""
    if _allowed(old, allows):
        return f"{old.quoted()} is renamed to {new.quoted()}, which the task does not take"
    return f"{old.quoted()}, which the task does not take, is renamed to {new.quoted()}: the target lacks its rows"


def moves(ddl: Ddl) -> Iterator[tuple[Ddl, TableName, TableName]]:
    """Each piece of a RENAME TABLE, with its table's name before the statement and behind it."""
    first: list[TableName] = []  # per pair
    origin: dict[TableName, TableName] = {}  # of the names that were given so far
    last: dict[TableName, TableName] = {}  # by the name before
    for old, new in ddl.renames:
        begin = origin.pop(old, old)
        origin[new] = begin
        last[begin] = new
        first.append(begin)
    for piece, begin in zip(ddl.pieces(), first, strict=True):
        yield piece, begin, last[begin]


def _concerned(piece: Ddl) -> tuple[TableName, ...]:
    """The tables that a piece changes or moves, without those that it only refers to."""
    return (piece.subject, *(new for _, new in piece.renames), *exchanged(piece))


def exchanged(piece: Ddl) -> tuple[TableName, ...]:
    """The table whose rows a partition of the piece's own gives or takes, if it moves any."""
    moves = any(isinstance(one, PartitionChange) and one.moves_rows for one in piece.alterations)
    return piece.tables[1:] if moves else ()


def _allowed(name: TableName, allows: Allows) -> bool:
    return allows(name.schema, name.table)
