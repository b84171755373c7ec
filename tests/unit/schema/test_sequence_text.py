"""Sequences go on where no value was given before."""

from __future__ import annotations

import pytest

from pkg.schema.sequence_text import SequenceState, renamed_sequences

UP = SequenceState(1001, 1, 1, 9223372036854775806, 1, 1000, cycles=False)
DOWN = SequenceState(-16, 5, -(2**63) + 1, 10, -3, 0, cycles=True)


def test_the_options_are_those_of_the_upstream() -> None:
    assert UP.create("`r`.`s`") == (
        "CREATE SEQUENCE IF NOT EXISTS `r`.`s` START WITH 1 MINVALUE 1 MAXVALUE 9223372036854775806 INCREMENT BY 1 "
        "CACHE 1000 NOCYCLE"
    )
    assert DOWN.create("s").endswith(
        "START WITH 5 MINVALUE -9223372036854775807 MAXVALUE 10 INCREMENT BY -3 NOCACHE CYCLE"
    )


@pytest.mark.parametrize(
    ("state", "flavor", "sql"),
    [
        (UP, "mariadb", "SELECT SETVAL(s, 1001, 0)"),
        (UP, "tidb", "SELECT SETVAL(s, 1000)"),
        (DOWN, "mariadb", "SELECT SETVAL(s, -16, 0)"),
        (DOWN, "tidb", "SELECT SETVAL(s, -15)"),
        (SequenceState(7, 7, 1, 100, 1, 0, cycles=False), "tidb", ""),
        (SequenceState(101, 7, 1, 100, 1, 0, cycles=False), "tidb", "SELECT SETVAL(s, 100)"),
        (SequenceState(101, 7, 1, 100, 1, 0, cycles=False), "mariadb", "SELECT SETVAL(s, 100)"),
        (SequenceState(-9, 7, -5, 100, -3, 0, cycles=False), "mariadb", "SELECT SETVAL(s, -5)"),
        (SequenceState(103, 100, 1, 100, 5, 0, cycles=False), "tidb", "SELECT SETVAL(s, 100)"),
    ],
)
def test_no_value_comes_twice(state: SequenceState, flavor: str, sql: str) -> None:
    assert state.go_on("s", flavor) == sql


@pytest.mark.parametrize(
    ("sql", "renamed"),
    [
        ("a INT DEFAULT nextval(`u`.`s`), b INT DEFAULT (NEXTVAL(`u`.`u`) + 1)",
         "a INT DEFAULT nextval(`r`.`s`), b INT DEFAULT (NEXTVAL(`r`.`u`) + 1)"),
        ("a INT DEFAULT nextval(`o`.`s`)", "a INT DEFAULT nextval(`o`.`s`)"),
        ("a INT COMMENT 'nextval(`u`.`s`)'", "a INT COMMENT 'nextval(`u`.`s`)'"),
        ("nextval 'open", "nextval 'open"),
    ],
)  # fmt: skip
def test_defaults_follow_the_schema(sql: str, renamed: str) -> None:
    assert renamed_sequences(sql, "u", "r") == renamed
    assert renamed_sequences(sql, "r", "r") == sql
