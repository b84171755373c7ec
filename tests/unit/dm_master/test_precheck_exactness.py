"""What check-task says of columns that are mapped or refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dm_master.precheck.exactness import check_exactness
from dm_master.precheck.facts import ColumnFacts, KeyFacts, TableFacts
from dm_master.precheck.report import State
from tests.unit.dm_master.test_precheck import PRIMARY, table, target, upstream

TIDB = frozenset(
    {"utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_bin", "utf8mb4_0900_ai_ci", "latin1_bin", "binary"}
)
ID = ColumnFacts("id", "int(11)", nullable=False)
BY_NAME = KeyFacts("by_name", ("name",), True)


def said(*tables: TableFacts, there: tuple[TableFacts, ...] = (), flavor: str = "tidb") -> tuple[list[str], str]:
    into = target(*there, collations=TIDB, flavor=flavor)
    check = check_exactness(upstream(*tables), into)
    return [f"{one.state}: {one.text}" for one in check.findings], check.extra


def text(name: str, collation: str, kind: str = "varchar(20)") -> ColumnFacts:
    return ColumnFacts(name, kind, collation=collation)


def test_exact_columns_are_only_counted() -> None:
    found = said(table("a", ID, text("name", "utf8mb4_general_ci")), table("b", ID, text("name", "utf8mb4_bin")))
    assert found == ([], "4 columns of 2 tables arrive exactly")


def test_changes_of_one_kind_are_one_finding_with_the_columns() -> None:
    columns = [text(f"c{number}", "latin1_swedish_ci") for number in range(7)]
    (found,), extra = said(table("a", ID, *columns))
    assert found.startswith("warn: source s1: the target lacks latin1_swedish_ci, utf8mb4_general_ci is used instead: ")
    assert "7 columns: `shop`.`a`.c0" in found
    assert found.endswith("`shop`.`a`.c4 and 2 more")
    assert extra == "1 columns of 1 tables arrive exactly"


def test_columns_of_keys_are_told_apart_from_others() -> None:
    name = text("name", "latin1_swedish_ci")
    (found,), _ = said(table("a", ID, name, keys=(PRIMARY, BY_NAME)))
    assert "the key's latin1_swedish_ci becomes utf8mb4_bin, so that no two rows are one" in found


def test_text_that_unicode_may_lack_and_types_that_are_not_there() -> None:
    found, _ = said(table("a", ID, text("t", "euckr_bin"), ColumnFacts("u", "uuid"), ColumnFacts("g", "geometry")))
    assert [one.split(": ")[0] for one in found] == ["fail", "warn", "warn", "warn"]
    assert "the target has no type geometry: `shop`.`a`.g" in found[0]
    assert "euckr text goes through Unicode; a value with a code that Unicode lacks stops the task" in found[1]
    assert "the type uuid becomes char(36): `shop`.`a`.u" in found[3]


def test_a_set_that_the_target_keeps_loses_nothing() -> None:
    into = target(collations=frozenset({"euckr_korean_ci", "euckr_bin"}), flavor="mysql")
    facts = upstream(table("a", ID, text("t", "euckr_korean_ci")))
    assert check_exactness(facts, into).findings == ()


def test_doubles_whose_last_digits_the_target_would_change_are_another_type() -> None:
    columns = ColumnFacts("d", "double(20,15)"), ColumnFacts("e", "double(10,2)")
    into = target(collations=frozenset(), flavor="mariadb")
    (found,) = check_exactness(upstream(table("a", ID, *columns)), into).findings
    assert "the type double(20,15) becomes double" in str(found)


def test_a_table_that_is_there_and_may_make_two_rows_one_is_refused() -> None:
    ours = table("a", ID, text("name", "utf8mb4_bin"), keys=(PRIMARY, BY_NAME))
    theirs = table("a", ID, text("name", "utf8mb4_general_ci"), keys=(PRIMARY, BY_NAME))
    (found,), _ = said(ours, there=(theirs,))
    assert found.startswith("fail: `shop`.`a`.name in the target has utf8mb4_general_ci in a key")
    assert said(ours, there=(ours,))[0] == []


def test_a_table_that_is_there_and_would_round_values_is_refused() -> None:
    ours = table("a", ID, ColumnFacts("n", "decimal(10,4)"), ColumnFacts("at", "datetime(3)"))
    theirs = table("a", ID, ColumnFacts("n", "decimal(20,2)"), ColumnFacts("at", "datetime(6)"))
    (found,), _ = said(ours, there=(theirs,))
    assert found.startswith("fail: `shop`.`a` in the target would change values of `shop`.`a` without an error: ")
    assert found.endswith(": n is decimal(10,4), and decimal(20,2) there")


def test_a_table_that_is_there_and_holds_addresses_as_texts_is_taken() -> None:
    ours = table("a", ID, ColumnFacts("i", "inet6"), ColumnFacts("j", "inet4"), ColumnFacts("k", "uuid"))
    names = (("i", "varchar(39)"), ("j", "varchar(15)"), ("k", "char(36)"))
    theirs = table("a", ID, *(text(name, "ascii_bin", kind) for name, kind in names))
    found, _ = said(ours, there=(theirs,), flavor="mysql")
    assert not [one for one in found if "would change values" in one]


def test_generated_columns_with_other_values_there_are_refused() -> None:
    sql = "CREATE TABLE `a` (`name` varchar(20) CHARACTER SET latin1, `h` char(32) AS (md5(`name`)) STORED)"
    columns = text("name", "latin1_swedish_ci"), ColumnFacts("h", "char(32)", generated=True)
    ours = replace(table("a", *columns, keys=()), create_sql=sql)
    (found, _), _ = said(ours)
    assert found.startswith("fail: source s1: the generated column `shop`.`a`.h would hold other values in the target")
    assert said(ours, there=(ours,))[0] == []  # the user's own expression
    assert said(ours, flavor="mariadb")[0] != []


def test_columns_of_a_table_that_is_there_take_other_values() -> None:
    ours = table("a", ID, ColumnFacts("n", "int(11)"), text("e", "utf8mb4_bin", "enum('A','b')"))
    there = table("a", ID, ColumnFacts("n", "int(11)", generated=True), text("e", "utf8mb4_bin", "enum('A','c')"))
    (found,), _ = said(ours, there=(there,))
    assert found.startswith("fail: ")
    assert found.endswith("without an error: n is int(11), and generated there")
    other = replace(there, columns=(ID, ColumnFacts("n", "int"), text("e", "utf8mb4_general_ci", "enum('a','b')")))
    (found,), _ = said(ours, there=(other,))
    assert found.endswith("without an error: e is enum('A','b'), and enum('a','b') there")


def test_an_expression_that_the_target_writes_otherwise_is_told() -> None:
    create = "CREATE TABLE a (id INT, g INT AS ({}) STORED)"
    ours, there = (
        replace(table("a", ID, ColumnFacts("g", "int(11)", generated=True)), create_sql=create.format(text))
        for text in ("id+1", "(`id` + 2)")
    )
    (found,), _ = said(ours, there=(there,))
    assert found.startswith("warn: source s1: the generated column `shop`.`a`.g is id+1, and (`id` + 2) in the target")
    assert said(ours, there=(replace(there, create_sql=create.format("`id` + 1")),))[0] == []


def test_a_table_that_was_altered_since_the_task_ran_is_no_reason_to_refuse_it() -> None:
    ours = table("a", ID, text("name", "utf8mb4_bin"), keys=(PRIMARY, BY_NAME))
    theirs = table("a", ID, text("name", "utf8mb4_general_ci"), keys=(PRIMARY, BY_NAME))
    into = target(theirs, collations=TIDB, flavor="tidb")
    first, again = (check_exactness(upstream(ours), into, goes_on=goes_on) for goes_on in (False, True))
    assert (first.state, again.state) == (State.FAIL, State.WARN)
    assert [one.text for one in first.findings] == [one.text for one in again.findings]


def test_documents_that_an_expression_reads_are_told() -> None:
    columns = ID, ColumnFacts("j", "json"), text("v", "utf8mb4_bin"), ColumnFacts("k", "json")
    ours = table("a", ID, ColumnFacts("j", "json"), replace(columns[2], generated=True), columns[3])
    create = "CREATE TABLE a (id INT, j JSON, v VARCHAR(20) AS (json_unquote(json_extract(`j`,'$.v'))), k JSON)"
    ours = replace(ours, create_sql=create)
    found = check_exactness(replace(upstream(ours), flavor="mysql"), target(collations=TIDB, flavor="tidb")).findings
    (told,) = (str(one) for one in found if "documents that" in str(one))
    assert "`shop`.`a`.j" in told
    assert "`shop`.`a`.k" not in told
    plain = target(table("a", *columns), collations=TIDB, flavor="tidb")
    assert not check_exactness(replace(upstream(ours), flavor="mysql"), plain).findings


def test_documents_of_mariadb_that_an_expression_reads_are_told() -> None:
    columns = [ID, ColumnFacts("j", "longtext", collation="utf8mb4_bin"), ColumnFacts("l", "int(11)")]
    create = (
        "CREATE TABLE a (id INT, j longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin CHECK (json_valid(`j`)), "
        "l int(11) GENERATED ALWAYS AS (json_length(`j`)) STORED)"
    )
    facts = replace(upstream(replace(table("a", *columns), create_sql=create)), flavor="mariadb")
    told = {
        flavor: [one.text for one in check_exactness(facts, target(collations=TIDB, flavor=flavor)).findings]
        for flavor in ("tidb", "mysql", "mariadb")
    }
    named = {flavor: [one for one in found if "documents that" in one] for flavor, found in told.items()}
    assert all("a name twice" in "".join(named[flavor]) for flavor in ("tidb", "mysql")), told
    assert all("`shop`.`a`.j" in "".join(named[flavor]) for flavor in ("tidb", "mysql"))
    assert not named["mariadb"]


def test_a_function_that_the_target_lacks_is_refused() -> None:
    sql = "CREATE TABLE `a` (`v` varchar(20) CHARACTER SET utf8mb4, `m` char(32) AS (md5(`v`)) STORED)"
    ours = replace(table("a", text("v", "utf8mb4_bin"), ColumnFacts("m", "char(32)", generated=True)), create_sql=sql)
    into = target(collations=TIDB, flavor="mysql", lacking_functions=frozenset({"MD5"}))
    found = [str(one) for one in check_exactness(upstream(ours), into).findings]
    assert any("calls MD5, and the target has no function MD5()" in one for one in found)


def test_texts_that_the_upstream_shows_with_a_mark_and_does_not_tell() -> None:
    shown = replace(table("a", ID, text("e", "utf8mb4_bin", "enum('a','?')")), doubtful=("e",))
    (found,), _ = said(shown)
    assert found.startswith("warn: source s1: the upstream shows ? in a label or a default")
    assert found.endswith(": `shop`.`a`.e")


@pytest.mark.parametrize(
    ("generated", "flavor", "said"),
    [
        ("nullif(`v`,'x')) VIRTUAL", "tidb", "g calls NULLIF, which tidb does not take in generated columns"),
        ("nullif(`v`,'x')) VIRTUAL", "mariadb", ""),
        ("date_format(`d`,'%Y')) STORED", "mariadb", "g calls DATE_FORMAT, which mariadb does not take in STORED"),
        ("date_format(`d`,'%Y')) VIRTUAL", "mariadb", ""),
    ],
)
def test_a_function_that_the_target_does_not_take_in_a_generated_column(generated: str, flavor: str, said: str) -> None:
    sql = f"CREATE TABLE `a` (`v` varchar(20) CHARACTER SET utf8mb4, `d` date, `g` char(32) AS ({generated})"
    columns = (text("v", "utf8mb4_bin"), ColumnFacts("d", "date"), ColumnFacts("g", "char(32)", generated=True))
    ours = replace(table("a", *columns), create_sql=sql)
    found = [str(one) for one in check_exactness(upstream(ours), target(collations=TIDB, flavor=flavor)).findings]
    assert any(said in one for one in found) if said else not any("does not take" in one for one in found)


def test_days_that_are_calculated_with() -> None:
    sql = (
        "CREATE TABLE `a` (`d` date, `e` date, `g` char(9) AS (date_format(`d`,'%Y')) VIRTUAL, `y` int AS (year(`e`)))"
    )
    columns = (ColumnFacts("d", "date"), ColumnFacts("e", "date"), ColumnFacts("g", "char(9)", generated=True))
    ours = replace(table("a", *columns, ColumnFacts("y", "int", generated=True)), create_sql=sql)
    found = [one.text for one in check_exactness(upstream(ours), target(collations=TIDB, flavor="tidb")).findings]
    assert [
        one
        for one in found
        if "days of which" in one and one.endswith("since servers make other values of it: `shop`.`a`.d")
    ]


@pytest.mark.parametrize("flavor", ["mysql", "tidb"])
def test_texts_that_are_made_small(flavor: str) -> None:
    sql = "CREATE TABLE `a` (`v` varchar(20) CHARACTER SET utf8mb4, `g` char(9) AS (lower(`v`)) VIRTUAL)"
    columns = (text("v", "utf8mb4_bin"), ColumnFacts("g", "char(9)", generated=True))
    ours = replace(table("a", *columns), create_sql=sql)
    found = [one.text for one in check_exactness(upstream(ours), target(collations=TIDB, flavor=flavor)).findings]
    said = [one for one in found if "makes large or small" in one]
    assert bool(said) == (flavor != upstream(ours).flavor)
    assert all(one.endswith("`shop`.`a`.v") for one in said)
