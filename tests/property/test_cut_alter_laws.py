"""Clauses cut out of an ALTER TABLE leave the others as they were written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pkg.schema.cut_alter import cut_alter
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import Ddl

CLAUSES = (
    "ADD COLUMN `a,b` INT DEFAULT 1 COMMENT 'x, y)'",
    "ADD COLUMN (c INT, d VARCHAR(9) DEFAULT '),(')",
    "DROP COLUMN e",
    "MODIFY f DECIMAL(10, 2) AFTER g",
    "CHANGE h i ENUM('a', 'b', ',') FIRST",
    "ADD UNIQUE KEY u (a(10), b)",
    "ADD CONSTRAINT k FOREIGN KEY (x) REFERENCES other.p (id) ON DELETE SET NULL",
    "ADD CHECK (a > 0 AND b IN (1, 2))",
    "DROP PRIMARY KEY",
    "RENAME TO `new t`",
    "ALTER COLUMN j SET DEFAULT 'it''s'",
    "ENGINE = InnoDB",
    "COMMENT = 'a, b'",
    "/* why, so */ DROP KEY m",
    "ALGORITHM=INPLACE",
)
separators = st.sampled_from([",", ", ", " ,\n  ", " /* , */ , ", ", -- z\n"])
heads = st.sampled_from(["ALTER TABLE t ", "alter table `s`.`t`\n", "ALTER TABLE IF EXISTS t "])


def _texts(ddl: Ddl) -> list[str]:
    return [ddl.text[place.clause.start : place.clause.end] for place in ddl.clauses]


@given(st.data(), heads, st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=6), st.booleans())
def test_the_other_clauses_stay(data: st.DataObject, head: str, clauses: list[str], partitioned: bool) -> None:
    text = head + clauses[0] + "".join(data.draw(separators) + clause for clause in clauses[1:])
    text += " PARTITION BY HASH (id) PARTITIONS 4" if partitioned else ""
    ddl = parse_ddl(text, default_schema="s", flavor="mariadb")
    kept = data.draw(st.sets(st.integers(0, len(ddl.clauses) - 1), min_size=1))
    places = [ddl.clauses[number] for number in sorted(kept)]
    cut = cut_alter(ddl, lambda clause: any(clause is place for place in places), "mariadb")
    if cut is None:  # a comment was cut in two
        assert "/*" in text
        return
    assert _texts(cut) == [_texts(ddl)[number] for number in sorted(kept)]
    assert cut.subject == ddl.subject
