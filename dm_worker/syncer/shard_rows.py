"""Shard groups as rows of the target's meta table ``shard``, one per thing that was met, and back.  No I/O.

========  =====================================================================================
``kind``  ``document`` (JSON)
========  =====================================================================================
group     how many DDLs of the target this source has behind it, where it had the last one, and which tables were
          renamed since (seq 0)
held      a DDL, or the end, that a table met, in the order of seq
resync    rows of a table that are being read again
moved     a row whose unique value a row of another table has taken (see pkg/shardddl/moves.py)
main      where the stream goes on when all that is done (no target, seq 0)
========  =====================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.absences import BEGINNING
from pkg.shardddl.group import Group, Held, Renamed, Resync
from pkg.shardddl.meaning import meaning
from pkg.shardddl.moves import Move

Row = tuple[str, str, str, int, str]
"""target_schema, target_table, kind, seq, document."""
Statement = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class StoredShards:
    """What a source has stored of its shard groups."""

    resolved: Mapping[TableName, int] = field(default_factory=dict)  # by target
    held: Mapping[TableName, Sequence[Held]] = field(default_factory=dict)  # by target
    resyncs: tuple[Resync, ...] = ()
    main: Location | None = None  # while rows are being read again: where the stream goes on afterwards
    since: Mapping[TableName, Location] = field(default_factory=dict)  # by target: where the last DDL was resolved
    moves: Mapping[TableName, Sequence[Move]] = field(default_factory=dict)  # by target
    renamed: Mapping[TableName, Sequence[Renamed]] = field(default_factory=dict)  # by target

    @property
    def waits(self) -> bool:
        """Whether rows are held back, or are being read again."""
        return bool(self.held) or self.main is not None

    def needed(self) -> list[Location]:
        """Places from which the binlog must stay readable, beside the checkpoint's."""
        held = [one.location for ones in self.held.values() for one in ones]
        return held + [resync.start for resync in self.resyncs]


def read_rows(rows: Iterable[Row], flavor: str) -> StoredShards:
    """``flavor`` is that of the GTID sets."""
    resolved: dict[TableName, int] = {}
    held: dict[TableName, list[Held]] = {}
    resyncs: list[Resync] = []
    since: dict[TableName, Location] = {}
    moves: dict[TableName, list[Move]] = {}
    renamed: dict[TableName, list[Renamed]] = {}
    main = None
    for schema, table, kind, seq, text in sorted(rows, key=lambda row: row[3]):
        document, target = json.loads(text), TableName(schema, table)
        if kind == "group":
            resolved[target] = document["resolved"]
            if document.get("since"):
                since[target] = _location(document["since"], flavor)
            renamed[target] = [_renamed(one, flavor) for one in document.get("renamed", ())]
        elif kind == "held":
            held.setdefault(target, []).append(_held(seq, document, flavor))
        elif kind == "resync":
            resyncs.append(_resync(document, flavor))
        elif kind == "moved":
            moves.setdefault(target, []).append(_move(document))
        elif kind == "main":
            main = _location(document, flavor)
    return StoredShards(resolved, held, tuple(resyncs), main, since, moves, renamed)


class ShardStatements:
    """Statements that store a source's groups, for the transaction that stores its checkpoint."""

    def __init__(self, table: str, source_id: str) -> None:
        self._table = table
        self._source_id = source_id

    def change(self, before: Group, after: Group) -> Iterator[Statement]:
        """From one state of a group to the next."""
        old, new = (_by_seq(group) for group in (before, after))
        for seq in old.keys() - new.keys():
            yield self._delete(after.target, "held", seq)
        for seq, held in new.items():
            if old.get(seq) != held:
                yield self._replace(after.target, "held", seq, _held_document(held))
        if (before.resolved, before.renamed) != (after.resolved, after.renamed):
            since = _place(after.since) if after.since is not None else None
            renamed = [_renamed_document(one) for one in after.renamed]
            document = {"resolved": after.resolved, "since": since, **({"renamed": renamed} if renamed else {})}
            yield self._replace(after.target, "group", 0, document)

    def resync(self, resyncs: Iterable[Resync], main: Location) -> Iterator[Statement]:
        """These rows are read again before the stream goes on at ``main``."""
        yield self._replace(TableName("", ""), "main", 0, _place(main))
        for seq, resync in enumerate(resyncs):
            yield self.moved(seq, resync)

    def moved(self, seq: int, resync: Resync) -> Statement:
        """One of them, as it is now."""
        document = {
            "table": _pair(resync.table),
            "start": _place(resync.start),
            "end": _place(resync.end) if resync.end is not None else None,
            "structure": resync.structure.to_json(),
        }
        return self._replace(TableName("", ""), "resync", seq, document)

    def moved_rows(self, target: TableName, moves: Sequence[Move], known: int) -> Iterator[Statement]:
        """Further rows that have moved, beside those that are ``known``."""
        for seq, move in enumerate(moves, known):
            yield self._replace(target, "moved", seq, _move_document(move))

    def forget_moves(self, target: TableName) -> Statement:
        where = "source_id = %s AND target_schema = %s AND target_table = %s AND kind = 'moved'"
        return f"DELETE FROM {self._table} WHERE {where}", (self._source_id, target.schema, target.table)

    def end_of_resync(self) -> Iterator[Statement]:
        yield f"DELETE FROM {self._table} WHERE source_id = %s AND kind IN ('main', 'resync')", (self._source_id,)

    def _replace(self, target: TableName, kind: str, seq: int, document: Mapping[str, Any]) -> Statement:
        columns = "source_id, target_schema, target_table, kind, seq, document"
        values = (self._source_id, target.schema, target.table, kind, seq, json.dumps(document, ensure_ascii=False))
        return f"REPLACE INTO {self._table} ({columns}) VALUES (%s, %s, %s, %s, %s, %s)", values

    def _delete(self, target: TableName, kind: str, seq: int) -> Statement:
        where = "source_id = %s AND target_schema = %s AND target_table = %s AND kind = %s AND seq = %s"
        return f"DELETE FROM {self._table} WHERE {where}", (self._source_id, target.schema, target.table, kind, seq)


def _by_seq(group: Group) -> dict[int, Held]:
    return {held.seq: held for queue in group.all_queues for held in queue}


def _held_document(held: Held) -> dict[str, Any]:
    return {
        "table": _pair(held.table),
        "location": _place(held.location),
        "ddls": list(held.ddls),
        "before": held.before.to_json() if held.before else None,
        "after": held.after.to_json() if held.after else None,
        "event": held.event,
        "settings": held.settings,
        **({"given": list(held.given), "is_replaced": held.is_replaced} if held.given else {}),
        **({"became": _pair(held.became)} if held.became is not None else {}),
    }


def _held(seq: int, document: Mapping[str, Any], flavor: str) -> Held:
    ddls = tuple(document["ddls"])
    before, after = (Table.from_json(document[one]) if document[one] else None for one in ("before", "after"))
    return Held(
        seq,
        TableName(*document["table"]),
        _location(document["location"], flavor),
        ddls,
        before,
        after,
        document["event"],
        meaning(ddls, before, after),
        tuple(document.get("given", ())),
        document.get("is_replaced", False),
        document.get("settings", ""),
        TableName(*document["became"]) if "became" in document else None,
    )


def _resync(document: Mapping[str, Any], flavor: str) -> Resync:
    end = document["end"]
    return Resync(
        TableName(*document["table"]),
        _location(document["start"], flavor),
        _location(end, flavor) if end is not None else None,
        Table.from_json(document["structure"]),
    )


def _renamed_document(one: Renamed) -> dict[str, Any]:
    return {"old": _pair(one.old), "new": _pair(one.new), "location": _place(one.location)}


def _renamed(document: Mapping[str, Any], flavor: str) -> Renamed:
    old, new = (TableName(*document[one]) for one in ("old", "new"))
    return Renamed(old, new, _location(document["location"], flavor))


def _move_document(move: Move) -> dict[str, Any]:
    return {
        "table": _pair(move.table),
        "columns": [name.decode() for name in move.columns],
        "key": _texts(move.key),
        "until": [move.until[0].name, move.until[0].offset, move.until[1]],
        "taken": [move.taken[0].name, move.taken[0].offset, _texts(move.taken[1])],
        "was_there": move.was_there,
        "of_key": move.of_key,
        "since": [move.since[0].name, move.since[0].offset, move.since[1]],
    }


def _move(document: Mapping[str, Any]) -> Move:
    until, taken = document["until"], document["taken"]
    since = document.get("since")  # an older version has stored none
    return Move(
        TableName(*document["table"]),
        tuple(name.encode() for name in document["columns"]),
        _literals(document["key"]),
        (Position(until[0], until[1]), until[2]),
        (Position(taken[0], taken[1]), _literals(taken[2])),
        document["was_there"],
        document["of_key"],
        BEGINNING if since is None else (Position(since[0], since[1]), since[2]),
    )


def _texts(literals: Iterable[bytes]) -> list[str]:
    return [literal.decode("latin-1") for literal in literals]


def _literals(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("latin-1") for text in texts)


def _pair(table: TableName) -> list[str]:
    return [table.schema, table.table]


def _place(location: Location) -> dict[str, Any]:
    gtid = "" if location.gtid_set is None else str(location.gtid_set)
    return {"name": location.position.name, "offset": location.position.offset, "gtid": gtid}


def _location(document: Mapping[str, Any], flavor: str) -> Location:
    gtid = document["gtid"]
    return Location(Position(document["name"], document["offset"]), parse_gtid_set(gtid, flavor) if gtid else None)
