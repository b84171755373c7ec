"""What may become of a round, and which pauses are right.  No I/O."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.soak.corpus.documented import PAUSES as STATEMENTS
from tests.soak.corpus.ledger import LIMITS

# Pauses that are right beside those that the corpus knows, by code, with the reason.
PAUSES = {
    "34131": "an ENUM with a label '' and a row of index 0 is not copied (docs/exactness.md, values)",
    "36123": "a unique key over texts that the target does not tell apart (docs/ddl.md, keys that are added later)",
    "34023": "a table that is merged was altered while it was copied (docs/task-life.md, DDL while tables are copied)",
    "36113": "rows of two tables came under one name while they were copied (docs/task-life.md, DDL while tables are copied)",
    "36114": "a table without a key was made anew while it was copied (docs/task-life.md, DDL while tables are copied)",
    "36115": "a session that was not strict cut values, and the target would make others of them (docs/exactness.md, DDL)",
    "36193": "columns exchanged their names while they were copied (docs/task-life.md, DDL while tables are copied)",
    "36230": "the upstream's binlog was reset (docs/task-life.md, replication)",
}
RESETS = ("22014", "22016", "36230")  # of an upstream whose binlog was reset just now
RESTORES = (*RESETS, "36110", "34136")  # of one that lost what was applied, or while it is copied
SWITCHES = ("36104", "34136")  # of another server, by position, while it is copied, or while a shard waits for a DDL
EQUAL, DIFFERENT, PAUSED, STUCK, BROKEN = "equal", "different", "paused", "stuck", "broken"


@dataclass
class Outcome:
    """What became of a round; ``code``: of a pause, or what differs; ``met``: (crash point, kind of statement)."""

    verdict: str = EQUAL
    code: str = ""
    detail: str = ""
    statements: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # statements that the upstream refused, by its error
    rows: int = 0
    seconds: float = 0.0
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # seconds by part of the round
    pauses: Counter[str] = field(default_factory=Counter)  # documented ones, behind which the round went on, by code
    ways: Counter[str] = field(default_factory=Counter)  # how it went on, see onwards.py
    faults: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)

    @property
    def words(self) -> str:
        return f"{self.verdict} {self.code}".strip()

    @property
    def notes(self) -> str:
        """What the ledger has beside the verdict."""
        facts: dict[str, Any] = {"statements": self.statements, "refused": dict(self.refused), "rows": self.rows}
        facts |= {"seconds": round(self.seconds, 1), "faults": dict(self.faults), "met": sorted(self.met)}
        facts |= {"pauses": dict(self.pauses), "ways": dict(self.ways)}
        facts |= {"spent": {part: round(seconds, 1) for part, seconds in self.spent.items()}}
        return json.dumps(facts)


class Pause(NamedTuple):
    """An error that a subtask waits at for an operator."""

    code: str
    text: str
    source: str


def pause_of(statuses: Mapping[str, Any], also: Sequence[str] = ()) -> Pause | None:
    """The first one that there is; ``also``: codes that count although it is tried again by itself."""
    for source, status in statuses.items():
        errors = (status.get("result") or {}).get("errors") or []
        if status.get("stage") == "Paused" and errors:
            first = errors[0]
            text = f"{source}: {first['Message']} {first['RawCause']}"
            pause = Pause(code_of(str(first["ErrCode"]), text), text, source)
            if not status.get("nextTry") or pause.code in also:
                return pause
    return None


def code_of(code: str, text: str) -> str:
    """With the target's own number behind it, where the target refused the statement."""
    _, _, rest = text.partition("(error ")
    number = rest.partition(")")[0]
    return f"{code} {number}" if code == "36108" and number.isdigit() else code


def is_right(code: str, target: str) -> bool:
    """Whether a pause with the code is one that the documentation names."""
    return code.split()[0] in PAUSES | STATEMENTS or f"paused {code}" in LIMITS[target]


def progress(statuses: Mapping[str, Any]) -> str:
    """What changes as long as something gets on."""
    found = []
    for source, status in sorted(statuses.items()):
        sync = status.get("sync") or {}
        found += [source, status.get("stage"), status.get("unit"), sync.get("syncerBinlog"), sync.get("totalEvents")]
        found += [status.get("load"), status.get("dump"), sync.get("blockingDDLs")]
    return json.dumps(found, default=str)


def reasons(statuses: Mapping[str, Any]) -> str:
    """The codes of the errors that subtasks try again after."""
    errors = [error for status in statuses.values() for error in (status.get("result") or {}).get("errors") or []]
    return " ".join(sorted({str(error["ErrCode"]) for error in errors}))
