"""Character sets in binlogs: collation numbers, and how to read each set (DESIGN.md §4.17)."""

from __future__ import annotations

from collections.abc import Mapping

_CODECS: Mapping[str, str] = {
    "ascii": "ascii", "big5": "big5", "cp1250": "cp1250", "cp1251": "cp1251", "cp1256": "cp1256", "cp1257": "cp1257",
    "cp850": "cp850", "cp852": "cp852", "cp866": "cp866", "cp932": "cp932", "eucjpms": "euc_jp", "euckr": "euc_kr",
    "gb18030": "gb18030", "gb2312": "gb2312", "gbk": "gbk", "greek": "iso8859_7", "hebrew": "iso8859_8",
    "koi8r": "koi8_r", "koi8u": "koi8_u", "latin2": "iso8859_2", "latin5": "iso8859_9", "latin7": "iso8859_13",
    "macroman": "mac_roman", "macce": "mac_latin2", "sjis": "shift_jis", "tis620": "tis_620", "ucs2": "utf_16_be",
    "ujis": "euc_jp", "utf16": "utf_16_be", "utf16le": "utf_16_le", "utf32": "utf_32_be",
}  # fmt: skip
UTF8 = frozenset({"utf8mb4", "utf8mb3", "utf8"})
_COLLATION_RANGES: tuple[tuple[int, int, str], ...] = (
    (45, 46, "utf8mb4"), (224, 247, "utf8mb4"), (255, 323, "utf8mb4"), (33, 33, "utf8mb3"), (83, 83, "utf8mb3"),
    (192, 215, "utf8mb3"), (223, 223, "utf8mb3"), (63, 63, "binary"), (11, 11, "ascii"), (65, 65, "ascii"),
    (28, 28, "gbk"), (87, 87, "gbk"), (248, 250, "gb18030"),
    (576, 607, "utf8mb3"), (608, 639, "utf8mb4"), (2048, 2303, "utf8mb3"), (2304, 2559, "utf8mb4"),
)  # fmt: skip
_COLLATIONS: Mapping[int, str] = dict.fromkeys((5, 8, 15, 31, 47, 48, 49, 94), "latin1") | {
    1: "big5", 3: "dec8", 4: "cp850", 7: "koi8r", 9: "latin2", 12: "ujis", 13: "sjis", 16: "hebrew", 18: "tis620",
    19: "euckr", 22: "koi8u", 24: "gb2312", 25: "greek", 26: "cp1250", 30: "latin5", 35: "ucs2", 36: "cp866",
    39: "macroman", 40: "cp852", 41: "latin7", 51: "cp1251", 54: "utf16", 56: "utf16le", 57: "cp1256", 59: "cp1257",
    60: "utf32", 95: "cp932", 97: "eucjpms",
}  # fmt: skip


def charset_of(collation_number: int) -> str:
    """The set that a collation number belongs to; utf8mb4, the likeliest, for an unknown one."""
    known = _COLLATIONS.get(collation_number)
    if known is not None:
        return known
    return next((name for low, high, name in _COLLATION_RANGES if low <= collation_number <= high), "utf8mb4")


def decode_latin1(raw: bytes) -> str:
    """MySQL's latin1 is Windows-1252, with the five bytes that it leaves open as control characters."""
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(_one_latin1(byte) for byte in raw)


def _one_latin1(byte: int) -> str:
    return chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes((byte,)).decode("cp1252")


def is_known(charset: str) -> bool:
    """Whether text in the set can be read at all."""
    return charset in UTF8 or charset in ("latin1", "binary") or charset in _CODECS


def decode(raw: bytes, charset: str) -> str:
    """Text in a set that is not UTF-8.  Raises UnicodeDecodeError for bytes that are no text in it."""
    if charset == "latin1":
        return decode_latin1(raw)
    return raw.decode("utf-8" if charset in UTF8 else _CODECS[charset])
