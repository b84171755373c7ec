"""Of which columns of another type the target calculates and converts as the upstream does."""

from __future__ import annotations

import pytest

from pkg.schema.column_forms import calculates_alike, converts_alike, reads_alike
from pkg.schema.lexer import tokenize
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


@pytest.mark.parametrize(
    ("above", "below", "expression", "result", "is_alike"),
    [
        ("decimal(10,2)", "decimal(20,4)", "(c * 2 + 1)", "decimal(12,2)", True),
        ("decimal(10,2)", "decimal(20,4)", "(c / 3)", "decimal(12,2)", False),
        ("decimal(10,2)", "decimal(20,4)", "(c * 2)", "varchar(20)", False),
        ("decimal(10,2)", "decimal(20,4)", "(round(c * 2))", "int", False),
        ("int", "bigint unsigned", "GENERATED ALWAYS AS (ifnull(`C`, 0) + 1) STORED", "int", True),
        ("int", "varchar(20)", "(c + 1)", "int", False),
        ("date", "datetime", "(year(c))", "int", True),
        ("date", "datetime", "(concat(c))", "varchar(40)", False),
        ("time", "time(3)", "(second(c))", "int", False),
        ("enum('a','b')", "enum('b','a')", "(c = 'a')", "tinyint", True),
        ("enum('a','b')", "enum('b','a')", "(if(c in ('a','b'), 1, 0))", "int", True),
        ("enum('a','b')", "enum('b','a')", "(c + 0)", "int", False),
        ("enum('a','b')", "enum('b','a')", "(c)", "int", False),
        ("enum('a','b')", "enum('b','a')", "(c in (1, 2))", "int", False),
        ("enum('a','b')", "enum('b','a')", "(c in ('a', 2))", "int", False),
        ("int", "bigint unsigned", "(c - 3)", "int", False),
    ],
)
def test_one_that_does_not_ask_for_the_form(
    above: str, below: str, expression: str, result: str, is_alike: bool
) -> None:
    tokens = tokenize(expression)
    assert reads_alike(_column(above), _column(below), tokens, _column(result), {"c"}) is is_alike
