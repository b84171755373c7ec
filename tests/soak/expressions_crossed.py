"""Expressions over all values of one column with all values of the others: `./dev soak expressions --crossed SECONDS`.

The rows of ``expressions.py`` hold a value at its bound beside some other one; here each meets each.  The servers
calculate in a SELECT, thousands of rows at once.  What differs there is calculated once more as a stored column: that
alone counts, since a SELECT cuts texts of its own.  Only what the product takes for the same is tried.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Any

import pymysql

from pkg.schema.other_expressions import calculates_otherwise
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column
from tests.cases.replicate.comparing import Server

HOLE = re.compile(r"(?<![\w'])_(?![\w'])")
_TAIL = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
_DIGITS_OF_DOUBLES = Decimal("1e-14")
_MOST_HOLES = 3
# By type, the values at its bounds, and those at which servers change their minds.
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "i": ("INT", ("-2147483648", "-1", "0", "1", "2", "31", "255", "2147483647")),
    "b": (
        "BIGINT",
        ("-9223372036854775808", "-9007199254740993", "-1", "0", "1", "9007199254740993", "9223372036854775807"),
    ),
    "u": ("BIGINT UNSIGNED", ("0", "1", "2", "9223372036854775807", "9223372036854775808", "18446744073709551615")),
    "bo": ("TINYINT(1)", ("0", "1", "-128", "127")),
    "n": ("DECIMAL(10,3)", ("-9999999.999", "-0.500", "0", "0.500", "1.500", "2.500", "0.001", "9999999.999")),
    "m": ("DECIMAL(30,10)", ("-99999999999999999999.9999999999", "1e-10", "18446744073709551616", "-0.5", "1.5")),
    "p": ("DECIMAL(5,5)", ("-0.99999", "-0.5", "0", "0.00001", "0.99999")),
    "q": ("DECIMAL(65,0)", ("-" + "9" * 65, "-1", "0", "5", "9" * 65)),
    "r": ("DECIMAL(60,30)", ("-" + "9" * 30 + "." + "9" * 30, "-1e-30", "0", "1.5", "9" * 30 + ".5")),
    "pu": ("DECIMAL(4,4) UNSIGNED", ("0", "0.0001", "0.9999")),
    "sm": ("SMALLINT UNSIGNED", ("0", "1", "65535")),
    "d": ("DOUBLE", ("0", "-0.0", "0.5", "1.5", "2.5", "-2.5", "1e20", "1e-10", "1e308", "9007199254740993", "0.1")),
    "v": (
        "VARCHAR(40)",
        (
            "",
            "a",
            "A",
            "a ",
            "ä",
            "ß",
            "1",
            "-1",
            "1.5",
            " 7",
            "abc",
            "2020-02-29",
            "10:11:12",
            "%",
            "_",
            "\\",
            "😀",
            "١",
            "0",
            "1e3",
            "18446744073709551615",
            "\t",
            "a,b",
            "-",
        ),
    ),
    "w": ("VARCHAR(40) COLLATE utf8mb4_bin", ("", "a", "A", "a ", "1", "2020-01-01 00:00:00", "é")),
    "c": ("CHAR(6)", ("", "a", "A ", "1", "ß")),
    "dt": (
        "DATETIME",
        (
            "1000-01-01 00:00:00",
            "2000-02-29 23:59:59",
            "1969-12-31 23:59:59",
            "9999-12-31 23:59:59",
            "2024-03-31 02:30:00",
            "2020-01-01 00:00:00",
        ),
    ),
    "d3": ("DATETIME(3)", ("2000-02-29 23:59:59.999", "2020-01-01 00:00:00.500", "9999-12-31 23:59:59.999")),
    "d6": ("DATETIME(6)", ("1000-01-01 00:00:00.000001", "2020-01-01 00:00:00", "9999-12-31 23:59:59.999999")),
    "da": ("DATE", ("1000-01-01", "2000-02-29", "1999-12-31", "9999-12-31", "2024-12-30", "2020-01-01")),
    "ti": ("TIME", ("00:00:00", "-00:00:01", "838:59:59", "-838:59:59", "24:00:00", "12:34:56")),
    "t2": ("TIME(2)", ("00:00:00", "-00:00:00.01", "838:59:58.99", "12:34:56.50")),
    "t6": ("TIME(6)", ("00:00:00", "-00:00:00.000001", "838:59:58.999999", "12:34:56.5")),
    "y": ("YEAR", ("0", "1901", "2000", "2155")),
    "e": ("ENUM('a','B','2','ü')", ("a", "B", "2", "ü")),
    "s": ("SET('x','y','z')", ("", "x", "y,z", "x,y,z")),
    "vb": ("VARBINARY(20)", ("", "a", "A", "\\", "1", "ä")),
    "bn": ("BINARY(4)", ("", "a", "1", "abcd")),
    "j": ("JSON", ("{}", '{"a": 1}', "[1, 2]", '"a"', "1", "null", "true", '{"b": 1, "aa": 2}')),
}
_RESULTS = (
    "VARCHAR(80)", "INT", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(12,2)", "DECIMAL(65,10)", "DOUBLE", "DATE", "DATETIME",
    "DATETIME(3)", "TIME", "JSON", "VARBINARY(80)",
)  # fmt: skip
_AGAIN = ("", "1", "2")  # one column may stand at several places
Rows = dict[tuple[Any, ...], Any]


def _column(kind: str) -> Column:
    return parse_create_table(f"CREATE TABLE r (g {kind}) {_TAIL}", "ex").columns[0]


_TABLE = parse_create_table(
    f"CREATE TABLE t ({', '.join(f'{name}{one} {kind}' for name, (kind, _) in COLUMNS.items() for one in _AGAIN)}) "
    f"{_TAIL}",
    "ex",
)
_RESULT_COLUMNS = tuple(map(_column, _RESULTS))


@dataclass(frozen=True)
class Crossing:
    """An expression, and the columns that it reads, each at one place."""

    text: str
    names: tuple[str, ...]

    def taken_as(self, flavors: tuple[str, str], collations: frozenset[str]) -> str:
        """The first type of a column for which the product takes the values for the same; "" where it takes none."""
        for column in _RESULT_COLUMNS:
            made = replace(column, expression=self.text, generated="STORED")
            if not calculates_otherwise(made, _TABLE, _TABLE, flavors, collations):
                return column.type
        return ""

    def select(self) -> str:
        keys = ", ".join(f"HEX(CONCAT({name}))" for name in self.names)
        return f"SELECT {keys}, CONCAT('', ({self.text})) FROM {', '.join(f'of_{name}' for name in self.names)}"

    def types(self) -> list[str]:
        return [COLUMNS[name.rstrip("12")][0] for name in self.names]


class Crossings:
    """Random ones: a form, one of whose operands is another form as often as not."""

    def __init__(self, seed: int, forms: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._forms = [form for form in forms if 1 <= len(HOLE.findall(form)) <= _MOST_HOLES]

    def one(self) -> Crossing:
        while True:
            form = self._random.choice(self._forms)
            for _ in range(self._random.choice((0, 1, 1, 2))):
                form = self._nested(form)
            holes = len(HOLE.findall(form))
            if 1 <= holes <= _MOST_HOLES:
                return self._filled(form, holes)

    def _nested(self, form: str) -> str:
        places = [found.span() for found in HOLE.finditer(form)]
        start, end = self._random.choice(places)
        return f"{form[:start]}({self._random.choice(self._forms)}){form[end:]}"

    def _filled(self, form: str, holes: int) -> Crossing:
        met: Counter[str] = Counter()
        names = []
        for name in self._random.choices(tuple(COLUMNS), k=holes):
            names.append(name + _AGAIN[met[name]])
            met[name] += 1
        left = iter(names)
        text = HOLE.sub(lambda _: next(left), form)
        text = re.sub("#", lambda _: str(self._random.choice((0, 1, 2, 3, 5, 10))), text)
        return Crossing(text.replace("@", self._random.choice(("'2020-02-29'", "'2020-02-29 23:59:59'"))), tuple(names))


class CrossedServers:
    """Calculate crossings."""

    def __init__(self, ends: dict[str, Server]) -> None:
        self._ends = ends
        for end in ends.values():
            end.query(f"CREATE DATABASE crossed {_TAIL}")
            end.query("USE crossed")
            end.query("SET NAMES utf8mb4 COLLATE utf8mb4_bin")  # other than the columns' collation
            end.query("SET time_zone = '+00:00', sql_mode = ''")
            for name, (kind, values) in COLUMNS.items():
                shown = ", ".join(f"('{value.replace(chr(92), chr(92) * 2)}')" for value in values)
                for one in _AGAIN:
                    end.query(f"CREATE TABLE of_{name}{one} ({name}{one} {kind})")
                    end.query(f"INSERT INTO of_{name}{one} VALUES {shown}, (NULL)")

    def differing(self, one: Crossing, taken: dict[tuple[str, str], str]) -> Iterator[str]:
        """What is silent of it, a line for each pair of servers; ``taken``: the pairs, with the type of the column."""
        rows = {kind: self._rows(kind, one) for kind in {kind for pair in taken for kind in pair}}
        for (above, below), kind in taken.items():
            pairs = ((key, value, rows[below].get(key, value)) for key, value in rows[above].items())
            for key in [key for key, here, there in pairs if not is_same(here, there)][:_MOST_HOLES]:
                here, there = (self._stored(end, one, kind, key) for end in (above, below))
                if "refused" not in (here, there) and not is_same(here, there):
                    values = ", ".join("NULL" if part is None else _text(bytes.fromhex(part)) for part in key)
                    yield f"{above}-{below}: {kind} AS ({one.text}) of ({values}): {here!r}, {there!r}"
                    break

    def _rows(self, kind: str, one: Crossing) -> Rows:
        try:
            return {row[:-1]: _text(row[-1]) for row in self._ends[kind].query(one.select())}
        except pymysql.err.MySQLError:
            return {}

    def _stored(self, kind: str, one: Crossing, result: str, key: tuple[Any, ...]) -> Any:
        end = self._ends[kind]
        columns = ", ".join(f"{name} {type_}" for name, type_ in zip(one.names, one.types(), strict=True))
        values = ", ".join(_literal(part, type_) for part, type_ in zip(key, one.types(), strict=True))
        end.query("DROP TABLE IF EXISTS g")
        try:
            end.query(f"CREATE TABLE g ({columns}, z {result} AS ({one.text}) STORED) {_TAIL}")
            end.query(f"INSERT INTO g ({', '.join(one.names)}) VALUES ({values})")
            return _text(end.query("SELECT CONCAT('', z) FROM g")[0][0])
        except pymysql.err.MySQLError:
            return "refused"


def _literal(digits: str | None, kind: str) -> str:
    if digits is None:
        return "NULL"
    return f"X'{digits}'" if "BINARY" in kind else f"CONVERT(X'{digits}' USING utf8mb4)"


def _text(value: Any) -> Any:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def is_same(one: Any, other: Any) -> bool:
    """Texts, or numbers however they are written."""
    if one == other or None in (one, other):
        return bool(one == other)
    try:
        here, there = Decimal(one), Decimal(other)
    except ArithmeticError:
        return False
    has_fraction = any(sign in text for sign in ".e" for text in (one, other))
    return here == there or (has_fraction and abs(here - there) <= _DIGITS_OF_DOUBLES * max(abs(here), abs(there)))


def crossed(
    ends: dict[str, Server], seed: int, seconds: float, forms: Sequence[str], collations: frozenset[str]
) -> Iterator[tuple[Crossing, list[str]]]:
    """Expressions that some pair takes for the same, with what is silent of them, until the time is over."""
    servers, crossings, end = CrossedServers(ends), Crossings(seed, forms), time.monotonic() + seconds
    while time.monotonic() < end:
        one = crossings.one()
        pairs = [*combinations(sorted(ends), 2)]
        taken = {pair: kind for pair in pairs if (kind := one.taken_as(pair, collations))}
        if taken:
            yield one, list(servers.differing(one, taken))
