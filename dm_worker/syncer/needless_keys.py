"""Keys that servers make for foreign keys, and drop again by themselves where another key serves as well.

A target has others than the upstream: TiDB drops none and makes some that are not needed, and a key that was copied
is none that MariaDB and MySQL have made.  Behind a statement the target gets the keys that the upstream has.
"""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.syncer.downstream import Downstream
from pkg.schema.alter import AddForeignKey
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.references import is_same, needless_keys, replaced_keys
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table


def to_drop(downstream: Downstream, piece: Ddl, after: Table | None, target: TableName) -> Iterator[str]:
    """Statements, which may be repeated; ``after``: the upstream's table behind the whole statement."""
    adds = any(isinstance(one, AddForeignKey) for one in piece.alterations)
    there = downstream.table(target.schema, target.table) if adds and downstream.server.flavor == "tidb" else None
    for name in needless_keys(there) if there is not None and after is not None else ():
        if after is not None and after.index(name) is None:
            yield f"ALTER TABLE {target.quoted()} DROP KEY {quote_name(name)}"


def to_replace(
    downstream: Downstream, piece: Ddl, whole: Ddl, known: tuple[Table | None, Table | None], target: TableName
) -> tuple[list[str], list[str]]:
    """Statements that add keys, and that drop those in whose place the upstream has them; they may be repeated.

    ``piece``: the part of the statement ``whole`` that has run.
    """
    before, after = known
    adding, dropping = list[str](), list[str]()
    if before is None or after is None:
        return adding, dropping
    pairs = list(replaced_keys(piece, before, after))
    there = downstream.table(target.schema, target.table) if pairs else None
    if there is None:
        return adding, dropping
    adds = downstream.server.flavor == "tidb" and any(isinstance(one, AddForeignKey) for one in whole.alterations)
    references = {small(key.name) for key in after.foreign_keys}
    for old, new in pairs:
        if adds and there.index(new.name) is None and small(new.name) not in references:
            continue  # another part of the statement adds it (references.py)
        present = there.index(old.name)
        is_new = small(old.name) == small(new.name)  # the old one was held under another name
        if present is None or present.unique or is_new or is_same(present, new):
            continue
        if there.index(new.name) is not None or new.made:
            if there.index(new.name) is None:
                adding.append(f"ALTER TABLE {target.quoted()} ADD {key_text(new, downstream.server.flavor)}")
            dropping.append(f"ALTER TABLE {target.quoted()} DROP KEY {quote_name(old.name)}")
    return adding, dropping
