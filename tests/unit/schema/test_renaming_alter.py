"""ALTER TABLE that renames its table beside other clauses, for and from MariaDB."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.renaming_alter import (
    are_lost,
    copies_by_its_words,
    doubtful_foreign_keys,
    renamed_apart,
    with_lost_dropped,
)
from pkg.schema.statement import Ddl

BEFORE = parse_create_table(
    "CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT c_ibfk_1 FOREIGN KEY (a) REFERENCES p (id), "
    "CONSTRAINT q FOREIGN KEY (b) REFERENCES p (id))",
    schema="d",
)


def alter(clauses: str) -> Ddl:
    return parse_ddl(f"ALTER TABLE c {clauses}", default_schema="d", flavor="mariadb")


@pytest.mark.parametrize(
    ("clauses", "names"),
    [
        ("MODIFY id BIGINT, RENAME TO e", ["c_ibfk_1", "q"]),
        ("RENAME TO e, ADD FOREIGN KEY (b) REFERENCES p (id), DROP FOREIGN KEY q", ["c_ibfk_1"]),
        ("ALGORITHM=COPY, RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD n INT, RENAME TO e", []),  # which it does not copy
        ("DROP COLUMN id, RENAME TO e, ADD KEY (b)", ["c_ibfk_1", "q"]),
        ("ADD UNIQUE KEY (id) USING HASH, RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD n INT DEFAULT (a), RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD n UUID DEFAULT UUID(), RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD n INT AS (a), RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD CHECK (a > 0), RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD SYSTEM VERSIONING, RENAME TO e", ["c_ibfk_1", "q"]),
        ("ADD n VARCHAR(9) DEFAULT '(', ADD KEY (b), ALTER b SET DEFAULT 5, RENAME TO e, NOWAIT", []),
        ("MODIFY id BIGINT", []),
        ("RENAME TO e", []),
    ],
)
def test_what_the_upstream_may_have_lost(clauses: str, names: list[str]) -> None:
    assert [key.name for key in doubtful_foreign_keys(alter(clauses), BEFORE, "mariadb")] == names
    assert not doubtful_foreign_keys(alter(clauses), BEFORE, "mysql")


@pytest.mark.parametrize("extra", ["n TEXT, UNIQUE KEY (n)", "n INT, UNIQUE KEY (n) USING HASH", "n INT AS (a)"])
def test_a_table_that_mariadb_copies_for_nearly_every_clause(extra: str) -> None:
    text = f"CREATE TABLE c (id INT PRIMARY KEY, a INT, {extra}, CONSTRAINT q FOREIGN KEY (a) REFERENCES p (id))"
    before = parse_create_table(text, schema="d")
    assert doubtful_foreign_keys(alter("ADD m INT, RENAME TO e"), before, "mariadb")
    assert not doubtful_foreign_keys(alter("RENAME TO e"), before, "mariadb")


def test_lost_foreign_keys_are_dropped_and_new_ones_counted_from_one() -> None:
    ddl = alter("ADD FOREIGN KEY (b) REFERENCES p (id), RENAME TO e")
    keys = doubtful_foreign_keys(ddl, BEFORE, "mariadb")
    now = parse_create_table("CREATE TABLE e (id INT PRIMARY KEY, a INT, b INT)", schema="d")
    assert are_lost(keys, ddl, now)
    assert are_lost(keys, ddl, BEFORE) is False
    assert with_lost_dropped(ddl, keys, "mariadb").text == (
        "ALTER TABLE c ADD CONSTRAINT `e_ibfk_1` FOREIGN KEY (b) REFERENCES p (id), "
        "DROP FOREIGN KEY `c_ibfk_1`, DROP FOREIGN KEY `q`, RENAME TO e"
    )


def test_the_table_is_renamed_by_itself() -> None:
    parts = renamed_apart(alter("RENAME TO e, MODIFY id BIGINT, ALGORITHM=COPY"), "mysql")
    assert [one.text for one in parts] == [
        "ALTER TABLE c MODIFY id BIGINT, ALGORITHM=COPY",
        "ALTER TABLE `d`.`c` RENAME TO `d`.`e`",
    ]
    assert len(renamed_apart(alter("RENAME TO e, ALGORITHM=COPY"), "mariadb")) == 1


@pytest.mark.parametrize(
    ("clauses", "now", "are_gone"),
    [
        ("CHANGE a aa INT, RENAME TO e", "FOREIGN KEY (aa) REFERENCES p (id)", False),
        ("RENAME COLUMN a TO aa, RENAME TO e", "FOREIGN KEY (AA) REFERENCES p (id)", False),
        ("MODIFY id BIGINT, RENAME TO e", "FOREIGN KEY (aa) REFERENCES p (id)", None),  # renamed later
        ("MODIFY id BIGINT, RENAME TO e", "CONSTRAINT q FOREIGN KEY (b) REFERENCES later (id)", False),
        ("MODIFY id BIGINT, RENAME TO e", "CONSTRAINT c_ibfk_1 FOREIGN KEY (b) REFERENCES later (id)", None),
        ("ADD FOREIGN KEY (b) REFERENCES p2 (id), RENAME TO e", "FOREIGN KEY (b) REFERENCES p2 (id)", True),
        ("MODIFY id BIGINT, RENAME TO e", "KEY (a)", True),
    ],
)
def test_keys_are_known_behind_what_renames_their_parts(clauses: str, now: str, are_gone: bool | None) -> None:
    table = parse_create_table(f"CREATE TABLE e (id INT PRIMARY KEY, aa INT, a INT, b INT, {now})", schema="d")
    assert are_lost(BEFORE.foreign_keys, alter(clauses), table) is are_gone


def test_a_key_of_the_table_to_itself() -> None:
    before = parse_create_table(
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES c (id) ON DELETE CASCADE)", schema="d"
    )
    now = parse_create_table(
        "CREATE TABLE e (nid INT PRIMARY KEY, aa INT, FOREIGN KEY (aa) REFERENCES e (nid) ON DELETE CASCADE)",
        schema="d",
    )
    ddl = alter("CHANGE a aa INT, CHANGE id nid INT, RENAME TO e")
    assert are_lost(before.foreign_keys, ddl, now) is False


@pytest.mark.parametrize(
    ("clauses", "copies"),
    [("ALGORITHM=COPY, RENAME TO e", True), ("ALGORITHM = copy, RENAME TO e", True), ("ALGORITHM COPY, RENAME TO e", True),
     ("ALGORITHM=INPLACE, RENAME TO e", False), ("MODIFY id BIGINT, RENAME TO e", False)],
)  # fmt: skip
def test_whether_it_says_that_it_copies(clauses: str, copies: bool) -> None:
    assert copies_by_its_words(alter(clauses)) is copies
