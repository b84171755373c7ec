"""Columns that exchange their names: which statements do, and whether a table has had it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.name_exchange import exchanged_names, is_exchanged
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table


@pytest.mark.parametrize(
    ("clauses", "names"),
    [
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", "a b"),
        ("CHANGE a B INT, CHANGE b A INT", "a b"),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO c, RENAME COLUMN c TO a", "a b c"),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a, RENAME COLUMN c TO d, ADD e INT", "a b"),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO c", ""),
        ("RENAME COLUMN a TO A", ""),
        ("CHANGE a a BIGINT, MODIFY b BIGINT AFTER c", ""),
        ("RENAME COLUMN c TO d", ""),
    ],
)
def test_which_names_come_back(clauses: str, names: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="d", flavor="mysql")
    assert exchanged_names(ddl) == set(names.split())


def table(columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({columns})", "d")


@pytest.mark.parametrize(
    ("before", "after", "there", "is_there"),
    [
        ("id INT, a INT, b INT", "id INT, b INT, a INT", "id INT, b INT, a INT", True),
        ("id INT, a INT, b INT", "id INT, b INT, a INT", "id INT, a INT, b INT", False),
        ("id INT, a INT, b INT", "id INT, b INT, a INT", "b INT, x INT, a INT, id INT", True),
        ("id INT, a INT, b INT", "id INT, b INT, a INT", "id INT, a INT", None),
        # moved by the same statement: only the types tell
        ("id INT, a INT, b TEXT", "id INT, a TEXT, b INT", "id INT, b INT, a TEXT", True),
        ("id INT, a INT, b TEXT", "id INT, a TEXT, b INT", "id INT, a INT, b TEXT", False),
        ("id INT, a INT, b INT", "id INT, a INT, b INT", "id INT, a INT, b INT", None),
    ],
)
def test_whether_a_table_has_had_it(before: str, after: str, there: str, is_there: bool | None) -> None:
    names = frozenset(("a", "b"))
    assert is_exchanged(names, table(before), table(after), replace(table(there), name="merged")) is is_there
