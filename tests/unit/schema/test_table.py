from __future__ import annotations

import json

import pytest

from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table, UniqueKey


def table(body: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({body})", "d")


@pytest.mark.parametrize(
    ("body", "identity"),
    [
        ("a INT, b INT, PRIMARY KEY (b, a)", (1, 0)),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE (a, b), UNIQUE z (b)", (1,)),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE z (a), UNIQUE y (b)", (1,)),
        ("a INT, UNIQUE (a)", ()),
        ("a VARCHAR(20) NOT NULL, UNIQUE (a(5))", ()),
        ("a TEXT NOT NULL, PRIMARY KEY (a(5))", ()),
        ("a INT NOT NULL, UNIQUE ((a + 1))", ()),
        ("a INT NOT NULL, b INT AS (a + 1) STORED NOT NULL, UNIQUE (b)", ()),
        ("a INT NOT NULL, b INT AS (a + 1) STORED NOT NULL, UNIQUE (b, a)", (1, 0)),
        ("a INT", ()),
    ],
)
def test_identity_key(body: str, identity: tuple[int, ...]) -> None:
    assert table(body).identity_key == identity


def test_unique_keys_leave_expressions_out() -> None:
    found = table("a INT PRIMARY KEY, b VARCHAR(9), UNIQUE (b(3), (a + 1)), KEY (b)").unique_keys
    assert found == (UniqueKey((0,), (None,)), UniqueKey((1,), (3,)))


def test_columns_are_found_whatever_their_case() -> None:
    assert table("Aa INT, B INT").ordinal("bB"[1:]) == 1
    assert table("Aa INT").column("aA") is not None
    with pytest.raises(KeyError):
        table("a INT").ordinal("x")


def test_structure_survives_the_checkpoint() -> None:
    original = table("id INT PRIMARY KEY, e ENUM('a','b'), p INT, FOREIGN KEY (p) REFERENCES q (id) ON DELETE CASCADE")
    assert Table.from_json(json.loads(json.dumps(original.to_json()))) == original
