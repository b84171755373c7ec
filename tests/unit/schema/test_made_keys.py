"""Keys that the server makes for foreign keys, and drops again; tried on MariaDB 10.11 and MySQL 9.7."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.references import doubtful_keys, replaced_keys, with_made
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

CREATE = "CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id))"
PLAIN = "CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT)"
FK = "ADD CONSTRAINT {} FOREIGN KEY (pid) REFERENCES p (id)"


def tables(*sqls: str) -> list[Table]:
    tracker, found = SchemaTracker(), list[Table]()
    for sql in sqls:
        tracker.apply(parse_ddl(sql, default_schema="s", flavor="mariadb"))
        table = tracker.table("s", "c")
        found += [table] if table is not None else []
    return found


@pytest.mark.parametrize(
    ("sqls", "keys"),
    [
        ((CREATE, "CREATE INDEX other ON c (pid, n)"), ["PRIMARY", "other"]),
        ((CREATE.replace("CONSTRAINT", "KEY fk (pid), CONSTRAINT"), "CREATE INDEX other ON c (pid, n)"),
         ["PRIMARY", "fk", "other"]),
        ((PLAIN, f"ALTER TABLE c {FK.format('a')}", "ALTER TABLE c DROP FOREIGN KEY a", f"ALTER TABLE c {FK.format('b')}"),
         ["PRIMARY", "b"]),
        ((PLAIN, f"ALTER TABLE c {FK.format('a')}", f"ALTER TABLE c {FK.format('b')}"), ["PRIMARY", "b"]),
        ((PLAIN, f"ALTER TABLE c {FK.format('a')}, {FK.format('b')}"), ["PRIMARY", "b"]),
        ((CREATE, "ALTER TABLE c RENAME KEY fk TO mine", "ALTER TABLE c ADD KEY o (pid, n)"), ["PRIMARY", "mine", "o"]),
        ((CREATE.replace(" c ", " x "), "CREATE TABLE c LIKE x", "ALTER TABLE c ADD KEY o (pid, n)"), ["PRIMARY", "o"]),
        ((CREATE, "ALTER TABLE c ADD UNIQUE KEY u (pid)"), ["PRIMARY", "u"]),
        ((CREATE, "ALTER TABLE c ADD KEY k (pid(5), n)"), ["PRIMARY", "fk", "k"]),
        ((CREATE, "ALTER TABLE c ADD KEY k (n, pid)"), ["PRIMARY", "fk", "k"]),
        ((CREATE, "ALTER TABLE c DROP FOREIGN KEY fk", "ALTER TABLE c ADD KEY o (pid, n)"), ["PRIMARY", "o"]),
        ((CREATE, "ALTER TABLE c CHANGE pid q INT", "ALTER TABLE c ADD KEY o (q, n)"), ["PRIMARY", "o"]),
        ((CREATE, "ALTER TABLE c ADD KEY o (pid, n), ADD UNIQUE KEY fk (n)"), ["PRIMARY", "o", "fk"]),
        ((CREATE, "ALTER TABLE c ADD CONSTRAINT b FOREIGN KEY (pid, n) REFERENCES q (a, b)"), ["PRIMARY", "b"]),
        ((CREATE, "ALTER TABLE c ADD z INT", "ALTER TABLE c DROP FOREIGN KEY fk, ADD KEY o (pid, n)"), ["PRIMARY", "o"]),
    ],
)  # fmt: skip
def test_which_keys_are_there(sqls: tuple[str, ...], keys: list[str]) -> None:
    assert sorted(index.name for index in tables(*sqls)[-1].indexes) == sorted(keys)


def test_a_key_that_was_read_may_be_one_of_them() -> None:
    said = tables(CREATE.replace("CONSTRAINT", "KEY fk (pid), KEY n (n), CONSTRAINT"))[0]
    read = replace(said, indexes=tuple(replace(index, said=False) for index in said.indexes))
    ddl = parse_ddl("ALTER TABLE c ADD KEY o (pid, n)", default_schema="s", flavor="mariadb")
    assert doubtful_keys(read, ddl) == {"fk"}
    assert doubtful_keys(with_made(read, {"fk"}), ddl) == frozenset()
    assert doubtful_keys(read, parse_ddl("ALTER TABLE c ADD KEY o (n)", default_schema="s", flavor="mariadb")) == set()


def test_what_is_replaced_is_told_with_what_replaces_it() -> None:
    before, after = tables(CREATE, "ALTER TABLE c ADD KEY o (pid, n), ADD UNIQUE KEY fk (n)")
    ddl = parse_ddl("ALTER TABLE c ADD KEY o (pid, n)", default_schema="s", flavor="mariadb")
    assert [(old.name, old.columns, new.name) for old, new in replaced_keys(ddl, before, after)] == [
        ("fk", ("pid",), "o")
    ]
    assert Table.from_json(before.to_json()).indexes[1].made
