"""Random expressions of generated columns: a sample of `./dev soak expressions`."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import islice

from tests.cases.replicate.comparing import connected
from tests.servers import RunningServer
from tests.soak.expressions import AT_ONCE, COLLATIONS, DOCUMENTED, FORMS, Makes, Servers, Totals
from tests.soak.expressions_crossed import crossed

_SEED = 20261123


def test_what_is_taken_for_the_same_is_so(mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer) -> None:
    makes, totals = Makes(_SEED, ""), Totals()
    with ExitStack() as stack:
        ends = {end.kind: stack.enter_context(connected(end)) for end in (mariadb, mysql, tidb)}
        servers = Servers(ends)
        for _ in range(8):
            for one in servers.tried([makes.one() for _ in range(AT_ONCE)]):
                list(totals.add(one))
    assert not totals.silent
    assert totals.verdicts["same, taken"] > 2 * AT_ONCE


def test_what_is_taken_for_the_same_is_so_of_all_values(
    mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer
) -> None:
    with ExitStack() as stack:
        ends = {end.kind: stack.enter_context(connected(end)) for end in (mariadb, mysql, tidb)}
        tried = list(islice(crossed(ends, _SEED, 600, FORMS, COLLATIONS), 120))
    assert len(tried) == 120
    assert not [line for one, silent in tried for line in silent if not DOCUMENTED.search(one.text)]
