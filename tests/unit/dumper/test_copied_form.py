"""Which changes of a table's structure let rows that were read before and after belong together."""

from __future__ import annotations

import pytest

from dm_worker.dumper.chunks import best_key
from dm_worker.dumper.copied_form import copied_form
from dm_worker.loader.altered import may_have_others_values
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

KEYED = "id INT NOT NULL, a INT, b INT, c VARCHAR(20) COLLATE utf8mb4_bin, PRIMARY KEY (id)"
TEXT_KEY = KEYED.replace("id INT", "id VARCHAR(20) COLLATE utf8mb4_bin")
KEYLESS = "a INT, b INT, c VARCHAR(20)"


def table(columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({columns}) DEFAULT CHARSET=utf8mb4", "s")


def differences(planned: str, now: str) -> list[str]:
    before = table(planned)
    return [what for what, _ in copied_form(before, best_key(before)).differences(table(now))]


@pytest.mark.parametrize(
    ("planned", "changes"),
    [
        (KEYED, [("id INT", "id BIGINT")]),
        (KEYED, [("a INT", "a BIGINT UNSIGNED NOT NULL DEFAULT 4 COMMENT 'x'")]),
        (KEYED, [("a INT", "new INT, a INT")]),
        (KEYED, [("VARCHAR(20) COLLATE utf8mb4_bin", "TEXT COLLATE utf8mb4_general_ci")]),
        (KEYED, [("PRIMARY KEY (id)", "PRIMARY KEY (id), KEY (a), UNIQUE KEY (b)")]),
        (KEYED, [("PRIMARY KEY (id)", "UNIQUE KEY other (id)")]),
        (KEYED.replace("a INT", "a ENUM('x','y')"), [("'x','y'", "'x','y','z'")]),
        (KEYED.replace("a INT", "a DATETIME"), [("DATETIME", "DATETIME(6)")]),
        (KEYED.replace("b INT,", "b INT AS (a + 1),"), [("b INT AS (a + 1),", "")]),
        (TEXT_KEY, [("id VARCHAR(20)", "id VARCHAR(40)")]),
        (KEYLESS, [("c VARCHAR(20)", "c VARCHAR(20) NOT NULL DEFAULT 'x', KEY (a)")]),
    ],
)  # fmt: skip
def test_rows_still_belong_together(planned: str, changes: list[tuple[str, str]]) -> None:
    now = planned
    for old, new in changes:
        assert old in now
        now = now.replace(old, new)
    assert differences(planned, now) == []


@pytest.mark.parametrize(
    ("planned", "old", "new", "what"),
    [
        (KEYED, "a INT, b INT", "b INT, a INT", "columns in another order"),
        (KEYED, "a INT", "z INT", "columns that are gone"),
        (KEYED, "a INT", "a VARCHAR(20)", "columns with other values"),
        (KEYED, "a INT", "a INT AS (b + 1)", "columns that are gone"),
        (KEYED, "COLLATE utf8mb4_bin", "CHARACTER SET latin1", "columns with other values"),
        (KEYED.replace("a INT", "a TIMESTAMP NULL"), "TIMESTAMP", "DATETIME", "columns with other values"),
        (KEYED.replace("a INT", "a ENUM('x','y')"), "'x','y'", "'y','x'", "columns with other values"),
        (KEYED, "PRIMARY KEY (id)", "KEY (id)", "no key that tells rows apart"),
        (KEYED, "id INT", "id INT UNSIGNED", "a key that is in another order"),
        (KEYED, "id INT", "id SMALLINT", "a key that is in another order"),
        (TEXT_KEY, "VARCHAR(20) COLLATE utf8mb4_bin NOT", "VARCHAR(20) COLLATE utf8mb4_general_ci NOT", "a key that is in another order"),
        (TEXT_KEY, "id VARCHAR(20)", "id VARCHAR(10)", "a key that is in another order"),
        (TEXT_KEY, "id VARCHAR(20)", "id CHAR(20)", "a key that is in another order"),
        (KEYED.replace("id INT", "id DATETIME(6)"), "DATETIME(6)", "DATETIME", "a key that is in another order"),
        (KEYED.replace("id INT", "id DECIMAL(9,2)"), "DECIMAL(9,2)", "DECIMAL(9,0)", "a key that is in another order"),
        (KEYLESS, "c VARCHAR(20)", "c VARCHAR(20), d INT", "new columns"),
        (KEYLESS, "b INT", "b BIGINT", "columns with other values"),
    ],
)  # fmt: skip
def test_rows_do_not_belong_together(planned: str, old: str, new: str, what: str) -> None:
    assert old in planned
    assert what in differences(planned, planned.replace(old, new))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("id INT NOT NULL, a INT, b INT, PRIMARY KEY (id)", False),  # only c can be gone: it has a type of its own
        ("id INT NOT NULL, a INT, c VARCHAR(20) COLLATE utf8mb4_bin, PRIMARY KEY (id)", True),  # a may have been b
        ("id INT NOT NULL, c VARCHAR(20) COLLATE utf8mb4_bin, PRIMARY KEY (id)", False),
    ],
)
def test_a_column_that_has_got_the_name_of_one_that_is_gone(now: str, expected: bool) -> None:
    assert may_have_others_values(table(KEYED), table(now)) is expected
