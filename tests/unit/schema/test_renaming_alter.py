"""ALTER TABLE that renames its table beside other clauses, for and from MariaDB."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.renaming_alter import are_lost, doubtful_foreign_keys, renamed_apart, with_lost_dropped
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
        ("MODIFY id BIGINT", []),
        ("RENAME TO e", []),
    ],
)
def test_what_the_upstream_may_have_lost(clauses: str, names: list[str]) -> None:
    assert [key.name for key in doubtful_foreign_keys(alter(clauses), BEFORE, "mariadb")] == names
    assert not doubtful_foreign_keys(alter(clauses), BEFORE, "mysql")


def test_lost_foreign_keys_are_dropped_and_new_ones_counted_from_one() -> None:
    ddl = alter("ADD FOREIGN KEY (b) REFERENCES p (id), RENAME TO e")
    keys = doubtful_foreign_keys(ddl, BEFORE, "mariadb")
    now = parse_create_table("CREATE TABLE e (id INT PRIMARY KEY, a INT, b INT)", schema="d")
    assert are_lost(keys, now)
    assert not are_lost(keys, BEFORE)
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
