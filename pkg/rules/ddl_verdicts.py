"""What the event filter says of each part of a DDL, and what of the statement remains."""

from __future__ import annotations

from dataclasses import dataclass

from pkg.rules.ddl_events import Part, parts_of
from pkg.rules.event_filter import PASSES, EventFilter, Verdict
from pkg.schema.context import DdlContext
from pkg.schema.cut_alter import cut_alter
from pkg.schema.statement import Ddl
from pkg.schema.table import Table


class Uncuttable(ValueError):
    """A part is left out, and the text cannot be cut there."""


@dataclass(frozen=True, slots=True)
class Judged:
    part: Part
    verdict: Verdict


def judged(piece: Ddl, before: Table | None, context: DdlContext, events: EventFilter, sql: str) -> tuple[Judged, ...]:
    """The verdict on each part of a statement about one table; ``sql`` is the text as it was written upstream."""
    return tuple(Judged(part, _verdict(part, events, sql)) for part in parts_of(piece, before, context))


def _verdict(part: Part, events: EventFilter, sql: str) -> Verdict:
    """Of several tables (a rename has two names) the first that does not let it pass."""
    verdicts = (events.ddl(name.schema, name.table, part.event, sql) for name in part.tables)
    return next((verdict for verdict in verdicts if not verdict.passes), PASSES)


def remaining(piece: Ddl, parts: tuple[Judged, ...], flavor: str) -> Ddl | None:
    """The statement with the parts that pass; None when none does.  Raises Uncuttable."""
    gone = [one.part.clause for one in parts if not one.verdict.passes]
    if not gone:
        return piece
    if len(gone) == len(parts):
        return None
    cut = cut_alter(piece, lambda clause: all(clause is not one for one in gone), flavor)
    if cut is None:
        raise Uncuttable(piece.text)
    return cut
