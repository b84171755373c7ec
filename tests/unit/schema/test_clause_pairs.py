"""Each kind of clause of ALTER TABLE beside each other: run one by one, they make the table that they make together."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkg.schema.alter import AddColumn, ChangeColumn, DropIndex
from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DdlContext
from pkg.schema.ddl import Ddl, parse_ddl, split_alter
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

_TABLE = parse_create_table(
    "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), b INT, c INT, d INT, g INT AS (c + 1), KEY ka (a), KEY kb (b), "
    "KEY kd (d), CONSTRAINT f FOREIGN KEY (d) REFERENCES p (id))",
    "db",
)
# MySQL 9.7 takes these of all pairs of 31 clauses.
_PAIRS = (Path(__file__).parent / "clause_pairs.txt").read_text().splitlines()


def _altered(table: Table, ddl: Ddl) -> Table:
    return alter_table(table, ddl.alterations, UTF8MB4, DdlContext("mysql"))


@pytest.mark.parametrize("pair", _PAIRS)
def test_clauses_that_run_one_by_one_make_what_they_make_together(pair: str) -> None:
    clauses = pair.replace("\t", ", ")
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="db")
    table = _TABLE
    for part in split_alter(ddl, "mysql", _TABLE):
        _assert_names_are_there(part, table)
        table = _altered(table, part)
    whole = _altered(_TABLE, ddl)
    assert (table.columns, set(table.indexes)) == (whole.columns, set(whole.indexes))


def _assert_names_are_there(part: Ddl, table: Table) -> None:
    for one in part.alterations:
        if isinstance(one, AddColumn | ChangeColumn) and (one.place or "").startswith("AFTER "):
            assert table.column((one.place or "").removeprefix("AFTER ")), part.text
        if isinstance(one, AddColumn):
            assert table.column(one.column.name) is None, part.text
        if isinstance(one, ChangeColumn) and one.old.lower() != one.column.name.lower():
            assert table.column(one.column.name) is None, part.text
        if isinstance(one, DropIndex):
            assert table.index(one.name), part.text
