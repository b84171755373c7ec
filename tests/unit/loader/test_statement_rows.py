"""The rows of a statement are found again for an error, whatever their values hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dm_worker.loader.statement_rows import row_named, rows_of, shown
from pkg.rows.text_protocol import StatementBuilder
from tests.unit.rows.test_text_protocol import BINARY, BLOB, INT, UTF8MB4, VARCHAR, VECTOR, result

PREFIX = b"INSERT INTO `a(b`.`t'` (`x`, `y`) VALUES "
_text = st.one_of(st.none(), st.binary(max_size=20), st.text("(),'\\x\"COALESCE", max_size=9).map(str.encode))


@given(st.lists(st.tuples(st.integers(), _text, _text), min_size=1, max_size=5))
def test_each_row_gives_its_literals(values: list[tuple[int, bytes | None, bytes | None]]) -> None:
    columns = [(INT, BINARY), (VARCHAR, UTF8MB4), (BLOB, BINARY)]
    rows: list[list[bytes | None]] = [[str(number).encode(), text, raw] for number, text, raw in values]
    [(statement, _)] = StatementBuilder(PREFIX, 1000, 1 << 20).feed(result(columns, rows))
    found = list(rows_of(statement, PREFIX))
    assert len(found) == len(rows)
    assert b"(" + b"),(".join(b",".join(row) for row in found) + b")" == statement.removeprefix(PREFIX)
    assert [row[0] for row in found] == [row[0] for row in rows]
    assert [row[2] for row in found] == [
        b"NULL" if raw is None else b"x'%b'" % raw.hex().upper().encode() for _, _, raw in values
    ]


def test_vectors_are_one_value() -> None:
    stream = result([(VECTOR, BINARY), (INT, BINARY)], [[b"\0\0\x80?", b"7"]])
    [(statement, _)] = StatementBuilder(PREFIX, 10, 1000).feed(stream)
    assert list(rows_of(statement, PREFIX)) == [(b"COALESCE(/*T! '[1]', */ x'0000803f')", b"7")]


def test_the_row_that_a_server_names_is_the_one() -> None:
    statement = PREFIX + b"(1,'a'),(2,'b, at row 1')"
    assert row_named("Data too long for column 'y' at row 2", statement, PREFIX) == (b"2", b"'b, at row 1'")
    assert row_named("Data too long for column 'y' at row 3", statement, PREFIX) is None
    assert row_named("Column 'y' cannot be null", statement, PREFIX) is None


def test_a_long_value_does_not_take_long_and_is_cut() -> None:
    statement = PREFIX + b"('" + b"a\\'" * 300_000 + b"',7)"
    [row] = rows_of(statement, PREFIX)
    text = shown(["`x`", "`y`"], row, ["`y`"])
    assert text.startswith("`y`=7, `x`='a\\'a")
    assert len(text) < 120


def test_a_wide_table_shows_some_columns_with_the_key_first() -> None:
    names = [f"`c{number}`" for number in range(40)]
    text = shown(names, [b"1"] * 40, ["`c39`"])
    assert text.startswith("`c39`=1, `c0`=1")
    assert text.endswith("`c10`=1, …")
