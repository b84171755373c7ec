"""Text types of a character set whose characters take more bytes in the target's."""

from __future__ import annotations

import pytest

from pkg.schema.translate import translate_create_table

TIDB = ("utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "binary")


@pytest.mark.parametrize(
    ("written", "there"),
    [
        ("TINYTEXT CHARACTER SET latin1", "text"),
        ("TEXT CHARACTER SET latin1", "mediumtext"),
        ("TEXT(100) CHARACTER SET cp1251", "text"),
        ("MEDIUMTEXT CHARACTER SET gbk", "longtext"),
        ("LONGTEXT CHARACTER SET latin1", "LONGTEXT"),
        ("TINYTEXT CHARACTER SET ascii", "TINYTEXT"),
        ("TEXT CHARACTER SET utf8mb3", "TEXT"),
        ("VARCHAR(255) CHARACTER SET latin1", "VARCHAR(255)"),
    ],
)
def test_a_text_has_room_for_its_characters(written: str, there: str) -> None:
    sql = f"CREATE TABLE t (id INT PRIMARY KEY, a {written})"
    made = translate_create_table(sql, schema="s", table="t", flavor="tidb", collations=TIDB)
    assert f" a {there} CHARACTER SET utf8mb4 " in made.sql
    grows = there in ("text", "TEXT(100)", "mediumtext", "longtext")
    assert any("take more bytes" in note for note in made.notes) is grows
