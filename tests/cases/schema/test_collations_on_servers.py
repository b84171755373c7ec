"""Collations that keys get in the target tell apart all that those of the upstream do, by the servers' own weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from pkg.schema.charset import default_collation
from pkg.schema.collation import may_join, nearest_in_key
from tests.folding.congruence import Word
from tests.folding.finer import joined_by
from tests.folding.generate import words

POINTS = [point for point in range(0x3000) if not 0xD800 <= point < 0xE000]
SETS = ("ascii_general_ci", "greek_general_ci", "hebrew_general_ci", "ucs2_general_ci", "utf16_general_ci")
SHARED = ("utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb3_general_ci", "utf8mb3_unicode_ci")
COARSER = (
    ("latin1_swedish_ci", "utf8mb4_general_ci", "Ä"),
    ("latin1_spanish_ci", "utf8mb4_general_ci", "Ñ"),
    ("koi8r_general_ci", "utf8mb4_general_ci", "е"),
    ("gbk_chinese_ci", "gbk_chinese_ci", "["),
)


class Weights:
    """Of one server, by collation."""

    def __init__(self, server: Any) -> None:
        self.kind: str = server.kind
        link = pymysql.connect(
            host=server.host, port=server.port, user="root", charset="utf8mb4", autocommit=True, ssl_disabled=True
        )
        self.cursor = link.cursor()
        self.cursor.execute("DROP DATABASE IF EXISTS finer")
        self.cursor.execute("CREATE DATABASE finer")
        self.cursor.execute("USE finer")
        column = "VARCHAR(2) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        self.cursor.execute(f"CREATE TABLE characters (cp INT PRIMARY KEY, c {column})")
        rows = ",".join(f"({point},x'{chr(point).encode().hex()}')" for point in POINTS)
        self.cursor.execute(f"INSERT INTO characters VALUES {rows}")

    def of(self, collation: str) -> dict[int, Word]:
        """Without the server's name, so that weights of several can be compared."""
        charset = collation.partition("_")[0]
        if self.kind == "tidb":
            charset, collation = charset.replace("utf8mb3", "utf8"), collation.replace("utf8mb3", "utf8")
        found = words(self.cursor, self.kind, collation, charset)
        return {point: tuple(weight[1:] for weight in word) for point, word in found.items()}

    def collations(self) -> frozenset[str]:
        self.cursor.execute("SHOW COLLATION")
        return frozenset(str(row[0]) for row in self.cursor.fetchall() if row[0])


@pytest.fixture(scope="module")
def weights(mariadb: Any, mysql: Any, tidb: Any) -> Iterator[dict[str, Weights]]:
    found = {server.kind: Weights(server) for server in (mariadb, mysql, tidb)}
    yield found
    for one in found.values():
        one.cursor.connection.close()


@pytest.mark.parametrize("upstream", ["mariadb", "mysql"])
@pytest.mark.parametrize("collation", [*SETS, *SHARED])
def test_what_a_key_becomes_in_tidb_tells_apart_as_much(
    weights: dict[str, Weights], upstream: str, collation: str
) -> None:
    target = weights["tidb"]
    chosen = nearest_in_key(collation, target.collations(), "tidb").collation
    assert not chosen.endswith("_bin"), "else there is nothing to show"
    assert not may_join(collation, chosen, "tidb")
    assert joined_by(target.of(chosen.replace("utf8_", "utf8mb3_")), weights[upstream].of(collation)) == []


@pytest.mark.parametrize(("collation", "there", "character"), COARSER)
def test_collations_that_would_lose_rows_are_known(
    weights: dict[str, Weights], collation: str, there: str, character: str
) -> None:
    assert may_join(collation, there, "tidb")
    assert nearest_in_key(collation, weights["tidb"].collations(), "tidb").collation == "utf8mb4_bin"
    lost = joined_by(weights["tidb"].of(there), weights["mysql"].of(collation))
    assert {character, {"[": "\\"}.get(character, character)} & set(lost)


def test_collations_of_one_name_are_as_fine_in_mariadb_and_mysql(weights: dict[str, Weights]) -> None:
    mariadb, mysql = weights["mariadb"], weights["mysql"]
    shared = sorted(mariadb.collations() & mysql.collations())
    simple = [name for name in shared if not name.endswith("_bin") and not name.startswith(("utf", "ucs", "binary"))]
    assert len(simple) > 40
    for name in [*simple, "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_swedish_ci"]:
        if name == "tis620_thai_ci":  # MariaDB shows a blank as nothing, and compares it as MySQL does
            continue
        ours, theirs = mariadb.of(name), mysql.of(name)
        assert joined_by(ours, theirs) == joined_by(theirs, ours) == [], name


LATIN = [chr(point) for point in range(1, 0x250)]
PAIRS = [first + second for first in "cCdDlLnNsSzZ" for second in "hHjJlLsSzZžŽ\u030c\u0301"]
DOUBLE_BYTES = [bytes((first, second)) for first in range(0x81, 0xFF) for second in range(0x40, 0xFF)]


def held_equal(cursor: Any, collation: str, codes: list[bytes]) -> list[tuple[bytes, ...]]:
    """Groups of ``codes`` that are equal in this collation; a code that the set does not have is left out."""
    charset = collation.partition("_")[0]
    cursor.execute("DROP TABLE IF EXISTS codes")
    cursor.execute(
        f"CREATE TABLE codes (id INT PRIMARY KEY, c VARCHAR(4) CHARACTER SET {charset} COLLATE {charset}_bin)"
    )
    cursor.execute("SET sql_mode = '', group_concat_max_len = 10000000")
    for first in range(0, len(codes), 5000):
        rows = (f"({first + at},x'{code.hex()}')" for at, code in enumerate(codes[first : first + 5000]))
        cursor.execute(f"INSERT INTO codes VALUES {','.join(rows)}")
    cursor.execute("SELECT id, HEX(c) FROM codes")
    held = {number for number, code in cursor.fetchall() if bytes.fromhex(code) == codes[number]}
    cursor.execute(f"SELECT GROUP_CONCAT(id ORDER BY id) FROM codes GROUP BY c COLLATE {collation}")
    groups = ([int(one) for one in str(row[0]).split(",") if int(one) in held] for row in cursor.fetchall())
    return sorted(tuple(codes[one] for one in group) for group in groups if group)


@pytest.mark.parametrize("charset", ["big5", "cp932", "eucjpms", "euckr", "gb2312", "gbk", "sjis", "ujis"])
@pytest.mark.filterwarnings("ignore")
def test_sets_of_two_bytes_hold_the_same_equal_in_mariadb_and_mysql(weights: dict[str, Weights], charset: str) -> None:
    cursors = [weights[kind].cursor for kind in ("mariadb", "mysql")]
    singles = [bytes((one,)) for one in range(0x80)]
    ours, theirs = (held_equal(one, default_collation(charset), singles + DOUBLE_BYTES) for one in cursors)
    strange = {(b"\x8e\xa0",)}  # a code of the Japanese EUC that MariaDB has not
    assert set(ours) ^ set(theirs) <= strange
    assert len(ours) > 3000


@pytest.mark.parametrize("charset", ["utf8mb4", "utf8mb3", "ucs2", "utf16", "utf32"])
def test_only_the_croatian_collation_of_unicode_is_coarser_in_mysql(weights: dict[str, Weights], charset: str) -> None:
    encoding = {"ucs2": "utf-16-be", "utf16": "utf-16-be", "utf32": "utf-32-be"}.get(charset, "utf-8")
    codes = [text.encode(encoding) for text in LATIN + PAIRS]
    shared = weights["mariadb"].collations() & weights["mysql"].collations()
    for name in sorted(one for one in shared if one.startswith(f"{charset}_") and not one.endswith("_bin")):
        ours, theirs = (held_equal(weights[kind].cursor, name, codes) for kind in ("mariadb", "mysql"))
        if not may_join(name, name, "mysql"):
            assert ours == theirs, name
            continue
        assert name.endswith("_croatian_ci")
        joined = {group for group in theirs if group not in ours}
        assert {min(group).decode(encoding) for group in joined} <= {"dž", "lj", "nj", "ǆ", "ǉ", "ǌ", *"ǄǇǊ", *PAIRS}
        assert joined
        assert nearest_in_key(name, weights["mysql"].collations(), "mysql").collation == f"{charset}_bin"
        assert nearest_in_key(name, weights["mariadb"].collations(), "mariadb").collation == name


@pytest.mark.parametrize("kind", ["mariadb", "mysql", "tidb"])
def test_trailing_spaces_count_where_the_name_says_so(weights: dict[str, Weights], kind: str) -> None:
    cursor = weights[kind].cursor
    names = {"utf8mb4_bin", "utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci",
             "latin1_bin", "gbk_bin", "ascii_bin"} & weights[kind].collations()  # fmt: skip
    for name in names:
        cursor.execute(f"SELECT CONVERT('a' USING {name.partition('_')[0]}) COLLATE {name} = 'a '")
        assert bool(cursor.fetchone()[0]) == ("_0900_" not in name and "nopad" not in name), name
