"""What is known of the parts of a DDL that an earlier run began, and what their tables tell."""

from __future__ import annotations

import json

import pytest

from dm_worker.syncer.ddl_journal import NEXT_DDL, Begun, Behind, DdlJournal, Known, document_of
from dm_worker.syncer.fingerprint import concerned, has_run, is_blind, is_exchanged, must_run_once, parts_of
from pkg.schema.ddl import parse_ddl
from pkg.schema.fractions import Cut
from pkg.schema.statement import TableName
from pkg.schema.tracker import SchemaTracker

BEHIND = Behind(("ALTER TABLE t ADD KEY k (n)",), (Cut("n", "CONCAT('ä', m)", "m > 1"),))


def again(known: Known) -> DdlJournal:
    """As the next run reads it."""
    return DdlJournal("m", document_of([[known.to_json()]], "m"))


def test_parts_are_told_apart() -> None:
    stored: list[Known] = []
    journal = DdlJournal("m", None, lambda known, _: stored.append(known))
    for part in ("DROP a", "DROP a", "DROP b"):
        assert not journal.is_over(part)
        journal.begin(part, f"before {part}", part, BEHIND)
        journal.end(part)
    second, third = again(stored[1]), again(stored[2])
    assert [second.is_over("DROP a"), second.is_over("DROP a"), second.is_over("DROP b")] == [True, False, False]
    assert [third.is_over("DROP a"), third.is_over("DROP a"), third.is_over("DROP b")] == [True, True, False]
    begun = third.begun("DROP b")
    assert begun == stored[2].begun
    assert begun is not None
    assert begun.behind == BEHIND
    assert third.begun("DROP c") is None


def test_the_mark_is_stored_once() -> None:
    marks: list[bool] = []
    journal = DdlJournal("m", None, lambda _, with_mark: marks.append(with_mark))
    journal.prepare()
    journal.prepare()
    journal.begin("DROP a", "before", "DROP a", Behind())
    assert marks == [True, False]


def test_what_the_target_refused_is_not_begun() -> None:
    stored: list[Known] = []
    journal = DdlJournal("m", None, lambda known, _: stored.append(known))
    journal.begin("DROP a", "before", "DROP a", Behind())
    journal.refuse()
    assert again(stored[-1]).begun("DROP a") is None


@pytest.mark.parametrize(("begun", "is_found"), [("m", True), (NEXT_DDL, True), ("another", False)])
def test_a_document_is_of_its_mark(begun: str, is_found: bool) -> None:
    known = Known("m", ("a",), Begun("b", "print", "DROP b", BEHIND))
    assert document_of([[known.to_json()]], begun) == (known if is_found else Known(begun, is_lost=True))
    assert document_of([[known.to_json()]], "") is None


def test_what_an_earlier_version_began_is_never_taken_for_stored() -> None:
    lost = DdlJournal("m", document_of([], "m"))
    assert lost.is_lost
    stored: list[Known] = []
    DdlJournal("m", document_of([], "m"), lambda known, _: stored.append(known)).prepare()
    later = again(stored[0])
    assert (later.is_lost, later.trusts_answers) == (True, True)


SHOWN = """CREATE TABLE `t` (
  `id` int(11) NOT NULL COMMENT ') of )',
  `n` int(11) DEFAULT NULL,
  `g` varchar(9) GENERATED ALWAYS AS (concat('a
) b',`n`)) VIRTUAL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4
 PARTITION BY HASH (`id`)
PARTITIONS 2"""


def changed_parts(text: str) -> set[str]:
    before, now = parts_of(SHOWN), parts_of(text)
    return {part for part in before if before[part] != now[part]}


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ("`n` int=>`n` bigint", {"columns"}),
        ("  `n` int(11) DEFAULT NULL,\n=>", {"columns"}),
        ("(`id`)\n)=>(`id`),\n  KEY `k` (`n`)\n)", {"keys"}),
        ("(`id`)\n)=>(`id`),\n  CONSTRAINT `c` CHECK (`n` > 1)\n)", {"checks"}),
        ("PARTITIONS 2=>PARTITIONS 3", {"partitions"}),
        ("AUTO_INCREMENT=7=>AUTO_INCREMENT=8", set()),
        ("utf8mb4=>utf8mb4 COMMENT='by hand'", set()),
    ],
)
def test_what_is_shown_by_what_it_is_about(change: str, parts: set[str]) -> None:
    old, new = change.split("=>")
    assert old in SHOWN
    assert changed_parts(SHOWN.replace(old, new)) == parts


def fingerprint_of(**changes: object) -> str:
    document = {"there": [True], "by": "9.0", "columns": "a", "keys": "a", "checks": "a", "partitions": "a"}
    return json.dumps({**document, **changes})


@pytest.mark.parametrize(
    ("sql", "changes", "done"),
    [
        ("ALTER TABLE t ADD c INT", {}, False),
        ("ALTER TABLE t ADD c INT", {"columns": "b"}, True),
        ("ALTER TABLE t ADD c INT", {"keys": "b"}, False),
        ("ALTER TABLE t ADD c INT, ADD KEY (n)", {"keys": "b"}, False),
        ("ALTER TABLE t MODIFY n BIGINT, ADD KEY (n)", {"keys": "b"}, True),
        ("ALTER TABLE t ADD KEY (n)", {"keys": "b"}, True),
        ("ALTER TABLE t ADD KEY (n)", {"columns": "b"}, False),
        ("ALTER TABLE t ADD CHECK (n > 1)", {"keys": "b"}, False),
        ("ALTER TABLE t ADD CHECK (n > 1)", {"checks": "b"}, True),
        ("ALTER TABLE t COALESCE PARTITION 1", {"keys": "b"}, False),
        ("ALTER TABLE t COALESCE PARTITION 1", {"partitions": "b"}, True),
        ("ALTER TABLE t COALESCE PARTITION 1", {"by": "9.1"}, None),
        ("ALTER TABLE t ENGINE = InnoDB", {"keys": "b", "columns": "b"}, False),
        ("TRUNCATE TABLE t", {"keys": "b"}, False),
        ("ALTER TABLE t TRUNCATE PARTITION p", {"keys": "b"}, False),
        ("CREATE OR REPLACE TABLE t (n INT)", {"columns": "b"}, False),
        ("DROP TABLE t", {"keys": "b"}, False),
        ("DROP TABLE t", {"there": [False], "by": "9.1"}, True),
        ("RENAME TABLE t TO r", {"keys": "b"}, False),
        ("RENAME TABLE t TO r", {"there": [False, True]}, True),
        ("DROP DATABASE d", {"there": [False]}, True),
        ("ALTER TABLE t DROP n, CHANGE m n INT, ADD m INT", {"columns": "b"}, None),
    ],
)
def test_what_an_earlier_run_has_done(sql: str, changes: dict[str, object], done: bool | None) -> None:
    tracker = SchemaTracker({"d": "utf8mb4_bin"})
    tracker.apply(parse_ddl("CREATE TABLE t (n INT, m INT)", default_schema="d"))
    before = tracker.table("d", "t")
    ddl = parse_ddl(sql, default_schema="d", flavor="mariadb")
    after = before
    if "c INT" in sql:
        tracker.apply(ddl)
        after = tracker.table("d", "t")
    assert has_run(ddl, (before, after), fingerprint_of(), fingerprint_of(**changes)) is done


def test_what_an_earlier_version_stored_does_not_tell() -> None:
    add = parse_ddl("ALTER TABLE t ADD KEY (n)", default_schema="d")
    assert has_run(add, (None, None), "9.0 STRICT aa", fingerprint_of()) is None


@pytest.mark.parametrize(
    ("now", "done"),
    [
        ([[["p0", "1"], ["p1", "2"]], [["", "3"]]], False),
        ([[["p0", "3"], ["p1", "2"]], [["", "1"]]], True),
        ([[["p0", "1"], ["p1", "2"]], [["", "9"]]], None),
        ([[["p0", "8"], ["p1", "9"]], [["", "3"]]], None),
        ([[["p0", "3"], ["p1", "9"]], [["", "1"]]], None),
        (None, None),
    ],
)
def test_what_numbers_tell_of_an_exchange(now: list[list[tuple[str, str]]] | None, done: bool | None) -> None:
    assert is_exchanged([[("p0", "1"), ("p1", "2")], [("", "3")]], now) is done


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("ALTER TABLE t ADD FOREIGN KEY (n) REFERENCES p (id)", "t"),
        ("RENAME TABLE t TO r", "t r"),
        ("ALTER TABLE t RENAME TO r, ADD n INT", "t r"),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE r", "t r"),
        ("CREATE TABLE t LIKE r", "t"),
    ],
)
def test_tables_that_are_compared(sql: str, names: str) -> None:
    assert [name.table for name in concerned(parse_ddl(sql, default_schema="d"))] == names.split()


@pytest.mark.parametrize(
    ("clauses", "blind"),
    [
        ("DROP n, CHANGE m n INT FIRST, ADD m INT", True),
        ("DROP n, CHANGE m n INT", False),
        ("DROP n, CHANGE m n INT, ADD m INT", True),  # other orders in the target
        ("DROP n, CHANGE m n BIGINT FIRST, ADD m INT", True),  # other types there
        ("DROP n, CHANGE m n INT DEFAULT 1 FIRST, ADD m INT", True),
        ("CHANGE m n BIGINT, CHANGE n m INT", False),
        ("CHANGE m n BIGINT FIRST, CHANGE n m INT", True),
        ("DROP n, CHANGE m n INT, ADD o INT", False),
        ("RENAME COLUMN n TO m, RENAME COLUMN m TO n", False),
        ("DROP m, ADD m INT", False),
    ],
)
def test_what_a_structure_does_not_tell(clauses: str, blind: bool) -> None:
    tracker = SchemaTracker({"d": "utf8mb4_bin"})
    tracker.apply(parse_ddl("CREATE TABLE t (n INT, m INT)", default_schema="d"))
    before = tracker.table("d", "t")
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="d")
    tracker.apply(ddl)
    assert is_blind(ddl, before, tracker.table("d", "t")) is blind


@pytest.mark.parametrize(
    ("sql", "once"),
    [
        ("RENAME TABLE a TO x, b TO a, x TO b", True),
        ("RENAME TABLE a TO b", False),
        ("ALTER TABLE a COALESCE PARTITION 1", True),
        ("ALTER TABLE a TRUNCATE PARTITION p", False),
        ("ALTER TABLE a ADD UNIQUE (n)", True),
        ("ALTER TABLE a ADD UNIQUE u (n)", False),
        ("ALTER TABLE a ADD PRIMARY KEY (n)", False),
        ("ALTER TABLE a ADD CHECK (n > 1)", True),
        ("ALTER TABLE a RENAME KEY k TO l", True),
        ("ALTER TABLE a ADD FOREIGN KEY (n) REFERENCES p (id)", True),
        ("ALTER TABLE a ADD COLUMN n INT", False),
    ],
)
def test_what_the_answers_of_a_target_do_not_tell(sql: str, once: bool) -> None:
    assert must_run_once(parse_ddl(sql, default_schema="d")) is once


def test_the_next_run_knows_what_differed_before_the_first() -> None:
    stored: list[Known] = []
    journal = DdlJournal("m", None, lambda known, _: stored.append(known))
    name = TableName("s", "t")
    journal.remember({name: ("column a",), TableName("s", "u"): None})
    journal.note("key k is left out")
    journal.begin("DROP a", "before", "DROP a", Behind())
    assert again(stored[0]).differed == {name: ("column a",), TableName("s", "u"): None}
    assert again(stored[0]).notes == ("key k is left out",)
    older = DdlJournal("m", document_of([['{"mark": "m", "done": [], "lost": false}']], "m"))
    assert (older.differed, older.notes) == (None, ())
