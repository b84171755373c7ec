"""What a file's events mean, one value for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dm_binlog.frames import Frame

if TYPE_CHECKING:
    from dm_binlog.layouts import Layout

Image = tuple[bytes | None, ...]
"""SQL literals of a row's columns; None where the column was not logged."""


@dataclass(frozen=True, slots=True)
class Head:
    """A file's format description."""

    version: str
    checksum: bool
    is_in_use: bool


@dataclass(frozen=True, slots=True)
class Gtid:
    """A transaction begins; `text` is None for an anonymous one."""

    text: str | None
    standalone: bool  # without a commit of its own
    has_begun: bool  # MariaDB: no BEGIN follows


@dataclass(frozen=True, slots=True)
class Begin:
    """BEGIN or XA START, and the statement's text."""

    sql: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A DDL, DML that was logged as text, or XA COMMIT and XA ROLLBACK."""

    schema: str
    sql: str
    note: str  # what else its event says, in words
    ends: bool  # the transaction


@dataclass(frozen=True, slots=True)
class Opened:
    """A table map."""

    layout: Layout


@dataclass(frozen=True, slots=True)
class Rows:
    """Row changes of one event; for an update images alternate, before and after."""

    layout: Layout
    kind: str  # insert | update | delete
    images: list[Image]

    @property
    def count(self) -> int:
        return len(self.images) // 2 if self.kind == "update" else len(self.images)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An event that cannot be shown, and why."""

    table: str  # "" when it is not about rows of a table
    kind: str  # insert | update | delete, or the event's name
    reason: str


@dataclass(frozen=True, slots=True)
class Ending:
    """A transaction ends here."""

    outcome: str  # commit | rollback | prepare
    text: str  # such as its xid


@dataclass(frozen=True, slots=True)
class Original:
    """The statement whose rows follow, as its client sent it."""

    sql: str


@dataclass(frozen=True, slots=True)
class Rotate:
    """The file goes on in another one, or ended with its server."""

    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Anything else, in words."""

    text: str
    in_transaction: bool = False


Meaning = Head | Gtid | Begin | Statement | Opened | Rows | Unreadable | Ending | Original | Rotate | Remark


@dataclass(frozen=True, slots=True)
class Item:
    """An event and what it means."""

    frame: Frame
    meaning: Meaning


@dataclass(slots=True)
class Group:
    """A transaction, or a statement that is one by itself; filled as it is read."""

    file: str
    start: int
    timestamp: int
    server_id: int
    gtid: str | None = None
    has_begun: bool = False
    end: int = 0
    size: int = 0  # bytes of its events
    rows: int = 0
    first_second: int = 0
    last_second: int = 0
    outcome: str = ""  # commit | rollback | prepare | statement; "" when the file ends before
    ending: str = ""

    @property
    def seconds(self) -> int:
        """From its first event to its last."""
        return self.last_second - self.first_second


@dataclass(frozen=True, slots=True)
class Started:
    group: Group


@dataclass(frozen=True, slots=True)
class Placed:
    """An event, and the transaction that it belongs to."""

    item: Item
    group: Group | None


@dataclass(frozen=True, slots=True)
class Ended:
    group: Group


Step = Started | Placed | Ended
