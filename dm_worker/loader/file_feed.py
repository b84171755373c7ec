"""A dump's file as blocks for the load path, cut into batches that one transaction takes.

``FileFeed`` reads on from a ``Place``; where a batch ends, ``place`` is exact: all rows before it were given,
and none behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final

from dm_worker.dumper.folder import Folder
from dm_worker.dumper.layout import Compression
from dm_worker.loader.dump_stream import DAMAGED, blocks, errors_of, opened
from dm_worker.loader.file_columns import FileTable, Plan, check_table_name, plan_rows
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.insert_reader import InsertReader
from pkg.rows.insert_text import BadData, BadValue, CutShort, Place
from pkg.rows.row_writer import Block, Layout

BAD_DATA = ErrorKind(
    34214,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump's file {file} cannot be loaded at byte {offset} of its text, some rows behind row {rows}: {text}",
    workaround="nothing of this part of the file is loaded. Make the dump again (stop-task, empty the target tables, "
    "start-task --remove-meta), or load the table by hand and leave it out by the block-allow-list",
)

_BLOCK_BYTES: Final = 512 << 10
_STATEMENT_ROWS: Final = 1000


@dataclass(frozen=True, slots=True)
class BatchSize:
    """What one transaction holds at most, about."""

    rows: int = 50_000
    bytes: int = 32 << 20


DEFAULT_SIZE: Final = BatchSize()


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows as it was when the plan was made; where the dump is a run's, its name has the run's folder."""

    name: str
    size: int
    compression: Compression

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]


@contextmanager
def feeding(
    folder: Folder, file: RowFile, table: FileTable, place: Place, size: BatchSize = DEFAULT_SIZE, verb: str = ""
) -> Iterator[FileFeed]:
    """The file, opened to be read from ``place`` on; ``verb`` asks for INSERT statements instead of lines."""
    with opened(folder, file.name, file.size) as raw:
        yield FileFeed(raw, file, table, place, size, verb)


class FileFeed:
    """One reading of a file."""

    def __init__(
        self, raw: BinaryIO, file: RowFile, table: FileTable, place: Place, size: BatchSize, verb: str
    ) -> None:
        self._raw = raw
        self._file = file
        self._table = table
        self._size = size
        self._verb = verb
        self._plans: list[Plan] = []
        self._waiting: deque[Block] = deque()
        self._left_rows, self._left_bytes = 0, 0
        self._ended = False
        self._blocks = blocks(raw, file.name, file.compression, place.offset)
        with self._errors(place.rows, place.offset):
            rows = _STATEMENT_ROWS if verb else size.rows
            self._reader = InsertReader(self._layout, rows, _BLOCK_BYTES, place)

    @property
    def place(self) -> Place:
        return self._reader.place

    @property
    def file_bytes(self) -> int:
        """How much of the file is read."""
        return min(self._raw.tell(), self._file.size)

    @property
    def is_over(self) -> bool:
        return self._ended and not self._waiting

    def batch(self) -> Iterator[tuple[Plan, Iterator[Block]]]:
        """The next batch: blocks of one plan after another; each group must be read to its end."""
        self._left_rows, self._left_bytes = self._size.rows, self._size.bytes
        while self._fill():
            number = self._waiting[0][0]
            yield self._plans[number], self._group(number)

    def _group(self, number: int) -> Iterator[Block]:
        while self._fill() and self._waiting[0][0] == number:
            block = self._waiting.popleft()
            self._left_rows -= block[2]
            self._left_bytes -= len(block[1])
            yield block

    def _fill(self) -> bool:
        """See to it that a block waits; False where the batch ends."""
        while not self._waiting and not self._ended and self._left_rows > 0 and self._left_bytes > 0:
            with errors_of(self._file.name), self._errors(self._reader.rows):
                self._read_block()
        if not self._waiting:
            self._waiting.extend(self._reader.flush())
        return bool(self._waiting)

    def _read_block(self) -> None:
        data = next(self._blocks, None)
        if data is None:
            self._ended = True
            self._waiting.extend(self._reader.finish())
        else:
            self._waiting.extend(self._reader.feed(data))

    @contextmanager
    def _errors(self, rows: int, offset: int = 0) -> Iterator[None]:
        """Bad data as an error that names the file."""
        name = self._file.name
        try:
            yield
        except CutShort as exc:
            raise DAMAGED.error(file=name, offset=exc.offset, reason=exc.text, cause=exc) from exc
        except (BadData, BadValue) as exc:
            offset, text = (exc.offset, exc.text) if isinstance(exc, BadData) else (offset, str(exc))
            raise BAD_DATA.error(file=name, offset=offset, rows=rows, text=text, cause=exc) from exc

    def _layout(self, table: str, columns: tuple[str, ...] | None, names: str) -> Layout:
        check_table_name(self._table, table)
        plan = plan_rows(self._table, columns, names, self._verb)
        if not self._plans or plan.layout != self._plans[-1].layout:
            self._plans.append(plan)
        return plan.layout
