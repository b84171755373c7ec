"""What a server is taken to have while it commits a transaction that its binlog shows already."""

from __future__ import annotations

from typing import Any

import pytest

from dm_worker.syncer.upstream import Upstream
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position

UUID = "aa2a6f75-e73e-11f1-9f5a-02fc00000001"


class Committing:
    """A MySQL whose third transaction is committed behind the first question that it is asked."""

    flavor = "mysql"

    def __init__(self) -> None:
        self.asked = 0

    def owned_gtids(self, _: Any) -> frozenset[str]:
        self.asked += 1
        return frozenset({f"{UUID}:3#17"} if self.asked == 1 else ())

    def fetch_location(self, _: Any) -> Location:
        self.asked += 1
        text = f"{UUID}:1-2" if self.asked == 1 else f"{UUID}:1-3"
        return Location(Position("bin.000001", 816), parse_gtid_set(text, "mysql"))


def test_a_transaction_that_is_committed_meanwhile_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream.__new__(Upstream)
    upstream.server = Committing()  # type: ignore[assignment]
    monkeypatch.setattr(upstream, "_own", lambda: None)
    assert str(upstream.known_transactions()) == f"{UUID}:1-3"
