"""A port of its own in front of a server that can be exchanged, as a virtual address or a proxy is."""

from __future__ import annotations

import contextlib
import socket
import threading

from tests.servers.running import HOST


class Forwarder:
    """Connections to ``port`` reach the server that ``point_at`` named last; the former one's are cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._next: tuple[int, int] | None = None  # after so many more connections, another port
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="forwarder", daemon=True).start()

    def __enter__(self) -> Forwarder:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def point_at(self, port: int) -> None:
        self._target = port
        self.cut()

    def point_at_after(self, connections: int, port: int) -> None:
        """So many more connections reach the server that is there now, and stay; those behind them the other one."""
        self._next = connections, port

    def hold(self) -> None:
        """Nothing gets through until ``release``; connections stay open."""
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    def cut(self) -> None:
        """End every connection that is open now."""
        with self._lock:
            cut, self._open = self._open, set()
        for one in cut:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self._next is not None:
                left, port = self._next
                self._next = (left - 1, port) if left else None
                self._target = self._target if left else port
            try:
                far = socket.create_connection((HOST, self._target))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                self._flows.wait()
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._open.discard(one)
        one.close()
