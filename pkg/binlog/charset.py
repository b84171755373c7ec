"""Character sets in binlogs: collation numbers and names, and how to read each set (DESIGN.md §4.17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from pkg.binlog.charset_tables import ALIASES, COLLATIONS, OVERRIDES, SINGLE_BYTE, WITH_GAPS

_CODECS: Mapping[str, str] = {
    "big5": "big5", "cp932": "cp932", "eucjpms": "euc_jp", "euckr": "cp949", "gb18030": "gb18030", "gb2312": "gb2312",
    "gbk": "gbk", "sjis": "shift_jis", "ucs2": "utf_16_be", "ujis": "euc_jp", "utf16": "utf_16_be",
    "utf16le": "utf_16_le", "utf32": "utf_32_be",
}  # fmt: skip
_WITH_SURROGATES = "ucs2"  # whose columns hold halves of UTF-16's pairs, each a character by itself
UTF8 = frozenset({"utf8mb4", "utf8mb3", "utf8"})
_NUMBERS: Mapping[int, str] = {
    number: charset
    for charset, ranges in COLLATIONS.items()
    for first, last in ranges
    for number in range(first, last + 1)
}


def charset_of(collation_number: int) -> str:
    """The set that a collation number belongs to; utf8mb4, the likeliest, for an unknown one."""
    return _NUMBERS.get(collation_number, "utf8mb4")


def collation_charset(name: str) -> str | None:
    """The set that a collation belongs to by its name; None for a name that does not say (`uca1400_ai_ci`)."""
    charset = name.lower().partition("_")[0]
    if charset == "utf8":
        return "utf8mb3"
    return charset if charset in COLLATIONS else None


def is_known(charset: str) -> bool:
    """Whether text in the set can be read at all."""
    return charset in UTF8 or charset == "binary" or charset in SINGLE_BYTE or charset in _CODECS


def is_lossless(charset: str) -> bool:
    """Whether every value of the set becomes Unicode, and comes back from there as the same bytes."""
    return charset not in ALIASES and charset not in WITH_GAPS and charset != _WITH_SURROGATES


def has_aliases(charset: str) -> bool:
    """Whether two values of the set may be one text in Unicode."""
    return charset in ALIASES


def holds_alias(raw: bytes, charset: str) -> bool:
    """Whether text in the set has a code whose character comes back from Unicode as another code."""
    aliases = _aliases(charset)
    if aliases is None or aliases.search(raw) is None:
        return False
    if charset in SINGLE_BYTE:
        return True
    at = 0
    while at < len(raw):  # it may be the end of one character and the start of another
        size, _ = _next_character(raw, at, charset)
        if raw[at : at + size] in ALIASES[charset]:
            return True
        at += size
    return False


@cache
def _aliases(charset: str) -> re.Pattern[bytes] | None:
    codes = ALIASES.get(charset)
    return re.compile(b"|".join(map(re.escape, codes))) if codes else None


WHOLE = frozenset({"utf8mb4", "utf16", "utf16le", "utf32", "gb18030", "binary"})
"""Sets that lack no character of Unicode."""


def as_held(text: str, charset: str) -> str:
    """What a server makes of ``text`` that is converted to the set: ``?`` for a character that the set lacks."""
    if charset in WHOLE or (text.isascii() and charset != "swe7"):
        return text
    return "".join(one if _holds(one, charset) else "?" for one in text)


def as_bytes(text: str, charset: str) -> bytes:
    """``text`` as a server converts it to the set."""
    table = single_byte_table(charset)
    if table is not None:
        return bytes(table.index(one.encode()) for one in as_held(text, charset))
    return as_held(text, charset).encode(_CODECS.get(charset, "utf-8"), "replace")


def _holds(character: str, charset: str) -> bool:
    table = single_byte_table(charset)
    if table is not None:
        return character.encode() in table
    if charset in UTF8 or charset == "ucs2":
        return character <= "\uffff"
    if character != "\ufffd" and character in OVERRIDES.get(charset, {}).values():
        return True
    try:
        return not is_known(charset) or decode(character.encode(_CODECS[charset]), charset) == character
    except UnicodeError:
        return "\ue000" <= character <= "\ue757" and charset in ("eucjpms", "ujis")


@cache
def single_byte_table(charset: str) -> tuple[bytes, ...] | None:
    """For each byte the UTF-8 of what it stands for, b"" for nothing; None for a set of longer characters.

    MySQL's latin1 is Windows-1252, with the five bytes that it leaves open as control characters.
    """
    text = SINGLE_BYTE.get(charset)
    if text is None:
        return None
    whole = text if len(text) == 256 else bytes(range(128)).decode("ascii") + text
    return tuple(b"" if character == "\ufffd" else character.encode() for character in whole)


def decode(raw: bytes, charset: str) -> str:
    """Text in a set.  Raises UnicodeDecodeError for bytes that are no text in it."""
    table = single_byte_table(charset)
    if table is not None:
        return _decode_single(raw, charset, table)
    if charset in UTF8:
        return raw.decode()
    if OVERRIDES.get(charset):
        return _decode_overridden(raw, charset)
    text = raw.decode(_CODECS[charset])
    if charset == _WITH_SURROGATES and 2 * len(text) != len(raw):
        raise UnicodeDecodeError(charset, raw, 0, len(raw), "halves of a pair, which are no characters")
    return text


def encode(text: str, charset: str) -> bytes:
    """The bytes of ``text`` in a set.  Raises UnicodeEncodeError."""
    table = single_byte_table(charset)
    if table is None:
        return text.encode("utf-8" if charset in UTF8 or charset == "binary" else _CODECS[charset])
    try:
        return bytes(table.index(character.encode()) for character in text)
    except ValueError:
        raise UnicodeEncodeError(charset, text, 0, len(text), "a character that the set lacks") from None


def decode_with_marks(raw: bytes, charset: str) -> str:
    """The same with a mark, a lone surrogate as of Python's ``surrogateescape``, for each byte that is no text."""
    table = single_byte_table(charset)
    if table is not None:
        return "".join(table[byte].decode() or chr(0xDC00 + byte) for byte in raw)
    if OVERRIDES.get(charset):
        return _decode_overridden(raw, charset, with_marks=True)
    return raw.decode("utf-8" if charset in UTF8 else _CODECS[charset], "surrogateescape")


def characters(raw: bytes, charset: str) -> list[tuple[str, bytes]]:
    """Each character of ``decode_with_marks`` with its bytes."""
    found = []
    at = 0
    for character in decode_with_marks(raw, charset):
        size = _size(raw, at, character, charset)
        found.append((character, raw[at : at + size]))
        at += size
    return found


def _size(raw: bytes, at: int, character: str, charset: str) -> int:
    if is_mark(character) or charset in SINGLE_BYTE:
        return 1
    if OVERRIDES.get(charset):
        return _next_character(raw, at, charset)[0]
    return len(character.encode("utf-8" if charset in UTF8 else _CODECS[charset]))


def is_mark(character: str) -> bool:
    """Whether ``decode_with_marks`` put it for a byte that is no text."""
    return "\udc80" <= character <= "\udcff"


def readable(raw: bytes, charset: str) -> str:
    """Text in a set; one character U+FFFD from the first code on that is none."""
    try:
        return decode(raw, charset)
    except UnicodeDecodeError as exc:
        return decode(raw[: exc.start], charset) + "\ufffd" if exc.start < len(raw) else "\ufffd"


def _decode_single(raw: bytes, charset: str, table: tuple[bytes, ...]) -> str:
    for place, byte in enumerate(raw):
        if not table[byte]:
            raise UnicodeDecodeError(charset, raw, place, place + 1, "no character")
    return b"".join([table[byte] for byte in raw]).decode()


def _decode_overridden(raw: bytes, charset: str, *, with_marks: bool = False) -> str:
    """By Python's codec where nothing in the text is read otherwise by servers, else character by character."""
    if not any(sequence in raw for sequence in OVERRIDES[charset]):
        try:
            return raw.decode(_CODECS[charset])
        except UnicodeDecodeError:
            pass  # user-defined characters, or no text
    text = []
    at = 0
    while at < len(raw):
        try:
            size, character = _next_character(raw, at, charset)
        except UnicodeDecodeError:
            if not with_marks:
                raise
            size, character = 1, chr(0xDC00 + raw[at])
        text.append(character)
        at += size
    return "".join(text)


def _next_character(raw: bytes, at: int, charset: str) -> tuple[int, str]:
    """Its size and what it is: no character's bytes are the start of another's in these sets."""
    for size in range(1, 5):
        sequence = raw[at : at + size]
        found = OVERRIDES.get(charset, {}).get(sequence)
        if found is None and charset in ("eucjpms", "ujis"):
            found = _user_defined(sequence)
        if found == "\ufffd":  # Python's codec has one
            raise UnicodeDecodeError(charset, raw, at, at + size, "no character")
        if found is not None:
            return size, found
        try:
            return size, sequence.decode(_CODECS[charset])
        except UnicodeDecodeError:
            continue
    raise UnicodeDecodeError(charset, raw, at, at + 1, "no character")


def _user_defined(sequence: bytes) -> str | None:
    """The last ten rows of both planes of EUC-JP: U+E000 and on, 94 to a row."""
    start = 0xE000
    if sequence[:1] == b"\x8f":
        sequence, start = sequence[1:], 0xE3AC
    if len(sequence) != 2 or sequence[0] < 0xF5 or not (0xA1 <= sequence[1] <= 0xFE and sequence[0] <= 0xFE):
        return None
    return chr(start + (sequence[0] - 0xF5) * 94 + sequence[1] - 0xA1)
