"""How far everything is applied: commits of the stream against the channels' low watermark."""

from __future__ import annotations

from collections import deque

from pkg.binlog.position import Location


class Commits:
    """Commits that were read, oldest first; `safe` is the newest before which all jobs are applied.

    invariant: seqs and locations in the queue grow; `safe` never goes back.
    """

    def __init__(self, start: Location) -> None:
        self.safe = start
        self.read = start
        self.safe_timestamp = 0
        self._timestamp = 0  # of the newest commit that says its time
        self._open: deque[tuple[int, Location, int]] = deque()

    def add(self, location: Location, last_seq: int, timestamp: int) -> None:
        """A transaction (or DDL, rotate, heartbeat) that ends at `location`; its jobs have seqs up to `last_seq`.

        `timestamp` 0: it says no time (rotate, heartbeat).
        """
        self.read = location
        timestamp = self._timestamp = timestamp or self._timestamp
        if self._open and self._open[-1][0] == last_seq:
            self._open[-1] = (last_seq, location, timestamp)  # nothing to apply in between
        else:
            self._open.append((last_seq, location, timestamp))

    def advance(self, low_watermark: int) -> Location:
        """The newest location whose jobs all have seqs up to `low_watermark`."""
        while self._open and self._open[0][0] <= low_watermark:
            _, self.safe, self.safe_timestamp = self._open.popleft()
        return self.safe

    @property
    def open_since(self) -> int:
        """The time of the oldest commit that is not applied; 0 when all are.  For any thread."""
        try:
            return self._open[0][2]
        except IndexError:
            return 0

    @property
    def all_applied(self) -> bool:
        return not self._open
