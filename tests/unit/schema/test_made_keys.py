"""Keys that the server makes for foreign keys, and drops again; tried on MariaDB 10.11 and MySQL 9.7."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.references import doubtful_keys, made_by_server, replaced_keys, with_made
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


@pytest.mark.parametrize(
    ("clauses", "keys_now", "made"),
    [
        ("ADD KEY (pid)", "KEY pid (pid)", True),
        ("ADD KEY (pid)", "KEY pid (pid), KEY pid_2 (pid)", False),
        ("ADD KEY (id), ADD KEY (pid), ADD KEY (pid, id)", "KEY id (id), KEY pid (pid), KEY pid_2 (pid, id)", True),
        ("ADD KEY (id), ADD KEY (pid)", "KEY id (id), KEY pid (pid), KEY pid_2 (pid)", False),
        ("ADD KEY pid_2 (id), ADD KEY (pid)", "KEY pid_2 (id), KEY pid (pid)", True),
        ("ADD KEY pid (pid)", "KEY pid (pid)", True),  # it would be refused if somebody had made the other
        ("ADD KEY pid (pid)", "KEY later (pid)", True),
        ("DROP KEY pid, ADD KEY pid (pid, n)", "KEY pid (pid, n)", False),
        ("ADD KEY o (pid)", "KEY o (pid)", True),
        ("ADD KEY o (pid)", "KEY pid (pid), KEY o (pid)", False),
        ("ADD KEY (pid)", "KEY later (pid)", True),
    ],
)
def test_the_upstreams_present_keys_tell_whether_its_server_has_made_one(
    clauses: str, keys_now: str, made: bool
) -> None:
    create = "CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, {}, CONSTRAINT FOREIGN KEY (pid) REFERENCES p (id))"
    before = tables(create.format("KEY pid (pid)"))[0]
    read = replace(before, indexes=tuple(replace(index, said=False) for index in before.indexes))
    ddl = parse_ddl(f"ALTER TABLE c {clauses}", default_schema="s", flavor="mariadb")
    now = tables(create.format(keys_now))[0]
    assert made_by_server(read, ddl, doubtful_keys(read, ddl), now) == ({"pid"} if made else set())


def test_what_is_replaced_is_told_with_what_replaces_it() -> None:
    before, after = tables(CREATE, "ALTER TABLE c ADD KEY o (pid, n), ADD UNIQUE KEY fk (n)")
    ddl = parse_ddl("ALTER TABLE c ADD KEY o (pid, n)", default_schema="s", flavor="mariadb")
    assert [(old.name, old.columns, new.name) for old, new in replaced_keys(ddl, before, after)] == [
        ("fk", ("pid",), "o")
    ]
    assert Table.from_json(before.to_json()).indexes[1].made
