"""Which channel a row change goes to, and which changes it must wait for (DESIGN.md §4.3-4.4).

One row's changes always share a channel, in commit order, so they need no wait.  What can cross
channels is a unique value that moves between rows: a change that touches a value which another
channel's unapplied change touched waits for that one (channel, seq).  Tables that checked foreign keys
tie to each other share one channel, in commit order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

import cython

from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.job import Origin
from pkg.rows.keys import fold_identity, unique_values

if cython.compiled:
    from cython.cimports.pkg.rows.job import Job
else:
    from pkg.rows.job import Job

_INSERT, _UPDATE, _DELETE = Kind.INSERT, Kind.UPDATE, Kind.DELETE


class Causality:
    """Turns row changes into jobs.  Deterministic: the same changes give the same jobs on every replay."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._seq = 0
        self._last_touch: dict[tuple[object, ...], tuple[int, int]] = {}
        # Jobs that do nothing, from behind one seq up to another, and the (channel, seq) that they waited for.
        self._dropped: list[tuple[int, int, tuple[tuple[int, int], ...]]] = []
        self._makers: dict[bytes, _Maker] = {}

    @property
    def last_seq(self) -> int:
        """The seq of the newest job; jobs are numbered from 1."""
        return self._seq

    def channel_of(self, table: TargetTable, fold: RowImage) -> int:
        """The channel of a row: by downstream table and identity; keyless tables go through channel 0."""
        return self._maker(table).channel_of(fold)

    def _maker(self, table: TargetTable) -> _Maker:
        maker = self._makers.get(table.qualified)
        if maker is None or maker.table is not table:  # a DDL makes a new plan for the table
            maker = self._makers[table.qualified] = _Maker(table, self._channels)
        return maker

    def jobs(
        self,
        table: TargetTable,
        kind: str,
        images: list[RowImage],
        *,
        safe: bool,
        origin: Origin,
        event_end: int,
        row_index: int,
        size: int,
        counts: Callable[[list[Job]], list[Job]] | None = None,
    ) -> list[Job]:
        """The jobs of a rows event (images of updates alternate); a changed identity is a delete and an insert, or
        stays an update where the target has columns of its own.

        ``row_index`` numbers the event's first change within its transaction, ``size`` is what one costs in
        memory.  Places count changes in steps of 2, so that the halves of a split update have their own.
        ``counts`` says what is done of them: nobody waits for the others.
        """
        maker: _Maker = self._maker(table)
        maker.begin(self._seq, safe, origin, event_end, size)
        if kind == "update":
            made = maker.updates(images, 2 * row_index)
        else:
            made = maker.changes(_INSERT if kind == "insert" else _DELETE, images, 2 * row_index)
        self._seq += len(made)
        if counts is not None:
            made = counts(made)
        if table.unique_keys:
            for job in made:
                self._link(job)
        return made

    def _link(self, job: Job) -> None:
        values: dict[tuple[object, ...], None] = {}
        for image in (job.before, job.after):
            if image is not None:
                values.update(dict.fromkeys(unique_values(job.table, image)))
        needs: dict[int, int] = {}
        for value in values:
            touched = self._last_touch.get(value)
            if touched is not None:
                for channel, seq in self._needs_behind(touched) if self._dropped else (touched,):
                    if channel != job.channel:
                        needs[channel] = max(seq, needs.get(channel, 0))
            self._last_touch[value] = (job.channel, job.seq)
        job.uniques = tuple(values)
        job.needs = tuple(needs.items())

    def drop(self, first: int, needs: Mapping[int, int]) -> None:
        """All jobs with a seq above ``first`` do nothing: whoever comes behind one waits for ``needs``, too.

        ``needs``: by channel the seq of the last job that one of them waited for, or would have.
        """
        if needs and first < self._seq:
            self._dropped.append((first, self._seq, tuple(needs.items())))

    def _needs_behind(self, touched: tuple[int, int]) -> Iterator[tuple[int, int]]:
        yield touched
        for first, last, needs in reversed(self._dropped):
            if first < touched[1] <= last:
                yield from needs
                return

    def forget_applied(self, low_watermark: int) -> None:
        """Drop what nobody can have to wait for: touches by jobs up to ``low_watermark``."""
        self._last_touch = {value: touch for value, touch in self._last_touch.items() if touch[1] > low_watermark}
        self._dropped = [one for one in self._dropped if one[1] > low_watermark]

    @property
    def tracked_values(self) -> int:
        return len(self._last_touch)


@cython.cclass
class _Maker:
    """Makes the jobs of one table."""

    table = cython.declare(object, visibility="readonly")
    _take: Any
    _only: cython.Py_ssize_t  # the ordinal of an identity of one column, else -1
    _folds: cython.bint
    _seed: Any
    _channels: cython.longlong
    _fixed: cython.longlong  # the channel of all rows of tied tables, else -1
    _has_own: cython.bint  # the target has columns of its own
    _seq: cython.longlong
    _safe: cython.bint
    _origin: object
    _event_end: cython.longlong
    _size: cython.Py_ssize_t

    def __init__(self, table: TargetTable, channels: int) -> None:
        self.table = table
        self._take = table.take_identity
        self._only = table.identity[0] if len(table.identity) == 1 else -1
        self._folds = any(table.identity_folds)
        self._seed = crc32(table.qualified)
        self._channels = channels
        self._fixed = crc32(table.group) % channels if table.group else -1
        self._has_own = bool(table.own_columns)

    @cython.ccall
    def begin(
        self,
        seq: cython.longlong,
        safe: cython.bint,
        origin: object,
        event_end: cython.longlong,
        size: cython.Py_ssize_t,
    ) -> object:
        """What the jobs of the next rows event have in common."""
        self._seq = seq
        self._safe = safe
        self._origin = origin
        self._event_end = event_end
        self._size = size
        return None

    @cython.ccall
    def channel_of(self, fold: tuple) -> cython.longlong:
        """The channel of a row; keyless tables go through channel 0."""
        if self._fixed >= 0:
            return self._fixed
        if not fold:
            return 0
        value: bytes = fold[0] if len(fold) == 1 else b",".join(fold)
        hashed: cython.longlong = crc32(value, self._seed)
        return hashed % self._channels

    @cython.cfunc
    def _key(self, image: tuple) -> tuple:
        if self._only >= 0:
            return (image[self._only],)
        key: tuple = self._take(image)
        return key

    @cython.cfunc
    def _job(self, kind: object, key: tuple, before: object, after: object, row_index: cython.longlong) -> Job:
        fold: tuple = fold_identity(self.table, key) if self._folds else key
        self._seq += 1
        return Job(
            self._seq, self.channel_of(fold), kind, self.table, key, fold, before, after, self._safe, self._origin,
            self._event_end, row_index, self._size,
        )  # fmt: skip

    @cython.ccall
    def changes(self, kind: object, images: list, index: cython.longlong) -> list:
        """Jobs of inserted or deleted rows."""
        made: list = []
        image: tuple
        is_insert: cython.bint = kind is _INSERT
        for image in images:
            if is_insert:
                made.append(self._job(kind, self._key(image), None, image, index))
            else:
                made.append(self._job(kind, self._key(image), image, None, index))
            index += 2
        return made

    @cython.ccall
    def updates(self, images: list, index: cython.longlong) -> list:
        """Jobs of updated rows."""
        made: list = []
        at: cython.Py_ssize_t
        for at in range(0, len(images), 2):
            before: tuple = images[at]
            after: tuple = images[at + 1]
            key: tuple = self._key(before)
            new_key: tuple = self._key(after)
            if key == new_key or self._fixed >= 0:  # a tied row keeps its children when its key changes
                made.append(self._job(_UPDATE, key, before, after, index))
            elif self._has_own:  # it keeps what these hold; it is done when the second half would be
                made.append(self._job(_UPDATE, key, before, after, index + 1))
            else:
                made.append(self._job(_DELETE, key, before, None, index))
                made.append(self._job(_INSERT, new_key, None, after, index + 1))
            index += 2
        return made
