"""An expression of a session with PIPES_AS_CONCAT or HIGH_NOT_PRECEDENCE has its values in one without, too."""

from __future__ import annotations

import random
from collections.abc import Callable

import pymysql
import pytest

from pkg.schema.lexer import tokenize
from pkg.schema.mode_operators import depends_on_modes, mode_edits
from pkg.schema.statement import edited
from tests.servers import RunningServer

pytestmark = pytest.mark.servers

EXPRESSIONS = 600
MODES = {"PIPES_AS_CONCAT", "HIGH_NOT_PRECEDENCE"}
TABLE = "(SELECT 1 a, 'x' b, NULL c, -2.5 d, '7' e) t"
SIGNS = ("+", "-", "*", "^", "|", "&", "=", "<=>", "<", "LIKE", "AND", "OR", "XOR", "<<", "DIV", "REGEXP")


def expression(rng: random.Random, depth: int) -> str:
    """Operators in any order, with few parentheses, so that what binds closer counts."""
    if depth == 0:
        return rng.choice(("a", "b", "c", "d", "e", "t.a", "1", "0", "'y'", "'1'", "_latin1'z'", "X'31'", "NULL"))
    one, two = expression(rng, rng.randrange(depth)), expression(rng, rng.randrange(depth))
    match rng.randrange(12):
        case 0 | 1 | 2 | 3:
            return f"{one} || {two}"
        case 4 | 5:
            return f"{one} {rng.choice(SIGNS)} {two}"
        case 6:
            return f"NOT {one}"
        case 7:
            return f"{rng.choice(('-', '~', '!', 'BINARY '))}{one}"
        case 8:
            return f"({one})"
        case 9:
            return f"CASE WHEN {one} THEN {two} ELSE {one} END"
        case 10:
            return f"IFNULL({one}, {two})"
        case _:
            return f"{one} {rng.choice(('IS NOT NULL', 'NOT IN (1, 2)', f'NOT BETWEEN {two} AND 3', 'IS NULL'))}"


def values(cursor: pymysql.cursors.Cursor, modes: str, text: str) -> object:
    cursor.execute("SET sql_mode = %s", (modes,))
    try:
        cursor.execute(f"SELECT {text} FROM {TABLE}")
        return cursor.fetchone()
    except pymysql.MySQLError as exc:
        return exc.args[0]


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_written_without_modes_it_has_the_same_value(kind: str, server_factory: Callable[..., RunningServer]) -> None:
    rng, server, unknown = random.Random(f"operators {kind}"), server_factory(kind), 0
    with pymysql.connect(host=server.host, port=server.port, user="root", charset="utf8mb4") as connection:
        cursor = connection.cursor()
        for _ in range(EXPRESSIONS):
            text = expression(rng, 5)
            plain = edited(text, mode_edits(tokenize(text), MODES))
            unknown += depends_on_modes(tokenize(plain), MODES)
            above = values(cursor, ",".join(MODES), text)
            assert values(cursor, ",".join(MODES), plain) == above, f"{text}\n{plain}"
            if not depends_on_modes(tokenize(plain), MODES):
                assert values(cursor, "", plain) == above, f"{text}\n{plain}"
    assert unknown < EXPRESSIONS / 20
