"""ALTER TABLE with clauses left out."""

from __future__ import annotations

import pytest

from pkg.schema.cut_alter import cut_alter
from pkg.schema.ddl import parse_ddl


def cut(sql: str, *gone: int) -> str | None:
    ddl = parse_ddl(sql, default_schema="s")
    dropped = [ddl.clauses[number] for number in gone]
    found = cut_alter(ddl, lambda clause: all(clause is not one for one in dropped), "mysql")
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ((0,), "ALTER TABLE t  DROP b, ADD KEY (c)  "),
        ((1,), "ALTER TABLE t ADD a INT DEFAULT ',', ADD KEY (c)  "),
        ((2,), "ALTER TABLE t ADD a INT DEFAULT ',' , DROP b  "),
        ((0, 1), "ALTER TABLE t  ADD KEY (c)  "),
        ((1, 2), "ALTER TABLE t ADD a INT DEFAULT ','  "),
        ((0, 2), "ALTER TABLE t  DROP b  "),
    ],
)
def test_the_rest_stays_as_it_was_written(gone: tuple[int, ...], left: str) -> None:
    found = cut("ALTER TABLE t ADD a INT DEFAULT ',' , DROP b, ADD KEY (c) /* x */", *gone)
    assert found is not None
    assert found.split() == left.split()


def test_partitions_that_follow_without_a_comma() -> None:
    assert cut("ALTER TABLE t DROP b PARTITION BY HASH (a)", 0) == "ALTER TABLE t PARTITION BY HASH (a)"
    assert (
        cut("ALTER TABLE t ADD a INT, DROP b PARTITION BY HASH (a)", 1)
        == "ALTER TABLE t ADD a INT PARTITION BY HASH (a)"
    )


def test_marks_of_a_comment_that_is_code_are_no_part_of_the_clauses() -> None:
    assert (cut("ALTER TABLE t ADD a INT /*!80000 , DROP b */", 1) or "").rstrip() == "ALTER TABLE t ADD a INT"
