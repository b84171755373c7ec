from __future__ import annotations

import pytest

from pkg.schema.lexer import tokenize
from pkg.schema.mode_operators import depends_on_modes, mode_edits
from pkg.schema.statement import edited

PIPES, NOTS = "PIPES_AS_CONCAT", "HIGH_NOT_PRECEDENCE"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a || b", "CONCAT(a , b)"),
        ("a || b || c", "CONCAT(a , b , c)"),
        ("1 + a || b * 2", "1 + CONCAT(a , b) * 2"),
        ("-a || b", "CONCAT(-a , b)"),
        ("c - a || -b", "c - CONCAT(a , -b)"),
        (
            "a COLLATE utf8mb4_bin || b COLLATE utf8mb4_bin = c",
            "CONCAT(a COLLATE utf8mb4_bin , b COLLATE utf8mb4_bin) = c",
        ),
        ("f(a || b) || (c || d)", "CONCAT(f(CONCAT(a , b)) , (CONCAT(c , d)))"),
        ("CASE WHEN a || b THEN 1 END || 'x' 'y'", "CONCAT(CASE WHEN CONCAT(a , b) THEN 1 END , 'x' 'y')"),
        ("t.a || `d`.`t`.`b`", "CONCAT(t.a , `d`.`t`.`b`)"),
        ("j->>'$.a' || _latin1'x' || X'41'", "CONCAT(j->>'$.a' , _latin1'x' , X'41')"),
        ("BINARY a || b", "CONCAT(BINARY a , b)"),
        ("a || b LIKE c || '%' AND NOT d || e", "CONCAT(a , b) LIKE CONCAT(c , '%') AND NOT CONCAT(d , e)"),
        ("TRIM(BOTH a || b FROM c)", "TRIM(BOTH CONCAT(a , b) FROM c)"),
        ("a IN (b || c, 'x')", "a IN (CONCAT(b , c), 'x')"),
    ],
)
def test_pipes_are_concat(text: str, plain: str) -> None:
    tokens = tokenize(text)
    assert edited(text, mode_edits(tokens, {PIPES})) == plain
    assert depends_on_modes(tokens, {PIPES})
    assert not depends_on_modes(tokenize(plain), {PIPES})
    assert not mode_edits(tokens, {PIPES, "ORACLE"})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("NOT a = b", " !  a = b"),
        ("(NOT(a) OR NOT NOT b)", "( ! (a) OR  !   !  b)"),
        ("a IS NOT NULL AND a NOT IN (1) AND b NOT LIKE c AND c NOT BETWEEN 1 AND 2", ""),
        ("CREATE TABLE IF NOT EXISTS t (a INT NOT NULL, b CHAR(3) NOT NULL, CHECK (a) NOT ENFORCED)", ""),
        ("NOT a || b", "CONCAT( !  a , b)"),
    ],
)
def test_a_high_not(text: str, plain: str) -> None:
    tokens = tokenize(text)
    assert edited(text, mode_edits(tokens, {NOTS, PIPES})) == (plain or text)
    assert depends_on_modes(tokens, {NOTS}) == bool(plain)


def test_attributes_are_no_operators() -> None:
    text = "CREATE TABLE t (a BINARY NOT NULL, b CHAR(3) BINARY NOT NULL, c TEXT COLLATE DEFAULT NOT NULL)"
    assert not mode_edits(tokenize(text), {NOTS})


@pytest.mark.parametrize("text", ["a || @v", "a || INTERVAL 1 DAY", "|| a", "a ||", "a /*!80000 || b */"])
def test_what_is_not_understood_stays(text: str) -> None:
    tokens = tokenize(text)
    assert not mode_edits(tokens, {PIPES})
    assert depends_on_modes(tokens, {PIPES})
