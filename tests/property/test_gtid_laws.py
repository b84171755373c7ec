"""GTID sets obey the laws of sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.gtid import GtidSet, MySQLGtidSet, parse_gtid_set

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
