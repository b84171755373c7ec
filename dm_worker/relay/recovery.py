"""What a sub-directory holds after any end of its writer: the last file's tail is cut to what is whole.

What relay.meta says was durable before it was said, so only what lies behind is read, and its checksums tell
what a power loss left.  Without checksums nothing behind relay.meta can be trusted.
"""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from dm_worker.relay.folder import unreadable
from dm_worker.relay.made_up import HEADER_BYTES, closes_file, format_size, has_checksums, last_event
from dm_worker.relay.writer import sync_folder, writing_to
from pkg.adapters.log import fields
from pkg.binlog.framing import MAGIC
from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.position import Position
from pkg.binlog.raw_events import OUTSIDE, RawEvents, Run
from pkg.binlog.relay_layout import META_NAME, Received, in_order, with_gtids
from pkg.errors import DMError

_READ_BYTES = 1 << 20
_ROTATE_BYTES = 1 << 10  # that a rotate event has at most

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tail:
    """The last file of a sub-directory, as far as it is whole."""

    file: str
    size: int
    gtid_set: GtidSet
    boundary: int  # behind its last whole transaction
    inside: int  # where `size` is in a transaction, as RawEvents says it
    head: bytes  # its format description
    is_closed: bool  # the upstream ended it in order


def recover(folder: Path, sub_dir: str, flavor: str, *, whole_transactions: bool) -> Tail | None:
    """Cut the last file's tail, drop files that have no head; None when nothing is left.  Raises DMError."""
    path = folder / sub_dir
    try:
        names = in_order(os.listdir(path))
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise unreadable(path, exc) from exc
    meta = _meta(path / META_NAME, flavor)
    for name in reversed(names):
        found = _tail(path / name, flavor, meta)
        with writing_to(path / name):
            if found is not None:
                return _cut(path / name, found, whole_transactions)
            (path / name).unlink()
            sync_folder(path)
    return None


def _meta(path: Path, flavor: str) -> Received | None:
    """None where there is none that makes sense: it is written without waiting for the disk."""
    try:
        return Received.parse(path.read_text("utf-8"), flavor)
    except FileNotFoundError:
        return None
    except (ValueError, DMError):
        return None
    except OSError as exc:
        raise unreadable(path, exc) from exc


def _tail(path: Path, flavor: str, meta: Received | None) -> Tail | None:
    """What is whole of a file; None when its head is not."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = _head(file)
            if not head:
                return None
            known = meta
            if meta is None or meta.position.name != path.name or not 4 + len(head) <= meta.position.offset <= size:
                known = None
            if has_checksums(head):
                return _scanned(file, known or Received(Position(path.name, 4), parse_gtid_set("", flavor)), head, size)
    except ValueError:
        return None
    except OSError as exc:
        raise unreadable(path, exc) from exc
    if known is None:
        return None
    return Tail(path.name, known.position.offset, known.gtid_set, known.position.offset, OUTSIDE, head, False)


def _head(file: BinaryIO) -> bytes:
    """The format description.  Raises ValueError where it is no binlog file."""
    start = file.read(len(MAGIC) + HEADER_BYTES)
    if len(start) < len(MAGIC) + HEADER_BYTES:
        return b""
    size = format_size(start)
    head = start[len(MAGIC) :] + file.read(size - HEADER_BYTES)
    return head if len(head) == size else b""


def _scanned(file: BinaryIO, known: Received, head: bytes, size: int) -> Tail:
    """What is whole behind the known part, in a file with checksums."""
    name, start = known.position.name, known.position.offset
    file.seek(start)
    reading = RawEvents(framing="file", flavor=known.gtid_set.flavor, file_name=name, offset=start, checksum=True)
    reading.feed(MAGIC)
    boundary = start
    with contextlib.suppress(DMError):  # what comes behind is pulled again
        while data := file.read(_READ_BYTES):
            reading.feed(data)
            while (found := reading.next()) is not None:
                if isinstance(found, Run):
                    boundary = max(boundary, found.boundary)
    end = reading.offset
    file.seek(max(0, end - _ROTATE_BYTES))
    last = last_event(file.read(end - file.tell()), end, checksum=True)
    is_closed = last is not None and closes_file(last)
    gtid_set = with_gtids(known.gtid_set, reading.take_gtids())
    return Tail(name, end, gtid_set, boundary, reading.inside, head, is_closed)


def _cut(path: Path, found: Tail, whole_transactions: bool) -> Tail:
    """Take away what is not whole; what stays is durable afterwards."""
    kept = found
    if whole_transactions and found.inside != OUTSIDE:
        kept = replace(found, size=found.boundary, inside=OUTSIDE)
    with path.open("r+b") as file:
        cut_bytes = os.fstat(file.fileno()).st_size - kept.size
        if cut_bytes:
            file.truncate(kept.size)
            log.info("relay log cut", extra=fields(path=path, size=kept.size, cut_bytes=cut_bytes))
        os.fsync(file.fileno())
    return kept
