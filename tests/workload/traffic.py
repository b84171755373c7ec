"""Writers that change an upstream all the time, by a seed, and count what they do."""

from __future__ import annotations

import random
import threading
from typing import Any

import pymysql

from tests.servers import RunningServer
from tests.workload.shop import NAMES, Shard, connect, insert, order


class Traffic:
    """One thread that writes small transactions into one upstream until it is stopped."""

    def __init__(
        self,
        server: RunningServer,
        parts: list[Shard],
        *,
        seed: int,
        rows: int,
        extras: bool = False,
        per_second: float = 100,
    ) -> None:
        self._server = server
        self._parts = parts
        self._rng = random.Random(seed)
        self._extras = extras
        self._pause = 1 / per_second
        self._ids = {shard: [shard.base + number for number in range(rows)] for shard in parts}
        self._next = {shard: shard.base + rows for shard in parts}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="traffic", daemon=True)
        self.transactions = 0
        self.error: BaseException | None = None

    def __enter__(self) -> Traffic:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End after the transaction at hand; raises what ended the thread before."""
        self._stop.set()
        self._thread.join()
        if self.error is not None:
            raise self.error

    def _work(self) -> None:
        try:
            with connect(self._server, autocommit=False) as connection, connection.cursor() as cursor:
                while not self._stop.wait(self._pause * self._rng.random() * 2):
                    for _ in range(self._rng.randrange(1, 4)):
                        self._change(cursor)
                    connection.commit()
                    self.transactions += 1
        except BaseException as exc:
            self.error = exc

    def _change(self, cursor: Any) -> None:
        rng = self._rng
        shard = rng.choice(self._parts)
        ids = self._ids[shard]
        dice = rng.random()
        if dice < 0.35 or len(ids) < 10:
            numbers = range(self._next[shard], self._next[shard] + rng.randrange(1, 6))
            self._next[shard] = numbers.stop
            insert(cursor, shard, [order(number, rng) for number in numbers])
            ids.extend(numbers)
        elif dice < 0.6:
            values = (rng.choice(NAMES), rng.randrange(1000), rng.choice(ids))
            cursor.execute(f"UPDATE {shard.name} SET note = %s, amount = amount + %s WHERE id = %s", values)
        elif dice < 0.7:
            self._swap_order_numbers(cursor, shard, *rng.sample(ids, 2))
        elif dice < 0.78:
            self._move_key(cursor, shard, rng.randrange(len(ids)))
        elif dice < 0.88:
            cursor.execute(f"DELETE FROM {shard.name} WHERE id = %s", (ids.pop(rng.randrange(len(ids))),))
        elif self._extras:
            self._change_extras(cursor)

    def _swap_order_numbers(self, cursor: Any, shard: Shard, one: int, other: int) -> None:
        """Two rows exchange a unique value by way of a third."""
        cursor.execute(f"SELECT id, order_no FROM {shard.name} WHERE id IN (%s, %s)", (one, other))
        numbers = dict(cursor.fetchall())
        for ident, number in ((one, f"T-{one}"), (other, numbers[one]), (one, numbers[other])):
            cursor.execute(f"UPDATE {shard.name} SET order_no = %s WHERE id = %s", (number, ident))

    def _move_key(self, cursor: Any, shard: Shard, place: int) -> None:
        new = self._next[shard]
        self._next[shard] += 1
        cursor.execute(f"UPDATE {shard.name} SET id = %s WHERE id = %s", (new, self._ids[shard][place]))
        self._ids[shard][place] = new

    def _change_extras(self, cursor: Any) -> None:
        rng = self._rng
        cursor.execute("UPDATE extras.counter SET n = n + 1 WHERE id = %s", (rng.randrange(1, 4),))
        cursor.execute("INSERT INTO extras.log VALUES (%s, 'line', 1.1), (%s, 'line', 1.1)", (rng.randrange(3), 1))
        if rng.random() < 0.3:
            cursor.execute("DELETE FROM extras.log WHERE at = %s LIMIT 1", (rng.randrange(3),))
        key = (rng.randrange(20), rng.choice("abcÄ"))
        cursor.execute("REPLACE INTO extras.pairs VALUES (%s, %s, %s)", (*key, rng.randrange(1000)))
        name = rng.choice(("Ärger", "arger", "zoo", "ÉTÉ", "x")) + str(rng.randrange(10))
        try:
            cursor.execute("INSERT INTO extras.names VALUES (%s, 1)", (name,))
        except pymysql.IntegrityError:
            cursor.execute("UPDATE extras.names SET v = v + 1, name = %s WHERE name = %s", (name, name))
        word = rng.choice(("äöü€", "Šumava", "naïve", "x" * 40))
        cursor.execute("REPLACE INTO legacy.words VALUES (%s, %s, %s)", (rng.randrange(50), word, word[::-1]))
