"""Random expressions over one table with a column of every kind, and rows that lie where types have their edges."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st

COLUMNS = {
    "id": "INT PRIMARY KEY",
    "i": "INT",
    "b": "BIGINT",
    "u": "BIGINT UNSIGNED",
    "de": "DECIMAL(12,3)",
    "d": "DOUBLE",
    "f": "FLOAT",
    "s": "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    "uc": "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
    "n": "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "l": "VARCHAR(40) CHARACTER SET latin1 COLLATE latin1_swedish_ci",
    "bi": "VARBINARY(40)",
    "da": "DATE",
    "dt": "DATETIME",
    "d3": "DATETIME(3)",
    "tm": "TIME",
    "y": "YEAR",
    "e": "ENUM('x','Y','z a')",
    "st": "SET('p','q','r')",
    "bt": "BIT(5)",
}
WORDS = [
    "", "a", "A", "abc", "ABC ", "ab_", "a%c", "ä", "Ä", "straße", "STRASSE", "z", "Zz", "1", "12", " 7", "1.5", "1e2", "-3",
    "2020-02-29", "x", "y", "é", "ñ", "Å", "o", "ö", "_", "-a", "a-b", "a\tb", "a'b", "a\\b", "Øre", "ø", "тест", "ТЕСТ",
]  # fmt: skip
NUMBERS = ["0", "1", "-1", "2", "3", "7", "10", "100", "1.5", "0.1", "-2.25", "1e1", "2.5e-1", "20200229"]
BIG = ["9223372036854775807", "9223372036854775808", "18446744073709551615", "4611686018427387904"]
DATES = ["2020-02-29", "1999-12-31", "2000-01-01", "2020-02-28", "1970-01-01"]
CLOCKS = ["00:00:00", "10:11:12", "23:59:59"]
_TEXT_COLUMNS = ["s", "n", "s", "uc"]
_INTEGERS = ["i", "b", "id", "bt", "i"]


def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def rows(seed: int, count: int) -> list[str]:
    """Rows as lists of SQL literals."""
    chance = random.Random(seed)
    return ["(" + ", ".join([str(number), *_row(chance)]) + ")" for number in range(count)]


def _row(chance: random.Random) -> list[str]:
    latin = [word for word in WORDS if all(ord(letter) < 256 for letter in word)]
    one: Callable[[list[str]], str] = chance.choice
    values = [
        one(["0", "1", "2", "-1", "7", "2147483647", "-2147483648", "12", "20200229"]),
        one(["0", "1", "-5", "9223372036854775800", "-9223372036854775800", "9007199254740993"]),
        one(["0", "1", "3", "18446744073709551615", "9223372036854775808"]),
        one(["0", "1.5", "-2.25", "0.001", "123456789.999", "10"]),
        one(["0", "1.5", "1e15", "-2.5", "0.1", "1e-5", "3"]),
        one(["0", "1.5", "0.1", "-3.25", "1e5"]),
        quoted(one(WORDS)),
        quoted(one(WORDS)),
        quoted(one(WORDS)),
        quoted(one(latin)),
        one(["''", "'a'", "x'00ff'", "'A'", "'12'"]),
        quoted(one([*DATES, "0000-00-00", "2020-00-10"])),
        quoted(f"{one(DATES)} {one(CLOCKS)}"),
        quoted(f"{one(DATES)} {one(CLOCKS)}{one(['', '.5', '.123'])}"),
        quoted(one([*CLOCKS, "-10:00:00", "838:59:59"])),
        one(["2020", "1999", "0"]),
        quoted(one(["x", "Y", "z a"])),
        quoted(one(["", "p", "p,q", "r"])),
        one(["0", "1", "31", "5"]),
    ]
    return [value if chance.random() > 0.12 else "NULL" for value in values]


def _call(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    return st.tuples(*[part if not isinstance(part, str) else st.just(part) for part in parts]).map("".join)


_number = st.sampled_from([*NUMBERS, *BIG[:1]])
_signed = st.sampled_from(["i", "b", "id", "de", "d", "(i + 1)", "-1", "2", "1.5", "7", "LENGTH(s)"])
_small = st.sampled_from(["0", "1", "2", "3", "-1", "-2"])
_word = st.sampled_from(WORDS).map(quoted)
_day = st.sampled_from(DATES).map(quoted)
_moment = st.tuples(st.sampled_from(DATES), st.sampled_from(CLOCKS)).map(lambda pair: quoted(" ".join(pair)))
_clock = st.sampled_from(CLOCKS).map(quoted)


def numeric(depth: int) -> st.SearchStrategy[str]:
    leaf = st.one_of(_number, st.sampled_from([*_INTEGERS, "u", "de", "d", "f", "i", "de"]))
    if depth == 0:
        return leaf
    inner, text, date = numeric(depth - 1), textual(depth - 1), temporal(depth - 1)
    return st.one_of(
        leaf,
        _call("(", inner, st.sampled_from([" + ", " - ", " * ", " / ", " DIV ", " MOD "]), inner, ")"),
        _call("(", st.sampled_from(_INTEGERS), st.sampled_from([" & ", " | ", " ^ "]), inner, ")"),
        _call(
            "(",
            st.sampled_from(_INTEGERS),
            st.sampled_from([" << ", " >> "]),
            st.sampled_from(["0", "3", "63", "64"]),
            ")",
        ),
        _call("-", _signed),
        _call(st.sampled_from(["ABS", "SIGN", "FLOOR", "CEIL", "ROUND"]), "(", inner, ")"),
        _call(st.sampled_from(["ROUND", "TRUNCATE"]), "(", inner, ", ", st.sampled_from(["0", "1", "2"]), ")"),
        _call(st.sampled_from(["LENGTH", "CHAR_LENGTH", "ASCII", "CRC32"]), "(", text, ")"),
        _call("STRCMP(", text, ", ", text, ")"),
        _call(
            "LOCATE(", st.sampled_from(["'a'", "'B'", "''", "'-a'"]), ", ", st.sampled_from(["n", "e", "LOWER(n)"]), ")"
        ),
        _call(st.sampled_from(["MONTH", "DAY", "QUARTER", "DAYOFWEEK", "WEEKDAY", "TO_DAYS"]), "(", date, ")"),
        _call("DATEDIFF(", date, ", ", date, ")"),
        _call(st.sampled_from(["HOUR", "MINUTE", "SECOND"]), "(", st.sampled_from(["tm", "dt", "d3"]), ")"),
        _call("CAST(", st.one_of(inner, text), " AS ", st.sampled_from(["SIGNED", "DECIMAL(10,2)"]), ")"),
        _call("IF(", boolean(depth - 1), ", ", inner, ", ", inner, ")"),
        _call(st.sampled_from(["COALESCE", "IFNULL", "NULLIF"]), "(", inner, ", ", inner, ")"),
        _call("CASE ", _signed, " WHEN ", _signed, " THEN ", inner, " ELSE ", inner, " END"),
    )


def textual(depth: int) -> st.SearchStrategy[str]:
    leaf = st.one_of(_word, st.sampled_from([*_TEXT_COLUMNS, "e", "st", "l"]))
    if depth == 0:
        return leaf
    column = st.sampled_from(_TEXT_COLUMNS)
    inner = textual(depth - 1)
    return st.one_of(
        leaf,
        _call(st.sampled_from(["LOWER", "UPPER", "TRIM", "REVERSE", "LTRIM"]), "(", inner, ")"),
        _call(st.sampled_from(["SUBSTR", "LEFT", "RIGHT", "REPEAT"]), "(", inner, ", ", _small, ")"),
        _call("SUBSTRING(", inner, " FROM ", _small, " FOR ", _small, ")"),
        _call("CONCAT(", column, ", ", _word, ")"),
        _call("CONCAT_WS(", _word, ", ", column, ", ", _word, ")"),
        _call("REPLACE(", column, ", ", _word, ", ", _word, ")"),
        _call("COALESCE(", column, ", ", _word, ")"),
        _call("CONCAT(", st.sampled_from(["i", "de", "da", "dt", "u"]), ", ", column, ")"),
        _call("SUBSTRING_INDEX(", column, ", ", st.sampled_from(["'a'", "'-'"]), ", ", _small, ")"),
    )


def temporal(depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(["da", "dt", "d3"])
    if depth == 0:
        return leaf
    unit = st.sampled_from(["DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "WEEK"])
    return st.one_of(
        leaf,
        _call("DATE(", leaf, ")"),
        _call("(", leaf, st.sampled_from([" + ", " - "]), "INTERVAL ", _small, " ", unit, ")"),
        _call("LAST_DAY(", leaf, ")"),
        _call("CAST(", st.one_of(_day, _moment), " AS DATETIME)"),
    )


_SIGNS = st.sampled_from([" = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> ", " != "])


def boolean(depth: int) -> st.SearchStrategy[str]:
    number, text, date = numeric(depth), textual(depth), temporal(depth)
    tests = [
        _call("(", number, _SIGNS, number, ")"),
        _call("(", text, _SIGNS, text, ")"),
        _call("(", date, _SIGNS, date, ")"),
        _call("(", st.sampled_from(["da", "dt"]), _SIGNS, st.one_of(_day, _moment), ")"),
        _call(
            "(CAST(",
            st.one_of(st.sampled_from(_INTEGERS), text),
            " AS UNSIGNED)",
            _SIGNS,
            st.sampled_from(["0", "12", "u"]),
            ")",
        ),
        _call("(YEAR(", date, ")", _SIGNS, st.sampled_from(["2020", "1999", "i", "MONTH(da)"]), ")"),
        _call("(y", _SIGNS, st.sampled_from(["2020", "1999", "'2020'", "0"]), ")"),
        _call("(tm", _SIGNS, _clock, ")"),
        _call("(bi", _SIGNS, st.sampled_from(["'a'", "'A'", "x'00ff'"]), ")"),
        _call("(", st.sampled_from(["i", "b", "u", "d", "s"]), _SIGNS, st.one_of(_word, _number), ")"),
        _call(
            "(",
            text,
            st.sampled_from([" LIKE ", " NOT LIKE "]),
            st.sampled_from(["'a%'", "'%a%b%'", "'%s_r%%e'", "'%b_'", "'A_C'", "'ä'"]),
            ")",
        ),
        _call(
            "(", st.sampled_from(["s", "n"]), " REGEXP ", st.sampled_from(["'^a'", "'b.?$'", "'[0-9]+'", "'a|x'"]), ")"
        ),
        _call("(", number, " BETWEEN ", number, " AND ", number, ")"),
        _call("(", text, " NOT BETWEEN ", _word, " AND ", _word, ")"),
        _call("(", _signed, " IN (", _signed, ", ", _signed, ", NULL))"),
        _call("(", text, " IN (", _word, ", ", _word, "))"),
        _call("(", number, st.sampled_from([" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE"]), ")"),
        _call("(", st.sampled_from(["e", "st"]), _SIGNS, st.sampled_from(["1", "2", "'x'", "'X'", "'p,q'"]), ")"),
    ]
    if depth == 0:
        return st.one_of(tests)
    inner = boolean(depth - 1)
    return st.one_of(
        *tests,
        _call("(", inner, st.sampled_from([" AND ", " OR ", " XOR ", " && ", " || "]), inner, ")"),
        _call("(NOT ", inner, ")"),
        _call("(", inner, " = ", inner, ")"),
        _call(inner, st.sampled_from([" AND ", " OR ", " XOR "]), inner, st.sampled_from([" AND ", " OR "]), inner),
    )
