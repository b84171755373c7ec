"""A file elsewhere, of any size, read as a local one: one piece of it is here at a time."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

PIECE_BYTES: Final = 4 << 20


class PiecewiseFile(io.RawIOBase):
    """``fetch(offset, count)`` gives bytes of the file, which has ``size`` of them."""

    def __init__(self, size: int, fetch: Callable[[int, int], bytes], piece_bytes: int = PIECE_BYTES) -> None:
        super().__init__()
        self._size = size
        self._fetch = fetch
        self._piece_bytes = piece_bytes
        self._piece, self._begins = b"", 0
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Fewer bytes than ``buffer`` takes where the piece ends.  Raises OSError when the file has become shorter."""
        if self._at >= self._size or not len(buffer):
            return 0
        begin = self._at - self._begins
        if not 0 <= begin < len(self._piece):
            self._begins, begin = self._at, 0
            self._piece = self._fetch(self._at, min(self._piece_bytes, self._size - self._at))
            if not self._piece:
                raise OSError(f"the file ends at byte {self._at}, and had {self._size}")
        part = self._piece[begin : begin + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)
