"""Differences that the documentation names, with the reason: they are counted as "documented", and never as equal.  No I/O."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tests.cases.replicate.comparing import Column

MERGE = "merge table: it stays upstream (docs/ddl.md, rows of other engines)"
SEQUENCE = "sequence default: sequences stay upstream, and so do the defaults that name one (docs/ddl.md)"
DEFAULTS = "default: TiDB takes few expressions, and none for texts, blobs and JSON (docs/ddl.md)"
LITERALS = "default: MySQL takes one of a BLOB, TEXT or JSON as an expression alone (docs/ddl.md)"
NUMBERED = "counter: TiDB gives AUTO_INCREMENT to columns of new tables alone (docs/ddl.md, a new counter)"
DIGITS = "digits: a DOUBLE(M,D) that shows all digits is a DOUBLE in MariaDB and TiDB (docs/exactness.md, values)"
COUNTER = "counter: one behind another column of a key gets a key of its own (docs/ddl.md, other engines)"
GENERATED = "generated: MariaDB's generated columns have no NOT NULL (docs/ddl.md)"
CHARSETS = "character set: TiDB takes a column from utf8mb4 to no other one (docs/ddl.md)"
ARCHIVE = "key: MySQL lists none of an ARCHIVE table's, the target has them (docs/ddl.md, other engines)"
VISIBLE = "key: one that is INVISIBLE in MySQL is an ordinary one in MariaDB (docs/ddl.md, types and defaults)"
FILE_NAMES = "text in MariaDB's own character set of file names (docs/exactness.md, text)"
KEYS = "key: another length or name, none over expressions, or not unique over whole texts, as servers have them (docs/ddl.md)"
# Pauses that are right, by code; each has been looked at in the files that meet it.
PAUSES = {
    "22012": "XA, or a transaction that was rolled back and had run a DDL (docs/exactness.md, statements)",
    "36014": "rows that are logged as text, as binlog_format MIXED does (docs/exactness.md, statements)",
    "36107": "CREATE TABLE … SELECT that is logged as text (docs/ddl.md, statements and temporary tables)",
    "36117": "a session's setting that the target lacks (docs/ddl.md, the settings of the statement's session)",
    "36140": "a new column whose default gives something else at each call (docs/ddl.md, a new column)",
    "36118": "a code that Unicode has no character for (docs/exactness.md, text)",
    "36125": "two names that the target takes for one (docs/ddl.md, upper and lower case)",
    "36126": "CONVERT PARTITION takes several statements there, which the error names (docs/ddl.md, types and defaults)",
    "36170": "a statement mixes the task's tables with others (docs/exactness.md, DDL)",
    "36196": "a change of type makes other values there (docs/ddl.md, changes of type)",
    "36197": "an expression has other values there (docs/ddl.md, generated columns)",
    "36198": "a new counter in a table without a key (docs/ddl.md, a new counter)",
    "36201": "ALTER IGNORE with a unique key over a whole text (docs/ddl.md, ALTER IGNORE)",
    "44011": "a system-versioned table: the error says how to leave it out",
    "44012": "rows that are written through a MERGE table (docs/ddl.md, other engines)",
}
# The same of single files (target, file), whose code says too little.
FILES = {
    ("tidb", "main/default.test"): "a default `(--1)`, which MariaDB shows as 1 and TiDB takes as no expression",
    ("tidb", "main/partition_default.test"): "TiDB refuses zero and impossible dates in a partition's expression",
    ("tidb", "main/partition_error.test"): "TiDB refuses zero and impossible dates in a partition's expression",
    ("mariadb", "main/partition_error.test"): "SET STATEMENT sql_mode before quotation marks (docs/ddl.md)",
    ("tidb", "main/partition_utf8-debug.test"): "TiDB takes no bytes of another character set for a partition's value",
    ("tidb", "main/alter_table_combinations.test"): "columns exchange their names in one statement (docs/ddl.md)",
    ("tidb", "main/ctype_filename_innodb.test"): "text in MariaDB's own character set of file names, which is not read",
    ("mariadb", "main/ctype_filename_innodb.test"): "text in MariaDB's own character set of file names",
    ("mariadb", "main/type_blob.test"): "SET STATEMENT sql_mode before quotation marks (docs/ddl.md)",
    ("tidb", "main/partition_utf8.test"): "TiDB takes no bytes of another character set for a partition's value",
    ("tidb", "main/myisam_mrr.test"): "a column of a key becomes a BLOB, for which TiDB wants a length in the key",
    ("tidb", "main/foreign_key.test"): "REFERENCES without columns, which TiDB does not take",
    ("mysql", "main/ctype_utf16.test"): "half a surrogate pair in ucs2, whose bytes are the same",
    ("mysql", "main/ctype_utf16le.test"): "half a surrogate pair in ucs2, whose bytes are the same",
    ("mysql", "main/explain.test"): "texts of 16 MB, of which MariaDB's HEX is NULL",
    ("mysql", "main/bootstrap.test"): "texts of 8 MB, of which MariaDB's HEX is NULL",
    ("mariadb", "main/ctype_filename.test"): FILE_NAMES,
    ("mysql", "main/ctype_filename.test"): FILE_NAMES,
    ("tidb", "main/ctype_utf8mb4_uca_allkeys1400.test"): "half a surrogate pair, which TiDB holds in no text",
}
_SEQUENCE = re.compile(r"\b(nextval|lastval|setval)\s*\(|\b(next|previous)\s+value\s+for\b", re.I)
_COUNTER = re.compile(r",\n\s*KEY `(\w+)_counter` \(`\1`\)")
_ALL_DIGITS = re.compile(r"\bdouble\(\d+,(?:1[5-9]|[2-9]\d)\)")
_MANY_DIGITS = re.compile(r"double\((?:1[6-9]|[2-9]\d|\d{3}),[1-9]\d*\)(?: unsigned)?")
_PLAIN_KEY = re.compile(r"^ *KEY `.*$", re.M)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LENGTH = re.compile(r"`\(\d+\)")
_LARGER_TEXT = {"tinytext": "text", "text": "mediumtext", "mediumtext": "longtext"}
_LINE = re.compile(r"^(\s*(`(?:[^`]|``)+`) .*?) DEFAULT (.*?),?$", re.M)


def without_sequences(native: str, target: str) -> tuple[str, str]:
    """Both definitions without the defaults of columns that take theirs from a sequence on the native replica."""
    columns = {found[2] for found in _LINE.finditer(native) if _SEQUENCE.search(found[3])}

    def shorter(text: str) -> str:
        return _LINE.sub(lambda found: found[1] if found[2] in columns else found[0], text)

    return shorter(native), shorter(target)


def without_digits(text: str) -> str:
    """A definition whose DOUBLE(M,D) of 15 and more decimals are DOUBLE."""
    return _ALL_DIGITS.sub("double", text)


def without_lengths_of_keys(text: str) -> str:
    """A definition whose plain keys are over whole columns."""
    return _PLAIN_KEY.sub(lambda found: _LENGTH.sub("`", found[0]), text)


def columns_without_digits(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns; a DOUBLE(M,D) with more than 15 digits is a DOUBLE where the target has one."""
    plain = {column.name for column in target if column.type == "double"}
    return [
        replace(column, type="double") if column.name in plain and _MANY_DIGITS.fullmatch(column.type) else column
        for column in native
    ]


def without_counters(text: str) -> str:
    """A definition without such keys of counters, which we name so."""
    return _COUNTER.sub("", text)


def without_keys_of_counters(indexes: list[Any]) -> list[Any]:
    """The same of keys as (name, unique, (column, length)…)."""
    return [key for key in indexes if key[0] != f"{key[2][0]}_counter"]


def columns_without_sequences(text: str, columns: list[Column]) -> list[Column]:
    """The same of the native replica's columns, for servers of another kind; ``text``: its definition."""
    names = {found[2].strip("`") for found in _LINE.finditer(text) if _SEQUENCE.search(found[3])}
    return [replace(column, default=None) if column.name in names else column for column in columns]


def without_defaults(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns without the defaults that TiDB does not take, or takes in another precision."""
    there = {column.name: column.default for column in target}
    return [
        replace(column, default=there.get(column.name)) if _is_left_out(column, there.get(column.name)) else column
        for column in native
    ]


def with_nulls_of_generated(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns; those that are generated may be NULL where the target's are."""
    nullable = {column.name for column in target if column.generated and column.nullable}
    return [replace(column, nullable=True) if column.name in nullable else column for column in native]


def with_expressions(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns, with expressions for the defaults of which MySQL takes nothing else.

    ``DEFAULT (45)`` is one there, too, and 45 in MariaDB.
    """
    there = {column.name for column in target if column.default == "EXPRESSION"}
    return [
        replace(column, default="EXPRESSION")
        if column.name in there
        and column.default is not None
        and (column.kind.endswith(("blob", "text", "json")) or _NUMBER.fullmatch(column.default))
        else column
        for column in native
    ]


def without_new_counters(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns, without AUTO_INCREMENT where TiDB's have none."""
    plain = {column.name for column in target if not column.extra}
    return [
        replace(column, extra="") if column.name in plain and column.extra == "auto_increment" else column
        for column in native
    ]


def _is_left_out(column: Column, there: str | None) -> bool:
    is_moment = (column.default or "").startswith("CURRENT_TIMESTAMP")
    if column.kind in ("datetime", "timestamp") and is_moment:
        return (there or "").startswith("CURRENT_TIMESTAMP")
    if column.kind == "char" and there is not None:  # which has no blanks at its end
        return (column.default or "").rstrip() == there.rstrip()
    known = column.default in ("EXPRESSION", "BYTES") or is_moment or column.kind.endswith(("text", "blob", "json"))
    return there is None and known


def without_hidden_marks(indexes: list[Any]) -> list[Any]:
    """Keys (name, unique, (column, length)…) without the mark of those that no query uses."""
    return [tuple(part for part in key if part != ("ignored", None)) for key in indexes]


def with_keys_there(native: list[Any], target: list[Any]) -> list[Any]:
    """The native replica's keys (name, unique, (column, length)…), each as the target's of the same columns is.

    A key over an expression, which has no column, may be left out.
    """
    theirs = {name.lower(): (name, unique, *parts) for name, unique, *parts in target}
    native = [key for key in native if key[0].lower() in theirs or all(name for name, _ in key[2:])]
    return [
        theirs[key[0].lower()] if _is_shorter(key, theirs.get(key[0].lower())) else _renamed(key, native, target)
        for key in native
    ]


def _is_shorter(key: Any, other: Any) -> bool:
    return other is not None and not other[1] and [one for one, _ in key[2:]] == [one for one, _ in other[2:]]


def _renamed(key: Any, native: list[Any], target: list[Any]) -> Any:
    if any(one[0].lower() == key[0].lower() for one in target):
        return key
    known = {one[0].lower() for one in native}
    same = [one for one in target if tuple(one[1:]) == tuple(key[1:]) and one[0].lower() not in known]
    return key if len(same) != 1 else same[0]


def without_charsets(native: list[Column], target: list[Column]) -> list[Column]:
    """The native replica's columns, each in utf8mb4 where TiDB has left it there, with the text that it then needs."""
    there = {column.name: column for column in target}

    def changed(column: Column) -> Column:
        other = there.get(column.name)
        if not column.collation or other is None or other.collation != _in_utf8mb4(column.collation):
            return column
        is_larger = other.kind == _LARGER_TEXT.get(column.kind) and other.collation != column.collation
        known = replace(column, type=other.type, kind=other.kind) if is_larger else column
        return replace(known, collation=other.collation)

    return [changed(column) for column in native]


def _in_utf8mb4(collation: str) -> str:
    charset, _, rest = collation.partition("_")
    return f"utf8mb4_{rest}" if charset in ("utf8", "utf8mb3") or rest == "bin" else "utf8mb4_general_ci"
