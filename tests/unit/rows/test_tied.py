"""Tables that checked foreign keys tie to each other: groups, one channel, order within a batch."""

from __future__ import annotations

from pkg.rows.causality import Causality
from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.compact import segments
from pkg.rows.foreign_keys import group_name, tied_groups
from pkg.rows.job import Job, Origin
from pkg.rows.statements import Limits, statements
from tests.unit.rows.tables import as_event, column, keyed, primary, table

Change = tuple[RowImage | None, RowImage | None]


def tied(name: str, *, keyless: bool = False) -> TargetTable:
    columns = [column("id", nullable=False), column("p")]
    structure = table(columns, *([] if keyless else [primary("id")]), name=name)
    return plan_target(structure, structure, b"s.parent")


def row(ident: int, parent: int = 0) -> RowImage:
    return (b"%d" % ident, b"%d" % parent)


def jobs(*changes: tuple[TargetTable, Change], channels: int = 7, safe: bool = False) -> list[Job]:
    causality = Causality(channels)
    return [
        job
        for number, (target, change) in enumerate(changes)
        for job in causality.jobs(
            target, *as_event(*change), safe=safe, origin=Origin("f", ""), event_end=number, row_index=0, size=1
        )
    ]


def sql(batch: list[Job]) -> list[str]:
    found = [one for group in segments(batch) for segment in group for one in statements(segment, Limits())]
    return [statement.sql.decode().replace("`s`.", "").replace("`", "") for statement in found]


def test_groups_join_by_any_reference() -> None:
    a, b, c, d, e = (("s", name) for name in "abcde")
    groups = tied_groups([(a, b), (c, d), (("S", "B"), c), (e, e)])
    assert groups[a] == groups[d] == (a, b, c, d)
    assert groups[e] == (e,)
    assert group_name(groups[b]) == b"s.a"


def test_a_group_shares_one_channel() -> None:
    parent, child = tied("parent"), tied("child")
    batch = jobs(*[(parent, (None, row(n))) for n in range(20)], *[(child, (None, row(n))) for n in range(20)])
    assert len({job.channel for job in batch}) == 1


def test_parents_and_children_keep_their_order_in_a_batch() -> None:
    parent, child = tied("parent"), tied("child")
    batch = jobs(
        (parent, (None, row(1))), (parent, (None, row(2))), (child, (None, row(1, 1))), (child, (None, row(2, 2))),
        (child, (row(1, 1), None)), (parent, (row(1), None)), (parent, (None, row(1))),
    )  # fmt: skip
    assert sql(batch) == [
        "INSERT INTO parent (id,p) VALUES (1,0),(2,0)",
        "INSERT INTO child (id,p) VALUES (1,1),(2,2)",
        "DELETE FROM child WHERE id=1",
        "DELETE FROM parent WHERE id=1",
        "INSERT INTO parent (id,p) VALUES (1,0)",
    ]


def test_a_key_that_changes_is_an_update() -> None:
    assert sql(jobs((tied("parent"), (row(1), row(2))))) == ["UPDATE parent SET id=2 WHERE id=1"]


def test_a_change_without_checks_is_applied_without() -> None:
    unchecked = tied("child").unchecked
    assert unchecked is not None
    assert sql(jobs((unchecked, (None, row(1, 9))))) == [
        "SET foreign_key_checks=0",
        "INSERT INTO child (id,p) VALUES (1,9)",
        "SET foreign_key_checks=1",
    ]


def test_safe_mode_leaves_children_alone() -> None:
    parent = tied("parent")
    assert sql(jobs((parent, (None, row(1))), (parent, (row(1), row(2))), (parent, (row(2), None)), safe=True)) == [
        "SET foreign_key_checks=0",
        "REPLACE INTO parent (id,p) VALUES (1,0)",
        "SET foreign_key_checks=1",
        "SET foreign_key_checks=0",
        "DELETE FROM parent WHERE id=2",
        "SET foreign_key_checks=1",
        "UPDATE parent SET id=2 WHERE id=1",
        "SET foreign_key_checks=0",
        "REPLACE INTO parent (id,p) VALUES (2,0)",
        "SET foreign_key_checks=1",
        "DELETE FROM parent WHERE id=2",
    ]


def test_a_table_without_key_keeps_its_order() -> None:
    child = tied("child", keyless=True)
    assert sql(jobs((child, (None, row(1, 1))), (child, (None, row(1, 1))), (child, (row(1, 1), row(1, 2))))) == [
        "INSERT INTO child (id,p) VALUES (1,1),(1,1)",
        "UPDATE child SET p=2 WHERE id=1 AND p=1 LIMIT 1",
    ]


def test_other_tables_are_compacted_as_ever() -> None:
    free, child = keyed(), tied("child")
    image = (b"1", b"'a'", b"'x'")
    batch = jobs(
        (free, (None, image)), (child, (None, row(1))), (free, (image, replace_note(image))), (child, (None, row(2)))
    )
    assert sql(batch) == [
        "INSERT INTO t (id,code,note) VALUES (1,'a','y')",
        "INSERT INTO child (id,p) VALUES (1,0),(2,0)",
    ]


def replace_note(image: RowImage) -> RowImage:
    return (*image[:2], b"'y'")
