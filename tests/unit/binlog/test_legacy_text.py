"""Text of sets that do not go through Unicode whole: as bytes to its like, as characters else, or refused."""

from __future__ import annotations

import pytest

from pkg.binlog.charset import as_held, holds_alias, is_lossless, readable
from pkg.binlog.column_plan import TextTarget
from pkg.binlog.events import TableMap
from pkg.binlog.rare_values import introduced, text_reader
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.rows.folding import folding_of
from pkg.schema.parse import parse_create_table


def literal(raw: bytes, charset: str, target: TextTarget | None) -> bytes:
    """What becomes of a VARCHAR's bytes."""
    (column,) = parse_create_table(f"CREATE TABLE t (c VARCHAR(20) CHARACTER SET {charset})", "s").columns
    table_map = TableMap("s", "t", b"\x0f", (80,))
    image = b"\x00" + bytes([len(raw)]) + raw
    ((found,),) = RowPlan.build([column], table_map, None, [target]).decode(image, 0, len(image))
    return bytes(found)


@pytest.mark.parametrize(
    ("raw", "charset", "target", "wanted"),
    [
        (b"\x87\x90", "cp932", TextTarget("cp932"), b"_cp932 x'8790'"),
        (b"\x87\x90", "cp932", TextTarget("cp932", one_code=True), b"_cp932 x'8790'"),
        (b"", "cp932", TextTarget("cp932"), b"_cp932 ''"),
        (b"\x87\x90", "cp932", TextTarget("utf8mb4"), "'≒'".encode()),
        (b"\x81\xe0", "cp932", TextTarget("utf8mb4", one_code=True), "'≒'".encode()),
        (b"\xc9\xa1", "euckr", TextTarget("euckr"), b"_euckr x'c9a1'"),
        (b"\xd8\x01\xdc\x00", "ucs2", TextTarget("ucs2"), b"_ucs2 x'd801dc00'"),
        (b"\xd2\xa1", "greek", TextTarget("greek"), b"_greek x'd2a1'"),
        (b"\xe1", "greek", TextTarget("utf8mb4"), "'α'".encode()),
        (b"\xe4", "latin1", TextTarget("latin1"), "'ä'".encode()),
        (b"\xd2\xa1", "greek", None, b"x'd2a1'"),
        (b"\x83\x5c", "sjis", TextTarget(None, one_code=True), "'ソ'".encode()),
    ],
)
def test_a_text_travels_so_that_its_value_is_the_same(
    raw: bytes, charset: str, target: TextTarget | None, wanted: bytes
) -> None:
    assert literal(raw, charset, target) == wanted


@pytest.mark.parametrize(
    ("raw", "charset", "target"),
    [
        (b"\xc9\xa1", "euckr", TextTarget("utf8mb4")),
        (b"\xd2\xa1", "greek", TextTarget("utf8mb4")),
        (b"\x87\x90", "cp932", TextTarget("utf8mb4", one_code=True)),
        (b"\x87\x90", "cp932", TextTarget(one_code=True)),
        (b"\xa4", "armscii8", TextTarget("utf8mb4", one_code=True)),
        (b"a\x5c", "sjis", TextTarget(None, one_code=True)),
    ],
)
def test_a_text_that_would_become_another_one_is_refused(raw: bytes, charset: str, target: TextTarget) -> None:
    with pytest.raises(DMError) as raised:
        literal(raw, charset, target)
    assert raised.value.code == 36118
    assert f"in {charset}: {raw.hex()}" in raised.value.message
    assert "column c of s.t" in raised.value.message


def test_sets_that_go_through_unicode_whole() -> None:
    assert all(map(is_lossless, ("utf8mb4", "utf8mb3", "latin1", "koi8r", "utf16")))
    assert not any(map(is_lossless, ("cp932", "gbk", "gb18030", "euckr", "armscii8", "tis620", "cp1251", "ascii")))
    assert not holds_alias(b"\x83\x5c", "sjis")  # the second byte is no character of its own
    assert holds_alias(b"\x83\x5c\x5c", "sjis")


@pytest.mark.parametrize(
    ("text", "charset", "wanted"),
    [("ü漢", "latin1", "ü?"), ("漢", "gbk", "漢"), ("🦆", "utf8mb3", "?"), ("🦆", "utf8mb4", "🦆"), ("≒", "cp932", "≒"),
     ("ä", "cp932", "?"), ("\ue000", "eucjpms", "\ue000"), ("ж", "ascii", "?")],
)  # fmt: skip
def test_what_a_set_holds(text: str, charset: str, wanted: str) -> None:
    assert as_held(text, charset) == wanted


def test_equal_texts_wait_for_each_other_in_whatever_form() -> None:
    folding = folding_of("cp932_japanese_ci")
    assert folding is not None
    assert folding.fold(b"_cp932 x'41'") == folding.fold(b"_cp932 x'61'") == folding.fold(b"'a'")
    assert folding.fold(b"_cp932 x'8790'") == folding.fold(b"_cp932 x'81e0'") == folding.fold("'≒'".encode())
    assert folding.fold(b"_cp932 x'4181ad'") == folding.fold(b"_cp932 x'6181ae'")
    assert folding.fold(b"_cp932 ''") == folding.fold(b"''")
    exact = folding_of("cp932_bin")
    assert exact is not None
    assert exact.fold(b"_cp932 x'4120'") == exact.fold(b"_cp932 x'41'")
    assert readable(b"a\x81\xad", "cp932") == "a\ufffd"
    assert introduced(b"'a'") is None
    assert text_reader("cp932")(b"\x87\x90") == "'≒'".encode()
