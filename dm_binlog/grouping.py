"""Events become transactions: which one each belongs to, when it starts and how it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dm_binlog.items import (
    Begin,
    Ended,
    Ending,
    Group,
    Gtid,
    Head,
    Item,
    Opened,
    Placed,
    Remark,
    Rotate,
    Rows,
    Started,
    Statement,
    Step,
    Unreadable,
)


class Grouper:
    """The transactions of one file, in order."""

    def __init__(self) -> None:
        self.open: Group | None = None
        self.ended_whole = False  # the last event says that the file ends here

    def steps(self, items: Iterable[Item]) -> Iterator[Step]:
        for item in items:
            yield from self._place(item)

    def _place(self, item: Item) -> Iterator[Step]:
        meaning = item.meaning
        self.ended_whole = isinstance(meaning, Rotate)
        if isinstance(meaning, Head | Rotate) or (isinstance(meaning, Remark) and not self._belongs(meaning)):
            yield Placed(item, self.open if isinstance(meaning, Remark) else None)
            return
        if isinstance(meaning, Gtid) and self.open is not None:
            yield from self._close("", "")
        if self.open is None:
            self.open = _new_group(item)
            yield Started(self.open)
        group = self.open
        _count(group, item)
        if isinstance(meaning, Gtid):
            group.gtid, group.has_begun = meaning.text, meaning.has_begun
        elif isinstance(meaning, Begin | Rows | Unreadable | Opened):
            group.has_begun = True
        yield Placed(item, group)
        if isinstance(meaning, Ending):
            yield from self._close(meaning.outcome, meaning.text)
        elif isinstance(meaning, Statement) and (meaning.ends or not group.has_begun):
            yield from self._close("statement", "")

    def _belongs(self, remark: Remark) -> bool:
        return remark.in_transaction or self.open is not None

    def _close(self, outcome: str, text: str) -> Iterator[Step]:
        group, self.open = self.open, None
        if group is not None:
            group.outcome, group.ending = outcome, text
            yield Ended(group)


def _new_group(item: Item) -> Group:
    frame = item.frame
    return Group(
        frame.file, frame.start, frame.timestamp, frame.server_id, first_second=frame.timestamp,
        last_second=frame.timestamp,
    )  # fmt: skip


def _count(group: Group, item: Item) -> None:
    frame, meaning = item.frame, item.meaning
    group.end = frame.end if not frame.inner else group.end
    group.size += 0 if frame.inner else frame.size
    if frame.timestamp:
        group.first_second = min(group.first_second, frame.timestamp)
        group.last_second = max(group.last_second, frame.timestamp)
    if isinstance(meaning, Rows):
        group.rows += meaning.count
