"""When Spark starts.

Its JVM and its Python processes cost some five seconds of CPU.  On one machine threads of the task's own process
copy as fast as Spark's processes do, and never without pause to start: Spark starts there for what is large, or
takes long.  A cluster's executors have cores of their own: it starts as soon as there is work for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pkg.adapters.spark import SparkSettings
from pkg.task.blocks import SparkConfig

_BYTES: Final = 16 << 20
_CHUNKS: Final = 8
_ALONE_SECONDS: Final = 1.0  # a migration that is over by then needs no Spark
_LARGE_BYTES: Final = 1 << 30
_LONG_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class SparkStart:
    """``waits``: threads of this process do what is small."""

    waits: bool

    @classmethod
    def of(cls, config: SparkConfig) -> SparkStart:
        is_local = SparkSettings(config.master, 1, "").is_local
        return cls(is_local and config.start == "auto")

    def for_bytes(self, size: int) -> bool:
        """Whether it starts beside the planning, for so much by the upstream's statistics."""
        return size >= (_LARGE_BYTES if self.waits else _BYTES)

    def for_chunks(self, chunks: int) -> bool:
        """Whether it starts before so many chunks are copied."""
        return not self.waits and chunks >= _CHUNKS

    def after(self, seconds: float) -> bool:
        """Whether it starts after so long a time of copying without it."""
        return seconds > (_LONG_SECONDS if self.waits else _ALONE_SECONDS)
