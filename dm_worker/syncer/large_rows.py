"""Statements that are larger than the target takes: made shorter, or refused before they are sent.

Bytes are written as x'…', two characters for each; in `_binary'…'` they take one, or two where they must be escaped.
A server answers a packet beyond its max_allowed_packet by ending the connection, and says neither table nor size.
"""

from __future__ import annotations

import re

from dm_worker.syncer.job_text import cut
from pkg.errors import ErrorKind, Level, Scope

ROW_TOO_LARGE = ErrorKind(
    36232,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row needs a statement of {size} bytes, and the target takes {most} (its max_allowed_packet is {packet}): {sql}",
    workaround="SET GLOBAL max_allowed_packet in the target to more than {size} bytes (in multiples of 1024), and "
    "in its configuration, so that a restart keeps it; then resume-task",
)
BESIDE = 4096  # bytes of a packet that are left to what goes with a statement: BEGIN, and the channel's row

_BYTES = re.compile(rb"x'([0-9A-Fa-f]{1024,})'")  # in no string, which has its quotes escaped or doubled


def fitting(sql: bytes, packet_bytes: int) -> bytes:
    """A statement that a server with this max_allowed_packet takes.  Raises ROW_TOO_LARGE."""
    most = packet_bytes - BESIDE
    if len(sql) <= most:
        return sql
    shorter = _BYTES.sub(_binary, sql)
    if len(shorter) <= most:
        return shorter
    shown = _BYTES.sub(lambda found: b"x'%b...'" % found[1][:40], sql)
    text = cut(shown.decode("utf-8", "replace"), 400)
    raise ROW_TOO_LARGE.error(size=len(shorter) + BESIDE, most=most, packet=packet_bytes, sql=text)


def _binary(found: re.Match[bytes]) -> bytes:
    data = bytes.fromhex(found[1].decode())
    return b"_binary'%b'" % data.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
