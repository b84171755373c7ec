"""A column that one ALTER TABLE adds and defines once more: what is left of its clauses."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.ddl import parse_ddl
from pkg.schema.errors import DDL_DOES_NOT_FIT
from pkg.schema.tracker import SchemaTracker


@pytest.mark.parametrize(
    ("clauses", "left"),
    [
        ("ADD c INT AFTER id, MODIFY c BIGINT", "ADD COLUMN `c` BIGINT"),
        (
            "ADD c INT, MODIFY COLUMN c BIGINT NOT NULL FIRST, ADD KEY (c)",
            "ADD COLUMN `c` BIGINT NOT NULL FIRST, ADD KEY (c)",
        ),
        ("ADD c INT, ADD d INT, CHANGE c C TEXT, MODIFY c BLOB AFTER id", "ADD d INT, ADD COLUMN `c` BLOB AFTER id"),
        ("ADD c INT, MODIFY n BIGINT", "ADD c INT, MODIFY n BIGINT"),
        ("MODIFY n BIGINT, ADD c INT", "MODIFY n BIGINT, ADD c INT"),
        ("ADD (c INT, d INT), MODIFY d BIGINT", "ADD COLUMN c INT, ADD COLUMN `d` BIGINT"),
    ],
)
def test_the_last_clause_is_left(clauses: str, left: str) -> None:
    assert parse_ddl(f"ALTER TABLE t {clauses}", default_schema="a").text == f"ALTER TABLE t {left}"


def test_a_column_that_no_clause_adds_is_refused() -> None:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl("CREATE TABLE t (id INT PRIMARY KEY, n INT)", default_schema="a"))
    with pytest.raises(DMError, match="there is no column d") as refused:
        tracker.apply(parse_ddl("ALTER TABLE t ADD c INT, MODIFY d BIGINT", default_schema="a"))
    assert refused.value.is_a(DDL_DOES_NOT_FIT)
