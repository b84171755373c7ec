"""Random expressions of generated columns, calculated by each server: `./dev soak expressions [--count N] [--seed S] [--only TEXT]`.

What one server calculates for hurting values is compared with what another one does, and with what the product says of the
expression (``pkg/schema/other_expressions.py``).  One that it takes for the same and that differs is printed with the row
that shows it, and ends the campaign with 1.  What it refuses although it was the same is counted by function: needless.
At its end a campaign adds a line to tests/soak/ledger/expressions.jsonl.  `--crossed SECONDS` tries such as are taken for
the same with all values of their columns (``expressions_crossed.py``).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pkg.schema.ddl import parse_ddl
from pkg.schema.lexer import tokenize
from pkg.schema.other_expressions import other_expressions
from pkg.schema.parse import parse_create_table
from pkg.schema.portable import unknown_reason
from tests.cases.replicate.comparing import Server, connected
from tests.servers import start
from tests.soak.commit import commit
from tests.soak.expressions_crossed import crossed

LEDGER = Path(__file__).parent / "ledger" / "expressions.jsonl"
KINDS = ("mariadb", "mysql", "tidb")
PAIRS = (("mariadb", "tidb"), ("mysql", "tidb"), ("mysql", "mariadb"), ("mariadb", "mysql"))
AT_ONCE = 8  # columns of one table
COLLATIONS = frozenset({"utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_bin"})
COLUMNS = {
    "i": "INT", "u": "BIGINT UNSIGNED", "bo": "TINYINT(1)", "zf": "INT(5) UNSIGNED ZEROFILL", "n": "DECIMAL(10,3)",
    "m": "DECIMAL(20,6)", "d": "DOUBLE", "f": "FLOAT", "v": "VARCHAR(40)", "w": "VARCHAR(40) COLLATE utf8mb4_bin", "c": "CHAR(6)", "x": "TEXT",
    "dt": "DATETIME", "d3": "DATETIME(3)", "da": "DATE", "db": "DATE", "ti": "TIME", "t2": "TIME(2)", "y": "YEAR",
    "e": "ENUM('a','B','2','ü')", "s": "SET('x','y','z')", "bi": "BIT(5)", "vb": "VARBINARY(20)", "bn": "BINARY(4)",
    "j": "JSON",
}  # fmt: skip
_TEXTS = (
    *("ß", "straße", "STRAẞE", "İI", "ıi", "ǅ", "ა", "Ა", "ꭰ", "ﬁ", "é", "e\u0301", "ÀÉ", "xÅé", "Σς", "Ⱥ", "ſ", "K", "ŉ", "😀", "😀x😀"),
    *("", " ", "a", "A", "a ", "ab ab", "  pad ", "\u00a0x", "\u200bx", "a,b,c", ",a,", "a,,b", "%a_", "\\\\", "'q\"", "\\n", "\\0z", "\\Z", "\\t"),
    *("1", " 1", "1e3", "2.5", "-0.5", "+7", "0x10", "7abc", "1.2.3.4", "1.2", "01.02.03.04", "256.1.1.1", "::1", "1::", "18446744073709551616"),
    *("2024-01-31", "2024-1-1", "20240131", "24-1-1", "2024-00-00", "10:11:12", "2155", "70", "4D7953", "zz", "TVk=", "T Vk=", "١", "１"),
    *('{"a":1}', "[1]", "null", '"x"', "true"),
)  # fmt: skip
_NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "-2",
    "3",
    "7",
    "10",
    "-10",
    "31",
    "63",
    "64",
    "65",
    "100",
    "255",
    "256",
    "366",
    "1000",
    "2147483647",
    "-2147483648",
    "20240131",
    "101",
]
_MOMENTS = (
    *("9999-12-31 23:59:59", "0002-01-01 00:00:00", "2024-02-29 01:02:03"),  # of odd days see tests/cases/schema/test_odd_days_on_server.py
    *("1000-01-01 00:00:00", "2023-02-28 05:06:07", "1969-12-31 23:59:59", "2038-01-19 03:14:08", "1582-10-10 00:00:00"),
    *("2024-03-31 02:30:00", "2106-02-07 06:28:16", "2021-01-03 00:00:00", "2024-12-30 00:00:01"),
)  # fmt: skip
_DOCUMENTS = (
    *('{"b":1,"a":2,"aa":3}', '{"a":{"b":[1,null,"é"]}}', '{"a":"1\\\\n2"}', '{"a":null}', '{"a":true}', '{"a":"true"}', "[]", '"str"'),
    *("null", "true", "1", '{"a":12345678901234567890}', '{"a":[]}', '{"a":"2024-01-01","b":" x ","c":-0.0}'),
)  # fmt: skip


def _odd_row(number: int) -> str:
    """A row of values that are chosen to hurt, another mixture for each number."""

    def one(pool: Sequence[str], step: int, size: int = 99) -> str:
        value = pool[(number * step + step) % len(pool)].replace("'", "''")
        return f"'{value[:size]}'"

    moment, other = one(_MOMENTS, 1), one(_MOMENTS, 3)
    times = ("00:00:00", "-00:00:01", "838:59:59", "-838:59:59", "24:00:00", "12:34:56")
    values = (
        *(one(_NUMBERS, 1), one([text.lstrip("-") for text in _NUMBERS], 3), str(number % 3 - 1), str(number * 7 % 99999)),
        *(one(_NUMBERS[:16], 5), one(_NUMBERS, 7), one(("0", "1.5", "-2.5", "1e20", "1e-10", "-1e15", "0.1"), 1), one(("0.5", "-1.5", "1e10"), 1)),
        *(one(_TEXTS, 1), one(_TEXTS, 7), one(_TEXTS, 5, 6), one(_TEXTS, 11), moment, moment, other[:11] + "'", moment[:11] + "'"),
        *(one(times, 1), one(times, 5), one(("0", "1901", "2000", "2155"), 1), one(("a", "B", "2", "ü"), 1), one(("", "x", "y,z", "x,y,z"), 1)),
        *(str(number % 32), one(_TEXTS, 1, 10), one(_TEXTS, 3, 2), one(_DOCUMENTS, 1)),
    )  # fmt: skip
    return ", ".join(values)


ROWS = (
    """0, 0, 0, 0, 0, 0, 0, 0, '', '', '', '', '2020-02-29 23:59:59', '2020-02-29 23:59:59.999', '2020-02-29', '2020-02-29',
    '00:00:00', '00:00:00', 2000, 'a', '', 0, '', '', '{}'""",
    """-7, 18446744073709551615, 1, 42, -2.5, -0.000001, -2.5, -2.5, 'ABC def', 'abc DEF', 'Ab', 'ß', '1970-01-01 00:00:00',
    '1999-12-31 12:30:00.5', '1999-12-31', '2000-01-01', '-01:30:00', '-01:30:00.5', 1999, '2', 'x,z', 31, X'FF00', 'ab',
    '{"a": 1, "b": "x", "c": 1.50, "d": null, "e": true}'""",
    """7, 1, 5, 99999, 0.005, 12345678901234.123456, 1e20, 1.1, '12abc', 'İstanbul', 'é ', 'İstanbul ß', '9999-12-31 23:59:59',
    '2000-01-01', '2024-12-30', '9999-12-31', '838:59:59', '838:59:59', 2155, 'ü', 'y', 5, '1.5', X'00FF',
    '{"a": "1", "b": "é\\\\"\\\\n", "c": 1e30, "d": [1, "2"], "e": false}'""",
    """2147483647, 5, -1, 1, 9999999.999, 1.5, 0.1, 16777217, ' -3.75 ', 'a-b,c', '12', '{"a": 1}', '2024-12-30 10:11:12',
    '2024-12-30 10:11:12.123', '1000-01-01', '2024-12-31', '10:11:12', '10:11:12.13', 1970, 'B', 'x,y,z', 16, '2020-01-02', '1',
    '{"a": -12345678901234567890, "b": "", "c": 0.1, "d": {}, "e": 0}'""",
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL, NULL, NULL, NULL, NULL",
    """5, 1234567890123456789, 0, 5, 1.000, 100.000000, 1e15, 0.3, '2020-01-02 3:4:5', ' pad ', '日本', '[1, 2, {"k": "é"}]',
    '2000-01-01', '2038-01-19 03:14:07.999', '2038-01-19', '2021-01-03', '23:59:59', '23:59:59.99', 2069, 'a', 'z', 1, 'é', '0',
    '{"a": 9007199254740993, "b": "2020-01-02", "c": 100.0}'""",
    """-1, 9007199254740993, 2, 7, -0.001, -99.999999, 123456789.123456789, 3.4e38, '1e3', '😀x', '😀', 'a,b,c',
    '2021-01-03 00:00:00', '2021-01-03 23:00:00.001', '2021-01-03', '1970-01-01', '00:00:01', '00:00:00.01', 1, '2', 'x', 2,
    'a', 'a', '[1, 2]'""",
    """-5, 2, 1, 12345, 2.675, 1.005, 2.675, 1.005, '-0', '.5', '+7', '0x1F', '2020-02-29 00:00:00', '2020-03-01 00:00:00.5',
    '2020-02-28', '2020-03-31', '12:00:00', '12:00:00.50', 2020, 'b', 'x,y', 7, '2020-02-30', 'ab c', '{"a": 1.5, "b": "7", "c": 2.675}'""",
    """3, 0, 0, 3, -0.005, 0.285, 0.5, 1.5, '99999999999999999999', '1e400', '5.5.5', '20200102', '2020-12-31 12:00:00',
    '2020-12-31 12:00:00.499', '2021-01-01', '2021-01-02', '-00:00:01', '-00:00:01.50', 0, 'B', 'y,z', 3, ' ', 'A', '{"a": -3, "b": "12.5x"}'""",
    *map(_odd_row, range(40)),
)
RESULTS = (
    "VARCHAR(80)",
    "INT",
    "BIGINT",
    "DECIMAL(12,2)",
    "DOUBLE",
    "DATE",
    "DATETIME",
    "DATETIME(3)",
    "TIME",
    "JSON",
    "VARBINARY(80)",
)
# docs/ddl.md says of these what differs: how documents are written, and letters whose case a newer Unicode says.
DOCUMENTED = re.compile(r"JSON_(?:UNQUOTE|VALUE|EXTRACT)|CHAR\(\d+\) AS \(j\)|\b(?:LOWER|UPPER)\(")
# "_" is an operand; "#" a small number; "@" a day or moment literal.
FORMS = (
    "_ + _", "_ - _", "_ * _", "_ / _", "_ DIV _", "_ % _", "-_", "_ & _", "_ | _", "_ ^ _", "_ << #", "_ >> #", "~_",
    "_ = _", "_ <> _", "_ < _", "_ >= _", "_ <=> _", "_ IN (_, _)", "_ NOT IN (#, _)", "_ BETWEEN _ AND _", "_ = '#'", "_ = #",
    "_ > @", "_ = 'a'", "_ AND _", "_ OR NOT _", "_ XOR _", "_ IS NULL", "_ IS NOT NULL", "_ IS TRUE", "_ LIKE 'a%'", "_ LIKE _",
    "CASE WHEN _ THEN _ ELSE _ END", "CASE _ WHEN _ THEN _ WHEN # THEN _ END", "IF(_, _, _)", "IFNULL(_, _)", "COALESCE(_, _, #)",
    "COALESCE(_, '')", "IFNULL(_, 0)", "NULLIF(_, _)", "NULLIF(_, '')", "GREATEST(_, _)", "LEAST(_, _)", "GREATEST(_, @)",
    "CONCAT(_, _)", "CONCAT(_, '-', _)", "CONCAT_WS('-', _, _)", "LOWER(_)", "UPPER(_)", "TRIM(_)", "LTRIM(_)", "RTRIM(_)",
    "TRIM(LEADING '0' FROM _)", "REVERSE(_)", "LEFT(_, #)", "RIGHT(_, #)", "SUBSTRING(_, #)", "SUBSTR(_, #, #)", "SUBSTRING(_, _)",
    "SUBSTRING_INDEX(_, ' ', #)", "SUBSTRING_INDEX(_, '-', -1)", "REPLACE(_, '-', '')", "REPLACE(_, _, 'q')", "LPAD(_, #, '0')",
    "RPAD(_, #, _)", "REPEAT(_, #)", "SPACE(#)", "LENGTH(_)", "CHAR_LENGTH(_)", "BIT_LENGTH(_)", "CRC32(_)", "MD5(_)", "SHA1(_)",
    "SHA2(_, 256)", "AES_ENCRYPT(_, 'key')", "DAYNAME(_)", "MONTHNAME(_)", "WEEK(_)", "YEARWEEK(_)", "HEX(_)", "UNHEX(_)", "TO_BASE64(_)", "FROM_BASE64(_)", "BIN(_)", "OCT(_)", "CONV(_, 10, 16)", "CONV(_, 16, 10)",
    "ASCII(_)", "ORD(_)", "LOCATE('a', _)", "LOCATE(_, _)", "INSTR(_, _)", "STRCMP(_, _)", "FIELD(_, _, _)", "ELT(#, _, _)",
    "FIND_IN_SET(_, _)", "FORMAT(_, 2)", "QUOTE(_)", "INSERT(_, 1, 1, 'Q')", "SOUNDEX(_)", "ABS(_)", "SIGN(_)", "FLOOR(_)", "CEIL(_)",
    "ROUND(_)", "ROUND(_, #)", "ROUND(_, _)", "TRUNCATE(_, #)", "MOD(_, _)", "SQRT(_)", "POW(_, 2)", "EXP(_)", "LN(_)", "BIT_COUNT(_)",
    "YEAR(_)", "MONTH(_)", "DAY(_)", "HOUR(_)", "MINUTE(_)", "SECOND(_)", "MICROSECOND(_)", "QUARTER(_)", "DAYOFWEEK(_)", "WEEKDAY(_)",
    "DAYOFYEAR(_)", "TO_DAYS(_)", "TO_SECONDS(_)", "WEEK(_, #)", "YEARWEEK(_, #)", "WEEKOFYEAR(_)", "DATE(_)", "TIME(_)", "LAST_DAY(_)",
    "DATEDIFF(_, _)", "DATEDIFF(_, @)", "TIMEDIFF(_, _)", "DATE_FORMAT(_, '%Y-%m')", "DATE_FORMAT(_, '%Y%m%d%H%i%s')",
    "DATE_FORMAT(_, '%x-%v %W %b')", "TIME_FORMAT(_, '%H:%i')", "_ + INTERVAL # DAY", "_ - INTERVAL _ DAY", "DATE_ADD(_, INTERVAL # MONTH)",
    "DATE_SUB(_, INTERVAL # HOUR)", "_ + INTERVAL # SECOND", "ADDDATE(_, #)", "ADDTIME(_, _)", "TIMESTAMPDIFF(DAY, _, _)",
    "TIMESTAMPDIFF(MONTH, _, @)", "TIMESTAMPADD(HOUR, #, _)", "TIMESTAMP(_)", "TIMESTAMP(_, _)", "UNIX_TIMESTAMP(_)", "FROM_UNIXTIME(_)",
    "TIME_TO_SEC(_)", "SEC_TO_TIME(_)", "MAKEDATE(_, _)", "MAKETIME(_, _, _)", "EXTRACT(YEAR_MONTH FROM _)", "EXTRACT(HOUR FROM _)",
    "EXTRACT(DAY FROM _)", "STR_TO_DATE(_, '%Y-%m-%d')", "CONVERT_TZ(_, '+00:00', '+02:00')", "CAST(_ AS SIGNED)", "CAST(_ AS UNSIGNED)",
    "CAST(_ AS CHAR)", "CAST(_ AS CHAR(3))", "CAST(_ AS DATE)", "CAST(_ AS DATETIME)", "CAST(_ AS TIME)", "CAST(_ AS DECIMAL(12,2))",
    "CAST(_ AS BINARY)", "CAST(_ AS JSON)", "CAST(_ AS DOUBLE)", "JSON_EXTRACT(_, '$.a')", "JSON_EXTRACT(_, '$.c')",
    "JSON_UNQUOTE(JSON_EXTRACT(_, '$.b'))", "JSON_UNQUOTE(JSON_EXTRACT(_, '$.c'))", "JSON_UNQUOTE(_)", "JSON_VALUE(_, '$.a')",
    "JSON_LENGTH(_)", "JSON_VALID(_)", "JSON_TYPE(_)", "JSON_DEPTH(_)", "JSON_OBJECT('k', _)", "JSON_ARRAY(_, _)", "JSON_QUOTE(_)",
    "JSON_CONTAINS(_, '1', '$.a')", "JSON_KEYS(_)", "INET_ATON(_)", "INET_NTOA(_)", "INET6_ATON(_)", "IS_IPV4(_)", "_ REGEXP '^a'",
    "_ COLLATE utf8mb4_bin", "CONVERT(_ USING utf8mb4)", "BINARY _", "_",
)  # fmt: skip
_CALLED = re.compile(
    r"[A-Z_0-9]{2,}(?=\()|(?<=[ ])(?:INTERVAL|LIKE|IN|BETWEEN|DIV|AND|OR|XOR|COLLATE|REGEXP)(?= )|[-+*/%&|^<>=~]+"
)


@dataclass(frozen=True)
class Tried:
    """One column; its ``rows`` by kind of server: of each row the value, or "refused"; no rows: the column is refused."""

    type: str
    text: str
    rows: dict[str, list[Any]]

    def differs(self, above: str, below: str) -> tuple[int, Any, Any] | None:
        """The first row in which the two servers have other values, where both have one."""
        pairs = zip(self.rows.get(above, ()), self.rows.get(below, ()), strict=False)
        return next(
            ((row, *both) for row, both in enumerate(pairs) if "refused" not in both and both[0] != both[1]), None
        )

    def is_there(self, *kinds: str) -> bool:
        return all(any(one != "refused" for one in self.rows.get(kind, ())) for kind in kinds)


_COLUMNS_SQL = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
_PLAIN_TABLE = parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, {_COLUMNS_SQL}) CHARACTER SET utf8mb4", "ex")


class Makes:
    """Random expressions."""

    def __init__(self, seed: int, only: str) -> None:
        self._random = random.Random(seed)
        self._forms = [form for form in FORMS if only in form]

    def one(self) -> tuple[str, str]:
        """(type of the column, expression); three of four are such as are taken for the same."""
        wants_taken = self._random.random() < 0.75
        while True:
            depth = self._random.choice((0, 0, 0, 1, 1, 2))
            kind, text = self._random.choice(RESULTS), self._made(self._random.choice(self._forms), depth)
            result = parse_create_table(f"CREATE TABLE r (g {kind})", "ex").columns[0]
            if not wants_taken or not unknown_reason(tokenize(text), _PLAIN_TABLE, result, ("mysql", "tidb")):
                return kind, text

    def _made(self, form: str, depth: int) -> str:
        def operand(_: re.Match[str]) -> str:
            if depth and self._random.random() < 0.6:
                return f"({self._made(self._random.choice(FORMS), depth - 1)})"
            return self._random.choice(tuple(COLUMNS))

        text = re.sub(r"(?<![\w'])_(?![\w'])", operand, form)
        text = re.sub("#", lambda _: str(self._random.choice((0, 1, 2, 3, 5, 7, 10))), text)
        return text.replace("@", self._random.choice(("'2020-02-29'", "'2020-02-29 23:59:59'", "'10:11:12'")))


class Servers:
    """Calculate columns."""

    def __init__(self, ends: dict[str, Server]) -> None:
        self._ends = ends
        for end in ends.values():
            end.query("CREATE DATABASE ex CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
            end.query("USE ex")
            end.query("SET NAMES utf8mb4 COLLATE utf8mb4_bin")  # other than the columns' collation
            end.query("SET time_zone = '+00:00', sql_mode = ''")

    def tried(self, columns: Sequence[tuple[str, str]]) -> list[Tried]:
        found: list[dict[str, list[Any]]] = [{} for _ in columns]
        for kind, end in self._ends.items():
            for place, rows in enumerate(_calculated(end, columns)):
                found[place][kind] = rows
        return [Tried(*column, rows) for column, rows in zip(columns, found, strict=True)]


def _calculated(end: Server, columns: Sequence[tuple[str, str]]) -> list[list[Any]]:
    generated = ", ".join(f"g{place} {kind} AS ({text}) STORED" for place, (kind, text) in enumerate(columns))
    table = "CREATE TABLE t (id INT PRIMARY KEY, {}, {}) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    end.query("DROP TABLE IF EXISTS t")
    try:
        end.query(table.format(_COLUMNS_SQL, generated))
        lost = 0
        for number, row in enumerate(ROWS):
            lost += not _inserted(end, number, row)
        if lost > 1 and len(columns) > 1:
            raise _Lost
        names = ", ".join(_shown(f"g{place}", kind) for place, (kind, _) in enumerate(columns))
        rows = {row[0]: row[1:] for row in end.query(f"SELECT id, {names} FROM t")}
    except Exception:  # whatever the server says of it
        if len(columns) == 1:
            return [[]]
        return [_calculated(end, [column])[0] for column in columns]
    return [
        [_plain(kind, rows[number][place]) if number in rows else "refused" for number in range(len(ROWS))]
        for place, (kind, _) in enumerate(columns)
    ]


class _Lost(Exception):
    """Rows were refused, because of one of the columns."""


def _inserted(end: Server, number: int, row: str) -> bool:
    """In a strict session, as the values come from one that may not be so."""
    try:
        end.query(f"INSERT INTO t (id, {', '.join(COLUMNS)}) VALUES ({number}, {row})")
    except Exception:
        return False
    return True


def _shown(name: str, kind: str) -> str:
    if kind == "DOUBLE":
        return name
    return f"CAST({name} AS CHAR)" if kind == "JSON" else f"HEX(CONCAT('', {name}))"


def _plain(kind: str, value: Any) -> Any:
    if value is None or kind == "DOUBLE":
        return value
    if kind == "JSON":
        try:
            return json.dumps(json.loads(value), sort_keys=True)
        except ValueError:
            return value
    text = bytes.fromhex(value if isinstance(value, str) else value.decode())
    return text.decode("utf-8", "backslashreplace")


def judged(kind: str, text: str, above: str, below: str) -> str:
    """Why the product refuses the column; "" where it does not."""
    tail = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    sql = f"CREATE TABLE t (id INT PRIMARY KEY, {_COLUMNS_SQL}, g {kind} AS ({text}) STORED) {tail}"
    after = parse_create_table(sql, "ex")
    found = other_expressions(parse_ddl(sql, default_schema="ex"), after, None, (above, below), COLLATIONS)
    return next((one.reason for one in found), "")


def words(text: str) -> Iterator[str]:
    yield from dict.fromkeys(_CALLED.findall(text))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak expressions", description=__doc__)
    parser.add_argument("--count", type=int, default=2_000, help="expressions (default: 2000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the random expressions")
    parser.add_argument("--only", default="", metavar="TEXT", help="forms with this text, such as DATE_FORMAT")
    parser.add_argument(
        "--crossed", type=float, metavar="SECONDS", help="each value of a column with each of the others"
    )
    parser.add_argument("--details", type=Path, help="write each expression with its values to this file, as JSON")
    options = parser.parse_args(arguments)
    makes, totals = Makes(options.seed, options.only), Totals(options.details)
    with ExitStack() as stack:
        ends = {kind: stack.enter_context(connected(stack.enter_context(start(kind)))) for kind in KINDS}
        if options.crossed:
            return _cross(ends, options)
        servers = Servers(ends)
        for _ in range(0, options.count, AT_ONCE):
            for one in servers.tried([makes.one() for _ in range(AT_ONCE)]):
                for found in totals.add(one):
                    print(found, flush=True)
    for word, counts in sorted(totals.by_word.items()):
        print(f"{word:20} {dict(counts)}")
    print(f"seed {options.seed}: {dict(totals.verdicts)}")
    _record(options, totals.verdicts)
    return 1 if totals.silent else 0


def _cross(ends: dict[str, Server], options: argparse.Namespace) -> int:
    verdicts: Counter[str] = Counter()
    forms = [form for form in FORMS if options.only in form]
    for one, silent in crossed(ends, options.seed, options.crossed, forms, COLLATIONS):
        is_documented = DOCUMENTED.search(one.text) is not None
        verdicts["same, taken" if not silent else "documented" if is_documented else "differs, taken"] += 1
        for line in silent:
            print(f"{'documented: ' if is_documented else ''}{line}", flush=True)
    options.count = verdicts.total()
    print(f"crossed, seed {options.seed}: {dict(verdicts)}")
    _record(options, Counter({"crossed": options.count, **verdicts}))
    return 1 if verdicts["differs, taken"] else 0


class Totals:
    """What was found so far."""

    def __init__(self, details: Path | None = None) -> None:
        self.verdicts: Counter[str] = Counter()
        self.by_word: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.silent: list[str] = []
        self._details = details

    def add(self, one: Tried) -> Iterator[str]:
        """What is silent of it, a line for each pair of servers."""
        for above, below in PAIRS:
            if not one.is_there(above, below):
                self.verdicts["not there"] += 1
                continue
            reason, row = judged(one.type, one.text, above, below), one.differs(above, below)
            verdict = f"{'same' if row is None else 'differs'}, {'refused' if reason else 'taken'}"
            if row is not None and not reason and DOCUMENTED.search(one.text):
                verdict = "documented"
            self.verdicts[verdict] += 1
            for word in words(one.text):
                self.by_word[word][verdict] += 1
            if self._details:
                with self._details.open("a") as file:
                    line = [above, below, one.type, one.text, verdict, reason, row]
                    file.write(json.dumps(line, default=str) + "\n")
            if row is not None and verdict == "differs, taken":
                self.silent.append(f"{above}-{below}: {one.type} AS ({one.text}): row {row[0]}: {row[1]!r}, {row[2]!r}")
                yield self.silent[-1]


def _record(options: argparse.Namespace, totals: Counter[str]) -> None:
    line = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "seed": options.seed,
        "count": options.count,
        **totals,
    }
    with LEDGER.open("a") as file:
        file.write(json.dumps(line) + "\n")
