"""Rows of which not all columns are logged (binlog_row_image = MINIMAL or NOBLOB).

`RowPlan` reads images of one set of columns; here before and after may have two, so each image is
measured first and then read alone.
"""

from __future__ import annotations

from dm_binlog.items import Image
from dm_binlog.layouts import Layout
from pkg.binlog.column_plan import ColumnPlan, Kind
from pkg.binlog.event_bodies import uncompress
from pkg.binlog.rows import RowPlan, Truncated


class _Logged:
    """The columns of one kind of image."""

    def __init__(self, layout: Layout, bitmap: bytes) -> None:
        self._places = [n for n in range(len(layout.names)) if bitmap[n >> 3] >> (n & 7) & 1]
        self._plans: list[ColumnPlan] = [layout.plans[n] for n in self._places]
        self._width = len(layout.names)
        self._plan = RowPlan(self._plans)

    def read(self, data: bytes, at: int) -> tuple[Image, int]:
        """The image at `at`, and where it ends."""
        end = self._end(data, at)
        image: list[bytes | None] = [None] * self._width
        if self._places:
            for place, literal in zip(self._places, self._plan.decode(data, at, end)[0], strict=True):
                image[place] = literal
        return tuple(image), end

    def _end(self, data: bytes, at: int) -> int:
        nulls = at
        at += (len(self._plans) + 7) >> 3
        for number, plan in enumerate(self._plans):
            if at > len(data):
                raise Truncated("an image reaches beyond the end of its event")
            if not data[nulls + (number >> 3)] >> (number & 7) & 1:
                counted = int.from_bytes(data[at : at + plan.size], "little") if plan.kind >= Kind.UTF8_TEXT else 0
                at += plan.size + counted
        return at


def read_partial(layout: Layout, code: int, body: bytes) -> list[Image]:
    """All images of a rows event.  Raises ValueError or IndexError for damaged bytes."""
    at = 8
    if 30 <= code <= 32:
        at += int.from_bytes(body[8:10], "little")
    count, at = (body[at], at + 1) if body[at] != 0xFC else (int.from_bytes(body[at + 1 : at + 3], "little"), at + 3)
    if count != len(layout.names):
        raise Truncated(f"rows have {count} columns and their table map {len(layout.names)}")
    size = (count + 7) >> 3
    kinds = [_Logged(layout, body[at : at + size])]
    if code in (24, 31, 167):
        kinds.append(_Logged(layout, body[at + size : at + 2 * size]))
    at += size * len(kinds)
    data = uncompress(body[at:]) if code >= 166 else body[at:]
    images: list[Image] = []
    place = 0
    while place < len(data):
        for kind in kinds:
            before = place
            image, place = kind.read(data, place)
            if place == before and not image.count(None) < len(image):
                raise Truncated("rows without columns")
            images.append(image)
    return images
