"""Character sets as servers read them."""

from __future__ import annotations

import pytest

from pkg.binlog.charset import charset_of, collation_charset, decode, is_known
from pkg.schema.charset import CHARSETS


def test_every_character_set_of_the_servers_can_be_read() -> None:
    assert [name for name in CHARSETS if not is_known(name)] == []


@pytest.mark.parametrize(
    ("charset", "raw", "text"),
    [
        ("latin1", b"\x80\x81\xe4", "€\x81ä"),
        ("swe7", b"[\\]", "ÄÖÅ"),
        ("sjis", b"\x81_\x83\\", "\\ソ"),
        ("ujis", b"\xa1\xc0\xf5\xa1", "\\\ue000"),
        ("eucjpms", b"~\xa1\xc1\xad\xa1\x8f\xf5\xa2", "~～①\ue3ad"),
        ("big5", b"a\xf9\xd6", "a碁"),
        ("gb18030", b"\xa8\xbc\x81\x35\xf4\x37", "ḿ\ue7c7"),
        ("utf16le", b"=\xd8\x00\xde", "😀"),
    ],
)
def test_bytes_are_read_as_the_server_reads_them(charset: str, raw: bytes, text: str) -> None:
    assert decode(raw, charset) == text


@pytest.mark.parametrize(
    ("charset", "raw"),
    [("ascii", b"\x80"), ("cp1250", b"\x81"), ("ujis", b"\xa1"), ("gbk", b"\x81"), ("big5", b"a\xa2\xcc")],
)
def test_bytes_that_are_no_text_are_an_error(charset: str, raw: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        decode(raw, charset)


@pytest.mark.parametrize(
    ("number", "charset"),
    [
        (8, "latin1"),
        (33, "utf8mb3"),
        (45, "utf8mb4"),
        (63, "binary"),
        (255, "utf8mb4"),
        (2048, "utf8mb3"),
        (99999, "utf8mb4"),
    ],
)
def test_collation_numbers_of_both_flavours(number: int, charset: str) -> None:
    assert charset_of(number) == charset


@pytest.mark.parametrize(
    ("name", "charset"),
    [("utf8_general_ci", "utf8mb3"), ("latin1_swedish_ci", "latin1"), ("binary", "binary"), ("uca1400_ai_ci", None)],
)
def test_collations_by_name(name: str, charset: str | None) -> None:
    assert collation_charset(name) == charset
