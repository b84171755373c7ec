"""A job: one row change of the stream for one channel.  A C structure once compiled (job.pxd has its types)."""

from __future__ import annotations

from typing import Any, NamedTuple

import cython

from pkg.rows.change import Kind, RowImage, TargetTable


class Origin(NamedTuple):
    """What the row changes of one transaction have in common."""

    file_name: str  # of the binlog
    gtid: str  # "": it has none
    before: Any = None  # the transactions before it since the run's start, which str() tells; None: there are no GTIDs


class Place(NamedTuple):
    """Where a row change is in the stream."""

    file_name: str
    end: int  # of its event
    row_index: int  # among the transaction's, in steps of 2
    gtid: str = ""
    before: Any = None  # as of its origin; None also where an earlier build has stored it


@cython.no_gc  # jobs refer to nothing that refers to them
@cython.cclass
class Job:
    """One row change for one channel, in the order of ``seq``.

    ``key`` is the exact identity, ``fold`` the identity as the collation compares it; two jobs with one
    fold always share a channel.  ``needs`` are (channel, seq) pairs that must be applied first.
    """

    def __init__(
        self,
        seq: int,
        channel: int,
        kind: Kind,
        table: TargetTable,
        key: RowImage,
        fold: RowImage,
        before: RowImage | None,
        after: RowImage | None,
        safe: bool,
        origin: Origin,
        event_end: int,
        row_index: int,
        size: int,
    ) -> None:
        self.seq = seq
        self.channel = channel
        self.kind = kind
        self.table = table
        self.key = key
        self.fold = fold
        self.before = before
        self.after = after
        self.safe = safe
        self.origin = origin
        self.event_end = event_end
        self.row_index = row_index
        self.size = size
        self.is_replay = False  # the channel is past it, and does it once more
        self.needs: tuple[tuple[int, int], ...] = ()
        self.uniques: tuple[tuple[object, ...], ...] = ()

    @property
    def place(self) -> Place:
        return Place(self.origin.file_name, self.event_end, self.row_index, self.origin.gtid, self.origin.before)
