"""Texts that a server shows with ? for characters of four bytes."""

from __future__ import annotations

import json

import pytest

from pkg.schema.hidden_characters import doubts, questions, with_doubts, with_told_labels, with_true_texts
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

SHOWN = r"""CREATE TABLE `t?` (
  `id` int(11) NOT NULL COMMENT '?',
  `e?` enum('a','?','it''s ?','b\\?') NOT NULL DEFAULT '?',
  `s` set('?','c') CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT '?',
  `w` set('d','?') CHARACTER SET utf16 COLLATE utf16_bin DEFAULT NULL,
  `v` varchar(20) NOT NULL DEFAULT 'é?' COMMENT '?',
  `x` varchar(20) DEFAULT concat('?'),
  `b` varbinary(20) DEFAULT '?',
  `g` varchar(20) GENERATED ALWAYS AS (concat(`v`,'?')) VIRTUAL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='?'"""


@pytest.mark.parametrize(
    ("flavor", "defaults"), [("mariadb", [("e?", 0, "?"), ("v", 0, "é?")]), ("mysql", []), ("tidb", None)]
)
def test_labels_and_defaults_are_in_doubt_where_their_set_has_such_characters(
    flavor: str, defaults: list[tuple[str, int, str]] | None
) -> None:
    labels = [("e?", 2, "?"), ("e?", 3, "it's ?"), ("e?", 4, "b\\?"), ("w", 2, "?")]
    found = [(one.column, one.place, one.shown) for one in doubts(SHOWN, flavor)]
    assert sorted(found) == sorted([] if defaults is None else labels + defaults)


@pytest.mark.parametrize(
    "shown", ["CREATE VIEW `v` AS select '?' AS `a`", "CREATE TABLE `t` (`a` int) COMMENT='?'", ""]
)
def test_nothing_else_is_in_doubt(shown: str) -> None:
    assert not doubts(shown, "mariadb")


def test_the_true_texts_take_their_places() -> None:
    found = doubts(SHOWN, "mariadb")
    answers = {one.start: one.shown.replace("?", "😀") for one in found if one.place != 3}
    told = with_true_texts(SHOWN, found, answers)
    table = parse_create_table(told, "s")
    assert [one.labels for one in table.columns if one.labels] == [
        ("a", "😀", "it's ?", "b\\😀"), ("?", "c"), ("d", "😀")
    ]  # fmt: skip
    assert [one.default for one in table.columns if one.name in ("e?", "s", "v", "x")] == [
        "'😀'", "'?'", "'é😀'", "concat('?')"
    ]  # fmt: skip
    assert told.count("?") == SHOWN.count("?") - 5


@pytest.mark.parametrize(
    ("told", "may_be"), [("x😀?", True), ("x??", True), ("x?😀", True), ("x😀", False), ("y??", False)]
)
def test_an_answer_is_one_that_the_server_shows_so(told: str, may_be: bool) -> None:
    (doubt,) = doubts("CREATE TABLE t (e enum('x??') CHARACTER SET utf8mb4)", "mysql")
    assert doubt.may_be(told) is may_be


def test_many_labels_are_asked_for_in_parts() -> None:
    labels = ",".join(f"'{number}?'" for number in range(450))
    found = doubts(f"CREATE TABLE t (e enum({labels}) CHARACTER SET utf8mb4, v varchar(9) DEFAULT '?')", "mariadb")
    asked = [len(part) for part, _ in questions(found, "`s`.`t`", "mariadb")]
    assert asked == [200, 200, 50, 1]


def test_doubt_is_kept_with_the_structure_and_is_presumed_of_older_ones() -> None:
    table = parse_create_table(SHOWN, "s")
    assert not any(one.doubtful for one in table.columns)
    document = json.loads(json.dumps(with_doubts(table, {"w"}).to_json()))
    assert [one.name for one in Table.from_json(document).columns if one.doubtful] == ["w"]
    for column in document["columns"]:
        del column["doubtful"]
    assert [one.name for one in Table.from_json(document).columns if one.doubtful] == ["e?", "w"]


@pytest.mark.parametrize(
    ("now", "labels"),
    [
        ("enum('a','😀','?')", ("a", "😀", "?")),
        ("enum('a','?','?')", ("a", "?", "?")),
        ("enum('a','😀','?','c')", None),
        ("enum('b','😀','?')", None),
        ("set('a','😀','?')", None),
        ("enum('a','ü','?') character set latin1", None),
        ("varchar(9)", None),
    ],
)
def test_labels_are_told_later_where_the_upstream_still_shows_the_same(
    now: str, labels: tuple[str, ...] | None
) -> None:
    tracked, present = (
        parse_create_table(f"CREATE TABLE t (a int, e {one}) CHARSET utf8mb4", "s")
        for one in ("enum('a','?','?')", now)
    )
    told = with_told_labels(with_doubts(tracked, {"e"}), present)
    assert told.columns[1].doubtful is (labels is None)
    assert told.columns[1].labels == (labels or ("a", "?", "?"))
    assert with_told_labels(with_doubts(tracked, {"e"}), with_doubts(present, {"e"})).columns[1].doubtful
    assert with_told_labels(with_doubts(tracked, {"e"}), None).columns[1].doubtful
