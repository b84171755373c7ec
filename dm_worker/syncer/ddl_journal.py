"""What a run has done of one DDL in the target, so that the next run does each statement of it once.

A DDL comes to one or several parts there: one for each table, in TiDB one for each clause.  Before the
statement of each part runs a document is stored, the first time together with the DDL's mark:

``done``         the parts that are over, with all that is written behind them
``part``         the one whose statement comes next
``fingerprint``  of its tables before that (fingerprint.py): where they are as they were, it did not run
``sql``          the statement, by which TiDB's job is found
``keys``, ``values``   what is written behind it, found out before it ran
``differed``     of its tables before it, what the target had otherwise (structure_check.py)
``notes``        what the log has said of the statements, which the target's tables are otherwise by

A part that the document does not name may have begun with what comes before its statement, which may be repeated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pkg.compare.structure import Differed
from pkg.crashpoints import crashpoint
from pkg.schema.fractions import Cut
from pkg.schema.statement import TableName

NEXT_DDL = "*"  # as the mark of a DDL: whichever comes next, after an upstream switch
_KEY_DIGITS = 16
Save = Callable[["Known", bool], None]
"""Stores the document; with True, together with the DDL's mark."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What is written behind a part's statement: statements that make keys again, and values of columns."""

    keys: tuple[str, ...] = ()
    values: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """A part whose statement may have run."""

    part: str
    fingerprint: str
    sql: str
    behind: Behind


@dataclass(frozen=True, slots=True)
class Known:
    """The stored document."""

    mark: str
    done: tuple[str, ...] = ()
    begun: Begun | None = None
    is_lost: bool = False  # an earlier version began the DDL, and stored none of this
    differed: Differed | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        document: dict[str, Any] = {"mark": self.mark, "done": self.done, "lost": self.is_lost, "notes": self.notes}
        if self.differed is not None:
            document["differed"] = [(name.schema, name.table, found) for name, found in self.differed.items()]
        if self.begun is not None:
            begun = self.begun
            document |= {
                "part": begun.part,
                "fingerprint": begun.fingerprint,
                "sql": begun.sql,
                "keys": begun.behind.keys,
                "values": [(one.column, one.value, one.where) for one in begun.behind.values],
            }
        return json.dumps(document, ensure_ascii=False)

    @classmethod
    def of(cls, text: str) -> Known:
        document = json.loads(text)
        known = cls(
            document["mark"],
            tuple(document["done"]),
            is_lost=document["lost"],
            differed=_differed(document["differed"]) if "differed" in document else None,
            notes=tuple(document.get("notes", ())),
        )
        if "part" not in document:
            return known
        behind = Behind(tuple(document["keys"]), tuple(Cut(*one) for one in document["values"]))
        return replace(known, begun=Begun(document["part"], document["fingerprint"], document["sql"], behind))


class DdlJournal:
    """Of one DDL.  Owned by the thread that reads the stream."""

    def __init__(self, mark: str = "", known: Known | None = None, save: Save | None = None) -> None:
        """``known``: what an earlier run stored of the same DDL; without ``save`` nothing is stored."""
        self._known = replace(known or Known(""), mark=mark)
        self._left = list(self._known.done)
        self._save = save
        self._is_marked = False
        self.is_stored, self.is_lost = save is not None, self._known.is_lost
        self.trusts_answers = known is None or known.is_lost
        """Whether, of parts that it does not name, only the target's answers tell what was done before."""

    @property
    def differed(self) -> Differed | None:
        """What the target had otherwise before the first run of the DDL; None where it is not known."""
        return self._known.differed

    @property
    def notes(self) -> tuple[str, ...]:
        return self._known.notes

    def remember(self, differed: Differed) -> None:
        """What the target has otherwise before the DDL; stored with the first part."""
        self._known = replace(self._known, differed=differed)

    def note(self, text: str) -> None:
        """What the log says of a part's statement, before it begins."""
        if text not in self._known.notes:
            self._known = replace(self._known, notes=(*self._known.notes, text))

    def prepare(self) -> None:
        """Store the mark, if it is not: what comes before a statement is about to run.  Raises DMError."""
        if not self._is_marked:
            self._store(self._known)

    def is_over(self, part: str) -> bool:
        """Whether an earlier run has done all of the next part of this text."""
        key = _key(part)
        if key not in self._left:
            return False
        self._left.remove(key)
        return True

    def begun(self, part: str) -> Begun | None:
        """What an earlier run stored before the part's statement."""
        begun = self._known.begun
        return begun if begun is not None and begun.part == _key(part) else None

    def begin(self, part: str, fingerprint: str, sql: str, behind: Behind) -> None:
        """Store what there is before the statement runs.  Raises DMError."""
        self._store(replace(self._known, begun=Begun(_key(part), fingerprint, sql, behind)))

    def refuse(self) -> None:
        """The target has refused the statement: whatever is changed there from now on is not its doing."""
        self._store(replace(self._known, begun=None))

    def end(self, part: str) -> None:
        """All of the part is done; stored with the next one."""
        self._known = replace(self._known, done=(*self._known.done, _key(part)), begun=None)

    def _store(self, known: Known) -> None:
        self._known = known
        if self._save is None:
            return
        self._save(known, not self._is_marked)
        if not self._is_marked:
            self._is_marked = True
            crashpoint("syncer.ddl_marked")


def _differed(listed: Sequence[Sequence[Any]]) -> Differed:
    return {TableName(schema, table): None if found is None else tuple(found) for schema, table, found in listed}


def _key(part: str) -> str:
    return hashlib.sha256(part.encode()).hexdigest()[:_KEY_DIGITS]


def document_of(rows: Sequence[Sequence[Any]], begun: str) -> Known | None:
    """From the meta table: of the DDL with the mark ``begun``, or NEXT_DDL; None if "", when no run has begun it."""
    if not begun:
        return None
    known = Known.of(str(rows[0][0])) if rows else None
    return known if known is not None and begun in (known.mark, NEXT_DDL) else Known(begun, is_lost=True)
