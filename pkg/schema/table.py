"""A table's structure as a value: columns, keys, character sets.

Names are kept as the server writes them; they are looked up case-insensitively, as MySQL does with
column and index names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pkg.schema.charset import LONGEST_BYTES, MAX_BYTES
from pkg.schema.column_types import FIXED_BYTES, is_bulky
from pkg.schema.letter_case import small
from pkg.schema.lexer import tokenize
from pkg.schema.partition_list import Partition

PRIMARY = "PRIMARY"
GENERATED_KEY = "my_row_id"  # of the invisible primary key that MySQL makes
STAND_IN_KEY = "generated_primary_key"  # unique, in MariaDB, for a primary key of MySQL over a generated column
KEY_BYTES = 3072  # that a key of InnoDB or TiDB may have
_LEAST_HASHED_BYTES = 1000  # of a unique key of MyISAM that is too long; other engines have room for more


@dataclass(frozen=True, slots=True)
class Column:
    """One column; every character set and collation is resolved, never left to a default."""

    name: str
    type: str  # the full type in lower case: "int(11) unsigned", "enum('a','B')"
    base_type: str  # the type's own word: "int", "enum"
    unsigned: bool
    nullable: bool
    charset: str | None  # None for types without text; "binary" for binary and blob types
    collation: str | None
    default: str | None  # SQL text; "NULL" for a nullable column that names none; None: there is no default
    generated: str  # "", "VIRTUAL" or "STORED"
    auto_increment: bool
    invisible: bool
    labels: tuple[str, ...]  # of enum and set
    length: int | None  # of char, binary, bit: what stands in parentheses
    fsp: int  # digits of fractional seconds
    on_update: bool = field(default=False, compare=False)
    """ON UPDATE CURRENT_TIMESTAMP: an UPDATE that does not name the column sets it.

    Structures that an older version has stored do not say it, so it makes no difference between two.
    """
    expression: str = field(default="", compare=False)
    """Of a generated column; "" where it is not known, as in structures that an older version has stored."""
    doubtful: bool = field(default=False, compare=False, repr=False)
    """A ? in its labels may stand for another character: the server that showed them did not tell the true ones."""


@dataclass(frozen=True, slots=True)
class Index:
    """A key. A part that is an expression stands among ``columns`` as its text in parentheses."""

    name: str
    columns: tuple[str, ...]
    prefixes: tuple[int | None, ...]  # characters of each column that the key sees; None: all of it
    unique: bool
    primary: bool
    hashed: bool = field(default=False, compare=False, repr=False)  # USING HASH is said
    hidden: bool = field(default=False, compare=False, repr=False)
    """INVISIBLE or IGNORED where the table was read from its text: no query can name it.  A constraint all the same."""
    made: bool = field(default=False, compare=False, repr=False)
    """It is known that the server made it for a foreign key: it drops it by itself where a later key serves as well."""
    type: str | None = field(default=None, compare=False, repr=False)
    """FULLTEXT, SPATIAL, VECTOR, or "" for others; None where it is not known, as in structures of an older version."""
    said: bool = field(default=False, compare=False, repr=False)
    """It is known that a statement said it, and the server did not make it; neither, where a server has shown it."""
    comment: str = field(default="", compare=False, repr=False)
    """"" in structures of an older version."""
    descending: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """In small letters, the columns that are said with DESC; () in structures of an older version."""


def key_words(part: str) -> tuple[str, ...]:
    """The column that a part of a key is, or the words of its expression, columns among them."""
    return tuple(token.value for token in tokenize(part) if token.is_name) if part.startswith("(") else (part,)


def is_expression(part: str) -> bool:
    """Whether a part of a key is an expression; the overlap of a period, which is written like one, is none."""
    return part.startswith("(") and not part.endswith(" WITHOUT OVERLAPS)")


ACTS = frozenset({"CASCADE", "SET NULL", "SET DEFAULT"})
"""Actions of a foreign key that change rows of its table."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A reference of this table to another one; the actions are in upper case, "" when none is named."""

    name: str
    columns: tuple[str, ...]
    ref_schema: str
    ref_table: str
    ref_columns: tuple[str, ...]
    on_delete: str = ""
    on_update: str = ""

    @property
    def acts(self) -> bool:
        """Whether a change of the parent changes rows of this table."""
        return not ACTS.isdisjoint({self.on_delete, self.on_update})


@dataclass(frozen=True, slots=True)
class Check:
    """Of a table; ``name``: MySQL's where none was said; ``columns``: those of its condition, in small letters."""

    name: str
    columns: tuple[str, ...]

    def to_json(self) -> list[Any]:
        return [self.name, list(self.columns)]

    @classmethod
    def from_json(cls, document: Sequence[Any]) -> Check:
        return cls(document[0], tuple(document[1]))


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """A uniqueness constraint in column ordinals.

    Parts that are expressions are left out, so two rows that agree in ``columns`` may still be
    allowed: whoever orders writes by it waits too often, never too seldom.
    """

    columns: tuple[int, ...]
    prefixes: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table. ``identity_key`` and ``unique_keys`` follow from the rest."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...]
    charset: str
    collation: str
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    kind: str = "table"  # or "sequence" (MariaDB keeps a sequence's state in rows of a table), or "merge"
    system_versioned: bool = False  # MariaDB: a deleted row stays as one that ended
    engine: str = field(default="", compare=False)
    """In upper case; "" where the text named none.  Structures that an older version has stored do not say it."""
    partitioning: str = field(default="", compare=False)
    """PARTITION BY with its method and columns, as written; "" for none, and in structures of an older version."""
    partitions: tuple[Partition, ...] = field(default=(), compare=False)
    """() for none, and in structures of an older version, which say the method alone."""
    checks: tuple[Check, ...] | None = field(default=None, compare=False)
    """None where they are not known, as in structures of an older version."""
    identity_key: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Ordinals of the primary key, else of the smallest unique key that is never NULL; () for a keyless table."""
    unique_keys: tuple[UniqueKey, ...] = field(init=False, repr=False, compare=False)
    _ordinals: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ordinals", {small(column.name): i for i, column in enumerate(self.columns)})
        object.__setattr__(self, "identity_key", self._find_identity())
        object.__setattr__(self, "unique_keys", tuple(self._unique_keys()))

    def ordinal(self, name: str) -> int:
        """Where the column stands in a row image; KeyError when there is none of that name."""
        return self._ordinals[small(name)]

    def column(self, name: str) -> Column | None:
        ordinal = self._ordinals.get(small(name))
        return None if ordinal is None else self.columns[ordinal]

    @property
    def has_generated_key(self) -> bool:
        """Whether its first column is the invisible primary key that MySQL makes and keeps in front of all others."""
        first, primary = self.columns[0], self.index(PRIMARY)
        is_invisible = first.invisible and first.auto_increment and first.type == "bigint unsigned"
        return first.name == GENERATED_KEY and is_invisible and primary is not None and primary.columns == (first.name,)

    @property
    def constrained_columns(self) -> frozenset[str]:
        """Columns, in lower case, of primary and unique keys, and of foreign keys, which are compared with them.

        Columns that a key's expression is made of belong to them, with other words of it.
        """
        unique = [name for index in self.indexes if index.unique for part in index.columns for name in key_words(part)]
        return frozenset(small(name) for name in (*unique, *(one for key in self.foreign_keys for one in key.columns)))

    @property
    def most_hidden_columns(self) -> int:
        """How many hidden columns MariaDB may log behind the table's own: hashes of unique keys that are too long."""
        return sum(index.unique and not index.primary and self._may_be_hashed(index) for index in self.indexes)

    def _may_be_hashed(self, index: Index) -> bool:
        size = 0
        for name, prefix in zip(index.columns, index.prefixes, strict=True):
            column = self.column(name)
            if column is not None and prefix is None and is_bulky(column.base_type):
                return True
            if column is not None:
                size += (prefix or column.length or 0) * MAX_BYTES.get(column.charset or "", 1)
                size += FIXED_BYTES.get(column.base_type, 0)
        return index.hashed or size > _LEAST_HASHED_BYTES

    def index(self, name: str) -> Index | None:
        wanted = small(name)
        return next((index for index in self.indexes if small(index.name) == wanted), None)

    @property
    def identifying_indexes(self) -> list[Index]:
        """Those that name exactly one row by values that rows carry; the first is that of the identity key."""
        # By name among keys of one size, so that the order in which a server lists its keys does not matter.
        found = [index for index in self.indexes if index.unique and self._identifying(index)]
        return sorted(found, key=lambda index: (not index.primary, len(index.columns), small(index.name)))

    def _find_identity(self) -> tuple[int, ...]:
        return next(map(self._identifying, self.identifying_indexes), ())

    def _identifying(self, index: Index) -> tuple[int, ...]:
        """The key's ordinals when it names exactly one row by values that rows carry, else ()."""
        ordinals = tuple(self._ordinals.get(small(name), -1) for name in index.columns)
        if -1 in ordinals or any(prefix is not None for prefix in index.prefixes):
            return ()
        columns = [self.columns[ordinal] for ordinal in ordinals]
        if any(column.nullable for column in columns) or all(column.generated for column in columns):
            return ()
        return ordinals

    def _unique_keys(self) -> Iterator[UniqueKey]:
        for index in self.indexes:
            if index.unique:
                parts = [
                    (self._ordinals[small(name)], prefix)
                    for name, prefix in zip(index.columns, index.prefixes, strict=True)
                    if small(name) in self._ordinals
                ]
                yield UniqueKey(tuple(ordinal for ordinal, _ in parts), tuple(prefix for _, prefix in parts))

    def to_json(self) -> dict[str, Any]:
        """The structure for a checkpoint; what follows from it is left out."""
        return {
            "schema": self.schema,
            "name": self.name,
            "charset": self.charset,
            "collation": self.collation,
            "comment": self.comment,
            "kind": self.kind,
            "engine": self.engine,
            "partitioning": self.partitioning,
            "partitions": [one.to_json() for one in self.partitions],
            "system_versioned": self.system_versioned,
            "columns": [asdict(column) for column in self.columns],
            "indexes": [asdict(index) for index in self.indexes],
            "foreign_keys": [asdict(key) for key in self.foreign_keys],
            "checks": None if self.checks is None else [one.to_json() for one in self.checks],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Table:
        return cls(
            schema=document["schema"],
            name=document["name"],
            columns=tuple(Column(**_with_doubt(_values(column))) for column in document["columns"]),
            indexes=tuple(Index(**_values(index)) for index in document["indexes"]),
            charset=document["charset"],
            collation=document["collation"],
            foreign_keys=tuple(ForeignKey(**_values(key)) for key in document["foreign_keys"]),
            comment=document["comment"],
            kind=document["kind"],
            engine=document.get("engine", ""),
            partitioning=document.get("partitioning", ""),
            partitions=tuple(map(Partition.from_json, document.get("partitions", ()))),
            system_versioned=document["system_versioned"],
            checks=None if (checks := document.get("checks")) is None else tuple(map(Check.from_json, checks)),
        )


def has_foreign_keys(engine: str) -> bool:
    """Whether tables of an engine (upper case, "" for the server's own) have them; others read and forget them."""
    return engine in ("", "INNODB", "INNOBASE", "NDB", "NDBCLUSTER")


EMPTY_ENGINE = "BLACKHOLE"
"""Whose tables take rows, log them, and hold none."""


def kind_of(engine: str) -> str:
    """Of tables of an engine (in upper case): "merge" where they show the rows of others as their own, else "table"."""
    return "merge" if engine in ("MERGE", "MRG_MYISAM") else "table"


def _values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Field values as they were: JSON has no tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in document.items()}


def _with_doubt(column: dict[str, Any]) -> dict[str, Any]:
    """A column; structures that an older version has stored have labels as the server showed them."""
    may_hide = MAX_BYTES.get(column["charset"] or "") == LONGEST_BYTES and any("?" in one for one in column["labels"])
    return {"doubtful": may_hide, **column}
