"""Compares one table on three servers: upstream, the native replica, and the target of the task.

The native replica is the judge: what it has as the upstream has, the target must have, too.  Where the replica itself
differs, nothing is expected of the target; where the target has what either of them has, it is equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pymysql

from tests.cases.replicate.comparing import Column, Server, TableName, alike, contents, indexes, structures
from tests.soak.corpus.documented import (
    ARCHIVE,
    CHARSETS,
    COUNTER,
    DEFAULTS,
    DIGITS,
    GENERATED,
    KEYS,
    LITERALS,
    MERGE,
    NUMBERED,
    SEQUENCE,
    VISIBLE,
    columns_without_digits,
    columns_without_sequences,
    with_expressions,
    with_keys_there,
    with_nulls_of_generated,
    without_charsets,
    without_counters,
    without_defaults,
    without_digits,
    without_hidden_marks,
    without_keys_of_counters,
    without_lengths_of_keys,
    without_new_counters,
    without_sequences,
)

MOST_ROWS = 100_000  # of a table whose values are compared one by one; of larger ones the number of rows
SHOWN = 5
META = "corpus_meta"  # the task's own schema in the target
SYSTEM = ("mysql", "information_schema", "performance_schema", "metrics_schema", "sys")
_MARIADBS_OWN = ("uca1400", "nopad", "mysql500", "mysql561", "myanmar", "thai_520")  # in names of collations
# Rows that were inserted and deleted in one batch leave no trace in AUTO_INCREMENT; how a table is stored is the target's
# own matter (docs/ddl.md).
_REPLACED = frozenset(("uuid", "inet4", "inet6", "json"))  # types that are texts or bytes elsewhere
_NOT_COMPARED = (*SYSTEM, META)
_VOLATILE = re.compile(
    r" (AUTO_INCREMENT|ENGINE|ROW_FORMAT|CHECKSUM|PAGE_CHECKSUM|DELAY_KEY_WRITE|TRANSACTIONAL|PACK_KEYS|KEY_BLOCK_SIZE|"
    r"MAX_ROWS|MIN_ROWS|AVG_ROW_LENGTH|INSERT_METHOD|STATS_\w+) ?= ?\w+| USING (BTREE|HASH)| UNION=\(.*?\)|"
    r" /\* `.*? \*/"  # options of engines that the server does not know, or passed over
)


@dataclass(frozen=True)
class Picture:
    """A table on one server; ``text`` is its definition, where servers of one kind are compared."""

    columns: list[Column]
    indexes: list[Any]
    text: str
    rows: Counter[Any] | str  # or the error that reading them gives


@dataclass(frozen=True)
class Difference:
    table: TableName
    kind: str  # "rows", "table", "structure" or "schema"
    native: str
    target: str
    documented: str = ""  # why it is none of the product's defects

    def __str__(self) -> str:
        said = f"{self.kind} of {'.'.join(self.table)}: native {self.native} | target {self.target}"
        return f"{said} (documented: {self.documented})" if self.documented else said


@dataclass
class Judge:
    upstream: Server
    native: Server
    target: Server

    def differences(self, tables: Iterable[TableName]) -> tuple[list[Difference], list[Difference]]:
        """(what differs between native replica and target; what the native replica itself has otherwise)."""
        ours: list[Difference] = []
        natives: list[Difference] = []
        for table in tables:
            judge = picture(self.native, table, [])  # whose columns the rows are read by on all sides
            model = judge.columns if isinstance(judge, Picture) else []
            here, there = picture(self.upstream, table, model), picture(self.target, table, model)
            found = None if isinstance(judge, str) else difference(table, judge, there, self._kinds)
            if found is None or difference(table, here, there, self._kinds) is None:
                continue
            wrong = difference(table, here, judge, (self.upstream.kind, self.native.kind)) if here != "locked" else None
            why = self._documented(table, judge, there) if wrong is None else ""
            (ours if wrong is None else natives).append(replace(found, documented=why) if wrong is None else wrong)
        return ours, natives

    def _documented(self, table: TableName, judge: Picture | str | None, there: Picture | str | None) -> str:
        """Why the target has it otherwise, where the documentation says that it does; "" where it does not."""
        if there is None and self._engine(table).upper() == "MRG_MYISAM":
            return MERGE
        if isinstance(judge, Picture) and isinstance(there, Picture) and self._engine(table).upper() == "ARCHIVE":
            judge = replace(judge, indexes=there.indexes)
            if difference(table, judge, there, self._kinds) is None:
                return ARCHIVE
        return documented(table, judge, there, self._kinds)

    def _engine(self, table: TableName) -> str:
        schema, name = (part.replace("\\", "\\\\").replace("'", "''") for part in table)
        sql = f"SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{name}'"
        return next((str(engine) for (engine,) in self.native.query(sql)), "")

    @property
    def _ends(self) -> tuple[Server, Server, Server]:
        return self.upstream, self.native, self.target

    @property
    def _kinds(self) -> tuple[str, str]:
        return self.native.kind, self.target.kind

    def schemas(self, server: Server) -> dict[str, str]:
        """Databases of users, with their collations."""
        found = server.query("SELECT SCHEMA_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA")
        return {name: collation for name, collation in found if name.lower() not in _NOT_COMPARED}

    def tables(self) -> set[TableName]:
        """All base tables that any of the three has."""
        names: set[TableName] = set()
        for server in self._ends:
            found = server.query(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE IN "
                "('BASE TABLE', 'SYSTEM VERSIONED') AND LOWER(TABLE_SCHEMA) NOT IN "
                f"({', '.join(map(repr, _NOT_COMPARED))})"
            )
            names.update(found)
        return names

    def of_schemas(self) -> list[Difference]:
        """Databases that native replica and target do not both have, or with another collation."""
        here, judge, there = (self.schemas(one) for one in self._ends)
        return [
            Difference((name, "*"), "schema", str(judge.get(name)), str(there.get(name)))
            for name in sorted(judge.keys() | there.keys())
            if (judge.get(name) is None) != (there.get(name) is None)
            or (self.target.kind == self.native.kind and judge.get(name) != there.get(name) != here.get(name))
        ]


def documented(
    table: TableName, judge: Picture | str | None, there: Picture | str | None, kinds: tuple[str, str]
) -> str:
    """Why the target has a table otherwise, where the documentation says that it does; "" where it does not."""
    if not isinstance(judge, Picture) or not isinstance(there, Picture):
        return ""
    reasons = []
    for reason, one, other in _as_documented(judge, there, kinds):
        if (one, other) != (judge, there):
            reasons.append(reason)
        judge, there = one, other
    return "; ".join(reasons) if difference(table, judge, there, kinds) is None else ""


def _as_documented(native: Picture, target: Picture, kinds: tuple[str, str]) -> Iterator[tuple[str, Picture, Picture]]:
    """Both without what the documentation says of them, one reason after the other."""
    upstream, kind = kinds
    if upstream == kind == "mariadb":
        one, other = without_sequences(native.text, target.text)
        native, target = replace(native, text=one), replace(target, text=other)
        yield SEQUENCE, native, target
        native = replace(native, text=without_digits(one))
        yield DIGITS, native, target
        target = replace(target, text=without_counters(other))
        yield COUNTER, native, target
        ends = [replace(end, text=without_lengths_of_keys(end.text)) for end in (native, target)]
        yield KEYS, ends[0], ends[1]
        return
    native = replace(native, columns=columns_without_sequences(native.text, native.columns))
    yield SEQUENCE, native, target
    if kind == "tidb":
        native = replace(native, columns=without_defaults(native.columns, target.columns))
        yield DEFAULTS, native, target
        native = replace(native, columns=without_charsets(native.columns, target.columns))
        yield CHARSETS, native, target
        native = replace(native, columns=columns_without_digits(native.columns, target.columns))
        yield DIGITS, native, target
        native = replace(native, columns=without_new_counters(native.columns, target.columns))
        yield NUMBERED, native, target
    target = replace(target, indexes=without_keys_of_counters(target.indexes))
    yield COUNTER, native, target
    if kind == "mariadb":
        native = replace(native, columns=with_nulls_of_generated(native.columns, target.columns))
        yield GENERATED, native, target
        native = replace(native, indexes=without_hidden_marks(native.indexes))
        yield VISIBLE, native, target
    if kind == "mysql":
        native = replace(native, columns=with_expressions(native.columns, target.columns))
        yield LITERALS, native, target
    yield KEYS, replace(native, indexes=with_keys_there(native.indexes, target.indexes)), target


def picture(server: Server, table: TableName, model: list[Column]) -> Picture | str | None:
    """What the server has; None: no such table; "locked": somebody holds it."""
    try:
        columns = structures(server, *table).get(table)
        if columns is None:
            return None
        text = _definition(server, table) if server.kind != "tidb" else ""
        return Picture(columns, indexes(server, *table).get(table, []), text, _rows(server, table, model or columns))
    except pymysql.err.MySQLError as exc:
        return "locked" if exc.args[0] == 1205 else f"error {exc.args[0]}: {exc.args[-1]}"


def _definition(server: Server, table: TableName) -> str:
    name = ".".join(f"`{part.replace('`', '``')}`" for part in table)
    shown = str(server.query(f"SHOW CREATE TABLE {name}")[0][1])
    return _VOLATILE.sub("", shown).replace(" /* */", "")


def _rows(server: Server, table: TableName, columns: list[Column]) -> Counter[Any] | str:
    name = ".".join(f"`{part.replace('`', '``')}`" for part in table)
    try:
        count = int(server.query(f"SELECT COUNT(*) FROM {name}")[0][0])
        if count > MOST_ROWS or not columns:
            return Counter({count: 1})
        return contents(server, table, columns)
    except pymysql.err.MySQLError as exc:
        if exc.args[0] == 1205:
            raise
        return f"error {exc.args[0]}: {exc.args[-1]}"


def difference(
    table: TableName, one: Picture | str | None, other: Picture | str | None, kinds: tuple[str, str]
) -> Difference | None:
    """How two pictures of a table, of servers of these kinds, are apart; None: they are alike."""
    if not isinstance(one, Picture) or not isinstance(other, Picture):
        same = one == other or "locked" in (one, other)
        return None if same else Difference(table, "table", _brief(one), _brief(other))
    if one.rows != other.rows:
        return Difference(table, "rows", *_row_difference(one.rows, other.rows))
    if kinds[0] == kinds[1]:
        return None if one.text == other.text else Difference(table, "structure", *_apart(one.text, other.text))
    apart = _columns_apart(one.columns, other.columns, kinds)
    keys, others = (
        [(name.lower(), *rest) for name, *rest in end.indexes] for end in (one, other)
    )  # in any letters' case
    apart += [(repr(key), "") for key in keys if key not in others]
    apart += [("", repr(key)) for key in others if key not in keys]
    if not apart:
        return None
    ours, theirs = (" ".join(filter(None, texts))[:600] for texts in zip(*apart, strict=True))
    return Difference(table, "structure", ours, theirs)


def _columns_apart(ours: list[Column], theirs: list[Column], kinds: tuple[str, str]) -> list[tuple[str, str]]:
    """Pairs of columns that are not alike, as servers of different kinds can be."""
    if [column.name for column in ours] != [column.name for column in theirs]:
        return [(" ".join(column.name for column in ours), " ".join(column.name for column in theirs))]
    pairs = ((_facts(one, other, kinds), _facts(other, one, kinds)) for one, other in zip(ours, theirs, strict=True))
    return [(repr(one), repr(other)) for one, other in pairs if one != other]


def _facts(column: Column, other: Column, kinds: tuple[str, str]) -> tuple[Any, ...]:
    """What the two columns must have in common: a character set, and a type, that the target lacks is replaced there."""
    replaced = column.collation != other.collation and _lacks(kinds[1], (column.collation, other.collation))
    (shown,) = alike([column], *kinds)
    name, type_, nullable, default, collation, comment, extra = shown
    if replaced:
        collation = ""
    if replaced or {column.kind, other.kind} & _REPLACED:
        type_, default, collation = "", None, ""
    if collation == "binary" and column.kind in ("enum", "set"):
        collation = ""  # MySQL shows none of these
    type_ = type_.replace("geomcollection", "geometrycollection")  # MySQL's other name of it
    if type_.startswith("bit") and default == "b''":
        default = "b'0'"
    if "int" in type_ and default is not None and default.isdecimal():
        default = str(int(default))  # some servers keep the zeros in front
    return name, type_, nullable, default, collation, comment, extra


def _lacks(target: str, collations: tuple[str, str]) -> bool:
    """Whether one of them is of a set that the target lacks, or a collation that one of the servers alone has."""
    own = (*_MARIADBS_OWN, *(("gb18030", "_0900_") if target == "mariadb" else ()))
    if any(word in name for word in own for name in collations):
        return True
    return target == "tidb" and any(
        name.partition("_")[0] not in ("utf8mb4", "utf8mb3", "utf8", "binary", "gbk", "")
        or name not in ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_bin",
                        "utf8mb3_bin", "utf8mb3_general_ci", "utf8mb3_unicode_ci", "binary", "gbk_bin", "gbk_chinese_ci", "")
        for name in collations
    )  # fmt: skip


def _brief(one: Picture | str | None) -> str:
    if isinstance(one, Picture):
        return "has it"
    return one or "has none"


def _row_difference(one: Counter[Any] | str, other: Counter[Any] | str) -> tuple[str, str]:
    if isinstance(one, str) or isinstance(other, str):
        return _rows_text(one), _rows_text(other)
    return _rows_text(one - other), _rows_text(other - one)


def _rows_text(rows: Counter[Any] | str) -> str:
    if isinstance(rows, str):
        return rows
    shown = [repr(row) for row in list(rows)[:SHOWN]]
    return f"{rows.total()} rows " + " ".join(shown)[:400]


def _apart(one: str, other: str) -> tuple[str, str]:
    """The lines in which they differ."""
    ours, theirs = one.splitlines(), other.splitlines()
    here = [line.strip() for line in ours if line not in theirs]
    there = [line.strip() for line in theirs if line not in ours]
    return " ".join(here)[:600] or "the same in another order", " ".join(there)[:600]
