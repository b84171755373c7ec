"""Keys and foreign keys: read from text, then named as the server would name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from zlib import crc32

from pkg.schema.cursor import Clause, Cursor
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, integer
from pkg.schema.table import PRIMARY, ForeignKey, Index, is_expression

_ACTIONS = ("RESTRICT", "CASCADE")
_KEY_OPTIONS = ("KEY_BLOCK_SIZE", "COMMENT", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE")  # the server's own
_LONGEST_NAME = 64  # in characters
_NUMBERED_IN_MYSQL = 61  # bytes of a column's name that MySQL puts before a key's number: make_unique_key_name() there


@dataclass(slots=True)
class IndexSpec:
    """A key as written; ``name`` "" is for the server to choose."""

    name: str = ""
    parts: list[tuple[str, int | None]] = field(default_factory=list)
    descending: list[str] = field(default_factory=list)  # columns with DESC
    unique: bool = False
    primary: bool = False
    if_not_exists: bool = False
    kind: str = ""  # FULLTEXT, SPATIAL or VECTOR
    hashed: list[Clause] = field(default_factory=list)  # USING HASH
    comment: str = ""
    visibility: list[Clause] = field(default_factory=list)  # IGNORED, INVISIBLE, their opposites, WITH PARSER
    engine_options: list[Clause] = field(default_factory=list)  # name = value, which engines of MariaDB define
    name_at: int = 0  # where a name stands or belongs in the text; 0: behind a column
    constraint: Clause | None = None  # CONSTRAINT name, which is not the key's name since that has one of its own
    flavor: str = ""  # of the server that names it

    def index(self, name: str) -> Index:
        return Index(
            name=name,
            columns=tuple(column for column, _ in self.parts),
            prefixes=tuple(prefix for _, prefix in self.parts),
            unique=self.unique or self.primary,
            primary=self.primary,
            hashed=bool(self.hashed),
            hidden=any(clause.key in ("IGNORED", "INVISIBLE") for clause in self.visibility),
            type=self.kind,
            comment=self.comment,
            descending=tuple(map(small, self.descending)),
        )


@dataclass(slots=True)
class ForeignKeySpec:
    """A foreign key as written; ``ref_schema`` None is the table's own schema."""

    name: str
    columns: list[str]
    ref_schema: str | None
    ref_table: str
    ref_columns: list[str]
    on_delete: str = ""
    on_update: str = ""
    index_name: str = ""
    takes_key_name: bool = False  # MariaDB's, of which no other name is said; other servers give it to the key alone
    if_not_exists: bool = False
    flavor: str = ""  # of the server that names its key
    names_end: int = field(default=0, compare=False)  # the place behind the parent's name

    @property
    def names_key_alone(self) -> bool:
        """Whether the name that is said is the key's: MySQL's foreign key has one of its own."""
        return bool(self.index_name) and not self.name


@dataclass(frozen=True, slots=True)
class Constraint:
    """A CHECK, or a PERIOD, whose columns are never NULL."""

    columns: tuple[str, ...] = ()
    enforced: bool = True
    period: str = ""  # its name
    name: str = ""  # of a CHECK


KEY_STARTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "INDEX", "KEY", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"})


def starts_key(cursor: Cursor) -> bool:
    """Whether a key or constraint comes next, and not a column of such a name."""
    if cursor.key in KEY_STARTS:
        return True
    if cursor.key == "VECTOR":
        return cursor.key_after(1) in ("INDEX", "KEY")
    return cursor.key == "PERIOD" and cursor.key_after(1) in ("FOR", "IF")


def read_key(cursor: Cursor, flavor: str) -> IndexSpec | ForeignKeySpec | Constraint:
    """A key, foreign key or constraint of a CREATE or ALTER TABLE."""
    name, start = "", cursor.position
    if cursor.accept("CONSTRAINT") and (cursor.accept("IF", "NOT", "EXISTS") or cursor.key not in KEY_STARTS):
        name = cursor.name("a constraint's name")
    constraint = cursor.clause_since(start) if name else None
    kind = cursor.next().key
    if kind == "CHECK":
        cursor.parenthesized()
        enforced = not cursor.accept("NOT", "ENFORCED")
        cursor.skip_item()
        return Constraint(enforced=enforced, name=name)
    if kind == "PERIOD":
        cursor.accept("IF", "NOT", "EXISTS")
        cursor.expect("FOR")
        name = cursor.name("a period's name")
        return Constraint(tuple(column for column, _ in read_parts(cursor)), period=name)
    if kind == "FOREIGN":
        return _read_foreign_key(cursor, name, flavor)
    if kind == "PRIMARY":
        cursor.expect("KEY")
    elif kind not in ("INDEX", "KEY"):
        cursor.accept_any("INDEX", "KEY")
    spec = IndexSpec(name, unique=kind in ("UNIQUE", "PRIMARY"), primary=kind == "PRIMARY", flavor=flavor)
    spec.if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    spec.name_at = cursor.token.start
    if cursor.key not in ("(", "USING", "TYPE") or (cursor.key == "TYPE" and cursor.key_after(1) == "("):
        spec.name = cursor.name("a key's name")
        spec.constraint = constraint
    read_method(cursor, spec)
    spec.kind = kind if kind in ("FULLTEXT", "SPATIAL", "VECTOR") else ""
    spec.parts = read_parts(cursor, spec.descending)
    read_key_options(cursor, spec)
    return spec


def read_key_options(cursor: Cursor, spec: IndexSpec) -> None:
    """What follows a key's parts."""
    while not (cursor.at_item_end or cursor.at_partitioning):
        start = cursor.position
        if cursor.accept("WITH", "PARSER"):
            cursor.next()
            spec.visibility.append(cursor.clause_since(start))
        elif cursor.accept("NOT", "IGNORED") or cursor.accept_any("IGNORED", "INVISIBLE", "VISIBLE"):
            spec.visibility.append(cursor.clause_since(start))
        elif cursor.accept("COMMENT"):
            spec.comment = cursor.string()
        elif cursor.at("("):
            cursor.parenthesized()
        elif read_method(cursor, spec):
            continue
        elif not spec.kind and cursor.key not in _KEY_OPTIONS and read_engine_option(cursor):
            spec.engine_options.append(cursor.clause_since(start))
        else:
            cursor.next()


def read_method(cursor: Cursor, spec: IndexSpec) -> bool:
    """``USING HASH`` or ``BTREE``; whether it is there."""
    start = cursor.position
    if not cursor.accept_any("USING", "TYPE"):
        return False
    if cursor.next().key == "HASH":
        spec.hashed.append(cursor.clause_since(start))
    return True


def read_engine_option(cursor: Cursor) -> bool:
    """MariaDB's engines define options of columns and keys: name = value."""
    if cursor.token.is_name and cursor.key_after(1) == "=":
        cursor.next()
        cursor.next()
        cursor.next()
        return True
    return False


def read_parts(cursor: Cursor, descending: list[str] | None = None) -> list[tuple[str, int | None]]:
    """``(column [(length)] [ASC | DESC], (expression), …)``; columns with DESC go into ``descending``."""
    parts: list[tuple[str, int | None]] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        if cursor.key == "(":
            parts.append((cursor.parenthesized(), None))
        else:
            column, prefix = cursor.name("a column name"), None
            if cursor.key == "(":
                prefix = integer(cursor.parenthesized()[1:-1].strip())
            # A period is compared by overlap and not by value: like an expression, it is no column.
            overlaps = cursor.accept("WITHOUT", "OVERLAPS")
            parts.append((f"({column} WITHOUT OVERLAPS)" if overlaps else column, prefix))
        if cursor.accept_any("ASC", "DESC") == "DESC" and descending is not None:
            descending.append(parts[-1][0])
        if not cursor.accept(",") and not cursor.at(")"):
            raise cursor.unreadable(", or )")
    if not parts:
        raise cursor.unreadable("the columns of a key")
    return parts


def _read_foreign_key(cursor: Cursor, name: str, flavor: str) -> ForeignKeySpec:
    cursor.expect("KEY")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    index_name = "" if cursor.key == "(" else cursor.name("a foreign key's name")
    columns = [column for column, _ in read_parts(cursor)]
    takes_key_name = flavor == "mariadb" and not name and bool(index_name)
    spec = read_reference(cursor, index_name if takes_key_name else name, columns)
    spec.index_name, spec.takes_key_name, spec.flavor = index_name, takes_key_name, flavor
    spec.if_not_exists = if_not_exists
    return spec


def read_reference(cursor: Cursor, name: str, columns: list[str]) -> ForeignKeySpec:
    """``REFERENCES table (columns) [MATCH …] [ON DELETE …] [ON UPDATE …]``."""
    cursor.expect("REFERENCES")
    parent = cursor.table_name(is_parent=True)
    ref_columns = [column for column, _ in read_parts(cursor)] if cursor.key == "(" else []
    spec = ForeignKeySpec(name, columns, parent.schema, parent.name, ref_columns, names_end=parent.end)
    while True:
        if cursor.accept("MATCH"):
            cursor.next()
        elif cursor.accept("ON", "DELETE"):
            spec.on_delete = _action(cursor)
        elif cursor.accept("ON", "UPDATE"):
            spec.on_update = _action(cursor)
        else:
            return spec


def _action(cursor: Cursor) -> str:
    if cursor.accept("SET"):
        return f"SET {cursor.next().key}"
    if cursor.accept("NO"):
        cursor.expect("ACTION")
        return ""  # what the server does without any word
    action = cursor.next()
    if action.kind is not Kind.WORD or action.key not in _ACTIONS:
        raise cursor.unreadable("a referential action")
    return action.key


def chosen_name(spec: IndexSpec, taken: Iterable[str], columns: Mapping[str, str]) -> str:
    """The key's name: its own, else that of its first column, numbered where it is taken.

    ``columns``: how the table writes its columns' names, by these in lower case.
    """
    if spec.primary:
        return PRIMARY
    if spec.name:
        return spec.name
    used = {small(name) for name in taken}
    first = columns.get(small(spec.parts[0][0]), spec.parts[0][0])
    if any(is_expression(part) for part, _ in spec.parts):
        first = "functional_index"
    if small(first) not in used and first.upper() != PRIMARY:
        return first
    if spec.flavor == "mysql":  # a character that it would cut in two makes it refuse the statement
        first = first.encode()[:_NUMBERED_IN_MYSQL].decode(errors="ignore")
    number = next(number for number in range(2, 1000) if small(f"{first}_{number}") not in used)
    return f"{first}_{number}"


def new_foreign_keys(
    specs: Iterable[ForeignKeySpec], before: Iterable[ForeignKey], schema: str, table: str
) -> list[ForeignKey]:
    """The foreign keys that one statement adds; one without a name is ``table_ibfk_N``.

    Servers count on from the highest number of the table ``before`` the statement, also of a key that it drops, and
    from 1 where it creates the table, whatever names it says.
    """
    prefix = f"{table}_ibfk_"
    last = max((int(key.name[len(prefix) :]) for key in before if _is_numbered(key.name, prefix)), default=0)
    numbers = count(last + 1)
    return [
        ForeignKey(
            name=spec.name or f"{prefix}{next(numbers)}",
            columns=tuple(spec.columns),
            ref_schema=spec.ref_schema or schema,
            ref_table=spec.ref_table,
            ref_columns=tuple(spec.ref_columns),
            on_delete=spec.on_delete,
            on_update=spec.on_update,
        )
        for spec in specs
    ]


def named_after(keys: Iterable[ForeignKey], old: str, new: str) -> tuple[ForeignKey, ...]:
    """The foreign keys of a table that has another name: those that the server named after it follow."""
    prefix = f"{old}_ibfk_"
    return tuple(
        replace(key, name=f"{new}_ibfk_{key.name[len(prefix) :]}") if key.name.startswith(prefix) else key
        for key in keys
    )


def foreign_name_there(name: str) -> str:
    """A foreign key's name as a statement may say it: MariaDB makes longer ones, of the names of long tables."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 9]}_{crc32(name.encode()):08x}"


def makes_long_names(table: str) -> bool:
    """Whether names that are made of the table's are longer than other servers take, MariaDB's alone."""
    return len(f"{table}_ibfk_1") > _LONGEST_NAME


def _is_numbered(name: str, prefix: str) -> bool:
    number = name[len(prefix) :]
    return name.startswith(prefix) and number.isdecimal() and number.isascii() and not number.startswith("0")


def named_keys(
    items: Sequence[IndexSpec | ForeignKeySpec], kept: Sequence[Index], columns: Iterable[str]
) -> tuple[list[Index], list[tuple[ForeignKeySpec, Index]]]:
    """New keys, in the order of the text, beside those that are ``kept``: with the names that a server gives them.

    The keys that are said, and behind them those that the server makes for foreign keys.  ``columns``: the names of the
    table's columns, whose letters' case a name takes.
    """
    spellings = {small(name): name for name in columns}
    made = _supporting(items, kept)
    new = [item.index("") for item in (*items, *made.values()) if isinstance(item, IndexSpec)]
    stay = [index.name for index in kept if not any(is_replaced(index, one) for one in new)]
    said = stay + [item.name for item in items if isinstance(item, IndexSpec)]
    taken = [name for name in said if name]
    keys: list[Index] = []
    supports: list[tuple[ForeignKeySpec, Index]] = []
    for number, item in enumerate(items):
        spec = item if isinstance(item, IndexSpec) else made.get(number)
        if spec is None:
            continue
        index = spec.index(chosen_name(spec, taken, spellings))
        taken.append(index.name)
        if isinstance(item, IndexSpec):
            keys.append(index)
        else:
            supports.append((item, replace(index, made=True)))
    return keys, supports


def is_replaced(made: Index, new: Index) -> bool:
    """Whether a server drops a key that it made for a foreign key when it gets a new one."""
    size = len(made.columns)
    is_prefix = _folded(made.columns) == _folded(new.columns[:size]) and made.prefixes == new.prefixes[:size]
    return made.made and is_prefix


def _supporting(items: Sequence[IndexSpec | ForeignKeySpec], kept: Sequence[Index]) -> dict[int, IndexSpec]:
    """By place in ``items``: the key that a server adds for a foreign key whose columns no other key begins with."""
    said = [_folded(name for name, _ in item.parts) for item in items if isinstance(item, IndexSpec)]
    wanted = {n: _folded(item.columns) for n, item in enumerate(items) if isinstance(item, ForeignKeySpec)}
    found: dict[int, IndexSpec] = {}
    for number, item in enumerate(items):
        if isinstance(item, IndexSpec):
            continue
        own = wanted[number]
        others = [one for n, one in wanted.items() if n > number or len(one) > len(own)]
        # A key that was made for another foreign key gives way, unless it is longer.
        present = [_folded(one.columns) for one in kept if not one.made or len(one.columns) > len(own)]
        if not any(one[: len(own)] == own for one in (*present, *said, *others)):
            parts: list[tuple[str, int | None]] = [(column, None) for column in item.columns]
            found[number] = IndexSpec(item.name or item.index_name, parts, flavor=item.flavor)
    return found


def _folded(names: Iterable[str]) -> list[str]:
    return [small(name) for name in names]
