"""Chunks of keys that are no integers: every row in one of them, about as many in each, no pass over the index."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dm_worker.dumper.chunks import Bound, Key, NotAscending, Range, TableSize
from dm_worker.dumper.cutting import plan_ranges
from dm_worker.dumper.key_values import Kind, Symbols, between, symbols_of, text_of
from tests.unit.dumper.key_index import KeyIndex, Order

TARGET = 100


def key_of(*kinds: Kind) -> Key:
    return Key("PRIMARY", tuple(f"c{at}" for at in range(len(kinds))), kinds, False)


def cut(kinds: Sequence[Kind], index: KeyIndex, rows: int, target: int = TARGET) -> list[int]:
    """Rows of each chunk; together they are all, once each."""
    ranges = plan_ranges(key_of(*kinds), TableSize(rows, 100), target, index)
    assert (ranges[0].lower, ranges[-1].upper) == (None, None)
    assert [one.upper for one in ranges[:-1]] == [one.lower for one in ranges[1:]]
    chunks = [index.rows(one) for one in ranges]
    assert [key for chunk in chunks for key in chunk] == index.rows(Range())
    return [len(chunk) for chunk in chunks]


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0").replace("\x1a", "\\Z") + "'"


def hexadecimal(data: bytes) -> str:
    return f"x'{data.hex().upper()}'"


def swapped(literal: str) -> str:
    """As MariaDB orders UUIDs."""
    return "-".join(reversed(text_of(literal).split("-")))


def address(literal: str) -> int:
    return int(IPv6Address(text_of(literal)))


def folded(literal: str) -> str:
    return text_of(literal).casefold()


_random = random.Random(20261122)
_NAMES = ["anna", "bert", "carla", "dora", "emil", "Zoë", "Łukasz", "élodie", "😀", "o'neil", "back\\slash"]

Made = Callable[[random.Random], list[str]]
# Made by the test: every process that collects tests imports this file.
_UNIFORM: dict[str, tuple[Kind, Order, Made]] = {
    "uuid as text": (
        Kind.TEXT,
        text_of,
        lambda rng: [f"'{uuid.UUID(int=rng.getrandbits(128))}'" for _ in range(20_000)],
    ),
    "numbers with a prefix": (Kind.TEXT, text_of, lambda rng: [f"'ORDER-2026-{n:08}'" for n in range(20_000)]),
    "base 62": (
        Kind.TEXT,
        text_of,
        lambda rng: ["'" + "".join(rng.choices("0123456789ABCXYZabcxyz", k=12)) + "'" for _ in range(20_000)],
    ),
    "names": (
        Kind.TEXT,
        text_of,
        lambda rng: [quoted(" ".join(rng.choices(_NAMES, k=2)) + str(n)) for n in range(20_000)],
    ),
    "bytes": (Kind.BYTES, text_of, lambda rng: [hexadecimal(rng.randbytes(16)) for _ in range(20_000)]),
    "text in bytes": (
        Kind.BYTES,
        text_of,
        lambda rng: [hexadecimal(rng.randbytes(8).hex().encode()) for _ in range(20_000)],
    ),
    "uuid 4 of MariaDB": (
        Kind.UUID,
        swapped,
        lambda rng: [f"'{uuid.UUID(int=rng.getrandbits(128), version=4)}'" for _ in range(20_000)],
    ),
    "uuid 1 of MariaDB": (
        Kind.UUID,
        swapped,
        lambda rng: [
            f"'{uuid.UUID(int=(n * 7919 << 96) | (n >> 8 << 80) | (1 << 76) | 0x8123_0242AC120002)}'"
            for n in range(20_000)
        ],
    ),
    "decimal": (
        Kind.NUMBER,
        Decimal,
        lambda rng: sorted({f"{rng.randint(-(10**12), 10**12)}.{rng.randint(0, 9999):04}" for _ in range(20_000)}),
    ),
    "moments": (
        Kind.MOMENT,
        text_of,
        lambda rng: [
            f"'2026-{1 + n % 12:02}-{1 + n // 12 % 28:02} {n // 336 % 24:02}:30:{n // 8064:02}.{n:06}'"
            for n in range(20_000)
        ],
    ),
    "inet6": (Kind.INET6, address, lambda rng: [f"'2001:db8:{n:04x}:1:1:1:1:{n:04x}'" for n in range(20_000)]),
}


@pytest.mark.parametrize("case", _UNIFORM)
def test_even_keys_are_cut_into_chunks_of_about_one_size(case: str) -> None:
    kind, order, made = _UNIFORM[case]
    literals = made(random.Random(case))
    index = KeyIndex([(one,) for one in literals], [order])
    sizes = cut([kind], index, len(literals))
    assert max(sizes) <= 2 * TARGET
    assert len(sizes) <= 3 * len(literals) / TARGET
    assert index.passed <= len(literals) / 10


_SKEWED: dict[str, tuple[tuple[Kind, ...], tuple[Order, ...], Callable[[], list[Bound]]]] = {
    "one tenant has nearly all": (
        (Kind.NUMBER, Kind.NUMBER),
        (int, int),
        lambda: [(str(tenant), str(n)) for tenant, rows in ((1, 50), (2, 18_000), (3, 20), (900, 2_000)) for n in range(rows)],
    ),
    "many tenants with few rows": (
        (Kind.NUMBER, Kind.NUMBER),
        (int, int),
        lambda: [(str(n // 7), str(n)) for n in range(20_000)],
    ),
    "names before numbers": (
        (Kind.TEXT, Kind.NUMBER),
        (folded, int),
        lambda: [(quoted(_NAMES[n % 11] if n % 50 == 0 else "Big"), str(n)) for n in range(20_000)],
    ),
    "cases that are equal": (
        (Kind.TEXT, Kind.NUMBER),
        (folded, int),
        lambda: [(quoted(("acme", "ACME", "Acme ", "b")[n % 4]), str(n)) for n in range(20_000)],
    ),
    "steps that grow": (
        (Kind.NUMBER,),
        (int,),
        lambda: [(str(10**power + n),) for power in range(5, 60, 3) for n in range(1_000)],
    ),
    "prefixes of each other": ((Kind.TEXT,), (text_of,), lambda: [("'" + "a" * n + f"{n:04}'",) for n in range(5_000)]),
    "zero dates": (
        (Kind.MOMENT, Kind.TIME),
        (text_of, text_of),
        lambda: [("'0000-00-00'" if n % 2 else "'2026-02-28'", f"'{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}'") for n in range(20_000)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", _SKEWED)
def test_skewed_keys_make_no_large_chunks(case: str) -> None:
    kinds, orders, made = _SKEWED[case]
    keys = made()
    index = KeyIndex(keys, orders, symbol=str.casefold)
    sizes = cut(kinds, index, len(keys))
    assert max(sizes) <= 2 * TARGET
    assert len(sizes) <= 3 * len(keys) / TARGET


@st.composite
def _keys(draw: st.DrawFn) -> tuple[tuple[Kind, ...], KeyIndex, int]:
    """Keys of one or two columns, ordered as no client would guess, with estimates of any error."""
    alphabet = draw(st.permutations("0aA- é😀\\'z"))
    equal = draw(st.booleans())  # every other symbol is equal to the one before it

    def symbol(one: str) -> int:
        return alphabet.index(one) // (1 + equal) if one in alphabet else ord(one)  # it was guessed

    def text(literal: str) -> list[int]:
        return [symbol(one) for one in text_of(literal)]

    texts = st.text(alphabet="".join(alphabet), max_size=6).map(quoted)
    numbers = st.one_of(st.integers(0, 9), st.integers(-(2**63), 2**64 - 1)).map(str)
    columns = draw(
        st.sampled_from(
            [(Kind.UNICODE,), (Kind.NUMBER, Kind.TEXT), (Kind.TEXT, Kind.NUMBER), (Kind.UNICODE, Kind.TEXT)]
        )
    )
    values = st.tuples(*(numbers if kind is Kind.NUMBER else texts for kind in columns))
    orders: list[Order] = [int if kind is Kind.NUMBER else text for kind in columns]
    keys = draw(
        st.lists(values, max_size=300, unique_by=lambda key: str([f(v) for f, v in zip(orders, key, strict=True)]))
    )
    index = KeyIndex(keys, orders, wrong=draw(st.floats(0.1, 10)), symbol=symbol)
    return columns, index, len(keys)


@given(_keys(), st.integers(1, 40), st.floats(0, 5))
def test_every_row_is_in_one_chunk_whatever_the_order(
    made: tuple[tuple[Kind, ...], KeyIndex, int], target: int, stated: float
) -> None:
    kinds, index, rows = made
    cut(kinds, index, int(rows * stated), target)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("_cp932 X'835c41'", "_cp932 X'835d5c'"),
        ("_armscii8 X'41ff'", "_armscii8 X'43'"),
        ("_utf16 X'0041d83dde00'", "_utf16 X'00420041'"),
    ],
)
def test_a_text_in_a_set_of_its_own_is_cut_between_its_characters(first: str, last: str) -> None:
    symbols = Symbols(lambda known: [[one] for one in sorted(known)])
    for one in (first, last):
        symbols.learn(symbols_of(one))
    symbols.sort()
    *points, end = between(Kind.TEXT, first, last, 4, symbols)
    assert end == last
    assert points
    for point in points:
        introducer, digits = point[:-1].split("X'")
        assert last.startswith(introducer)
        assert "".join(symbols_of(point)).encode("latin-1").hex() == digits


@pytest.mark.parametrize("literal", ["_cp932 X'83'", "_utf16 X'd801'", "_nowhere X'41'", "_utf8mb4 X'eda081'"])
def test_bytes_that_are_no_text_are_no_symbols(literal: str) -> None:
    assert list(symbols_of(literal)) == []


def test_statistics_that_are_too_low_are_noticed() -> None:
    keys = [(f"'{uuid.UUID(int=_random.getrandbits(128))}'",) for _ in range(20_000)]
    assert max(cut([Kind.TEXT], KeyIndex(keys, [text_of], wrong=10), 2_000)) <= 3 * TARGET


def test_an_index_that_cannot_be_asked_does_not_make_a_chunk_of_each_row() -> None:
    class Unasked(KeyIndex):
        def estimates(self, chunks: Sequence[Range]) -> list[int]:
            return [20_000] * len(chunks)

    keys = [(f"'{uuid.UUID(int=_random.getrandbits(128))}'",) for _ in range(20_000)]
    sizes = cut([Kind.TEXT], Unasked(keys, [text_of]), 20_000)
    assert len(sizes) <= 3 * len(keys) / TARGET


class Forgetful(KeyIndex):
    """Some keys come back as another one that stands elsewhere, as two codes of one character did."""

    most_questions = 20_000

    def __init__(self, keys: Sequence[Bound], becomes: dict[Bound, Bound]) -> None:
        super().__init__(keys, [int])
        self._becomes = becomes

    def nth(self, chunk: Range, n: int) -> Bound | None:
        return self._said(super().nth(chunk, n))

    def last_below(self, chunk: Range, value: Bound) -> Bound | None:
        return self._said(super().last_below(chunk, value))

    def _said(self, found: Bound | None) -> Bound | None:
        assert self.questions < self.most_questions
        return found if found is None else self._becomes.get(found, found)


@given(
    st.lists(st.integers(0, 999), min_size=1, max_size=200, unique=True),
    st.dictionaries(st.integers(0, 999), st.integers(0, 999), max_size=50),
    st.integers(1, 20),
    st.booleans(),
    st.booleans(),
)
def test_planning_ends_whatever_the_upstream_says(
    keys: list[int], becomes: dict[int, int], target: int, is_whole: bool, is_small: bool
) -> None:
    index = Forgetful([(str(one),) for one in keys], {(str(one),): (str(two),) for one, two in becomes.items()})
    key = replace(key_of(Kind.NUMBER), is_whole=is_whole)
    with suppress(NotAscending):
        plan_ranges(key, TableSize(1 if is_small else len(keys), 100), target, index)


class Endless(KeyIndex):
    """10^9 keys of 16 hexadecimal digits, evenly spaced, that nobody keeps."""

    rows_in_all = 10**9
    step = 2**64 // rows_in_all

    def __init__(self) -> None:
        super().__init__([], [text_of])

    def extremes(self) -> tuple[Bound, Bound]:
        return self._key(0), self._key(self.rows_in_all - 1)

    def nth(self, chunk: Range, n: int) -> Bound:
        self.questions += 1
        self.passed += n
        return self._key(self._after(chunk.lower) + n - 1)

    def last_below(self, chunk: Range, value: Bound) -> Bound | None:
        self.questions += 1
        number = -(-int(text_of(value[0]).ljust(16, "0"), 16) // self.step) - 1
        return self._key(number) if number >= self._after(chunk.lower) else None

    def _count(self, chunk: Range) -> int:
        return self._after(chunk.upper) - self._after(chunk.lower)

    def _after(self, bound: Bound | None) -> int:
        return 0 if bound is None else int(text_of(bound[0]), 16) // self.step + 1

    def _key(self, number: int) -> Bound:
        return (f"'{number * self.step:016x}'",)


def test_a_billion_rows_are_planned_by_few_questions() -> None:
    index = Endless()
    ranges = plan_ranges(key_of(Kind.TEXT), TableSize(index.rows_in_all, 100), 1_000_000, index)
    sizes = [index._count(one) for one in ranges[:-1]]
    assert max(sizes) <= 2_000_000
    assert len(ranges) <= 2_000
    assert index.questions <= 3_000
    assert index.passed <= 6_000_000  # three chunks are counted, to know how far the statistics can be trusted
