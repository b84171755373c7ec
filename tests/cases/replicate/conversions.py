"""Changes of a column's type, and new columns, with values that are chosen to hurt: replicated, and the rows compared.

A cell is (sql_mode, type, values, new type): a table with a row of each value, and a MODIFY.  Where the upstream refuses
that, or the task pauses, some of the values are to be tried again, each in a table of its own; for one value either is
as it shall be.  An addition is (sql_mode, type, NOT NULL, default): a row is there before the column.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pymysql

from tests.cases.replicate.arena import Upstream, replicate_all, schema_of
from tests.cases.replicate.cases import Case, Step
from tests.cases.replicate.comparing import Server, connected, contents, keep_their_set, structures
from tests.cases.replicate.matrix_types import typed
from tests.servers import RunningServer

_MODES = {
    "mariadb": ("STRICT_ALL_TABLES", "", "TIME_ROUND_FRACTIONAL", "STRICT_ALL_TABLES,TIME_ROUND_FRACTIONAL"),
    "mysql": ("STRICT_ALL_TABLES", "", "TIME_TRUNCATE_FRACTIONAL", "STRICT_ALL_TABLES,TIME_TRUNCATE_FRACTIONAL"),
}
_LOOK_LIKE = (
    *("2000-12-31 23:59:59.9999", "2000-12-31", "20001231235959", "2000-12-31T10:00:00.5", "00-1-1", "23:59:59.9999", "-00:00:00.6", "1:2"),
    *("1e3", "-1.5", "0.5", "2.5", " 7", "7 ", "+7", "0x1F", "99", "2155", "-0", "1e400", ".5", "007", "18446744073709551616", "1 2 10:00:00"),
    *("abc", "a", "A", "a,b", "b,a", "", " ", "1", "0", "ä", "äöü", "😀", "null", "true", '{"a": 1}', "[1, 2.0]", '"x"', "1.10"),
    *("123e4567-e89b-12d3-a456-426655440000", "123E4567E89B12D3A456426655440000", "1.2.3.4", "::ffff:1.2.3.4", "::1"),
)  # fmt: skip
_TEXTS = (
    *("VARCHAR(64) CHARACTER SET utf8mb4", "VARCHAR(64) CHARACTER SET latin1", "VARCHAR(64) CHARACTER SET ucs2", "CHAR(64)", "TEXT"),
    *("VARBINARY(64)", "BLOB", "BINARY(24)", "VARCHAR(64) COLLATE utf8mb4_bin", "TINYTEXT", "LONGTEXT CHARACTER SET utf8mb3"),
)  # fmt: skip
_MORE = {
    "DATETIME(6)": ("'2000-12-31 23:59:59.9999'", "'2000-01-01 00:00:00.5'", "'1999-12-31 12:00:00'"),
    "TIMESTAMP(6) NULL": ("'2000-12-31 23:59:59.9999'", "'2024-03-31 02:30:00.5'"),
    "TIME(6)": ("'23:59:59.9999'", "'-12:00:00.5'", "'-00:00:00.6'", "'12:00:00'"),
    "DOUBLE": ("20001231235959.99", "1e15", "123456789012345678", "-0.5", "2.5", "1e-5", "0.1", "20001231"),
    "FLOAT": ("0.1", "1.5", "-2.5", "1e6", "1e7", "123456.7", "1999"),
    "DECIMAL(30,6)": ("20001231235959.9999", "2.5", "-0.5", "1999", "101"),
    "BIGINT": ("20001231235959", "101", "1999", "70", "69", "-1", "123456", "1"),
    "YEAR": ("1999", "0", "2155"),
    "ENUM('a','b','7','2000-01-01')": ("'a'", "'7'", "'2000-01-01'", "0"),
    "SET('a','b','7')": ("'a,b'", "'7'", "''"),
    "BIT(16)": ("65", "0", "12345"),
    "JSON": ("'1'", "'\"a\"'", "'1.50'", "'true'", "'\"2000-01-01\"'", "'[]'"),
}
_NEW = (
    *("TINYINT", "SMALLINT UNSIGNED", "INT", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(10,2)", "DECIMAL(20,0)", "FLOAT", "DOUBLE", "DOUBLE(10,2)"),
    *("BIT(1)", "BIT(64)", "YEAR", "DATE", "TIME", "TIME(3)", "DATETIME", "DATETIME(3)", "TIMESTAMP NULL", "TIMESTAMP(3) NULL"),
    *("CHAR(5)", "CHAR(64)", "VARCHAR(5)", "VARCHAR(64)", "VARCHAR(64) CHARACTER SET latin1", "VARCHAR(64) CHARACTER SET ascii", "TEXT", "LONGTEXT"),
    *("VARCHAR(64) CHARACTER SET ucs2", "BINARY(5)", "BINARY(64)", "VARBINARY(64)", "BLOB", "JSON", "ENUM('a','b','7','abc')", "SET('a','b','7')"),
    *("TINYTEXT CHARACTER SET cp1251", "VARCHAR(64) COLLATE utf8mb4_unicode_ci", "INT(5) ZEROFILL", "UUID", "INET4", "INET6"),
)  # fmt: skip


_READERS = (
    *("VARCHAR(99) AS (CONCAT(a, '!'))", "INT AS (LENGTH(a))", "INT AS (CHAR_LENGTH(a)) STORED", "INT AS (a = 'a')", "INT AS (a > 5)"),
    *("VARCHAR(200) AS (HEX(a))", "VARCHAR(99) AS (UPPER(a)) STORED", "DOUBLE AS (a + 1)", "INT AS (a % 2 = 0) STORED", "INT AS (YEAR(a))"),
    *("VARCHAR(99) AS (COALESCE(a, 'none'))", "VARCHAR(99) AS (CAST(a AS CHAR(9)))", "INT AS (a IS NULL) STORED", "DATE AS (DATE(a))"),
    *("INT AS (a | 0) STORED", "VARCHAR(99) AS (LEFT(a, 2))", "INT AS (a IN (1, 2, 7))", "BIGINT AS (FLOOR(a))", "VARCHAR(20) AS (a)", "INT AS (a)"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    mode: str
    type: str
    values: tuple[str, ...]
    new: str
    reader: str = ""
    """A generated column that reads the column, as it is said; "" for none."""

    def case(self, number: int) -> Case:
        rows = ", ".join(f"({n}, {value})" for n, value in enumerate(self.values, 1))
        made = (
            f"CREATE TABLE t (id INT PRIMARY KEY, a {self.type}{', g ' * bool(self.reader)}{self.reader})",
            "SET sql_mode = ''",
            f"INSERT INTO t (id, a) VALUES {rows}",
            f"SET sql_mode = '{self.mode}'",
            f"ALTER TABLE t MODIFY a {self.new}",
        )
        return Case(number, "conversions", str(self), "", (), True, (Step("upstream", made),))

    def apart(self) -> list[Cell]:
        """Some of its values, each alone."""
        some = random.Random(str(self)).sample(self.values, min(4, len(self.values)))
        return [replace(self, values=(value,)) for value in some] if len(self.values) > 1 else []

    def __str__(self) -> str:
        return f"{self.type[:60]} -> {self.new}{', g ' * bool(self.reader)}{self.reader} (sql_mode '{self.mode}')"


@dataclass(frozen=True, slots=True)
class Addition:
    """A column that a table with a row gets; ``said``: NOT NULL and a default, or nothing."""

    mode: str
    type: str
    said: str

    def has_default(self, target: str) -> bool:
        """Whether a row that is written on either end gets it; TiDB has few expressions, no bytes, none for long texts."""
        is_left_out = re.search(r"[(]|CURRENT_TIMESTAMP|[xX]'", self.said) or re.search("TEXT|BLOB|JSON", self.type)
        return " DEFAULT " in self.said and not self.said.endswith("NULL") and not (target == "tidb" and is_left_out)

    def case(self, number: int) -> Case:
        made = (
            "CREATE TABLE t (id INT PRIMARY KEY)",
            "INSERT INTO t VALUES (1)",
            f"SET sql_mode = '{self.mode}', timestamp = 1700006399.9",
            f"ALTER TABLE t ADD a {self.type}{self.said}",
        )
        return Case(number, "additions", str(self), "", (), True, (Step("upstream", made),))

    def apart(self) -> list[Addition]:
        return []

    def __str__(self) -> str:
        return f"ADD {self.type[:60]}{self.said} (sql_mode '{self.mode}')"


def additions(upstream: str, types: str = "") -> list[Addition]:
    """All whose types are found by the regular expression."""
    moments = ("CURRENT_TIMESTAMP", "(NOW(6))", "(CURRENT_DATE)", "(CURRENT_TIME(3))", "(1700000000.9)")
    everywhere = (
        "NULL",
        "''",
        "' '",
        "0",
        "'0'",
        "1",
        "TRUE",
        "('x')",
        "(1 + 1)",
        "(NULL)",
        "0x41",
        "b'1'",
        "1.5",
        "'1.5'",
        "-1",
    )
    modes = (*_MODES[upstream], "NO_ZERO_DATE,NO_ZERO_IN_DATE", "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE")
    found = []
    for name, values in sources().items():
        if re.search(types, name):
            defaults = [*everywhere, *(moments if re.search("TIME|DATE|CHAR|INT", name) else ()), *values[:12]]
            said = ["", *(f" DEFAULT {one}" for one in dict.fromkeys(defaults))]
            is_null = name.endswith(" NULL")
            found += [
                Addition(mode, name, both)
                for mode in modes
                for one in said
                for both in ((one,) if is_null else (one, f" NOT NULL{one}"))
            ]
    return found


def sources() -> dict[str, tuple[str, ...]]:
    """Literals by type."""
    found: dict[str, tuple[str, ...]] = {}
    for one in typed():
        if "CHARACTER SET" not in one.type and "POINT" not in one.type and not one.type.startswith("VECTOR"):
            found[one.type] = one.values
    for name, values in _MORE.items():
        found[name] = (*found.get(name, ()), *values)
    texts = tuple("'{}'".format(text.replace("'", "''")) for text in _LOOK_LIKE)
    # The sign of a zero is lost in some targets, as documented.
    found = {name: tuple(one for one in values if one != "-0e0") for name, values in found.items()}
    return found | {name: (*found.get(name, ()), *texts) for name in _TEXTS}


def cells(upstream: str, types: str = "", new_types: str = "") -> list[Cell]:
    """All whose types are found by the regular expressions."""
    chosen = {name: values for name, values in sources().items() if re.search(types, name)}
    found = [
        Cell(mode, name, values, new)
        for name, values in chosen.items()
        for new in _NEW
        if re.search(new_types, new)
        for mode in _MODES[upstream]
    ]
    never_null = [f"{new} NOT NULL" for new in _NEW if not new.endswith(" NULL")]
    return found + [
        Cell("", name, ("NULL", *values[:1]), new)
        for name, values in chosen.items()
        for new in never_null
        if re.search(new_types, new)
    ]


def read_by(found: Sequence[Cell], seed: object) -> list[Cell]:
    """The same cells, each with a generated column that reads what is changed."""
    drawn = random.Random(str(seed))
    return [replace(cell, reader=drawn.choice(_READERS)) for cell in found]


@dataclass(slots=True)
class Played:
    """How cells came out: ``holds``, ``different``, and of one value ``refused`` or ``paused``."""

    verdicts: Counter[str] = field(default_factory=Counter)
    again: list[Cell | Addition] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)


def play(
    drawn: Sequence[Cell | Addition], upstream: RunningServer, target: RunningServer, part: str, first: int = 1
) -> Played:
    """Replicate the cells at once; their schemas are numbered from ``first`` to 9999 at most."""
    cases = [cell.case(number) for number, cell in enumerate(drawn, first)]
    written = Upstream(upstream, cases, {target.kind: {case.number for case in cases}}, part)
    played = Played()
    with tempfile.TemporaryDirectory() as folder, connected(upstream) as here, connected(target) as there:
        log = Path(folder) / "log"
        written.write([target], log)
        paused, _ = replicate_all(written, target, log)
        for case, cell in zip(cases, drawn, strict=True):
            schema = schema_of(case, upstream)
            if case.number in written.refused or case.number in paused:
                played.verdicts["refused" if case.number in written.refused else "paused"] += not cell.apart()
                played.again += cell.apart()
                continue
            if isinstance(cell, Addition) and cell.has_default(target.kind):
                for end in (here, there):
                    _use_default(end, schema)
            rows, found = _rows(here, there, schema)
            played.verdicts["holds" if rows == found else "different"] += 1
            if len(rows) != len(found):
                played.findings.append(f"{cell}: upstream {sorted(rows)}, target {sorted(found)}")
                continue
            for (id_, *ours), (_, *theirs) in zip(sorted(rows), sorted(found), strict=True):
                if ours != theirs:
                    value = cell.values[id_ - 1][:60] if isinstance(cell, Cell) else ("the row", "a later row")[id_ - 1]
                    played.findings.append(f"{cell} {value}: upstream {ours}, target {theirs}")
        for server in (here, there):
            for case in cases:
                server.query(f"DROP DATABASE IF EXISTS {schema_of(case, upstream)}")
    return played


def _use_default(end: Server, schema: str) -> None:
    end.query("SET sql_mode = '', timestamp = 1700006399")
    with suppress(pymysql.err.MySQLError):  # no row on either end, or one row on one of them
        end.query(f"INSERT INTO `{schema}`.t (id) VALUES (2)")


def _rows(here: Server, there: Server, schema: str) -> list[Counter[Any]]:
    """Of both ends, read as the upstream's columns."""
    table = (schema, "t")
    columns, theirs = (structures(one, schema, "t").get(table, []) for one in (here, there))
    kept = keep_their_set(columns, theirs) if there.kind != "tidb" else frozenset[str]()
    return [contents(one, table, columns, kept) for one in (here, there)]
