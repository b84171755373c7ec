"""GTID sets obey the laws of sets."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.gtid import GtidSet, MySQLGtidSet, parse_gtid_set
from pkg.binlog.intervals import Intervals

UUIDS = [f"{number:08x}-71ca-11e1-9e33-c80aa9429562" for number in range(3)]
transactions = st.sets(st.tuples(st.sampled_from([*UUIDS, f"{UUIDS[0]}:tag"]), st.integers(1, 30)), max_size=40)
domains = st.dictionaries(st.integers(0, 3), st.tuples(st.integers(1, 2), st.integers(1, 50)), max_size=4)


def mysql(numbers: set[tuple[str, int]]) -> GtidSet:
    made: GtidSet = MySQLGtidSet({})
    for source, number in sorted(numbers):
        made = made.add(f"{source}:{number}")
    return made


def mariadb(last: dict[int, tuple[int, int]]) -> GtidSet:
    return parse_gtid_set(",".join(f"{domain}-{server}-{seq}" for domain, (server, seq) in last.items()), "mariadb")


@given(transactions, transactions)
def test_mysql_sets_behave_as_sets_of_transactions(one: set[tuple[str, int]], other: set[tuple[str, int]]) -> None:
    assert mysql(one).union(mysql(other)) == mysql(one | other)
    assert mysql(one).subtract(mysql(other)) == mysql(one - other)
    assert mysql(one).contains(mysql(other)) == (one >= other)
    expected = 0 if one == other else 1 if one > other else -1 if one < other else None
    assert mysql(one).compare(mysql(other)) == expected


@given(transactions)
def test_the_order_of_adding_does_not_matter(numbers: set[tuple[str, int]]) -> None:
    shuffled: GtidSet = MySQLGtidSet({})
    for source, number in sorted(numbers, key=lambda item: hash((item[1] * 7919) % 31)):
        shuffled = shuffled.add(f"{source}:{number}")
    assert shuffled == mysql(numbers)


@given(transactions)
def test_mysql_printing_and_parsing_are_inverse(numbers: set[tuple[str, int]]) -> None:
    made = mysql(numbers)
    assert parse_gtid_set(str(made), "mysql") == made


@given(domains)
def test_mariadb_printing_and_parsing_are_inverse(last: dict[int, tuple[int, int]]) -> None:
    made = mariadb(last)
    assert parse_gtid_set(str(made), "mariadb") == made
    assert made.is_empty == (not last)


@given(domains, domains)
def test_a_union_contains_both(one: dict[int, tuple[int, int]], other: dict[int, tuple[int, int]]) -> None:
    both = mariadb(one).union(mariadb(other))
    assert both.contains(mariadb(one))
    assert both.contains(mariadb(other))


@pytest.mark.slow
@given(st.lists(st.integers(1, 900), max_size=60), st.integers(1, 4), st.randoms(use_true_random=False))
def test_intervals_are_sets_of_numbers_in_any_order_of_adding(extra: list[int], step: int, random: Random) -> None:
    numbers = [*range(1, 900, step + 1), *extra]
    random.shuffle(numbers)
    made = Intervals.of([(numbers[0], numbers[0])])
    for number in numbers:
        made = made.add(number)
    assert {number for first, last in made for number in range(first, last + 1)} == set(numbers)
    assert made == Intervals.of((number, number) for number in numbers)
    assert len(made) == len(list(made))
    for number in range(902):
        assert made.has((number, number)) == (number in set(numbers))


def test_adding_to_ten_thousand_intervals_copies_only_a_few_of_them() -> None:
    many = Intervals.of((number, number) for number in range(1, 20_000, 2))
    added = many.add(9_000)
    shared = {id(leaf) for leaf in many.leaves} & {id(leaf) for leaf in added.leaves}
    assert len(many) == 10_000
    assert len(shared) >= len(many.leaves) - 2
