"""Random tables for the campaign of full copies: keys of many kinds, and none.  No I/O."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]

TEXTS = ("", "plain", "ä\\'\"\n\t\0 end", "山田 😀", "O'Brien \\N", "x" * 90)
PAYLOAD = "v INT NOT NULL DEFAULT 0, t VARCHAR(200), b VARBINARY(60), d DECIMAL(12,3), m DATETIME(3), w DOUBLE"
WIDE_COLUMNS = 60
KEYLESS_VALUES = 25
MOST_KEYLESS = 600  # of which each is looked for in all, row by row, when it is changed


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of key: how it is written, and the n-th of its values."""

    key: str
    columns: tuple[str, ...]
    value: Callable[[int], Row]


KINDS: dict[str, Kind] = {
    "int": Kind("id INT PRIMARY KEY", ("id",), lambda n: (n,)),
    "gaps": Kind("id BIGINT PRIMARY KEY", ("id",), lambda n: (n * n * 1003 - 500_000_000,)),
    "unsigned": Kind("id BIGINT UNSIGNED PRIMARY KEY", ("id",), lambda n: ((1 << 64) - 1 - n,)),
    "composite": Kind(
        "a INT, s VARCHAR(20), c DATE, PRIMARY KEY (a, s, c)",
        ("a", "s", "c"),
        lambda n: (n % 3, f"key '{n % 17}", date(1990, 1, 1) + timedelta(n)),
    ),
    "string": Kind(
        "id VARCHAR(40) PRIMARY KEY", ("id",), lambda n: (f"{('a', 'Ä', 'z', chr(92) + chr(39))[n % 4]}-{n}🦆",)
    ),
    "bytes": Kind("id VARBINARY(16) PRIMARY KEY", ("id",), lambda n: (hashlib.sha256(b"%d" % n).digest()[:16],)),
    "decimal": Kind("id DECIMAL(20,5) PRIMARY KEY", ("id",), lambda n: (Decimal(n) / 8,)),
    "moment": Kind(
        "id DATETIME(6) PRIMARY KEY", ("id",), lambda n: (datetime(2024, 1, 1) + timedelta(microseconds=n * 777_777),)
    ),
    "unique": Kind("id INT NOT NULL, UNIQUE KEY k (id)", ("id",), lambda n: (n * 5,)),
    "float": Kind("id DOUBLE PRIMARY KEY", ("id",), lambda n: (n / 4,)),  # which is not cut into chunks
    "keyless": Kind("a INT", (), lambda n: (n % KEYLESS_VALUES,)),
    "nullable": Kind("a INT, UNIQUE KEY (a)", (), lambda n: (n if n % 3 else None,)),  # as good as none
}
SHAPES = ("plain", "plain", "coded", "wide", "large")


@dataclass(frozen=True, slots=True)
class Table:
    """One upstream table, and how many rows it begins with."""

    name: str
    kind: str
    shape: str
    rows: int
    base: int = 0  # the first row's number

    @property
    def key(self) -> tuple[str, ...]:
        return KINDS[self.kind].columns

    @property
    def create(self) -> str:
        return f"CREATE TABLE {self.name} ({KINDS[self.kind].key}, {self._more})"

    @property
    def _more(self) -> str:
        more = {
            "coded": f"{PAYLOAD}, code VARCHAR(30), UNIQUE KEY code (code)",
            "wide": f"v INT, t TEXT, {', '.join(f'c{number} VARCHAR(20)' for number in range(WIDE_COLUMNS))}",
            "large": "v INT, t TEXT, body MEDIUMBLOB",
        }
        return more.get(self.shape, PAYLOAD)

    @property
    def row_bytes(self) -> int:
        """About."""
        return {"wide": 1500, "large": 20_000}.get(self.shape, 160)

    def key_of(self, number: int) -> Row:
        return KINDS[self.kind].value(number)

    def row(self, number: int, rng: random.Random) -> Row:
        """In the order of the columns."""
        return (*self.key_of(number), *self._values(number, rng))

    def _values(self, number: int, rng: random.Random) -> Row:
        if not self.key:
            number = number % 4 if self.kind == "keyless" else number
            return (0, rng.choice(TEXTS[:2]), b"\0\xff", Decimal("-0.125"), None, 0.1)  # rows that are the same
        head = (rng.randrange(1000), rng.choice((None, *TEXTS)))
        if self.shape == "wide":
            return (*head, *(rng.choice((None, "", f"{number}-ü", "y" * 20)) for _ in range(WIDE_COLUMNS)))
        if self.shape == "large":
            return (*head, rng.randbytes(rng.randrange(40_000)))
        moment = datetime(2020, 1, 1) + timedelta(milliseconds=rng.randrange(10**11))
        plain = (*head, rng.randbytes(rng.randrange(40)), Decimal(rng.randrange(10**9)) / 1000, moment, rng.random())
        return (*plain, code_of(number)) if self.shape == "coded" else plain


def code_of(number: int) -> str:
    return f"code-{number}"


def random_tables(rng: random.Random, chunks: int, rows_per_chunk: int) -> list[Table]:
    """Some of all kinds, of about ``chunks`` chunks together; some begin empty."""
    kinds = [rng.choice(("keyless", "nullable")), *rng.sample(sorted(KINDS), rng.randint(3, 6))]
    shares = [rng.random() ** 2 for _ in kinds]
    tables = []
    for number, (kind, share) in enumerate(zip(kinds, shares, strict=True)):
        shape = rng.choice(SHAPES) if KINDS[kind].columns else "plain"
        rows = round(share / sum(shares) * chunks * rows_per_chunk)
        most = {"large": 120, "wide": 1000}.get(shape, rows) if KINDS[kind].columns else MOST_KEYLESS
        tables.append(Table(f"t{number}_{kind}", kind, shape, 0 if rng.random() < 0.1 else min(rows, most)))
    return tables


def total_bytes(tables: Sequence[Table]) -> int:
    return sum(table.rows * table.row_bytes for table in tables)
