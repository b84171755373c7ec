"""The meaning of each event, as far as it needs no memory of those before it."""

from __future__ import annotations

from dm_binlog.frames import Frame
from dm_binlog.items import Begin, Ending, Gtid, Meaning, Original, Remark, Rotate, Statement
from pkg.binlog.event_bodies import parse_gtid_set, parse_mariadb_gtid_list, parse_tagged_gtid, uncompress, uuid_text
from pkg.binlog.query_event import parse_query

_COMPRESSED_QUERY = 165
_NOTES = {
    3: "the server stopped",
    26: "the server lost events here: replicas must be built anew",
    37: "group replication: the members changed",
    36: "group replication: a transaction's context",
}
_LOADS = {17: "the beginning of a file of LOAD DATA", 18: "LOAD DATA, logged as a statement", 9: "a block of LOAD DATA"}


def meaning_of(frame: Frame) -> Meaning:
    """Of any event but table maps, rows, and compressed transactions.  Raises ValueError or IndexError."""
    code, body = frame.code, frame.body
    match code:
        case 2 | 165:
            return _query(frame)
        case 16:
            return Ending("commit", f"xid {int.from_bytes(body[:8], 'little')}")
        case 33 | 34 | 42 | 162:
            return _gtid(frame)
        case 38:
            return Ending("commit" if body[0] else "prepare", _xid(body))
        case 4:
            place = int.from_bytes(body[:8], "little")
            return Rotate(f"goes on in {body[8:].decode('utf-8', 'replace')}" + (f" at {place}" if place != 4 else ""))
        case 3:
            return Rotate("the server stopped")
        case 29 | 160:
            return Original(body[1 if code == 29 else 0 :].decode("utf-8", "replace"))
        case 35:
            return Remark(f"GTIDs of the files before: {parse_gtid_set(body) or 'none'}")
        case 163:
            return Remark(f"GTIDs of the files before: {parse_mariadb_gtid_list(body) or 'none'}")
        case 161:
            return Remark(f"crash recovery starts in {body[4:].decode('utf-8', 'replace')}")
        case 5 | 13 | 14:
            return Remark(_variable(code, body), in_transaction=True)
    return Remark(_NOTES.get(code) or _LOADS.get(code, ""), in_transaction=code in _LOADS)


def _query(frame: Frame) -> Meaning:
    body = frame.body
    text_at = 13 + int.from_bytes(body[11:13], "little") + body[8] + 1
    text = body[text_at:]
    if frame.code == _COMPRESSED_QUERY:
        text = uncompress(text)
    if text_at > len(body):
        raise ValueError("the event is cut off")
    query = parse_query(body[:text_at], text)
    word = query.sql.upper()
    if word == "BEGIN" or word.startswith(("XA START", "XA BEGIN")):
        return Begin(query.sql)
    if word == "COMMIT":
        return Ending("commit", "")
    if word == "ROLLBACK":
        return Ending("rollback", "")
    notes = [] if query.takes_effect else ["does not take effect yet: an ALTER that began or failed"]
    if query.error_code:
        notes.append(f"it ended with error {query.error_code}")
    ends = word.startswith(("XA COMMIT", "XA ROLLBACK"))
    return Statement(query.schema, query.sql, "; ".join(notes), ends)


def _gtid(frame: Frame) -> Gtid:
    body = frame.body
    if frame.code == 162:
        flags = body[12]
        text = f"{int.from_bytes(body[8:12], 'little')}-{frame.server_id}-{int.from_bytes(body[:8], 'little')}"
        return Gtid(text, standalone=bool(flags & 1), has_begun=not flags & 1)
    if frame.code == 42:
        return Gtid(parse_tagged_gtid(body)[0], standalone=False, has_begun=False)
    if frame.code == 34:
        return Gtid(None, standalone=False, has_begun=False)
    text = f"{uuid_text(body[1:17])}:{int.from_bytes(body[17:25], 'little')}"
    return Gtid(text, standalone=False, has_begun=False)


def _xid(body: bytes) -> str:
    """Of XA PREPARE: whether in one phase, format, two lengths, and the data."""
    first, second = int.from_bytes(body[5:9], "little"), int.from_bytes(body[9:13], "little")
    data = body[13 : 13 + first + second]
    parts = [data[:first], data[first:]] if second else [data]
    return "XA " + ",".join(repr(part.decode("utf-8", "backslashreplace")) for part in parts)


def _variable(code: int, body: bytes) -> str:
    if code == 5:
        name = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}.get(body[0], f"variable {body[0]}")
        return f"SET {name} = {int.from_bytes(body[1:9], 'little')}"
    if code == 13:
        first, second = int.from_bytes(body[:8], "little"), int.from_bytes(body[8:16], "little")
        return f"SET RAND_SEED1 = {first}, RAND_SEED2 = {second}"
    size = int.from_bytes(body[:4], "little")
    return f"SET @{body[4 : 4 + size].decode('utf-8', 'replace')} = …"
