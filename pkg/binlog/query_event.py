"""The query event: a statement with the session in which it ran.

Damaged bytes raise ValueError or IndexError, which the decoder turns into an error with the place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pkg.binlog.charset import charset_of
from pkg.binlog.events import QueryStatus
from pkg.binlog.sql_modes import quoting_modes
from pkg.binlog.statement_text import statement_text

HEAD = 13
# What is read as numbers: names with their sizes in bytes, by the variable's code.
_NUMBERS: Final[Mapping[int, tuple[tuple[str, int], ...]]] = {
    0: (("flags", 4),), 1: (("sql_mode", 8),), 3: (("auto_increment_increment", 2), ("auto_increment_offset", 2)),
    4: (("client_collation", 2), ("connection_collation", 2), ("server_collation", 2)), 7: (("locale", 2),),
    8: (("database_collation", 2),), 13: (("microseconds", 3),), 128: (("microseconds", 3),),  # MySQL's, MariaDB's
    18: (("utf8mb4_collation", 2),),
}  # fmt: skip
_FIXED_SIZES: Final = {9: 8, 10: 4, 14: 8, 15: 8, 19: 1, 129: 8}
_SHOWN: Final = re.compile(rb"CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?[`\"].*?[`\"] \(\n  [`\"]", re.DOTALL)
_START_ALTER, _COMMIT_ALTER, _ROLLBACK_ALTER = 2, 4, 8


@dataclass(frozen=True, slots=True)
class Query:
    """What a query event's body says."""

    schema: str
    sql: str
    status: QueryStatus
    thread_id: int
    error_code: int
    is_text: bool  # see QueryEvent
    takes_effect: bool  # MariaDB logs the start of a long ALTER, and its failure, as the statement itself


@dataclass(slots=True)
class _Status:
    """The status variables read so far."""

    found: dict[str, Any] = field(default_factory=dict)
    takes_effect: bool = True


def parse_query(head: bytes, text: bytes, *, in_transaction: bool = False) -> Query:
    """From the body up to the statement, and the statement's bytes; ``in_transaction``: rows may follow it there."""
    status_length = int.from_bytes(head[11:13], "little")
    status = _status(head[HEAD : HEAD + status_length])
    schema = head[HEAD + status_length : -1].decode("utf-8", "replace")
    query_status = QueryStatus(**status.found)
    is_shown = in_transaction and _SHOWN.match(text) is not None
    sql, is_text = _statement(text, query_status, is_shown=is_shown)
    return Query(
        schema,
        sql,
        query_status,
        int.from_bytes(head[:4], "little"),
        int.from_bytes(head[9:11], "little"),
        is_text,
        status.takes_effect,
    )


def _statement(text: bytes, status: QueryStatus, *, is_shown: bool) -> tuple[str, bool]:
    """``is_shown``: it is what SHOW CREATE TABLE says, by which servers log CREATE TABLE … SELECT: in UTF-8."""
    client, connection = (
        None if number is None else charset_of(number)
        for number in (status.client_collation, status.connection_collation)
    )
    if is_shown:
        client = "utf8mb4"
    return statement_text(text, client or "utf8mb4", connection, quoting_modes(status.sql_mode))


def _status(block: bytes) -> _Status:
    status = _Status()
    at = 0
    while at < len(block):
        size = _read(block, at + 1, block[at], status)
        if size is None:
            break  # a variable of a newer server: those behind it cannot be found
        at += 1 + size
    return status


def _read(block: bytes, at: int, code: int, status: _Status) -> int | None:
    """Read the variable `code` at `at`; its size in bytes, None when it is not known."""

    def number(offset: int, size: int) -> int:
        return int.from_bytes(block[at + offset : at + offset + size], "little")

    found = status.found
    if code in _NUMBERS:
        offset = 0
        for name, size in _NUMBERS[code]:
            found[name] = number(offset, size)
            offset += size
        return offset
    match code:
        case 2:
            return 2 + block[at]
        case 5:
            found["time_zone"] = block[at + 1 : at + 1 + block[at]].decode("utf-8", "replace")
            return 1 + block[at]
        case 6:
            return 1 + block[at]
        case 11:
            user = block[at]
            return 2 + user + block[at + 1 + user]
        case 12:
            size, found["databases"] = _databases(block, at)
            return size
        case 16 | 20:
            found["explicit_defaults_for_timestamp" if code == 16 else "table_encryption"] = bool(block[at])
            return 1
        case 17:
            found["has_xid"] = True
            return 8
        case 130:
            flags = number(0, 2)
            status.takes_effect = not flags & (_START_ALTER | _ROLLBACK_ALTER)
            return 10 if flags & (_COMMIT_ALTER | _ROLLBACK_ALTER) else 2
        case 131:
            pairs = range(1, 1 + 4 * block[at], 4)
            found["charset_collations"] = tuple((number(pair, 2), number(pair + 2, 2)) for pair in pairs)
            return 1 + 4 * block[at]
        case _:
            return _FIXED_SIZES.get(code)


def _databases(block: bytes, at: int) -> tuple[int, tuple[str, ...] | None]:
    """The databases that a statement touched: a count, then names that end in NUL; 254 stands for too many.

    Their size in bytes, and the names.
    """
    count = block[at]
    if count == 254:
        return 1, None
    names = []
    end = at + 1
    for _ in range(count):
        start, end = end, block.index(b"\0", end) + 1
        names.append(block[start : end - 1].decode("utf-8", "replace"))
    return end - at, tuple(names)
