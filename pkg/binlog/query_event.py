"""The query event: a statement with the session in which it ran.

Damaged bytes raise ValueError or IndexError, which the decoder turns into an error with the place.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any, Final

from pkg.binlog.charset import UTF8, characters, charset_of, decode, decode_with_marks, is_known, is_mark
from pkg.binlog.events import QueryStatus
from pkg.binlog.sql_modes import quoting_modes
from pkg.schema.charset import CHARSETS, charset_name
from pkg.schema.cursor import Cursor
from pkg.schema.lexer import ESCAPED, Kind, LexicalError, Token, blanked, comments, tokenize
from pkg.schema.not_replicated import TEXTS_OF_UPSTREAM, not_replicated
from pkg.schema.statement import Edit, edited

HEAD = 13
_INTRODUCED = re.compile(rb"_[A-Za-z0-9]+\s*['\"]|\b[Nn]'")
# What is read as numbers: names with their sizes in bytes, by the variable's code.
_NUMBERS: Final[Mapping[int, tuple[tuple[str, int], ...]]] = {
    0: (("flags", 4),), 1: (("sql_mode", 8),), 3: (("auto_increment_increment", 2), ("auto_increment_offset", 2)),
    4: (("client_collation", 2), ("connection_collation", 2), ("server_collation", 2)), 7: (("locale", 2),),
    8: (("database_collation", 2),), 13: (("microseconds", 3),), 128: (("microseconds", 3),),  # MySQL's, MariaDB's
    18: (("utf8mb4_collation", 2),),
}  # fmt: skip
_FIXED_SIZES: Final = {9: 8, 10: 4, 14: 8, 15: 8, 19: 1, 129: 8}
_START_ALTER, _COMMIT_ALTER, _ROLLBACK_ALTER = 2, 4, 8


@dataclass(frozen=True, slots=True)
class Query:
    """What a query event's body says."""

    schema: str
    sql: str
    status: QueryStatus
    thread_id: int
    error_code: int
    takes_effect: bool  # MariaDB logs the start of a long ALTER, and its failure, as the statement itself


@dataclass(slots=True)
class _Status:
    """The status variables read so far."""

    found: dict[str, Any] = field(default_factory=dict)
    takes_effect: bool = True


def parse_query(head: bytes, text: bytes) -> Query:
    """From the body up to the statement, and the statement's bytes."""
    status_length = int.from_bytes(head[11:13], "little")
    status = _status(head[HEAD : HEAD + status_length])
    schema = head[HEAD + status_length : -1].decode("utf-8", "replace")
    query_status = QueryStatus(**status.found)
    return Query(
        schema,
        _statement(text, query_status),
        query_status,
        int.from_bytes(head[:4], "little"),
        int.from_bytes(head[9:11], "little"),
        status.takes_effect,
    )


def _statement(text: bytes, status: QueryStatus) -> str:
    collation = status.client_collation
    charset = charset_of(collation) if collation is not None else "utf8mb4"
    is_binary = charset == "binary"
    if is_binary or not is_known(charset):
        charset = "utf8mb4"
    if _INTRODUCED.search(text) is not None and not text.isascii():
        text = _with_digits(text, charset, quoting_modes(status.sql_mode))
    try:
        return decode(text, charset)
    except UnicodeDecodeError as exc:
        modes = quoting_modes(status.sql_mode)
        found = _with_readable_comments(decode_with_marks(text, charset), modes)
        if is_binary and status.connection_collation is not None:
            found = _with_digits_of_bytes(found, charset_of(status.connection_collation), modes)
        if not any(map(is_mark, found)):
            return found
        if not _stays_upstream(found, modes):
            raise ValueError(f"a statement is no text in {charset}: {exc}") from exc
        return "".join("?" if is_mark(character) else character for character in found)


def _stays_upstream(sql: str, modes: Collection[str]) -> bool:
    """Whether the statement is about a routine, trigger, event, account or privilege, whose text nobody reads."""
    with contextlib.suppress(LexicalError):
        return not_replicated(Cursor(sql, tokenize(sql, modes))) in TEXTS_OF_UPSTREAM
    return False


def _with_digits(text: bytes, charset: str, modes: Collection[str]) -> bytes:
    """Bytes behind an introducer (``_koi8r'…'``, ``N'…'``) are in its set, not in the statement's: digits keep them."""
    read = characters(text, charset)
    sql = "".join(character for character, _ in read)
    backslash = "NO_BACKSLASH_ESCAPES" not in modes
    pieces: list[bytes] = []
    done = 0
    with contextlib.suppress(LexicalError):
        tokens = tokenize(sql, modes)
        for place, word in enumerate(tokens):
            literals = list(takewhile(lambda token: token.kind is Kind.STRING, tokens[place + 1 :]))
            if literals and _introduces(word, literals, charset):
                values = (
                    _bytes_of(read[one.start + 1 : one.end - 1], one.text[0], backslash=backslash) for one in literals
                )
                is_national = word.key == "N"
                pieces += [one for _, one in read[done : word.start if is_national else literals[0].start]]
                pieces.append((b"_utf8" if is_national else b"") + b" 0x" + b"".join(values).hex().encode())
                done = literals[-1].end
    return b"".join(pieces) + b"".join(one for _, one in read[done:])


def _with_digits_of_bytes(sql: str, connection: str, modes: Collection[str]) -> str:
    """Literals of a client in binary are bytes, which become characters of the connection's set as they are."""
    edits: list[Edit] = []
    introducer = "" if connection == "binary" else f"_{connection} "
    with contextlib.suppress(LexicalError):
        for word, literal in pairwise(tokenize(sql, modes)):
            if literal.kind is Kind.STRING and any(map(is_mark, literal.text)) and word.key not in ("COMMENT", "="):
                digits = literal.value.encode("utf-8", "surrogateescape").hex()
                edits.append((literal.start, literal.end, f" {introducer}0x{digits}"))
    return edited(sql, edits)


def _introduces(word: Token, literals: Sequence[Token], charset: str) -> bool:
    """Whether the word says another set of the literals than the statement's."""
    named = "utf8mb3" if word.key == "N" and word.end == literals[0].start else charset_name(word.text[1:])
    if word.kind is not Kind.WORD or word.key[0] not in "_N" or named not in CHARSETS:
        return False
    texts = [one.text for one in literals if not one.text.isascii()]
    return bool(texts) and (charset not in UTF8 or named not in UTF8 or any(map(is_mark, "".join(texts))))


def _bytes_of(read: list[tuple[str, bytes]], quote: str, backslash: bool) -> bytes:
    """What stands between quotes, without its escapes."""
    value = b""
    characters_left = iter(read)
    for character, raw in characters_left:
        if character == quote or (character == "\\" and backslash):
            escaped, raw = next(characters_left)
            if character == "\\":
                raw = ESCAPED[escaped].encode() if escaped in ESCAPED else raw
        value += raw
    return value


def _with_readable_comments(sql: str, modes: Collection[str]) -> str:
    """Comments may have any bytes, which servers pass over: blanks stand for those with such that are no text."""
    with contextlib.suppress(LexicalError):
        places = comments(sql, modes)
        return blanked(sql, [(start, end) for start, end in places if any(map(is_mark, sql[start:end]))])
    return sql


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
