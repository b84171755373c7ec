"""The name that a CHECK has in a merged table, in a statement that drops or alters it: there it may be another shard's.

The upstream's structure says nothing of CHECKs.  One whose name has the shard's own name in it is the one of that name
with any other in its place, where the target has just one such.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from pkg.schema.letter_case import small
from pkg.schema.lexer import Token, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit
from pkg.schema.table import Table
from pkg.shardddl.words import own_name_pattern

_CHECK = re.compile(r"CONSTRAINT `((?:[^`]|``)*)` CHECK")
_HEADS = (("DROP", "CHECK"), ("DROP", "CONSTRAINT"), ("ALTER", "CHECK"), ("ALTER", "CONSTRAINT"))


def names_checks(ddl: Ddl, before: Table | None) -> bool:
    """Whether the statement names a constraint that is neither a key nor a foreign key."""
    return ddl.kind is DdlKind.ALTER_TABLE and any(_named(ddl, before))


def with_check_names(ddl: Ddl, before: Table | None, shown: str) -> Ddl:
    """The statement with the target's names; ``shown``: its SHOW CREATE TABLE, ``before``: the shard's table."""
    there = [name.replace("``", "`") for name in _CHECK.findall(shown)]
    edits: list[Edit] = [
        (token.start, token.end, quote_name(other))
        for token in _named(ddl, before)
        if (other := _other_name(token.value, ddl.subject.table, there))
    ]
    return replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl


def _named(ddl: Ddl, before: Table | None) -> Iterator[Token]:
    keys_there = [] if before is None else [one.name for one in before.indexes]
    known = {small(name) for name in (*keys_there, *(one.name for one in (before.foreign_keys if before else ())))}
    tokens = tokenize(ddl.text)
    for clause in ddl.clauses:
        inside = [token for token in tokens if clause.clause.start <= token.start and token.end <= clause.clause.end]
        keys = [token.key for token in inside]
        if tuple(keys[:2]) in _HEADS:
            token = inside[4 if keys[2:4] == ["IF", "EXISTS"] else 2]
            if small(token.value) not in known:
                yield token


def _other_name(name: str, shard: str, there: Collection[str]) -> str:
    """Its name in the target; "" where that is the same, or unknown."""
    if small(name) in [small(one) for one in there]:
        return ""
    parts = own_name_pattern(shard).split(small(name))
    if len(parts) < 2:
        return ""
    pattern = re.compile(".+".join(map(re.escape, parts)), re.IGNORECASE)
    found = [one for one in there if pattern.fullmatch(one)]
    return found[0] if len(found) == 1 else ""
