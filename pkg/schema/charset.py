"""Character sets and collations by name: aliases, defaults, and which set a collation belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_DEFAULTS = {
    "armscii8": "armscii8_general_ci", "ascii": "ascii_general_ci", "big5": "big5_chinese_ci", "binary": "binary",
    "cp1250": "cp1250_general_ci", "cp1251": "cp1251_general_ci", "cp1256": "cp1256_general_ci",
    "cp1257": "cp1257_general_ci", "cp850": "cp850_general_ci", "cp852": "cp852_general_ci",
    "cp866": "cp866_general_ci", "cp932": "cp932_japanese_ci", "dec8": "dec8_swedish_ci",
    "eucjpms": "eucjpms_japanese_ci", "euckr": "euckr_korean_ci", "gb18030": "gb18030_chinese_ci",
    "gb2312": "gb2312_chinese_ci", "gbk": "gbk_chinese_ci", "geostd8": "geostd8_general_ci",
    "greek": "greek_general_ci", "hebrew": "hebrew_general_ci", "hp8": "hp8_english_ci",
    "keybcs2": "keybcs2_general_ci", "koi8r": "koi8r_general_ci", "koi8u": "koi8u_general_ci",
    "latin1": "latin1_swedish_ci", "latin2": "latin2_general_ci", "latin5": "latin5_turkish_ci",
    "latin7": "latin7_general_ci", "macce": "macce_general_ci", "macroman": "macroman_general_ci",
    "sjis": "sjis_japanese_ci", "swe7": "swe7_swedish_ci", "tis620": "tis620_thai_ci", "ucs2": "ucs2_general_ci",
    "ujis": "ujis_japanese_ci", "utf16": "utf16_general_ci", "utf16le": "utf16le_general_ci",
    "utf32": "utf32_general_ci", "utf8mb3": "utf8mb3_general_ci", "utf8mb4": "utf8mb4_general_ci",
}  # fmt: skip
CHARSETS = frozenset(_DEFAULTS)
MAX_BYTES = {
    "big5": 2, "cp932": 2, "eucjpms": 3, "euckr": 2, "gb18030": 4, "gb2312": 2, "gbk": 2, "sjis": 2, "ucs2": 2,
    "ujis": 3, "utf16": 4, "utf16le": 4, "utf32": 4, "utf8mb3": 3, "utf8mb4": 4,
}  # fmt: skip
"""Bytes of the longest character, for the sets where it is not 1."""
LONGEST_BYTES = 4  # of characters that servers show as ? in labels
WIDE_SETS = frozenset({"ucs2", "utf16", "utf16le", "utf32"})
"""Sets in which plain letters have more than a byte."""
UNICODE_SETS = WIDE_SETS | {"utf8mb4", "utf8mb3"}


@dataclass(frozen=True, slots=True)
class Charset:
    """A character set with the collation that goes with it."""

    name: str
    collation: str


BINARY = Charset("binary", "binary")
UTF8MB4 = Charset("utf8mb4", "utf8mb4_general_ci")
NO_OVERRIDES: Mapping[str, str] = {}


def charset_name(name: str) -> str:
    """The one name that we use of a character set: "utf8" is what every server means by utf8mb3."""
    lower = name.lower()
    return "utf8mb3" if lower == "utf8" else lower


def collation_name(name: str) -> str:
    """The one name that we use of a collation."""
    lower = name.lower()
    return "utf8mb3_" + lower[5:] if lower.startswith("utf8_") else lower


def collation_rules(name: str | None) -> str:
    """What a collation compares by, in whichever of the two UTF-8 sets; "" for none."""
    return collation_name(name or "").replace("utf8mb3_", "utf8mb4_")


def charset_of_collation(collation: str) -> str | None:
    """The set that ``collation`` belongs to; None for MariaDB's short names ("uca1400_ai_ci")."""
    head = collation_name(collation).partition("_")[0]
    return head if head in CHARSETS else None


def default_collation(charset: str, overrides: Mapping[str, str] = NO_OVERRIDES) -> str:
    """The collation of a set named alone; ``overrides`` says where a server has another one than of old."""
    name = charset_name(charset)
    return overrides.get(name) or _DEFAULTS.get(name) or f"{name}_general_ci"


def is_default(name: str | None) -> bool:
    """Whether it is the word DEFAULT in the place of a character set or collation."""
    return name is not None and name.lower() == "default"


def resolve(
    charset: str | None,
    collation: str | None,
    inherited: Charset,
    overrides: Mapping[str, str] = NO_OVERRIDES,
    *,
    of_charset: bool = False,
) -> Charset:
    """What a CHARACTER SET and a COLLATE clause mean together, either of which may be missing.

    ``of_charset``: DEFAULT is the default collation of the set, as from MariaDB 10.9 on, and not what is inherited.
    """
    says_default = is_default(charset) or is_default(collation)
    charset = None if is_default(charset) else charset
    collation = None if is_default(collation) else collation
    if charset is None and collation is None:
        if not (says_default and of_charset):
            return inherited
        charset = inherited.name
    if collation is None:
        assert charset is not None
        return Charset(charset_name(charset), default_collation(charset, overrides))
    owner = charset_of_collation(collation)
    if owner is not None:
        return Charset(owner, collation_name(collation))
    name = charset_name(charset) if charset else inherited.name
    return Charset(name, f"{name}_{collation.lower()}")


def binary_collation(charset: str) -> str:
    """The collation that compares code points, which the BINARY attribute of a text type asks for."""
    return "binary" if charset == "binary" else f"{charset}_bin"
