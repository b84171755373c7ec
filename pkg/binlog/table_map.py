"""The table-map event: which table the rows that follow belong to, and how its columns are laid out.

Damaged bytes raise ValueError or IndexError, which the decoder turns into an error with the place;
what passes here is safe to decode rows by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pkg.binlog.column_plan import ENUM, SET, STRING, real_type
from pkg.binlog.events import TableMap

MAX_COLUMNS = 4096
_NUMBERS = frozenset({1, 2, 3, 4, 5, 8, 9, 13, 246})
_TEXTS = frozenset({15, 242, 252, 253, 254})  # a VECTOR counts as bytes
_MARIADB_TEXTS = _TEXTS | {140, 141, 255}  # it gives geometries a collation, too
_METADATA_SIZES = {
    4: 1, 5: 1, 15: 2, 16: 2, 17: 1, 18: 1, 19: 1, 140: 1, 141: 2, 242: 1, 245: 1, 246: 2, ENUM: 2, SET: 2, 249: 1,
    250: 1, 251: 1, 252: 1, 253: 2, STRING: 2, 255: 1,
}  # fmt: skip
_SIGN, _DEFAULT_COLLATION, _COLLATIONS, _NAMES, _SET_LABELS, _ENUM_LABELS = 1, 2, 3, 4, 5, 6
_ENUM_DEFAULT_COLLATION, _ENUM_COLLATIONS = 10, 11
_SOUND: dict[int, Callable[[int], bool]] = {
    4: lambda meta: meta == 4,
    5: lambda meta: meta == 8,
    16: lambda meta: 0 < (meta >> 8) * 8 + (meta & 255) <= 64 and meta & 255 < 8,
    17: lambda meta: meta <= 6,
    18: lambda meta: meta <= 6,
    19: lambda meta: meta <= 6,
    245: lambda meta: 1 <= meta <= 4,
    246: lambda meta: 1 <= meta & 255 <= 81 and meta >> 8 <= min(meta & 255, 38),
    **dict.fromkeys((140, 242, 249, 250, 251, 252, 255), lambda meta: 1 <= meta <= 4),
    ENUM: lambda meta: 1 <= meta <= 2,
    SET: lambda meta: 1 <= meta <= 8,
}
"""What a column's metadata can be; a value outside would make its rows' sizes meaningless."""


@dataclass(slots=True)
class _Reader:
    """A place in the event's bytes that moves on."""

    body: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        taken = self.body[self.at : self.at + size]
        if len(taken) != size:
            raise ValueError("the event is cut off")
        self.at += size
        return taken

    def number(self) -> int:
        """A length-encoded integer."""
        first = self.take(1)[0]
        if first < 0xFB:
            return first
        size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first)
        if size is None:
            raise ValueError("a length is damaged")
        return int.from_bytes(self.take(size), "little")

    @property
    def more(self) -> bool:
        return self.at < len(self.body)


def parse_table_map(body: bytes, flavor: str) -> TableMap:
    """The event's body behind table number and flags."""
    texts = _MARIADB_TEXTS if flavor == "mariadb" else _TEXTS
    enums = frozenset({ENUM, SET})
    reader = _Reader(body)
    schema = _name(reader)
    table = _name(reader)
    count = reader.number()
    if not 0 < count <= MAX_COLUMNS:
        raise ValueError(f"a table has {count} columns")
    types = reader.take(count)
    metadata = _metadata(types, reader.take(reader.number()))
    reader.take((count + 7) // 8)  # which columns may be NULL
    unsigned: tuple[bool, ...] | None = None
    names: tuple[str, ...] | None = None
    collations: dict[int, int] = {}
    labels: dict[int, tuple[bytes, ...]] = {}
    real_types = [real_type(code, meta)[0] for code, meta in zip(types, metadata, strict=True)]
    while reader.more:
        kind = reader.take(1)[0]
        field = _Reader(reader.take(reader.number()))
        if kind == _SIGN:
            unsigned = _signs(types, field.body)
        elif kind == _NAMES:
            names = _names(field, count)
        elif kind in (_DEFAULT_COLLATION, _ENUM_DEFAULT_COLLATION):
            collations |= _default_collations(
                _columns(real_types, enums if kind == _ENUM_DEFAULT_COLLATION else texts), field
            )
        elif kind in (_COLLATIONS, _ENUM_COLLATIONS):
            collations |= {
                place: field.number() for place in _columns(real_types, enums if kind == _ENUM_COLLATIONS else texts)
            }
        elif kind in (_SET_LABELS, _ENUM_LABELS):
            labels |= _labels(real_types, ENUM if kind == _ENUM_LABELS else SET, field)
    return TableMap(
        schema,
        table,
        types,
        metadata,
        unsigned,
        tuple(collations.get(place) for place in range(count)) if collations else None,
        names,
        tuple(labels.get(place) for place in range(count)) if labels else None,
    )


def _name(reader: _Reader) -> str:
    name = reader.take(reader.number()).decode()
    reader.take(1)
    return name


def _metadata(types: bytes, block: bytes) -> tuple[int, ...]:
    reader = _Reader(block)
    values = []
    for code in types:
        # ENUM, SET and STRING: the real type comes first, so that it is the high byte.
        packed = reader.take(_METADATA_SIZES.get(code, 0))
        meta = int.from_bytes(packed, "big" if code in (ENUM, SET, STRING) else "little")
        real, real_meta = real_type(code, meta)
        sound = _SOUND.get(real)
        if sound is not None and not sound(real_meta):
            raise ValueError(f"a column of type {real} has the metadata {real_meta}")
        values.append(meta)
    return tuple(values)


def _signs(types: bytes, bits: bytes) -> tuple[bool, ...]:
    """One bit per numeric column, from the highest down."""
    flags = []
    number = 0
    for code in types:
        numeric = code in _NUMBERS
        flags.append(numeric and bool(bits[number >> 3] & (0x80 >> (number & 7))))
        number += numeric
    return tuple(flags)


def _columns(real_types: list[int], counted: frozenset[int]) -> Iterator[int]:
    """The columns that a field about collations counts: text and bytes, or ENUM and SET."""
    return (place for place, code in enumerate(real_types) if code in counted)


def _default_collations(columns: Iterator[int], field: _Reader) -> dict[int, int]:
    """One collation for all, then pairs of a column's number and its own."""
    places = list(columns)
    collations = dict.fromkeys(places, field.number())
    while field.more:
        place = places[field.number()]
        collations[place] = field.number()
    return collations


def _names(field: _Reader, count: int) -> tuple[str, ...]:
    names = []
    while field.more:
        names.append(field.take(field.number()).decode())
    if len(names) != count:
        raise ValueError(f"{len(names)} names for {count} columns")
    return tuple(names)


def _labels(real_types: list[int], wanted: int, field: _Reader) -> dict[int, tuple[bytes, ...]]:
    labels = {}
    for place, code in enumerate(real_types):
        if code == wanted and field.more:
            labels[place] = tuple(field.take(field.number()) for _ in range(field.number()))
    return labels
