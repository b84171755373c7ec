"""What two servers hold of a case: its tables, their structures, their rows."""

from __future__ import annotations

import json
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tests.servers import RunningServer
from tests.workload.compare import all_digits

_SHAPES = ("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon")
_BYTES = frozenset(
    (
        "binary",
        "varbinary",
        "tinyblob",
        "blob",
        "mediumblob",
        "longblob",
        "geometrycollection",
        "geomcollection",
        *_SHAPES,
    )
)
_FLOATS = frozenset(("float", "double"))
_OF_WHOLE_NUMBERS = re.compile(r"(float|double)\(\d+,0\)(.*)")
_NUMBERS = frozenset(("decimal", "float", "double"))
_EXACT_NUMBERS = frozenset(("tinyint", "smallint", "mediumint", "int", "bigint", "decimal"))
_COLUMNS = (
    "TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, "
    "COLLATION_NAME, COLUMN_COMMENT, GENERATION_EXPRESSION"
)
_IN_EXPRESSION = re.compile(r"[`\"\s()]")  # of partitions: how servers write it
_KEPT_OF_NAMES = 50

TableName = tuple[str, str]


@dataclass(frozen=True)
class Column:
    """A column as far as all flavours say the same of it."""

    name: str
    kind: str
    type: str
    nullable: bool
    default: str | None
    collation: str
    comment: str
    extra: str
    generated: bool


@dataclass(frozen=True)
class Server:
    """One end, on a connection in UTC."""

    kind: str
    link: Any

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with self.link.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


@contextmanager
def connected(server: RunningServer) -> Iterator[Server]:
    with server.connect(ssl_disabled=True) as link:
        end = Server(server.kind, link)
        # TiDB computes virtual columns when they are read.
        end.query(
            "SET time_zone = '+00:00', sql_mode = '', sql_select_limit = 18446744073709551615, sql_big_selects = 1"
        )
        yield end


def _of(schemas: str, table: str) -> str:
    """The condition for the tables of the schemas that are LIKE ``schemas``; for one ``table`` of one schema if named."""
    if not table:
        return f"TABLE_SCHEMA LIKE '{schemas}'"
    schema, name = (text.replace("\\", "\\\\").replace("'", "''") for text in (schemas, table))
    return f"TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{name}'"


def structures(server: Server, schemas: str, table: str = "") -> dict[TableName, list[Column]]:
    """The base tables of the schemas that are LIKE ``schemas``, with their columns; or one ``table`` of one schema."""
    tables: dict[TableName, list[Column]] = {
        (schema, name): []
        for schema, name in server.query(
            "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES "
            f"WHERE {_of(schemas, table)} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')",
        )
    }
    found = server.query(
        f"SELECT {_COLUMNS} FROM information_schema.COLUMNS WHERE {_of(schemas, table)} "
        "ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION",
    )
    for schema, name, *column in found:
        if (schema, name) in tables:
            tables[schema, name].append(_column(server.kind, *column))
    return tables


def _column(
    flavor: str, name: str, kind: str, full: str, nullable: str, default: Any, extra: str, collation: Any,
    comment: str, generated: Any,
) -> Column:  # fmt: skip
    return Column(
        name=name,
        kind=kind.lower(),
        type=_type(full.lower()) if kind not in ("enum", "set") else _labels(flavor, full),
        nullable=nullable == "YES",
        default=None if generated else _default(flavor, kind, default, extra),
        collation=_collation(collation or ""),
        comment=comment,
        extra=" ".join(word for word in ("auto_increment", "on update") if word in extra.lower()),
        generated=bool(generated),
    )


def _collation(name: str) -> str:
    """The same word for collations that compare alike but are called otherwise."""
    new = "utf8mb4_0900_ai_ci" if name == "utf8mb4_uca1400_nopad_ai_ci" else name
    return re.sub(r"^utf8_", "utf8mb3_", new)


def _labels(flavor: str, text: str) -> str:
    """TiDB alone shows a backslash as it is."""
    return text if flavor == "tidb" else text.replace("\\\\", "\\")


def _type(text: str) -> str:
    """Without display widths, and what not every server shows."""
    width = re.compile(r"\b(tinyint|smallint|mediumint|int|bigint|year)\(\d+\)")
    return re.sub(r" zerofill| ?/\*.*?\*/", "", width.sub(r"\1", text))


_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CODES = {"0": "\0", "n": "\n", "r": "\r"}


def _default(flavor: str, kind: str, default: Any, extra: str) -> str | None:
    """MariaDB shows an expression as it is written; the others show the value and say when it is one."""
    if default is None or (flavor == "mariadb" and default == "NULL"):
        return None
    text = str(default)
    if re.match(r"\(?(current_timestamp|now)\b", text, re.IGNORECASE):
        return "CURRENT_TIMESTAMP" + "".join(re.findall(r"\([1-6]\)", text))
    if kind.endswith("binary"):
        return "BYTES"  # as digits here and as text there
    if "on update" in extra.lower() and re.match(r"\d{4}-", text):
        return text  # TiDB calls it generated, since that is how it shows ON UPDATE
    digits = (
        re.fullmatch(r"0x([0-9A-F]+)|X'([0-9A-F]*)'", text, re.IGNORECASE) if kind.endswith(("text", "blob")) else None
    )
    if digits is not None:  # which MariaDB keeps as it was written
        return bytes.fromhex(digits[1] or digits[2]).decode("utf-8", "surrogateescape")
    literal = re.fullmatch(r"_\w+\\'([^'\\]*)\\'|(\d+)", text) if kind.endswith(("text", "blob")) else None
    if literal is not None:  # MySQL has defaults of a TEXT or BLOB as expressions only
        return str(literal[1] or literal[2] or "")
    if "DEFAULT_GENERATED" in extra.upper() or (flavor == "mariadb" and not re.match(r"b?['\d.-]", text)):
        return "EXPRESSION"
    if flavor == "mariadb" and text.startswith("'"):
        text = _ESCAPED.sub(lambda found: _CODES.get(found[1], found[1]), text[1:-1].replace("''", "'"))
    return str(Decimal(text).normalize()) if kind in _NUMBERS else text


def indexes(server: Server, schemas: str, table: str = "") -> dict[TableName, list[tuple[Any, ...]]]:
    """(name, unique, columns with their prefixes) of every index of the usual kind; of the tables as in ``structures``.

    ("ignored", None) stands behind the columns of one that the server does not use, (comment, "comment") behind one
    that has a comment.
    """
    parts: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    used = "IGNORED = 'NO'" if server.kind == "mariadb" else "IS_VISIBLE = 'YES'"
    ignored, comments = set(), {}
    for schema, owner, name, non_unique, column, prefix, is_used, comment in server.query(
        f"SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART, {used}, INDEX_COMMENT "
        f"FROM information_schema.STATISTICS WHERE {_of(schemas, table)} AND INDEX_TYPE IN ('BTREE', 'HASH') "
        "ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
    ):
        parts[schema, owner, name, str(int(non_unique) == 0)].append((None if column == "NULL" else column, prefix))
        if not is_used:
            ignored.add((schema, owner, name))
        if comment:
            comments[schema, owner, name] = comment
    found: dict[TableName, list[tuple[Any, ...]]] = defaultdict(list)
    for (schema, owner, name, unique), columns in sorted(parts.items()):
        behind = [("ignored", None)] if (schema, owner, name) in ignored else []
        behind += [(said, "comment")] if (said := comments.get((schema, owner, name))) else []
        found[schema, owner].append((name, unique == "True", *columns, *behind))
    return found


def contents(
    server: Server, table: TableName, columns: list[Column], as_bytes: frozenset[str] = frozenset()
) -> Counter[Any]:
    """All rows of ``columns``: text and bytes as hexadecimal, floats, bits and JSON by value, instants in UTC.

    Text is compared as Unicode, in columns ``as_bytes`` by its bytes.
    """
    schema, name = (part.replace("`", "``") for part in table)
    shown = ", ".join(_shown(column, server.kind, as_bytes) for column in columns)
    return Counter(_comparable(row, columns) for row in server.query(f"SELECT {shown} FROM `{schema}`.`{name}`"))


def _shown(column: Column, flavor: str, as_bytes: frozenset[str]) -> str:
    name = f"`{column.name.replace('`', '``')}`"
    if column.kind == "bit":
        return f"CAST({name} AS UNSIGNED)"
    if column.kind in _EXACT_NUMBERS:
        return name
    if column.kind in _BYTES:
        return f"HEX({name})"
    if column.kind in _FLOATS:
        is_rounded = "(" in column.type and not _OF_WHOLE_NUMBERS.fullmatch(column.type)
        return name if is_rounded else f"{name} * 1e0"  # with (M,D) servers round to other neighbours
    if column.kind == "vector":
        return f"{'VEC_AS_TEXT' if flavor == 'tidb' else 'VECTOR_TO_STRING'}({name})"
    if column.kind == "json":
        return f"CAST({name} AS CHAR)"
    return f"HEX({name})" if column.name in as_bytes else f"HEX(CONVERT({name} USING utf8mb4))"


def _comparable(row: tuple[Any, ...], columns: list[Column]) -> tuple[Any, ...]:
    return tuple(
        value if value is None else _parsed(value, column.kind) for value, column in zip(row, columns, strict=True)
    )


def _parsed(value: Any, kind: str) -> Any:
    """What is the same however a server shows it."""
    if isinstance(value, (str, bytes)) and kind in _EXACT_NUMBERS:  # texts or bytes in the target
        return Decimal(value if isinstance(value, str) else value.decode())
    if kind == "json":
        return json.dumps(json.loads(value, parse_float=all_digits), sort_keys=True)
    if kind == "vector":  # MySQL shows six digits
        return tuple(f"{float(number):.5e}" for number in json.loads(value, parse_int=float))
    if kind == "float":  # TiDB shows more digits of a FLOAT(M,D) than it has
        return struct.unpack("<f", struct.pack("<f", value))[0]
    if kind in ("datetime", "timestamp") and _ZERO.fullmatch(value):  # a virtual column's in TiDB has no fraction
        return "zero"
    return value


_ZERO = re.compile(b"0000-00-00 00:00:00".hex().upper() + "(2E(30)+)?")
_LARGER = {"tinytext": "text", "text": "mediumtext", "mediumtext": "longtext"}  # for characters with more bytes


def alike(columns: list[Column], upstream: str, target: str) -> list[Any]:
    """What servers of the two kinds should show alike."""
    shown = [_expected(one, upstream, target) for one in columns]
    return [(one.name, one.type, one.nullable, one.default, one.collation, one.comment, one.extra) for one in shown]


def _expected(column: Column, upstream: str, target: str) -> Column:
    """MariaDB's JSON is a text, TiDB lacks some sets, MySQL shows an instant in the zone of the one who wrote it.

    A default of a CHAR has the blanks of PAD_CHAR_TO_FULL_LENGTH in MySQL, which no value has.
    """
    if column.kind == "char" and column.default is not None:
        column = replace(column, default=column.default.rstrip(" "))
    if target == "tidb" and (found := _OF_WHOLE_NUMBERS.fullmatch(column.type)):
        return replace(column, type=f"{found[1]}{found[2]}")  # which it does not show, and has
    if target == "mariadb" and column.kind == "json":
        return replace(column, type="longtext", collation="utf8mb4_bin")
    if target == "tidb" and column.collation == "latin1_swedish_ci" and column.type in _LARGER:
        column = replace(column, type=_LARGER[column.type])
    if target == "tidb" and column.collation in ("latin1_swedish_ci", "ascii_general_ci"):
        return replace(column, collation="utf8mb4_general_ci")
    if (
        "mysql" in (upstream, target)
        and column.kind == "timestamp"
        and column.default not in (None, "CURRENT_TIMESTAMP")
    ):
        return replace(column, default="an instant")
    return column


def keep_their_set(ours: list[Column], theirs: list[Column]) -> frozenset[str]:
    """Text columns of one character set on both servers, whose bytes are the same then."""
    sets = {one.name: one.collation.partition("_")[0] for one in theirs}
    return frozenset(
        one.name for one in ours if one.collation and one.collation.partition("_")[0] == sets.get(one.name)
    )


def references(server: Server, schemas: str) -> dict[TableName, set[str]]:
    """The columns on both sides of foreign keys, by tables."""
    found: dict[TableName, set[str]] = defaultdict(set)
    for schema, table, column, above, parent, referred in server.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, "
        "REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        f"WHERE REFERENCED_TABLE_NAME IS NOT NULL AND {_of(schemas, '')}"
    ):
        found[schema, table].add(column)
        found[above, parent].add(referred)
    return found


def foreign_keys(server: Server, schemas: str) -> dict[TableName, list[tuple[Any, ...]]]:
    """By table its foreign keys: name but for what a target may shorten, parts with what they refer to, both rules."""
    parts: dict[tuple[TableName, str], list[tuple[Any, ...]]] = defaultdict(list)
    for schema, table, name, column, above, parent, referred in server.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, "
        "REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        f"WHERE REFERENCED_TABLE_NAME IS NOT NULL AND {_of(schemas, '')} ORDER BY ORDINAL_POSITION"
    ):
        parts[(schema, table), name].append((column, above, parent, referred))
    found: dict[TableName, list[tuple[Any, ...]]] = defaultdict(list)
    for schema, table, name, *rules in server.query(
        "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE "
        f"FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA LIKE '{schemas}'"
    ):
        acts = ("NO ACTION" if rule == "RESTRICT" else rule for rule in rules)  # which all servers take for the same
        found[schema, table].append((name[:_KEPT_OF_NAMES], *parts[(schema, table), name], *acts))
    return {table: sorted(keys) for table, keys in found.items()}


def partitions(server: Server, schemas: str) -> dict[TableName, list[tuple[Any, ...]]]:
    """By table its partitions in their order: name, how rows are chosen, and the values or the end."""
    found: dict[TableName, list[tuple[Any, ...]]] = defaultdict(list)
    for schema, table, name, method, expression, values in server.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME, PARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION "
        "FROM information_schema.PARTITIONS "
        f"WHERE PARTITION_NAME IS NOT NULL AND {_of(schemas, '')} ORDER BY PARTITION_ORDINAL_POSITION"
    ):
        shown = _IN_EXPRESSION.sub("", str(expression or "").lower()).replace("mod", "%")
        one = (name, method, shown, frozenset(str(values or "").lower().split(",")))
        if one not in found[schema, table]:  # it has parts, which TiDB leaves out
            found[schema, table].append(one)
    return dict(found)


def finer_keys(
    ours: list[Column], theirs: list[Column], indexes: list[tuple[Any, ...]], references: Collection[str] = ()
) -> list[Column]:
    """Ours; where a key compares code points there, it is as good: each row keeps its place (docs/exactness.md)."""
    keys = {column for _, is_unique, *parts in indexes if is_unique for column, _ in parts} | set(references)
    code_points = {one.name: one.collation for one in theirs if one.name in keys and one.collation.endswith("_bin")}
    return [_finer(one, code_points[one.name]) if one.name in code_points else one for one in ours]


def _finer(column: Column, collation: str) -> Column:
    """The column by code points, in another set of the larger type that its characters take."""
    is_same_set = column.collation.partition("_")[0] == collation.partition("_")[0]
    return replace(
        column, collation=collation, type=_LARGER.get(column.type, column.type) if not is_same_set else column.type
    )
