"""Columns that get into a key by a later statement, and the collation for keys that the target's column gets before.

A column in no key has the nearest collation there, which may hold equal what the upstream's holds different.  The
column's definition is the target's own text but for the collation, so that nothing else of it changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from pkg.schema.alter import AddColumn, AddForeignKey, AddIndex, Alteration, ChangeColumn, ConvertCharset, RenameColumn
from pkg.schema.charset import Charset, charset_name
from pkg.schema.collation import may_join, nearest_in_key, nearest_of_utf8mb4
from pkg.schema.column_types import CHARACTER_TYPES, is_bulky
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import parse_ddl
from pkg.schema.effective import effective
from pkg.schema.indexes import ForeignKeySpec, IndexSpec
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, edited
from pkg.schema.table import PRIMARY, Column, Index, Table, has_foreign_keys, key_words

_CHARSET_CLAUSES = frozenset({"CHARACTER", "CHAR", "CHARSET", "COLLATE", "BINARY", "ASCII", "UNICODE"})
_CODE_POINTS = ("utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_bin")


def unique_columns(ddl: Ddl, before: Table | None, after: Table) -> dict[str, str]:
    """Columns that a new primary or unique key is over: names behind the statement by those before it, in lower case.

    Those that the statement defines itself, or converts, are made for their keys.
    """
    alterations = _effective(ddl, before)
    if any(isinstance(one, ConvertCharset) for one in alterations):
        return {}
    defined, old = _defined(alterations), _old_names(alterations)
    found: dict[str, str] = {}
    for one in alterations:
        if isinstance(one, AddIndex) and one.index.unique:
            words = [small(word) for part, _ in one.index.parts for word in key_words(part)]
            found |= {old.get(word, word): word for word in words if word not in defined and after.column(word)}
    return found


def changed_columns(ddl: Ddl, before: Table | None, after: Table, present: Table) -> dict[str, str]:
    """Columns that CHANGE or MODIFY defines for a key that they come into: TiDB refuses that where a key has them."""
    return {old: new for old, new in _defined_for_keys(ddl, before, after) if keys_over(present, old)}


def changes_keys(ddl: Ddl, before: Table | None, after: Table) -> bool:
    """Whether the statement may have such columns."""
    return any(True for _ in _defined_for_keys(ddl, before, after))


def _defined_for_keys(ddl: Ddl, before: Table | None, after: Table) -> Iterator[tuple[str, str]]:
    for one in ddl.alterations:
        if isinstance(one, ChangeColumn) and before is not None:
            old, new = small(one.old), small(one.column.name)
            if new in after.constrained_columns and old not in before.constrained_columns:
                yield old, new


def new_references(ddl: Ddl, before: Table | None, after: Table) -> list[ForeignKeySpec]:
    """The foreign keys that the statement makes."""
    if not has_foreign_keys(after.engine):
        return []
    if ddl.create is not None:
        return list(ddl.create.foreign_keys)
    alterations = _effective(ddl, before)
    if any(isinstance(one, ConvertCharset) for one in alterations):
        return []
    return [one.key for one in alterations if isinstance(one, AddForeignKey)]


def present_columns(ddl: Ddl, before: Table | None, present: Table | None, names: list[str]) -> list[Column | None]:
    """The target's columns that a foreign key will be over; None for one that the statement itself defines."""
    alterations = _effective(ddl, before)
    defined, old = _defined(alterations), _old_names(alterations)
    return [
        present.column(old.get(small(name), name)) if present is not None and small(name) not in defined else None
        for name in names
    ]


def with_old_names(ddl: Ddl, after: Table) -> Table:
    """The table behind the statement, with the names that its columns had before."""
    old = _old_names(ddl.alterations)
    old |= {small(one.column.name): one.old for one in ddl.alterations if isinstance(one, ChangeColumn)}
    columns = tuple(replace(one, name=old.get(small(one.name), one.name)) for one in after.columns)
    indexes = tuple(
        replace(one, columns=tuple(old.get(small(name), name) for name in one.columns)) for one in after.indexes
    )
    return replace(after, columns=columns, indexes=indexes) if old else after


def _effective(ddl: Ddl, before: Table | None) -> list[Alteration]:
    return effective(before, ddl.alterations) if before is not None else list(ddl.alterations)


def _defined(alterations: Collection[Alteration]) -> frozenset[str]:
    return frozenset(small(one.column.name) for one in alterations if isinstance(one, (AddColumn, ChangeColumn)))


def _old_names(alterations: Collection[Alteration]) -> dict[str, str]:
    return {small(one.new): small(one.old) for one in alterations if isinstance(one, RenameColumn)}


def for_key(above: Column, below: Column, collations: Collection[str], flavor: str) -> Charset | None:
    """What the target's column ``below`` gets in a key; it stays in its character set.  None: nothing fits."""
    wanted, charset = above.collation or "", charset_name(below.charset or "")
    candidates = [nearest_in_key(wanted, collations, flavor)]
    if charset == "utf8mb4":
        candidates.append(nearest_of_utf8mb4(wanted, collations, in_key=True))
        candidates += [Charset("utf8mb4", name) for name in _CODE_POINTS if name in collations]
    return next(
        (
            one
            for one in candidates
            if charset_name(one.name) == charset and not may_join(wanted, one.collation, flavor)
        ),
        None,
    )


def for_reference(
    above: Column, child: Column | None, parent: Column, collations: Collection[str], flavor: str
) -> tuple[Charset | None, Charset | None]:
    """What the columns on both sides of a foreign key get in the target, so that they agree; None: it stays.

    ``above``: the child's upstream, whose collation is the parent's; ``child`` is None where the statement defines it.
    """
    if not {above.base_type, parent.base_type} <= CHARACTER_TYPES or not (above.collation and parent.collation):
        return None, None
    is_fit = not may_join(above.collation, parent.collation, flavor)
    if child is None:
        chosen = nearest_in_key(above.collation, collations, flavor)
        stays = is_fit or charset_name(parent.charset or "") != charset_name(chosen.name)
        return None, None if stays else chosen
    if not child.collation or charset_name(child.charset or "") != charset_name(parent.charset or ""):
        return None, None  # the target says what it makes of that
    if is_fit:
        return (None if child.collation == parent.collation else _own(parent)), None
    if not may_join(above.collation, child.collation, flavor):
        return None, _own(child)
    found = for_key(above, parent, collations, flavor)
    return found, found


def _own(column: Column) -> Charset:
    return Charset(column.charset or "", column.collation or "")


def keys_over(table: Table, name: str) -> list[Index]:
    return [index for index in table.indexes if name in (small(part) for part in index.columns)]


def obstacle(present: Table, name: str, above: Table | None, flavor: str) -> str:
    """Why the collation of the target's column cannot change; "" where it may.  ``above``: the table upstream."""
    name = small(name)
    for column in present.columns:
        if column.expression and name in (small(word) for word in key_words(f"({column.expression})")):
            return f"the generated column {column.name} is calculated from it"
    for index in present.indexes:
        if any(part.startswith("(") and name in map(small, key_words(part)) for part in index.columns):
            return f"the key {index.name} is over an expression of it"
    for key in present.foreign_keys:
        if name in map(small, key.columns):
            return f"the foreign key {key.name} has it"
    if name in map(small, key_words(f"({present.partitioning})")):
        return "the table is partitioned by it"
    if flavor != "tidb":
        return ""
    for index in keys_over(present, name):
        same = above.index(index.name) if above is not None else None
        is_plain = not (index.unique or same is None or same.unique)
        if not is_plain or same is None or list(map(small, same.columns)) != list(map(small, index.columns)):
            return f"the key {index.name} has it, which TiDB does not allow"
    return ""


@dataclass(frozen=True, slots=True)
class Recollation:
    """What gives columns of one table other collations; each statement may be repeated."""

    drops: tuple[str, ...]
    modify: str
    adds: tuple[str, ...]


def recollation(
    table: str, shown: str, chosen: Mapping[str, Charset], lost: Collection[Index], flavor: str
) -> Recollation:
    """``table`` is quoted, ``shown`` its SHOW CREATE TABLE; ``chosen``: by columns in lower case.

    TiDB changes no column of a key: plain keys go before, and come again as they were, with the ``lost`` ones.
    """
    parsed = parse_ddl(shown, default_schema="there", flavor=flavor)
    assert parsed.create is not None, "it is a CREATE TABLE"
    drops, adds, definitions = list[str](), list[str](), list[str]()
    for element in parsed.create.elements:
        item, text = element.item, parsed.text[element.clause.start : element.clause.end]
        if isinstance(item, ColumnSpec) and small(item.name) in chosen:
            definitions.append(f"MODIFY COLUMN {_definition(item, text, element.clause.start, chosen)}")
        elif isinstance(item, IndexSpec) and flavor == "tidb" and any(small(name) in chosen for name, _ in item.parts):
            drops.append(f"ALTER TABLE {table} DROP KEY {quote_name(item.name)}")
            adds.append(f"ALTER TABLE {table} ADD {text}")
    modify = f"ALTER TABLE {table} {', '.join(definitions)}" if definitions else ""
    return Recollation(tuple(drops), modify, (*adds, *(added_key(table, index) for index in lost)))


def _definition(item: ColumnSpec, text: str, start: int, chosen: Mapping[str, Charset]) -> str:
    charset = chosen[small(item.name)]
    place = item.type_clause.end - start
    edits = [(one.start - start, one.end - start, "") for one in item.clauses if one.key in _CHARSET_CLAUSES]
    edits.append((place, place, f" CHARACTER SET {charset.name} COLLATE {charset.collation}"))
    return edited(text, edits)


def lost_keys(above: Table, present: Table, names: AbstractSet[str], ddl: Ddl) -> list[Index]:
    """Plain keys over the columns ``names`` that the target lacks, since an earlier run of ``ddl`` dropped them."""
    made = {small(one.index.name or PRIMARY) for one in ddl.alterations if isinstance(one, AddIndex)}
    return [
        index
        for index in above.indexes
        if not index.unique
        and small(index.name) not in made
        and present.index(index.name) is None
        and not names.isdisjoint(map(small, index.columns))
        and all(map(_is_plain_part, index.prefixes, map(above.column, index.columns)))
    ]


def _is_plain_part(prefix: int | None, column: Column | None) -> bool:
    """Other keys, such as FULLTEXT ones, are left out in the target."""
    return column is not None and (prefix is not None or not is_bulky(column.base_type))


def added_key(table: str, index: Index) -> str:
    """The statement that adds a plain or unique key to a table, whose name is quoted."""
    return f"ALTER TABLE {table} ADD {key_text(index, 'tidb')}"
