"""How far a statement was done that runs clause by clause, told by the names of the target's columns."""

from __future__ import annotations

import pytest

from pkg.schema.clause_order import done_of, takes_over_names
from pkg.schema.ddl import Ddl, parse_ddl, split_alter
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table


def altered(clauses: str) -> Ddl:
    return parse_ddl(f"ALTER TABLE t {clauses}", default_schema="db")


def table(*columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({', '.join(f'{name} INT' for name in columns)})", schema="db")


@pytest.mark.parametrize(
    ("clauses", "takes"),
    [
        ("RENAME COLUMN g TO x, RENAME COLUMN h TO g", True),
        ("DROP a, CHANGE b a INT", True),
        ("DROP a, ADD a INT", False),
        ("CHANGE b a INT, ADD b INT", False),
        ("MODIFY a INT, MODIFY b INT", False),
        ("DROP KEY a, CHANGE b a INT", False),
    ],
)
def test_which_statements_give_columns_the_names_of_others(clauses: str, takes: bool) -> None:
    assert takes_over_names(altered(clauses)) is takes


@pytest.mark.parametrize(
    ("clauses", "there", "done"),
    [
        ("CHANGE b a INT, DROP a", ["id", "a", "b"], 0),
        ("CHANGE b a INT, DROP a", ["id", "b"], 1),
        ("CHANGE b a INT, DROP a", ["id", "A", "own"], 2),
        ("RENAME COLUMN a TO x, RENAME COLUMN b TO a", ["id", "x", "b"], 1),
        ("RENAME COLUMN a TO x, RENAME COLUMN b TO a", ["id", "x", "a"], 2),
        ("RENAME COLUMN a TO x, RENAME COLUMN b TO a, ADD KEY (id), MODIFY id BIGINT", ["id", "x", "a"], 2),
        ("DROP a, CHANGE b a INT, ADD b INT", ["id", "a", "b"], None),
        ("DROP a, CHANGE b a INT, ADD b INT", ["id", "a"], 2),
        ("CHANGE b a INT, DROP a", ["id"], None),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["id", "a", "b"], 0),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["id", "a_2", "b"], 1),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["id", "a_2", "a"], 2),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["own", "b", "id", "a"], 3),
        ("CHANGE a b INT, CHANGE b a INT FIRST", ["id", "b", "a"], None),
    ],
)
def test_how_much_of_a_statement_was_done(clauses: str, there: list[str], done: int | None) -> None:
    before = table("id", "a", "b")
    assert done_of(split_alter(altered(clauses), "mysql", before), before, table(*there)) == done


def test_a_statement_that_runs_whole_does_not_tell_where_the_names_are_the_same_behind_it() -> None:
    whole = altered("DROP a, CHANGE b a INT, ADD b INT")
    assert done_of([whole], table("a", "b"), table("a", "b")) is None
