"""The hours that a time zone has twice, when its clocks are turned back, as an upstream's tables of zones have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from pkg.schema.lexer import quote_name, quote_string

_LAST = 2**31 - 1  # second of a TIMESTAMP
_STEP = 5 * 86_400  # no zone turns its clocks twice within it
_ASKED_TOGETHER = 1000


@dataclass(frozen=True, slots=True)
class DoubledHour:
    """Its ``seconds`` are there before the moment ``at`` (since 1970), and once more from that on."""

    at: int
    seconds: int
    ahead: int  # of UTC, in seconds, from that moment on

    def moments(self, column: str, *, first: bool) -> str:
        """A condition for a TIMESTAMP within one of its two passes."""
        start, name = self.at - self.seconds * first, quote_name(column)
        return f"({name} >= FROM_UNIXTIME({start}) AND {name} < FROM_UNIXTIME({start + self.seconds}))"

    def local_times(self, value: str) -> str:
        """A condition for a local time that is doubled; ``value``: an expression that gives one."""
        start, end = (_local(second + self.ahead) for second in (self.at, self.at + self.seconds))
        return f"({value} >= '{start}' AND {value} < '{end}')"

    def has(self, local: str) -> bool:
        """Whether the local time is one of them; False for what is no time."""
        try:
            second = datetime.fromisoformat(local).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return False
        return 0 <= second - self.at - self.ahead < self.seconds


def _local(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S")


def doubled_hours(rows: Callable[[str], list[Sequence[Any]]], zone: str) -> tuple[DoubledHour, ...]:
    """Those of a zone, from 1970 on.  ``rows``: what a query gives in a session of the upstream that is in UTC."""
    ahead = _ahead(rows, zone, range(_STEP, _LAST, _STEP))
    places = list(ahead)
    pairs = [(one, two) for one, two in pairwise(places) if ahead[two] < ahead[one]]
    while any(two - one > 1 for one, two in pairs):
        middle = [(one + two) // 2 for one, two in pairs]
        ahead |= _ahead(rows, zone, middle)
        pairs = [
            (between, two) if ahead[between] == ahead[one] else (one, between)
            for (one, two), between in zip(pairs, middle, strict=True)
        ]
    return tuple(DoubledHour(two, ahead[one] - ahead[two], ahead[two]) for one, two in pairs)


def _ahead(rows: Callable[[str], list[Sequence[Any]]], zone: str, moments: Iterable[int]) -> dict[int, int]:
    """How many seconds the zone is ahead of UTC at each of the moments; 0 where the server does not know it."""
    found: dict[int, int] = {}
    listed = list(moments)
    local = f"CONVERT_TZ(FROM_UNIXTIME(moment), '+00:00', {quote_string(zone)})"
    for start in range(0, len(listed), _ASKED_TOGETHER):
        some = " UNION ALL ".join(f"SELECT {one} AS moment" for one in listed[start : start + _ASKED_TOGETHER])
        sql = f"SELECT moment, TIMESTAMPDIFF(SECOND, FROM_UNIXTIME(moment), {local}) FROM ({some}) AS moments"
        found |= {int(moment): int(seconds or 0) for moment, seconds in rows(sql)}
    return {moment: found[moment] for moment in listed}
