"""How far the relay log is durable, as the daemon tells its readers; without a daemon, as relay.meta says."""

from __future__ import annotations

import contextlib
import json
import select
import socket
from pathlib import Path

from dm_worker.relay.folder import Mark, durable_mark
from dm_worker.relay.notices import connect
from pkg.errors import DMError

_PIECE_BYTES = 1 << 16


class Durable:
    """One reader's connection to the daemon, which may not be there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rest = b""
        self._socket: socket.socket | None = None
        self.mark: Mark | None = None
        try:
            self._socket = connect(folder)
            self._socket.setblocking(False)
            self._poll = select.poll()
            self._poll.register(self._socket, select.POLLIN)
        except OSError:
            self._lose()
        else:
            self._note(self._stored())

    @property
    def is_gone(self) -> bool:
        """Whether the daemon is: what is durable by now stays all there is."""
        return self._socket is None

    def tell(self, sub_dir: str, file: str) -> None:
        """The reader is in this file: it is not to be purged."""
        if self._socket is not None:
            with contextlib.suppress(OSError):  # what it said last is still to be read; then wait() sees the end
                self._socket.sendall(json.dumps({"sub_dir": sub_dir, "file": file}).encode() + b"\n")

    def wait(self, timeout: float) -> bool:
        """Take what the daemon says within the time; whether it said anything."""
        if self._socket is None or not self._poll.poll(timeout * 1000):
            return False
        said = b""
        try:
            while piece := self._socket.recv(_PIECE_BYTES):
                said += piece
            self._lose(said)
        except BlockingIOError:
            self._hear(said)
        except OSError:
            self._lose(said)
        return True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _lose(self, said: bytes = b"") -> None:
        self._hear(said)
        self.close()
        self._note(self._stored())

    def _hear(self, said: bytes) -> None:
        *lines, self._rest = (self._rest + said).split(b"\n")
        if not lines:
            return
        try:
            notice = json.loads(lines[-1])
            self.mark = Mark(str(notice["sub_dir"]), str(notice["file"]), int(notice["size"]))
        except (ValueError, KeyError, TypeError):
            self.close()  # whoever is there, it is no daemon of ours

    def _note(self, mark: Mark | None) -> None:
        """Take a mark that is farther than the known one."""
        known = self.mark
        if mark is None:
            return
        is_same_file = known is not None and (known.sub_dir, known.file) == (mark.sub_dir, mark.file)
        if known is None or (is_same_file and mark.size > known.size) or mark.is_behind(known.sub_dir, known.file):
            self.mark = mark

    def _stored(self) -> Mark | None:
        try:
            return durable_mark(self._folder)
        except DMError:
            return None  # the reader meets what is wrong there by itself
