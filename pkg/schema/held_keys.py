"""Keys that go while others take their names: they wait under another name until these are there.

Upstream, all clauses of a statement act at once.  A server drops a key that it made for a foreign key when a new one
serves it, which may take its name and be over the same columns; a target may hold it as a key that somebody has made.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from pkg.schema.alter import RenameTo
from pkg.schema.ddl import parse_ddl
from pkg.schema.key_names import made_keys
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.references import is_same, names_freed, names_said
from pkg.schema.statement import Ddl
from pkg.schema.table import Index, Table


def held_keys(ddl: Ddl, before: Table, target: str) -> list[Index]:
    """Those of the upstream's table ``before`` the statement, whose new keys have their names."""
    if not ddl.alterations or (target != "tidb" and any(isinstance(one, RenameTo) for one in ddl.alterations)):
        return []
    said, freed = names_said(ddl), names_freed(ddl)
    made = [index for _, index in made_keys(ddl, before)]
    return [
        old
        for old in before.indexes
        if old.made
        and small(old.name) not in freed
        and (
            small(old.name) in said or any(small(one.name) == small(old.name) and not is_same(one, old) for one in made)
        )
    ]


def is_held_there(key: Index, there: Table) -> bool:
    """Whether the target has the key, under its name or, by an earlier run, under the other one."""
    return there.index(key.name) is not None or there.index(_other_name(key)) is not None


def with_held(parts: Sequence[Ddl], held: Sequence[Index], flavor: str) -> tuple[Ddl, ...]:
    """The statements of one ALTER TABLE with those around them that give keys another name, and drop them at last."""
    if not held:
        return tuple(parts)
    first = parts[0]

    def own(clause: str) -> Ddl:
        sql = f"ALTER TABLE {first.subject.quoted()} {clause}"
        return parse_ddl(sql, default_schema=first.default_schema, flavor=flavor)

    behind = [part for part in parts if any(isinstance(one, RenameTo) for one in part.alterations)]
    around = [own(f"RENAME KEY {quote_name(one.name)} TO {quote_name(_other_name(one))}") for one in held]
    last = [own(f"DROP KEY {quote_name(_other_name(one))}") for one in held]
    return (*around, *(part for part in parts if part not in behind), *last, *behind)


def _other_name(index: Index) -> str:
    return f"{index.name[:50]}_{crc32(index.name.encode()):08x}"
