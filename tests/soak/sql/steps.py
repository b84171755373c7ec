"""The steps of a round, and the file in which a case is kept.  No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from tests.soak.sql.settings import Settings

SQL, FAULT, POINT, START, SETTLE, COMPARE = "sql", "fault", "point", "start", "settle", "compare"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a round does.

    sql: ``text`` on the connection ``at`` ("s1.2": the second one of source s1), a statement of this ``kind``.
    fault: the one of this ``kind`` (harm.py), at the source ``at``.
    point: the crash point ``kind`` is armed as ``text`` says ("@2=kill").
    start: the task begins; what stands before it is there already.
    settle: wait until all is applied.  compare: that, and compare.
    """

    what: str
    at: str = "-"
    kind: str = "-"
    text: str = ""

    @property
    def source(self) -> str:
        return self.at.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.what} {self.at} {self.kind} {self.text}".strip()


def parsed(line: str) -> Step:
    """The step that a line says."""
    return Step(*line.split(" ", 3))


def written(settings: Settings, steps: Sequence[Step], said: Iterable[str] = ()) -> str:
    """A case as a file: what was seen, as comments, the settings and a line for each step."""
    notes = "".join(f"# {line}\n" for text in said for line in text.splitlines())
    return f"{notes}{json.dumps(asdict(settings))}\n" + "".join(f"{step}\n" for step in steps)


def read(text: str) -> tuple[Settings, list[Step]]:
    """What ``written`` gave."""
    first, *lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return Settings(**json.loads(first)), [parsed(line) for line in lines]
