"""Binlog event filters that are valid and hardly what was meant: warnings."""

from __future__ import annotations

from typing import Any

from pkg.rules.event_types import ALTER_TABLE, INCOMPATIBLE_WORD, NEVER_SEEN
from pkg.task.problems import Path
from pkg.task.reading import Reader


def check_event_filter(rule: dict[str, Any], base: Path, reader: Reader) -> None:
    """Warn of a rule without effect, of one that leaves out all, and of words that mean less than they seem to."""
    if reader.has_problem(base):
        return
    events = rule.get("events")
    words = [str(word).lower() for word in events] if isinstance(events, list) else []
    if not words and rule.get("action") == "Do":
        reader.warn(base, "it leaves out every change of its tables: `Do` and no `events`", show=False)
    elif not words and not rule.get("sql-pattern"):
        reader.warn(base, "it has no effect: it has neither `events` nor `sql-pattern`", show=False)
    for number, word in enumerate(words):
        _check_word(word, words, (*base, "events", number), reader)


def _check_word(word: str, words: list[str], path: Path, reader: Reader) -> None:
    if word in NEVER_SEEN:
        reader.warn(path, "no statement that is replicated from MySQL or MariaDB is of this type")
    elif word == ALTER_TABLE and not {INCOMPATIBLE_WORD, "all", "all ddl"} & set(words):
        reader.warn(
            path,
            "as in DM it means those clauses of ALTER TABLE that lose no data (ADD COLUMN, a wider type …); "
            f"`{INCOMPATIBLE_WORD}` has the others (DROP COLUMN, RENAME …)",
        )
