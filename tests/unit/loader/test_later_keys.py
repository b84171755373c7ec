"""Which foreign keys of the upstream the target gets, under routes."""

from __future__ import annotations

from dataclasses import replace

from dm_worker.loader.later_keys import RoutedTable, free_name, same_key, target_keys
from pkg.rules.router import Target
from pkg.schema.parse import parse_create_table
from pkg.schema.table import ForeignKey


def routed(name: str, target: str = "", body: str = "", mapped: str = "") -> RoutedTable:
    """A table of the schema `up` and where it goes: `down`, under its own name if nothing else is said."""
    table = parse_create_table(f"CREATE TABLE `{name}` (id INT PRIMARY KEY, a INT, b INT{body})", "up")
    return RoutedTable(table, Target("down", target or name), frozenset(mapped.split()))


def reference(name: str, parent: str, column: str = "a", rules: str = "") -> str:
    return f", CONSTRAINT {name} FOREIGN KEY ({column}) REFERENCES {parent} (id) {rules}"


def keys_and_notes(*tables: RoutedTable) -> tuple[dict[str, list[str]], list[str]]:
    found = target_keys(tables)
    keys = {
        target.table: [f"{key.name} → {key.ref_schema}.{key.ref_table}" for key in keys]
        for target, keys in found.keys.items()
        if keys
    }
    return keys, [note.split(" is left out: ")[1] for notes in found.notes.values() for note in notes]


def test_a_parent_is_found_where_its_route_leads() -> None:
    tables = (routed("p", "parents"), routed("c", "", reference("f", "p") + reference("self", "c", "b")))
    assert keys_and_notes(*tables) == ({"c": ["f → down.parents", "self → down.c"]}, [])


def test_names_of_parents_are_found_whatever_their_case() -> None:
    assert keys_and_notes(routed("Parent"), routed("c", "", reference("f", "UP.parent"))) == (
        {"c": ["f → down.Parent"]}, [],
    )  # fmt: skip


def test_a_parent_that_is_not_migrated() -> None:
    assert keys_and_notes(routed("c", "", reference("f", "p"))) == (
        {}, ["up.p, to which it refers, is not migrated by this task"],
    )  # fmt: skip


def test_a_parent_that_is_merged() -> None:
    tables = (routed("p1", "p"), routed("p2", "p"), routed("c", "", reference("f", "p1")))
    assert keys_and_notes(*tables) == ({}, ["up.p1, to which it refers, is merged with other tables into down.p"])


def test_merged_children_of_one_parent_keep_their_key() -> None:
    children = [routed(f"c{number}", "c", reference(f"f{number}", "p")) for number in (1, 2)]
    assert keys_and_notes(routed("p"), *children) == ({"c": ["f1 → down.p"]}, [])


def test_merged_children_of_several_parents_lose_theirs() -> None:
    children = [routed(f"c{number}", "c", reference(f"f{number}", f"p{number}")) for number in (1, 2)]
    keys, notes = keys_and_notes(routed("p1"), routed("p2"), *children)
    assert keys == {}
    assert notes == ["not all tables that are merged into down.c have it"] * 2


def test_a_key_that_only_one_of_merged_tables_has() -> None:
    for children in [
        (routed("c1", "c", reference("f", "p")), routed("c2", "c")),
        (routed("c2", "c"), routed("c1", "c", reference("f", "p"))),
        (routed("c1", "c", reference("f", "p")), routed("c2", "c", reference("f", "p", rules="ON DELETE CASCADE"))),
    ]:
        keys, notes = keys_and_notes(routed("p"), *children)
        assert keys == {}
        assert set(notes) == {"not all tables that are merged into down.c have it"}


def test_mapped_columns_refer_to_nothing_any_more() -> None:
    for parent, child in [("id", ""), ("", "a")]:
        tables = (routed("p", "", "", parent), routed("c", "", reference("f", "p"), child))
        assert keys_and_notes(*tables) == ({}, ["a column mapping changes the values of its columns"])


def test_the_meaning_of_a_key_is_without_its_name_and_case() -> None:
    one = ForeignKey("f", ("a",), "s", "p", ("id",), "RESTRICT", "")
    assert same_key(one, ForeignKey("g", ("A",), "S", "P", ("ID",), "", ""))
    assert not same_key(one, ForeignKey("f", ("a",), "s", "p", ("id",), "CASCADE", ""))


def test_a_name_that_another_table_has_is_not_taken() -> None:
    key = ForeignKey("f", ("a",), "s", "p", ("id",))
    assert free_name(key, "c", {}) == "f"
    assert free_name(key, "c", {"f": "c"}) == "f"
    long = free_name(replace(key, name="t" * 64 + "_ibfk_1"), "c", {})
    assert len(long) == 64
    assert long != free_name(replace(key, name="t" * 64 + "_ibfk_2"), "c", {})
    assert free_name(key, "c", {"f": "d"}) == "c_f"
    assert free_name(key, "c", {"f": "d", "c_f": "d"}) == "c_f_2"
    long = ForeignKey("f" * 64, ("a",), "s", "p", ("id",))
    assert len(free_name(long, "c", {"f" * 64: "d"})) <= 64
