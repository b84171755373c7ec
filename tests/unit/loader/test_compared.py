"""Which expressions a column is compared by, and which rows of the target are those of a chunk."""

from __future__ import annotations

import pytest

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.dumper.copy_plan import plan_copy
from dm_worker.loader.compared_columns import Part, form_of, part_of
from dm_worker.loader.compared_tables import Compared, merged, plan_compared, sides_of
from pkg.rules.column_mapping import Affix, MappedColumn
from pkg.rules.column_rules import TableColumnRules
from pkg.rules.extract import ExtractedColumn
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

TO_TIDB = ("mariadb", "tidb")
FIRST = Range(None, ("9",))
NO_RULES = TableColumnRules()


def table(columns: str, schema: str = "shop") -> Table:
    return parse_create_table(f"CREATE TABLE `t` ({columns}) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin", schema)


def compared(here: str, there: str = "", flavors: tuple[str, str] = TO_TIDB) -> Part:
    """The expressions of a column `c` with the two types."""
    up, down = (table(f"c {kind} NOT NULL").columns[0] for kind in (here, there or here))
    return part_of("`c`", "`c`", form_of(up), form_of(down), flavors)


@pytest.mark.parametrize(
    ("here", "there", "upstream", "downstream"),
    [
        ("int", "bigint", "`c`", "`c`"),
        ("int(6) unsigned zerofill", "int", "CAST(`c` AS UNSIGNED)", "`c`"),
        ("year", "year", "`c` + 0", "`c` + 0"),
        ("bit(3)", "tinyint", "CAST(`c` AS UNSIGNED)", "`c`"),
        ("decimal(12,2)", "decimal(20,2)", "`c`", "`c`"),
        ("decimal(12,2)", "decimal(20,4)", "CAST(`c` AS DECIMAL(65,4))", "CAST(`c` AS DECIMAL(65,4))"),
        ("decimal(12,2)", "int", "CAST(`c` AS DECIMAL(65,2))", "CAST(`c` AS DECIMAL(65,2))"),
        ("double", "decimal(9,3)", "CAST(`c` AS DECIMAL(65,30))", "CAST(`c` AS DECIMAL(65,30))"),
        ("double(9,3)", "double", "CAST(`c` AS DECIMAL(65,3))", "CAST(`c` AS DECIMAL(65,3))"),
        ("double", "double(9,3)", "CAST(`c` AS DECIMAL(65,9))", "CAST(`c` AS DECIMAL(65,9))"),
        ("varchar(9)", "text", "CRC32(`c`)", "CRC32(`c`)"),
        ("varchar(9) character set latin1", "text", "CRC32(CONVERT(`c` USING utf8mb4))", "CRC32(`c`)"),
        ("enum('a')", "varchar(9)", "CRC32(`c`)", "CRC32(`c`)"),
        ("varbinary(9)", "blob", "CRC32(`c`)", "CRC32(`c`)"),
        ("uuid", "varchar(36)", "CRC32(CAST(`c` AS CHAR))", "CRC32(`c`)"),
        ("int", "varchar(20)", "CRC32(`c`)", "CRC32(`c`)"),
        ("datetime", "varchar(20)", "CRC32(`c`)", "CRC32(`c`)"),
        ("datetime(3)", "timestamp(3)", "`c`", "`c`"),
        ("datetime", "datetime(3)", "CONCAT(`c`, '.000')", "`c`"),
        ("time(2)", "time(6)", "CONCAT(`c`, '0000')", "`c`"),
        ("date", "datetime(1)", "CONCAT(`c`, ' 00:00:00.0')", "`c`"),
        ("point", "point", "CRC32(HEX(`c`))", "CRC32(HEX(`c`))"),
        ("json", "longtext", "CRC32(CAST(`c` AS CHAR))", "CRC32(`c`)"),
    ],
)
def test_values_that_are_equal_get_equal_texts(here: str, there: str, upstream: str, downstream: str) -> None:
    assert compared(here, there) == Part(upstream, downstream)


def test_floats_are_compared_as_decimals_and_single_ones_by_fewer_scales() -> None:
    double, single = compared("double").upstream, compared("float").upstream
    assert double.startswith("CAST(`c` * CASE WHEN ABS(`c`) >= 1e-10 AND ABS(`c`) < 1e30 THEN 1e0 ")
    assert double.endswith(" END AS DECIMAL(65,30))")
    assert len(single) < len(double)
    assert compared("double", "float").downstream == double.replace("`c`", "`c` * 1e0")


def test_what_servers_write_in_several_ways_is_compared_by_its_shape_and_said() -> None:
    documents = compared("json")
    assert documents.upstream == documents.downstream
    assert "by the shape" in documents.note
    assert compared("json", flavors=("mysql", "mysql")).note == ""
    vectors = compared("vector(3)", flavors=("mysql", "tidb"))
    assert (vectors.upstream, vectors.downstream) == ("LENGTH(`c`) DIV 4", "VEC_DIMS(`c`)")
    assert "dimensions" in vectors.note


@pytest.mark.parametrize(("here", "there"), [("time", "datetime"), ("point", "blob"), ("json", "int"), ("int", "date")])
def test_types_that_are_no_match_are_left_out_and_said(here: str, there: str) -> None:
    found = compared(here, there)
    assert (found.upstream, found.downstream) == ("", "")
    assert found.note.startswith("`c` is not compared")


def test_null_is_a_value_of_its_own_where_either_side_may_have_it() -> None:
    up, down = table("c int NOT NULL").columns[0], table("c int").columns[0]
    found = part_of("`c`", "`c`", form_of(up), form_of(down), TO_TIDB)
    assert (found.upstream, found.downstream) == ("IFNULL(`c`, 'N')", "IFNULL(`c`, 'N')")


def planned(
    here: str, there: str = "", rules: TableColumnRules = NO_RULES, *, is_cut: bool = True
) -> tuple[Compared, list[str], tuple[str, str]]:
    """How it is compared, what is said, and the statements of its first chunk."""
    up, down = table(here), table(there or here, "target")
    copy = plan_copy(up, "target", "t2", rules)
    found, notes = plan_compared(copy, up, down, rules, TO_TIDB, is_cut=is_cut)
    upstream, downstream, _ = sides_of(copy, found, FIRST if is_cut else WHOLE)
    return found, notes, (upstream.sums(), downstream.sums())


def test_both_sides_sum_up_the_same_key_range() -> None:
    found, notes, (upstream, downstream) = planned("id int NOT NULL PRIMARY KEY, v varchar(9)")
    assert (notes, found.takes(FIRST)) == ([], True)
    row = "SUM(CRC32(CRC32(CONCAT_WS('#', `id`, IFNULL(CRC32(`v`), 'N')))))"
    where = "FORCE INDEX (`PRIMARY`) WHERE `id` <= 9"
    assert upstream == f"SELECT COUNT(*), COALESCE({row}, 0) FROM `shop`.`t` {where}"
    assert downstream == f"SELECT COUNT(*), COALESCE({row}, 0) FROM `target`.`t2` {where}"


def test_an_index_that_the_target_lacks_is_not_asked_for() -> None:
    _, _, (upstream, downstream) = planned(
        "id int NOT NULL, UNIQUE KEY u (id)", "id int NOT NULL, UNIQUE KEY other (id)"
    )
    assert "FORCE INDEX (`u`)" in upstream
    assert "FORCE INDEX" not in downstream


@pytest.mark.parametrize(
    "there",
    ["w varchar(9) COLLATE utf8mb4_general_ci NOT NULL PRIMARY KEY", "w varbinary(9) NOT NULL PRIMARY KEY"],
)
def test_ranges_of_a_key_that_is_ordered_otherwise_are_not_compared_but_all_of_it_is(there: str) -> None:
    found, notes, _ = planned("w varchar(9) NOT NULL PRIMARY KEY", there)
    assert (found.takes(FIRST), found.takes(WHOLE), len(notes)) == (False, True, 1)
    found, notes, _ = planned("w varchar(9) NOT NULL PRIMARY KEY", there, is_cut=False)
    assert (found.takes(WHOLE), notes) == (True, [])


def test_text_is_ordered_alike_by_one_collation_where_the_target_keeps_it() -> None:
    key = "w varchar(9) CHARACTER SET {0} COLLATE {0}_{1} NOT NULL PRIMARY KEY"
    up, down = table(key.format("utf8mb3", "general_ci")), table(key.format("utf8mb4", "general_ci"))
    copy = plan_copy(up, "target", "t2")
    for keeps in (True, False):
        found, _ = plan_compared(copy, up, down, NO_RULES, TO_TIDB, is_cut=True, keeps_collations=keeps)
        assert found.takes(FIRST) == keeps
    up = down = table(key.format("utf8mb4", "bin"))
    found, _ = plan_compared(copy, up, down, NO_RULES, TO_TIDB, is_cut=True, keeps_collations=False)
    assert found.takes(FIRST)


def test_columns_of_the_route_say_which_rows_are_the_tables_own() -> None:
    rules = TableColumnRules(extracted=(ExtractedColumn("c_table", "t", matched=True),))
    columns = "id int NOT NULL PRIMARY KEY"
    _, _, (upstream, downstream) = planned(columns, f"{columns}, c_table varchar(255) NOT NULL", rules)
    assert upstream.endswith("WHERE `id` <= 9")
    assert downstream.endswith("WHERE `id` <= 9 AND `c_table` = _utf8mb4 X'74'")


def test_a_mapped_value_is_compared_as_the_upstream_calculates_it() -> None:
    rules = TableColumnRules(mapped=(MappedColumn("r", "v", "v", Affix("a-", "")),))
    found, notes, (upstream, downstream) = planned("id int NOT NULL PRIMARY KEY, v varchar(9)", rules=rules)
    assert (notes, found.takes(FIRST)) == ([], True)
    assert "CRC32(CONCAT(CONVERT(X'612d' USING utf8mb4), `v`))" in upstream
    assert "CRC32(`v`)" in downstream
    on_key = TableColumnRules(mapped=(MappedColumn("r", "v", "v", Affix("a-", "")),))
    found, notes, _ = planned("v varchar(9) NOT NULL PRIMARY KEY", rules=on_key)
    assert notes == ["chunks are not compared: the key v is mapped"]
    assert not found.takes(FIRST)


def test_summaries_of_an_interrupted_migration_add_up() -> None:
    first = {"comparedChunks": 3, "seconds": 1.5, "notCompared": ["a", "b"]}
    second = {"comparedChunks": 5, "seconds": 1.0, "notCompared": ["b", "c"]}
    assert merged(first, second) == {"comparedChunks": 5, "seconds": 2.5, "notCompared": ["a", "b", "c"]}
    assert merged({}, second) == second
    assert merged({}, {}) == {}
