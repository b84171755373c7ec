"""Values with a label whose true text is not known."""

from __future__ import annotations

import pytest

from pkg.binlog.column_plan import TextTarget
from pkg.binlog.errors import LABEL_IN_DOUBT
from pkg.binlog.events import TableMap
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.schema.hidden_characters import with_doubts
from pkg.schema.parse import parse_create_table

_PLAIN = TextTarget()


def literal(
    type_: str, number: int, target: TextTarget | None = _PLAIN, logged: tuple[bytes, ...] | None = None
) -> str:
    """What becomes of an ENUM's or SET's number."""
    table = with_doubts(parse_create_table(f"CREATE TABLE t (c {type_})", "s"), {"c"})
    code = 248 if type_.startswith("set") else 247
    table_map = TableMap("s", "t", b"\xfe", (code << 8 | 1,), labels=None if logged is None else (logged,))
    image = bytes([0, number])
    ((found,),) = RowPlan.build(table.columns, table_map, None, [target]).decode(image, 0, len(image))
    return bytes(found).decode()


@pytest.mark.parametrize(
    ("type_", "number", "wanted"),
    [
        ("enum('a','?')", 1, "'a'"),
        ("enum('a','?')", 0, "0"),
        ("set('?','b','c?','d')", 10, "'b,d'"),
        ("set('?','b','c?','d')", 0, "''"),
    ],
)
def test_other_labels_are_what_they_are(type_: str, number: int, wanted: str) -> None:
    assert literal(type_, number) == wanted


@pytest.mark.parametrize(
    ("type_", "number", "label"),
    [("enum('a','?')", 2, 2), ("set('b','?','c')", 7, 2), ("set('','?')", 2, 2), ("set('b','c ?','?')", 4, 3)],
)
@pytest.mark.parametrize("target", [TextTarget(), TextTarget(by_number=True), TextTarget(is_text=True)])
def test_a_label_in_doubt_is_refused_however_it_is_written(
    type_: str, number: int, label: int, target: TextTarget
) -> None:
    with pytest.raises(DMError) as raised:
        literal(type_, number, target)
    assert raised.value.is_a(LABEL_IN_DOUBT)
    assert f"label {label} of column c" in raised.value.message


@pytest.mark.parametrize(("type_", "number"), [("enum('a','b?')", 1), ("set('a','?')", 1)])
def test_numbers_stay_numbers(type_: str, number: int) -> None:
    assert literal(type_, number, TextTarget(by_number=True)) == str(number)


def test_labels_that_the_binlog_says_are_in_no_doubt() -> None:
    assert literal("enum('a','?')", 2, logged=(b"a", "😀".encode())) == "'😀'"
    assert literal("enum('a','?')", 2, target=None) == "'?'"
