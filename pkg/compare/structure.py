"""How a table of the target differs from the upstream's table that it follows, as far as all servers say it alike.

Types, character sets and collations of columns are not compared: they are mapped by rules, and looked at where rows
are bound to the target's columns.  Neither are names of foreign keys, which targets have otherwise, nor values of
defaults but of integers and short texts (and those only as whole numbers).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from pkg.schema.alter import ChangeColumn, RenameColumn, RenameIndex
from pkg.schema.charset import MAX_BYTES
from pkg.schema.column_types import is_bulky
from pkg.schema.letter_case import small
from pkg.schema.same_defaults import is_another_default
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import KEY_BYTES, STAND_IN_KEY, Column, ForeignKey, Index, Table

Differed = Mapping[TableName, Collection[str] | None]
"""By the upstream's tables, what their targets have otherwise ("column a", "key k"); None: it cannot be said."""

_WIDTH = re.compile(r"^(tinyint|smallint|mediumint|int|bigint|year)\(\d+\)", re.ASCII)  # with which a number is shown
_OVERLAPS = "WITHOUT OVERLAPS)"  # of keys over MariaDB's periods, which no other server has
_SAME_ACTIONS = {"RESTRICT": "", "NO ACTION": ""}


def differences(above: Table, below: Table, routed: Callable[[TableName], TableName]) -> dict[str, str]:
    """What the target's table ``below`` has otherwise than the upstream's ``above``, in words, by what it is about.

    ``routed``: the target of an upstream table.
    """
    if above.kind != "table":
        return {}
    found = (*_columns(above, below), *_keys(above, below), *_references(above, below, routed), *_parts(above, below))
    return dict(found)


def unlike(shown: Table, tracked: Table) -> list[str]:
    """What a server's table has otherwise than the one that is taken for it, in words."""
    pairs = [(one, tracked.column(one.name)) for one in shown.columns]
    types = [
        f"the column {one.name} is {_typed(one)}, and not {_typed(other)}"
        for one, other in pairs
        if other is not None and _typed(one) != _typed(other)
    ]
    return [*types, *differences(tracked, shown, lambda name: name).values(), *_checks(shown, tracked)]


def _checks(shown: Table, tracked: Table) -> Iterator[str]:
    """By their names, which MySQL gives and replication follows; the condition is the text of the statement."""
    if shown.checks is None or tracked.checks is None:
        return
    ours, theirs = (sorted(small(one.name) for one in checks) for checks in (shown.checks, tracked.checks))
    if ours != theirs:
        yield f"the CHECKs are {', '.join(ours) or 'none'}, and not {', '.join(theirs) or 'none'}"


def _typed(column: Column) -> str:
    shown = (_WIDTH.sub(r"\1", column.type), column.collation or "", "ON UPDATE" if column.on_update else "")
    return " ".join(filter(None, shown))


def explained(about: str, notes: Iterable[str]) -> bool:
    """Whether one of the notes that a translation gives names the column or key that differs."""
    kind, _, name = about.partition(" ")
    if kind == "foreign":
        return any("foreign key" in note for note in notes)
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return any(named.search(note) for note in notes)


def may_differ(about: str, differed: Collection[str]) -> bool:
    """Whether it was otherwise before; a key that was is the target's own when the upstream drops the one it has."""
    kind, _, name = about.partition(" ")
    return about in differed or (kind == "own" and f"key {name}" in differed)


def of_copies(above: Table, below: Table, routed: Callable[[TableName], TableName]) -> tuple[str, ...]:
    """What a table LIKE ``below`` may have otherwise than the one LIKE ``above`` upstream.

    That is what the target makes of the upstream's tables.  Columns and unique keys of ``below`` alone are somebody's
    own, and have no place in a new table.
    """
    own = {f"column {small(column.name)}" for column in below.columns if above.column(column.name) is None}
    unique = (small(index.name) for index in below.indexes if index.unique and index.name != STAND_IN_KEY)
    own |= {f"{about} {name}" for name in unique for about in ("key", "own")}
    return tuple(about for about in differences(above, below, routed) if about not in own)


def followed(differed: Differed, pieces: Iterable[Ddl]) -> Differed:
    """What may differ behind the pieces of a DDL: what was otherwise before keeps being so under its new name.

    Of a table that is made LIKE another one ``differed`` says what the new one may have otherwise.
    """
    state, pieces = dict(differed), list(pieces)
    made_like = {piece.subject for piece in pieces if piece.kind is DdlKind.CREATE_TABLE_LIKE}
    for piece in pieces:
        name = piece.subject
        if piece.kind is DdlKind.DROP_TABLE and state.get(name) is not None and name not in made_like:
            state[name] = ()
        found = state.get(name)
        if found is not None:
            state[name] = tuple(_renamed(about, piece) for about in found)
        for old, new in piece.renames:
            state[new], state[old] = state.get(old), ()
    return state


def _renamed(about: str, piece: Ddl) -> str:
    """The same under the name that the piece gives it."""
    kind, _, name = about.partition(" ")
    for one in piece.alterations:
        match one:
            case RenameIndex() if kind in ("key", "own") and small(one.old) == name:
                return f"{kind} {small(one.new)}"
            case RenameColumn() if kind not in ("key", "own") and small(one.old) == name:
                return f"{kind} {small(one.new)}"
            case ChangeColumn() if kind not in ("key", "own") and small(one.old) == name:
                return f"{kind} {small(one.column.name)}"
    return about


def _columns(above: Table, below: Table) -> Iterator[tuple[str, str]]:
    for column in above.columns:
        there = below.column(column.name)
        if there is None:
            yield f"column {small(column.name)}", f"the column {column.name} is not there"
        else:
            yield from _attributes(column, there)
    for column in below.columns:
        if above.column(column.name) is None:
            yield f"column {small(column.name)}", f"the column {column.name} is there and not upstream"
    ours, theirs = ([small(one.name) for one in table.columns] for table in (above, below))
    common = set(ours) & set(theirs)
    if [name for name in ours if name in common] != [name for name in theirs if name in common]:
        yield "order", f"the columns are in another order: {', '.join(theirs)}"


def _attributes(ours: Column, theirs: Column) -> Iterator[tuple[str, str]]:
    name, key = ours.name, small(ours.name)
    if bool(ours.generated) != bool(theirs.generated):
        yield f"generated {key}", f"the column {name} is {'' if theirs.generated else 'not '}a generated one"
        return
    if ours.generated:
        return  # MariaDB has no NOT NULL for them
    if ours.nullable != theirs.nullable:
        yield f"NULL {key}", f"the column {name} is {'NULL' if theirs.nullable else 'NOT NULL'}"
    if ours.on_update != theirs.on_update:
        words = "sets itself by an UPDATE" if theirs.on_update else "does not set itself by an UPDATE"
        yield f"update {key}", f"the column {name} {words}"
    if ours.auto_increment != theirs.auto_increment:
        yield f"counter {key}", f"the column {name} is {'' if theirs.auto_increment else 'not '}AUTO_INCREMENT"
    if is_another_default(ours, theirs):
        shown = (one.default or "none" for one in (theirs, ours))
        yield f"default {key}", "the default of the column {} is {}, and not {}".format(name, *shown)


def _keys(above: Table, below: Table) -> Iterator[tuple[str, str]]:
    ours, theirs = ({small(index.name): index for index in table.indexes} for table in (above, below))
    for key in sorted(ours.keys() | theirs.keys()):
        one, other = ours.get(key), theirs.get(key)
        if one is not None and any(part.endswith(_OVERLAPS) for part in one.columns):
            continue  # what the target has of it is said in the log
        if one is None or other is None:
            about, words = ("own", "is there and not upstream") if one is None else ("key", "is not there")
            yield f"{about} {key}", f"the key {_shown(one or other)} {words}"
        elif _is_another_key(one, other, above, below):
            yield f"key {key}", f"the key {_shown(other)} is {_shown(one)} upstream"


def _is_another_key(one: Index, other: Index, above: Table, below: Table) -> bool:
    if _parts_of(one) != _parts_of(other):
        return True
    return any(
        ours != theirs and (here := above.column(name)) and (there := below.column(name))
        and (here.base_type, here.length) == (there.base_type, there.length)
        and not _gets_a_length(there, one, ours, theirs)
        for name, ours, theirs in zip(one.columns, one.prefixes, other.prefixes, strict=True)
    )  # fmt: skip


def _gets_a_length(column: Column, index: Index, said: int | None, length: int | None) -> bool:
    """Whether a server itself gives a key that says no length, or too much, this one: as long as it may be."""
    longest = KEY_BYTES // MAX_BYTES.get(column.charset or "binary", 1)
    if said is not None:
        return not index.unique and length == longest < said
    if column.base_type == "point":  # all of it
        return True
    return not index.unique and (is_bulky(column.base_type) or length == longest)


def _parts_of(index: Index) -> tuple[object, ...]:
    return index.unique, tuple("()" if name.startswith("(") else small(name) for name in index.columns)


def _shown(index: Index | None) -> str:
    assert index is not None
    pairs = zip(index.columns, index.prefixes, strict=True)
    parts = ", ".join(name if prefix is None else f"{name}({prefix})" for name, prefix in pairs)
    return f"{'UNIQUE ' if index.unique and not index.primary else ''}{index.name} ({parts})"


def _references(above: Table, below: Table, routed: Callable[[TableName], TableName]) -> Iterator[tuple[str, str]]:
    ours = Counter(_of(one, routed(TableName(one.ref_schema, one.ref_table))) for one in above.foreign_keys)
    theirs = Counter(_of(one, TableName(one.ref_schema, one.ref_table)) for one in below.foreign_keys)
    for one, words in (
        *((one, "is not there") for one in ours - theirs),
        *((one, "is there and not upstream") for one in theirs - ours),
    ):
        columns, parent, referred, *actions = one
        shown = f"({', '.join(columns)}) to {parent} ({', '.join(referred)}) {'/'.join(filter(None, actions))}".rstrip()
        yield f"foreign {shown}", f"the foreign key {shown} {words}"


def _of(key: ForeignKey, parent: TableName) -> tuple[Any, ...]:
    columns, referred = (tuple(small(name) for name in names) for names in (key.columns, key.ref_columns))
    actions = (_SAME_ACTIONS.get(action, action) for action in (key.on_delete, key.on_update))
    return columns, f"{parent.schema}.{parent.table}".lower(), referred, *actions


def _parts(above: Table, below: Table) -> Iterator[tuple[str, str]]:
    ours, theirs = ([small(one.name) for one in table.partitions] for table in (above, below))
    if ours != theirs:
        yield "partitions", f"the partitions are {', '.join(theirs) or 'none'}, upstream {', '.join(ours) or 'none'}"
