"""What the ledger says in all: verdicts, statements, each fault, and the crash points that were met under each kind of statement."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

from tests.soak.corpus.ledger import Ledger


def report(ledger: Ledger, pairs: Sequence[str]) -> str:
    """Totals of each pair of servers, and of all together."""
    lines: list[str] = []
    faults: Counter[str] = Counter()
    pauses: Counter[str] = Counter()  # behind which rounds went on
    met: dict[str, set[str]] = defaultdict(set)
    totals: Counter[str] = Counter()
    for pair in pairs:
        verdicts: Counter[str] = Counter()
        for line in ledger.lines(pair):
            notes = json.loads(line.notes)
            verdicts[line.verdict] += 1
            faults += Counter(notes["faults"])
            pauses += Counter(notes.get("pauses", {}))
            totals += Counter(
                rounds=1,
                statements=notes["statements"],
                refused=sum(notes["refused"].values()),
                seconds=round(notes["seconds"]),
            )
            for both in notes["met"]:
                point, _, kind = both.partition("/")
                met[point].add(kind)
        if verdicts:
            lines.append(f"{pair}: " + ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    lines.append("all: " + ", ".join(f"{number:,} {name}" for name, number in totals.items()))
    lines.append("faults: " + ", ".join(f"{number} {name}" for name, number in faults.most_common()))
    lines.append("pauses: " + ", ".join(f"{number} {code}" for code, number in pauses.most_common()))
    lines += [f"met {point}: {', '.join(sorted(kinds))}" for point, kinds in sorted(met.items())]
    return "\n".join(lines)
