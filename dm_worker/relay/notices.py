"""The daemon's end of relay.sock: tells readers how far the relay log is durable, hears which file they are in.

One JSON object a line.  To a reader ``{"sub_dir": …, "file": …, "size": …}``, at once when it connects and
then after every growth; a slow reader gets only the latest.  From a reader ``{"sub_dir": …, "file": …}``.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOCKET_NAME = "relay.sock"
_MAX_LINE_BYTES = 1 << 14
_BACKLOG = 64


@contextlib.contextmanager
def socket_address(folder: Path) -> Iterator[str]:
    """The socket's address by way of the open folder: a path of any length fits into 108 bytes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET_NAME}"
    finally:
        os.close(descriptor)


def connect(folder: Path) -> socket.socket:
    """A reader's connection.  Raises OSError when no daemon is there."""
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with socket_address(folder) as address:
            ours.connect(address)
    except BaseException:
        ours.close()
        raise
    return ours


@dataclass(slots=True)
class _Reader:
    """One connection; owned by the thread of Notices."""

    connection: socket.socket
    sent: int = 0  # number of the last notice that was begun
    rest: bytes = b""  # of that notice
    heard: bytes = b""  # of a line that is not whole
    place: tuple[str, str] | None = None


class Notices:
    """A thread that serves the readers of one relay log.

    ``publish`` and ``readers`` may be called by any thread; they only take a lock for a moment.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()  # guards the next four
        self._latest = b""
        self._number = 0
        self._closed = False
        self._places: list[tuple[str, str]] = []
        self._readers: list[_Reader] = []
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._selector = selectors.DefaultSelector()
        self._listener, self._inode = _listen(folder)
        self._thread = threading.Thread(target=self._run, name="relay-notices", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def publish(self, sub_dir: str, file: str, size: int) -> None:
        """The relay log is durable up to ``size`` of this file, which is its last one."""
        line = json.dumps({"sub_dir": sub_dir, "file": file, "size": size}).encode() + b"\n"
        with self._lock:
            if self._closed or line == self._latest:
                return
            self._latest = line
            self._number += 1
            os.eventfd_write(self._wake, 1)

    def readers(self) -> list[tuple[str, str]]:
        """(sub_dir, file) that each connected reader says it is in."""
        with self._lock:
            return list(self._places)

    def close(self) -> None:
        """Let all readers go; what was published before reaches those that listen."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            os.eventfd_write(self._wake, 1)
        if self._thread.is_alive():
            self._thread.join()
        for reader in self._readers:
            reader.connection.close()
        self._listener.close()
        _unlink_own(self._folder, self._inode)
        self._selector.close()
        os.close(self._wake)

    # -- below: the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        self._selector.register(self._wake, selectors.EVENT_READ, self._woken)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        while True:
            for key, mask in self._selector.select():
                if isinstance(key.data, _Reader):
                    self._serve(key.data, mask)
                else:
                    key.data()
            with self._lock:
                if self._closed:
                    return

    def _woken(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake)
        for reader in list(self._readers):
            self._send(reader)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it has gone already
        connection.setblocking(False)
        reader = _Reader(connection)
        self._readers.append(reader)
        self._selector.register(connection, selectors.EVENT_READ, reader)
        self._send(reader)

    def _serve(self, reader: _Reader, mask: int) -> None:
        if reader not in self._readers:
            return  # dropped since the selector saw it
        if mask & selectors.EVENT_READ and not self._hear(reader):
            self._drop(reader)
        elif mask & selectors.EVENT_WRITE:
            self._send(reader)

    def _hear(self, reader: _Reader) -> bool:
        """Take what the reader says; whether it is still there and speaks sense."""
        try:
            received = reader.connection.recv(_MAX_LINE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        *lines, reader.heard = (reader.heard + received).split(b"\n")
        if not received or len(reader.heard) > _MAX_LINE_BYTES:
            return False
        if not lines:
            return True
        try:
            said = json.loads(lines[-1])
            reader.place = (str(said["sub_dir"]), str(said["file"]))
        except (ValueError, TypeError, KeyError):
            return False
        self._note_places()
        return True

    def _send(self, reader: _Reader) -> None:
        """Send the latest notice, as far as the reader takes it now."""
        try:
            while True:
                if not reader.rest:
                    with self._lock:
                        if reader.sent == self._number:
                            break
                        reader.rest, reader.sent = self._latest, self._number
                reader.rest = reader.rest[reader.connection.send(reader.rest) :]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(reader)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if reader.rest else 0)
        self._selector.modify(reader.connection, wanted, reader)

    def _drop(self, reader: _Reader) -> None:
        self._selector.unregister(reader.connection)
        reader.connection.close()
        self._readers.remove(reader)
        self._note_places()

    def _note_places(self) -> None:
        places = [reader.place for reader in self._readers if reader.place is not None]
        with self._lock:
            self._places = places


def _listen(folder: Path) -> tuple[socket.socket, int]:
    """The listening socket, in place of one that a daemon left behind, and the inode of its name."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with socket_address(folder) as address:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(address)
            listener.bind(address)
            os.chmod(address, 0o600)
            inode = os.stat(address).st_ino
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener, inode


def _unlink_own(folder: Path, inode: int) -> None:
    """Take the socket's name away, unless another daemon has put its own there."""
    with contextlib.suppress(OSError):
        path = folder / SOCKET_NAME
        if path.stat().st_ino == inode:
            path.unlink()
