"""The file ``metadata`` of a dump: where it stands in the binary log, when it was made, names and counts.

Two forms are read.  mydumper up to 0.10 and Dumpling (this is what we write)::

    Started dump at: 2026-01-02 03:04:05
    SHOW MASTER STATUS:
            Log: mysql-bin.000007
            Pos: 154
            GTID:0-1-2

    SHOW MASTER STATUS: /* AFTER CONNECTION POOL ESTABLISHED */
            …
    Finished dump at: 2026-01-02 03:05:00

and mydumper's later one, with sections ``[master]`` or ``[source]`` and one for each table.  The second
status of the first form is where the dump ended, when no lock held the upstream still meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_END_MARK: Final = "AFTER CONNECTION POOL ESTABLISHED"
_SECTION = re.compile(r"\[(.+)\]")
_PAIR = re.compile(r"#?\s*(\w+)\s*=\s*(.*)")
_TABLE = re.compile(r"""[`"](?P<schema>.+?)[`"]\.[`"](?P<table>.+)[`"]""")
_STATUS = re.compile(r"SHOW (?P<whose>MASTER|SLAVE|BINARY LOG|REPLICA) STATUS:(?P<rest>.*)", re.IGNORECASE)
_TIME = re.compile(r"(?:#\s*)?(?P<what>Started|Finished) dump at: (?P<at>.*)", re.IGNORECASE)
_FILE: Final = frozenset(("file", "source_log_file", "log"))
_OFFSET: Final = frozenset(("position", "source_log_pos", "pos"))
_GTID: Final = frozenset(("executed_gtid_set", "gtid", "gtid_binlog_pos", "gtid_current_pos"))


class BadMetadata(ValueError):
    """The text is no metadata of a dump."""


@dataclass(frozen=True, slots=True)
class Place:
    """A location as a dump tells it; the set of GTIDs is text, for only its server says which kind it is."""

    file: str
    offset: int
    gtid: str = ""


@dataclass(slots=True)
class Metadata:
    """What the file says; ``start`` is None where the upstream had no binary log."""

    start: Place | None = None
    end: Place | None = None
    started_at: str = ""
    finished_at: str = ""
    real_names: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: dict[tuple[str, str], int] = field(default_factory=dict)


def print_metadata(metadata: Metadata) -> str:
    """The first form."""
    lines = [f"Started dump at: {metadata.started_at}"]
    if metadata.start is not None:
        lines += ["SHOW MASTER STATUS:", *_printed(metadata.start)]
    if metadata.end is not None:
        lines += [f"SHOW MASTER STATUS: /* {_END_MARK} */", *_printed(metadata.end)]
    return "\n".join([*lines, f"Finished dump at: {metadata.finished_at}", ""])


def _printed(place: Place) -> list[str]:
    return [f"\tLog: {place.file}", f"\tPos: {place.offset}", f"\tGTID:{place.gtid}", ""]


def parse_metadata(text: str) -> Metadata:
    """Either form; BadMetadata for anything else."""
    found = Metadata()
    if any(_SECTION.fullmatch(line.strip()) for line in text.splitlines()):
        _read_sections(text, found)
    else:
        _read_statuses(text, found)
    for line in text.splitlines():
        if time := _TIME.fullmatch(line.strip()):
            attribute = "started_at" if time["what"].lower() == "started" else "finished_at"
            setattr(found, attribute, time["at"].strip())
    if not (found.started_at or found.finished_at or found.start):
        raise BadMetadata("there is no `Started dump at` and no position of a binary log in it")
    return found


# -- the form with sections


def _read_sections(text: str, found: Metadata) -> None:
    for title, pairs in _sections(text):
        if title.lower() in ("master", "source"):
            found.start = _place(pairs)
        elif table := _TABLE.fullmatch(title):
            key = (table["schema"], table["table"])
            if name := pairs.get("real_table_name"):
                found.real_names[key] = name
            if pairs.get("rows", "").isdigit():
                found.rows[key[0], name or key[1]] = int(pairs["rows"])


def _sections(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    title, pairs, last = "", dict[str, str](), ""
    for line in text.splitlines():
        stripped = line.strip()
        if section := _SECTION.fullmatch(stripped):
            yield title, pairs
            title, pairs, last = section[1], {}, ""
        elif pair := _PAIR.fullmatch(stripped):
            last = pair[1].lower()
            pairs[last] = pair[2].strip().strip("\"'")
        elif last and pairs[last].endswith(",") and not stripped.startswith("#"):
            pairs[last] += stripped.strip("\"'")  # a set of GTIDs over several lines
    yield title, pairs


# -- the form with statuses


def _read_statuses(text: str, found: Metadata) -> None:
    for whose, rest, pairs in _statuses(text):
        if whose in ("SLAVE", "REPLICA"):
            continue
        if _END_MARK in rest:
            found.end = _place(pairs)
        elif found.start is None:
            found.start = _place(pairs)


def _statuses(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    head, pairs, last = ("", ""), dict[str, str](), ""
    for line in text.splitlines():
        stripped = line.strip()
        if status := _STATUS.fullmatch(stripped):
            yield *head, pairs
            head, pairs, last = (status["whose"].upper(), status["rest"]), {}, ""
        elif last and pairs[last].endswith(","):
            pairs[last] += stripped
        elif line[:1].isspace() and ":" in stripped:
            name, _, value = stripped.partition(":")
            last = name.strip().lower()
            pairs[last] = value.strip()
        else:
            last = ""
    yield *head, pairs


def _place(pairs: dict[str, str]) -> Place | None:
    file = _first(pairs, _FILE)
    offset = _first(pairs, _OFFSET)
    if not file:
        return None
    if not offset.isdigit():
        raise BadMetadata(f"the position {offset!r} in {file} is no number")
    return Place(file, int(offset), _first(pairs, _GTID))


def _first(pairs: dict[str, str], names: frozenset[str]) -> str:
    return next((value for name, value in pairs.items() if name in names and value), "")
