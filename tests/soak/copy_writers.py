"""Writers of the campaign of full copies: all kinds of changes of rows, and no DDL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.cases.full.transfers import is_done
from tests.servers import RunningServer
from tests.soak.copy_tables import KEYLESS_VALUES, Row, Table, code_of
from tests.soak.writer import Writer

AT_ONCE = 200


def create(cursor: Any, tables: Sequence[Table], rng: Any) -> None:
    """The tables, with the rows that they begin with."""
    for table in tables:
        cursor.execute(table.create)
        rows = [table.row(table.base + number, rng) for number in range(table.rows)]
        for start in range(0, len(rows), AT_ONCE):
            insert(cursor, table, rows[start : start + AT_ONCE])


def insert(cursor: Any, table: Table, rows: Sequence[Row]) -> None:
    cursor.executemany(f"INSERT INTO {table.name} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)


class CopyWriter(Writer):
    """The only writer of its tables."""

    def __init__(self, server: RunningServer, schema: str, tables: Sequence[Table], seed: int, *, pause: float) -> None:
        super().__init__(server, schema, seed)
        self._tables = tables
        self._pause = pause
        self._numbers = {table: [table.base + number for number in range(table.rows)] for table in tables}
        self._next = {table: table.base + table.rows for table in tables}

    def _write(self, cursor: Any) -> None:
        while not self._over.wait(self._rng.uniform(0, 2 * self._pause)):
            before = {table: list(numbers) for table, numbers in self._numbers.items()}
            if not is_done(cursor, lambda: self._transaction(cursor)):
                self._numbers = before
            if self._rng.random() < 0.005:
                cursor.execute("FLUSH BINARY LOGS")

    def _transaction(self, cursor: Any) -> None:
        for _ in range(self._rng.randint(1, 5)):
            self._change(cursor, self._rng.choice(self._tables))

    def _change(self, cursor: Any, table: Table) -> None:
        self.changes += 1
        if self._rng.random() < 0.005 and table.key and table.shape != "large":
            cursor.execute(f"UPDATE {table.name} SET v = v + 1")
        elif table.key:
            self._change_keyed(cursor, table)
        else:
            self._change_keyless(cursor, table)

    def _change_keyed(self, cursor: Any, table: Table) -> None:
        numbers, chance = self._numbers[table], self._rng.random()
        if chance < 0.3 or len(numbers) < 4:
            self._insert(cursor, table)
        elif chance < 0.55:
            self._run(cursor, table, "UPDATE {} SET v = v + 1, t = %s", (f"now {chance}",), self._one(table))
        elif chance < 0.7:
            number = numbers.pop(self._rng.randrange(len(numbers)))
            self._run(cursor, table, "DELETE FROM {}", (), number)
        elif chance < 0.8:
            place = self._rng.randrange(len(numbers))
            new = self._taken(table)
            self._move(cursor, table, numbers[place], new)
            numbers[place] = new
        elif table.shape == "coded" and chance < 0.9:
            self._swap_codes(cursor, table)
        else:
            self._swap_keys(cursor, table)

    def _change_keyless(self, cursor: Any, table: Table) -> None:
        chance = self._rng.random()
        value = self._rng.randrange(KEYLESS_VALUES)
        if chance < 0.5:
            self._insert(cursor, table)
        elif chance < 0.7:
            cursor.execute(f"DELETE FROM {table.name} WHERE a = %s OR a IS NULL LIMIT 1", (value,))
        elif chance < 0.9:
            cursor.execute(f"UPDATE {table.name} SET v = v + 1 WHERE a = %s OR a IS NULL LIMIT 2", (value,))
        else:
            cursor.execute(f"INSERT INTO {table.name} SELECT NULL, v, t, b, d, m, w FROM {table.name} LIMIT 3")

    def _insert(self, cursor: Any, table: Table) -> None:
        new = [self._taken(table) for _ in range(self._rng.randint(1, 4))]
        insert(cursor, table, [table.row(number, self._rng) for number in new])
        self._numbers[table] += new

    def _move(self, cursor: Any, table: Table, old: int, new: int) -> None:
        """Another key for a row."""
        sets = ", ".join(f"{column} = %s" for column in table.key)
        self._run(cursor, table, f"UPDATE {{}} SET {sets}", table.key_of(new), old)

    def _swap_keys(self, cursor: Any, table: Table) -> None:
        """Two rows exchange their keys by way of a third."""
        one, other = self._rng.sample(self._numbers[table], 2)
        third = self._taken(table)
        for old, new in ((one, third), (other, one), (third, other)):
            self._move(cursor, table, old, new)

    def _swap_codes(self, cursor: Any, table: Table) -> None:
        """Two rows exchange their unique values by way of none."""
        one, other = self._rng.sample(self._numbers[table], 2)
        codes = {number: self._code(cursor, table, number) for number in (one, other)}
        for number, code in ((one, None), (other, codes[one]), (one, codes[other])):
            self._run(cursor, table, "UPDATE {} SET code = %s", (code,), number)

    def _code(self, cursor: Any, table: Table, number: int) -> str:
        self._run(cursor, table, "SELECT code FROM {}", (), number)
        (code,) = cursor.fetchone()
        return str(code) if code is not None else code_of(self._taken(table))

    def _run(self, cursor: Any, table: Table, sql: str, values: Row, number: int) -> None:
        """For the row of that number."""
        where = " AND ".join(f"{column} = %s" for column in table.key)
        cursor.execute(f"{sql.format(table.name)} WHERE {where}", (*values, *table.key_of(number)))

    def _one(self, table: Table) -> int:
        return self._rng.choice(self._numbers[table])

    def _taken(self, table: Table) -> int:
        self._next[table] += 1
        return self._next[table] - 1
