"""How a chunk's rows are written, and what is tried next when that way met something.

Pure.  LOAD DATA is twice as fast as statements, but it says of a row only that it is there already or that
a value does not fit.  So what it met decides: rows that are there are replaced by a second LOAD DATA, or
left where the task says so; anything else goes row by statement, which succeeds or names the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dm_worker.loader.streamed import Duplicates
from pkg.errors import DMError


@dataclass(frozen=True, slots=True)
class Way:
    """One of the ways; ``names_rows``: an error is looked into until it can name rows."""

    is_stream: bool
    verb: str = "INSERT"  # or "REPLACE" or "INSERT IGNORE": of a statement
    names_rows: bool = False

    def __str__(self) -> str:
        return f"LOAD DATA {self.duplicates}".strip() if self.is_stream else self.verb

    @property
    def duplicates(self) -> Duplicates:
        return "REPLACE" if self.verb == "REPLACE" else ""


class Met(Enum):
    """What a way can meet."""

    DUPLICATES = "rows that are there already"
    OF_OTHERS = "rows that are there already, of tables that are merged into one, which give way"
    MISFITS = "something else that LOAD DATA warned of or refused"
    NO_STREAM = "a server that takes no LOAD DATA LOCAL"
    DIFFERENCES = "rows that are not what was read"


class Otherwise(Exception):
    """Nothing of the chunk is written; another way may do."""

    def __init__(self, met: Met, text: str = "", error: DMError | None = None) -> None:
        super().__init__(met, text)
        self.met = met
        self.text = text
        self.error = error  # what it is where no other way is left


def first_way(on_duplicate: str, *, streams: bool) -> Way:
    return Way(True) if streams else Way(False, _verb(on_duplicate))


def next_way(way: Way, met: Met, on_duplicate: str) -> Way | None:
    """None: what was met is the end of it."""
    if met is Met.OF_OTHERS or (met is Met.DUPLICATES and on_duplicate == "replace"):
        return None if way.verb == "REPLACE" else Way(way.is_stream, "REPLACE", way.names_rows)
    if way.names_rows:
        return None
    return Way(False, _verb(on_duplicate), names_rows=met is not Met.NO_STREAM)


def _verb(on_duplicate: str) -> str:
    return "INSERT IGNORE" if on_duplicate == "ignore" else "INSERT"
