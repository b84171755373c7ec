"""Keys of a merged table that may hold rows of one of its tables equal."""

from __future__ import annotations

import pytest

from pkg.schema.merged_keys import coarser_keys, unique_parts
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

BIN, CI = "COLLATE utf8mb4_bin", "COLLATE utf8mb4_general_ci"


def parsed(body: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({body}) CHARSET=utf8mb4", "s")


def found(upstream: str, target: str, *filled: str) -> list[tuple[str, str]]:
    above = parsed(upstream)
    carried = {column.name for column in above.columns} | set(filled)
    keys = coarser_keys(unique_parts(above), parsed(target), "mysql", carried)
    return [(one.key, one.upstream) for one in keys]


SAFE = {
    "the same": (f"k VARCHAR(9) {CI} PRIMARY KEY", f"k VARCHAR(9) {CI} PRIMARY KEY"),
    "a finer collation": (f"k VARCHAR(9) {CI} PRIMARY KEY", f"k VARCHAR(9) {BIN} PRIMARY KEY"),
    "the same collation of a larger set": (
        "k VARCHAR(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci PRIMARY KEY",
        f"k VARCHAR(9) {CI} PRIMARY KEY",
    ),
    "a longer prefix": ("k VARCHAR(9), UNIQUE (k(2))", "k VARCHAR(9), UNIQUE (k(3))"),
    "a prefix of all": ("k VARCHAR(9), UNIQUE (k)", "k VARCHAR(9), UNIQUE (k(9))"),
    "more columns": ("id INT PRIMARY KEY", "shard INT, id INT, PRIMARY KEY (shard, id)"),
    "one of two keys is enough": (
        f"id INT PRIMARY KEY, k VARCHAR(9) {BIN}",
        f"id INT, k VARCHAR(9) {CI}, UNIQUE (k, id)",
    ),
    "the same expression": ("k VARCHAR(9), UNIQUE ((lower(`k`)))", "k VARCHAR(9), UNIQUE ((LOWER(k)))"),
    "a key without rows of the stream": ("id INT", "pk INT AUTO_INCREMENT PRIMARY KEY, id INT"),
    "no unique key": (f"k VARCHAR(9) {BIN} PRIMARY KEY", f"k VARCHAR(9) {CI}, KEY (k)"),
    "numbers in a text": ("id INT PRIMARY KEY", f"id VARCHAR(20) {CI} PRIMARY KEY"),
}


@pytest.mark.parametrize(("upstream", "target"), SAFE.values(), ids=SAFE)
def test_a_key_that_says_as_much_as_one_of_the_upstream_is_safe(upstream: str, target: str) -> None:
    assert found(upstream, target, "shard") == []


COARSER = {
    "a collation": (f"k VARCHAR(9) {BIN} PRIMARY KEY", f"k VARCHAR(9) {CI} PRIMARY KEY"),
    "blanks at the end": (
        "k VARCHAR(9) COLLATE utf8mb4_0900_bin PRIMARY KEY",
        f"k VARCHAR(9) {BIN} PRIMARY KEY",
    ),
    "a prefix": ("k VARCHAR(9), UNIQUE (k)", "k VARCHAR(9), UNIQUE (k(2))"),
    "a shorter prefix": ("k VARCHAR(9), UNIQUE (k(3))", "k VARCHAR(9), UNIQUE (k(2))"),
    "fewer columns": ("a INT, b INT, PRIMARY KEY (a, b)", "a INT PRIMARY KEY, b INT"),
    "other columns": ("a INT PRIMARY KEY, b INT", "a INT PRIMARY KEY, b INT UNIQUE"),
    "no key upstream": ("a INT", "a INT PRIMARY KEY"),
    "an expression": ("k VARCHAR(9), UNIQUE ((CONCAT(k)))", "k VARCHAR(9), UNIQUE ((LOWER(k)))"),
    "an expression over a key": ("k VARCHAR(9) PRIMARY KEY", "k VARCHAR(9), UNIQUE ((LOWER(k)))"),
    "bytes": ("k VARBINARY(9) PRIMARY KEY", f"k VARCHAR(9) {CI} PRIMARY KEY"),
    "labels": (f"k ENUM('a', 'A') {BIN} PRIMARY KEY", f"k VARCHAR(9) {CI} PRIMARY KEY"),
}


@pytest.mark.parametrize(("upstream", "target"), COARSER.values(), ids=COARSER)
def test_a_key_that_may_hold_rows_equal_is_found(upstream: str, target: str) -> None:
    assert len(found(upstream, target)) == 1


def test_both_keys_are_shown() -> None:
    [(key, upstream)] = found(f"k VARCHAR(9) {BIN}, UNIQUE (k)", f"k VARCHAR(9) {CI}, UNIQUE (k(2))")
    assert (key, upstream) == ("(k(2) utf8mb4_general_ci)", "(k utf8mb4_bin)")
