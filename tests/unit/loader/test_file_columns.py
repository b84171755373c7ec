"""How rows of a file are read and written follows from the table and from what the file says."""

from __future__ import annotations

import pytest

from dm_worker.loader.file_columns import FileTable, check_table_name, plan_rows
from pkg.rows.insert_text import BadValue
from pkg.rows.row_writer import BINARY, BITS, LEFT_OUT, TEXT, VECTOR_TEXT
from pkg.rules.extract import ExtractedColumn
from pkg.schema.parse import parse_create_table

_SQL = """CREATE TABLE t (
    id INT PRIMARY KEY, l VARCHAR(9) CHARACTER SET latin1, u TEXT CHARACTER SET utf8mb4, b BLOB, bits BIT(9), doc JSON,
    g INT GENERATED ALWAYS AS (id) STORED, h INT INVISIBLE)"""


def _table(flavor: str = "tidb", extracted: tuple[ExtractedColumn, ...] = ()) -> FileTable:
    return FileTable(parse_create_table(_SQL, "s"), "to", "t", flavor, extracted)


def test_without_a_list_all_visible_columns_are_meant() -> None:
    plan = plan_rows(_table(), None, "utf8mb4")
    assert plan.layout.modes == bytes((TEXT, TEXT, TEXT, BINARY, BITS, TEXT, LEFT_OUT))
    assert plan.copy.columns == ("`id`", "`l`", "`u`", "`b`", "`bits`", "`doc`")
    assert len(plan.modes) == 6
    assert not any(plan.layout.charsets)


def test_a_file_in_bytes_has_each_columns_own_character_set() -> None:
    assert plan_rows(_table(), ("u", "l", "b", "doc"), "binary").layout.charsets == ("", "latin1", "", "")
    assert plan_rows(_table(), ("u", "l", "b", "doc"), "gbk").layout.charsets == ("gbk", "gbk", "", "")


def test_statements_name_the_target_and_what_the_route_fills() -> None:
    extracted = (ExtractedColumn("from", "it's\t", True),)
    plan = plan_rows(_table(extracted=extracted), ("ID", "h"), "binary", "INSERT IGNORE")
    assert plan.layout.prefix == b"INSERT IGNORE INTO `to`.`t` (`id`, `h`, `from`) VALUES "
    assert plan.layout.tail == b",'it\\'s\t'"
    assert plan_rows(_table(extracted=extracted), ("id",), "binary").layout.tail == b"\tit's\\t"


def test_a_vector_is_text_for_tidb_and_bytes_elsewhere() -> None:
    for flavor, charset in (("tidb", VECTOR_TEXT), ("mysql", "")):
        table = FileTable(parse_create_table("CREATE TABLE t (v VECTOR(3))", "s"), "to", "t", flavor)
        assert plan_rows(table, None, "utf8mb4").layout.charsets == (charset,)


def test_what_the_table_does_not_have_is_refused() -> None:
    with pytest.raises(BadValue, match="columns x, y"):
        plan_rows(_table(), ("id", "x", "y"), "binary")
    check_table_name(_table(), "T")
    with pytest.raises(BadValue, match="table other"):
        check_table_name(_table(), "other")
