"""Texts that expressions make large or small, and letters of which two servers make other ones."""

from __future__ import annotations

import pytest

from pkg.schema.cased_texts import (
    CasedText,
    condition,
    letters,
    pairs_of,
    pattern_of,
    plain_text,
    rules_of,
    texts_cased,
    unlike_letters,
)
from pkg.schema.parse import parse_create_table

G = "the generated column g"


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("upper(`v`)", [CasedText("v", "UPPER", G)]),
        ("concat(ucase(`V`),lcase(`w`))", [CasedText("v", "UPPER", G), CasedText("w", "LOWER", G)]),
        ("upper(lower(`v`))", [CasedText("v", "LOWER", G), CasedText("v", "UPPER", G)]),
        ("upper(case when `n` = 1 then `v` else `w` end)", [CasedText("v", "UPPER", G), CasedText("w", "UPPER", G)]),
        ("upper(json_unquote(json_extract(`j`,'$.a')))", [CasedText("j", "UPPER", G)]),
        ("lower(`e`)", [CasedText("e", "LOWER", G)]),
        ("lower(`b`)", [CasedText("v", "LOWER", G), CasedText("w", "LOWER", G)]),
        ("upper(`v`) no such words", [CasedText("v", "UPPER", G), CasedText("v", "LOWER", G)]),
        ("upper(`n`)", []),
        ("concat(`v`,upper('a'))", []),
    ],
)
def test_what_is_made_large_and_small(expression: str, found: list[CasedText]) -> None:
    columns = (
        "`v` varchar(9), `w` varchar(9), `n` int, `j` json, `e` enum('a'), "
        "`b` varchar(20) GENERATED ALWAYS AS (concat(`v`,`w`)) VIRTUAL, "
        f"`g` varchar(20) GENERATED ALWAYS AS ({expression}) STORED"
    )
    table = parse_create_table(f"CREATE TABLE `t` (`id` int NOT NULL, {columns}, PRIMARY KEY (`id`))", "s")
    assert sorted(texts_cased(table), key=str) == sorted(found, key=str)


def test_what_a_unique_key_makes_small() -> None:
    sql = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), UNIQUE KEY u ((lower(`v`))), KEY k ((upper(`v`))))"
    assert texts_cased(parse_create_table(sql, "s")) == [CasedText("v", "LOWER", "the unique key u")]


def test_rules() -> None:
    sql = "CREATE TABLE t (v VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, j JSON)"
    text, document = parse_create_table(sql, "s").columns
    assert rules_of(text) == ("latin1", "latin1_bin")
    assert rules_of(document) == ("utf8mb4", "utf8mb4_bin")


def test_pairs() -> None:
    there = "\n".join(["room", *("?" if one == "ы" else one for one in letters())])
    made = "\n".join(["ROOM", *("Ɐ" if one == "ɐ" else "?" if one == "ы" else one.upper()[0] for one in letters())])
    pairs = pairs_of((there, made))
    assert (pairs["a"], pairs["é"], pairs["ɐ"]) == ("A", "É", "")
    assert "ы" not in pairs
    assert set(pairs_of((there, "cut")).values()) == {""}


def test_letters_that_are_unlike() -> None:
    assert unlike_letters({"a": "A", "i": "İ", "ɐ": "", "ß": "ß"}, {"a": "A", "i": "I", "ɐ": "", "ß": "ß"}) == "iɐ"


def test_finding_them() -> None:
    found = pattern_of("]^-\\'Š")
    assert all(found.search(one) for one in ("]", "^", "-", "\\", "'", "xŠ"))
    assert not found.search("abcš[_")
    assert condition("v", "Š]").endswith(r" REGEXP '[Š\\]]')")
    assert plain_text('{"a": "\\u0160"}', is_json=True) == '{"a": "Š"}'
    assert plain_text("\\u0160", is_json=False) == "\\u0160"
