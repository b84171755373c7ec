"""Merged tables whose keys have unlike types: what the target holds equal is one value for causality."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import combinations

import pytest

from pkg.binlog.rare_values import hex_literal, introduced_reader, quote_text
from pkg.rows.change import TargetTable, plan_target, planned_by
from pkg.rows.compact import segments
from pkg.rows.folding import column_folding
from pkg.rows.held_values import literal_class
from pkg.rows.keys import fold_identity, unique_values
from pkg.rows.statements import Limits, statements
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, LABEL_TYPES
from pkg.schema.inexact import inexact
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column
from tests.unit.rows.test_tied import jobs

INTEGERS = ("0", "5", "7", "97", "1010")
DECIMALS = {0: ("0", "5", "7"), 1: ("0.0", "5.0", "7.5", "7.0"), 2: ("5.00", "7.50", "7.55"), 4: ("0.0000", "7.5000")}
DAYS = ("2020-01-01", "2020-01-02", "0000-00-00")
CLOCKS = ("00:00:00", "10:00:00", "-10:00:00", "-100:00:00", "100:00:00")
TEXTS = (
    "",
    "0",
    "5",
    "7.50",
    "7.5",
    "a",
    "A",
    "ab",
    "a,b",
    "it's",
    "a\\b",
    "ä",
    "Ä",
    "a ",
    "2020-01-01",
    "2020-01-02 00:00:00",
)
SETS = {"latin1": "cp1252", "sjis": "shift_jis", "ucs2": "utf_16_be", "utf8mb4": "utf-8", "ascii": "ascii"}
KEEPS_BYTES = frozenset({"sjis", "ucs2"})  # that not all codes of Unicode come back from
LABELS = ("ENUM('a','b')", "ENUM('b','a','c')", "SET('a','b')", "SET('a','b','c')", "SET('','a','b')", "SET('','a')")
CHARSETS = (
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "COLLATE utf8mb4_bin", "COLLATE utf8mb4_0900_ai_ci",
    "CHARACTER SET latin1", "CHARACTER SET latin1 COLLATE latin1_bin", "CHARACTER SET sjis",
    "CHARACTER SET sjis COLLATE sjis_bin", "CHARACTER SET ucs2 COLLATE ucs2_bin", "CHARACTER SET ascii",
)  # fmt: skip
TYPES = (
    *("TINYINT", "INT", "BIGINT UNSIGNED", "INT(5) ZEROFILL", "BIT(16)", "BIT(64)", "YEAR"),
    *(f"DECIMAL(12,{digits})" for digits in DECIMALS),
    *("FLOAT", "FLOAT(6,2)", "DOUBLE", "DOUBLE(10,2)", "DATE"),
    *(f"{base}{digits}" for base in ("DATETIME", "TIMESTAMP", "TIME") for digits in ("", "(1)", "(3)", "(6)")),
    *LABELS,
    *(f"{base} {charset}" for base in ("VARCHAR(40)", "CHAR(40)", "TEXT") for charset in CHARSETS),
    *("BINARY(3)", "BINARY(4)", "VARBINARY(40)", "BLOB", "POINT", "JSON", "UUID", "INET4", "INET6"),
)  # fmt: skip


@cache
def column(text: str) -> Column:
    return parse_create_table(f"CREATE TABLE t (c {text}) CHARSET=utf8mb4", "s").columns[0]


def written(above: Column, below: Column) -> Iterator[bytes]:
    """Literals as the codec writes values of one column for the other."""
    base = above.base_type
    if base in CHARACTER_TYPES or base == "json":
        charset = above.charset or "utf8mb4"
        reader = introduced_reader(charset) if charset in KEEPS_BYTES and charset == below.charset else None
        for text in TEXTS:
            try:
                raw = text.encode(SETS[charset])
            except UnicodeEncodeError:
                continue
            yield quote_text(text.encode()) if reader is None else reader(raw)
    elif base in BINARY_TYPES or base == "point":
        size = above.length if base == "binary" else None
        raws = [text.encode(SETS.get(below.charset or "", "utf-8"), "ignore") for text in TEXTS]
        raws += [b"a\0", b"a\0\0", b"\0", b"a"]
        yield from map(hex_literal, (raw.ljust(size or 0, b"\0") for raw in raws if size is None or len(raw) <= size))
    elif base in LABEL_TYPES:
        texts = list(above.labels) if base == "enum" else _members(above)
        if base == below.base_type == "set" and "" in above.labels:
            if above.labels == below.labels[: len(above.labels)]:
                yield from (str(number).encode() for number in range(1 << len(above.labels)))
                return
            texts = [text for text in texts if text and not text.startswith(",")]
        yield from (quote_text(text.encode()) for text in texts)
        if base == "enum":
            yield b"''" if below.base_type in CHARACTER_TYPES | BINARY_TYPES else b"0"
    elif base == "decimal":
        yield from (text.encode() for text in DECIMALS[int(above.type[-2])])
    elif base in ("float", "double"):
        yield from (b"0", b"-0e0", b"5.0", b"7.5", b"7.0")
    elif base in ("date", "time", "datetime", "timestamp"):
        yield from (f"'{text}'".encode() for text in _moments(above))
    elif base == "uuid":
        yield b"'00000000-0000-0000-0000-000000000001'"
    elif base in ("inet4", "inet6"):
        yield b"'10.0.0.1'" if base == "inet4" else b"'::1'"
    else:
        yield from (text.encode() for text in INTEGERS)


def _members(above: Column) -> list[str]:
    several = [chosen for size in range(len(above.labels) + 1) for chosen in combinations(above.labels, size)]
    return [",".join(chosen) for chosen in several]


def _moments(above: Column) -> Iterator[str]:
    if above.base_type == "date":
        yield from DAYS
        return
    fractions = [f".{number:0{above.fsp}d}" for number in (0, 5)] if above.fsp else [""]
    whole = CLOCKS if above.base_type == "time" else [f"{day} {clock}" for day in DAYS for clock in CLOCKS[:2]]
    yield from (one + fraction for one in whole for fraction in fractions)


def held(literal: bytes, below: Column) -> object:
    """What the target's column holds: two of these are equal where two values are the same."""
    text, base = literal.decode(), below.base_type
    if base in CHARACTER_TYPES:
        return _text(literal, SETS[below.charset or "utf8mb4"])
    if base in BINARY_TYPES:
        return bytes.fromhex(text[2:-1]) if text.startswith("x") else _text(literal, "utf-8").encode()
    if base == "float":
        return struct.unpack("<f", struct.pack("<f", float(text)))[0]
    if base == "double":
        return float(text)
    if base in ("date", "time", "datetime", "timestamp"):
        whole, _, fraction = text.strip("'").partition(".")
        hours = whole if ":" in whole else f"{whole} 00:00:00"
        return hours, fraction.ljust(6, "0")
    if base == "set" and text.isdigit():
        number = int(text)
        return [place for place in range(len(below.labels)) if number >> place & 1]
    if base == "set":
        chosen = text.strip("'")
        return [below.labels.index(label) for label in chosen.split(",")] if chosen else []
    if base == "enum":
        return text
    return Decimal(text).normalize() if re.fullmatch(r"-?[\d.]+", text) else text


def _text(literal: bytes, codec: str) -> str:
    if literal.startswith(b"'"):
        return re.sub(r"\\(.)", r"\1", literal.decode()[1:-1])
    found = re.fullmatch(r"(?:_(\w+) )?(?:x'(\w*)'|'')", literal.decode())
    if found is None:
        return literal.decode()  # a number
    return bytes.fromhex(found[2] or "").decode(SETS[found[1]] if found[1] else codec)


def is_taken(literal: bytes, below: Column) -> bool:
    """Whether the target refuses no such value."""
    if below.base_type == "set" and literal.startswith(b"'"):
        return {*literal.decode()[1:-1].split(",")} <= {"", *below.labels}
    if below.base_type in CHARACTER_TYPES:
        charset = SETS[below.charset or "utf8mb4"]
        try:
            return _text(literal, charset).encode(charset) is not None
        except UnicodeError:
            return False
    return True


def equal(value: object, below: Column) -> object:
    """The same, as the column's collation compares."""
    if not isinstance(value, str) or below.base_type not in CHARACTER_TYPES:
        return repr(value) if isinstance(value, list) else value
    value = value.rstrip(" ")
    return value if (below.collation or "").endswith("_bin") else value.casefold()


def values(below: Column) -> Iterator[tuple[bytes, object, bytes, bytes]]:
    """Literal, what the target holds, folded, exact: of all types that go into the column."""
    for above in map(column, TYPES):
        if inexact(above, below):
            continue
        folding = column_folding(above, below)
        for literal in written(above, below):
            if not is_taken(literal, below):
                continue
            folded = literal if folding is None else folding.fold(literal)
            yield literal, held(literal, below), folded, literal if folding is None else folding.exact(literal)


@pytest.mark.parametrize("below", TYPES)
def test_what_the_target_holds_equal_is_one_value(below: str) -> None:
    there = column(below)
    known = list(values(there))
    assert known
    folds: dict[object, set[bytes]] = {}
    exacts: dict[object, set[bytes]] = {}
    for _, value, folded, exact in known:
        folds.setdefault(equal(value, there), set()).add(folded)
        if not exact.startswith(b"_sjis x'615c"):  # a code that shares its character stays as it is
            exacts.setdefault(repr(value), set()).add(exact)
    assert {value: found for value, found in folds.items() if len(found) > 1} == {}
    assert {value: found for value, found in exacts.items() if len(found) > 1 and there.base_type != "float"} == {}


@pytest.mark.parametrize("below", TYPES)
def test_what_is_exact_joins_no_two_values(below: str) -> None:
    there = column(below)
    found: dict[bytes, set[str]] = {}
    for _, value, _, exact in values(there):
        found.setdefault(exact, set()).add(repr(value if value != 0 else 0))
    joined = {exact: held_values for exact, held_values in found.items() if len(held_values) > 1}
    assert joined == ({b"''": {"[]", "[0]"}} if below.startswith("SET('',") else {}), "the label '' and none"


@pytest.mark.parametrize("below", [one for one in TYPES if column(one).base_type not in CHARACTER_TYPES])
def test_different_values_do_not_wait_for_each_other(below: str) -> None:
    there = column(below)
    found: dict[bytes, set[str]] = {}
    for _, value, folded, _ in values(there):
        found.setdefault(folded, set()).add(repr(value if value != 0 else 0))
    assert below.startswith(("ENUM", "SET")) or {one: held for one, held in found.items() if len(held) > 1} == {}


@pytest.mark.parametrize("kind", [one for one in TYPES if not one.startswith("SET('',")])
def test_columns_of_one_type_are_compared_as_they_were(kind: str) -> None:
    one = column(kind)
    assert type(column_folding(one, one)).__name__ != "Converted"
    if one.collation in (None, "binary") and one.base_type not in ("float", "double"):
        assert column_folding(one, one) is None


def planned(above: str, below: str) -> TargetTable:
    pair = [
        parse_create_table(f"CREATE TABLE t (k {one} NOT NULL PRIMARY KEY, u {one} UNIQUE, v INT) CHARSET=utf8mb4", "s")
        for one in (above, below)
    ]
    return plan_target(pair[0], pair[1])


MERGES = [
    ("DECIMAL(9,1)", "DECIMAL(9,2)", "DECIMAL(9,2)", b"7.5", b"7.50"),
    ("DATE", "DATETIME", "DATETIME", b"'2020-01-01'", b"'2020-01-01 00:00:00'"),
    ("TIMESTAMP", "DATETIME(3)", "DATETIME(3)", b"'2020-01-01 10:00:00'", b"'2020-01-01 10:00:00.000'"),
    ("VARBINARY(9)", "VARCHAR(9)", "VARCHAR(9)", b"x'6162'", b"'AB'"),
    ("INT", "VARCHAR(9) COLLATE utf8mb4_bin", "VARCHAR(9) COLLATE utf8mb4_bin", b"5", b"'5'"),
    ("INT", "VARBINARY(9)", "VARBINARY(9)", b"5", b"x'35'"),
]


@pytest.mark.parametrize(("first", "second", "below", "one", "other"), MERGES)
def test_rows_that_move_between_unlike_tables_keep_their_order(
    first: str, second: str, below: str, one: bytes, other: bytes
) -> None:
    there, here = planned(first, below), planned(second, below)
    gone, come = (one, one, b"1"), (other, other, b"2")
    assert fold_identity(there, (one,)) == fold_identity(here, (other,))
    assert list(unique_values(there, gone)) == list(unique_values(here, come)) != []
    for safe in (False, True):
        made = jobs((there, (gone, None)), (here, (None, come)), safe=safe)
        assert made[0].channel == made[1].channel
        assert len(list(segments(made))) == 2, "no statement does both, in whatever order"


def test_tables_share_a_plan_where_their_literals_are_alike() -> None:
    alike = [
        ("INT", "BIGINT UNSIGNED"),
        ("CHAR(3)", "VARCHAR(9)"),
        ("DATETIME(3)", "TIMESTAMP(3)"),
        ("TEXT", "CHAR(1)"),
    ]
    assert all(planned_by(column(one)) == planned_by(column(other)) for one, other in alike)
    for above, other in combinations(map(column, TYPES), 2):
        if planned_by(above) == planned_by(other):
            assert literal_class(above) == literal_class(other), (above.type, other.type)


@pytest.mark.parametrize(("below", "first"), [("VARCHAR(9)", b"'5'"), ("VARBINARY(9)", b"'5'"), ("BIGINT", b"5")])
def test_a_number_is_looked_for_as_the_text_that_it_is_there(below: str, first: bytes) -> None:
    target = planned("INT", below)
    (group,) = segments(jobs((target, ((b"5", b"NULL", b"1"), None)), (target, ((b"6", b"NULL", b"1"), None))))
    found = [statement.sql for statement in statements(group[0], Limits(100, 1000))]
    assert found == [b"DELETE FROM `s`.`t` WHERE `k` IN (%b,%b)" % (first, first.replace(b"5", b"6"))]
