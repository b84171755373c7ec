"""What a user reads: transactions, rows, names, and the machine's forms of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dm_binlog.values import unquoted
from tests.golden.made_events import ONE_ROW, UPDATE_ROWS, made, rows, table_map
from tests.unit.dm_binlog.runs import (
    BINLOGS,
    MARIADB,
    MYSQL,
    begin,
    commit,
    events,
    gtid,
    query,
    recorded,
    rotate,
    run,
    write,
)


def schema_file(flavor: str, folder: Path) -> Path:
    path = folder / "schema.sql"
    dump = f"-- MySQL dump; with a comment\nUSE `golden`;\n/*!40101 SET NAMES utf8 */;\n{recorded(flavor)['create']};\n"
    path.write_text(dump + "INSERT INTO `x` VALUES ('a;b','it''s');\n", encoding="utf-8")
    return path


def test_a_transaction_reads_as_a_block() -> None:
    shown = run(MARIADB, "--from", "3612", "--limit", "1")
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "mariadb.binlog  10.11.19-MariaDB-0+deb12u1-log · with checksums · begun 2026-11-21 08:27:56",
        "",
        "┌ 3612  2026-11-21 08:27:56  0-43123-6  server 43123",
        "│ UPDATE golden.types SET plain = 5, u = 'neu' WHERE id = 1",
        "│ 3866  update golden.types  1 row, 634 bytes",
        r"│   ~ @1=1  @7 -2147483648 (or 2147483648) → 5  @26 '😀x\'y\\z' → 'neu'",
        "└ commit · ends at 4531 · 1 row · 919 bytes · xid 12",
    ]


def test_names_of_the_schema_and_its_key_are_used(tmp_path: Path) -> None:
    shown = run(MARIADB, "--from", "3612", "--limit", "1", "--schema", schema_file("mariadb", tmp_path))
    assert r"│   ~ id=1  plain -2147483648 → 5  u '😀x\'y\\z' → 'neu'" in shown.out.splitlines()


def test_a_ddl_stands_alone_with_its_text() -> None:
    lines = run(MYSQL, "--limit", "1").out.splitlines()
    assert lines[3] == "• 158  2026-11-21 08:27:57  74346730-e585-11f1-b71d-02fc00000001:1  statement in golden"
    assert lines[4] == "    CREATE DATABASE golden DEFAULT CHARACTER SET latin1"


def literal_to_json(literal: str) -> Any:
    """As --json shows it; numbers as text, since their kind is the column's."""
    if literal == "NULL":
        return None
    if literal.startswith("'"):
        return unquoted(literal)
    return {"hex": literal[2:-1]} if literal.startswith("x'") else literal


def comparable(row: dict[str, Any]) -> list[Any]:
    return [
        repr(value) if isinstance(value, float) else str(value) if isinstance(value, int) else value
        for value in row.values()
    ]


@pytest.mark.parametrize("flavor", BINLOGS)
def test_json_rows_are_the_recorded_values(flavor: str, tmp_path: Path) -> None:
    found = run(BINLOGS[flavor], "--json", "--schema", schema_file(flavor, tmp_path)).rows()
    shown = [(row["type"], [comparable(row[side]) for side in ("before", "after") if side in row]) for row in found]
    expected = []
    for kind, images in recorded(flavor)["rows"]:
        size = 2 if kind == "update" else 1
        for at in range(0, len(images), size):
            values = [[literal_to_json(literal) for literal in image] for image in images[at : at + size]]
            expected.append((kind, values))
    for (kind, images), (other, others) in zip(shown, expected, strict=True):
        assert kind == other
        for image, wanted in zip(images, others, strict=True):
            for one, two in zip(image, wanted, strict=True):
                assert one == two or float(one) == float(two)


def test_raw_events_are_those_of_the_file() -> None:
    for path in BINLOGS.values():
        found = run(path, "--raw-events", "--json").objects
        assert [(event["position"], event["code"], event["size"]) for event in found] == events(path)
        lines = run(path, "--raw-events").out.splitlines()[2:]
        assert [int(line.split()[0]) for line in lines] == [at for at, _, _ in events(path)]


def test_names_by_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [begin(), table_map(), rows(ONE_ROW), commit(), rotate()])
    assert "+ id=5  name='ab'" in run(path, "--columns", "s.t=id,name").out
    wrong = run(path, "--columns", "s.t=id")
    assert "+ @1=5  @2='ab'" in wrong.out
    assert "--columns is not used for s.t: it names 1 columns, and the binlog has 2" in wrong.err


def test_a_schema_that_does_not_fit_is_told_and_not_used(tmp_path: Path) -> None:
    path = write(tmp_path / "b.000001", [begin(), table_map(), rows(ONE_ROW), commit(), rotate()])
    schema = tmp_path / "s.t-schema.sql"
    schema.write_text("CREATE TABLE `t` (`id` int, `name` varchar(20), `more` int);")
    shown = run(path, "--schema", schema)
    assert "+ @1=5  @2='ab'" in shown.out
    assert "--schema is not used for s.t" in shown.err
    schema.write_text("CREATE TABLE `t` (`id` int, `name` varchar(20));")
    assert "+ id=5  name='ab'" in run(path, "--schema", schema).out


def test_names_in_the_binlog_are_used(tmp_path: Path) -> None:
    optional = b"\x04\x08\x02id\x04name"
    path = write(tmp_path / "b.000001", [begin(), table_map(optional=optional), rows(ONE_ROW), commit(), rotate()])
    assert "+ id=5  name='ab'" in run(path).out


def test_rows_that_are_logged_in_part(tmp_path: Path) -> None:
    head = (1).to_bytes(6, "little") + b"\1\0" + b"\2\0" + b"\2"
    images = b"\x00\x05\x00\x00\x00" + b"\x00\x02cd"  # before: the first column; after: the second
    update = made(UPDATE_ROWS, head + b"\x01" + b"\x02" + images)
    path = write(tmp_path / "b.000001", [begin(), table_map(), update, commit(), rotate()])
    assert "~ @1=5  @2  → 'cd'" in run(path).out
    (row,) = run(path, "--json").rows()
    assert (row["before"], row["after"]) == ({"@1": 5}, {"@2": "cd"})


def test_a_rollback_and_xa(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.000001",
        [
            gtid(1), begin(), table_map(), rows(ONE_ROW), query(b"ROLLBACK"),
            gtid(2), query(b"XA START X'61',X'',1"), table_map(), rows(ONE_ROW), query(b"XA END X'61',X'',1"),
            made(38, b"\0" + b"\1\0\0\0" + b"\1\0\0\0" + b"\0\0\0\0" + b"a"),
            gtid(3), query(b"XA COMMIT X'61',X'',1"), rotate(),
        ],
    )  # fmt: skip
    shown = run(path)
    assert shown.code == 0
    assert "└ rolled back" in shown.out
    assert "└ prepared, not yet committed" in shown.out
    assert "XA 'a'" in shown.out
    assert next(line for line in shown.out.splitlines() if line.startswith("•")).endswith("statement in s")


def test_control_characters_reach_no_terminal(tmp_path: Path) -> None:
    row = b"\x00\x05\x00\x00\x00\x06a\x1b[2J\n"
    path = write(
        tmp_path / "b.000001", [begin(), table_map(), rows(row), query(b"SELECT '\x1b]0;x\x07'"), commit(), rotate()]
    )
    out = run(path).out
    assert "\x1b" not in out
    assert r"@2='a\x1b[2J\n'" in out


def test_values_are_shortened_unless_full(tmp_path: Path) -> None:
    row = b"\x00\x05\x00\x00\x00\xfa" + b"z" * 250
    path = write(tmp_path / "b.000001", [begin(), table_map(metadata=b"\xff\x00"), rows(row), commit(), rotate()])
    assert "…' (250 characters)" in run(path).out
    assert "z" * 250 in run(path, "--full").out


def test_a_pipe_is_read() -> None:
    assert run("-", stdin=MYSQL.read_bytes()).out == run(MYSQL).out.replace("mysql.binlog", "stdin", 1)


def test_a_table_of_an_unknown_type_is_told_and_the_rest_shown(tmp_path: Path) -> None:
    unknown = table_map(types=b"\x03\xc8", metadata=b"", number=9)
    path = write(
        tmp_path / "b.000001",
        [begin(), unknown, rows(ONE_ROW, number=9), table_map(), rows(ONE_ROW), commit(), rotate()],
    )
    shown = run(path)
    assert shown.code == 1
    assert "not readable: column @2 has the unknown type 200" in shown.out
    assert "+ @1=5  @2='ab'" in shown.out
    assert "1 event could not be read" in shown.err
