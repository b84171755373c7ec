"""A port in front of a server that loses a connection at a chosen packet: what a bad network does, on purpose.

A `Cut` looks at the connections whose client sends a packet that contains `trigger`, counts the packets of one
direction from that one on, and strikes at the k-th, once.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from tests.servers.running import HOST

UP, DOWN = "up", "down"  # to the server, from it


class How(Enum):
    """What becomes of the k-th packet and its connection."""

    BEFORE = "before"  # cut; the packet is lost
    INSIDE = "inside"  # cut after half of its bytes
    AFTER = "after"  # cut as soon as it has passed
    SILENT = "silent"  # nothing passes any more, and nobody is told
    HOLD = "hold"  # not cut: the packet passes when `Cut.release` is set
    LATE = "late"  # the sender is cut off; the packet arrives when `Cut.release` is set


@dataclass(eq=False)
class Cut:
    """Where and how, and whether it did."""

    trigger: bytes
    direction: str
    packet: int  # 1: the first (upwards: the one with the trigger)
    how: How = How.BEFORE
    on: bytes = b""  # only where the client has sent this before, or with the trigger
    struck: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)  # what was late is answered, or its connection lost


class Link:
    """One connection through the proxy."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client, self.server = client, server
        self.sent: set[bytes] = set()  # of the texts that cuts ask for
        self.packets: dict[Cut, int] = {}  # since its trigger, in its direction
        self.is_silent = False
        self.late: Cut | None = None
        self.copiers = 2  # threads that use the sockets

    def cut(self) -> None:
        for one in (self.client, self.server):
            _shut(one)


class CuttingProxy:
    """`with CuttingProxy(port) as proxy`: connect to `proxy.port`, and give `proxy.cuts`."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.cuts: list[Cut] = []
        self.on_seen: dict[bytes, threading.Event] = {}  # set when a client sends a packet that contains this
        self._lock = threading.Lock()
        self._links: set[Link] = set()
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="cutting-proxy", daemon=True).start()

    def __enter__(self) -> CuttingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        _shut(self._listener)
        self._listener.close()
        for cut in self.cuts:
            cut.release.set()
        for link in list(self._links):
            link.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection((HOST, self._target))
            except OSError:
                near.close()
                continue
            for one in (near, far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link(near, far)
            self._links.add(link)
            for direction in (UP, DOWN):
                threading.Thread(target=self._copy, args=(link, direction), daemon=True).start()

    def _copy(self, link: Link, direction: str) -> None:
        source, sink = (link.client, link.server) if direction == UP else (link.server, link.client)
        with contextlib.suppress(OSError):
            for packet in _packets(source):
                cut = self._struck_by(link, direction, packet)
                if link.is_silent:
                    continue
                if cut is not None:
                    self._strike(cut, link, sink, packet)
                    if cut.how not in (How.SILENT, How.HOLD):
                        break
                else:
                    sink.sendall(packet)
        self._end_of(link, direction)

    def _end_of(self, link: Link, direction: str) -> None:
        """One direction is over: so is the other, but for the answer to what was late."""
        # What is silent ends when its client gives up.
        if (direction == UP or not link.is_silent) and not (link.late and direction == UP):
            link.cut()
            if link.late:
                link.late.ended.set()
        with self._lock:
            link.copiers -= 1
            if link.copiers == 0:
                link.client.close()
                link.server.close()
                self._links.discard(link)

    def _struck_by(self, link: Link, direction: str, packet: bytes) -> Cut | None:
        with self._lock:
            if direction == UP:
                self._look_at(link, packet)
            for cut in self.cuts:
                if cut.direction == direction and cut in link.packets and not cut.struck.is_set():
                    link.packets[cut] += 1
                    if link.packets[cut] == cut.packet:
                        cut.struck.set()
                        return cut
        return None

    def _look_at(self, link: Link, packet: bytes) -> None:
        """What the client sends: texts that somebody waits for, and triggers."""
        for text, seen in self.on_seen.items():
            if text in packet:
                seen.set()
        for cut in self.cuts:
            if cut.on in packet:
                link.sent.add(cut.on)
            if cut.trigger in packet and cut.on in link.sent:
                link.packets.setdefault(cut, 0)

    def _strike(self, cut: Cut, link: Link, sink: socket.socket, packet: bytes) -> None:
        if cut.how is How.SILENT:
            link.is_silent = True
        elif cut.how is How.INSIDE:
            sink.sendall(packet[: max(1, len(packet) // 2)])
        elif cut.how in (How.AFTER, How.HOLD):
            if cut.how is How.HOLD:
                cut.release.wait(300)
            sink.sendall(packet)
        elif cut.how is How.LATE:
            self._late(cut, link, packet)

    def _late(self, cut: Cut, link: Link, packet: bytes) -> None:
        """The client sees its connection end; the server gets the packet later, and its answer goes nowhere."""
        link.late = cut
        _shut(link.client)
        cut.release.wait(300)
        link.server.sendall(packet)


def _packets(source: socket.socket) -> Iterator[bytes]:
    """Packets of the MySQL protocol, each with its header, and what is left when the connection ends."""
    buffer = b""
    while data := source.recv(1 << 16):
        buffer += data
        while len(buffer) >= 4 and len(buffer) >= (end := 4 + int.from_bytes(buffer[:3], "little")):
            yield buffer[:end]
            buffer = buffer[end:]
    if buffer:
        yield buffer


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
