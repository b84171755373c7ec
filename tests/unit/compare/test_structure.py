"""What two structures are taken to differ in, what a translation's note explains, and what a DDL inherits."""

from __future__ import annotations

import pytest

from pkg.compare.structure import Differed, differences, explained, followed, may_differ, of_copies
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table


def table(body: str, schema: str = "s") -> Table:
    return parse_create_table(f"CREATE TABLE t ({body}) DEFAULT CHARSET=utf8mb4", schema)


def there(name: TableName) -> TableName:
    return TableName("d", name.table)


def found(above: str, below: str) -> list[str]:
    return sorted(differences(table(above), table(below, "d"), there))


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("a INT", "A INT(11)"),
        ("a INT DEFAULT '5'", "a INT DEFAULT 5"),
        ("a INT NULL", "a INT DEFAULT NULL"),
        ("a INT DEFAULT 1.5", "a INT DEFAULT 2"),
        ("a INT DEFAULT ' 7'", "a INT DEFAULT 7"),
        ("a ENUM('a','b') DEFAULT 'B'", "a ENUM('a','b') DEFAULT 'b'"),
        ("a INT, s DATE, e DATE, PERIOD FOR p (s, e), UNIQUE u (a, p WITHOUT OVERLAPS)", "a INT, s DATE NOT NULL, e DATE NOT NULL"),
        ("a CHAR(3) DEFAULT 'x  '", "a CHAR(3) DEFAULT 'x'"),
        ("a VARCHAR(9) CHARACTER SET latin1", "a VARCHAR(9) COLLATE utf8mb4_bin"),
        ("a VARCHAR(9) DEFAULT 12e0", "a VARCHAR(9) DEFAULT '12'"),
        ("a DATETIME DEFAULT '2020-01-01 00:00:00.5'", "a DATETIME DEFAULT '2020-01-01 00:00:01'"),
        ("a INT DEFAULT (1 + 1)", "a INT DEFAULT '2'"),
        ("a TEXT, KEY k (a(9))", "a VARCHAR(9), KEY k (a)"),
        ("a VARCHAR(9), KEY k (a(9))", "a VARCHAR(9), KEY k (a)"),
        ("a TEXT, KEY k (a(9))", "a TEXT, KEY k (a(5))"),
        ("a INT, b INT, KEY k ((a + b))", "a INT, b INT, KEY k ((`a`+`b`))"),
        ("a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (i)", "a INT, FOREIGN KEY (a) REFERENCES d.p (i) ON DELETE NO ACTION"),
        ("a INT, b INT AS (a) STORED NOT NULL", "a INT, b INT AS (a) STORED"),
    ],
)  # fmt: skip
def test_what_servers_say_otherwise_is_the_same(above: str, below: str) -> None:
    assert [about for about in found(above, below) if not about.startswith(("key", "own"))] == []
    assert [about for about in found(below, above) if about.startswith("column")] == []


@pytest.mark.parametrize(
    ("above", "below", "about"),
    [
        ("a INT, b INT", "a INT", ["column b"]),
        ("a INT", "a INT, b INT", ["column b"]),
        ("a INT, b INT", "b INT, a INT", ["order"]),
        ("a INT NOT NULL", "a INT", ["NULL a"]),
        ("a INT DEFAULT 5", "a INT", ["default a"]),
        ("a INT DEFAULT 5", "a INT DEFAULT 6", ["default a"]),
        ("a VARCHAR(9) DEFAULT 'x'", "a VARCHAR(9) DEFAULT 'X'", ["default a"]),
        ("a INT, b INT AS (a)", "a INT, b INT", ["generated b"]),
        ("a DATETIME ON UPDATE CURRENT_TIMESTAMP", "a DATETIME", ["update a"]),
        ("a INT NOT NULL AUTO_INCREMENT, KEY a (a)", "a INT NOT NULL, KEY a (a)", ["counter a"]),
        ("a INT, KEY k (a)", "a INT", ["key k"]),
        ("a INT", "a INT, KEY k (a)", ["own k"]),
        ("a INT, KEY k (a)", "a INT, UNIQUE KEY k (a)", ["key k"]),
        ("a INT, b INT, KEY k (a, b)", "a INT, b INT, KEY k (b, a)", ["key k"]),
        ("a VARCHAR(9), KEY k (a(4))", "a VARCHAR(9), KEY k (a)", ["key k"]),
        ("a INT NOT NULL, PRIMARY KEY (a)", "a INT NOT NULL", ["key primary"]),
        ("a INT, KEY a (a), FOREIGN KEY (a) REFERENCES p (i)", "a INT, KEY a (a)", ["foreign (a) to d.p (i)"]),
        (
            "a INT, KEY a (a), FOREIGN KEY (a) REFERENCES p (i) ON DELETE CASCADE",
            "a INT, KEY a (a), FOREIGN KEY (a) REFERENCES p (i)",
            ["foreign (a) to d.p (i)", "foreign (a) to d.p (i) CASCADE"],
        ),
    ],
)
def test_what_differs(above: str, below: str, about: list[str]) -> None:
    assert found(above, below) == about


def test_a_note_that_names_the_column_explains_it_and_no_other() -> None:
    notes = ("column a_b has no default in the target", "key K is left out: FULLTEXT")
    assert explained("default a_b", notes)
    assert explained("key k", notes)
    assert not explained("default a", notes)
    assert not explained("key b", notes)
    assert not explained("foreign (a_b) to d.p (i)", notes)
    assert explained("foreign (x) to d.p (i)", ["table t has no foreign keys in the target"])


@pytest.mark.parametrize(
    ("sql", "before", "after"),
    [
        ("ALTER TABLE t CHANGE a b INT", ("column a", "key a"), ("column b", "key a")),
        ("ALTER TABLE t RENAME COLUMN a TO b", ("NULL a",), ("NULL b",)),
        ("ALTER TABLE t RENAME INDEX a TO b", ("column a", "key a"), ("column a", "key b")),
        ("DROP TABLE t", ("column a",), ()),
    ],
)
def test_what_differed_keeps_doing_so_under_its_new_name(
    sql: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    name = TableName("s", "t")
    assert dict(followed({name: before}, parse_ddl(sql, default_schema="s").pieces())) == {name: after}


def test_tables_exchange_what_differs_with_their_names() -> None:
    a, b, old = (TableName("s", name) for name in ("a", "b", "old"))
    known: Differed = {a: ("column x",), b: (), old: ()}
    pieces = parse_ddl("RENAME TABLE a TO old, b TO a, old TO b", default_schema="s").pieces()
    assert dict(followed(known, pieces)) == {a: (), b: ("column x",), old: ()}


def test_a_key_that_the_target_had_for_itself_is_not_the_one_that_the_upstream_makes() -> None:
    assert may_differ("own k", ("key k",))
    assert may_differ("key k", ("key k",))
    assert not may_differ("key k", ("own k",))


def test_a_table_like_another_one_may_differ_in_what_the_target_makes_of_it() -> None:
    above = parse_create_table("CREATE TABLE t (a INT, b TEXT, KEY k (a), FULLTEXT f (b))", "s")
    below = parse_create_table("CREATE TABLE t (a INT, b TEXT, own INT, KEY k (own), KEY more (a), UNIQUE u (a))", "s")
    assert of_copies(above, below, lambda name: name) == ("key f", "key k", "own more")


def test_a_table_that_is_replaced_by_one_like_another_may_differ_as_that_one() -> None:
    pieces = parse_ddl("CREATE OR REPLACE TABLE t LIKE u", default_schema="s", flavor="mariadb").pieces()
    name = TableName("s", "t")
    assert dict(followed({name: ("default a",)}, iter(pieces))) == {name: ("default a",)}
    pieces = parse_ddl("CREATE OR REPLACE TABLE t (a INT)", default_schema="s", flavor="mariadb").pieces()
    assert dict(followed({name: ("default a",)}, pieces)) == {name: ()}
