"""Collations that keys get in the target tell apart all that those of the upstream do, by the servers' own weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

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


@pytest.mark.parametrize("kind", ["mariadb", "mysql", "tidb"])
def test_trailing_spaces_count_where_the_name_says_so(weights: dict[str, Weights], kind: str) -> None:
    cursor = weights[kind].cursor
    names = {"utf8mb4_bin", "utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci",
             "latin1_bin", "gbk_bin", "ascii_bin"} & weights[kind].collations()  # fmt: skip
    for name in names:
        cursor.execute(f"SELECT CONVERT('a' USING {name.partition('_')[0]}) COLLATE {name} = 'a '")
        assert bool(cursor.fetchone()[0]) == ("_0900_" not in name and "nopad" not in name), name
