"""Foreign keys of an ALTER TABLE get names, and clauses of their own."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.references import adds_references, by_copying, counts_otherwise, with_references_said

BEFORE = parse_create_table(
    "CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT, KEY q (q), CONSTRAINT c_ibfk_1 FOREIGN KEY (q) REFERENCES t (id))",
    schema="db",
)


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        (
            "ADD r INT REFERENCES t (id) ON DELETE CASCADE AFTER p",
            "ADD r INT  AFTER p, ADD CONSTRAINT `c_ibfk_2` FOREIGN KEY (`r`) REFERENCES t (id) ON DELETE CASCADE, "
            "ADD KEY `r` (`r`)",
        ),
        (
            "ADD FOREIGN KEY (p) REFERENCES t (id), ADD CONSTRAINT FOREIGN KEY k (q, p) REFERENCES t (x, y)",
            "ADD CONSTRAINT `c_ibfk_2` FOREIGN KEY (p) REFERENCES t (id), ADD KEY `p` (`p`), "
            "ADD CONSTRAINT `c_ibfk_3` FOREIGN KEY (q, p) REFERENCES t (x, y), ADD KEY `k` (`q`, `p`)",
        ),
        (
            "ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES t (id), ADD KEY i (p)",
            "ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES t (id), ADD KEY i (p)",
        ),
        (
            "ADD r INT CONSTRAINT `m n` REFERENCES t (id) AFTER p",
            "ADD r INT  AFTER p, ADD CONSTRAINT `m n` FOREIGN KEY (`r`) REFERENCES t (id)",
        ),
        ("ADD FOREIGN KEY (q) REFERENCES t (id)", "ADD CONSTRAINT `c_ibfk_2` FOREIGN KEY (q) REFERENCES t (id)"),
    ],
)
def test_foreign_keys_for_tidb(clauses: str, said: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE c {clauses}", default_schema="db")
    assert adds_references(ddl, "tidb")
    assert with_references_said(ddl, BEFORE, "mysql").text == f"ALTER TABLE c {said}"


def test_names_by_the_table_in_the_target() -> None:
    ddl = parse_ddl("ALTER TABLE c ADD FOREIGN KEY k (p) REFERENCES t (id)", default_schema="db")
    named = with_references_said(ddl, BEFORE, "mysql", "d").text
    assert named == "ALTER TABLE c ADD CONSTRAINT `d_ibfk_2` FOREIGN KEY (p) REFERENCES t (id), ADD KEY `k` (`p`)"


def test_mariadb_copies_the_table() -> None:
    ddl = parse_ddl("ALTER TABLE c ADD r INT REFERENCES t (id)", default_schema="db")
    assert adds_references(ddl, "mariadb")
    assert by_copying(ddl).rename(lambda name: name).endswith("REFERENCES `db`.`t` (id), ALGORITHM=COPY")


@pytest.mark.parametrize(
    ("clauses", "target"),
    [
        ("ADD r INT REFERENCES t (id)", "mysql"),
        ("ADD FOREIGN KEY (p) REFERENCES t (id)", "mariadb"),
        ("ADD r INT", "tidb"),
    ],
)
def test_what_a_target_does_as_the_upstream(clauses: str, target: str) -> None:
    assert not adds_references(parse_ddl(f"ALTER TABLE c {clauses}", default_schema="db"), target)


@pytest.mark.parametrize(
    ("there", "otherwise"),
    [
        ("CONSTRAINT c_ibfk_1 FOREIGN KEY (q) REFERENCES t (id)", False),
        ("CONSTRAINT c_ibfk_2 FOREIGN KEY (q) REFERENCES t (id)", True),
        ("KEY q (q)", True),
        # An earlier run has added it.
        (
            "CONSTRAINT c_ibfk_1 FOREIGN KEY (q) REFERENCES t (id), CONSTRAINT c_ibfk_2 FOREIGN KEY (p) REFERENCES t (id)",
            False,
        ),
        ("CONSTRAINT c_ibfk_2 FOREIGN KEY (p) REFERENCES t (id)", True),
    ],
)
def test_a_target_that_lacks_a_foreign_key_numbers_the_next_otherwise(there: str, otherwise: bool) -> None:
    ddl = parse_ddl("ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES t (id)", default_schema="db")
    target = parse_create_table(f"CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT, {there})", schema="db")
    assert counts_otherwise(ddl, BEFORE, target) is otherwise
