"""Every variable that can change a value or a structure: `./dev soak settings [--pair UPSTREAM-TARGET] [--variable GLOB] [--again]`.

Each value is set in the writing session, GLOBAL upstream, and GLOBAL in the target, around the battery's DDL and DML (several
variables at once where GLOBAL), which are replicated, compared, copied and compared again.  What is done is kept in
`.soak-settings.json`, so a campaign that is ended goes on where it was (`--again` begins anew).  A finding is printed with one
setting and the fewest statements that show it; all of them go to `soak-settings-PAIR.txt`.  At its end a campaign adds a line to
tests/soak/ledger/settings.jsonl: date, commit, pair, variables, cells, and how many of them differ, pause, or are refused as documented.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cases.replicate.arena import Pair
from tests.cases.replicate.replication import Replication
from tests.cases.replicate.settings import Finding, Play, Strip, reduced, strips
from tests.cases.replicate.settings_battery import THEMES
from tests.cases.replicate.settings_list import Chosen, chosen, packs, themes_of
from tests.servers import start
from tests.soak.matrix import PAIRS, each_pair, keep, kept_state, record

LEDGER = Path(__file__).parent / "ledger" / "settings.jsonl"
STATE = Path(".soak-settings.json")
AT_ONCE = 120  # strips of one run
MOST_REDUCED = 100  # findings of one pair; each takes some runs


@dataclass(frozen=True)
class Portion:
    """What one run plays."""

    strips: list[Strip]
    upstream: tuple[Chosen, ...] = ()
    target: tuple[Chosen, ...] = ()

    def __str__(self) -> str:
        sessions = dict.fromkeys(one.name for strip in self.strips for one in strip.session)
        places = (("upstream", map(str, self.upstream)), ("target", map(str, self.target)), ("sessions", sessions))
        return "; ".join(f"{place}: {text}" for place, them in places if (text := ", ".join(them)))


def portions(pattern: str) -> Iterator[Portion]:
    """Sessions of all values, many at once, and what is GLOBAL, upstream and in the target; all themes under each sql_mode come last."""
    written = [(theme, (one,)) for setting, one in chosen(pattern) for theme in themes_of(setting.themes)]
    apart = {name: [cell for cell in written if cell[1][0].name == name] for name in ("sql_mode", "binlog_format")}
    yield from _sessions([cell for cell in written if cell[1][0].name not in apart])
    for settings, themes in packs(pattern):
        yield Portion(strips(themes), upstream=settings)
        yield Portion(strips(themes), target=settings)
    yield from _sessions(apart["binlog_format"], 1)  # what is logged as text cannot be left out to go on
    yield from _sessions(apart["sql_mode"])


def _sessions(written: Sequence[tuple[str, tuple[Chosen, ...]]], size: int = AT_ONCE) -> Iterator[Portion]:
    for first in range(0, len(written), size):
        part = written[first : first + size]
        yield Portion([Strip(number, theme, session) for number, (theme, session) in enumerate(part, 1)])


@dataclass
class Campaign:
    """One pair of servers; ``done`` is what is kept of it."""

    pair: Pair
    name: str
    done: dict[str, Any]
    replication: Replication
    plays: int = 0
    shown: set[Any] = field(default_factory=set)

    def baseline(self) -> None:
        """What does not hold without any setting, which later runs are measured by."""
        if "known" not in self.done:
            play = self._play(strips(tuple(THEMES)))
            keep(f"settings-{self.name}", play.findings)
            self.done["known"] = {theme: sorted(signs) for theme, signs in play.seen.items()}

    def play(self, portion: Portion) -> Play:
        play = self._play(portion.strips, portion.upstream, portion.target)
        few = {one.look: one for one in reversed(play.findings)}  # one of those that look alike
        small = [self._reduced(one) if one is few[one.look] else one for one in play.findings]
        keep(f"settings-{self.name}", small)
        return play

    def _play(
        self, wanted: list[Strip], upstream: Sequence[Chosen] = (), target: Sequence[Chosen] = (), copies: bool = True
    ) -> Play:
        self.plays += 1
        schema = f"sv{self.done['portions']:03d}x{self.plays:04d}"
        known = {theme: frozenset(signs) for theme, signs in self.done.get("known", {}).items()}
        play = Play(self.pair, schema, self.replication, upstream, target, known, copies)
        play.run(wanted)
        return play

    def _reduced(self, finding: Finding) -> Finding:
        """By itself; of findings that look alike the first one alone."""
        if finding.look in self.shown or not finding.strip.run or len(self.shown) > MOST_REDUCED:
            return finding
        self.shown.add(finding.look)
        copied = finding.stage == "copied"
        return reduced(finding, lambda upstream, target, tried: self._play(tried, upstream, target, copied).findings)


def play(name: str, pattern: str, state: dict[str, Any]) -> bool:
    """One pair, from where it was left; whether every cell holds."""
    key = f"{name} {pattern}"
    fresh: dict[str, Any] = {"portions": 0, "cells": 0, "verdicts": {}}
    done = state.setdefault(key, fresh)
    runs = list(portions(pattern))
    with ExitStack() as stack:
        servers = [stack.enter_context(start(kind)) for kind in name.split("-")]
        replication = stack.enter_context(closing(Replication(Path(f"soak-settings-{name}.log"))))
        campaign = Campaign(Pair(*servers), name, done, replication)
        campaign.baseline()
        for number in range(done["portions"], len(runs)):
            begun = time.monotonic()
            played = campaign.play(runs[number])
            verdicts = Counter(done["verdicts"]) + Counter(one.verdict for one in played.findings)
            verdicts += Counter(refused=played.refused)
            done |= {"portions": number + 1, "cells": done["cells"] + played.cells, "verdicts": dict(verdicts)}
            STATE.write_text(json.dumps(state))
            told = f"{done['cells']} cells, {dict(verdicts)}, {time.monotonic() - begun:.0f} s"
            print(f"{name} {number + 1}/{len(runs)} ({runs[number]}): {told}", flush=True)
    record(name, done, LEDGER, named=pattern, variables=len({setting.name for setting, _ in chosen(pattern)}))
    del state[key]
    STATE.write_text(json.dumps(state))
    return not set(done["verdicts"]) - {"refused"}


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak settings", description=__doc__)
    arguments.add_argument("--pair", choices=PAIRS, action="append", help="default: all of them")
    arguments.add_argument("--variable", default="*", help="those that are named like it, with * and ?")
    arguments.add_argument("--again", action="store_true", help="begin anew")
    options = arguments.parse_args(words)
    state = kept_state(STATE, again=options.again)
    return each_pair(options.pair, lambda name: play(name, options.variable, state))
