from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl


@pytest.mark.parametrize(
    ("listed", "single"),
    [
        ("ADD (a INT, b INT)", "ADD COLUMN a INT, ADD COLUMN b INT"),
        ("ADD COLUMN ( a INT )", "ADD COLUMN a INT"),
        (
            "add column(a ENUM('b,c', ')'), FULLTEXT KEY f (v), KEY ((lower(v))), vector INT)",
            "ADD COLUMN a ENUM('b,c', ')'), ADD FULLTEXT KEY f (v), ADD KEY ((lower(v))), ADD COLUMN vector INT",
        ),
        (
            "ADD COLUMN IF NOT EXISTS (a INT, KEY IF NOT EXISTS (a)), DROP b",
            "ADD COLUMN IF NOT EXISTS a INT, ADD KEY IF NOT EXISTS (a), DROP b",
        ),
        (
            "DROP b, ADD (a INT REFERENCES p (id), CONSTRAINT c CHECK (a > 0), FOREIGN KEY (a) REFERENCES p (id))",
            "DROP b, ADD COLUMN a INT REFERENCES p (id), ADD CONSTRAINT c CHECK (a > 0), "
            "ADD FOREIGN KEY (a) REFERENCES p (id)",
        ),
        ("ADD (c.a INT, b INT AS (c.a))", "ADD COLUMN `a` INT, ADD COLUMN b INT AS (`a`)"),
        ("ADD INDEX (a), ADD CHECK (a > 0)", "ADD INDEX (a), ADD CHECK (a > 0)"),
    ],
)
def test_what_is_listed_is_added_by_clauses_of_its_own(listed: str, single: str) -> None:
    found = parse_ddl(f"ALTER TABLE c {listed}", default_schema="db", flavor="mariadb")
    written = parse_ddl(f"ALTER TABLE c {single}", default_schema="db", flavor="mariadb")
    assert " ".join(found.text.replace(",", ", ").split()) == " ".join(written.text.replace(",", ", ").split())
    assert len(found.clauses) == len(written.clauses)
    assert [found.text[one.clause.start : one.clause.end].split() for one in found.clauses] == [
        written.text[one.clause.start : one.clause.end].split() for one in written.clauses
    ]
