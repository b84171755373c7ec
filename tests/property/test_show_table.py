"""A structure as CREATE TABLE text reads back as the same structure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.schema.charset import CHARSETS, Charset, default_collation
from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.parse import parse_create_table
from pkg.schema.show import create_statement
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from tests.cases.schema.sequences import Case, load_cases

names = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), min_size=1, max_size=8)
labels = st.lists(st.text(max_size=5), min_size=1, max_size=3)
plain_types = st.sampled_from(
    [
        "int", "INT(5) UNSIGNED ZEROFILL", "bigint", "tinyint(1)", "decimal(20,5)", "decimal", "float(24)", "double",
        "bit(9)", "year", "date", "time(3)", "datetime(6)", "timestamp(2)", "char", "varchar(30)", "text(70000)",
        "blob", "binary(4)", "varbinary(9)", "json", "geometry", "mediumtext BINARY", "bool", "national char(3)",
        "varchar(3) CHARACTER SET binary", "varchar(5) COLLATE utf8mb4_uca1400_ai_ci", "serial",
    ]
)  # fmt: skip
labelled_types = st.builds(
    lambda word, chosen: f"{word}({', '.join(map(quote_string, chosen))})", st.sampled_from(["enum", "set"]), labels
)
types = plain_types | labelled_types
attributes = st.sampled_from(
    [
        "", "NOT NULL", "NULL", "DEFAULT 7", "DEFAULT -1.5", "DEFAULT 'it''s \\\\'", "DEFAULT (uuid())", "DEFAULT TRUE",
        "DEFAULT 0x41", "DEFAULT b'101'", "DEFAULT NOW(3) ON UPDATE NOW(3)", "DEFAULT CURRENT_TIMESTAMP", "INVISIBLE",
        "AS (1 + 2) VIRTUAL", "GENERATED ALWAYS AS (concat(')', `x`)) STORED NOT NULL", "COMMENT 'x' NOT NULL",
        "DEFAULT NEXT VALUE FOR s", "CHECK (1 > 0)", "PRIMARY KEY", "UNIQUE", "REFERENCES p (a) ON DELETE SET NULL",
    ]
)  # fmt: skip
charsets = st.sampled_from(sorted(CHARSETS)).map(lambda name: Charset(name, default_collation(name)))


def assert_reads_back(table: Table, flavor: str = "mysql") -> None:
    text = create_statement(table)
    assert parse_create_table(text, table.schema, context=DdlContext(flavor=flavor)) == table, text


@given(
    st.lists(st.tuples(names, types, attributes), min_size=1, max_size=6, unique_by=lambda one: one[0].lower()),
    charsets,
    st.sampled_from(
        ["", "COMMENT 'a''b'", "COLLATE latin1_bin", "CHARSET=gbk", "SEQUENCE=1", "WITH SYSTEM VERSIONING"]
    ),
    st.sampled_from(["mysql", "mariadb"]),
    st.data(),
)
def test_a_table_reads_back(
    columns: list[tuple[str, str, str]], database: Charset, options: str, flavor: str, data: st.DataObject
) -> None:
    elements = [f"{quote_name(name)} {kind} {attribute}" for name, kind, attribute in columns]
    keys = st.lists(st.sampled_from([name for name, _, _ in columns]), min_size=1, max_size=3, unique=True)
    for head in data.draw(st.lists(st.sampled_from(["KEY", "UNIQUE KEY", "FULLTEXT KEY"]), max_size=3)):
        parts = [quote_name(name) + data.draw(st.sampled_from(["", "(3)", " DESC"])) for name in data.draw(keys)]
        elements.append(f"{head} ({', '.join([*parts, *data.draw(st.sampled_from([[], ['(a + (1))']]))])})")
    sql = f"CREATE TABLE `t``x` ({', '.join(elements)}) {options}"
    assert_reads_back(parse_create_table(sql, "d", database, DdlContext(flavor=flavor)))


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_every_table_of_the_cases_reads_back(case: Case) -> None:
    flavor = case.only or "mariadb"
    tracker = SchemaTracker()
    for statement in case.statements:
        ddl = parse_ddl(statement, default_schema="d", flavor=flavor)
        if ddl.is_schema_change:
            tracker.apply(ddl)
        for table in tracker.tables():
            assert_reads_back(table, flavor)
