"""What a shadow table's rows and keys tell beside its DDL."""

from __future__ import annotations

import json

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.shadow_tables import (
    Looks,
    Measured,
    ShadowRows,
    difference,
    filled_column,
    foreign_names,
    new_unique_keys,
    other_rows,
    renamed_columns,
    with_foreign_names,
)
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) COLLATE utf8mb4_bin, w INT, UNIQUE KEY uv (v))"


def made(*sqls: str) -> Table:
    tracker = SchemaTracker()
    for sql in sqls:
        tracker.apply(parse_ddl(sql, default_schema="s", flavor="mariadb"))
    table = tracker.table("s", "t")
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("alter", "keys"),
    [
        ("ADD KEY k (w)", []),
        ("ADD UNIQUE k (w)", ["k"]),
        ("ADD UNIQUE k (w, id)", []),
        ("ADD UNIQUE k (v(3), w)", ["k"]),
        ("MODIFY v VARCHAR(9) COLLATE utf8mb4_general_ci", ["uv"]),
        ("MODIFY v VARCHAR(5) COLLATE utf8mb4_bin", ["uv"]),
        ("MODIFY w BIGINT, ADD n INT UNIQUE", ["n"]),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY (w)", ["PRIMARY"]),
    ],
)
def test_which_unique_keys_may_refuse_rows_that_are_there(alter: str, keys: list[str]) -> None:
    before, after = made(CREATE), made(CREATE, f"ALTER TABLE t {alter}")
    names = {column.name.lower(): column.name.lower() for column in after.columns}
    assert [one.name for one in new_unique_keys(before, after, names)] == keys


def test_a_key_follows_its_renamed_column() -> None:
    sql = "ALTER TABLE t CHANGE id no INT"
    before, after = made(CREATE), made(CREATE, sql)
    renamed = renamed_columns([parse_ddl(sql, default_schema="s", flavor="mariadb")], after)
    assert renamed == {"no": "id"}
    assert new_unique_keys(before, after, {"no": "id", "v": "v", "w": "w"}) == []


def test_columns_that_are_renamed_twice_have_one_origin() -> None:
    sqls = ["ALTER TABLE t CHANGE w x INT", "ALTER TABLE t CHANGE x y INT, CHANGE v v VARCHAR(9)"]
    ddls = [parse_ddl(sql, default_schema="s", flavor="mariadb") for sql in sqls]
    assert renamed_columns(ddls, made(CREATE, *sqls)) == {"y": "w"}


SHADOW = CREATE.replace("w INT", "w INT, n INT DEFAULT 3, x VARCHAR(500)")
LOOKS = Looks.at(made(SHADOW), made(CREATE))


def seen(*events: tuple[str, list[tuple[bytes, ...]]]) -> ShadowRows:
    rows = ShadowRows()
    for kind, images in events:
        rows.see(kind, images, LOOKS)
    return rows


def test_rows_are_counted_and_values_looked_at() -> None:
    rows = seen(("insert", [(b"1", b"'a'", b"5", b"3", b"'x'"), (b"2", b"'b'", b"NULL", b"3", b"'x'")]))
    assert (rows.count, rows.sums, rows.one_value("n")) == (2, {"id": 3, "w": 5}, b"3")
    rows.see("update", [(b"1", b"'a'", b"5", b"3", b"'x'"), (b"7", b"'a'", b"-1", b"3", b"'x'")], LOOKS)
    rows.see("delete", [(b"2", b"'b'", b"NULL", b"9", b"'x'")], LOOKS)
    assert (rows.count, rows.sums, rows.one_value("N")) == (1, {"id": 7, "w": -1}, b"3")
    again = ShadowRows.of_document(json.loads(json.dumps(rows.to_document())), LOOKS)
    assert again == rows
    again.see("insert", [(b"4", b"'d'", b"1", b"4", b"'" + b"y" * 300 + b"'")], LOOKS)
    assert (again.count, again.one_value("n"), again.has_several("x")) == (2, None, True)
    again.see("insert", [(b"5", b"'e'", b"1", b"4")], Looks.at(made(CREATE), made(CREATE)))  # altered meanwhile
    assert (again.count, again.sums, again.has_several("n")) == (3, {}, False)
    again.emptied()
    assert again == ShadowRows()


@pytest.mark.parametrize(
    ("count", "sums", "found"),
    [
        (1, {"id": 3}, ""),
        (1, {}, ""),
        (2, {"id": 3}, "has 1 rows, and there are 2"),
        (1, {"id": 4}, "`id` add up to 3"),
    ],
)
def test_other_rows_are_told_by_their_number_and_sums(count: int, sums: dict[str, int], found: str) -> None:
    told = other_rows(seen(("insert", [(b"3", b"'a'", b"5", b"3", b"'x'")])), Measured(count, sums))
    assert (found in told) if found else not told


@pytest.mark.parametrize(
    ("column", "values", "is_filled"),
    [
        ("n INT DEFAULT 3", [b"3", b"3"], False),
        ("n INT DEFAULT 3", [b"3", b"4"], True),
        ("n INT DEFAULT 3", [b"4"], True),
        ("n INT DEFAULT 3", [b"NULL"], True),
        ("n INT DEFAULT '3'", [b"3"], False),
        ("n INT", [b"NULL"], False),
        ("n INT", [b"0"], True),
        ("n INT NOT NULL", [b"0"], False),
        ("n VARCHAR(9) NOT NULL DEFAULT 'a'", [b"'b'"], False),  # literals of texts have several forms
        ("n DATETIME DEFAULT CURRENT_TIMESTAMP", [b"'2024-01-01'", b"'2024-01-02'"], False),  # told otherwise
        ("n INT AUTO_INCREMENT UNIQUE", [b"1", b"2"], False),
        ("n INT AS (w + 1)", [b"1", b"2"], False),
    ],
)
def test_a_new_column_that_somebody_has_written(column: str, values: list[bytes], is_filled: bool) -> None:
    before, shadow = made(CREATE), made(CREATE.replace("w INT", f"w INT, {column}"))
    rows = ShadowRows()
    images = [(b"%d" % number, b"'v'", b"1", value) for number, value in enumerate(values)]
    rows.see("insert", images, Looks.at(shadow, before))
    assert (filled_column(rows, before, shadow, ()) == "n") is is_filled
    assert filled_column(rows, before, shadow, ("n",)) is None


@pytest.mark.parametrize(
    ("create", "found"),
    [
        (CREATE, ""),
        ("CREATE TABLE t (id INT NOT NULL, v VARCHAR(9) COLLATE utf8mb4_bin, w INT, UNIQUE (v), PRIMARY KEY (id))", ""),
        (CREATE.replace("w INT", "w INT(7)"), ""),
        (CREATE.replace("w INT", "w BIGINT"), "`w` bigint"),
        (CREATE.replace("w INT", "w INT NOT NULL"), "NOT NULL instead of `w`"),
        (CREATE.replace("w INT,", ""), "no column"),
        (CREATE.replace("UNIQUE KEY", "KEY"), "KEY (v)"),
    ],
)
def test_another_definition_is_told(create: str, found: str) -> None:
    told = difference(made(create), made(CREATE))
    assert (found in told) if found else not told


FOREIGN = "id INT PRIMARY KEY, a INT, b INT, CONSTRAINT {} FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT {} FOREIGN KEY (b) REFERENCES p (id) ON DELETE CASCADE"


def test_foreign_keys_of_a_shadow_table_are_known_by_what_they_mean() -> None:
    real = made(f"CREATE TABLE t ({FOREIGN.format('fk', '_fk')})")
    assert foreign_names(made(f"CREATE TABLE t ({FOREIGN.format('_FK', '__fk')})"), real) == {
        "_fk": "fk",
        "__fk": "_fk",
    }
    other = made("CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT _fk FOREIGN KEY (a) REFERENCES q (id))")
    assert foreign_names(other, real) == {}


def test_foreign_keys_of_one_meaning_are_told_apart() -> None:
    twice = "CREATE TABLE t (a INT, CONSTRAINT {} FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT {} FOREIGN KEY (a) REFERENCES p (id))"
    assert foreign_names(made(twice.format("_x", "_y")), made(twice.format("x", "y"))) == {"_x": "x", "_y": "y"}


@pytest.mark.parametrize(
    ("flavor", "sql", "named", "left"),
    [
        ("mysql", "DROP FOREIGN KEY _fk, ADD n INT", "DROP FOREIGN KEY `fk`, ADD n INT", {"_o": "o"}),
        ("mariadb", "DROP FOREIGN KEY IF EXISTS _fk", "DROP FOREIGN KEY IF EXISTS `fk`", {"_o": "o"}),
        ("mysql", "ADD n INT, DROP CONSTRAINT `_FK`", "ADD n INT, DROP CONSTRAINT `fk`", {"_o": "o"}),
        ("mariadb", "DROP CONSTRAINT _fk", "DROP CONSTRAINT `fk`", {"_o": "o"}),
        ("mariadb", "ADD n INT, DROP CONSTRAINT _fk", "ADD n INT, DROP CONSTRAINT _fk", {"_fk": "fk", "_o": "o"}),
        ("mysql", "DROP FOREIGN KEY x", "DROP FOREIGN KEY x", {"_fk": "fk", "_o": "o"}),
    ],
)
def test_dropped_foreign_keys_have_the_real_tables_names(
    flavor: str, sql: str, named: str, left: dict[str, str]
) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {sql}", default_schema="s", flavor=flavor)
    found, names = with_foreign_names(ddl, {"_fk": "fk", "_o": "o"}, flavor)
    assert (found.rename(lambda name: name), names) == (f"ALTER TABLE `s`.`t` {named}", left)
