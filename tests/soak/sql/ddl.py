"""Statements that make and alter tables, and what the source holds after them.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.cases.replicate.matrix_types import Typed
from tests.soak.sql.dml import Said
from tests.soak.sql.schema import SHAPES, WHOLE, Column, Source, Table

KEYS = {  # the forms of a key, by the text in CREATE TABLE
    "id": "PRIMARY KEY (id)", "counter": "PRIMARY KEY (id)", "two": "PRIMARY KEY (n, id)", "unique": "UNIQUE KEY u (id)",
    "nullable": "UNIQUE KEY u (id)", "none": "",
}  # fmt: skip
MOST_TABLES, MOST_COLUMNS = 7, 7
_KEYED = ("id", "id", "id", "counter", "two", "unique", "none", "nullable")
REFERENCE = Typed("INT", ("NULL", "NULL", "1", "2", "3", "4"), ("none",))
_FOUR_BYTES = "_utf8mb4 x'f0"
_GENERATED = ("n + 1", "id * 2", "n % 3")
Alter = Callable[[Source, Table, random.Random], Said | None]


def create(source: Source, rng: random.Random, schema: str = "", name: str = "", key: str = "") -> Said:
    """A new table."""
    table = Table(schema or rng.choice(source.schemas), name or source.new_table_name(), [], key or rng.choice(_KEYED))
    if rng.random() < 0.05 and not name:
        table.name = f"left_{table.name}"
    for _ in range(rng.randint(1, 5)):
        table.columns.append(_column(source, table, rng))
    parts = [_id(table.key), "n INT NOT NULL DEFAULT 0", *(_definition(column, rng) for column in table.columns)]
    parts += [KEYS[table.key]] if KEYS[table.key] else []
    for _ in range(rng.choice((0, 0, 1, 2))):
        parts += filter(None, [_index(table, rng)])
    options = ""
    if not name and rng.random() < 0.12 and (parents := _parents(source, table)):
        table.columns.append(Column("f", REFERENCE))
        parts += ["f INT", f"FOREIGN KEY (f) REFERENCES {rng.choice(parents).full} (id)"]
    else:
        options = _options(source, table, rng)
    source.tables.append(table)
    return "create-table", f"CREATE TABLE {table.full} ({', '.join(parts)}){options}"


def _parents(source: Source, child: Table) -> list[Table]:
    """The tables that a foreign key can be to; of tables that are left out there are none, nor of shards."""
    return [
        table
        for table in source.tables
        if not source.merges
        and table.key in ("id", "counter")
        and (table.engine, table.partitions) == ("InnoDB", None)
        and not any(one.name.startswith("left_") for one in (table, child))
    ]


def _id(key: str) -> str:
    return {"counter": "id INT NOT NULL AUTO_INCREMENT", "nullable": "id INT", "none": "id INT"}.get(
        key, "id INT NOT NULL"
    )


def _options(source: Source, table: Table, rng: random.Random) -> str:
    text = rng.choice(("", "", " DEFAULT CHARSET=utf8mb4", " DEFAULT CHARSET=latin1", " COMMENT='it''s'"))
    if rng.random() < 0.08:
        table.engine = rng.choice(("MyISAM", "MEMORY") if source.upstream == "mysql" else ("MyISAM", "Aria"))
        return text + f" ENGINE={table.engine}"
    if table.key in ("id", "counter", "none") and rng.random() < 0.3:
        table.partitions = [50, 200, 1000]
        bounds = ", ".join(f"PARTITION p{bound} VALUES LESS THAN ({bound})" for bound in table.partitions)
        return f"{text} PARTITION BY RANGE (id) ({bounds}, PARTITION rest VALUES LESS THAN MAXVALUE)"
    return text


def _column(source: Source, table: Table, rng: random.Random) -> Column:
    name = table.new_name("c")
    if rng.random() < 0.08 and not table.counts:
        able = [
            text for text in _GENERATED if table.key != "counter" or "id" not in text
        ]  # MariaDB alone generates of a counter
        typed = Typed(f"INT AS ({rng.choice(able)}) {rng.choice(('VIRTUAL', 'STORED'))}", ())
        return Column(name, typed, generated=True)
    chosen = rng.choice(source.types)
    # Where it is not given, a shape that is NOT NULL is no shape upstream, and no server takes that.
    return Column(name, chosen, nullable=chosen.type.startswith(SHAPES) or rng.random() < 0.75)


def _definition(column: Column, rng: random.Random) -> str:
    if column.generated:
        return f"{column.name} {column.typed.type}"
    default = ""
    if "NULL" in column.typed.type:
        return f"{column.name} {column.typed.type}"
    if rng.random() < 0.3 and _takes_default(column.typed):
        default = f" DEFAULT {_default_of(column, rng)}"
    return f"{column.name} {column.typed.type}{'' if column.nullable else ' NOT NULL'}{default}"


def _takes_default(one: Typed) -> bool:
    plain = ("INT", "TINYINT", "SMALLINT", "BIGINT", "DECIMAL(5", "VARCHAR(9) CHARACTER SET utf8mb4", "ENUM")
    return one.type.startswith(plain)


def _default_of(column: Column, rng: random.Random) -> str:
    """None of four bytes, for which MySQL's information_schema shows a question mark."""
    return rng.choice([value for value in column.typed.values if not value.startswith(_FOUR_BYTES)] or ["NULL"])


def _index(table: Table, rng: random.Random, unique: bool = False) -> str:
    """The text of a new index, "" where no column can have one."""
    able = [column for column in table.columns if column.generated or "single" in column.typed.keys]
    if not able:
        return ""
    chosen = rng.sample(able, min(len(able), rng.choice((1, 1, 2))))
    parts = ", ".join([*(column.name for column in chosen), *(["id"] if unique else [])])
    name = table.new_name("k")
    table.indexes[name] = parts
    return f"{'UNIQUE KEY' if unique else 'KEY'} {name} ({parts})"


# --- ALTER TABLE: clauses that a table, or each of several tables that become one, can have


def clause(source: Source, table: Table, rng: random.Random) -> Said | None:
    """(kind, clause), and the table is as behind it."""
    way = rng.choices([way for way, _ in _CLAUSES], [weight for _, weight in _CLAUSES])[0]
    return way(source, table, rng)


def alter(source: Source, table: Table, rng: random.Random) -> Said | None:
    """ALTER TABLE with a clause, seldom two."""
    said = [found for _ in range(rng.choice((1, 1, 1, 2))) if (found := clause(source, table, rng)) is not None]
    if not said:
        return None
    return said[0][0], f"ALTER TABLE {table.full} {', '.join(text for _, text in said)}"


def _add(source: Source, table: Table, rng: random.Random) -> Said | None:
    if len(table.columns) >= MOST_COLUMNS:
        return None
    column = _column(source, table, rng)
    place = rng.choice(("", "", " FIRST", " AFTER id", *(f" AFTER {one.name}" for one in table.columns[:1])))
    text = f"ADD COLUMN {_definition(column, rng)}{place}"
    table.columns.append(column)
    return "add-column", text


def _drop(source: Source, table: Table, rng: random.Random) -> Said | None:
    used = " ".join(table.indexes.values()).replace(",", " ").split()
    free = [column for column in table.columns if column.name not in used]
    if not free:
        return None
    column = rng.choice(free)
    table.columns.remove(column)
    return "drop-column", f"DROP COLUMN {column.name}"


def _modify(source: Source, table: Table, rng: random.Random) -> Said | None:
    """To a larger type, or to the same one with another place, default or comment."""
    free = [column for column in table.writable if "NULL" not in column.typed.type]
    if not free:
        return None
    column = rng.choice(free)
    column.typed = _larger(column.typed)
    more = rng.choice(("", " FIRST", " COMMENT 'new'", " AFTER n"))
    return "modify-column", f"MODIFY COLUMN {_definition(column, rng)}{more}"


def _larger(one: Typed) -> Typed:
    for small, large in (
        ("TINYINT", "SMALLINT"),
        ("INT", "BIGINT"),
        ("VARCHAR(9)", "VARCHAR(29)"),
        ("VARBINARY(9)", "VARBINARY(33)"),
    ):
        if one.type == small or (one.type.startswith(small) and small.startswith("VAR")):
            return Typed(one.type.replace(small, large, 1), one.values, one.keys)
    return one


def _change(source: Source, table: Table, rng: random.Random) -> Said | None:
    free = [column for column in table.writable if "NULL" not in column.typed.type]
    if not free:
        return None
    column = rng.choice(free)
    former, column.name = column.name, table.new_name("c")
    _renamed(table, former, column.name)
    return "rename-column", f"CHANGE COLUMN {former} {_definition(column, rng)}"


def _rename_column(source: Source, table: Table, rng: random.Random) -> Said | None:
    if not table.columns:
        return None
    column = rng.choice(table.columns)
    former, column.name = column.name, table.new_name("c")
    _renamed(table, former, column.name)
    return "rename-column", f"RENAME COLUMN {former} TO {column.name}"


def _renamed(table: Table, former: str, name: str) -> None:
    for key, parts in table.indexes.items():
        table.indexes[key] = ", ".join(name if part == former else part for part in parts.split(", "))


def _default(source: Source, table: Table, rng: random.Random) -> Said | None:
    free = [column for column in table.writable if _takes_default(column.typed)]
    if not free:
        return None
    column = rng.choice(free)
    text = rng.choice(("DROP DEFAULT", f"SET DEFAULT {_default_of(column, rng)}"))
    return "default", f"ALTER COLUMN {column.name} {text}"


def _add_index(source: Source, table: Table, rng: random.Random) -> Said | None:
    text = _index(table, rng, unique=rng.random() < 0.25) if len(table.indexes) < 4 else ""
    return ("add-index", f"ADD {text}") if text else None


def _drop_index(source: Source, table: Table, rng: random.Random) -> Said | None:
    if not table.indexes:
        return None
    name = rng.choice(sorted(table.indexes))
    del table.indexes[name]
    return "drop-index", f"DROP INDEX {name}"


def _rename_index(source: Source, table: Table, rng: random.Random) -> Said | None:
    if not table.indexes:
        return None
    name, new = rng.choice(sorted(table.indexes)), table.new_name("k")
    table.indexes[new] = table.indexes.pop(name)
    return "rename-index", f"RENAME INDEX {name} TO {new}"


def _comment(source: Source, table: Table, rng: random.Random) -> Said | None:
    return "table-option", rng.choice(("COMMENT = 'c2'", "FORCE", "AUTO_INCREMENT = 500", "ENGINE = InnoDB"))


def _key(source: Source, table: Table, rng: random.Random) -> Said | None:
    """Another primary key, or none; rows that are the same twice keep it from coming."""
    if table.base or table.partitions or table.key == "counter" or (source.target == "tidb" and rng.random() < 0.9):
        return None  # TiDB has no other key for a table that is stored by one
    if table.key in ("id", "two"):
        table.key = rng.choice(("none", "id", "two"))
        parts = KEYS[table.key]
        return "primary-key", f"DROP PRIMARY KEY{parts and f', ADD {parts}'}"
    if table.key == "none":
        table.key = "id"
        return "primary-key", "ADD PRIMARY KEY (id)"
    return None


def _charset(source: Source, table: Table, rng: random.Random) -> Said | None:
    """Of the columns that come later."""
    return "table-charset", f"DEFAULT CHARACTER SET {rng.choice(('utf8mb4', 'latin1'))}"


_CLAUSES: tuple[tuple[Alter, int], ...] = (
    (_add, 30), (_drop, 12), (_modify, 14), (_change, 5), (_rename_column, 6), (_default, 6), (_add_index, 12),
    (_drop_index, 8), (_rename_index, 3), (_comment, 4), (_key, 5), (_charset, 3),
)  # fmt: skip

# --- whole tables


def whole(source: Source, table: Table, rng: random.Random) -> Said | None:
    """A statement that makes, empties, renames or drops a table; ``table`` is one that nobody holds."""
    if table.partitions and rng.random() < 0.6:
        return _partition(source, table, rng)
    way = rng.choices([way for way, _ in _WHOLE], [weight for _, weight in _WHOLE])[0]
    return way(source, table, rng)


def _create(source: Source, table: Table, rng: random.Random) -> Said | None:
    return create(source, rng) if len(source.tables) < MOST_TABLES else None


def _like(source: Source, table: Table, rng: random.Random) -> Said | None:
    if len(source.tables) >= MOST_TABLES:
        return None
    name = source.new_table_name()
    columns = [Column(one.name, one.typed, one.nullable, one.generated) for one in table.columns]
    parts = None if table.partitions is None else list(table.partitions)
    source.tables.append(
        Table(table.schema, name, columns, table.key, dict(table.indexes), table.engine, parts, 1, table.made)
    )
    return "create-table-like", f"CREATE TABLE {table.schema}.{name} LIKE {table.full}"


def _select(source: Source, table: Table, rng: random.Random) -> Said | None:
    if len(source.tables) >= MOST_TABLES:
        return None
    name = source.new_table_name()
    made = Table(table.schema, name, [Column("x", WHOLE)], "id", next_id=table.next_id)
    source.tables.append(made)
    return "create-table-select", (
        f"CREATE TABLE {made.full} (PRIMARY KEY (id)) SELECT id, MAX(n) AS n, 1 AS x FROM {table.full} WHERE id IS NOT NULL GROUP BY id"
    )


def _drop_table(source: Source, table: Table, rng: random.Random) -> Said | None:
    if len(source.tables) < 3:
        return None
    source.tables.remove(table)
    return "drop-table", f"DROP TABLE {rng.choice(('', 'IF EXISTS '))}{table.full}"


def _truncate(source: Source, table: Table, rng: random.Random) -> Said | None:
    return "truncate-table", f"TRUNCATE TABLE {table.full}"


def _rename(source: Source, table: Table, rng: random.Random) -> Said | None:
    if table.name.startswith("left_"):
        return None  # its rows would be lacking under a name that is not left out
    former, table.name = table.full, source.new_table_name()
    if rng.random() < 0.4:
        table.schema = rng.choice(source.schemas)
    return "rename-table", rng.choice(
        (f"RENAME TABLE {former} TO {table.full}", f"ALTER TABLE {former} RENAME TO {table.full}")
    )


def _partition(source: Source, table: Table, rng: random.Random) -> Said | None:
    if not table.partitions:
        return None
    bound = rng.choice(table.partitions)
    if rng.random() < 0.4:
        return "truncate-partition", f"ALTER TABLE {table.full} TRUNCATE PARTITION p{bound}"
    if rng.random() < 0.5 and len(table.partitions) > 1:
        table.partitions.remove(bound)
        return "drop-partition", f"ALTER TABLE {table.full} DROP PARTITION p{bound}"
    last = table.partitions[-1]
    table.partitions.append(last + 300)
    return "reorganize-partition", (
        f"ALTER TABLE {table.full} REORGANIZE PARTITION rest INTO (PARTITION p{last + 300} VALUES LESS THAN ({last + 300}), "
        "PARTITION rest VALUES LESS THAN MAXVALUE)"
    )


_WHOLE: tuple[tuple[Alter, int], ...] = (
    (_create, 10), (_like, 3), (_select, 2), (_drop_table, 5), (_truncate, 5), (_rename, 5), 
)  # fmt: skip
