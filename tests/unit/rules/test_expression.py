"""Expressions over a row: what they are worth, and what is wrong with those that cannot be used."""

from __future__ import annotations

import pytest

from pkg.rules.expression.compiler import condition_of
from pkg.rules.expression.grammar import parse
from pkg.rules.expression.problem import BadExpression, BadValue, UnknownColumn
from pkg.schema.parse import parse_create_table

TABLE = parse_create_table(
    "CREATE TABLE t (i INT, u BIGINT UNSIGNED, p DECIMAL(10,2), d DOUBLE, f FLOAT, s VARCHAR(20), n VARCHAR(20) COLLATE utf8mb4_bin, "
    "uc VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, l VARCHAR(20) CHARACTER SET latin1, k VARCHAR(9) CHARACTER SET gbk, b VARBINARY(9), "
    "da DATE, dt DATETIME(3), tm TIME, y YEAR, e ENUM('x','Y'), st SET('p','q'), bt BIT(4), j JSON, g POINT) DEFAULT CHARSET utf8mb4",
    "shop",
)
ROW: dict[str, bytes] = {
    "i": b"-7", "u": b"18446744073709551615", "p": b"12.50", "d": b"0.1", "f": b"0.1", "s": b"'Stra\xc3\x9fe '",
    "n": b"'it\\'s'", "uc": b"'\xc3\x89t\xc3\xa9'", "l": b"'M\xc3\xbcller'", "k": b"'\xe4\xb8\xad'", "b": b"x'00ff'",
    "da": b"'2020-02-29'", "dt": b"'2020-02-29 23:59:59.500'", "tm": b"'-10:00:00'", "y": b"2020", "e": b"'Y'",
    "st": b"'p,q'", "bt": b"5", "j": b'\'{"a": {"b": [1, "two", null, true]}, "c d": 2.5}\'', "g": b"x'00'",
}  # fmt: skip


def truth(expression: str, **values: bytes) -> bool | None:
    row = {**ROW, **values}
    found: bool | None = condition_of(parse(expression), TABLE, "mysql")(tuple(row[one.name] for one in TABLE.columns))
    return found


@pytest.mark.parametrize(
    "expression",
    [
        "i = -7 AND NOT i = 7 AND i <> 0 AND i != 0",
        "i < -6.5 AND i * 2 = -14 AND -i = 7 AND i + '3' = -4",
        "u = 18446744073709551615 AND u > 0 AND u <=> 18446744073709551615",
        "p = 12.5 AND p / 8 = 1.5625 AND p DIV 5 = 2 AND p % 5 = 2.5 AND p MOD 5 = 2.5",
        "d = 0.1 AND d = 1e-1 AND f <> 0.1",
        "i DIV 2 = -3 AND i % 3 = -1 AND MOD(i, 3) = -1",
        "1 = 2 < 3",  # from left to right: (1 = 2) < 3
        "(i IS NULL) IS NOT NULL AND (i = NULL) IS NULL AND (i <=> NULL) = 0",
        "i = 7 IS FALSE",  # (i = 7) IS FALSE
        "!i = 0",  # (!i) = 0
        "NOT i = 0",  # NOT (i = 0)
        "1 | 2 & 4 << 1 = 1",
        "(TRUE OR NULL) AND (FALSE AND NULL) IS FALSE AND (NULL XOR 1) IS NULL",
        "i IN (1, NULL, -7) AND (i IN (1, NULL)) IS NULL AND i NOT IN (1, 2)",
        "i BETWEEN -10 AND 0 AND i NOT BETWEEN 0 AND 5 AND s BETWEEN 's' AND 't'",
        "s = 'STRASE' AND s <> 'strasse' AND s LIKE 'stra%' AND s NOT LIKE 'strase'",
        "uc = 'ete' AND uc > 'ESZ' AND uc LIKE '_T_' AND uc IN ('x', 'ete')",
        "n = 'it''s' AND n <> 'IT''S' AND n = \"it's\" AND n COLLATE utf8mb4_general_ci = 'IT''S'",
        r"n LIKE 'i%\'s' AND n LIKE '%|_s' ESCAPE '|' IS FALSE AND n REGEXP '^i.+s$' AND n RLIKE '^it'",
        "l = 'MULLER' IS FALSE AND l = 'MÜLLER' AND l = 'MYLLER'",  # latin1_swedish_ci
        "k = '中' COLLATE gbk_bin AND BINARY n = 'it''s' AND CAST('a' AS BINARY) <> 'A'",
        "b = x'00ff' AND b = 0x00FF AND LENGTH(b) = 2 AND HEX(b) = '00FF' AND x'41' + 0 = 65 AND b'101' = 5",
        "e = 'y' AND e = 2 AND st = 'P,Q' AND st = 3 AND st & 1 AND bt = 5 AND bt = b'0101'",
        "da = '2020-02-29' AND da = 20200229 AND da < '2020-02-29 00:00:01' AND da = DATE '2020-2-29'",
        "dt > '2020-02-29 23:59:59' AND dt < '2020-03-01' AND DATE(dt) = da AND dt = TIMESTAMP '2020-02-29 23:59:59.5'",
        "YEAR(da) = 2020 AND MONTH(dt) = 2 AND DAY(da) = 29 AND HOUR(dt) = 23 AND QUARTER(da) = 1 AND y = 2020",
        "da + INTERVAL 1 DAY = '2020-03-01' AND DATE_SUB(da, INTERVAL 1 YEAR) = '2019-02-28' AND DATEDIFF(dt, '2020-02-01') = 28",
        "tm < '00:00:00' AND tm = '-10:00:00' AND HOUR(tm) = 10 AND LAST_DAY(da) = da AND EXTRACT(YEAR FROM da) = 2020",
        "IF(i < 0, 'neg', 'pos') = 'neg' AND IFNULL(NULL, i) = -7 AND COALESCE(NULL, NULL, 3) = 3 AND NULLIF(1, 1) IS NULL",
        "CASE i WHEN 1 THEN 'one' WHEN -7 THEN 'seven' END = 'SEVEN' AND CASE WHEN i > 0 THEN 1 END IS NULL",
        "CONCAT(i, '|', da) = '-7|2020-02-29' AND CONCAT_WS('-', 'a', NULL, 'b') = 'a-b' AND CONCAT('a', NULL) IS NULL",
        "LOWER('ÀB') = 'àb' AND LENGTH(uc) = 5 AND CHAR_LENGTH(uc) = 3 AND SUBSTR('abcdef', -3, 2) = 'de' AND LEFT(n, 2) = 'it'",
        "SUBSTRING('abc' FROM 2 FOR 1) = 'b' AND TRIM(BOTH 'x' FROM 'xax') = 'a' AND REPLACE('aXa', 'X', 'b') = 'aba'",
        "LOCATE('B', 'abc') = 2 AND POSITION('c' IN 'abc') = 3 AND INSTR('abc', 'z') = 0 AND SUBSTRING_INDEX('a.b.c', '.', -2) = 'b.c'",
        "ABS(i) = 7 AND SIGN(i) = -1 AND CEIL(p) = 13 AND FLOOR(p) = 12 AND ROUND(p) = 13 AND TRUNCATE(p, 0) = 12 AND POW(2, 3) = 8",
        "GREATEST(1, i, 3) = 3 AND LEAST(da, da + INTERVAL 1 DAY) = da AND LEAST('b', 'A') = 'a' AND LEAST(1, NULL) IS NULL",
        "CAST(p AS SIGNED) = 13 AND CAST('12abc' AS UNSIGNED) = 12 AND CONVERT('1.005', DECIMAL(5,2)) = 1.01 AND CAST(i AS CHAR) = '-7'",
        "j->'$.a.b[0]' = 1 AND j->>'$.a.b[1]' = 'two' AND j->'$.\"c d\"' > 2 AND JSON_EXTRACT(j, '$.a.b[3]') = TRUE",
        "j->'$.a.b[2]' IS NOT NULL AND j->'$.x' IS NULL AND JSON_LENGTH(j, '$.a.b') = 4 AND j->>'$.a.b[2]' = 'null'",
        "JSON_EXTRACT('[1, 2]', '$[last]') = 2 AND j->'$.a.b[1]' <> 'TWO' AND JSON_VALID(n) = 0 AND JSON_CONTAINS_PATH(j, 'one', '$.a')",
        "5 / 0 IS NULL AND 5 % 0 IS NULL AND 5 DIV 0 IS NULL",
        "t.i = -7 AND shop.t.i = -7 AND `I` = -7",
    ],
)  # fmt: skip
def test_true(expression: str) -> None:
    assert truth(expression) is True


@pytest.mark.parametrize(
    "expression", ["i", "i = 1", "s LIKE 'x'", "d > 1", "dt + 0 > 1", "j->'$.a' = 1", "e = 1", "bt & 1"]
)
def test_null_is_neither_true_nor_false(expression: str) -> None:
    nulls = dict.fromkeys(ROW, b"NULL")
    assert truth(expression, **nulls) is None
    assert truth(f"NOT ({expression})", **nulls) is None
    assert truth(f"({expression}) IS TRUE", **nulls) is False


@pytest.mark.parametrize(
    ("expression", "reason", "at"),
    [
        ("", "it is empty", 0),
        ("i = ", "no expression of MySQL", 3),
        ("i = 1 j", "no expression of MySQL", 7),
        ("i = 1 AND SOUNDEX(s) = 'x'", "the function SOUNDEX is not known here", 11),
        ("i > 1 AND dt < NOW()", "NOW depends on when", 16),
        ("dt < current_timestamp", "CURRENT_TIMESTAMP depends on when", 6),
        ("RAND() < 0.5", "RAND depends on when", 1),
        ("LENGTH(s, 2) = 1", "LENGTH does not take 2 arguments", 1),
        ("i IN (SELECT 1)", "an expression sees one row", 7),
        ("COUNT(*) > 1", "the function COUNT is not known here", 1),
        ("i = ?", "has no place in an expression", 5),
        ("i = @x", "has no place in an expression", 5),
        ("i /*!50000 = 1 */", "executable comments", 12),
        ("other.i = 1", "of another table", 1),
        ("(i, d) = (1, 2)", "a row of values is not known here", 2),
        ("da = 'tomorrow'", "'tomorrow' is no date", 6),
        ("da = '2020-02-30'", "is no date", 6),
        ("y = 20", "a YEAR compares with a year of four digits", 5),
        ("y = '99'", "a YEAR compares with a year of four digits", 5),
        ("s = X'41'", "compares by the collation of the text", 5),
        ("i > X'41'", "a number and X'…' compare differently", 1),
        ("i IN (1, X'0A')", "a number and X'…' compare differently", 1),
        ("da < 1", "a number of 8 or 14 digits", 6),
        ("20200101 < CAST(da AS DATETIME)", "a number of 8 or 14 digits", 1),
        ("'A' IN (s, n)", "several types or collations", 1),
        ("s BETWEEN n AND 'a'", "several types or collations", 1),
        ("e NOT BETWEEN i AND 'b'", "several types or collations", 1),
        ("i BETWEEN 'a' AND 3", "both ends of BETWEEN", 1),
        ("LOCATE(n, s) > 0", "several types or collations", 1),
        ("NULLIF(e, 0.5) <= 1", "NULLIF takes two numbers", 1),
        ("k > 'a'", "how text compares in the collation gbk_chinese_ci is not known here", 1),
        ("k COLLATE gbk_bin > 'a'", "the order of texts in gbk_bin", 1),
        ("n COLLATE utf8mb4_bin = s COLLATE utf8mb4_general_ci", "illegal mix of collations", 25),
        ("s REGEXP '(?=x)'", "that servers read differently", 10),
        ("s REGEXP n", "a REGEXP pattern has to be a constant", 10),
        ("CONCAT(d, 'x') = 'y'", "CONCAT of REAL is not known", 8),
        ("g = 1", "which expressions cannot read", 1),
        ("j", "a JSON value is neither true nor false", 1),
        ("j->'a' = 1", "is no JSON path", 4),
        ("18446744073709551615 + 1 > 0", "out of the range of BIGINT", 1),
        ("INTERVAL 1 DAY", "an INTERVAL by itself", 0),
        ("'2020-01-01' + INTERVAL 1 DAY > da", "only a DATE or DATETIME takes an INTERVAL", 1),
        ("CAST(i AS YEAR) = 1", "CAST to", 6),
        ("l = 'тест'", "cannot be written in latin1", 5),
        ("p & 1", "bit operations take integers here", 1),
        ("tm = dt", "a time and a date do not compare", 6),
        ("(" * 80 + "i" + ")" * 80, "nested", 0),
        ("i = 1" + " " * 20_000, "has 20005 characters", 0),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said_with_its_place(expression: str, reason: str, at: int) -> None:
    with pytest.raises(BadExpression) as caught:
        condition_of(parse(expression), TABLE, "mysql")
    assert reason in caught.value.reason
    assert caught.value.at == at


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(UnknownColumn) as caught:
        condition_of(parse("i = 1 AND missing > 2"), TABLE, "mysql")
    assert (caught.value.column, caught.value.at) == ("missing", 11)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("u + 1 > 0", {}),
        ("i - u < 0", {"i": b"1"}),
        ("-u < 0", {}),
        ("d * 1e300 > 0", {"d": b"1e300"}),
        ("CAST(d AS SIGNED) > 0", {"d": b"1e300"}),
        ("j = 1 OR n->'$.a' = 1", {}),
        ("s = 'x'", {"s": b"x'ff'"}),
    ],
)
def test_an_operation_without_a_result_for_a_row(expression: str, values: dict[str, bytes]) -> None:
    with pytest.raises(BadValue):
        truth(expression, **values)


def test_only_named_columns_are_decoded() -> None:
    assert truth("i = -7", s=b"no literal at all", j=b"'{'") is True


def test_zero_dates_are_values() -> None:
    assert truth("da = '0000-00-00' AND YEAR(da) = 0 AND DAYOFWEEK(da) IS NULL", da=b"'0000-00-00'") is True
    assert truth("da < '2020-01-01'", da=b"'2019-00-00'") is True


def test_a_number_and_a_text_compare_as_floats_unless_the_number_is_an_integer_column() -> None:
    table = parse_create_table("CREATE TABLE t (b BIGINT, v VARCHAR(30))", "shop")
    row = (b"9007199254740993", b"'9007199254740992'")
    assert condition_of(parse("b = '9007199254740993'"), table, "mysql")(row) is True
    assert condition_of(parse("b = '9007199254740992'"), table, "mysql")(row) is False
    with pytest.raises(BadExpression):
        condition_of(parse("b = v"), table, "mysql")


@pytest.mark.parametrize(
    ("collation", "equal", "apart"),
    [
        ("utf8mb4_general_ci", [("ä", "A"), ("ß", "s"), ("a ", "a"), ("Ж", "ж")], [("æ", "ae"), ("ß", "ss")]),
        ("utf8mb4_unicode_ci", [("ä", "A"), ("ß", "SS"), ("a ", "a")], [("ø", "o"), ("æ", "ae")]),
        ("utf8mb4_unicode_520_ci", [("ø", "o"), ("Æ", "ae")], [("a", "b")]),
        ("utf8mb4_0900_ai_ci", [("É", "e"), ("œ", "OE"), ("Α", "ά")], [("a ", "a")]),
        ("utf8mb4_bin", [("a  ", "a")], [("a", "A"), ("e", "é")]),
        ("utf8mb4_0900_bin", [("a", "a")], [("a ", "a")]),
    ],
)
def test_collations(collation: str, equal: list[tuple[str, str]], apart: list[tuple[str, str]]) -> None:
    table = parse_create_table(
        f"CREATE TABLE t (a VARCHAR(9) COLLATE {collation}, b VARCHAR(9) COLLATE {collation})", "s"
    )
    same = condition_of(parse("a = b"), table, "mysql")
    for one, other in equal:
        assert same((f"'{one}'".encode(), f"'{other}'".encode())) is True, (one, other)
    for one, other in apart:
        assert same((f"'{one}'".encode(), f"'{other}'".encode())) is False, (one, other)
