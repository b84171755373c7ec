"""Random conditions over the columns of ``filter_rows``, of the whole language of expression filters.

In a form ``{n}`` is a number, ``{t}`` a text, ``{g}`` bytes, ``{d}`` a date or moment, ``{c}`` a time, ``{j}`` a document,
``{x}`` anything, and ``#`` a small number.  One operand of eight is of any kind at all.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tests.soak.filter_rows import KINDS

_KINDS_OF = {"n": "NNLBUPPQDFybOE", "t": "TTTSSWAE", "g": "Gg", "d": "YYMMZ", "c": "C", "j": "J", "s": "sEObyU"}
_KINDS_OF["x"] = "".join(KINDS)
OPERANDS = (
    "{n} + {n}", "{n} - {n}", "{n} * {n}", "{n} / {n}", "{n} DIV {n}", "{n} % {n}", "-{n}", "{n} & {n}", "{n} | #", "{n} ^ {n}", "{n} << #", "{n} >> #",
    "~{n}", "{n} + 0", "{t} + 0", "{x} * 1", "{d} + 0", "{c} + 0", "{n} + #.5", "{n} / #", "{n} * #.25", "{s} + 0", "{x} DIV #", "{n} MOD #",
    "CASE WHEN {n} THEN {n} ELSE {n} END", "CASE {t} WHEN {t} THEN {x} ELSE {x} END", "IF({n}, {t}, {t})", "IF({x}, {n}, {n})", "IF({t} = {t}, {d}, {d})",
    "IFNULL({n}, {n})", "IFNULL({t}, {t})", "IFNULL({x}, {x})", "IFNULL({x}, 0)", "IFNULL({t}, '')", "COALESCE({x}, {x}, #)", "COALESCE({n}, {n})",
    "COALESCE({t}, '')", "COALESCE({d}, {d})", "NULLIF({n}, {n})", "NULLIF({n}, #)", "NULLIF({t}, '')", "NULLIF({t}, {t})", "NULLIF({d}, {d})",
    "NULLIF({x}, {x})", "GREATEST({n}, {n})", "LEAST({n}, {n}, {n})", "GREATEST({t}, {t})", "LEAST({d}, {d})", "GREATEST({c}, {c})", "LEAST({n}, #)",
    "GREATEST({x}, {x})", "CONCAT({t}, {t})", "CONCAT({x}, '')", "CONCAT({x}, '-', {x})", "CONCAT({n}, '')", "CONCAT_WS('-', {x}, {x})",
    "CONCAT_WS(',', {t}, {t})", "CONCAT({g}, {g})", "LOWER({t})", "UPPER({t})", "LOWER({x})", "UPPER({x})", "LCASE({t})", "UCASE({t})", "TRIM({t})",
    "TRIM({x})", "LTRIM({t})", "RTRIM({t})", "TRIM(LEADING 'a' FROM {t})", "TRIM(TRAILING 'a' FROM {t})", "TRIM(BOTH {t} FROM {t})", "REVERSE({t})",
    "REVERSE({x})", "LEFT({t}, #)", "LEFT({x}, #)", "RIGHT({t}, #)", "LEFT({t}, {n})", "RIGHT({x}, {n})", "SUBSTRING({t}, #)", "SUBSTRING({x}, #)",
    "SUBSTR({t}, #, #)", "SUBSTRING({t}, {n}, {n})", "MID({t}, #, 2)", "SUBSTRING({t} FROM # FOR #)", "SUBSTRING({t}, -#)", "SUBSTRING_INDEX({t}, 'b', #)",
    "SUBSTRING_INDEX({t}, ',', -1)", "SUBSTRING_INDEX({t}, '.', #)", "SUBSTRING_INDEX({x}, '-', {n})", "SUBSTRING_INDEX({t}, 'aa', -#)",
    "REPLACE({t}, 'a', 'Q')", "REPLACE({t}, {t}, 'q')", "REPLACE({x}, '-', '')", "REPEAT({t}, #)", "REPEAT({x}, {n})", "LENGTH({t})", "LENGTH({x})",
    "OCTET_LENGTH({g})", "CHAR_LENGTH({t})", "CHAR_LENGTH({x})", "CHARACTER_LENGTH({g})", "CRC32({t})", "CRC32({x})", "HEX({t})", "HEX({x})", "HEX({n})",
    "ASCII({t})", "ASCII({x})", "LOCATE('a', {t})", "LOCATE({t}, {t})", "LOCATE({t}, {t}, #)", "LOCATE('b', {x})", "POSITION('a' IN {t})", "INSTR({t}, 'B')",
    "INSTR({t}, {t})", "INSTR({x}, '0')", "STRCMP({t}, {t})", "STRCMP({t}, 'b')", "STRCMP({x}, {x})", "REGEXP_LIKE({t}, '^a')", "ABS({n})", "ABS({x})",
    "SIGN({n})", "SIGN({x})", "FLOOR({n})", "CEIL({n})", "CEILING({n})", "FLOOR({x})", "ROUND({n})", "ROUND({n}, #)", "ROUND({n}, -#)", "ROUND({x}, 1)",
    "TRUNCATE({n}, #)", "TRUNCATE({n}, -1)", "TRUNCATE({x}, 2)", "MOD({n}, {n})", "MOD({n}, 3)", "SQRT({n})", "POW({n}, 2)", "POWER({n}, {n})", "POW({x}, #)",
    "YEAR({d})", "YEAR({x})", "MONTH({d})", "DAY({d})", "DAYOFMONTH({d})", "DAY({x})", "HOUR({c})", "HOUR({d})", "HOUR({x})", "MINUTE({c})", "MINUTE({x})",
    "SECOND({d})", "SECOND({c})", "MICROSECOND({c})", "MICROSECOND({d})", "MICROSECOND({x})", "QUARTER({d})", "QUARTER({x})", "DAYOFWEEK({d})", "WEEKDAY({d})",
    "DAYOFYEAR({d})", "TO_DAYS({d})", "TO_DAYS({x})", "DATE({d})", "DATE({x})", "TIME({d})", "TIME({c})", "TIME({x})", "LAST_DAY({d})", "LAST_DAY({x})",
    "DATEDIFF({d}, {d})", "DATEDIFF({d}, '2024-02-29')", "DATEDIFF({x}, {d})", "{d} + INTERVAL # DAY", "{d} - INTERVAL # DAY", "{d} + INTERVAL {n} DAY",
    "{d} - INTERVAL # SECOND", "{d} + INTERVAL # HOUR", "{d} - INTERVAL # MINUTE", "{d} + INTERVAL # MICROSECOND", "{d} + INTERVAL #.5 SECOND",
    "{d} - INTERVAL 0.7 MINUTE", "{d} + INTERVAL {n} SECOND", "DATE_ADD({d}, INTERVAL # MONTH)", "DATE_SUB({d}, INTERVAL # YEAR)", "{d} - INTERVAL # MONTH",
    "DATE_ADD({d}, INTERVAL # WEEK)", "ADDDATE({d}, INTERVAL # QUARTER)", "SUBDATE({d}, INTERVAL {n} DAY)", "{x} + INTERVAL 1 DAY",
    "DATE_ADD({d}, INTERVAL '1' DAY)", "DATE_ADD({d}, INTERVAL '1.5' DAY)", "{d} + INTERVAL {x} HOUR", "EXTRACT(YEAR FROM {d})", "EXTRACT(MONTH FROM {d})",
    "EXTRACT(DAY FROM {d})", "EXTRACT(HOUR FROM {c})", "EXTRACT(MINUTE FROM {c})", "EXTRACT(SECOND FROM {c})", "EXTRACT(MICROSECOND FROM {c})",
    "EXTRACT(HOUR FROM {d})", "EXTRACT(MICROSECOND FROM {d})", "EXTRACT(QUARTER FROM {d})", "EXTRACT(DAY FROM {x})", "EXTRACT(HOUR FROM {x})",
    "CAST({n} AS SIGNED)", "CAST({t} AS SIGNED)", "CAST({x} AS SIGNED)", "CAST({n} AS UNSIGNED)", "CAST({x} AS UNSIGNED)", "CAST({t} AS UNSIGNED)",
    "CAST({x} AS CHAR)", "CAST({n} AS CHAR)", "CAST({t} AS CHAR(3))", "CAST({x} AS CHAR(2))", "CAST({d} AS DATE)", "CAST({x} AS DATE)", "CAST({t} AS DATE)",
    "CAST({d} AS DATETIME)", "CAST({x} AS DATETIME)", "CAST({d} AS DATETIME(3))", "CAST({t} AS DATETIME(6))", "CAST({c} AS TIME)", "CAST({x} AS TIME)",
    "CAST({d} AS TIME(2))", "CAST({t} AS TIME(6))", "CAST({n} AS DECIMAL(12,2))", "CAST({x} AS DECIMAL(12,2))", "CAST({t} AS DECIMAL(5,1))",
    "CAST({n} AS DECIMAL)", "CAST({x} AS BINARY)", "CAST({t} AS BINARY)", "CAST({x} AS DOUBLE)", "CAST({t} AS DOUBLE)", "CAST({j} AS JSON)", "CAST({t} AS JSON)",
    "CONVERT({x}, CHAR)", "CONVERT({n}, SIGNED)", "BINARY {t}", "BINARY {x}", "{t} COLLATE utf8mb4_bin", "{t} COLLATE utf8mb4_unicode_ci", "{t} COLLATE latin1_bin",
    "JSON_EXTRACT({j}, '$.a')", "JSON_EXTRACT({j}, '$.b')", "JSON_EXTRACT({j}, '$[0]')", "JSON_EXTRACT({j}, '$.a', '$.b')", "JSON_EXTRACT({j}, '$.*')",
    "JSON_UNQUOTE(JSON_EXTRACT({j}, '$.a'))", "JSON_UNQUOTE(JSON_EXTRACT({j}, '$.b'))", "JSON_UNQUOTE({j})", "JSON_UNQUOTE({t})", "JSON_LENGTH({j})",
    "JSON_LENGTH({j}, '$.a')", "JSON_VALID({j})", "JSON_VALID({t})", "JSON_CONTAINS_PATH({j}, 'one', '$.a', '$.z')", "JSON_CONTAINS_PATH({j}, 'all', '$.b')",
    "{j} -> '$.a'", "{j} ->> '$.a'", "{j} ->> '$.b'", "{j} -> '$.b'", "JSON_EXTRACT({j}, '$.a.b[last]')", "JSON_EXTRACT({t}, '$.a')",
)  # fmt: skip
CONDITIONS = (
    "{n} = {n}", "{n} <> {n}", "{n} < {n}", "{n} >= {n}", "{n} <=> {n}", "{t} = {t}", "{t} < {t}", "{t} >= {t}", "{t} <> {t}", "{g} = {g}", "{g} < {g}",
    "{d} = {d}", "{d} < {d}", "{c} > {c}", "{x} = {x}", "{x} < {x}", "{x} <=> {x}", "{d} = '2024-02-29'", "{d} < '2024'", "{d} >= '2024-2-9'", "{d} > 20240229",
    "{d} = '2024-02-29 23:59:59.5'", "{d} = 20240229235959", "{d} < '0000-00-00'", "{c} > '10:00:00'", "{c} = '10:30'", "{c} < 0", "{c} > 103000", "{y} = 2024",
    "{s} = 'x'", "{s} > 1", "{s} = '2'", "{n} IN (1, 5, NULL)", "{n} IN (1.5, 5)", "{n} NOT IN (1, -5)", "{n} IN ('5', '1')", "{n} IN (5, '1')",
    "{t} IN ('a', 'B ', 'ä')", "{t} NOT IN ('a', '')", "{t} IN ('5', 5)", "{t} IN (5, 1)", "{x} IN ('a', '5')", "{x} IN (1, 5)", "{d} IN ('2024-02-29', '1970-01-01')",
    "{x} IN ({x}, {x})", "{n} IN ({n}, #)", "{t} IN ({t}, 'a')", "{x} BETWEEN {x} AND {x}", "{n} BETWEEN -5 AND 5", "{n} NOT BETWEEN # AND 5.5", "{t} BETWEEN 'a' AND 'c'",
    "{d} BETWEEN '2000-01-01' AND '2024-02-29'", "{c} BETWEEN '00:00:00' AND '12:00:00'", "{n} BETWEEN '1' AND '5'", "{x} BETWEEN 1 AND 5", "{g} BETWEEN 'a' AND 'b'",
    "{t} LIKE 'a%'", "{t} LIKE '%b'", "{t} LIKE '_'", "{t} LIKE 'ä%'", "{t} LIKE {t}", "{t} NOT LIKE 'A_'", "{t} LIKE 'a|%' ESCAPE '|'", "{x} LIKE '5%'",
    "{x} LIKE '2024%'", "{x} LIKE '%0'", "{t} LIKE '%\\_%'", "{t} LIKE '%a%b%'", "{g} LIKE 'A%'", "{g} LIKE '_'", "{t} LIKE 's'", "{t} LIKE 'ss'", "{t} LIKE '% '",
    "{t} REGEXP '^a'", "{t} REGEXP 'A$'", "{t} REGEXP '^[a-c]+$'", "{t} REGEXP '^.$'", "{t} RLIKE 'É'", "{x} REGEXP '[0-9]{2}'", "{t} REGEXP '[[:alpha:]]'",
    "{t} REGEXP '\\\\s'", "{t} REGEXP '\\\\w+'", "{t} NOT REGEXP 'ss|ÿ'", "{x} IS NULL", "{x} IS NOT NULL", "{x} IS TRUE", "{n} IS NOT FALSE", "{x} IS NOT TRUE",
    "{x} IS UNKNOWN", "{x}", "{n}", "NOT {x}", "!{n}", "ISNULL({x})", "{n} AND {n}", "{x} OR {x}", "{n} XOR {n}", "{x} = NULL", "{t} = 'a'", "{t} = 'A '", "{t} > ''",
    "{t} = 'ß'", "{t} = 'ss'", "{t} = 'ÿ'", "{t} < 'b'", "{t} = 5", "{t} = 0", "{n} = '5'", "{n} = '5x'", "{n} = 'a'", "{n} > '1.5'", "{n} = TRUE", "{n} = x'05'",
    "{n} = b'101'", "{g} = x'61'", "{t} = x'61'", "{t} = _utf8mb4'ä'", "{n} = 1e0", "{n} > 18446744073709551615", "{n} = -1", "{n} < 0.1", "{n} = 0.1", "{n} = 0.1e0",
    "{n} = 9007199254740993", "{n} > 1e300", "{x} = '5'", "{x} = 5", "{x} = ''", "{x} > 'a'", "{x} <> 0", "{n} & 1", "{s} & 3 = 1", "{j} = 1", "{j} = '1'",
    "{j} -> '$.a' = 1", "{j} -> '$.a' = '1'", "{j} ->> '$.a' = '1'", "{j} -> '$.b' = 'x'", "{j} ->> '$.b' = 'X'", "{j} -> '$.a' > 0.5", "{j} -> '$.a' = TRUE",
    "{j} -> '$.a' = {n}", "{j} ->> '$.b' LIKE 'x%'", "{j} ->> '$.a' > 0", "{j} -> '$.b' < 'y'", "JSON_EXTRACT({j}, '$.a') = 1", "JSON_EXTRACT({j}, '$.b') = 'x'",
    "JSON_EXTRACT({j}, '$.a') IS NULL", "JSON_UNQUOTE(JSON_EXTRACT({j}, '$.a')) = '1'", "JSON_EXTRACT({j}, '$.a') > 0", "JSON_EXTRACT({j}, '$.b') = 5",
    "CASE WHEN {n} > 0 THEN {t} = 'a' ELSE {d} > '2000-01-01' END", "CASE {n} WHEN 1 THEN 1 WHEN 5 THEN 0 END", "IF({n} > 1, {n}, {x})", "{n} = 1 = 1", "5 > {n} > 1",
    "{n} - - 5 = 10", "NOT {n} = 5", "NOT {n} BETWEEN 1 AND 5", "{n} IS NULL = 0", "-{n} DIV 2 = 2", "{n} = 5 OR {t} = 'a' AND {t} = 'b'",
)  # fmt: skip
_SIGNS = ("=", "=", "=", "<>", "<", ">", "<=>", ">=", "<=")
_NUMBERS = (0, 1, 2, 3, 5, 7, 10)
_HOLE = re.compile(r"\{([a-z])\}")


class Makes:
    """Random conditions; ``value`` gives a literal of what an operand is in some row, or "" where it has none."""

    def __init__(self, seed: int, only: str, value: Callable[[str, random.Random], str]) -> None:
        self._chance = random.Random(seed)
        self._operands = [form for form in OPERANDS if only in form]
        self._conditions = [form for form in CONDITIONS if only in form]
        self._value = value

    def one(self) -> str:
        chance = self._chance
        if self._operands and (not self._conditions or chance.random() < 0.7):
            operand = self._filled(chance.choice(self._operands), chance.choice((0, 0, 0, 1, 1, 2)))
            return self._about(operand)
        made = self._filled(chance.choice(self._conditions), chance.choice((0, 0, 1, 1, 2)))
        if chance.random() < 0.15:
            other = self._filled(chance.choice(CONDITIONS), 0)
            made = chance.choice(("({}) AND ({})", "({}) OR ({})", "NOT ({}) XOR ({})")).format(made, other)
        return made

    def _about(self, operand: str) -> str:
        """A condition on the operand's value: most are TRUE of the row that the value is of."""
        chance, wrapped = self._chance, f"({operand})"
        literal = self._value(operand, chance)
        how = chance.random()
        if not literal or how < 0.08:
            return chance.choice(("{0} IS NULL", "{0}", "{0} IS NOT NULL", "NOT {0}")).format(wrapped)
        if how < 0.14:
            return f"{wrapped} IN ({literal}, {literal})"
        if how < 0.18 and literal.startswith("'"):
            return f"{wrapped} LIKE {literal}"
        if how < 0.25:
            return f"{wrapped} {chance.choice(_SIGNS)} {chance.choice(list(_columns('x')))}"
        return f"{wrapped} {chance.choice(_SIGNS)} {literal}"

    def _filled(self, form: str, depth: int) -> str:
        def operand(found: re.Match[str]) -> str:
            kind = found[1] if self._chance.random() < 0.88 else "x"
            if depth and self._chance.random() < 0.55:
                return f"({self._filled(self._chance.choice(_fitting(kind)), depth - 1)})"
            return self._chance.choice(list(_columns(kind)))

        made = _HOLE.sub(operand, form)
        return re.sub(r"#", lambda _: str(self._chance.choice(_NUMBERS)), made)


def _columns(kind: str) -> Sequence[str]:
    return [column for name in _KINDS_OF.get(kind, kind) for column in KINDS[name].columns]


def _fitting(kind: str) -> Sequence[str]:
    """Forms whose value is of the kind, by the kinds of their own operands as a rule of thumb."""
    return [form for form in OPERANDS if kind == "x" or f"{{{kind}}}" in form] or OPERANDS
