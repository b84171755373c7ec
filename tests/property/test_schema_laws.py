"""Laws of DDL text: names go through any quoting, edits touch nothing else, structures survive JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pkg.errors import DMError
from pkg.schema.charset import UTF8MB4
from pkg.schema.ddl import Ddl, TableName, parse_ddl, split_alter
from pkg.schema.lexer import blanked, comments, quote_name, quote_string, string_value, tokenize
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.schema.translate import translate_ddl
from tests.cases.schema.sequences import load_cases

names = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), min_size=1, max_size=8)
noise = st.sampled_from([" ", "\n", " /* a; 'b */ ", " -- c `d`\n", "\t# e\n"])
types = st.sampled_from(
    ["INT", "VARCHAR(9)", "TEXT CHARACTER SET gbk", "ENUM('a','b;c')", "DATETIME(3) DEFAULT NOW(3)"]
)


@given(names)
def test_a_quoted_name_reads_back(name: str) -> None:
    assert tokenize(quote_name(name))[0].value == name


@given(st.text())
def test_a_quoted_string_reads_back(value: str) -> None:
    assert string_value(quote_string(value)) == value


@given(st.text(max_size=60))
def test_tokens_stand_where_they_say(sql: str) -> None:
    try:
        tokens = tokenize(sql)
    except ValueError:
        return
    for token in tokens[:-1]:
        assert sql[token.start : token.end] == token.text
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


@given(names, names, names, noise, names)
def test_mapping_a_name_changes_nothing_else(schema: str, table: str, column: str, gap: str, new: str) -> None:
    comment = quote_string(f"{schema}.{table}")
    rest = f"{gap}ADD {quote_name(column)} INT COMMENT {comment}"
    ddl = parse_ddl(f"ALTER TABLE {quote_name(schema)}.{quote_name(table)}{rest}", default_schema="x")
    assert ddl.subject == TableName(schema, table)
    expected = f"ALTER TABLE {quote_name(new)}.{quote_name(table)}{rest}"
    assert ddl.rename(lambda name: TableName(new, name.table)) == blanked(expected, comments(expected))


@given(st.lists(st.tuples(names, types), min_size=1, max_size=5, unique_by=lambda pair: pair[0].lower()))
def test_structures_survive_json(columns: list[tuple[str, str]]) -> None:
    body = ", ".join(f"{quote_name(name)} {kind}" for name, kind in columns)
    table = parse_create_table(f"CREATE TABLE t ({body})", "d")
    assert [column.name for column in table.columns] == [name for name, _ in columns]
    assert Table.from_json(json.loads(json.dumps(table.to_json()))) == table


@given(st.permutations(["a", "b", "c", "d"]), st.data())
def test_moving_columns_about_keeps_them_all(order: list[str], data: st.DataObject) -> None:
    tracker = SchemaTracker()
    tracker.load(parse_create_table("CREATE TABLE t (a INT, b INT, c INT, d INT, UNIQUE u (b, c))", "d"))
    expected = ["a", "b", "c", "d"]
    clauses = []
    for name in order:
        others = [other for other in expected if other != name]
        place = data.draw(st.sampled_from(["FIRST", *(f"AFTER {other}" for other in others)]))
        clauses.append(f"MODIFY {name} INT {place}")
        at = 0 if place == "FIRST" else others.index(place[6:]) + 1
        expected = [*others[:at], name, *others[at:]]
    before = tracker.table("d", "t")
    tracker.apply(parse_ddl("ALTER TABLE t " + ", ".join(clauses), default_schema="d"))
    table = tracker.table("d", "t")
    assert table is not None
    assert before is not None
    assert [column.name for column in table.columns] == expected
    assert replace(table, columns=before.columns) == before


STATEMENTS = [statement for case in load_cases() for statement in case.statements]


@given(st.sampled_from(STATEMENTS), st.data())
def test_a_damaged_statement_is_understood_or_refused_but_never_breaks(sql: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sql)))
    end = data.draw(st.integers(start, min(len(sql), start + 8)))
    damaged = sql[:start] + data.draw(st.sampled_from(["", "(", ")", ",", "`", "x ", " NOT ", "0x"])) + sql[end:]
    tracker = SchemaTracker()
    tracker.load(parse_create_table("CREATE TABLE t (a INT, b VARCHAR(9), c TEXT, KEY k (a))", "d"))
    ddl = _followed(tracker, damaged)
    if ddl is None or not ddl.is_schema_change:
        return
    for piece in ddl.pieces():
        for part in split_alter(piece, "mariadb"):
            for flavor in ("tidb", "mysql", "mariadb"):
                table = tracker.table("d", "t")
                translated = translate_ddl(part, table, flavor=flavor, collations=(), database=UTF8MB4).ddl
                if translated is not None:
                    parse_ddl(translated.rename(lambda name: name), default_schema="d", flavor="mariadb")


def _followed(tracker: SchemaTracker, sql: str) -> Ddl | None:
    """The statement once the tracker has followed it; None when it is refused."""
    try:
        ddl = parse_ddl(sql, default_schema="d", flavor="mariadb")
        if ddl.is_schema_change:
            tracker.apply(ddl)
    except DMError:
        return None
    return ddl
