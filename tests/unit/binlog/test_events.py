"""Events one by one: places, what is passed over, what is refused and how."""

from __future__ import annotations

import struct

import pytest
import zstandard

from pkg.binlog.events import (
    HeartbeatEvent,
    QueryEvent,
    RollbackEvent,
    RotateEvent,
    RowsEvent,
    SavepointEvent,
    XaEndEvent,
    XaPrepareEvent,
    XidEvent,
)
from pkg.errors import DMError
from tests.golden.made_events import (
    ONE_ROW,
    ROTATE,
    UPDATE_ROWS,
    XID,
    events_of,
    made,
    packets,
    query,
    reader,
    rows,
    table_map,
)


def rotate(name: bytes, offset: int) -> bytes:
    return made(ROTATE, struct.pack("<Q", offset) + name)


def test_places_behind_4_gib_are_followed() -> None:
    near = (1 << 32) - 100
    first, second = events_of(rotate(b"big.000002", near), made(XID, bytes(8), end=50))
    assert isinstance(first, RotateEvent)
    assert (first.file_name, first.offset) == ("big.000002", near)
    assert isinstance(second, XidEvent)
    assert second.end == (1 << 32) + 50


def test_a_heartbeat_of_the_second_version_has_a_64_bit_place() -> None:
    body = b"\x01\x03abc" + b"\x02\x09\xfe" + struct.pack("<Q", 5 << 32) + b"\0"
    [event] = events_of(made(41, body))
    assert isinstance(event, HeartbeatEvent)
    assert event.end == 5 << 32


def test_begin_is_passed_over_and_commit_is_a_commit() -> None:
    statements = [b"BEGIN", b"SAVEPOINT `a`", b"COMMIT", b"BEGIN", b"ROLLBACK", b"XA START X'61',X'',1"]
    assert [type(event) for event in events_of(*map(query, statements))] == [SavepointEvent, XidEvent, XidEvent]


XID_ONE = "X'6131',X'62',7"


def xa_prepare(one_phase: bool) -> bytes:
    return made(38, struct.pack("<?III", one_phase, 7, 2, 1) + b"a1b")


def test_a_distributed_transaction_is_prepared_and_later_decided() -> None:
    name = XID_ONE.encode()
    start = [query(b"XA START " + name), table_map(), rows(ONE_ROW), query(b"XA END " + name)]
    _, prepared, committed, rolled_back = events_of(
        *start, xa_prepare(False), query(b"XA COMMIT " + name), query(b"XA ROLLBACK " + name)
    )
    assert isinstance(prepared, XaPrepareEvent)
    assert prepared.xid == XID_ONE
    assert isinstance(committed, XaEndEvent)
    assert isinstance(rolled_back, XaEndEvent)
    assert (committed.xid, committed.is_commit) == (XID_ONE, True)
    assert (rolled_back.xid, rolled_back.is_commit) == (XID_ONE, False)
    [_, commit] = events_of(*start, xa_prepare(True))
    assert isinstance(commit, XidEvent)


@pytest.mark.parametrize("body", [b"", b"\0abc", struct.pack("<?III", False, 1, 9, 0) + b"short", b"\0" + b"\xff" * 12])
def test_a_damaged_xa_prepare_is_damage(body: bytes) -> None:
    with pytest.raises(DMError, match=r"damaged at made.000001:\d+, XA_PREPARE"):
        events_of(made(38, body))


def test_rows_that_are_rolled_back() -> None:
    start = [query(b"BEGIN"), table_map(), rows(ONE_ROW)]
    _, savepoint, _, back = events_of(*start, query(b"SAVEPOINT `a``B`"), rows(ONE_ROW), query(b"ROLLBACK TO `A``b`"))
    assert isinstance(savepoint, SavepointEvent)
    assert isinstance(back, RollbackEvent)
    assert (savepoint.name, back.savepoint) == ("a`B", "A`b")
    _, whole, _, commit = events_of(*start, query(b"ROLLBACK"), query(b"BEGIN"), rows(ONE_ROW), query(b"COMMIT"))
    assert isinstance(whole, RollbackEvent)
    assert whole.savepoint is None
    assert isinstance(commit, XidEvent)


@pytest.mark.parametrize(
    ("written", "name"), [(b'"p1"', "p1"), (b'"a""`b"', 'a"`b'), (b"p1", "p1"), (b"``", ""), ("`é`".encode(), "é")]
)
def test_a_savepoint_has_the_quotes_of_its_session(written: bytes, name: str) -> None:
    begin = [query(b"BEGIN"), query(b"SAVEPOINT " + written), table_map(), rows(ONE_ROW)]
    savepoint, _, back = events_of(*begin, query(b"ROLLBACK TO " + written))
    assert isinstance(savepoint, SavepointEvent)
    assert isinstance(back, RollbackEvent)
    assert savepoint.name == back.savepoint == name


def test_a_statement_is_read_in_the_character_set_of_its_session() -> None:
    latin1 = b"\x04" + struct.pack("<HHH", 8, 8, 8)
    [event] = events_of(query(b"ALTER TABLE t COMMENT '\xe4\x80'", latin1 + b"\x01" + struct.pack("<Q", 3)))
    assert isinstance(event, QueryEvent)
    assert event.sql == "ALTER TABLE t COMMENT 'ä€'"
    assert (event.status.sql_mode, event.status.client_collation, event.thread_id) == (3, 8, 5)


@pytest.mark.parametrize(
    ("collation", "text", "read"),
    [
        (45, b"DROP TABLE t /* \xe4\\' */, u", "DROP TABLE t          , u"),
        (45, b"DROP TABLE t -- \xe4 `\n, u # \xff", "DROP TABLE t       \n, u    "),
        (28, b"DROP TABLE t /* \xe4*/, u", "DROP TABLE t       , u"),  # gbk
        (13, b"DROP TABLE `\x95\x5c` /* \xfd\xff*/", "DROP TABLE `\u8868`        "),  # sjis
        (11, b"DROP TABLE t /* \xe4 */", "DROP TABLE t        "),  # ascii
        (45, b"DROP TABLE t /* \xc3\xa4 */", "DROP TABLE t /* ä */"),
    ],
)
def test_bytes_that_are_no_text_are_passed_over_in_comments(collation: int, text: bytes, read: str) -> None:
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", collation, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert event.sql == read


@pytest.mark.parametrize(
    ("collation", "text", "read"),
    [
        (45, b"SELECT _koi8r  '\xd4\xc5'", "SELECT _koi8r   0xd4c5"),
        (45, b"SELECT _koi8r'te', _utf8mb4'\xc3\xa4'", "SELECT _koi8r'te', _utf8mb4'\u00e4'"),
        (45, b"SELECT _latin1'\xc3\xa4'", "SELECT _latin1 0xc3a4"),
        (8, b"SELECT _utf8mb4'\\'\xc3\xa4\\n', '\xe4'", "SELECT _utf8mb4 0x27c3a40a, '\u00e4'"),
        (8, b'SELECT _utf8mb4 "\xc3\xa4""" ', "SELECT _utf8mb4  0xc3a422 "),
        (13, b"SELECT _ujis'\x95\x5c'", "SELECT _ujis 0x955c"),  # sjis, whose second byte is a backslash
        (8, b"SELECT _utf8'a' '\xc3\xa4' 'b', '\xe4'", "SELECT _utf8 0x61c3a462, '\u00e4'"),
        (8, b"SELECT N'\xc3\xa4', n'a' '\xc3\xa4', N'b'", "SELECT N'\u00e4', N'a\u00e4', N'b'"),
        (8, b"SELECT N'\xe4', n'a\\'\xc3\xa4'", "SELECT _utf8 0xe4, N'a''\u00e4'"),
        (8, b"SELECT 1 AS N '\xe4', 'n' '\xe4'", "SELECT 1 AS N '\u00e4', 'n' '\u00e4'"),
        (45, b"SELECT N'\xc3\xa4'", "SELECT N'\u00e4'"),
        (
            45,
            b"CREATE VIEW v AS SELECT 'a\\n\xe4' AS x, '\xc3\xa4'",
            "CREATE VIEW v AS SELECT  0x610ae4 AS x, '\u00e4'",
        ),
    ],
)
def test_a_text_behind_an_introducer_keeps_its_bytes(collation: int, text: bytes, read: str) -> None:
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", collation, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert event.sql == read


@pytest.mark.parametrize(
    ("collation", "text", "read"),
    [
        (13, b"SELECT 'a\x81\x5fb', '\x81\x5f'", "SELECT 'a\\\\b', '\\\\'"),
        (
            13,
            b"SELECT 'a\x81\x5f\\n''\x95\x5c' FROM `\x81\x5f` -- \x81\x5f",
            "SELECT 'a\\\\\n''\u8868' FROM `\\` -- \u0100",
        ),
        (12, b"SELECT 'a\xa1\xc0b'", "SELECT 'a\\\\b'"),
        (
            32,
            b"ALTER TABLE t COMMENT='a\xff, drop column v, comment=\xffb'",
            "ALTER TABLE t COMMENT='a'', drop column v, comment=''b'",
        ),
        (32, b"SELECT \"\xff\xab\xff\" '\xb2'", "SELECT ''',''' '\u0531'"),
        (
            10,
            b"SELECT '[\\'\\\\]~' FROM `t{` WHERE a = @b",
            "SELECT '\u00c4''\u00d6\u00c5\u00fc' FROM `t\u00e4` WHERE a = @b",
        ),
    ],
)
def test_a_text_is_split_as_the_server_splits_its_bytes(collation: int, text: bytes, read: str) -> None:
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", collation, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert (event.sql, event.is_text) == (read, True)


@pytest.mark.parametrize(
    ("collation", "text", "read"),
    [
        (45, b"DROP TABLE `\xe4`", "DROP TABLE `?`"),
        (45, b"ALTER TABLE t COMMENT '/* \xe4 */'", "ALTER TABLE t COMMENT '/* ? */'"),
        (45, b"CREATE TEMPORARY TABLE t (a INT COMMENT '\xe4')", "CREATE TEMPORARY TABLE t (a INT COMMENT '?')"),
        (10, b"SELECT '[\\'\\\\]' FROM `t` WHERE `\xc4`[", "SELECT '\u00c4''\u00d6\u00c5' FROM `t` WHERE `?`["),
        (32, b"SELECT a\xff", "SELECT a\u0100"),
    ],
)
def test_bytes_that_are_no_text_are_told_of(collation: int, text: bytes, read: str) -> None:
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", collation, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert (event.sql, event.is_text) == (read, False)


def test_a_large_statement_of_rows_is_not_looked_at_byte_by_byte() -> None:
    text = b"INSERT INTO t VALUES " + b", ".join([b"(_binary'\xe4')"] * 100_000)
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", 45, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert (event.sql.count("?"), event.is_text) == (100_000, False)
    [event] = events_of(query(text[:700_000] + b"'" * 2, b"\x04" + struct.pack("<HHH", 45, 45, 45)))
    assert isinstance(event, QueryEvent)
    assert event.is_text


def test_bytes_that_are_neither_text_nor_sql_are_damage() -> None:
    with pytest.raises(DMError, match="a statement is no text in utf8mb4"):
        events_of(query(b"DROP TABLE t /* \xe4", b"\x04" + struct.pack("<HHH", 45, 45, 45)))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (b"CREATE USER 'pl\xfcg'", "CREATE USER 'pl?g'"),
        (b"/* x */ grant SELECT ON a.* TO '\xc3\xbc'", "/* x */ grant SELECT ON a.* TO '??'"),
        (b"CREATE DEFINER=`r`@`%` PROCEDURE p() SELECT '\xe4'", "CREATE DEFINER=`r`@`%` PROCEDURE p() SELECT '?'"),
        (b"CREATE OR REPLACE EVENT e ON SCHEDULE EVERY 1 DAY COMMENT '\xe4' DO SELECT 1", None),
    ],
)
def test_bytes_that_are_no_text_are_passed_over_where_nothing_is_replicated(text: bytes, read: str | None) -> None:
    [event] = events_of(query(text, b"\x04" + struct.pack("<HHH", 11, 11, 11)))
    assert isinstance(event, QueryEvent)
    assert event.sql == (read or text.decode("latin1").replace("\xe4", "?"))


def test_a_ddl_that_changed_the_dictionary_has_the_number_of_its_transaction() -> None:
    [with_xid] = events_of(query(b"CREATE TABLE t (a INT)", b"\x11" + struct.pack("<Q", 7)))
    [without] = events_of(query(b"CREATE TABLE IF NOT EXISTS t (a INT)", b"\x01" + struct.pack("<Q", 3)))
    assert isinstance(with_xid, QueryEvent)
    assert isinstance(without, QueryEvent)
    assert (with_xid.status.has_xid, without.status.has_xid) == (True, False)


def test_a_status_variable_of_a_newer_server_ends_the_reading_of_them() -> None:
    [event] = events_of(query(b"DROP TABLE t", b"\x01" + struct.pack("<Q", 3) + b"\xf0\x01"))
    assert isinstance(event, QueryEvent)
    assert event.status.sql_mode == 3


def test_unknown_events_stop_with_their_number_unless_they_may_be_ignored() -> None:
    assert events_of(made(99, b"x", flags=0x80)) == []
    with pytest.raises(DMError, match="unknown type 99"):
        events_of(made(99, b"x"))


def test_an_incident_says_once_to_start_anew() -> None:
    with pytest.raises(DMError) as caught:
        events_of(made(26, b"\1\0\0"))
    assert caught.value.workaround.count("start the task") == 1
    assert "--remove-meta" in caught.value.workaround


@pytest.mark.parametrize(("code", "name"), [(26, "INCIDENT"), (164, "START_ENCRYPTION")])
def test_events_that_cannot_be_replicated_are_refused_by_name(code: int, name: str) -> None:
    with pytest.raises(DMError, match=f"holds a {name} event at made.000001") as raised:
        events_of(made(code, bytes(12)))
    assert raised.value.workaround


def test_an_image_that_lacks_columns_names_the_statement_that_mends_it() -> None:
    with pytest.raises(DMError, match=r"rows of s.t at made.000001") as raised:
        events_of(table_map(), rows(b"\x00\x02ab", logged=b"\xfe"))
    assert "SET GLOBAL binlog_row_image = 'FULL'" in raised.value.workaround


def test_another_number_of_columns_shows_both_structures() -> None:
    with pytest.raises(
        DMError, match=r"rows of s.t have 2 columns \(int, varchar of 80 bytes\) .* known .* has 1: c0 int"
    ):
        events_of(table_map(), rows(ONE_ROW), names=("int",))


def test_another_type_shows_both_structures() -> None:
    with pytest.raises(DMError, match="c0 bigint, c1 varchar"):
        events_of(table_map(), rows(ONE_ROW), names=("bigint", "varchar"))


def test_a_type_that_is_not_done_is_named_with_its_column() -> None:
    with pytest.raises(DMError, match=r"column c1 of s.t has the type xml"):
        events_of(table_map(), rows(ONE_ROW), names=("int", "xml"))


def test_column_names_that_the_server_logs_are_checked() -> None:
    events = events_of(table_map(optional=b"\x04\x06\x02c0\x02C1"), rows(ONE_ROW))
    assert len(events) == 1
    with pytest.raises(DMError, match="c0 int, other varchar of 80 bytes"):
        events_of(table_map(optional=b"\x04\x09\x02c0\x05other"), rows(ONE_ROW))


def test_a_character_set_that_the_server_logs_is_preferred() -> None:
    image = b"\x00\x05\x00\x00\x00\x01\xe4"
    [event] = events_of(table_map(optional=b"\x03\x01\x08"), rows(image))
    assert isinstance(event, RowsEvent)
    assert event.rows == [(b"5", "'ä'".encode())]


def test_an_update_needs_an_even_number_of_images() -> None:
    with pytest.raises(DMError, match=r"of s.t: an update has no image after it"):
        events_of(table_map(), rows(ONE_ROW, code=UPDATE_ROWS))


def test_a_value_longer_than_its_event_names_its_column() -> None:
    with pytest.raises(DMError, match=r"WRITE_ROWS of s.t: column 2 reaches beyond"):
        events_of(table_map(), rows(b"\x00\x05\x00\x00\x00\x09ab"))


def test_rows_without_their_table_map_are_refused_but_for_the_end_of_a_statement() -> None:
    assert events_of(rows(b"", number=0xFFFFFF)) == []
    with pytest.raises(DMError, match=r"come without the event that names their table \(number 3\)"):
        events_of(rows(ONE_ROW, number=3))


def payload(content: bytes) -> bytes:
    packed = zstandard.ZstdCompressor().compress(content)
    fields = b"\x02\x01\x00" + b"\x01\x03\xfc" + struct.pack("<H", len(packed)) + b"\0"
    return made(40, fields + packed, end=4096)


def test_a_compressed_transaction_has_the_place_of_its_payload() -> None:
    inner = [made(XID, bytes(8), checksum=False)]
    [event] = events_of(payload(b"".join(inner)))
    assert isinstance(event, XidEvent)
    assert event.end == 4096


def without_checksum(event: bytes) -> bytes:
    return event[:9] + struct.pack("<I", len(event) - 4) + event[13:-4]


def test_a_compressed_transaction_is_unpacked_piece_by_piece() -> None:
    one = b"".join(without_checksum(event) for event in (table_map(), rows(ONE_ROW * 1000)))
    events = events_of(payload(one * 400), made(XID, bytes(8)))
    assert sum(len(event.rows) for event in events if isinstance(event, RowsEvent)) == 400_000


@pytest.mark.parametrize("content", [b"\0" * 10, made(40, bytes(8), checksum=False), b"\0" * 40])
def test_a_damaged_compressed_transaction_is_an_error(content: bytes) -> None:
    with pytest.raises(DMError, match=r"TRANSACTION_PAYLOAD|event in a compressed"):
        events_of(payload(content))


def test_a_stream_without_checksums_is_seen_in_its_first_event() -> None:
    decoder = reader()
    decoder.feed(packets([made(ROTATE, struct.pack("<Q", 4) + b"plain.000001", checksum=False)]))
    event = decoder.next()
    assert isinstance(event, RotateEvent)
    assert event.file_name == "plain.000001"


def test_a_changed_structure_is_asked_for_again() -> None:
    decoder = reader()
    decoder.feed(packets([table_map(), rows(ONE_ROW), rows(ONE_ROW)]))
    first = decoder.next()
    decoder.forget_tables()
    assert isinstance(first, RowsEvent)
    second = decoder.next()
    assert isinstance(second, RowsEvent)
    assert second.rows == first.rows
