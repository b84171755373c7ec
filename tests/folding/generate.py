"""Asks MySQL, MariaDB and TiDB for the weights of all characters: ``python -m tests.folding.generate``.

Writes pkg/rows/folds.zip, one JSON object per collation: character → what is written for it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.folding.congruence import Congruence, Word, cut, replacements
from tests.servers import start

FOLDS = Path(__file__).resolve().parents[2] / "pkg" / "rows" / "folds.zip"
_KINDS = ("mysql", "mariadb", "tidb")
_UNICODE = {
    "general": "utf8mb4_general_ci",
    "unicode": "utf8mb4_unicode_ci",
    "unicode_520": "utf8mb4_unicode_520_ci",
    "0900": "utf8mb4_0900_ai_ci",
    "uca1400": "utf8mb4_uca1400_ai_ci",
}
_BASIC_PLANE = frozenset({"utf8mb4_general_ci", "utf8mb4_unicode_ci"})  # all other characters weigh what U+FFFD does
# Of several levels, or that reorder: nothing is known of these, and all values are one.
_NOT_SIMPLE = frozenset({"latin2_czech_cs", "cp1250_czech_cs", "gb18030_unicode_520_ci", "tis620_thai_ci"})
# What WEIGHT_STRING shows otherwise than the server compares: TiDB cuts spaces and takes U+FFFD for an error.
_SHOWN_WRONG = {"tidb": {0x20, 0xFFFD}}
_LAST_OF_TIDB = 183_968  # TiDB 8.4 answers with a panic to characters behind it in utf8mb4_0900_ai_ci
_POINTS = [point for point in (*range(0x32400), *range(0xE0000, 0xE0200)) if not 0xD800 <= point < 0xE000]
_HUGE = "cp BETWEEN 13312 AND 55295 AND cp NOT BETWEEN 42496 AND 44031 OR cp BETWEEN 57344 AND 63743 OR cp > 126976"
_PER_INSERT = 5000


def make_characters(cursor: Any) -> None:
    """The tables ``characters``, and ``letters`` of what may form contractions: all but the huge blocks."""
    cursor.execute("CREATE DATABASE folding")
    cursor.execute("USE folding")
    column = "VARCHAR(2) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    for table in ("characters", "letters"):
        cursor.execute(f"CREATE TABLE {table} (cp INT PRIMARY KEY, block INT, c {column}, KEY (block))")
    for first in range(0, len(_POINTS), _PER_INSERT):
        rows = (f"({one},{one // 128},x'{chr(one).encode().hex()}')" for one in _POINTS[first : first + _PER_INSERT])
        cursor.execute(f"INSERT INTO characters VALUES {','.join(rows)}")
    cursor.execute(f"INSERT INTO letters SELECT * FROM characters WHERE NOT ({_HUGE})")


def collations(cursor: Any, kind: str) -> dict[str, tuple[str, str]]:
    """(collation, character set) by the name of its table here."""
    cursor.execute("SHOW COLLATION")
    shown = {str(row[0]): str(row[1]) for row in cursor.fetchall() if row[1]}
    unicode = {
        table: (name, "utf8mb4")
        for table, name in _UNICODE.items()
        if name in shown or (table, kind) == ("uca1400", "mariadb")
    }
    legacy = {
        name: (name, charset)
        for name, charset in shown.items()
        if not charset.startswith(("utf", "ucs", "binary")) and not {"bin", "nopad"} & set(name.split("_"))
    }
    return unicode | {name: found for name, found in legacy.items() if name not in _NOT_SIMPLE}


def words(cursor: Any, kind: str, collation: str, charset: str) -> dict[int, Word]:
    """The weights of each character that the character set has."""
    if charset == "utf8mb4":
        last = 0xFFFF if collation in _BASIC_PLANE else _LAST_OF_TIDB if kind == "tidb" else _POINTS[-1]
        cursor.execute(f"SELECT cp, WEIGHT_STRING(c COLLATE {collation}) FROM characters WHERE cp <= {last}")
        unit, rows = 2, cursor.fetchall()
    else:
        there = f"CONVERT(c USING {charset})"
        cursor.execute(
            f"SELECT cp, WEIGHT_STRING({there} COLLATE {collation}), LENGTH({there}) FROM characters "
            f"WHERE cp < 65536 AND CONVERT({there} USING utf8mb4) = c"
        )
        found = cursor.fetchall()
        unit = 1 if all(row[2] == 1 for row in found) else 0
        rows = [row[:2] for row in found]
    wrong = _SHOWN_WRONG.get(kind, set())
    return {point: _word(kind, weights, unit) for point, weights in rows if point not in wrong and weights is not None}


def _word(kind: str, weights: Any, unit: int) -> Word:
    raw = weights.encode("latin1") if isinstance(weights, str) else bytes(weights)
    return tuple((kind, weight) for weight in cut(raw, unit))


def contractions(cursor: Any, kind: str, collation: str) -> Iterable[tuple[int, int, Word]]:
    """Pairs of one block, and letters with marks, that weigh something else than their parts."""
    together, apart = (
        f"WEIGHT_STRING(CONCAT(a.c, b.c) COLLATE {collation})",
        f"CONCAT(WEIGHT_STRING(a.c COLLATE {collation}), WEIGHT_STRING(b.c COLLATE {collation}))",
    )
    for pairs in ("a.block = b.block", "(b.cp BETWEEN 768 AND 879 OR b.cp IN (183, 903))"):
        cursor.execute(
            f"SELECT a.cp, b.cp, {together} FROM letters a JOIN letters b ON {pairs} WHERE {together} <> {apart}"
        )
        yield from ((one, other, _word(kind, weights, 2)) for one, other, weights in cursor.fetchall())


def table(cursors: Mapping[str, Any], name: str) -> dict[str, str]:
    """What a collation makes of each character, on all servers that have it."""
    joined, known = Congruence(), dict[int, Word]()
    for kind, cursor in cursors.items():
        if (found := collations(cursor, kind).get(name)) is None:
            continue
        own = words(cursor, kind, *found)
        if name in _UNICODE and kind != "tidb":  # which has no contractions
            for one, other, word in contractions(cursor, kind, found[0]):
                joined.relate(own[one] + own[other], word)
        for point, word in own.items():
            if known.setdefault(point, word) is not word:
                joined.relate(known[point], word)
    return replacements(known, joined)


def main() -> None:
    with ExitStack() as opened:
        cursors: dict[str, Any] = {}
        for kind in _KINDS:
            server = opened.enter_context(start(kind))
            connection = opened.enter_context(server.connect(ssl_disabled=True))
            cursors[kind] = connection.cursor()
            make_characters(cursors[kind])
            cursors[kind].connection.commit()
        names = sorted({name for kind, cursor in cursors.items() for name in collations(cursor, kind)})
        with zipfile.ZipFile(FOLDS, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in names:
                made = table(cursors, name)
                archive.writestr(zipfile.ZipInfo(f"{name}.json"), json.dumps(made), zipfile.ZIP_DEFLATED)
                print(f"{name}: {len(made)}")


if __name__ == "__main__":
    main()
