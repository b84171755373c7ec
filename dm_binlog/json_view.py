"""--json: one object a line; rows carry their place and transaction, so that each line stands by itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, TextIO

from dm_binlog.items import Ended, Group, Head, Image, Item, Original, Placed, Rows, Statement, Step, Unreadable
from dm_binlog.layouts import Layout
from dm_binlog.raw_view import summary
from dm_binlog.values import as_json

Object = dict[str, Any]


def write_json(stream: TextIO, value: Object) -> None:
    stream.write(json.dumps(value, ensure_ascii=False) + "\n")


class JsonView:
    """Objects of type file, insert, update, delete, statement, query, unreadable, and commit, rollback or prepare."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, step: Step) -> None:
        match step:
            case Placed(item, group):
                self._event(item, group)
            case Ended(group) if group.outcome != "statement":
                write_json(self._stream, _ending(group))

    def end_file(self) -> None:
        """Nothing is open."""

    def _event(self, item: Item, group: Group | None) -> None:
        match item.meaning:
            case Head(version, checksum, is_in_use):
                self._write("file", item, None, {"server": version, "checksum": checksum, "in_use": is_in_use})
            case Rows() as rows:
                self._rows(item, rows, group)
            case Statement(schema, sql, note):
                self._write("statement", item, group, {"schema": schema, "sql": sql, "note": note})
            case Original(sql):
                self._write("query", item, group, {"sql": sql})
            case Unreadable(table, kind, reason):
                self._write("unreadable", item, group, {"table": table, "kind": kind, "reason": reason})

    def _rows(self, item: Item, rows: Rows, group: Group | None) -> None:
        table = {"table": rows.layout.full_name}
        if rows.kind == "update":
            for before, after in zip(rows.images[::2], rows.images[1::2], strict=True):
                images = {"before": _row(rows.layout, before), "after": _row(rows.layout, after)}
                self._write("update", item, group, table | images)
            return
        name = "after" if rows.kind == "insert" else "before"
        for image in rows.images:
            self._write(rows.kind, item, group, table | {name: _row(rows.layout, image)})

    def _write(self, kind: str, item: Item, group: Group | None, content: Object) -> None:
        write_json(self._stream, {"type": kind, **place_of(item), **_transaction(group), **content})


class RawJsonView:
    """--raw-events --json: an object for each event as it lies in the file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, step: Step) -> None:
        if isinstance(step, Placed):
            frame = step.item.frame
            event = {"event": frame.name, "code": frame.code, "flags": frame.flags, "end_log_pos": frame.end_log_pos}
            content = {"inside": frame.inner, "what": summary(step.item.meaning)}
            write_json(self._stream, {"type": "event", **place_of(step.item), **event, **content})

    def end_file(self) -> None:
        """Nothing is open."""


def place_of(item: Item) -> Object:
    frame = item.frame
    return {
        "file": frame.file,
        "position": frame.start,
        "size": frame.size,
        "time": iso(frame.timestamp),
        "server_id": frame.server_id,
    }


def iso(seconds: int) -> str | None:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}" if seconds else None


def _transaction(group: Group | None) -> Object:
    return {} if group is None else {"gtid": group.gtid, "transaction": group.start}


def _ending(group: Group) -> Object:
    place = {"file": group.file, "position": group.start, "end": group.end, "size": group.size}
    facts = {"time": iso(group.timestamp), "seconds": group.seconds, "rows": group.rows, "text": group.ending}
    return {"type": group.outcome or "unfinished", **place, "gtid": group.gtid, **facts}


def _row(layout: Layout, image: Image) -> Object:
    """Columns that were not logged are left out."""
    return {
        name: as_json(literal, plan)
        for name, plan, literal in zip(layout.names, layout.plans, image, strict=True)
        if literal is not None
    }
