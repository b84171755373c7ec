"""How literals stand beside columns: one form per type and target."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import product

import pymysql
import pytest

from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.conditions import exactly
from pkg.schema.table import Column
from tests.servers import RunningServer
from tests.unit.rows.tables import column, primary, table
from tests.unit.rows.test_statements import Change, sql


def _text(name: str, charset: str) -> Column:
    return replace(column(name, "varchar", nullable=False), charset=charset, collation=f"{charset}_bin")


def _planned(*key: Column, value: Column | None = None, flavor: str = "mariadb") -> TargetTable:
    structure = table([*key, value or column("v")], primary(*[one.name for one in key]))
    return plan_target(structure, structure, flavor=flavor)


def _deletes(*keys: RowImage) -> list[Change]:
    return [((*key, b"1"), None) for key in keys]


A = column("a", nullable=False)


@pytest.mark.parametrize(
    ("second", "flavor", "where"),
    [
        (_text("k", "utf8mb4"), "mariadb", "(`a`,`k`) IN ((1,'x'),(2,'y'))"),
        (_text("k", "utf8mb3"), "mariadb", "(`a`,`k`) IN ((1,'x'),(2,'y'))"),
        (_text("k", "ascii"), "mysql", "(`a`,`k`) IN ((1,'x'),(2,'y'))"),
        (_text("k", "gbk"), "tidb", "(`a`,`k`) IN ((1,'x'),(2,'y'))"),
        (column("k", "enum", nullable=False), "tidb", "(`a`,`k`) IN ((1,'x'),(2,'y'))"),
        (_text("k", "latin1"), "mariadb", "(`a`=1 AND `k`='x') OR (`a`=2 AND `k`='y')"),
        (_text("k", "utf16"), "mariadb", "(`a`=1 AND `k`='x') OR (`a`=2 AND `k`='y')"),
        (column("k", "enum", nullable=False), "mysql", "(`a`=1 AND `k`='x') OR (`a`=2 AND `k`='y')"),
        (column("k", "set", nullable=False), "mariadb", "(`a`=1 AND `k`='x') OR (`a`=2 AND `k`='y')"),
    ],
)
def test_composite_keys_are_compared_in_the_form_that_the_target_reads_right(
    second: Column, flavor: str, where: str
) -> None:
    target = _planned(A, second, flavor=flavor)
    assert sql(target, *_deletes((b"1", b"'x'"), (b"2", b"'y'"))) == [f"DELETE FROM `s`.`t` WHERE {where}"]


def test_a_float_is_compared_as_the_double_that_it_is() -> None:
    target = _planned(column("k", "float", nullable=False))
    changes = ((b"1.1", b"0"), (b"1.1", b"5")), ((b"2.5", b"0"), (b"2.5", b"6"))
    assert sql(target, *changes) == [
        "UPDATE `s`.`t` SET `v`=CASE `k` WHEN 1.100000023841858e0 THEN 5 WHEN 2.5e0 THEN 6 END "
        "WHERE `k` IN (1.100000023841858e0,2.5e0)"
    ]


@pytest.mark.parametrize(
    ("flavor", "of_key"),
    [("tidb", "`k`=1.93e0"), ("mariadb", "`k`=1.9300000000000002"), ("mysql", "`k`=1.9300000000000002")],
)
def test_tidb_holds_the_double_that_is_nearest_to_the_digits_that_show(flavor: str, of_key: str) -> None:
    fixed = replace(column("k", "double", nullable=False), type="double(5,2)")
    row = (b"1.9300000000000002", b"1")
    assert sql(_planned(fixed, flavor=flavor), (row, None)) == [f"DELETE FROM `s`.`t` WHERE {of_key}"]
    structure = table([fixed, column("v")])
    assert sql(plan_target(structure, structure, flavor=flavor), (row, None), ((b"0.5", b"1"), None)) == [
        "DELETE FROM `s`.`t` WHERE `k` BETWEEN 1.93e0 AND 1.9300000000000002e0 AND `v`=1 LIMIT 1",
        "DELETE FROM `s`.`t` WHERE `k`=0.5e0 AND `v`=1 LIMIT 1",
    ]


def test_bytes_that_are_no_text_are_compared_by_themselves() -> None:
    target = _planned(_text("k", "cp1250"))
    assert sql(target, *_deletes((b"'x'",), (b"x'81'",))) == [
        "DELETE FROM `s`.`t` WHERE `k`='x' OR CAST(`k` AS BINARY)=x'81'"
    ]
    assert sql(target, *_deletes((b"'x'",), (b"'y'",))) == ["DELETE FROM `s`.`t` WHERE `k` IN ('x','y')"]


def test_values_of_several_kinds_are_in_several_statements() -> None:
    target = _planned(A, value=_text("v", "cp1250"))
    changes = [((b"%d" % i, b"''"), (b"%d" % i, value)) for i, value in enumerate((b"'a'", b"x'81'", b"'b'", b"x'83'"))]
    assert sql(target, *changes) == [
        "UPDATE `s`.`t` SET `v`=CASE `a` WHEN 0 THEN 'a' WHEN 2 THEN 'b' END WHERE `a` IN (0,2)",
        "UPDATE `s`.`t` SET `v`=CASE `a` WHEN 1 THEN x'81' WHEN 3 THEN x'83' END WHERE `a` IN (1,3)",
    ]


def test_labels_and_their_numbers_are_in_several_statements() -> None:
    target = _planned(A, value=column("v", "enum"))
    changes = [((b"%d" % i, b"'z'"), (b"%d" % i, value)) for i, value in enumerate((b"'a'", b"0", b"'b'", b"NULL"))]
    assert sql(target, *changes) == [
        "UPDATE `s`.`t` SET `v`=CASE `a` WHEN 0 THEN 'a' WHEN 2 THEN 'b' WHEN 3 THEN NULL END WHERE `a` IN (0,2,3)",
        "UPDATE `s`.`t` SET `v`=0 WHERE `a`=1",
    ]


STORED = ("a", "a ", "A", "á", "b")
COLLATIONS = {
    "mariadb": ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_uca1400_ai_ci", "latin1_swedish_ci"),
    "mysql": ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "latin1_swedish_ci"),
    "tidb": ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "latin1_bin"),
}


@pytest.mark.servers  # asked for by name, so that conftest.py cannot see it
@pytest.mark.parametrize("server", COLLATIONS)
def test_a_text_is_found_byte_by_byte_where_literals_have_the_columns_collation(
    request: pytest.FixtureRequest, server: str, fresh_schema: Callable[[RunningServer], str]
) -> None:
    """TiDB puts the literal of `k = 'a '` for k in the conditions beside it."""
    found = request.getfixturevalue(server)
    link = pymysql.connect(
        host=found.host, port=found.port, user="root", database=fresh_schema(found), autocommit=True, charset="utf8mb4"
    )
    with closing(link), link.cursor() as cursor:
        for number, (collation, keys) in enumerate(product(COLLATIONS[server], ("", ", KEY (k)", ", UNIQUE (k, n)"))):
            charset = collation.partition("_")[0]
            cursor.execute(f"SET NAMES utf8mb4 COLLATE {collation if charset == 'utf8mb4' else 'utf8mb4_bin'}")
            cursor.execute(
                f"CREATE TABLE t{number} (k VARCHAR(9) CHARACTER SET {charset} COLLATE {collation}, n INT{keys})"
            )
            cursor.executemany(f"INSERT INTO t{number} (k) VALUES (%s)", [(one,) for one in STORED])
            for value in STORED:
                where = exactly(_text("k", charset), b"k", b"'%b'" % value.encode()).decode()
                cursor.execute(f"SELECT k FROM t{number} WHERE n IS NULL AND {where}")
                assert cursor.fetchall() == ((value,),), (collation, keys, where)


def test_the_largest_value_of_a_float_is_compared_in_a_form_of_its_own() -> None:
    """10000000 is more than a FLOAT(10,3) can say; its column holds it."""
    fixed = replace(column("k", "float", nullable=False), type="float(10,3)")
    changes = [((key, b"0"), (key, value)) for key, value in ((b"1e+07", b"1"), (b"2.5", b"2"))]
    one = "`k`+0e0=CAST(10000000.0e0 AS DOUBLE)"
    assert sql(_planned(fixed, flavor="tidb"), *changes) == [
        f"UPDATE `s`.`t` SET `v`=CASE WHEN {one} THEN 1 WHEN `k`=2.5e0 THEN 2 END WHERE {one} OR `k`=2.5e0"
    ]
    assert sql(_planned(A, fixed, flavor="tidb"), *_deletes((b"7", b"1e+07"), (b"8", b"2.5"))) == [
        f"DELETE FROM `s`.`t` WHERE (`a`=7 AND {one}) OR (`a`=8 AND `k`=2.5e0)"
    ]
