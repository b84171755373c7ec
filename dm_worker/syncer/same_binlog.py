"""Whether the upstream's binlog is still the one that was read, or was begun anew (RESET MASTER, a restored server).

It is compared at each start, and whenever the stream goes on in another file: a server whose binlog is reset leaves
open streams in the deleted file, and goes on with the file that is called the next one by now.
"""

from __future__ import annotations

from dataclasses import dataclass

from dm_worker.syncer.switch import ANOTHER_BINLOG, RENAMED_BINLOG, gone_file, lost, other_file
from dm_worker.syncer.upstream import Upstream
from pkg.binlog.gtid import GtidSet
from pkg.binlog.position import Location, Position, sorts_before


@dataclass(frozen=True, slots=True)
class SameBinlog:
    """For the thread that reads the stream."""

    upstream: Upstream
    is_asked: bool = True  # False: the relay log is read, whose writer compares

    def check(self, read: Location, begun: int, read_to: int = 0) -> None:
        """``read`` is in a file begun at ``begun`` (seconds since 1970; 0: not known), of which ``read_to`` bytes
        were read, if that is more.  Raises ANOTHER_BINLOG."""
        upstream, position, gtids = self.upstream, read.position, read.gtid_set
        reason = ""
        if gtids is not None and (missing := self._lost(position, gtids)):
            reason = f"it lacks the transactions {missing}"
        if not reason and (file := upstream.binlog_file(position.name)) is not None:
            size, found = file
            reason = other_file(position.name, max(position.offset, read_to), size, (begun, found))
        elif not reason:
            reason = gone_file(position.name, upstream.binlog_files())
        self._refuse(position, reason)

    def _lost(self, position: Position, gtids: GtidSet) -> str:
        """The transactions before a position that the server does not have any more, as text.

        A server of MariaDB may have gone back in its sequence numbers: then its binlog tells what is before the place.
        """
        upstream = self.upstream
        present = upstream.known_transactions()
        missing = lost(present, gtids) if present is not None else ""
        goes_back = missing and position.name and upstream.server.flavor == "mariadb"
        return "" if goes_back and upstream.gtids_at(position) == gtids else missing

    def check_former(self, read: Location, begun: int) -> None:
        """The stream has opened the file that follows that of ``read``.  Raises ANOTHER_BINLOG, ANOTHER_SERVER."""
        if self.is_asked:
            self.check_now(read, begun)

    def check_now(self, read: Location, begun: int) -> None:
        """As ``check``, in the middle of a stream.  Raises ANOTHER_BINLOG, ANOTHER_SERVER."""
        self.upstream.connect_anew()
        self.check(read, begun)

    def check_name(self, former: str, opened: str) -> None:
        """The stream opens a file behind the ``former`` one.  Raises RENAMED_BINLOG."""
        if sorts_before(opened, former):
            raise RENAMED_BINLOG.error(address=self.upstream.address, opened=opened, former=former)

    def check_head(self, read: Position, begun: int, found: int) -> None:
        """A file that was begun at ``begun`` says ``found`` when it is opened again.  Raises ANOTHER_BINLOG."""
        self._refuse(read, other_file(read.name, 0, 0, (begun, found)))

    def _refuse(self, position: Position, reason: str) -> None:
        if reason:
            raise ANOTHER_BINLOG.error(address=self.upstream.address, location=position, reason=reason)
