"""Filters' verdicts are the upstream's: what a review found wrong, and a sample of `./dev soak filters`."""

from __future__ import annotations

from contextlib import closing

import pytest

from pkg.rules.expression.compiler import condition_of
from pkg.rules.expression.grammar import parse
from pkg.rules.expression.problem import BadExpression
from tests.servers import RunningServer
from tests.soak.filter_forms import Makes
from tests.soak.filters import NO_VALUE, Judge, Totals, judged, literal_of, play

_SEED = 20261124
# Each once left rows out that the server keeps, or the other way round: now it is the server's verdict, or refused.
REVIEWED = (
    "dt + INTERVAL 0.5 SECOND > '2024-02-29'",
    "EXTRACT(HOUR FROM t2) < 0",
    "EXTRACT(MINUTE FROM t2) = -30",
    "EXTRACT(MICROSECOND FROM t2) = 550000",
    "CONCAT(bt) = 'a'",
    "bt LIKE '5%'",
    "CONCAT(y, '') = '0000'",
    "LENGTH(y) = 4",
    "UPPER(l) = 'ÿ'",
    "LOWER(l) = 'ÿ'",
    "CAST(d3 AS SIGNED) = 20240229235960",
    "TIME(d3) = '23:59:59.5'",
    "TIME(t2) > '10:00:00'",
    "d6 - INTERVAL 1 SECOND < '2024-01-01'",
    "da - INTERVAL 1 YEAR = '2023-02-28'",
    "n / 7 * 7 = 5",
    "n % 3 >= 0",
    "JSON_EXTRACT(j, '$.a') = 1",
    "JSON_EXTRACT(j, '$.b') = 'x'",
    "v = '１'",
    "v + 0 = 1",
    "v REGEXP 'ss|y'",
    "LOCATE('a', v) = 1",
    "uc LIKE 'œ'",
    "u5 LIKE 'æ'",
    "uc LIKE '%ß%'",
)


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
def test_verdicts_are_the_servers(flavor: str, request: pytest.FixtureRequest) -> None:
    server: RunningServer = request.getfixturevalue(flavor)
    with closing(Judge(server, _SEED)) as judge:
        assert not [text for text in REVIEWED if _differs(judge, text)]
        totals = Totals()
        makes = Makes(_SEED, "", lambda operand, chance: literal_of(judge, operand, chance))
        assert not list(play(judge, makes, 400, totals))
        assert totals.counts["same"] > 150


def _differs(judge: Judge, text: str) -> bool:
    try:
        run = condition_of(parse(text), judge.table, judge.flavor)
    except BadExpression:
        return False
    [theirs] = judge.verdicts([text])
    pairs = zip((judged(run, image) for image in judge.images), theirs, strict=True)
    return any(NO_VALUE not in pair and pair[0] != pair[1] for pair in pairs)
