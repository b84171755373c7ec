"""What DDL upstream means for a table that is being copied."""

from __future__ import annotations

import pytest

from dm_worker.loader.altered import Verdict, colliding, differences, judged, without_default
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

PLANNED = "id INT NOT NULL PRIMARY KEY, a INT, b VARCHAR(10)"


def table(columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({columns})", "s")


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (PLANNED, Verdict.AS_PLANNED),
        (f"{PLANNED}, KEY (a)", Verdict.AS_PLANNED),
        ("id INT(11) NOT NULL PRIMARY KEY, a INT(5), b VARCHAR(10) COMMENT 'x'", Verdict.AS_PLANNED),
        ("id INT NOT NULL PRIMARY KEY, b VARCHAR(10), a INT", Verdict.ALTERED),
        ("id INT NOT NULL PRIMARY KEY, b VARCHAR(10)", Verdict.WITHOUT_COLUMNS),
        ("id INT NOT NULL PRIMARY KEY", Verdict.WITHOUT_COLUMNS),
        (f"{PLANNED}, c INT", Verdict.ALTERED),
        ("id INT NOT NULL PRIMARY KEY, z INT, b VARCHAR(10)", Verdict.ALTERED),
        ("id INT NOT NULL PRIMARY KEY, b VARCHAR(20)", Verdict.ALTERED),
        ("id INT NOT NULL, b VARCHAR(10)", Verdict.ALTERED),
        ("a INT, b VARCHAR(10)", Verdict.ALTERED),
        ("id INT NOT NULL, a INT NOT NULL, b VARCHAR(10), PRIMARY KEY (a, id)", Verdict.ALTERED),
    ],
)
def test_columns_are_left_out_only_where_no_other_has_come(now: str, verdict: Verdict) -> None:
    assert judged(table(PLANNED), table(now)) is verdict


def test_a_table_that_is_not_there_is_gone() -> None:
    assert judged(table(PLANNED), None) is Verdict.GONE


def test_a_table_without_a_key_may_lose_columns() -> None:
    assert judged(table("a INT, b INT"), table("b INT")) is Verdict.WITHOUT_COLUMNS


def test_what_differs_is_named() -> None:
    found = differences(table(PLANNED), table("id BIGINT, c INT, b VARCHAR(10)"))
    assert found == {
        "columns that are gone": ["a"],
        "new columns": ["c"],
        "changed columns": ["id"],
        "another key": ["PRIMARY"],
        "no key that tells rows apart": ["t"],
    }


def test_a_key_that_no_query_can_use_any_more_is_another_key() -> None:
    columns = "id INT NOT NULL, b INT NOT NULL, UNIQUE KEY k (id)"
    assert judged(table(columns), table(f"{columns} IGNORED")) is Verdict.ALTERED
    assert judged(table(columns), table(f"{columns} /*!80000 INVISIBLE */")) is Verdict.ALTERED
    assert judged(table(f"{columns}, KEY b (b)"), table(f"{columns}, KEY b (b) IGNORED")) is Verdict.AS_PLANNED


@pytest.mark.parametrize(
    ("columns", "equal", "missing"),
    [
        ("b INT", [], []),
        ("b INT DEFAULT 5", [], []),
        ("b DATE NOT NULL", [], ["b"]),
        ("b INT NOT NULL DEFAULT 5", [], []),
        ("b INT UNIQUE", [], []),
        ("b INT DEFAULT 5 UNIQUE", ["b"], []),
        ("B INT NOT NULL, UNIQUE KEY (id, b)", ["B"], ["B"]),
        ("b INT, UNIQUE KEY ((b + id))", ["b"], []),
        ("b INT, c INT AS (IFNULL(`b`, 0)) STORED, UNIQUE KEY (c)", ["b"], []),
        ("b INT NOT NULL, c INT AS (id + 1) STORED, UNIQUE KEY (c)", [], ["b"]),
        ("b INT DEFAULT 5, KEY (b)", [], []),
    ],
)
def test_columns_that_rows_of_the_target_cannot_be_without(columns: str, equal: list[str], missing: list[str]) -> None:
    before, now = table(f"id INT NOT NULL PRIMARY KEY, {columns}"), table("id INT NOT NULL PRIMARY KEY")
    assert (colliding(before, now), without_default(before, now)) == (equal, missing)
