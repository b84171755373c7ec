"""Writes pkg/binlog/charset_tables.py from what real servers say about their character sets.

    python -m tests.golden.record_charsets HOST:PORT [HOST:PORT …]

Give it a MariaDB and a MySQL, since neither has all sets; where both have one they agree.
"""

from __future__ import annotations

import pprint
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql

TARGET = Path(__file__).parents[2] / "pkg" / "binlog" / "charset_tables.py"
MULTI_BYTE = {
    "big5": "big5", "cp932": "cp932", "eucjpms": "euc_jp", "euckr": "cp949", "gb18030": "gb18030", "gb2312": "gb2312",
    "gbk": "gbk", "sjis": "shift_jis", "ujis": "euc_jp",
}  # fmt: skip
HEAD = '''"""Character sets as servers have them.  Written by tests/golden/record_charsets.py: do not edit."""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Mapping

'''


def main(addresses: list[str]) -> None:
    single: dict[str, str] = {}
    collations: dict[str, set[int]] = {}
    overrides: dict[str, dict[bytes, str]] = {}
    aliases: dict[str, tuple[bytes, ...]] = {}
    gaps: set[str] = set()
    for address in addresses:
        host, _, port = address.partition(":")
        with pymysql.connect(
            host=host, port=int(port), user="root", charset="utf8mb4", autocommit=True, ssl_disabled=True
        ) as server:
            cursor = server.cursor()
            for number, charset in _collations(cursor):
                collations.setdefault(charset, set()).add(number)
            cursor.execute("SELECT character_set_name, maxlen FROM information_schema.character_sets")
            for charset, longest in cursor.fetchall():
                if charset in MULTI_BYTE or (longest == 1 and charset != "binary"):
                    lost, aliases[charset] = _changed(cursor, charset)
                    gaps.update({charset} if lost else ())
                if longest == 1 and charset != "binary":
                    single[charset] = "".join(_characters(cursor, charset, [bytes([n]) for n in range(256)]))
                elif charset in MULTI_BYTE:
                    overrides[charset] = _differences(cursor, charset)
    TARGET.write_text(HEAD + _rendered(single, collations, overrides, aliases, gaps))


def _collations(cursor: Any) -> list[tuple[int, str]]:
    cursor.execute("SHOW COLUMNS FROM information_schema.collations LIKE 'id'")
    cursor.execute("SELECT id, character_set_name FROM information_schema.collations WHERE id IS NOT NULL")
    found = [(int(number), str(charset)) for number, charset in cursor.fetchall() if charset]
    cursor.execute("SHOW TABLES FROM information_schema LIKE 'COLLATION_CHARACTER_SET_APPLICABILITY'")
    cursor.execute("SELECT * FROM information_schema.collation_character_set_applicability LIMIT 1")
    if any(column[0].lower() == "id" for column in cursor.description):
        cursor.execute("SELECT id, character_set_name FROM information_schema.collation_character_set_applicability")
        found += [(int(number), str(charset)) for number, charset in cursor.fetchall()]
    return [(number, "utf8mb3" if charset == "utf8" else charset) for number, charset in found]


def _characters(cursor: Any, charset: str, sequences: list[bytes]) -> list[str]:
    """What the server reads in each sequence; U+FFFD for what is no character."""
    found: list[str] = []
    for at in range(0, len(sequences), 4000):
        part = sequences[at : at + 4000]
        union = " UNION ALL ".join(f"SELECT {n} n, x'{sequence.hex()}' v" for n, sequence in enumerate(part))
        text = f"CONVERT(v USING {charset})"
        cursor.execute(f"SELECT HEX({text}) = HEX(v), CONVERT({text} USING utf8mb4) FROM ({union}) t ORDER BY n")
        for sequence, (kept, character) in zip(part, cursor.fetchall(), strict=True):
            sound = kept and character and len(character) == 1 and (character != "?" or sequence == b"?")
            found.append(character if sound else "\ufffd")
    return found


def _sequences(charset: str) -> Iterator[bytes]:
    for lead in range(0x80, 0x100):
        yield bytes([lead])
        for trail in range(0x40, 0xFF):
            yield bytes([lead, trail])
    yield b"\x81\x35\xf4\x37"  # the one character of four bytes that GB 18030 moved in 2005
    if charset == "gb18030":
        yield b"\xfe\x39\xfe\x39"  # one of those of four bytes that stand for nothing
    if charset in ("eucjpms", "ujis"):
        for middle in range(0xA1, 0xFF):
            for trail in range(0xA1, 0xFF):
                yield bytes([0x8F, middle, trail])


def _read(sequence: bytes, codec: str) -> str:
    try:
        return sequence.decode(codec)
    except UnicodeDecodeError:
        return ""


def _differences(cursor: Any, charset: str) -> dict[bytes, str]:
    """Where the server reads another character than Python's codec, or none (U+FFFD), or the codec reads none.

    The user-defined rows of the EUC sets are left out: they follow a rule (charset.py).
    """
    sequences = list(_sequences(charset))
    different: dict[bytes, str] = {}
    for sequence, character in zip(sequences, _characters(cursor, charset, sequences), strict=True):
        if character == "\ufffd":
            if len(sequence) > 1 and len(_read(sequence, MULTI_BYTE[charset])) == 1:
                different[sequence] = character
            continue
        if 0xE000 <= ord(character) <= 0xE757 and charset in ("eucjpms", "ujis"):
            continue
        if sequence.decode(MULTI_BYTE[charset], "replace") != character:
            different[sequence] = character
    return different


def _changed(cursor: Any, charset: str) -> tuple[bool, tuple[bytes, ...]]:
    """Whether the set has codes without a character; and the codes that come back from Unicode as another one."""
    found: list[bytes] = []
    gaps = False
    sequences = [*(bytes([n]) for n in range(256)), *(_sequences(charset) if charset in MULTI_BYTE else ())]
    for at in range(0, len(sequences), 4000):
        part = sequences[at : at + 4000]
        union = " UNION ALL ".join(f"SELECT {n} n, x'{sequence.hex()}' v" for n, sequence in enumerate(part))
        text = f"CONVERT(v USING {charset})"
        cursor.execute(
            f"SELECT n, CONVERT({text} USING utf8mb4) FROM ({union}) t WHERE HEX({text}) = HEX(v) "
            f"AND HEX(CONVERT(CONVERT({text} USING utf8mb4) USING {charset})) <> HEX(v) ORDER BY n"
        )
        for number, character in cursor.fetchall():
            gaps = gaps or character in ("?", "\ufffd")
            found += [part[number]] if len(character) == 1 and character not in ("?", "\ufffd") else []
    return gaps, tuple(found)


def _rendered(
    single: dict[str, str],
    collations: dict[str, set[int]],
    overrides: dict[str, dict[bytes, str]],
    aliases: dict[str, tuple[bytes, ...]],
    gaps: set[str],
) -> str:
    tables = {name: text[128:] if text[:128].encode() == bytes(range(128)) else text for name, text in single.items()}
    ranges = {charset: _ranges(sorted(numbers)) for charset, numbers in sorted(collations.items())}
    parts = [
        ("SINGLE_BYTE: Mapping[str, str]", dict(sorted(tables.items())),
         "What each byte stands for, or each from 0x80 on where the others are ASCII; U+FFFD: nothing."),
        ("COLLATIONS: Mapping[str, tuple[tuple[int, int], ...]]", ranges, "The numbers of each set's collations."),
        ("OVERRIDES: Mapping[str, Mapping[bytes, str]]", dict(sorted(overrides.items())),
         "Where servers read another character than the codec that Python has."),
        ("ALIASES: Mapping[str, tuple[bytes, ...]]", {name: codes for name, codes in sorted(aliases.items()) if codes},
         "Codes of characters that have another code, too, which servers write for the character."),
        ("WITH_GAPS: tuple[str, ...]", tuple(sorted(gaps)),
         "Sets with codes that stand for no character, which columns of the set can hold all the same."),
    ]  # fmt: skip
    return "\n".join(
        f'{name} = {pprint.pformat(value, width=100, compact=True)}  # fmt: skip\n"""{comment}"""\n'
        for name, value, comment in parts
    )


def _ranges(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)


if __name__ == "__main__":
    main(sys.argv[1:])
