"""Expressions over a row, evaluated here and by `SELECT` on real servers, agree row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from pkg.errors import DMError
from pkg.rules.expression.collation import collation
from pkg.rules.expression.compiler import condition_of
from pkg.rules.expression.grammar import parse
from pkg.rules.expression.node import RowImage, Run
from pkg.rules.expression.problem import BadExpression, BadValue
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.property.expressions import COLUMNS, boolean, numeric, rows
from tests.property.test_binlog_round_trip import Mirror

pytestmark = pytest.mark.servers  # asked for by name, so that conftest.py cannot see it

ROWS = 60
ERROR = "an error"


class Oracle:
    """The rows on a server, and the same rows as its binlog has them."""

    def __init__(self, mirror: Mirror) -> None:
        self.cursor = mirror.cursor
        self.flavor = mirror.server.gtid_flavor
        # Without NO_ZERO_DATE a date of zeros is a value; texts that come from no column compare as this project says.
        self.cursor.execute("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, sql_mode = 'ALLOW_INVALID_DATES'")
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        self.cursor.execute(f"CREATE TABLE mirror.source ({columns})")
        start = mirror.location()
        self.cursor.execute(f"INSERT INTO mirror.source VALUES {', '.join(rows(7, ROWS))}")
        self.images = mirror.decoded("source", start, ROWS)
        self.cursor.execute("SHOW CREATE TABLE mirror.source")
        self.table: Table = parse_create_table(self.cursor.fetchone()[1], "mirror")

    def truths(self, expression: str) -> list[Any]:
        """Per row: True, False, None or ERROR."""
        try:
            return [truth for _, truth in self._select(expression, "1")]
        except DMError:
            return [self._one(expression, number) for number in range(ROWS)]

    def _one(self, expression: str, number: int) -> Any:
        try:
            return self._select(expression, f"id = {number}")[0][1]
        except DMError:
            return ERROR

    def _select(self, expression: str, condition: str) -> list[tuple[int, bool | None]]:
        self.cursor.execute(
            f"SELECT id, ({expression}) IS TRUE, ({expression}) IS FALSE FROM mirror.source WHERE {condition} ORDER BY id"
        )
        return [(number, True if yes else False if no else None) for number, yes, no in self.cursor.fetchall()]


def ours(run: Run, image: RowImage) -> Any:
    try:
        return run(image)
    except BadValue:
        return ERROR


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def oracle(request: pytest.FixtureRequest) -> Iterator[Oracle]:
    mirror = Mirror(request.getfixturevalue(request.param))
    yield Oracle(mirror)
    mirror.connection.close()


@settings(deadline=None, max_examples=400, suppress_health_check=list(HealthCheck))
@given(expression=st.one_of(boolean(0), boolean(1), boolean(2), numeric(2)))
def test_a_row_is_judged_as_the_server_judges_it(oracle: Oracle, expression: str) -> None:
    try:
        run = condition_of(parse(expression), oracle.table, oracle.flavor)
    except BadExpression:
        assume(False)  # what is refused is never wrong
        return
    found = [ours(run, image) for image in oracle.images]
    expected = oracle.truths(expression)
    for image, one, other in zip(oracle.images, found, expected, strict=True):
        # A row that we pause at is never wrong, such as one with a day of no calendar.  Whether an operand that has
        # no value is looked at beside a NULL is each server's own.
        assert one in (other, ERROR) or (one, other) == (None, ERROR), (expression, image)


LETTERS = st.characters(max_codepoint=0x52F, exclude_categories=("Cn", "Mn", "Me", "Cf", "Cc"))
TEXTS = st.one_of(
    st.text(LETTERS, max_size=5),
    st.text("aAbBäß _-1.", max_size=5),
    st.sampled_from(["中", "ア", "Ａ", "①", "0", "$", "~", "Ӻ", "ԯ", "\ue000", "😀"]),
)
KNOWN = {
    "mysql": ("utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_0900_ai_ci", "utf8mb4_bin", "utf8mb4_0900_bin"),
    "mariadb": ("utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_bin", "utf8mb4_general_nopad_ci"),
}  # fmt: skip


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@example(
    pairs=[("Ӻ", "中"), ("Ӻ", "\ue000"), ("Ӻ", "😀"), ("Ӻ", "ԯ"), ("ԯ", "中"), ("ԯ", "я"), ("ԯ", "ア"), ("ԯ", "힣")]
)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=40))
def test_texts_are_ordered_as_the_server_orders_them(oracle: Oracle, pairs: list[tuple[str, str]]) -> None:
    for name in KNOWN[oracle.flavor]:
        asked = ", ".join([f"STRCMP(%s COLLATE {name}, %s)"] * len(pairs))
        oracle.cursor.execute(f"SELECT {asked}", [text for pair in pairs for text in pair])
        rules = collation(name)
        for (one, other), expected in zip(pairs, oracle.cursor.fetchone(), strict=True):
            assert rules.compare(one, other) == expected, (name, one, other)
            assert (rules.key(one) == rules.key(other)) == (expected == 0), (name, one, other)
