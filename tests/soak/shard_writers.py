"""Writers of the shard DDL campaign: one per source, which also gives its tables their DDLs."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tests.servers import RunningServer
from tests.soak.shard_shapes import Shape
from tests.soak.writer import Writer

MOST_TABLES = 3  # of a source
LONGEST_WAIT = 6.0  # of a table for its next DDL


@dataclass
class Due:
    at: float
    clause: str
    shape: Shape


@dataclass
class Shard:
    """One table of the source: its shape of now, and the DDLs that it is still to have."""

    name: str
    shape: Shape = field(default_factory=Shape)
    due: deque[Due] = field(default_factory=deque)
    past: set[str] = field(default_factory=set)  # shapes that it had
    ids: list[int] = field(default_factory=list)


class ShardWriter(Writer):
    """`with ShardWriter(…) as writer`: it writes until the block ends; `finish` then gives all DDLs that are left."""

    def __init__(self, server: RunningServer, schema: str, tables: list[str], *, base: int, seed: int) -> None:
        super().__init__(server, schema, seed)
        self._tables = tables  # grows with those that are created
        self._shards = [Shard(table) for table in tables]
        self._next_id = base
        self._lock = threading.Lock()  # guards the queues

    def give(self, clause: str, shape: Shape, rng: random.Random) -> None:
        """Each table has the DDL some time later, after those that it was given before."""
        with self._lock:
            for shard in self._shards:
                shard.due.append(Due(time.monotonic() + rng.uniform(0, LONGEST_WAIT), clause, shape))

    def finish(self) -> None:
        """What DDL is left, with writes between."""
        if self.failure is None:
            self._guarded(self._last)

    def _write(self, cursor: Any) -> None:
        while not self._over.is_set():
            shard = self._rng.choice(self._shards)
            self._alter(cursor, shard, time.monotonic())
            self._transaction(cursor)
            self._seldom(cursor)
            self._over.wait(self._rng.uniform(0, 0.04))

    def _last(self, cursor: Any) -> None:
        while any(shard.due for shard in self._shards):
            shard = self._rng.choice([one for one in self._shards if one.due])
            self._alter(cursor, shard, float("inf"))
            self._transaction(cursor)

    def _alter(self, cursor: Any, shard: Shard, now: float) -> None:
        with self._lock:
            due = shard.due.popleft() if shard.due and shard.due[0].at <= now else None
        if due is not None:
            cursor.execute(f"ALTER TABLE {shard.name} {due.clause}")
            shard.past.add(shard.shape.text)
            shard.shape = due.shape

    def _seldom(self, cursor: Any) -> None:
        """A new binlog file, and a table like the one that has the fewest DDLs behind it."""
        chance = self._rng.random()
        if chance < 0.01:
            cursor.execute("FLUSH BINARY LOGS")
        if chance > 0.99 and len(self._shards) < MOST_TABLES:
            with self._lock:
                last = max(self._shards, key=lambda shard: len(shard.due))
                name = f"t{len(self._shards) + 1}"
                if last.shape.text in last.past:  # its columns would not tell which of the DDLs it has behind it
                    return
                self._shards.append(Shard(name, last.shape, deque(last.due), set(last.past)))
            cursor.execute(f"CREATE TABLE {name} LIKE {last.name}")
            self._tables.append(name)

    def _transaction(self, cursor: Any) -> None:
        cursor.execute("BEGIN")
        for _ in range(self._rng.randint(1, 4)):
            self._change(cursor, self._rng.choice(self._shards))
        cursor.execute("COMMIT")

    def _change(self, cursor: Any, shard: Shard) -> None:
        self.changes += 1
        chance = self._rng.random()
        if chance < 0.5 or len(shard.ids) < 5:
            self._insert(cursor, shard)
        elif chance < 0.65:
            cursor.execute(f"DELETE FROM {shard.name} WHERE id = %s", (self._taken(shard),))
        elif chance < 0.8:
            cursor.execute(f"UPDATE {shard.name} SET n = n + 1")
        else:
            values = self._values(shard)
            sets = ", ".join(f"{column} = %s" for column in ("n", *values))
            key = self._rng.choice(shard.ids)
            cursor.execute(
                f"UPDATE {shard.name} SET {sets} WHERE id = %s", (self._rng.randrange(99), *values.values(), key)
            )

    def _insert(self, cursor: Any, shard: Shard) -> None:
        self._next_id += 1
        shard.ids.append(self._next_id)
        values = {"id": self._next_id, **self._values(shard)}
        marks = ", ".join(["%s"] * len(values))
        cursor.execute(f"INSERT INTO {shard.name} ({', '.join(values)}) VALUES ({marks})", list(values.values()))

    def _taken(self, shard: Shard) -> int:
        return shard.ids.pop(self._rng.randrange(len(shard.ids)))

    def _values(self, shard: Shard) -> dict[str, Any]:
        """For some of the columns; the others take their defaults."""
        chosen = [name for name in shard.shape.columns if self._rng.random() < 0.6]
        return {name: self._value(shard.shape.columns[name]) for name in chosen}

    def _value(self, is_text: bool) -> Any:
        return self._rng.choice(("x", "ä", "", "long enough text")) if is_text else self._rng.randrange(-999, 999)
