from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("CREATE TABLE t (a INT CONSTRAINT CHECK (a > 0), CONSTRAINT UNIQUE (a))", "CREATE TABLE t (a INT CHECK (a > 0), UNIQUE (a))"),
        ("ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (a) REFERENCES p (id)", "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES p (id)"),
        ("ALTER TABLE t ADD CONSTRAINT `CHECK` CHECK (a <> 'CONSTRAINT CHECK'), DROP CONSTRAINT `PRIMARY`", None),
        ("CREATE INDEX wait ON t (`NOWAIT`) WAIT 3", "CREATE INDEX wait ON t (`NOWAIT`)"),
        ("CREATE INDEX i ON t (a) NOWAIT COMMENT 'NOWAIT'", "CREATE INDEX i ON t (a) COMMENT 'NOWAIT'"),
        ("DROP INDEX nowait ON t WAIT 3", "DROP INDEX nowait ON t"),
        ("TRUNCATE TABLE t NOWAIT", "TRUNCATE TABLE t"),
        ("RENAME TABLE t WAIT 3 TO nowait, u NOWAIT TO wait", "RENAME TABLE t TO nowait, u TO wait"),
        ("DROP TABLE nowait WAIT 2", "DROP TABLE nowait"),
    ],
)  # fmt: skip
def test_words_that_say_nothing_are_left_out(sql: str, text: str | None) -> None:
    ddl = parse_ddl(sql, default_schema="db", flavor="mariadb")
    assert " ".join(ddl.text.split()) == (text or sql)
