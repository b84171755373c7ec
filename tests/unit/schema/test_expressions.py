from __future__ import annotations

import pytest

from pkg.schema.context import DdlContext
from pkg.schema.ddl import parse_ddl
from pkg.schema.expression_samples import trial
from pkg.schema.expressions import doubtful_columns, that_escape
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

CREATE = "CREATE TABLE t (id INT, a INT UNSIGNED, v VARCHAR(5), j JSON, g VARCHAR(20) AS ({}) STORED)"


def table(expression: str, *modes: str) -> Table:
    tracker, context = SchemaTracker(), DdlContext(sql_mode=frozenset(modes))
    tracker.apply(parse_ddl(CREATE.format(expression), default_schema="db", sql_mode=modes), context)
    found = tracker.table("db", "t")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "modes", "kept"),
    [
        ("a+1", (), "a+1"),
        ("t.a + db.t.`a`", (), "`a` + `a`"),
        ("CONCAT( v, /* c */ X'41')", (), "CONCAT( v, X'41')"),
        ('CONCAT("a", "it\'s")', (), "CONCAT('a', 'it''s')"),
        ('"a" + 1', ("ANSI_QUOTES",), "`a` + 1"),
        (r"CONCAT(v, 'a\b')", ("NO_BACKSLASH_ESCAPES",), r"CONCAT(v, 'a\\b')"),
        ("a || v", (), "a || v"),
        ("a || v", ("PIPES_AS_CONCAT",), "CONCAT(a , v)"),
        ("a || @v", ("PIPES_AS_CONCAT",), ""),
        ("NOT a", ("HIGH_NOT_PRECEDENCE",), "! a"),
        ("NULL", (), ""),
    ],
)
def test_the_text_is_kept_as_any_session_reads_it(text: str, modes: tuple[str, ...], kept: str) -> None:
    column = table(text, *modes).columns[-1]
    assert column.expression == kept


@pytest.mark.parametrize(
    ("above", "below", "is_doubtful"),
    [
        ("a+1", "(`a` + 1)", False),
        ("(a+1) * (a+2)", "((`a` + 1) * (`a` + 2))", False),
        ("a + 1 * 2", "(`a` + (1 * 2))", True),  # what is within parentheses is not understood
        ("CONCAT(v, _utf8mb4'x')", "concat(`v`,'x')", False),
        ("a != 1 && v", "a <> 1 AND v", False),
        ("a + 1", "a + 2", True),
        ("CONCAT(v, 'x')", "CONCAT(v, 'X')", True),
        ("_utf8mb4", "a", True),
    ],
)
def test_texts_that_differ_only_in_quoting_and_case_are_the_same(above: str, below: str, is_doubtful: bool) -> None:
    assert bool(list(doubtful_columns(table(above), table(below)))) is is_doubtful


def test_expressions_follow_the_names_of_columns() -> None:
    tracker = SchemaTracker()
    for sql in (CREATE.format("CONCAT(a, a(1), 'a', A)"), "ALTER TABLE t RENAME COLUMN a TO `b c`"):
        tracker.apply(parse_ddl(sql, default_schema="db"), DdlContext())
    found = tracker.table("db", "t")
    assert found is not None
    assert found.columns[-1].expression == "CONCAT(`b c`, a(1), 'a', `b c`)"


def test_samples_hold_what_the_expressions_name() -> None:
    above, below = table("IF(a > 1000, v = 'abcdefgh', j->'$.x[1].y')"), table("a")
    one = trial(above.columns[-1], below.columns[-1], below, "m.x", "tidb")
    assert one.columns == "`a`, `v`, `j`"
    assert "CREATE TABLE m.x (`a` int unsigned NULL, `v` varchar(5) CHARACTER SET" in one.create
    rows = " ".join(one.rows)
    assert one.rows[0] == "(NULL, NULL, NULL)"
    assert all(value in rows for value in ("1001", "'abcde'", '{"x": [{"y": 1}, {"y": 1}]}'))
    assert "(-" not in rows


@pytest.mark.parametrize(
    ("text", "escapes"),
    [
        ("a LIKE v", True),
        ("a LIKE CONCAT(v, '%')", True),
        ("a NOT LIKE v", True),
        ("a LIKE v ESCAPE '|'", False),
        ("a LIKE '%x' 'y' AND v = 1", False),
        ("a LIKE _latin1'%x'", False),
        ("JSON_SEARCH(v, 'one', a)", True),
        ("CONCAT(`like`, 'LIKE')", False),
    ],
)
def test_expressions_in_which_a_backslash_of_a_value_may_escape(text: str, escapes: bool) -> None:
    assert bool(that_escape(table(text))) is escapes
