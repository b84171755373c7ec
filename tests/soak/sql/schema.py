"""What the generator believes that a source holds: schemas, tables, columns, keys.  No I/O."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from tests.cases.replicate.matrix_types import Typed, text, typed

_MARIADBS = ("UUID", "INET4", "INET6")
SHAPES = ("GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTI")
_NOT_THESE = (
    "'e299'",
    "'s63'",
    "'0','1','b',''",
)  # labels that fill a page, and an empty one, which no copy takes (34131)
_SETS = ("utf8mb4", "utf8mb4", "utf8mb4", "latin1", "utf8mb3", "gbk", "cp1251", "ucs2", "sjis")
_MARIADB_ALONE = (
    "'1970-01-01 00:00:00.",
    "'838:59:59.",
    "'838:59:58.",
)  # moments that pause elsewhere (docs/exactness.md)
WHOLE = Typed("INT", ("0", "1", "-1", "7", "2147483647"))


def types(upstream: str, target: str) -> list[Typed]:
    """Those that both servers can hold."""
    left_out = ["VECTOR", *(_MARIADBS if upstream == "mysql" else ())]
    left_out += SHAPES if (upstream, target) != ("mariadb", "mariadb") else ()
    found = [
        one
        for one in typed()
        if not one.type.startswith(tuple(left_out))
        and not any(label in one.type for label in _NOT_THESE)
        and "CHARACTER SET" not in one.type
    ]
    found += [text("VARCHAR(9)", charset, "", _keys(charset, target)) for charset in _SETS]
    return [
        replace(one, values=tuple(value for value in one.values if not value.startswith(_MARIADB_ALONE)))
        for one in found
    ]


def _keys(charset: str, target: str) -> tuple[str, ...]:
    """No unique key where the target tells fewer texts apart, which pauses (36123)."""
    return ("none",) if target == "tidb" and charset == "gbk" else ("none", "single")


@dataclass(slots=True)
class Column:
    name: str
    typed: Typed
    nullable: bool = True
    generated: bool = False

    def value(self, rng: random.Random) -> str:
        """A literal of it."""
        chance = rng.random()
        if chance < 0.1:
            return "NULL" if self.nullable else "DEFAULT"
        return "DEFAULT" if chance < 0.13 else rng.choice(self.typed.values)


@dataclass(slots=True)
class Table:
    """Each table has ``id`` and the counter ``n``, and others in ``columns``."""

    schema: str
    name: str
    columns: list[Column]
    key: str  # the form of its key, see ddl.KEYS
    indexes: dict[str, str] = field(default_factory=dict)  # the text of its parts by name
    engine: str = "InnoDB"
    partitions: list[int] | None = None  # their upper bounds
    next_id: int = 1
    made: int = 0  # names that were given
    counts: bool = False  # by a trigger before each UPDATE
    base: int = 0  # of ids, where several tables become one

    @property
    def full(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def writable(self) -> list[Column]:
        return [column for column in self.columns if not column.generated]

    def new_name(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def new_id(self, rng: random.Random) -> int:
        """Mostly one that no row has."""
        if rng.random() < 0.15:
            return self.base + rng.randint(1, max(self.next_id, 5))
        self.next_id += 1
        return self.base + self.next_id - 1

    def some_id(self, rng: random.Random) -> int:
        return self.base + rng.randint(max(1, self.next_id - 40), self.next_id)


@dataclass(slots=True)
class Source:
    """The tables of one source, and which of them its open transactions hold."""

    name: str
    upstream: str
    target: str
    types: list[Typed]
    schemas: list[str]
    merges: bool = False  # whether shards are merged: what empties, drops or renames tables is not followed then
    tables: list[Table] = field(default_factory=list)
    held: dict[int, set[str]] = field(default_factory=dict)  # by connection
    made: int = 0

    def is_free(self, table: Table, connection: int) -> bool:
        """Whether no other connection may hold it."""
        return not any(table.full in names for other, names in self.held.items() if other != connection)

    def free(self, connection: int) -> list[Table]:
        return [table for table in self.tables if self.is_free(table, connection)]

    def new_table_name(self) -> str:
        self.made += 1
        return f"t{self.made}"
