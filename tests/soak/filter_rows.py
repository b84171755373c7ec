"""The table of `./dev soak filters`: a column of every type, and values chosen to hurt.

A row takes of each column one value at random; each value is in some row.  An expression's constants are of the
same values, so that what is equal meets.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

ROWS = 140


@dataclass(frozen=True)
class Kind:
    """Columns that go where others of their kind do, with the values that they take, as SQL."""

    columns: dict[str, str]
    values: tuple[str, ...]


_TEXTS = (
    "''", "' '", "'  a'", "'a'", "'A'", "'a '", "'A  '", "'b'", "'ab'", "'aB'", "'Ab '", "'a_b'", "'a%b'", "'a\\\\b'", "'a\\'b'",
    "'0'", "'1'", "'5'", "'-5'", "' 5 '", "'5.0'", "'5a'", "'1.5x'", "'1e2'", "'-0'", "'.5'", "'+7'", "'0x1F'",
    "'18446744073709551616'", "'99999999999999999999'", "'2024-02-29'", "'2024-02-30'", "'2024-2-9'", "'20240229'",
    "'2024-02-29 23:59:59'", "'2024-02-29 23:59:59.9999999'", "'0000-00-00'", "'10:11:12'", "'-10:30:00'", "'838:59:59'",
    "'[1, 2]'", "'{\"a\": 1, \"b\": \"x\"}'", "'\"x\"'", "'null'", "'a\\0'", "'\\t'", "'\\n'", "'a\\tb'", "'a\\nb'", "'abcabc'", "'aaa'",
    "'a,b'", "'a.b.c'", "'zz'", "'Z'",
)  # fmt: skip
_LATIN = ("'ä'", "'Ä'", "'é'", "'É'", "'ÿ'", "'Ÿ'", "'ß'", "'ss'", "'æ'", "'Ø'", "'ø'", "'ü'", "'Ü'", "'y'", "'€'", "'Þ'", "'þ'", "'µ'",
          "'×'", "'÷'", "'ï'", "'Š'", "'š'", "'ž'", "'Œ'", "'œ'", "'ƒ'", "'Straße'", "'STRASSE'", "'Ähre'", "'ae'")  # fmt: skip
_WIDE = ("'İ'", "'ı'", "'I'", "'i'", "'Ł'", "'ł'", "'σ'", "'ς'", "'Σ'", "'Ж'", "'ж'", "'ё'", "'е'", "'Ё'", "'中'", "'日本'", "'😀'",
         "'😁'", "'e\u0301'", "'ǆ'", "'Ǆ'", "'ﬁ'", "'ſ'", "'K'", "'Å'", "'ά'", "'α'", "'Α'", "'ა'", "'Ა'", "'ꭰ'", "'\u200b'", "'\u00a0'", "'ẞ'",
         "'ŉ'", "'Ꮿ'", "'א'", "'한'", "'Ａ'", "'１'")  # fmt: skip
_DATES = (
    "'0000-00-00'", "'0000-01-01'", "'0000-02-29'", "'0000-12-31'", "'0001-01-01'", "'0001-12-31'", "'0999-12-31'", "'1000-01-01'", "'1582-10-15'",
    "'1900-02-28'", "'1900-03-01'", "'1969-12-31'", "'1970-01-01'", "'2000-02-29'", "'2023-02-28'", "'2023-12-31'", "'2024-01-01'",
    "'2024-01-31'", "'2024-02-28'", "'2024-02-29'", "'2024-03-01'", "'2024-03-31'", "'2024-04-30'", "'2024-12-30'", "'2024-12-31'", "'9999-01-01'",
    "'9999-12-31'", "'2024-00-00'", "'2024-02-00'", "'2024-00-15'", "'2024-02-30'", "'2024-02-31'", "'2023-02-29'", "'0000-00-15'", "'2024-04-31'",
)  # fmt: skip
_CLOCKS = ("00:00:00", "00:00:00.000001", "00:00:00.5", "00:00:01", "10:11:12", "12:00:00", "10:30:00.55", "23:59:59", "23:59:59.4",
           "23:59:59.5", "23:59:59.999999")  # fmt: skip
_MOMENTS = tuple(
    f"{day[:-1]} {clock}'" for at, day in enumerate(_DATES) for clock in (_CLOCKS[0], _CLOCKS[at % len(_CLOCKS)])
)
_STAMPS = ("'1970-01-01 00:00:01'", "'1970-01-01 00:00:01.99'", "'2000-02-29 12:00:00'", "'2024-02-29 23:59:59.5'", "'2024-03-31 01:30:00'",
           "'2024-10-27 00:30:00'", "'2038-01-19 03:14:07.99'", "'0000-00-00 00:00:00'", "'2024-01-01 00:00:00'")  # fmt: skip
_TIMES = ("'00:00:00'", "'00:00:00.01'", "'-00:00:00.01'", "'-00:00:01'", "'-00:00:00.55'", "'10:11:12'", "'10:30:00'", "'10:30:00.55'",
          "'-10:30:00'", "'-10:30:00.55'", "'23:59:59'", "'23:59:59.99'", "'24:00:00'", "'100:00:00'", "'838:59:59'", "'-838:59:59'",
          "'838:59:58.99'", "'-838:59:58.99'", "'01:00:00'", "'00:10:00'")  # fmt: skip
_SMALL = ("0", "1", "-1", "2", "3", "5", "-5", "7", "14", "15", "-15", "97", "100", "127", "-128", "24", "70", "99")
_FRACTIONS = (
    "0.5",
    "-0.5",
    "1.5",
    "-1.5",
    "2.5",
    "-2.5",
    "0.005",
    "-0.005",
    "0.1",
    "0.333",
    "1.333",
    "9999999.999",
    "-9999999.999",
    "99.995",
)
_REALS = ("0e0", "-0e0", "1e0", "0.1e0", "-0.1e0", "0.3e0", "0.5e0", "1.5e0", "-1.5e0", "2.5e0", "-2.5e0", "1.1e0", "1e15", "123456789.123456789e0",
          "1e20", "-1e20", "1e-300", "16777217e0", "3e0", "100e0", "9007199254740993e0", "9223372036854775807e0", "2.675e0", "1.005e0")  # fmt: skip
_DOCUMENTS = (
    "'{}'", "'[]'", "'null'", "'1'", "'-1'", "'1.0'", "'1.5'", "'1e2'", "'\"x\"'", "'\"\"'", "'true'", "'[1, 2]'", "'[1, \"a\", null, {\"k\": 1}]'",
    """'{"a": 1, "b": "x"}'""", """'{"a": "1", "b": "X"}'""", """'{"a": 1.0, "b": "x "}'""", """'{"a": 1.50, "b": "é\\\\"\\\\n"}'""",
    """'{"a": -12345678901234567890, "b": null}'""", """'{"a": 18446744073709551615, "b": ""}'""", """'{"a": 0.1, "b": "5"}'""",
    """'{"a": 1e30, "b": "5x"}'""", """'{"a": [1, 2], "b": {"c": 1}}'""", """'{"a": true, "b": "é"}'""", """'{"a": false, "b": "😀"}'""",
    """'{"b": 1, "aa": 2, "a": 3}'""", """'{"a": {"b": [1, 2, 3]}}'""", """'{"a": -0.0, "b": "a"}'""", """'{"a": "", "b": "B"}'""",
    """'{"a": null}'""", """'{"a": "2024-02-29", "b": "\\\\u00e9"}'""",
)  # fmt: skip
_BYTES = (
    "''",
    "'a'",
    "'A'",
    "'a '",
    "x'00'",
    "x'6100'",
    "x'ff'",
    "x'c3a9'",
    "'5'",
    "'1.5x'",
    "'ab'",
    "' '",
    "x'f09f9880'",
    "'-5'",
    "'a%'",
    "x'80'",
)

KINDS = {
    "N": Kind({"i": "INT", "ti1": "TINYINT", "bo": "TINYINT(1)"}, (*_SMALL, "0", "1", "1", "5")),
    "L": Kind(
        {"b": "BIGINT", "zf": "INT(5) UNSIGNED ZEROFILL", "u": "BIGINT UNSIGNED"},
        ("0", "1", "5", "7", "99999", "12345", "42", "100", "2", "3", "15", "20240229", "200"),
    ),
    "B": Kind(
        {"bb": "BIGINT"},
        ("9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993", "9007199254740992", "0", "-1", "20240229235960",
         "20240229", "4294967296"),
    ),
    "U": Kind({"ub": "BIGINT UNSIGNED"}, ("18446744073709551615", "9223372036854775808", "0", "1", "5", "9007199254740993", "18446744073709551614")),
    "P": Kind({"n": "DECIMAL(10,3)", "m": "DECIMAL(30,10)"}, (*_FRACTIONS, *_SMALL)),
    "Q": Kind({"q": "DECIMAL(65,30)", "r": "DECIMAL(20,0)"}, (*_SMALL, "99999999999999999999", "-99999999999999999999", "9223372036854775808")),
    "D": Kind({"d": "DOUBLE"}, (*_REALS, "1e300", "-1e308", "1.7976931348623157e308")),
    "F": Kind({"f": "FLOAT"}, (*_REALS, "3.4e38")),
    "T": Kind({"v": "VARCHAR(40)", "c": "CHAR(30)", "x": "TEXT"}, (*_TEXTS, *_LATIN, *_WIDE)),
    "S": Kind(
        {"vb4": "VARCHAR(40) COLLATE utf8mb4_bin", "uc": "VARCHAR(40) COLLATE utf8mb4_unicode_ci", "u5": "VARCHAR(40) COLLATE utf8mb4_unicode_520_ci",
         "u0": "VARCHAR(40) COLLATE $AI", "un": "VARCHAR(40) COLLATE $BIN", "u3": "VARCHAR(40) CHARACTER SET utf8mb3"},
        (*_TEXTS, *_LATIN, *(text for text in _WIDE if len(text) == 3 and text < "'\uffff")),
    ),
    "W": Kind({"l": "VARCHAR(40) CHARACTER SET latin1", "lb": "VARCHAR(40) CHARACTER SET latin1 COLLATE latin1_bin"}, (*_TEXTS, *_LATIN)),
    "A": Kind({"a": "VARCHAR(40) CHARACTER SET ascii", "us": "VARCHAR(40) CHARACTER SET ucs2"}, _TEXTS),
    "G": Kind({"vb": "VARBINARY(40)", "bl": "BLOB"}, _BYTES),
    "g": Kind({"bn": "BINARY(4)"}, ("''", "'a'", "'A'", "x'00ff'", "'5'", "x'ffffffff'", "'ab  '")),
    "Y": Kind({"da": "DATE"}, _DATES),
    "M": Kind({"dt": "DATETIME", "d3": "DATETIME(3)", "d6": "DATETIME(6)"}, _MOMENTS),
    "Z": Kind({"ts": "TIMESTAMP(2) NULL", "ts0": "TIMESTAMP NULL"}, _STAMPS),
    "C": Kind({"t": "TIME", "t2": "TIME(2)", "t6": "TIME(6)"}, _TIMES),
    "y": Kind({"y": "YEAR"}, ("0", "1901", "1970", "1999", "2000", "2024", "2069", "2155")),
    "E": Kind({"e": "ENUM('a','B','2','','ü')"}, ("'a'", "'B'", "'2'", "''", "'ü'")),
    "s": Kind({"st": "SET('x','y','z')"}, ("''", "'x'", "'y'", "'x,z'", "'x,y,z'", "'z'")),
    "b": Kind({"bi": "BIT(8)", "b6": "BIT(64)", "b1": "BIT(1)"}, ("b'0'", "b'1'")),
    "O": Kind({"bt": "BIT(8)"}, ("b'0'", "b'1'", "b'101'", "b'1100001'", "b'110101'", "b'11111111'", "b'100000'", "b'1000001'")),
    "J": Kind({"j": "JSON"}, _DOCUMENTS),
}  # fmt: skip
COLUMNS = {name: kind for one in KINDS.values() for name, kind in one.columns.items()}
_OWN = {
    "mysql": {"$AI": "utf8mb4_0900_ai_ci", "$BIN": "utf8mb4_0900_bin"},
    "mariadb": {"$AI": "utf8mb4_uca1400_ai_ci", "$BIN": "utf8mb4_nopad_bin"},
}


def create(flavor: str, name: str) -> str:
    columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
    for word, own in _OWN[flavor].items():
        columns = columns.replace(word, own)
    return f"CREATE TABLE {name} (id INT PRIMARY KEY, {columns}) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"


def inserts(name: str, seed: int) -> list[str]:
    """A statement for each row."""
    chance = random.Random(seed)
    places = {column: _spread(chance, kind.values) for kind in KINDS.values() for column in kind.columns}
    return [
        f"INSERT INTO {name} VALUES ({row}, {', '.join(places[column][row] for column in COLUMNS)})"
        for row in range(ROWS)
    ]


def _spread(chance: random.Random, values: tuple[str, ...]) -> list[str]:
    """Each value once, some again, some NULL, in any order."""
    chosen = [*values, *["NULL"] * 4][:ROWS]
    chosen += [chance.choice(values) for _ in range(ROWS - len(chosen))]
    chance.shuffle(chosen)
    return chosen
