"""Damaged binlogs: golden recordings with some bytes of one event changed, sizes and checksums made right again.

With a wrong checksum a decoder never comes to look at an event; so each damaged event stands, as if a
server had written it, behind the events that it needs.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import zstandard

from pkg.binlog.decoder import Decoder
from pkg.binlog.event_bodies import parse_payload_head, uncompress
from pkg.binlog.events import TableMap
from pkg.binlog.framing import MAGIC
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column
from tests.golden import rare_events
from tests.golden.made_events import format_event, packets

DATA = Path(__file__).parent / "data"
HEADER = 19
FORMAT, TABLE_MAP, PAYLOAD = 15, 19, 40
ROWS = (*range(23, 26), *range(30, 33))
COMPRESSED = 143  # MariaDB's compressed rows have the number of the plain ones of version 1, and this
PACKINGS = ("plain", "plain", "inside", "outside")
NASTY = (b"\0", b"\xff", b"\x7f", b"\x80", b"\xfb", b"\xfc", b"\xfd", b"\xfe", b"\xff" * 4, b"\0" * 4, b"\xff" * 8)


@dataclass(frozen=True, slots=True)
class Edit:
    """At `at` of an event (modulo its size) `removed` bytes become `put`."""

    at: int
    removed: int
    put: bytes

    @property
    def changed(self) -> int:
        """Bytes that were put, or one for bytes that are only gone."""
        return len(self.put) or 1

    def apply(self, event: bytearray) -> None:
        at = self.at % (len(event) + 1)
        event[at : at + self.removed] = self.put


@dataclass(frozen=True, slots=True)
class Recording:
    """A golden binlog: its events without checksums, and the columns of its one table."""

    name: str
    flavor: str
    events: tuple[bytes, ...]
    columns: tuple[Column, ...]

    def damaged(self, number: int, edits: Sequence[Edit], packing: str, *, checksum: bool) -> list[bytes]:
        """Events up to the damaged one, and behind a table map its rows; `packing` says whether the damage
        was done "inside" of compressed events, "outside", or the events are "plain"."""
        number %= len(self.events)
        if number == 0:
            return self._with_damaged_format(edits)
        header = bytearray(self.events[0])
        header[-1] = checksum  # the last byte of a format description says whether there are any
        first = number - (self.events[number - 1][4] == TABLE_MAP)
        last = number + (self.events[number][4] == TABLE_MAP)
        events = list(self.events[first : last + 1])
        place = number - first
        if packing == "outside":
            events = compressed(self.flavor, events)
            place = min(place, len(events) - 1)
        events[place] = _edited(events[place], edits)
        if packing == "inside":
            events = compressed(self.flavor, events)
        return [sealed(bytes(header), True), *(sealed(event, checksum) for event in events)]

    def _with_damaged_format(self, edits: Sequence[Edit]) -> list[bytes]:
        return [sealed(event, True) for event in (_edited(self.events[0], edits), *self.events[1:])]


def _edited(event: bytes, edits: Sequence[Edit]) -> bytes:
    changed = bytearray(event)
    for edit in edits:
        edit.apply(changed)
    return bytes(changed)


def sealed(event: bytes, checksum: bool) -> bytes:
    """With its true size, and its checksum behind it.  An event that lost its header stays as it is."""
    if len(event) < HEADER:
        return event
    event = event[:9] + struct.pack("<I", len(event) + 4 * checksum) + event[13:]
    return event + struct.pack("<I", zlib.crc32(event)) if checksum else event


@cache
def recordings() -> tuple[Recording, ...]:
    """The golden ones, and in each flavour one of what they have not."""
    golden = [_recording(file) for file in sorted(DATA.glob("*.binlog"))]
    header = format_event()[:-4]
    rare = [
        Recording(f"made {flavor}", flavor, (header, *rare_events.events()), rare_events.COLUMNS)
        for flavor in ("mariadb", "mysql")
    ]
    return (*golden, *rare)


def _recording(file: Path) -> Recording:
    create = json.loads(file.with_suffix(".json").read_text())["create"]
    flavor = "mariadb" if "mariadb" in file.name else "mysql"
    return Recording(file.stem, flavor, tuple(_events(file.read_bytes())), parse_create_table(create, "golden").columns)


def _events(binlog: bytes) -> Iterator[bytes]:
    """What the file holds, compressed events unpacked: damage is done to their content, too."""
    at, checksum = len(MAGIC), 4
    while at < len(binlog):
        size = int.from_bytes(binlog[at + 9 : at + 13], "little")
        event = binlog[at : at + size - checksum]
        at += size
        if event[4] == PAYLOAD:
            yield from _of_payload(event[HEADER:])
        elif event[4] - COMPRESSED in ROWS:
            yield _unzipped(event)
        else:
            yield event


def _of_payload(body: bytes) -> Iterator[bytes]:
    start, size, _ = parse_payload_head(body)
    content = zstandard.ZstdDecompressor().decompressobj().decompress(body[start : start + size])
    at = 0
    while at < len(content):
        size = int.from_bytes(content[at + 9 : at + 13], "little")
        yield content[at : at + size]
        at += size


def _unzipped(event: bytes) -> bytes:
    start = _packed_from(event, event[4] - COMPRESSED)
    return event[:4] + bytes((event[4] - COMPRESSED,)) + event[5:start] + uncompress(event[start:])


def _packed_from(event: bytes, code: int) -> int:
    """Where, behind the bitmaps of columns, the rows of version 1 begin that MariaDB compresses."""
    bitmap = (event[HEADER + 8] + 7) // 8
    return HEADER + 9 + bitmap * (2 if code == 24 else 1)


def compressed(flavor: str, events: Sequence[bytes]) -> list[bytes]:
    """These events without checksums in the compressed form of their flavour."""
    return [_payload(events)] if flavor == "mysql" else [_zipped(event) for event in events]


def _payload(events: Sequence[bytes]) -> bytes:
    """MySQL's compressed transaction."""
    content = zstandard.compress(b"".join(sealed(event, False) for event in events), 1)
    size = struct.pack("<H", len(content))
    return bytes(4) + bytes((PAYLOAD,)) + bytes(14) + b"\x01\x03\xfc" + size + b"\x02\x01\x00\x00" + content


def _zipped(event: bytes) -> bytes:
    """MariaDB's compressed rows."""
    if len(event) < HEADER + 11 or event[4] not in ROWS:
        return event
    if event[4] >= 30:  # version 2, which has two bytes more in front
        event = event[:4] + bytes((event[4] - 7,)) + event[5 : HEADER + 8] + event[HEADER + 10 :]
    start = _packed_from(event, event[4])
    packed = bytes((0x84,)) + struct.pack(">I", len(event[start:])) + zlib.compress(event[start:], 1)
    return event[:4] + bytes((event[4] + COMPRESSED,)) + event[5:start] + packed


def read(recording: Recording, events: Sequence[bytes], framing: str, piece: int) -> int:
    """Row images that a decoder finds before the damage.  Anything that it raises but DMError is a fault."""

    def resolve(table: TableMap) -> RowPlan | None:
        return RowPlan.build(recording.columns, table)

    stream = packets(events) if framing == "packets" else MAGIC + b"".join(events)
    decoder = Decoder(flavor=recording.flavor, framing=framing, resolve=resolve, file_name="damaged.000001")
    images = 0
    try:
        for at in range(0, len(stream), piece):
            decoder.feed(stream[at : at + piece])
            while (event := decoder.next()) is not None:
                images += len(getattr(event, "rows", ()))
    except DMError:
        pass
    return images


@dataclass(frozen=True, slots=True)
class Case:
    """One damage, fully told by its seed."""

    recording: Recording
    events: list[bytes]
    framing: str
    piece: int
    changed: int

    @classmethod
    def of(cls, seed: int) -> Case:
        rng = random.Random(seed)
        recording = rng.choice(recordings())
        edits = [_edit(rng) for _ in range(rng.choice((1, 1, 2, 3, 8)))]
        number, packing = rng.randrange(len(recording.events)), rng.choice(PACKINGS)
        events = recording.damaged(number, edits, packing, checksum=rng.random() < 0.5)
        changed = sum(edit.changed for edit in edits)
        return cls(recording, events, rng.choice(("file", "packets")), rng.choice((1 << 20, 1 << 20, 61)), changed)

    def read(self) -> int:
        return read(self.recording, self.events, self.framing, self.piece)


def _edit(rng: random.Random) -> Edit:
    at = rng.randrange(1 << 12)
    how = rng.random()
    if how < 0.45:
        return Edit(at, 1, bytes((rng.randrange(256),)))
    if how < 0.8:
        put = rng.choice(NASTY)
        return Edit(at, len(put), put)
    if how < 0.9:
        return Edit(at, rng.randrange(9), rng.randbytes(rng.randrange(9)))
    return Edit(at, 0, rng.randbytes(1) * rng.randrange(64)) if how < 0.97 else Edit(at, 1 << 12, b"")
