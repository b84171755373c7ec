"""Which channel a row change goes to, and which changes it must wait for (DESIGN.md §4.3-4.4).

One row's changes always share a channel, in commit order, so they need no wait.  What can cross
channels is a unique value that moves between rows: a change that touches a value which another
channel's unapplied change touched waits for that one (channel, seq).
"""

from __future__ import annotations

from zlib import crc32

from pkg.rows.change import Job, Kind, Origin, RowImage, TargetTable
from pkg.rows.keys import fold_identity, unique_values


class Causality:
    """Turns row changes into jobs.  Deterministic: the same changes give the same jobs on every replay."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._seq = 0
        self._last_touch: dict[tuple[object, ...], tuple[int, int]] = {}
        self._seeds: dict[bytes, int] = {}

    @property
    def last_seq(self) -> int:
        """The seq of the newest job; jobs are numbered from 1."""
        return self._seq

    def channel_of(self, table: TargetTable, fold: RowImage) -> int:
        """The channel of a row: by downstream table and identity; keyless tables go through channel 0."""
        if not fold:
            return 0
        seed = self._seeds.get(table.qualified)
        if seed is None:
            seed = self._seeds[table.qualified] = crc32(table.qualified)
        value = fold[0] if len(fold) == 1 else b",".join(fold)
        return crc32(value, seed) % self._channels

    def jobs(
        self,
        table: TargetTable,
        before: RowImage | None,
        after: RowImage | None,
        *,
        safe: bool,
        origin: Origin,
        event_end: int,
        row_index: int,
        size: int,
    ) -> list[tuple[int, Job]]:
        """The (channel, job) pairs of one row change; a changed identity is a delete and an insert.

        ``row_index`` numbers the changes of the transaction; places count it in steps of 2, so that the two
        halves of a split update have places of their own.
        """
        if before is None or after is None:
            image = before if before is not None else after
            assert image is not None
            kind = Kind.INSERT if before is None else Kind.DELETE
            halves = [(kind, table.take_identity(image), before, after)]
        else:
            key, new_key = table.take_identity(before), table.take_identity(after)
            if key == new_key:
                halves = [(Kind.UPDATE, key, before, after)]
            else:
                halves = [(Kind.DELETE, key, before, None), (Kind.INSERT, new_key, None, after)]
        pairs = []
        for half, (kind, key, old, new) in enumerate(halves):
            folded = fold_identity(table, key)
            channel = self.channel_of(table, folded)
            self._seq += 1
            job = Job(
                self._seq, kind, table, key, folded, old, new, safe, origin, event_end, row_index * 2 + half, size
            )
            if table.unique_keys:
                self._link(channel, job)
            pairs.append((channel, job))
        return pairs

    def _link(self, channel: int, job: Job) -> None:
        values: dict[tuple[object, ...], None] = {}
        for image in (job.before, job.after):
            if image is not None:
                values.update(dict.fromkeys(unique_values(job.table, image)))
        needs: dict[int, int] = {}
        for value in values:
            touched = self._last_touch.get(value)
            if touched is not None and touched[0] != channel:
                needs[touched[0]] = max(touched[1], needs.get(touched[0], 0))
            self._last_touch[value] = (channel, job.seq)
        job.uniques = tuple(values)
        job.needs = tuple(needs.items())

    def forget_applied(self, low_watermark: int) -> None:
        """Drop what nobody can have to wait for: touches by jobs up to ``low_watermark``."""
        self._last_touch = {value: touch for value, touch in self._last_touch.items() if touch[1] > low_watermark}

    @property
    def tracked_values(self) -> int:
        return len(self._last_touch)
