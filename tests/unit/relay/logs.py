"""Relay logs for tests: files made from recorded binlogs, and a writer that writes them piece by piece."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from dm_worker.relay.notices import Notices
from dm_worker.relay.reader import RelayStream
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import Event, FormatEvent, RotateEvent
from pkg.binlog.position import Location, Position

DATA = Path(__file__).parents[2] / "golden" / "data"
FLAVORS = ("mariadb", "mysql")
SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
SUB_DIR = f"{SERVER}.000001"
OTHER_SUB_DIR = "4e11fa47-71ca-11e1-9e33-c80aa9429562.000002"
_HEADER = struct.Struct("<IBIIIH")
_FORMAT, _STOP, _ROTATE = 15, 3, 4


def name_of(number: int) -> str:
    return f"golden.{number:06d}"


def raw_events(binlog: bytes) -> Iterator[tuple[int, bytes]]:
    """(offset, event) of a file."""
    at = 4
    while at < len(binlog):
        size = int.from_bytes(binlog[at + 9 : at + 13], "little")
        yield at, binlog[at : at + size]
        at += size


def binlog_file(flavor: str, number: int, *, checksum: bool = True, ends: str = "rotate") -> bytes:
    """The recorded binlog as file `number` of a row of files; it ends with a rotate or a stop event, or in neither."""
    made = b"\xfebin"
    for _, event in raw_events((DATA / f"{flavor}.binlog").read_bytes()):
        timestamp, code, server_id, _, _, flags = _HEADER.unpack_from(event)
        body = event[19:-4]
        if code == _FORMAT:
            body = body[:-1] + bytes((checksum,)) + b"\0\0\0\0"
        if code == _ROTATE:
            if ends == "nothing":
                break
            code, body = (_STOP, b"") if ends == "stop" else (code, struct.pack("<Q", 4) + name_of(number + 1).encode())
        size = 19 + len(body) + 4 * (checksum and code != _FORMAT)
        event = _HEADER.pack(timestamp, code, server_id, size, len(made) + size, flags) + body
        if code == _FORMAT:
            event = event[:-4] + struct.pack("<I", zlib.crc32(event[:-4]))
        elif checksum:
            event += struct.pack("<I", zlib.crc32(event))
        made += event
    return made


class Writer:
    """Writes a relay log as the daemon does, and says how far it is durable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notices: Notices | None = None
        self.sub_dir = SUB_DIR
        self._file = ""
        self._index: list[str] = []

    def serve(self) -> None:
        self.notices = Notices(self.folder)
        self.notices.start()

    def stop(self) -> None:
        if self.notices is not None:
            self.notices.close()
            self.notices = None

    def begin(self, file: str, sub_dir: str = SUB_DIR) -> None:
        self.sub_dir, self._file = sub_dir, file
        if sub_dir not in self._index:
            self._index.append(sub_dir)
            (self.folder / sub_dir).mkdir(exist_ok=True)
            (self.folder / "server-uuid.index").write_text("".join(f"{one}\n" for one in self._index))
        (self.folder / sub_dir / file).touch()

    def append(self, piece: bytes) -> None:
        with (self.folder / self.sub_dir / self._file).open("ab") as out:
            out.write(piece)

    @property
    def size(self) -> int:
        return (self.folder / self.sub_dir / self._file).stat().st_size

    def publish(self) -> None:
        """What is written is durable."""
        meta = f'binlog-name = "{self._file}"\nbinlog-pos = {self.size}\nbinlog-gtid = ""\n'
        (self.folder / self.sub_dir / "relay.meta").write_text(meta)
        if self.notices is not None:
            self.notices.publish(self.sub_dir, self._file, self.size)

    def write(self, file: str, content: bytes, sub_dir: str = SUB_DIR) -> None:
        """A whole file at once."""
        self.begin(file, sub_dir)
        self.append(content)
        self.publish()


def start_at(number: int, offset: int = 4) -> Location:
    return Location(Position(name_of(number), offset))


def stream_of(folder: Path, start: Location) -> RelayStream:
    return RelayStream(folder, SERVER, start, use_gtid=False)


def decoder(flavor: str, start: Location) -> Decoder:
    return Decoder(flavor=flavor, framing="file", resolve=lambda _: None, file_name=start.position.name)


def drained(reader: Decoder) -> list[Event]:
    events = []
    while (event := reader.next()) is not None:
        events.append(event)
    return events


def read_until(stream: RelayStream, is_enough: Callable[[bytes], bool], seconds: float = 20) -> bytes:
    """All bytes until there are enough; each wait is for the writer."""
    received = b""
    while not is_enough(received):
        piece = stream.read(seconds)
        assert piece is not None, "the writer has come to a stop"
        received += piece
    return received


def without_made_up(events: list[Event]) -> list[Event]:
    """What the files hold: no artificial rotates, and no format descriptions, which may be repeated."""
    return [
        event
        for event in events
        if not isinstance(event, FormatEvent) and not (isinstance(event, RotateEvent) and event.artificial)
    ]
