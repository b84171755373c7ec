"""Whatever a server calls equal has one causality key."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

from pkg.rows.folding import folding_of
from pkg.schema.lexer import quote_string
from tests.servers import RunningServer

pytestmark = pytest.mark.servers

ROUNDS = 60
STRINGS = 400
COLLATIONS = {
    "mysql": ["general_ci", "unicode_ci", "unicode_520_ci", "0900_ai_ci", "0900_as_cs", "spanish_ci", "da_0900_ai_ci"],
    "mariadb": [
        "general_ci",
        "unicode_ci",
        "unicode_520_nopad_ci",
        "uca1400_ai_ci",
        "uca1400_nopad_as_cs",
        "danish_ci",
    ],
    "tidb": ["general_ci", "unicode_ci", "0900_ai_ci", "bin"],
}
_NOT_PRINTED = re.compile("[\0\ufffd]")
_LAST_OF_TIDB = 0x2CEA0
_ALWAYS = " aAsSeE'\\ßæﬀ\u0300\u0301\u0306\u00ad\u200d"


def _characters(rng: random.Random) -> list[str]:
    """Some that go together: those of a block or two, and what forms contractions and expansions."""
    blocks = [rng.choice((rng.randrange(0x600), rng.randrange(0x600, 0x3400), rng.randrange(0xA600, 0x1FB00)))
              & ~0x7F for _ in range(2)]  # fmt: skip
    points = [block + rng.randrange(128) for block in blocks for _ in range(25)]
    return [*_ALWAYS, *(chr(point) for point in points if not 0xD800 <= point < 0xE000 and point <= _LAST_OF_TIDB)]


def _strings(rng: random.Random) -> set[str]:
    characters = _characters(rng)
    return {"".join(rng.choices(characters, k=rng.randrange(1, 4))) for _ in range(STRINGS)}


def _weights(cursor: Any, strings: Iterable[str], collation: str, charset: str = "utf8mb4") -> list[tuple[str, bytes]]:
    """Each string with its weights as the server gives them."""
    rows = " UNION ALL ".join(f"SELECT {number} n, CONVERT(x'{text.encode().hex()}' USING utf8mb4) s"
                              for number, text in enumerate(strings))  # fmt: skip
    cursor.execute(
        f"SELECT n, WEIGHT_STRING(CONVERT(s USING {charset}) COLLATE {collation}) FROM ({rows}) strings "
        f"WHERE CONVERT(CONVERT(s USING {charset}) USING utf8mb4) = s COLLATE utf8mb4_bin"
    )
    texts = list(strings)
    return [(texts[int(number)], weights) for number, weights in cursor.fetchall()]


def _check(found: Iterable[tuple[str, Any]], collation: str) -> int:
    """Each class of equal strings has one key; how many strings are equal to another one."""
    folding = folding_of(collation)
    assert folding is not None
    classes = defaultdict[Any, list[str]](list)
    for text, weights in found:
        if not _NOT_PRINTED.search(text):
            classes[weights].append(text)
    for texts in classes.values():
        keys = {folding.fold(_literal(text)) for text in texts}
        assert len(keys) == 1, (collation, texts, keys)
    return sum(len(texts) for texts in classes.values() if len(texts) > 1)


def _literal(text: str) -> bytes:
    return quote_string(text).encode()


@pytest.mark.parametrize("kind", COLLATIONS)
def test_strings_that_a_server_calls_equal_have_one_key(kind: str, request: pytest.FixtureRequest) -> None:
    server: RunningServer = request.getfixturevalue(kind)
    rng = random.Random(1)
    with server.connect(ssl_disabled=True, charset="utf8mb4") as connection, connection.cursor() as cursor:
        for name in COLLATIONS[kind]:
            collation = f"utf8mb4_{name}"
            equal = sum(_check(_weights(cursor, _strings(rng), collation), collation) for _ in range(ROUNDS))
            assert equal > ROUNDS or name == "bin", "hardly any strings were equal, so that nothing was tested"


@pytest.mark.parametrize("kind", ["mysql", "mariadb", "tidb"])
def test_strings_of_other_character_sets(kind: str, request: pytest.FixtureRequest) -> None:
    server: RunningServer = request.getfixturevalue(kind)
    rng = random.Random(2)
    with server.connect(ssl_disabled=True, charset="utf8mb4") as connection, connection.cursor() as cursor:
        cursor.execute("SHOW COLLATION")
        shown = [(str(row[0]), str(row[1])) for row in cursor.fetchall()]
        for collation, charset in shown:
            if charset.startswith(("utf", "ucs", "binary", "None")):
                continue
            for _ in range(ROUNDS // 20):
                points = rng.choices((*range(0x20, 0x180), *range(0x380, 0x460), *range(0x4E00, 0x4F00)), k=60)
                texts = {"".join(rng.choices([chr(one) for one in points], k=rng.randrange(1, 3))) for _ in range(300)}
                _check(_weights(cursor, texts, collation, charset), collation)
