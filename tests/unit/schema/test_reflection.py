"""Whether a step of one table's structure was made in another table, too."""

from __future__ import annotations

import pytest

from pkg.schema.parse import parse_create_table
from pkg.schema.reflection import reflects, was_made
from pkg.schema.table import Table


def table(columns: str, name: str = "t1") -> Table:
    return parse_create_table(f"CREATE TABLE {name} (id INT PRIMARY KEY, {columns})", schema="db")


PLAIN = table("a INT, KEY k (a)")
WITH_KEY = table("a INT, KEY k (a), CONSTRAINT f1 FOREIGN KEY (a) REFERENCES p (id)")
ITS_OWN = table("a INT, KEY k (a), CONSTRAINT m_ibfk_1 FOREIGN KEY (a) REFERENCES p (id)", "m")
WITH_COLUMN = table("a INT, b INT, KEY k (a)")


@pytest.mark.parametrize(
    ("before", "after", "there", "made"),
    [
        (PLAIN, WITH_COLUMN, PLAIN, False),
        (PLAIN, WITH_COLUMN, WITH_COLUMN, True),
        (PLAIN, WITH_KEY, PLAIN, False),
        (PLAIN, WITH_KEY, ITS_OWN, True),  # whatever its name is
        (WITH_KEY, PLAIN, ITS_OWN, False),
        (WITH_KEY, PLAIN, PLAIN, True),
        (PLAIN, PLAIN, PLAIN, False),  # a CHECK, of which nothing is seen
    ],
)
def test_was_made(before: Table, after: Table, there: Table, made: bool) -> None:
    assert was_made(before, after, there) is made
    assert reflects(before, after, there) is (made or before == after)
