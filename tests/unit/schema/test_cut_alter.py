"""ALTER TABLE with clauses left out."""

from __future__ import annotations

import pytest

from pkg.schema.cut_alter import added_defaults_apart, cut_alter
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


@pytest.mark.parametrize(
    ("clauses", "parts"),
    [
        ("ADD c INT DEFAULT 1, ALTER c DROP DEFAULT", ["ADD c INT", "ALTER c DROP DEFAULT"]),
        (
            "ALTER C DROP DEFAULT, DROP n, ADD c INT DEFAULT 1, ALTER n SET DEFAULT 2, ALGORITHM=COPY",
            ["DROP n, ADD c INT, ALTER n SET DEFAULT 2, ALGORITHM=COPY", "ALTER C DROP DEFAULT"],
        ),
        (
            "ADD IF NOT EXISTS c INT, ALTER c SET DEFAULT 2, ADD IF NOT EXISTS d INT, ALTER d DROP DEFAULT",
            [
                "ADD IF NOT EXISTS c INT DEFAULT 2, ADD IF NOT EXISTS d INT",
                "ALTER c SET DEFAULT 2, ALTER d DROP DEFAULT",
            ],
        ),
        ("ADD c INT, ALTER n SET DEFAULT 2", ["ADD c INT, ALTER n SET DEFAULT 2"]),
    ],
)
def test_the_default_of_a_column_that_the_statement_adds_is_changed_behind_it(clauses: str, parts: list[str]) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="s", flavor="mariadb")
    found = [" ".join(one.text.replace(" ,", ",").split()) for one in added_defaults_apart(ddl, "mariadb")]
    assert found == [f"ALTER TABLE t {part}" for part in parts]
