"""Statements that come near the target's max_allowed_packet."""

from __future__ import annotations

import pytest

from dm_worker.syncer.large_rows import BESIDE, ROW_TOO_LARGE, fitting
from pkg.errors import DMError


def test_bytes_are_written_as_they_are_where_digits_are_too_many() -> None:
    data = bytes(range(256)) * 40
    head, tail = rb"INSERT INTO `d`.`t`(`a`,`b`,`c`)VALUES('x\'4141','it''s x',", rb",x'AB')"
    sql = b"%bx'%b'%b" % (head, data.hex().encode(), tail)
    assert fitting(sql, len(sql) + BESIDE) == sql
    escaped = data.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
    assert fitting(sql, len(sql) + BESIDE - 1) == b"%b_binary'%b'%b" % (head, escaped, tail)


def test_a_row_that_is_too_large_is_named() -> None:
    sql = b"INSERT INTO `d`.`t`(`id`,`b`)VALUES(7,x'%b')" % (b"ab" * 5000)
    with pytest.raises(DMError) as caught:
        fitting(sql, 5000 + BESIDE)
    assert caught.value.is_a(ROW_TOO_LARGE)
    assert "VALUES(7,x'abab" in caught.value.message
    assert len(caught.value.message) < 600
