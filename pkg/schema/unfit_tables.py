"""Tables of the target that keep no rows as they are written: by their engine, or by a trigger.

A transaction that is undone, or applied again, leaves its rows in a table without transactions: they are there twice.
The target's triggers run for every row that is written, and no session can have it otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pkg.schema.letter_case import small
from pkg.schema.lexer import tokenize

_WITH_TRANSACTIONS = frozenset({"", "INNODB", "ROCKSDB", "TOKUDB", "NDB", "NDBCLUSTER"})


@dataclass(frozen=True, slots=True)
class Trigger:
    """``timing``: BEFORE or AFTER; ``event``: INSERT, UPDATE or DELETE; ``body``: its statement."""

    name: str
    timing: str
    event: str
    body: str

    def __str__(self) -> str:
        return f"{self.name} ({self.timing} {self.event})"


def unfit_reason(engine: str, triggers: Sequence[Trigger], carried: Collection[str]) -> str:
    """Why a table does not keep rows whose columns ``carried`` are written to it; "" where it does."""
    if engine.upper() not in _WITH_TRANSACTIONS:
        return f"its engine {engine} has no transactions, so that rows of one that is tried again are there twice"
    names = {small(name) for name in carried}
    found = [one for one in triggers if not names.isdisjoint(_assigned(one))]
    return f"its trigger {', '.join(map(str, found))} sets columns that are written" if found else ""


def _assigned(trigger: Trigger) -> Iterator[str]:
    """Columns, in lower case, to which the trigger may give a value: SET NEW.a = …, NEW.b = …; INTO NEW.a, NEW.b.

    CALL may give one to each column that it is called with.
    """
    tokens = tokenize(trigger.body) if trigger.timing == "BEFORE" else []
    is_any = any(token.key in ("CALL", "DIAGNOSTICS") for token in tokens)
    is_into = False
    for before, new, dot, column, behind in zip(tokens, tokens[1:], tokens[2:], tokens[3:], tokens[4:], strict=False):
        is_into = before.key == "INTO" or (is_into and (before.is_name or before.key in (".", ",", "@")))
        is_set = before.key == "SET" or (before.key == "," and (is_into or behind.key in ("=", ":=")))
        if new.key == "NEW" and dot.key == "." and (is_any or is_set or before.key == "INTO"):
            yield small(column.value)
