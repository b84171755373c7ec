"""One chunk of a table as one file of INSERT statements.

Text is UTF-8 and bytes are hexadecimal, so the file means the same to every server and client that reads
it: the head says so, with the time zone and the mode that its values need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import zstandard

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.folder import File, Folder
from dm_worker.dumper.held_structure import ProvenTexts, other_structure
from dm_worker.dumper.layout import Compression
from dm_worker.dumper.rows import read_statements
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.text_protocol import StatementBuilder

ALTERED_WHILE_DUMPED = ErrorKind(
    32019,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} was altered while it is dumped, and rows that were read of the old structure do not belong to those of "
    "the new one: {differences}",
    workaround="undo the change upstream until the dump is over, then resume-task; or dump anew: stop-task, remove "
    "the dump's files, start-task",
)
HEAD: Final = (
    b"/*!40101 SET NAMES utf8mb4*/;\n"
    b"/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n"
    b"/*!40101 SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES,STRICT_TRANS_TABLES'*/;\n"
    b"/*!40103 SET TIME_ZONE='+00:00'*/;\n"
)
STATEMENT_BYTES: Final = 1_000_000  # mydumper's
_MOST_ROWS: Final = 1 << 30  # statements end by size
_LEVEL: Final = 3


@dataclass(frozen=True, slots=True)
class FileSink:
    """Where chunks of a dump go and how they are written; it travels to executors."""

    folder: Folder
    statement_bytes: int = STATEMENT_BYTES
    compression: Compression = Compression.NONE
    where: str = ""


def select_rows(table: TableCopy, chunk: Range, where: str) -> str:
    """The chunk's SELECT, and of its rows those that the task asks for."""
    sql = table.select(chunk)
    if not where:
        return sql
    joint = "WHERE" if table.key is None or chunk == WHOLE else "AND"
    return f"{sql} {joint} ({where}\n)"  # a line end, for it may end with a comment


def insert_prefix(table: TableCopy) -> bytes:
    """Without the schema, as all tools write it: a load chooses where the rows go."""
    return f"INSERT INTO {quoted(table.name)} ({', '.join(table.columns)}) VALUES ".encode()


def write_chunk(
    reader: Connection,
    table: TableCopy,
    chunk: Range,
    sink: FileSink,
    part: str,
    sent: Callable[[int, int], None],
    proven: ProvenTexts,
) -> tuple[int, int]:
    """Write the file ``part``; rows and their bytes.  ``sent`` hears both on the way, and may raise to give up.

    ``reader`` is in a transaction; ``proven``: see ``other_structure``.  Raises ALTERED_WHILE_DUMPED.
    """
    prefix = insert_prefix(table)
    builder = StatementBuilder(prefix, _MOST_ROWS, sink.statement_bytes)
    sql = select_rows(table, chunk, sink.where)
    with sink.folder.writing_part(part) as raw, _packed(raw, sink.compression) as file:
        file.write(HEAD)
        for statement, rows in read_statements(reader, sql, builder):
            file.write(table.written(statement, prefix, rows))
            file.write(b";\n")
            sent(builder.rows, builder.value_bytes)
        if differences := other_structure(reader, table, proven):
            raise ALTERED_WHILE_DUMPED.error(table=table.upstream_name, differences=differences)
    return builder.rows, builder.value_bytes


@contextmanager
def _packed(file: File, compression: Compression) -> Iterator[File]:
    if compression is not Compression.ZSTD:
        yield file
        return
    packing = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    yield _Packing(file, packing)
    file.write(packing.flush())


class _Packing:
    def __init__(self, file: File, packing: zstandard.ZstdCompressionObj) -> None:
        self._file = file
        self._packing = packing

    def write(self, data: bytes | bytearray | memoryview, /) -> int:
        if packed := self._packing.compress(data):
            self._file.write(packed)
        return len(data)
