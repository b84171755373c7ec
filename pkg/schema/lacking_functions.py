"""Functions that expressions of tables call and that a server has not, or does not take in a generated column."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from pkg.schema.lexer import Kind, tokenize
from pkg.schema.table import Column

# Tried with all functions of portable_functions.py on MariaDB 10.11, MySQL 9.7 and TiDB 8.5.
_NOT_GENERATED = {
    "tidb": frozenset({"JSON_VALUE", "NULLIF", "SOUNDEX", "UNIX_TIMESTAMP"}),
    "mysql": frozenset({"UNIX_TIMESTAMP"}),
    "mariadb": frozenset[str](),
}
_NOT_STORED = frozenset({"DATE_FORMAT", "DAYNAME", "MONTHNAME", "FROM_UNIXTIME"})  # in MariaDB
NOT_IN_ALL = ("MD5", "SHA", "SHA1")  # not in MySQL from 9.6 on


def lacking_call(create_sql: str, lacking: Collection[str]) -> str:
    """The first call of a function that the target is ``lacking``; "" for none."""
    for token, behind in pairwise(tokenize(create_sql) if lacking else ()):
        if token.kind is Kind.WORD and token.key in lacking and behind.key == "(":
            return token.key
    return ""


def not_generated(column: Column, flavor: str) -> str:
    """The first function of a generated column that a server of the kind does not take there; "" for none."""
    refused = _NOT_GENERATED.get(flavor, frozenset[str]())
    if flavor == "mariadb" and column.generated == "STORED":
        refused |= _NOT_STORED
    return lacking_call(column.expression, refused) if column.generated else ""


def lacks(function: str) -> str:
    """What is said of it."""
    return f"the target has no function {function}() by itself (MySQL has no MD5() and SHA1() from 9.6 on)"
