"""Statements that change rows.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.soak.sql.schema import Column, Source, Table

Said = tuple[str, str]  # (kind, SQL)


def change(source: Source, tables: list[Table], rng: random.Random) -> Said:
    """One statement on one of the tables."""
    way = rng.choices([way for way, _ in _WAYS], [weight for _, weight in _WAYS])[0]
    return way(source, rng.choice(tables), rng)


def rows(table: Table, rng: random.Random, most: int = 4) -> tuple[str, str]:
    """(columns, rows of literals) of an INSERT."""
    chosen = [column for column in table.writable if rng.random() < 0.85]
    names = ["id", *(column.name for column in chosen)]
    if rng.random() < 0.5:
        names.append("n")
    found = []
    for _ in range(rng.randint(1, most)):
        values = [str(table.new_id(rng)), *(column.value(rng) for column in chosen)]
        found.append(f"({', '.join(values + [str(rng.randrange(9))] * ('n' in names))})")
    return ", ".join(names), ", ".join(found)


def where(table: Table, rng: random.Random) -> str:
    """A condition that is true of few rows."""
    number = table.some_id(rng)
    return rng.choice(
        (
            f"id = {number}",
            f"id BETWEEN {number} AND {number + rng.randrange(4)}",
            f"id IN ({number}, {number + 2}, {number + 5})",
            f"id > {number} AND id % 3 = {rng.randrange(3)}",
            f"n = {rng.randrange(9)} AND id < {number}",
        )
    )


def assigned(table: Table, rng: random.Random) -> str:
    """What an UPDATE sets: the counter, and some columns."""
    sets = ["n = n + 1"] if rng.random() < 0.7 else []
    free = table.writable
    sets += [f"{one.name} = {one.value(rng)}" for one in rng.sample(free, min(len(free), rng.randint(0, 2)))]
    pairs = [(one, other) for one in free for other in free if one is not other and one.typed.type == other.typed.type]
    if pairs and rng.random() < 0.2:
        one, other = rng.choice(pairs)
        sets.append(f"{one.name} = {other.name}")
    return ", ".join(sets) or "n = n + 1"


def _insert(source: Source, table: Table, rng: random.Random) -> Said:
    names, values = rows(table, rng)
    return "insert", f"INSERT INTO {table.full} ({names}) VALUES {values}"


def _insert_ignore(source: Source, table: Table, rng: random.Random) -> Said:
    names, values = rows(table, rng)
    return "insert-ignore", f"INSERT IGNORE INTO {table.full} ({names}) VALUES {values}"


def _insert_set(source: Source, table: Table, rng: random.Random) -> Said:
    chosen: list[Column] = table.writable[:2]
    sets = [f"id = {table.new_id(rng)}", *(f"{one.name} = {one.value(rng)}" for one in chosen)]
    return "insert", f"INSERT INTO {table.full} SET {', '.join(sets)}"


def _upsert(source: Source, table: Table, rng: random.Random) -> Said:
    names, values = rows(table, rng)
    return (
        "upsert",
        f"INSERT INTO {table.full} ({names}) VALUES {values} ON DUPLICATE KEY UPDATE {assigned(table, rng)}",
    )


def _replace(source: Source, table: Table, rng: random.Random) -> Said:
    names, values = rows(table, rng)
    return "replace", f"REPLACE INTO {table.full} ({names}) VALUES {values}"


def _insert_select(source: Source, table: Table, rng: random.Random) -> Said:
    names = ", ".join(["n", *(column.name for column in table.writable)])
    step = rng.randint(1, 9)
    table.next_id += step
    verb = rng.choice(("INSERT", "INSERT IGNORE", "REPLACE"))
    return "insert-select", (
        f"{verb} INTO {table.full} (id, {names}) SELECT id + {step}, {names} FROM {table.full} "
        f"WHERE {where(table, rng)} ORDER BY id LIMIT 5"
    )


def _update(source: Source, table: Table, rng: random.Random) -> Said:
    more = rng.choice(("", "", " ORDER BY id DESC LIMIT 3"))
    return "update", f"UPDATE {table.full} SET {assigned(table, rng)} WHERE {where(table, rng)}{more}"


def _update_ids(source: Source, table: Table, rng: random.Random) -> Said:
    """Keys rotate, or move to places of their own."""
    number = table.some_id(rng)
    if rng.random() < 0.5:
        table.next_id += 3
        return "update-key", (
            f"UPDATE {table.full} SET id = id + {table.base + table.next_id - number}, n = n + 1 "
            f"WHERE id BETWEEN {number} AND {number + 2} ORDER BY id DESC"
        )
    return "update-key", f"UPDATE {table.full} SET id = id + 1 WHERE id >= {number} ORDER BY id DESC LIMIT 6"


def _update_all(source: Source, table: Table, rng: random.Random) -> Said:
    return "update", f"UPDATE {table.full} SET n = n + 1"


def _update_join(source: Source, table: Table, rng: random.Random) -> Said:
    """Two tables in one statement, or a table with itself."""
    return "update-join", (
        f"UPDATE {table.full} x JOIN {table.full} y ON x.id = y.id + 1 SET x.n = y.n + 1, y.n = y.n + 2 "
        f"WHERE y.id > {table.some_id(rng)}"
    )


def _delete(source: Source, table: Table, rng: random.Random) -> Said:
    more = rng.choice(("", "", " ORDER BY id LIMIT 2"))
    return "delete", f"DELETE FROM {table.full} WHERE {where(table, rng)}{more}"


def _delete_join(source: Source, table: Table, rng: random.Random) -> Said:
    return "delete-join", (
        f"DELETE x FROM {table.full} x JOIN {table.full} y ON x.id = y.id + 2 WHERE y.id > {table.some_id(rng)} AND y.n % 2 = 0"
    )


_WAYS: tuple[tuple[Callable[[Source, Table, random.Random], Said], int], ...] = (
    (_insert, 30), (_insert_ignore, 4), (_insert_set, 3), (_upsert, 8), (_replace, 8), (_insert_select, 3), (_update, 16),
    (_update_ids, 4), (_update_all, 3), (_update_join, 2), (_delete, 8), (_delete_join, 2),
)  # fmt: skip
