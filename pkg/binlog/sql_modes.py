"""The sql_mode of a query event: its bits by the names that servers take, and those that change how its text reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

_SHARED: Final[Mapping[int, str]] = {
    0: "REAL_AS_FLOAT", 1: "PIPES_AS_CONCAT", 2: "ANSI_QUOTES", 3: "IGNORE_SPACE", 5: "ONLY_FULL_GROUP_BY",
    6: "NO_UNSIGNED_SUBTRACTION", 7: "NO_DIR_IN_CREATE", 8: "POSTGRESQL", 9: "ORACLE", 10: "MSSQL", 11: "DB2",
    12: "MAXDB", 13: "NO_KEY_OPTIONS", 14: "NO_TABLE_OPTIONS", 15: "NO_FIELD_OPTIONS", 16: "MYSQL323", 17: "MYSQL40",
    18: "ANSI", 19: "NO_AUTO_VALUE_ON_ZERO", 20: "NO_BACKSLASH_ESCAPES", 21: "STRICT_TRANS_TABLES",
    22: "STRICT_ALL_TABLES", 23: "NO_ZERO_IN_DATE", 24: "NO_ZERO_DATE", 25: "ALLOW_INVALID_DATES",
    26: "ERROR_FOR_DIVISION_BY_ZERO", 27: "TRADITIONAL", 28: "NO_AUTO_CREATE_USER", 29: "HIGH_NOT_PRECEDENCE",
    30: "NO_ENGINE_SUBSTITUTION", 31: "PAD_CHAR_TO_FULL_LENGTH",
}  # fmt: skip
_MYSQL: Final[Mapping[int, str]] = {32: "TIME_TRUNCATE_FRACTIONAL"}
_MARIADB: Final[Mapping[int, str]] = {
    4: "IGNORE_BAD_TABLE_OPTIONS", 32: "EMPTY_STRING_IS_NULL", 33: "SIMULTANEOUS_ASSIGNMENT",
    34: "TIME_ROUND_FRACTIONAL",
}  # fmt: skip


def mode_names(bits: int | None, flavor: str) -> frozenset[str]:
    """The modes of Q_SQL_MODE_CODE as a server of this flavour ("mysql", "mariadb") writes it; None: of no event."""
    known = {**_SHARED, **(_MARIADB if flavor == "mariadb" else _MYSQL)}
    return frozenset(name for bit, name in known.items() if (bits or 0) >> bit & 1)


def mode_bits(names: Collection[str]) -> int:
    """Those of MySQL's modes as bits."""
    return sum(1 << bit for bit, name in {**_SHARED, **_MYSQL}.items() if name in names)


QUOTING: Final = frozenset({"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"})
"""Modes that change what quotation marks and backslashes mean; the text of a Ddl needs none of them."""
SHORTENING: Final = frozenset({
    "ANSI", "MYSQL323", "MYSQL40", "POSTGRESQL", "ORACLE", "MSSQL", "DB2", "MAXDB", "NO_KEY_OPTIONS",
    "NO_TABLE_OPTIONS", "NO_FIELD_OPTIONS", "NO_BACKSLASH_ESCAPES",
})  # fmt: skip
"""Modes by which what MariaDB logs of CREATE TABLE … SELECT lacks properties, or has backslashes twice."""
_QUOTING_BITS: Final = sum(1 << bit for bit, name in _SHARED.items() if name in QUOTING)


def quoting_modes(bits: int | None) -> frozenset[str]:
    return mode_names(bits, "") & QUOTING


def without_quoting(bits: int | None) -> int | None:
    """``bits`` for a text that was written anew, so that it is not read by these modes once more."""
    return None if bits is None else bits & ~_QUOTING_BITS
