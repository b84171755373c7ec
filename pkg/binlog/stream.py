"""What a reader of the binlog needs of a stream, whether it comes from the upstream or from the relay log."""

from __future__ import annotations

from typing import Literal, Protocol


class EventStream(Protocol):
    """Bytes for one Decoder, made with this ``framing`` and ``checksum``; one reader.

    Positions in it are the upstream's own.
    """

    @property
    def framing(self) -> Literal["packets", "file"]: ...

    @property
    def binlog_type(self) -> Literal["remote", "local"]:
        """What DM's status calls it: from the upstream, or from the relay log."""
        ...

    @property
    def checksum(self) -> bool | None:
        """Whether events have one; None: the decoder sees it in the first."""
        ...

    def read(self, timeout: float) -> bytes | None:
        """The next bytes; None when there are none within ``timeout`` seconds.  Raises DMError when it is over."""
        ...

    def close(self) -> None: ...
