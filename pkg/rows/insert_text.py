"""What stands around the rows in a dump's data file: comments, settings, heads of INSERT statements.  Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NAME: Final = rb"(?:`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|[0-9A-Za-z_$\x80-\xff]+)"
_HEAD: Final = re.compile(
    rb"(?:INSERT|REPLACE)\s+(?:LOW_PRIORITY\s+|DELAYED\s+|HIGH_PRIORITY\s+)?(?:IGNORE\s+)?(?:INTO\s+)?"
    rb"(?:" + _NAME + rb"\s*\.\s*)?(" + _NAME + rb")\s*"
    rb"(?:\(\s*(" + _NAME + rb"(?:\s*,\s*" + _NAME + rb")*)\s*\)\s*)?VALUES?\s*(?=\()",
    re.IGNORECASE,
)
_ONE_NAME: Final = re.compile(_NAME)
_VERB: Final = re.compile(rb"(?:INSERT|REPLACE)\b", re.IGNORECASE)
_VERSIONED: Final = re.compile(rb"/\*M?!\d*\s*(.*?)\s*\*/", re.DOTALL)
_PLAIN_COMMENT: Final = re.compile(rb"/\*(?!M?!).*?\*/|--(?=\s)[^\n]*|#[^\n]*", re.DOTALL)
_NAMES: Final = re.compile(r"SET\s+NAMES\s+['\"]?(\w+)", re.IGNORECASE)
_ZONE: Final = re.compile(r"\bTIME_ZONE\s*=\s*['\"]?([^'\",;\s]+)", re.IGNORECASE)
_UTC: Final = frozenset(("+00:00", "-00:00", "utc", "@old_time_zone"))
_QUOTING_MODE: Final = re.compile(r"\b(ANSI_QUOTES|NO_BACKSLASH_ESCAPES|ANSI)\b", re.IGNORECASE)
_HARMLESS: Final = re.compile(
    r"(?:SET|USE|LOCK\s+TABLES?|UNLOCK\s+TABLES?|BEGIN|START\s+TRANSACTION|COMMIT|"
    r"ALTER\s+TABLE\s+\S+\s+(?:EN|DIS)ABLE\s+KEYS)\b",
    re.IGNORECASE,
)
_LONGEST_WORD: Final = 12
_SHOWN: Final = 80


class BadData(Exception):
    """What stands at this place of the file (counted in bytes as they are unpacked) cannot be loaded."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(offset, text)
        self.offset = offset
        self.text = text


class CutShort(BadData):
    """The file ends in the middle of a statement."""


class BadValue(Exception):
    """A value that cannot be loaded; whoever read it knows where it stands."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where reading stands between two rows or statements; ``table`` is set within a statement."""

    offset: int = 0
    names: str = "binary"
    table: str = ""
    columns: tuple[str, ...] | None = None
    is_before_row: bool = False
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """A comment (nothing is set), the head of an INSERT (``table``), or any other statement (``text``)."""

    stop: int
    table: str = ""
    columns: tuple[str, ...] | None = None
    text: str = ""


def read_head(pending: bytearray, at: int, base: int, ended: bool) -> Head | None:
    """What begins at ``at``; None when it is not all there."""
    first = pending[at : at + _LONGEST_WORD]
    if first[:1] == b";":
        return Head(at + 1)
    if first[:1] == b"#" or (first[:2] == b"--" and (len(first) == 2 or first[2:3].isspace())):
        stop = pending.find(b"\n", at)
        return Head(stop + 1) if stop >= 0 else Head(len(pending)) if ended else None
    if first[:2] == b"/*" and bytes(first[2:3]) not in (b"!", b"M", b""):
        stop = pending.find(b"*/", at + 2)
        return Head(stop + 2) if stop >= 0 else None
    if _VERB.match(first):
        found = _HEAD.match(pending, at)
        return None if found is None else Head(found.end(), _name(found[1]), _columns(found[2]))
    if len(first) < _LONGEST_WORD and not ended:
        return None
    stop = _end_of_statement(pending, at)
    if stop < 0:
        return None
    return Head(stop + 1, text=bytes(pending[at:stop]).decode("utf-8", "replace").strip())


def _end_of_statement(pending: bytearray, at: int) -> int:
    """The semicolon outside of quotes and comments; -1 when there is none yet."""
    stop = statement_end(pending, at)
    return -1 if stop >= len(pending) else stop


_PIECE: Final = re.compile(
    rb"'(?:[^'\\]|\\.|'')*'"
    rb"|\"(?:[^\"\\]|\\.|\"\")*\"|`(?:[^`]|``)*`|/\*.*?\*/|--[ \t\r\n][^\n]*|#[^\n]*|[^'\"`/;#-]+|.",
    re.DOTALL,
)


def statement_end(text: bytes | bytearray, at: int) -> int:
    """The place of the semicolon that ends the statement at ``at``, or the text's end."""
    end = len(text)
    while at < end and text[at : at + 1] != b";":
        found = _PIECE.match(text, at)
        assert found is not None, "the last alternative takes any byte"
        at = found.end()
    return at


def statements(text: bytes) -> list[str]:
    """The statements of a small file (schemas), each without comments around it; versioned ones are opened."""
    found: list[str] = []
    at = 0
    while at < len(text):
        stop = statement_end(text, at)
        statement = bare(text[at:stop])
        if statement:
            found.append(statement.decode("utf-8", "surrogateescape"))
        at = stop + 1
    return found


def bare(statement: bytes) -> bytes:
    """Without the comments before it, and out of the versioned comment that is all of it."""
    statement = statement.strip()
    while found := _PLAIN_COMMENT.match(statement):
        statement = statement[found.end() :].strip()
    versioned = _VERSIONED.fullmatch(statement)
    return versioned[1].strip() if versioned else statement


def passed_over(text: str, names: str, offset: int) -> str:
    """The character set after a statement that brings no rows.  Raises BadData for one that may matter."""
    statement = bare(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    if not statement:
        return names
    if not _HARMLESS.match(statement):
        raise BadData(offset, f"a data file of a dump has no statement like this: {statement[:_SHOWN]}")
    mode = _QUOTING_MODE.search(statement)
    if mode is not None:
        raise BadData(offset, f"the dump was written with sql_mode {mode[1]}: {statement[:_SHOWN]}")
    zone = _ZONE.search(statement)
    if zone is not None and zone[1].lower() not in _UTC:
        raise BadData(offset, f"times are written in the time zone {zone[1]}, not in UTC: {statement[:_SHOWN]}")
    found = _NAMES.match(statement)
    return found[1].lower() if found is not None else names


def _name(quoted: bytes) -> str:
    name = quoted.decode("utf-8", "replace")
    if name[0] in '`"':
        return name[1:-1].replace(name[0] * 2, name[0])
    return name


def _columns(names: bytes | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(_name(one) for one in _ONE_NAME.findall(names))
