"""`LOAD DATA LOCAL` whose rows come from memory: the statement, and the packets that feed it.

The server asks for a file by a name that nobody looks at and takes packets until an empty one::

    COM_QUERY → 0xFB name ← block … block, empty packet → OK with what it warns of, or ERR

Lines are tab-separated with backslash escapes.  In the character set ``binary`` every byte arrives as it
is; what a column does not take as bytes goes through a variable and an expression over it.
LOCAL without REPLACE means IGNORE to every server: a row that is there already, or a value that does not
fit, is a warning.  Who calls this looks at ``Loaded``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from pymysql.constants import CLIENT
from pymysql.constants.COMMAND import COM_QUERY
from pymysql.err import OperationalError

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import errno_of

Block: TypeAlias = bytes | bytearray | memoryview
Duplicates: TypeAlias = Literal["", "IGNORE", "REPLACE"]

CLIENT_FLAG: Final[int] = CLIENT.LOCAL_FILES  # what ``connect`` must be told for a connection that streams
FORMAT: Final = "FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n'"

_REFUSALS: Final = frozenset((1148, 3948, 4166))  # LOCAL is not allowed: on this server, or by this client's flag
_LONGEST_PACKET: Final = 1 << 20  # far below what max_allowed_packet lets pass
_COUNTS: Final = re.compile(rb"Records: (\d+)\D+Deleted: (\d+)\D+Skipped: (\d+)\D+Warnings: (\d+)")


@dataclass(frozen=True, slots=True)
class LoadColumn:
    """A column of the target, quoted; ``expression`` makes its value from the variable `@c` where bytes will not do."""

    name: str
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the server says of a statement that it carried out."""

    warnings: int
    records: int | None  # lines that it read; None where it does not say
    skipped: int  # rows that it left out


def load_statement(
    target: str,
    columns: Sequence[LoadColumn],
    duplicates: Duplicates = "",
    *,
    charset: str = "binary",
    line_format: str = FORMAT,
) -> str:
    """The statement that loads lines into ``target`` (quoted)."""
    listed, sets = [], []
    for number, column in enumerate(columns):
        if column.expression:
            listed.append(f"@c{number}")
            sets.append(f"{column.name} = {column.expression.replace('@c', f'@c{number}')}")
        else:
            listed.append(column.name)
    verb = f"{duplicates} INTO" if duplicates else "INTO"
    sql = f"LOAD DATA LOCAL INFILE 'chunk' {verb} TABLE {target} CHARACTER SET {charset} {line_format}"
    sql += f" ({', '.join(listed)})"
    return f"{sql} SET {', '.join(sets)}" if sets else sql


def load_stream(connection: Connection, statement: str, blocks: Iterable[Block]) -> Loaded:
    """Run ``statement`` with what ``blocks`` give; without a block nothing is run.

    A block is sent before the next one is asked for, so it may be reused.  Raises DMError when the server
    refuses.  When ``blocks`` raise, the connection is dropped: rows are there already, and only this makes
    sure that they do not stay.
    """
    remaining = iter(blocks)
    first = next(remaining, None)  # a server waits for a line no longer than its net_read_timeout
    if first is None:
        return Loaded(0, 0, 0)
    connection._execute_command(COM_QUERY, statement)
    request = connection._read_packet()
    if not request.is_load_local_packet():
        raise connection.translated(OperationalError(2027, "the server did not ask for the rows of LOAD DATA"))
    try:
        for block in chain((first,), remaining):
            _send(connection, block)
        _send_packet(connection, b"")
    except BaseException:
        connection._force_close()
        raise
    driver: Any = connection
    driver._read_query_result()
    return _loaded(connection._result)


def allows_local(connection: Connection) -> bool:
    """Whether the server of ``connection`` says that it takes LOAD DATA LOCAL."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES LIKE 'local_infile'")
        row: Any = cursor.fetchone()
    return row is not None and str(row[1]).upper() in ("1", "ON")


def refuses_local(error: BaseException) -> bool:
    """Whether ``error`` says that the server takes no LOAD DATA LOCAL."""
    return errno_of(error) in _REFUSALS


def _send(connection: Connection, block: Block) -> None:
    view = memoryview(block)
    for start in range(0, len(view), _LONGEST_PACKET):
        _send_packet(connection, view[start : start + _LONGEST_PACKET])


def _send_packet(connection: Connection, payload: Block) -> None:
    driver: Any = connection
    header = len(payload).to_bytes(3, "little") + bytes((driver._next_seq_id,))
    driver._next_seq_id = (driver._next_seq_id + 1) % 256
    connection._write_bytes(b"".join((header, payload)))


def _loaded(result: Any) -> Loaded:
    message = result.message or b""
    counts = _COUNTS.search(message.encode() if isinstance(message, str) else message)
    if counts is None:
        return Loaded(result.warning_count, None, 0)
    return Loaded(max(result.warning_count, int(counts[4])), int(counts[1]), int(counts[3]))
