"""Row images as tuples of SQL literals: the compiled inner loop of the codec.

Cython's pure Python mode: the same source runs uncompiled, slowly.  Layouts: MySQL source
`log_event.h`; MariaDB knowledge base "Rows_event".  All bounds are checked in one place, `_image`:
the functions that make literals are called with a range that lies inside the event.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import cython

from pkg.binlog import old_times
from pkg.binlog.column_plan import ColumnLike, ColumnPlan, Kind, TextTarget, plan_columns
from pkg.binlog.events import TableMap
from pkg.binlog.literals import Truncated
from pkg.binlog.partial_json import PartialColumns
from pkg.binlog.rare_values import DocumentReader, JsonReader
from pkg.binlog.text_literals import ROOM

if cython.compiled:
    from cython.cimports.cpython.ref import Py_INCREF
    from cython.cimports.cpython.tuple import PyTuple_New, PyTuple_SET_ITEM
    from cython.cimports.pkg.binlog import literals, text_literals
else:
    from pkg.binlog import literals, text_literals


class PartialImage(ValueError):
    """Not all columns are logged."""


_INT = cython.declare(cython.int, Kind.INT)
_DATETIME = cython.declare(cython.int, Kind.DATETIME)
_TIMESTAMP = cython.declare(cython.int, Kind.TIMESTAMP)
_TIME = cython.declare(cython.int, Kind.TIME)
_DECIMAL = cython.declare(cython.int, Kind.DECIMAL)
_DATE = cython.declare(cython.int, Kind.DATE)
_DOUBLE = cython.declare(cython.int, Kind.DOUBLE)
_FLOAT = cython.declare(cython.int, Kind.FLOAT)
_YEAR = cython.declare(cython.int, Kind.YEAR)
_ENUM = cython.declare(cython.int, Kind.ENUM)
_SET = cython.declare(cython.int, Kind.SET)
_BIT = cython.declare(cython.int, Kind.BIT)
_OLD_DATETIME = cython.declare(cython.int, Kind.OLD_DATETIME)
_OLD_TIMESTAMP = cython.declare(cython.int, Kind.OLD_TIMESTAMP)
_UTF8_TEXT = cython.declare(cython.int, Kind.UTF8_TEXT)
_SINGLE_BYTE_TEXT = cython.declare(cython.int, Kind.SINGLE_BYTE_TEXT)
_BINARY = cython.declare(cython.int, Kind.BINARY)
_NULL = cython.declare(bytes, b"NULL")
_INSERTED = cython.declare(cython.int, 0)
_UPDATED = cython.declare(cython.int, 1)


@cython.cclass
class RowPlan:
    """How to read the rows of one table map.  Made by `build`, used by one thread at a time.

    The first ``shown`` columns (None: all) are given, those behind are hidden.  ``scratch`` is where literals
    are made, ROOM bytes; plans of one thread may share it (2,000 of their own were 128 MB).
    """

    def __init__(self, plans: Sequence[ColumnPlan], scratch: bytearray | None = None, shown: int | None = None) -> None:
        self._count = len(plans)
        self._shown = len(plans) if shown is None else shown
        numbers = array("i")
        for plan in plans:
            numbers.extend((plan.kind, plan.size, plan.meta))
        self._layout = numbers
        self._extra = [plan.extra for plan in plans]
        self._strict = [plan.strict for plan in plans]
        self._partial = PartialColumns(self._extra)
        readers = [one for one in self._extra if isinstance(one, (JsonReader, DocumentReader))]
        self._typed = [one for one in readers if one.looks_at_types] or None
        self._bytes = b""
        self._scratch = bytearray(ROOM) if scratch is None else scratch
        self._out = self._scratch

    @staticmethod
    def build(
        columns: Sequence[ColumnLike],
        table_map: TableMap,
        scratch: bytearray | None = None,
        targets: Sequence[TextTarget | None] | None = None,
        most_hidden: int = 0,
    ) -> RowPlan:
        """The plan for `columns` (the table's structure at this place), the event's own layout, and where text goes.

        Up to `most_hidden` columns behind them, which the server has made for itself, are read and left out.
        Raises DMError: COLUMN_MISMATCH when the two do not fit, UNSUPPORTED_TYPE by column and type.
        """
        return RowPlan(plan_columns(columns, table_map, targets, most_hidden), scratch, len(columns))

    @cython.ccall
    def decode(
        self, buf: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, kind: cython.int = _INSERTED
    ) -> list:
        """The row images in `buf[start:end]`.  Raises ValueError, of which Truncated is one.

        `kind`: they are written (0), by twos updated (1), or deleted (2).
        """
        is_after: cython.bint = kind == _INSERTED
        rows: list = []
        if not 0 <= start <= end <= len(buf):
            raise Truncated("the rows reach beyond the end of their event")
        self._bytes = buf
        self._in = buf
        try:
            while start < end:
                if self._typed is not None:
                    self._expect(is_after)
                    is_after = not is_after if kind == _UPDATED else is_after
                start = self._image(start, end, rows)
        finally:
            self._bytes = b""
        return rows if self._shown == self._count else [image[: self._shown] for image in rows]

    @cython.ccall
    def decode_partial(self, buf: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list:
        """As `decode`, for updates whose images after them hold JSON documents as differences."""
        rows: list = []
        if not 0 <= start <= end <= len(buf):
            raise Truncated("the rows reach beyond the end of their event")
        partial = self._partial
        self._bytes = buf
        self._in = buf
        try:
            while start < end:
                partial.before(self._extra)
                self._expect(False)
                start = self._image(start, end, rows)
                start = partial.after(self._extra, buf, start, end)
                self._expect(True)
                start = self._image(start, end, rows)
        finally:
            self._bytes = b""
            partial.done(self._extra)
        return rows if self._shown == self._count else [image[: self._shown] for image in rows]

    @cython.cfunc
    def _expect(self, is_after: cython.bint) -> cython.void:
        """Rows that were before may have what the target is not given any more."""
        if self._typed is not None:
            for reader in self._typed:
                reader.is_after = is_after

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _image(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t, rows: list) -> cython.Py_ssize_t:
        """Append the image at `at` to `rows`; where the next one starts."""
        i: cython.int
        kind: cython.int
        size: cython.Py_ssize_t
        length: cython.ulonglong
        value: bytes
        p: cython.p_const_uchar = self._in
        bitmap: cython.Py_ssize_t = at
        row: tuple
        values: list
        at += (self._count + 7) >> 3
        if at > end:
            raise Truncated("the bitmap of NULLs reaches beyond the end of its event")
        if cython.compiled:
            row = PyTuple_New(self._count)
        else:
            values = []
        for i in range(self._count):
            if p[bitmap + (i >> 3)] & (1 << (i & 7)):
                value = _NULL
            else:
                kind = self._layout[3 * i]
                size = self._layout[3 * i + 1]
                if size > end - at:
                    raise Truncated(f"column {i + 1} reaches beyond the end of its event")
                at += size
                if kind < _UTF8_TEXT:
                    value = self._fixed(kind, i, at - size, size)
                else:
                    length = literals.little(p, at - size, size)
                    if length > cython.cast(cython.ulonglong, end - at):
                        raise Truncated(f"column {i + 1} reaches beyond the end of its event")
                    at += cython.cast(cython.Py_ssize_t, length)
                    value = self._counted(kind, i, at - cython.cast(cython.Py_ssize_t, length), at)
            if cython.compiled:
                Py_INCREF(value)
                PyTuple_SET_ITEM(row, i, value)
            else:
                values.append(value)
        rows.append(row if cython.compiled else tuple(values))
        return at

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _fixed(self, kind: cython.int, i: cython.int, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> bytes:
        """A value of a fixed size, the most frequent kinds first."""
        p: cython.p_const_uchar = self._in
        out: cython.p_uchar = self._out
        meta: cython.int = self._layout[3 * i + 2]
        if kind == _INT:
            return literals.integer(out, p, at, size, meta)
        if kind == _DATETIME:
            return literals.datetime(out, p, at, meta)
        if kind == _TIMESTAMP:
            return literals.timestamp(out, p, at, meta)
        if kind == _DECIMAL:
            return literals.decimal(out, p, at, meta >> 8, meta & 255)
        if kind == _DATE:
            return literals.date(out, p, at)
        if kind == _ENUM:
            return _enum(cython.cast(cython.Py_ssize_t, literals.little(p, at, size)), self._extra[i])
        if kind == _TIME:
            return literals.time(out, p, at, size, meta)
        if kind == _DOUBLE:
            return literals.double_precision(p, at)
        if kind == _FLOAT:
            return literals.widened_single(p, at) if meta else literals.single_precision(p, at)
        if kind == _BIT:
            return literals.number(out, literals.big(p, at, size), False)
        return self._rare(kind, i, at, size)

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _rare(self, kind: cython.int, i: cython.int, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> bytes:
        p: cython.p_const_uchar = self._in
        out: cython.p_uchar = self._out
        meta: cython.int = self._layout[3 * i + 2]
        if kind == _YEAR:
            return literals.number(out, 1900 + p[at] if p[at] else 0, False)
        if kind == _SET:
            label_text: bytes = self._extra[i](literals.little(p, at, size))
            return label_text
        if kind == _OLD_TIMESTAMP:
            return literals.old_timestamp(out, p, at, meta)
        if meta:
            raw: bytes = p[at : at + size]
            return old_times.datetime_literal(raw, meta) if kind == _OLD_DATETIME else old_times.time_literal(raw, meta)
        return literals.old_datetime(out, p, at) if kind == _OLD_DATETIME else literals.old_time(out, p, at)

    @cython.cfunc
    @cython.boundscheck(False)
    @cython.wraparound(False)
    def _counted(self, kind: cython.int, i: cython.int, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> bytes:
        """A value whose length stands before it."""
        p: cython.p_const_uchar = self._in
        if kind == _UTF8_TEXT:
            return text_literals.utf8_text(self._out, p, at, end)
        if kind == _BINARY:
            return text_literals.hexadecimal(self._out, p, at, end, self._layout[3 * i + 2])
        if kind == _SINGLE_BYTE_TEXT:
            text: bytes = text_literals.single_byte_text(self._out, p, at, end, self._extra[i])
            if text[0] == 120 and self._strict[i] is not None:  # the x of digits: a byte stands for nothing
                text = self._strict[i](p[at:end])
            return text
        literal: bytes = self._extra[i](p[at:end])
        return literal


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def first_image(
    source: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t, two: cython.bint, columns: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the images start, behind the bitmaps of the columns that are logged.  Raises PartialImage for not all."""
    p: cython.p_const_uchar = source
    count: cython.Py_ssize_t
    place: cython.Py_ssize_t
    if at + 3 > end:
        raise Truncated("the event is cut off")
    count = p[at]
    at += 1
    if count == 0xFC:
        count = p[at] | p[at + 1] << 8
        at += 2
    if count != columns:
        raise Truncated(f"rows have {count} columns and their table map {columns}")
    size: cython.Py_ssize_t = (count + 7) >> 3
    if at + (2 * size if two else size) > end:
        raise Truncated("the event is cut off")
    for _ in range(2 if two else 1):
        for place in range(count):
            if not p[at + (place >> 3)] & (1 << (place & 7)):
                raise PartialImage(f"column {place + 1} is not logged")
        at += size
    return at


@cython.cfunc
def _enum(index: cython.Py_ssize_t, labels: tuple) -> bytes:
    if index >= len(labels):
        raise Truncated(f"an ENUM has the index {index} of {len(labels) - 1} labels")
    label: bytes = labels[index]
    return label


__all__ = ["PartialImage", "RowPlan", "Truncated", "first_image"]
