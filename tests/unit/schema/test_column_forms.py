"""Of which columns of another type the target calculates and converts as the upstream does."""

from __future__ import annotations

import pytest

from pkg.schema.column_forms import calculates_alike, converts_alike
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column


def _column(kind: str) -> Column:
    return parse_create_table(f"CREATE TABLE t (c {kind}) CHARSET=utf8mb4", "s").columns[0]


@pytest.mark.parametrize(
    ("above", "below", "is_alike"),
    [
        ("int", "bigint", True),
        ("int", "bigint unsigned", False),
        ("int(5) unsigned zerofill", "int(5) unsigned zerofill", True),
        ("int(5) unsigned zerofill", "int(6) unsigned zerofill", False),
        ("int", "varchar(20)", False),
        ("varchar(20)", "int", False),
        ("varchar(20)", "text", True),
        ("decimal(10,2)", "decimal(20,2)", True),
        ("decimal(10,2)", "decimal(20,4)", False),
        ("float", "double", False),
        ("datetime", "datetime(3)", False),
        ("enum('a','b')", "enum('a','b','c')", True),
        ("enum('a','b')", "enum('b','a')", False),
        ("set('a','b')", "set('b','a')", False),
        ("json", "longtext", True),
        ("year", "int", False),
        ("bit(8)", "int", False),
    ],
)
def test_an_expression_has_the_same_value(above: str, below: str, is_alike: bool) -> None:
    assert calculates_alike(_column(above), _column(below)) is is_alike


@pytest.mark.parametrize(
    ("above", "below", "new", "is_alike"),
    [
        ("int", "bigint unsigned", "varchar(20)", True),
        ("int", "decimal(12,2)", "varchar(20)", False),
        ("int", "decimal(12,2)", "double", True),
        ("int", "varchar(20)", "varchar(30)", True),
        ("int", "varchar(20)", "bigint", False),
        ("date", "datetime", "timestamp", True),
        ("date", "datetime", "char(30)", False),
        ("enum('a','b')", "enum('b','a')", "varchar(5)", True),
        ("enum('a','b')", "enum('b','a')", "set('b','a')", True),
        ("enum('a','b')", "enum('b','a')", "int", False),
    ],
)
def test_values_become_the_same_ones(above: str, below: str, new: str, is_alike: bool) -> None:
    assert converts_alike(_column(above), _column(below), _column(new)) is is_alike
