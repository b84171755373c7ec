"""Every type arrives with its exact value, from both flavours."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from dm_worker.dumper.expressions import selected
from dm_worker.loader.misfit import LABEL_NOT_SHOWN, explained
from pkg.errors import DMError
from pkg.rules.column_rules import TableColumnRules
from pkg.schema.hidden_characters import with_doubts
from pkg.schema.parse import parse_create_table
from tests.cases.full.migration import assert_same, execute, migrate, outcome, query, start, subtask
from tests.cases.full.one_chunk import linked
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("ends")

EVERY_BYTE = "".join(f"{byte:02X}" for byte in range(256))
NUMBERS = """CREATE TABLE numbers (
    id INT PRIMARY KEY AUTO_INCREMENT, t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, m MEDIUMINT, b BIGINT,
    bu BIGINT UNSIGNED, z INT(6) UNSIGNED ZEROFILL, d DECIMAL(65,30), d2 DECIMAL(12,2), f FLOAT, f2 FLOAT(10,3),
    g DOUBLE, y YEAR, flag BOOLEAN, bits BIT(13), many BIT(64)) AUTO_INCREMENT = 1000"""
NUMBER_ROWS = (
    "(-128, 255, -32768, -8388608, -9223372036854775808, 18446744073709551615, 42, "
    "-12345678901234567890123456789012345.123456789012345678901234567890, 0.10, 0.1, 1234.567, 0.1, 1901, 1, "
    "b'1010101010101', x'FFFFFFFFFFFFFFFF')",
    "(127, 0, 32767, 8388607, 9223372036854775807, 0, 999999, 0, -99.99, 3.4028235e38, -0.001, "
    "1.7976931348623157e308, 2155, 0, b'0', b'0')",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1.17549435e-38, NULL, 2.2250738585072014e-308, "
    "0, NULL, NULL, NULL)",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 16777217, 123456.789, 123456789.123456789, "
    "2000, NULL, NULL, b'1')",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, -0.0, 0, -1e-320, 1999, NULL, NULL, NULL)",
)
TEXTS = """CREATE TABLE texts (
    id VARCHAR(20) NOT NULL PRIMARY KEY, implicit_latin VARCHAR(50), fixed CHAR(10), wide TEXT CHARACTER SET utf8mb4,
    cyrillic VARCHAR(50) CHARACTER SET cp1251, chinese VARCHAR(50) CHARACTER SET gbk, ucs VARCHAR(50) CHARACTER SET ucs2,
    size ENUM('klein','größer','it''s') , tags SET('a','bß','c d')) CHARACTER SET latin1"""
TEXT_ROWS = (
    "('plain', 'äöü€', 'x', 'emoji 🦆 and 漢字 \\0 \\n \\r \\Z \\\\ \\' \" `', 'Привет', '中文', 'ß漢', 'größer', 'a,bß')",
    "('empty', '', '', '', '', '', '', 'it''s', '')",
    "('nulls', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "('spaces  ', '  a  ', '  b', ' 🦆 ', ' я ', ' 中 ', ' ', 'klein', 'c d,a')",
)
BYTES = """CREATE TABLE bytes (
    id BINARY(4) NOT NULL PRIMARY KEY, v VARBINARY(300), b BLOB, l LONGBLOB, p POINT) CHARACTER SET utf8mb4"""
TIMES = """CREATE TABLE times (
    id INT PRIMARY KEY, d DATE, t TIME, t6 TIME(6), dt DATETIME, dt6 DATETIME(6), ts TIMESTAMP NULL,
    ts3 TIMESTAMP(3) NULL)"""
TIME_ROWS = (
    "(1, '1000-01-01', '-838:59:59', '838:59:58.999999', '9999-12-31 23:59:59', '2024-02-29 12:34:56.789012', "
    "'1970-01-01 00:00:01', '2038-01-19 03:14:07.123')",
    "(2, '0000-00-00', '00:00:00', '-00:00:00.000001', '0000-00-00 00:00:00', '1000-01-01 00:00:00.000000', "
    "'2024-03-31 02:30:00', '2024-10-27 02:30:00.5')",
    "(3, '2024-00-00', NULL, NULL, '2024-02-30 00:00:00', NULL, NULL, NULL)",
)


@pytest.fixture(params=["mariadb-tidb", "mysql-tidb", "mariadb-mariadb", "mysql-mariadb", "mariadb-mysql"])
def ends(request: pytest.FixtureRequest) -> tuple[RunningServer, RunningServer]:
    source, target = request.param.split("-")
    return request.getfixturevalue(source), request.getfixturevalue("mariadb2" if target == "mariadb" else target)


_BY_STATEMENTS = " goes by INSERT: "  # what the log says where LOAD DATA would not do


def _filled(server: RunningServer, schema: str, *statements: str) -> None:
    execute(server, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema} CHARACTER SET latin1")
    execute(server, "SET time_zone = '+00:00'", *statements, database=schema)


def _fresh(target: RunningServer, schema: str) -> None:
    execute(target, f"DROP DATABASE IF EXISTS {schema}", f"DROP DATABASE IF EXISTS {schema}_meta")


def _insert(table: str, rows: tuple[str, ...], columns: str = "") -> list[str]:
    return [f"INSERT INTO {table} {columns} VALUES {row}" for row in rows]


def _migrated(
    ends: tuple[RunningServer, RunningServer], schema: str, *statements: str, by_statements: bool = False
) -> dict[str, Any]:
    source, target = ends
    _filled(source, schema, *statements)
    _fresh(target, schema)
    ended = migrate(subtask(source, target, schema))
    assert (_BY_STATEMENTS in ended["log"]) == by_statements, ended["log"]
    return ended


def test_numbers_keep_every_digit_and_their_sign(ends: tuple[RunningServer, RunningServer]) -> None:
    columns = "(t, tu, s, m, b, bu, z, d, d2, f, f2, g, y, flag, bits, many)"
    _migrated(ends, "full_numbers", NUMBERS, *_insert("numbers", NUMBER_ROWS, columns))
    assert_same(*ends, "full_numbers", ["numbers"])


def test_text_keeps_every_character_of_any_character_set(ends: tuple[RunningServer, RunningServer]) -> None:
    _migrated(ends, "full_texts", TEXTS, *_insert("texts", TEXT_ROWS))
    assert_same(*ends, "full_texts", ["texts"])
    kept = query(ends[1], "SELECT implicit_latin FROM full_texts.texts WHERE id = 'plain'")
    assert kept == [("äöü€",)]


LEGACY = """CREATE TABLE legacy (id INT PRIMARY KEY, c VARCHAR(20) CHARACTER SET cp932, g CHAR(9) CHARACTER SET gbk,
    s TEXT CHARACTER SET sjis, e VARCHAR(9) CHARACTER SET euckr UNIQUE, k VARCHAR(9) CHARACTER SET greek)"""


def test_codes_of_legacy_sets_that_unicode_lacks_or_has_once_keep_their_bytes(
    ends: tuple[RunningServer, RunningServer],
) -> None:
    to_tidb = ends[1].kind == "tidb"
    rows = [
        "(1, x'8790ED4081E0', '中?', x'5C815F835C', '한', 'α')",
        "(2, NULL, NULL, NULL, NULL, NULL)",
        "(3, '', '', '', '', '')",
    ]
    rows += [] if to_tidb else ["(4, x'81AD', x'A140C2A1', x'81AD', x'C9A1', x'D2A1')"]
    _migrated(ends, "full_legacy", LEGACY, *_insert("legacy", tuple(rows)))
    text = "CONVERT({} USING utf8mb4)" if to_tidb else "{}"
    shown = ", ".join(f"HEX({text.format(name)})" for name in "cgsek")
    found = [query(end, f"SELECT id, {shown} FROM full_legacy.legacy ORDER BY id") for end in ends]
    assert found[0] == found[1]


def test_a_text_that_unicode_lacks_stops_the_copy_and_is_shown(ends: tuple[RunningServer, RunningServer]) -> None:
    if ends[1].kind != "tidb":
        return  # the others keep its bytes
    source, target = ends
    _filled(source, "full_lacking", LEGACY, *_insert("legacy", ("(1, 'x', '中', 'x', x'C9A1', 'x')",)))
    _fresh(target, "full_lacking")
    ended = outcome(start(subtask(source, target, "full_lacking")))
    said = ended["log"] + json.dumps(ended)
    assert "34130" in said
    assert "its bytes in euckr are C9A1" in said


@pytest.mark.parametrize("code", ["FE39FE39", "8431A530", "E3329A36"])
def test_a_code_of_four_bytes_that_stands_for_nothing_stops_the_copy(
    mysql: RunningServer, mariadb: RunningServer, code: str
) -> None:
    rows = ("(1, '中😀')", "(2, x'E3329A35')", f"(3, x'{code}')")
    create = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET gb18030)"
    _filled(mysql, "full_gaps", create, *_insert("t", rows))
    _fresh(mariadb, "full_gaps")
    ended = outcome(start(subtask(mysql, mariadb, "full_gaps")))
    said = ended["log"] + json.dumps(ended)
    assert "34130" in said
    assert f"its bytes in gb18030 are {code}" in said


LABELLED = """CREATE TABLE t (
    id INT PRIMARY KEY, e ENUM('a', '?', '😀', 'x😀?') NOT NULL DEFAULT '😀', u ENUM('🎉', '😀') COLLATE utf8mb4_bin,
    s SET('a', '😀', 'ü', '3', '4', '5', '6', '7', '8', '🎉') COLLATE utf8mb4_bin DEFAULT 'a,😀', v VARCHAR(20) DEFAULT '😀?',
    w VARCHAR(20) NOT NULL DEFAULT 'é😀', x VARCHAR(20) NOT NULL DEFAULT '?') CHARACTER SET utf8mb4"""


def test_labels_and_defaults_of_characters_that_no_server_shows(ends: tuple[RunningServer, RunningServer]) -> None:
    """SHOW CREATE TABLE has a ? for a character of four bytes."""
    rows = ("(1, 'a', '🎉', 'a')", "(2, '😀', '😀', '😀,🎉')", "(3, '?', NULL, '')", "(4, 'x😀?', NULL, '8,🎉')")
    _migrated(ends, "full_shown", LABELLED, *_insert("t", rows, "(id, e, u, s)"))
    for server in ends:
        execute(server, "INSERT INTO t (id) VALUES (9)", database="full_shown")
    assert_same(*ends, "full_shown", ["t"])
    made = query(ends[1], "SELECT e, u, s, v, w, x FROM full_shown.t WHERE id IN (2, 9) ORDER BY id")
    assert made == [
        ("😀", "😀", "😀,🎉", "😀?", "é😀", "?"), ("😀", None, "a,😀", "😀?", "é😀", "?")
    ]  # fmt: skip


@pytest.mark.parametrize("type_", ["ENUM('a', '€', '😀')", "SET('a', '😀', 'c')"])
def test_a_label_that_a_server_does_not_tell_stops_the_copy(mysql: RunningServer, type_: str) -> None:
    """As one without recursive queries."""
    _filled(
        mysql, "full_untold", f"CREATE TABLE t (id INT PRIMARY KEY, e {type_} CHARACTER SET utf8mb4)",
        *_insert("t", ("(1, 'a')", "(7, '😀')")),
    )  # fmt: skip
    shown = parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, e {type_.replace('😀', '?')})", "full_untold")
    table = with_doubts(shown, {"e"})
    columns = ", ".join(expression for _, expression in selected(table))
    with linked(mysql) as upstream:
        with pytest.raises(DMError) as raised:
            upstream.cursor().execute(f"SELECT {columns} FROM full_untold.t")
        said = explained(raised.value, upstream, table, TableColumnRules())
    assert said.is_a(LABEL_NOT_SHOWN)
    assert "id=7" in said.message


def test_a_question_mark_is_a_label_as_any_other(ends: tuple[RunningServer, RunningServer]) -> None:
    create = "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?') CHARACTER SET utf8mb4, s SET('?', 'é', 'c'))"
    _migrated(ends, "full_marks", create, *_insert("t", ("(1, 'a', '?,c')", "(2, '?', '')", "(3, NULL, 'é')")))
    assert query(ends[1], "SELECT * FROM full_marks.t ORDER BY id") == [
        (1, "a", "?,c"), (2, "?", ""), (3, None, "é")
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["PRIMARY KEY", ""])
def test_the_empty_value_of_an_enum_that_has_an_empty_label_stops_the_copy(
    ends: tuple[RunningServer, RunningServer], key: str
) -> None:
    source, target = ends
    create = f"CREATE TABLE two (id INT {key}, e ENUM('ä', '', 'b') CHARACTER SET latin1)"
    _migrated(ends, "full_labels", create, *_insert("two", ("(1, 'ä')", "(2, '')", "(3, NULL)", "(4, 'b')")))
    assert query(target, "SELECT id, e + 0, e FROM full_labels.two ORDER BY id") == [
        (1, 1, "ä"), (2, 2, ""), (3, None, None), (4, 3, "b")
    ]  # fmt: skip
    execute(source, "SET sql_mode = ''", "INSERT INTO two VALUES (5, 'c')", database="full_labels")
    _fresh(target, "full_labels")
    ended = outcome(start(subtask(source, target, "full_labels")))
    said = ended["log"] + json.dumps(ended)
    assert "34131" in said
    assert "id=5, e=''" in said


@pytest.mark.parametrize("kind", ["STORED", "VIRTUAL"])
def test_a_negative_difference_of_unsigned_numbers_stops_the_copy(
    mysql: RunningServer, tidb: RunningServer, kind: str
) -> None:
    create = f"CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, b INT UNSIGNED, c INT AS (a - b) {kind}, KEY (c))"
    _filled(
        mysql,
        "full_modes",
        "SET sql_mode = 'NO_UNSIGNED_SUBTRACTION'",
        create,
        "INSERT INTO t (id, a, b) VALUES (1, 1, 3)",
    )
    _fresh(tidb, "full_modes")
    ended = outcome(start(subtask(mysql, tidb, "full_modes")))
    assert "10219" in ended["log"] + json.dumps(ended)


def test_a_set_that_has_an_empty_label_is_copied_by_its_numbers(ends: tuple[RunningServer, RunningServer]) -> None:
    create = "CREATE TABLE one (id INT PRIMARY KEY, s SET('a', '', '0'), v VARCHAR(9))"
    rows = [f"({number}, {number}, 'x')" for number in range(8)]
    _migrated(ends, "full_sets", create, *_insert("one", (*rows, "(8, NULL, 'y')")))
    found = query(ends[1], "SELECT id, CAST(s AS UNSIGNED) FROM full_sets.one ORDER BY id")
    assert found == [*((number, number) for number in range(8)), (8, None)]


def test_defaults_of_bytes_that_are_no_text(ends: tuple[RunningServer, RunningServer]) -> None:
    create = "CREATE TABLE b (id INT PRIMARY KEY, g BINARY(1) DEFAULT X'FF', v VARBINARY(4) DEFAULT 0x00FF5C27)"
    _migrated(ends, "full_bytes", create, "INSERT INTO b (id) VALUES (1)")
    target = ends[1]
    execute(target, "INSERT INTO b (id) VALUES (2)", database="full_bytes")
    now = (None, None) if target.kind == "tidb" else ("FF", "00FF5C27")  # it has no such defaults
    assert query(target, "SELECT id, HEX(g), HEX(v) FROM full_bytes.b ORDER BY id") == [
        (1, "FF", "00FF5C27"), (2, *now)
    ]  # fmt: skip


def test_keys_that_only_the_upstreams_collation_tells_apart_stay_two_rows(
    ends: tuple[RunningServer, RunningServer],
) -> None:
    latin = "CREATE TABLE latin (v VARCHAR(20) PRIMARY KEY, w INT) CHARACTER SET latin1 COLLATE latin1_swedish_ci"
    own = "utf8mb4_0900_as_ci" if ends[0].kind == "mysql" else "utf8mb4_general_nopad_ci"
    padded = f"CREATE TABLE own (id INT PRIMARY KEY, v VARCHAR(20) COLLATE {own} UNIQUE)"
    rows = _insert("latin", ("('a', 1), ('ä', 2), ('o', 3), ('ö', 4)",)) + _insert("own", ("(1, 'a'), (2, 'a ')",))
    rows += _insert("own", ("(3, 'ä'), (4, 'b')",)) if ends[0].kind == "mysql" else []
    _migrated(ends, "full_keys", latin, padded, *rows)
    assert_same(*ends, "full_keys", ["latin", "own"])


def test_bytes_keep_every_value(ends: tuple[RunningServer, RunningServer]) -> None:
    create = BYTES if ends[1].kind != "tidb" else BYTES.replace(", p POINT", "")
    point = ", ST_GeomFromText('POINT(1 2)')" if ends[1].kind != "tidb" else ""
    rows = (
        f"(x'00FF5C27', x'{EVERY_BYTE}', x'{EVERY_BYTE * 3}', REPEAT(x'{EVERY_BYTE}', 10000){point})",
        f"(x'00000000', '', '', ''{', NULL' if point else ''})",
        f"(x'41424344', NULL, NULL, NULL{', NULL' if point else ''})",
    )
    _migrated(ends, "full_bytes", create, *_insert("bytes", rows))
    assert_same(*ends, "full_bytes", ["bytes"])


def test_times_keep_zero_dates_fractions_and_instants(ends: tuple[RunningServer, RunningServer]) -> None:
    # TiDB's LOAD DATA does not look at ALLOW_INVALID_DATES.
    _migrated(ends, "full_times", TIMES, *_insert("times", TIME_ROWS), by_statements=ends[1].kind == "tidb")
    assert_same(*ends, "full_times", ["times"])


def test_json_keeps_its_value(ends: tuple[RunningServer, RunningServer]) -> None:
    documents = [{"a": [1, 2.5, None, True], "ключ": "🦆\"\\'\n"}, [], "text", 12345678901234567890, {}]
    rows = tuple(f"({n}, '{_quoted(json.dumps(one, ensure_ascii=n % 2 == 0))}')" for n, one in enumerate(documents))
    create = "CREATE TABLE j (id INT PRIMARY KEY, doc JSON)"
    _migrated(ends, "full_json", create, *_insert("j", (*rows, "(99, NULL)")))
    found = query(ends[1], "SELECT doc FROM full_json.j ORDER BY id")
    assert [None if doc is None else json.loads(doc) for (doc,) in found] == [*documents, None]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def test_auto_increment_goes_on_where_the_upstream_stands(ends: tuple[RunningServer, RunningServer]) -> None:
    create = "CREATE TABLE a (id BIGINT PRIMARY KEY AUTO_INCREMENT, v INT) AUTO_INCREMENT = 500"
    _migrated(ends, "full_auto", create, "INSERT INTO a (v) VALUES (1)", "INSERT INTO a VALUES (0, 2), (-5, 3)")
    assert_same(*ends, "full_auto", ["a"])
    execute(ends[1], "INSERT INTO full_auto.a (v) VALUES (9)")
    assert query(ends[1], "SELECT id >= 501 FROM full_auto.a WHERE v = 9") == [(1,)]


def test_keys_that_are_too_long_are_over_the_beginning_of_their_columns(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    keys = "KEY kc (c), KEY kp (c(3072)), KEY two (d(700), c(1500)), UNIQUE KEY uc (c(900)), KEY tiny (t), KEY s (d(9))"
    create = f"CREATE TABLE k (id INT PRIMARY KEY, c TEXT, d BLOB, t TINYTEXT, {keys})"
    ended = _migrated((mariadb, tidb), "full_keys", create, "INSERT INTO k VALUES (1, 'ä', 'b', 'c')")
    assert_same(mariadb, tidb, "full_keys", ["k"])
    found = query(tidb, "SHOW INDEX FROM full_keys.k")
    assert {(row[2], row[4], row[7], row[1]) for row in found if row[2] != "PRIMARY"} == {
        ("kc", "c", 768, 1), ("kp", "c", 768, 1), ("two", "d", 700, 1), ("two", "c", 384, 1), ("uc", "c", 768, 1),
        ("tiny", "t", 255, 1), ("s", "d", 9, 1),
    }  # fmt: skip
    assert "key uc is not unique in the target" in ended["log"]


def test_vectors_keep_their_bits(mysql: RunningServer, tidb: RunningServer) -> None:
    # MySQL's length is the largest that a value may have, TiDB's the only one.
    create = "CREATE TABLE v (id INT PRIMARY KEY, few VECTOR(9), many VECTOR)"
    longest = struct.pack("<2048f", *[number / 7 for number in range(2048)])
    few = struct.pack("<4f", 0.1, -0.0, 1.17549435e-38, -3.4028234663852886e38)
    rows = (f"(1, x'{few.hex()}', x'{longest.hex()}')", "(2, NULL, x'0000803f')")
    _migrated((mysql, tidb), "full_vectors", create, *_insert("v", rows))
    found = query(tidb, "SELECT few, many FROM full_vectors.v ORDER BY id")
    assert [[_bits(text) for text in row] for row in found] == [[few, longest], [None, bytes.fromhex("0000803f")]]


def _bits(text: str | None) -> bytes | None:
    if text is None:
        return None
    values = [float(number) for number in text.strip("[]").split(",")]
    return struct.pack(f"<{len(values)}f", *values)


def test_letters_that_only_mysql_joins_stay_two_rows(mariadb: RunningServer, mysql: RunningServer) -> None:
    create = "CREATE TABLE t (k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_croatian_ci PRIMARY KEY)"
    _migrated((mariadb, mysql), "full_letters", create, "INSERT INTO t VALUES ('lJ'), ('Ǉ')")
    assert_same(mariadb, mysql, "full_letters", ["t"])


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_what_is_read_of_a_text_is_taken_in_every_character_set(
    kind: str, tidb: RunningServer, request: pytest.FixtureRequest
) -> None:
    """A number beside a text of swe7, which has no ASCII, is an illegal mix of collations."""
    source = request.getfixturevalue(kind)
    sets = [name for (name,) in query(source, "SELECT character_set_name FROM information_schema.character_sets")]
    tables = [
        f"CREATE TABLE t_{name} (id INT PRIMARY KEY, k VARCHAR(9) UNIQUE, v TEXT NOT NULL, e ENUM('', 'a')) CHARSET {name}"
        for name in sets
        if name != "binary"
    ]
    rows = [f"INSERT INTO t_{name} VALUES (1, 'a', 'b', 'a'), (2, NULL, '', '')" for name in sets if name != "binary"]
    _migrated((source, tidb), "full_sets", *tables, *rows)
    for name in sets:
        if name != "binary":
            found = query(tidb, f"SELECT * FROM full_sets.t_{name} ORDER BY id")
            assert found == [(1, "a", "b", "a"), (2, None, "", "")], name


def test_a_default_beyond_the_basic_plane_in_utf16(mysql: RunningServer, tidb: RunningServer) -> None:
    """MySQL shows `0xD83EDD86`, the bytes in the column's set."""
    create = "CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(9) CHARACTER SET utf16 DEFAULT '🦆')"
    _migrated((mysql, tidb), "full_utf16", create, "INSERT INTO t (id) VALUES (1)")
    assert_same(mysql, tidb, "full_utf16", ["t"])
    execute(tidb, "INSERT INTO full_utf16.t (id) VALUES (2)")
    assert query(tidb, "SELECT u FROM full_utf16.t") == [("🦆",), ("🦆",)]


EXACT_DOCUMENT = "(1, JSON_OBJECT('price', CAST('1.10' AS DECIMAL(5,2)), 'at', NOW(), 'id', 123456789012345678))"
WIDE_DOCUMENT = "(2, JSON_OBJECT('p', CAST('1234567890123.123456789' AS DECIMAL(30,9))))"


def test_a_document_whose_number_tidb_would_round_stops_the_copy(mysql: RunningServer, tidb: RunningServer) -> None:
    create = "CREATE TABLE documents (id INT PRIMARY KEY, j JSON)"
    _migrated((mysql, tidb), "full_documents", create, *_insert("documents", (EXACT_DOCUMENT,)))
    assert query(tidb, "SELECT j->>'$.price', j->>'$.id' FROM full_documents.documents") == [
        ("1.1", "123456789012345678")
    ]
    execute(mysql, *_insert("documents", (WIDE_DOCUMENT,)), database="full_documents")
    _fresh(tidb, "full_documents")
    ended = outcome(start(subtask(mysql, tidb, "full_documents")))
    said = ended["log"] + json.dumps(ended)
    assert "34135" in said
    assert "1234567890123.123456789" in said


def test_a_key_that_holds_the_end_of_a_versioned_row_is_made(mariadb: RunningServer, tidb: RunningServer) -> None:
    create = (
        "CREATE TABLE versions (id INT, v INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED "
        "ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e), PRIMARY KEY (id, e)) WITH SYSTEM VERSIONING"
    )
    rows = (*_insert("versions (id, v)", ("(1, 1)", "(2, 2)")), "UPDATE versions SET v = 3 WHERE id = 1")
    _filled(mariadb, "full_versions", create, *rows)
    _fresh(tidb, "full_versions")
    ended = outcome(start(subtask(mariadb, tidb, "full_versions")))
    assert ended["exit"] == 0, ended
    assert query(tidb, "SELECT id, v FROM full_versions.versions ORDER BY id") == [(1, 3), (2, 2)]
