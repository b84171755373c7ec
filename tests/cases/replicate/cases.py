"""The cases of this folder's ``*.sql`` files.

A case begins with ``-- case: TITLE``.  Directives, each a line of its own, may follow: ``-- only: mariadb``
(or mysql) names the upstream's flavour, ``-- to: tidb`` the target's, or several; ``-- values only: WHY`` leaves the
structures uncompared.  Statements end with ``;`` at the end of a line and run upstream; a line says where those behind it run:

    -- before     upstream, before replication starts
    -- target     on the target: before replication starts, or, behind a pause, before it goes on
    -- upstream   upstream
    -- both       on either end when all is replicated, in a transaction that is rolled back: they do the same

``-- pauses: WORDS`` says that replication pauses at what came before, with an error that holds the words (parted
by `` … ``), and ``-- operator: skip`` (or ``replace SQL``) what an operator then decides for the statement; a case
that ends with a pause stays there.  The stream of a case that pauses stands while its statements run, and reads them behind.
``$DB`` stands for the case's own schema, ``$DB_x`` for a second one, ``$OUT`` for
one that the task leaves out, ``$FILE`` for loaded.csv; ``$BERLIN;`` gives a server that time zone.  ``/*fails*/`` before a statement says that the upstream refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.crossing import digest

BATCHES = 4  # of each pair: the first test of a batch replicates all its cases
FOLDER = Path(__file__).parent
BERLIN = (
    "DELETE FROM mysql.time_zone_name WHERE Name = 'Europe/Berlin'",
    "INSERT IGNORE INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (9001, 'N')",
    "INSERT IGNORE INTO mysql.time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES (9001, 0, 3600, 0, 'CET'), (9001, 1, 7200, 1, 'CEST')",
    "INSERT IGNORE INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES (9001, 1585443600, 1), (9001, 1603587600, 0)",
    "INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Europe/Berlin', 9001)",
)
"""The zone Europe/Berlin as it was in 2020, for a server of MySQL or MariaDB."""
_DIRECTIVE = re.compile(r"-- (only|to|values only|pauses|operator): (.+)")
_PLACE = re.compile(r"-- (before|target|upstream|both)")


@dataclass(frozen=True)
class Step:
    """Statements for one place; or a pause (``words``) or an operator's decision, whose text is in ``what``."""

    place: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    number: int
    file: str
    title: str
    only: str
    to: tuple[str, ...]
    values_only: bool
    steps: tuple[Step, ...]

    @property
    def id(self) -> str:
        return f"{self.file}-{re.sub(r'[^a-z0-9]+', '_', self.title.lower()).strip('_')}"

    @property
    def batch(self) -> int:
        """Of those that are replicated together; adding another case does not change it."""
        return digest(self.id) % BATCHES

    @property
    def pauses(self) -> bool:
        return any(step.place == "pauses" for step in self.steps)

    @property
    def target_differs(self) -> bool:
        """Whether the target's structures are its own."""
        return not self.pauses and any(step.place == "target" for step in self.steps)

    def runs(self, upstream: str, target: str) -> bool:
        return self.only in ("", upstream) and (not self.to or target in self.to)

    def asks_for(self, upstream: str, target: str) -> bool:
        """Whether both ends are named."""
        return self.only == upstream and target in self.to


def load_cases() -> list[Case]:
    found = [(path.stem, block) for path in sorted(FOLDER.glob("*.sql")) for block in _blocks(path)]
    return [_case(number, file, block) for number, (file, block) in enumerate(found)]


def _blocks(path: Path) -> list[str]:
    return re.split(r"^-- case: ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def _case(number: int, file: str, block: str) -> Case:
    title, _, body = block.partition("\n")
    steps: list[Step] = []
    said: dict[str, str] = {}
    for place, text in _sections(body):
        if place in ("only", "to", "values only"):
            said[place] = text
        elif place in ("pauses", "operator"):
            steps.append(Step(place, (text,)))
        elif statements := _statements(text):
            steps.append(Step(place, statements))
    return Case(
        number,
        file,
        title,
        said.get("only", ""),
        tuple(said.get("to", "").split()),
        "values only" in said,
        tuple(steps),
    )


def _statements(text: str) -> tuple[str, ...]:
    parts = (part.strip(" \t\n") for part in re.split(r";$", text, flags=re.MULTILINE))  # U+3000 is part of a name
    return tuple(one for part in parts if part for one in (BERLIN if part == "$BERLIN" else (part,)))


def _sections(body: str) -> Iterator[tuple[str, str]]:
    place, lines = "upstream", list[str]()
    for line in body.split("\n"):
        moved, said = _PLACE.fullmatch(line), _DIRECTIVE.fullmatch(line)
        if moved is None and said is None:
            lines.append(line)
            continue
        yield place, "\n".join(lines)
        lines = []
        if said is not None:
            yield said[1], said[2]
            place = "upstream"
        elif moved is not None:
            place = moved[1]
    yield place, "\n".join(lines)
