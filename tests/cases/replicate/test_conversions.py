"""A sample of `./dev soak conversions`: changes of type, and new columns, with values that are chosen to hurt."""

from __future__ import annotations

import random

import pytest

from tests.cases.replicate.conversions import additions, cells, play

SIZE = 40  # cells
FIRST = 9000  # of their numbers, far behind those of the cases


@pytest.mark.crossed("pair")
@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-tidb", "mysql-mariadb"])
@pytest.mark.parametrize("turn", ["texts", "numbers", "moments", "added"])
def test_rows_have_the_values_that_the_upstream_made(request: pytest.FixtureRequest, turn: str, pair: str) -> None:
    upstream, target = (request.getfixturevalue(name) for name in pair.split("-"))
    types = {
        "texts": "CHAR|TEXT|B(INARY|LOB)",
        "numbers": "INT|DEC|DOUBLE|FLOAT|BIT|JSON|SET|ENUM",
        "moments": "TIME|DATE|YEAR",
    }
    drawn = additions(upstream.kind) if turn == "added" else cells(upstream.kind, types[turn])
    played = play(random.Random(turn).sample(drawn, SIZE), upstream, target, f"{turn}_{pair[:2]}", FIRST)
    assert played.findings == []
    assert played.verdicts["holds"] > 3
