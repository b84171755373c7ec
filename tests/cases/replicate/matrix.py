"""Crosses types, key forms and statement forms: each type in a table of each key form, the forms one after the other.

A cell is (column, key, form) on a pair of servers.  Its tables have the columns ``n`` (the row's number, which no
statement changes), ``w`` (a number) and ``v``, which is of the type.  Values are chosen to hurt.  ``Matrix`` replicates
the tables of one run together: each form is written upstream as one transaction a table, replicated, and compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pymysql

from pkg.task.blocks import BlockAllowListConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.arena import BOTH_COLLATIONS, Pair, new_schema, subtask
from tests.cases.replicate.comparing import connected, contents, structures
from tests.cases.replicate.replication import Replication, present_position

KEYS = ("none", "single", "composite", "prefix", "generated", "nullable")
FORMS = ("insert", "update", "key update", "delete")
_NUMBERS = {
    "TINYINT": "-128 -1 0 1 127", "BIGINT UNSIGNED": "0 1 9223372036854775808 18446744073709551615 7",
    "BIGINT": "-9223372036854775808 -1 0 9223372036854775807 1", "INT(5) ZEROFILL": "0 1 99999 4294967295 42",
    "DECIMAL(65,30)": "0 -1.5 0.000000000000000000000000000001 99999999999999999999999999999999999.9 1",
    "DECIMAL(5,2)": "-0.00 0.1 999.99 -999.99 1.10", "BIT(1)": "0 1", "BIT(64)": "0 1 18446744073709551615 255",
    "FLOAT": "0 -0e0 0.1 3.4028234663852886e38 1.17549435e-38 16777217", "FLOAT(10,2)": "0 1.1 99999999.99 -1e30 0.01",
    "DOUBLE": "0 -0e0 0.1 1.7976931348623157e308 5e-324 1e16", "DOUBLE(20,2)": "0 0.1 1e30 -1e30 123456789.12",
}  # fmt: skip
_TIMES = {
    "YEAR": "0 1901 2155 2000", "DATE": "0000-00-00 2024-02-31 9999-12-31 2024-00-00 0001-01-01",
    "TIME": "-838:59:59 838:59:59 00:00:00 -00:00:01", "TIME(6)": "-00:00:00.000001 838:59:58.999999 00:00:00 12:00:00.5",
    "DATETIME": "0000-00-00_00:00:00 2024-02-31_01:02:03 9999-12-31_23:59:59 1000-01-01_00:00:00",
    "DATETIME(6)": "0000-00-00_00:00:00 9999-12-31_23:59:59.999999 2024-01-01_00:00:00.000001",
    "TIMESTAMP(3) NULL": "0000-00-00_00:00:00 1970-01-01_00:00:01 2038-01-19_03:14:07.999 2024-03-31_02:30:00.5",
}  # fmt: skip
_OTHERS = {
    "ENUM('0','1','b','')": ("'0'", "'1'", "'b'", "''", "'no label'"),
    "SET('x','y','0')": ("'x'", "'x,y'", "''", "'0'", "'no label'"),
    "BINARY(4)": ("''", "x'00'", "x'0000'", "x'FF00'", "'a'", "'a '"),
    "VARBINARY(9)": ("''", "x'00'", "x'0000'", "x'FF'", "'a'", "'a '", "x'27'", "x'5C'"),
    "BLOB": ("''", "x'00'", "x'FF27'", "'a'", "'a '", "x'5C30'"),
    "JSON": (
        "'{}'",
        "'[1, 2.50, null]'",
        '\'{"b": 1, "a": "\\\\u00e4"}\'',
        "'-0.0'",
        "'18446744073709551615'",
        "'\"a\"'",
    ),
    "POINT": ("ST_GeomFromText('POINT(0 0)')", "ST_GeomFromText('POINT(1.5 -2)')", "ST_GeomFromText('POINT(1e300 1)')"),
}
_TEXT = (
    "",
    "a",
    "A",
    "ä",
    "ß",
    "ss",
    "a ",
    " ",
    "a\t",
    "0",
    "00",
    "'",
    "\\",
    "%_",
    "\0",
    "a\0",
    "é",
    "e\u0301",
    "İ",
    "я",
    "中",
    "ソ",
    "😀",
)
_RAW = (b"\x81", b"\x8d\xff", b"a\x80", b"\xa0")
_CHARSETS = {
    "utf8mb4": ("utf-8", ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci")),
    "utf8mb3": ("utf-8", ("utf8mb3_general_ci", "utf8mb3_bin")), "latin1": ("cp1252", ("latin1_swedish_ci", "latin1_bin")),
    "ascii": ("ascii", ("ascii_general_ci",)), "cp1251": ("cp1251", ("cp1251_general_ci",)), "gbk": ("gbk", ("gbk_chinese_ci",)),
    "sjis": ("shift_jis", ("sjis_japanese_ci",)), "ucs2": ("utf-16-be", ("ucs2_general_ci",)),
}  # fmt: skip
_TEXTS = ("CHAR(9)", "VARCHAR(9)", "TEXT")


@dataclass(frozen=True, slots=True)
class Typed:
    """A column's type, and literals of it; `bulky` types have keys over their first bytes alone."""

    type: str
    values: tuple[str, ...]
    has_prefix: bool = False
    bulky: bool = False

    def key_forms(self) -> Iterator[str]:
        """The key forms that it can have."""
        for key in KEYS:
            if key == "none" or (key == "prefix" and self.has_prefix) or (key != "prefix" and not self.bulky):
                yield key


def typed() -> list[Typed]:
    """Every type, those of text in each character set and collation."""
    found = [Typed(name, tuple(values.split())) for name, values in _NUMBERS.items()]
    found += [
        Typed(name, tuple(f"'{one.replace('_', ' ')}'" for one in values.split())) for name, values in _TIMES.items()
    ]
    for name, values in _OTHERS.items():
        bulky = name in ("BLOB", "JSON", "POINT")
        found.append(Typed(name, values, name in ("BINARY(4)", "VARBINARY(9)", "BLOB"), bulky))
    for name in _TEXTS:
        for charset, (codec, collations) in _CHARSETS.items():
            values = tuple(_text_values(charset, codec))
            for collation in collations:
                found.append(Typed(f"{name} CHARACTER SET {charset} COLLATE {collation}", values, True, name == "TEXT"))
    return found


def _text_values(charset: str, codec: str) -> Iterator[str]:
    for text in _TEXT:
        try:
            raw = text.encode(codec)
        except UnicodeEncodeError:
            continue
        if not (charset in ("utf8mb3", "ucs2") and text > "\uffff"):
            yield f"_{charset} x'{raw.hex()}'" if raw else "''"
    if charset in ("latin1", "cp1251"):
        yield from (f"_{charset} x'{raw.hex()}'" for raw in _RAW)


@dataclass(slots=True)
class Tabled:
    """One type with one key form; what was run for it, by the row's number (0: the table)."""

    number: int
    typed: Typed
    key: str
    run: list[tuple[int, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"m_{self.number:04d}"

    @property
    def title(self) -> str:
        return f"{self.typed.type} / {self.key}"

    def create(self) -> str:
        type_, name = self.typed.type, self.name
        v = f"v {type_}" + ("" if self.key in ("none", "prefix", "generated", "nullable") else " NOT NULL")
        key = {
            "none": "",
            "single": ", PRIMARY KEY (v)",
            "composite": ", PRIMARY KEY (v, n)",
            "prefix": ", PRIMARY KEY (n), KEY (v(2))",
            "generated": f", g {type_.removesuffix(' NULL')} AS (v) STORED, PRIMARY KEY (n), UNIQUE KEY (g)",
            "nullable": ", UNIQUE KEY (v)",
        }[self.key]
        return f"CREATE TABLE {name} (n INT NOT NULL, w INT, {v.replace('NULL NOT NULL', 'NOT NULL')}{key})"

    def statements(self, form: str) -> Iterator[tuple[int, str]]:
        """(row, statement): rows begin with every other value; the rest of them is what a key update writes."""
        null = ["NULL"] if self.key not in ("single", "composite") else []
        first = [*self.typed.values[::2], *null]
        spare = [*self.typed.values[1::2], *null]
        for n, value in enumerate(first, 1):
            if form == "insert":
                yield n, f"INSERT INTO {self.name} (n, w, v) VALUES ({n}, {n}, {value})"
            elif form == "update":
                yield n, f"UPDATE {self.name} SET w = w + 100 WHERE n = {n}"
            elif form == "key update" and n <= len(spare):
                yield n, f"UPDATE {self.name} SET v = {spare[-n]} WHERE n = {n}"
            elif form == "delete" and n % 3:
                yield n, f"DELETE FROM {self.name} WHERE n = {n}"

    def reduced(self, rows: set[int]) -> str:
        """What was run for these rows alone."""
        return ";\n".join(sql for n, sql in self.run if n == 0 or n in rows)


@dataclass(frozen=True, slots=True)
class Finding:
    """A cell that does not hold: the target differs, or replication pauses."""

    title: str
    form: str
    verdict: str  # "differs" or "pauses"
    what: str
    sql: str

    def __str__(self) -> str:
        return f"{self.title} / {self.form}: {self.verdict}: {self.what}\n{self.sql};"


def tables(chosen: Sequence[tuple[Typed, str]]) -> list[Tabled]:
    return [Tabled(number, one, key) for number, (one, key) in enumerate(chosen, 1)]


# Pauses that docs/exactness.md names: text that does not go through Unicode, types that TiDB lacks.
DOCUMENTED = re.compile(r"code=36118:|code=36108:.* v (POINT|GEOMETRY|LINESTRING|POLYGON)\b.*error 1064", re.DOTALL)


class Matrix:
    """One run: some tables on one pair of servers, in a schema of their own."""

    def __init__(self, pair: Pair, schema: str, log: Path) -> None:
        self._pair, self._schema, self._log = pair, schema, log
        self.cells = 0
        self.refused = 0  # cells, by a documented pause
        self.findings: list[Finding] = []

    def play(self, wanted: Sequence[Tabled]) -> None:
        for server in (self._pair.upstream, self._pair.target):
            new_schema(server, self._schema, BOTH_COLLATIONS)
        left = list(wanted)
        with ExitStack() as stack:
            replication = Replication(self._log)
            stack.callback(replication.close)
            replication.start(self._task([]))
            replication.stop()
            left = self._write(left, "create")
            for form in FORMS:
                left = self._write(left, form)
                self._replicate(replication, left, wanted, form)
                self._compare(left, form)

    def _write(self, left: list[Tabled], form: str) -> list[Tabled]:
        """Each table's statements as one transaction; what the upstream refuses is left out."""
        kept = []
        with self._pair.upstream.connect(self._schema, ssl_disabled=True) as link, link.cursor() as cursor:
            cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'")
            for table in left:
                statements = [(0, table.create())] if form == "create" else list(table.statements(form))
                cursor.execute("BEGIN")
                done = [(n, sql) for n, sql in statements if _runs(cursor, sql)]
                cursor.execute("COMMIT")
                table.run += done
                if done or form != "create":
                    kept.append(table)
        return kept

    def _replicate(self, replication: Replication, left: list[Tabled], wanted: Sequence[Tabled], form: str) -> None:
        end = present_position(self._pair.upstream)
        while True:
            replication.start(self._task([table.name for table in wanted if table not in left]))
            pause = replication.until(end)
            replication.stop()
            if pause is None:
                return
            named = re.search(r"\bm_\d{4}", pause.text)
            guilty = next((table for table in left if named is not None and table.name == named[0]), None)
            assert guilty is not None, f"replication pauses, and no table can be left out: {pause.text}"
            left.remove(guilty)
            self.cells += 1
            if DOCUMENTED.search(pause.text):
                self.refused += 1
                continue
            self.findings.append(
                Finding(guilty.title, form, "pauses", pause.text[:600], guilty.reduced(set(range(99))))
            )

    def _task(self, without: Sequence[str]) -> SubtaskConfig:
        config = subtask(self._pair, self._schema, [self._schema])
        ignored = [{"db-name": self._schema, "tbl-name": name} for name in without]
        rules = {"do-dbs": [self._schema], "ignore-tables": ignored}
        return config.model_copy(update={"block_allow_list": BlockAllowListConfig.model_validate(rules)})

    def _compare(self, left: list[Tabled], form: str) -> None:
        """A table that differs is a finding, and is left out from there on."""
        with connected(self._pair.upstream) as here, connected(self._pair.target) as there:
            known = structures(here, self._schema)
            for table in list(left):
                self.cells += 1
                name = (self._schema, table.name)
                ours, theirs = contents(here, name, known[name]), contents(there, name, known[name])
                if ours != theirs:
                    left.remove(table)
                    missing, extra = list((ours - theirs).elements()), list((theirs - ours).elements())
                    rows = {int(row[0]) for row in (*missing, *extra)}
                    what = f"upstream {missing[:3]}, target {extra[:3]}"
                    self.findings.append(Finding(table.title, form, "differs", what, table.reduced(rows)))


def _runs(cursor: pymysql.cursors.Cursor, sql: str) -> bool:
    try:
        cursor.execute(sql)
    except pymysql.err.MySQLError:
        return False
    return True
