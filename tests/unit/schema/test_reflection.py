"""Whether a step of one table's structure was made in another table, too."""

from __future__ import annotations

import pytest

from pkg.schema.parse import parse_create_table
from pkg.schema.reflection import catches_up, fills_otherwise, may_come_late, reflects, was_made
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


@pytest.mark.parametrize(
    ("before", "after", "there", "late"),
    [
        ("a INT", "a INT, b INT DEFAULT 7", "a INT, b INT DEFAULT '7'", True),
        ("a INT", "a INT, b INT, KEY (b)", "a INT, b INT, KEY (b)", True),
        ("a INT", "a INT, b INT DEFAULT 7", "a INT", False),
        ("a INT", "a INT, b INT DEFAULT 7", "a INT, b INT DEFAULT 8", False),
        ("a INT", "a INT, b INT DEFAULT (1 + 1)", "a INT, b INT DEFAULT (1 + 1)", False),
        ("a INT", "a INT, b TEXT DEFAULT 'x'", "a INT, b TEXT", False),  # TiDB has none for it
        ("a INT", "a INT, b BINARY(3) DEFAULT 'x'", "a INT, b BINARY(3) DEFAULT 'x'", False),
        ("a INT, b INT", "a INT", "a INT", True),
        ("a INT", "b INT", "b INT", False),  # it may be renamed
        ("a INT", "a BIGINT", "a BIGINT", False),
        ("a INT", "a BIGINT, b INT", "a BIGINT, b INT", False),
        ("a INT", "a INT DEFAULT 3, b INT", "a INT, b INT", True),
        ("a INT", "a INT", "a INT", False),
    ],
)
def test_may_come_late(before: str, after: str, there: str, late: bool) -> None:
    assert may_come_late(table(before), table(after), table(there, "m")) is late


@pytest.mark.parametrize(
    ("before", "after", "has_it", "seen"),
    [
        ("a INT", "a INT, b INT DEFAULT 7", True, True),
        ("a INT", "a BIGINT", True, True),
        ("a INT", "a INT DEFAULT 3", True, True),
        ("a INT", "a BIGINT", False, False),
        # The others may not have had these: the target does not show it.
        ("a VARCHAR(9) COLLATE utf8mb4_general_ci", "a VARCHAR(9) COLLATE utf8mb4_bin", False, False),
        ("a VARCHAR(9) COLLATE utf8mb4_general_ci", "a VARCHAR(9) COLLATE utf8mb4_bin", True, False),
        ("a INT, KEY (a)", "a INT AUTO_INCREMENT, KEY (a)", False, False),
        ("a INT", "a INT INVISIBLE", False, False),
    ],
)
def test_catches_up(before: str, after: str, has_it: bool, seen: bool) -> None:
    other = table(after if has_it else before)
    assert catches_up(table(before), table(after), other, other) is seen


@pytest.mark.parametrize(
    ("there", "seen"),
    [
        ("a INT, b INT DEFAULT 7, c INT, KEY (c)", True),
        ("c INT, b INT DEFAULT 7, a INT", False),
        ("a INT, c INT", False),
        ("a BIGINT, b INT DEFAULT 7, c INT", False),
    ],
)
def test_catches_up_with_a_table_that_is_further(there: str, seen: bool) -> None:
    other = table(there)
    assert catches_up(table("a INT"), table("a INT, b INT DEFAULT 7"), other, other) is seen
    assert not catches_up(table("a INT, KEY (a)"), table("a INT, b INT DEFAULT 7, KEY (a)"), other, other)


def test_a_target_without_the_default_is_not_caught_up_with() -> None:
    before, after, target = table("a INT"), table("a INT, b TEXT DEFAULT 'x'"), table("a INT, b TEXT")
    assert not catches_up(before, after, after, target)


@pytest.mark.parametrize(
    ("added", "there", "otherwise"),
    [
        ("INT DEFAULT 5", "INT DEFAULT 5", False),
        ("INT DEFAULT 5", "INT DEFAULT 7", True),
        ("INT DEFAULT 5", "INT", True),
        ("INT", "INT DEFAULT 7", True),
        ("VARCHAR(9) DEFAULT 'x'", "VARCHAR(9) DEFAULT 'y'", True),
        ("TEXT DEFAULT 'x'", "TEXT", False),  # as TiDB has it
        ("DATETIME DEFAULT CURRENT_TIMESTAMP", "DATETIME", False),
        ("BINARY(4) DEFAULT 'x'", "BINARY(4) DEFAULT 'x\\0\\0\\0'", False),
    ],
)
def test_fills_otherwise(added: str, there: str, otherwise: bool) -> None:
    assert fills_otherwise(table("a INT"), table(f"a INT, b {added}"), table(f"a INT, b {there}")) is otherwise
