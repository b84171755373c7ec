"""Tables of all sources that become one downstream: each gets every DDL, in the same order, when its time comes.  No I/O."""

from __future__ import annotations

import random
from collections import deque
from copy import deepcopy
from dataclasses import dataclass, field

from tests.soak.sql import ddl
from tests.soak.sql.dml import Said
from tests.soak.sql.schema import Source, Table

BASE = 1_000_000  # ids between one table's and the next one's
MOST_DUE = 2  # DDLs that a table is behind
_LEFT_OUT = ("table-option", "table-charset")  # which a table that is merged keeps for itself


@dataclass(frozen=True, slots=True)
class Due:
    kind: str
    clause: str
    shape: Table  # behind it


@dataclass(slots=True)
class Group:
    """The shape that all will have in the end, and what each is still to get, by its full name."""

    shape: Table
    due: dict[str, deque[Due]] = field(default_factory=dict)
    text: str = ""  # of the first shape, behind the table's name
    is_open: bool = False  # whether DDL comes: not before all tables are copied, which must be alike then

    def create(self, source: Source, number: int) -> Said:
        """One more table."""
        table = deepcopy(self.shape)
        table.schema, table.name = f"{source.name}_g", f"g{number}"
        table.base, table.next_id = BASE * (len(self.due) + 1), 1
        source.tables.append(table)
        self.due[table.full] = deque()
        return "create-table", f"CREATE TABLE {table.full} {self.text}"

    def begin(self, source: Source, rng: random.Random) -> None:
        """Draw the first shape; ``source`` says the types."""
        scratch = Source(source.name, source.upstream, source.target, source.types, ["x"])
        while not (self.text and self.text.isascii()) or self.shape.partitions or self.shape.engine != "InnoDB":
            scratch.tables.clear()
            _, sql = ddl.create(scratch, rng, "x", "g", "id")
            self.shape = scratch.tables[0]
            self.text = sql.partition(" x.g ")[2]

    def give(self, source: Source, rng: random.Random) -> None:
        """A DDL more for each, unless one of them is far behind."""
        if not self.is_open or any(len(due) >= MOST_DUE for due in self.due.values()):
            return
        before = deepcopy(self.shape)
        said = ddl.clause(source, self.shape, rng)
        if (
            said is None or said[0] in _LEFT_OUT or " NOT NULL" in said[1] or not said[1].isascii()
        ):  # which one table can take and another one not; sessions may have sent their text in other sets
            self.shape = before
            return
        for due in self.due.values():
            due.append(Due(*said, deepcopy(self.shape)))

    def take(self, table: Table) -> Said | None:
        """The table's next DDL, which it has from here on."""
        if not self.due.get(table.full):
            return None
        one = self.due[table.full].popleft()
        table.columns, table.indexes, table.made = deepcopy(one.shape.columns), dict(one.shape.indexes), one.shape.made
        return one.kind, f"ALTER TABLE {table.full} {one.clause}"
