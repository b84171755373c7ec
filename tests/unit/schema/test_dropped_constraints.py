"""DROP CONSTRAINT as what it drops."""

from __future__ import annotations

import pytest

from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.create import build_table
from pkg.schema.ddl import parse_ddl
from pkg.schema.dropped_constraints import doubtful_foreign_keys, with_kinds_said
from pkg.schema.table import Table


def table() -> Table:
    sql = (
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY u (a), UNIQUE KEY f (b), KEY k (b), "
        "CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id), CONSTRAINT g FOREIGN KEY (a) REFERENCES p (id))"
    )
    ddl = parse_ddl(sql, default_schema="d")
    assert ddl.create is not None
    return build_table(ddl.create, "d", "c", UTF8MB4, DEFAULT_CONTEXT)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("DROP CONSTRAINT U", "DROP KEY `u`"),
        ("DROP CONSTRAINT `f`", "DROP FOREIGN KEY `f`"),  # and not the unique key of its name
        ("DROP CONSTRAINT `primary`, ADD x INT", "DROP KEY `PRIMARY`, ADD x INT"),
        ("DROP CONSTRAINT IF EXISTS u", "DROP KEY IF EXISTS `u`"),
        ("DROP CONSTRAINT k, DROP CONSTRAINT c1", "DROP CONSTRAINT k, DROP CONSTRAINT c1"),  # CHECKs
    ],
)
def test_the_kind_is_said(said: str, wanted: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE c {said}", default_schema="d", flavor="mariadb")
    assert with_kinds_said(ddl, table(), "mariadb").text == f"ALTER TABLE c {wanted}"


def test_a_foreign_key_that_is_kept_is_left_out() -> None:
    ddl = parse_ddl("ALTER TABLE c DROP CONSTRAINT f, DROP CONSTRAINT g, ADD x INT", default_schema="d")
    doubtful = doubtful_foreign_keys(ddl, table(), "mariadb")
    assert [key.name for key in doubtful] == ["f", "g"]
    assert not doubtful_foreign_keys(ddl, table(), "mysql")
    kept = with_kinds_said(ddl, table(), "mariadb", doubtful[:1])
    assert kept.text == "ALTER TABLE c DROP FOREIGN KEY `g`, ADD x INT"
    alone = parse_ddl("ALTER TABLE c DROP CONSTRAINT f, DROP CONSTRAINT u", default_schema="d")
    assert not doubtful_foreign_keys(alone, table(), "mariadb")
