"""JSON columns of a PARTIAL_UPDATE_ROWS event: the image before an update has the document, the one after
it what changed.

The second image is laid out as any other, but for a head of options and of a bit for each JSON column,
which says that the column's bytes are differences.  So only the functions that make its literals are
others, which this exchanges.  Layout: MySQL source `rows_event.h`, `json_diff.cc`.
"""

from __future__ import annotations

from pkg.binlog.event_bodies import packed
from pkg.binlog.json_diff import changed_tree
from pkg.binlog.literals import Truncated
from pkg.binlog.rare_values import JsonReader, Reader

_PARTIAL_JSON = 1


class PartialColumns:
    """The JSON columns of one row plan, whose `readers` are those of all columns."""

    def __init__(self, readers: list[object]) -> None:
        self._whole = {place: reader for place, reader in enumerate(readers) if isinstance(reader, JsonReader)}
        self._documents: dict[int, bytes] = {}

    def before(self, readers: list[object]) -> None:
        """Keep the documents of the image that comes now."""
        self._documents = {}
        for place in self._whole:
            readers[place] = self._keeping(place)

    def after(self, readers: list[object], raw: bytes, at: int, end: int) -> int:
        """Read the head of the second image at `at`; where the image itself starts."""
        options, at = packed(raw, at)
        if options > _PARTIAL_JSON:
            raise Truncated(f"a partial update has the unknown options {options}")
        size = (len(self._whole) + 7) >> 3 if options else 0
        if at + size > end:
            raise Truncated("an update has no image after it")
        bits = int.from_bytes(raw[at : at + size], "little")
        for number, place in enumerate(self._whole):
            readers[place] = self._changing(place) if bits >> number & 1 else self._whole[place]
        return at + size

    def done(self, readers: list[object]) -> None:
        self._documents = {}
        for place in self._whole:
            readers[place] = self._whole[place]

    def _keeping(self, place: int) -> Reader:
        def literal(raw: bytes) -> bytes:
            self._documents[place] = raw
            return self._whole[place](raw)

        return literal

    def _changing(self, place: int) -> Reader:
        def literal(raw: bytes) -> bytes:
            document = self._documents.get(place)
            if document is None:
                raise Truncated("a JSON document that was NULL has differences")
            whole = self._whole[place]
            return whole.of_tree(changed_tree(document, raw)) if raw else whole(document)

        return literal
