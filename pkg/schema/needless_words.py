"""Words that say nothing in a target.

* CONSTRAINT without a name: a target's name for what it is before would stand behind it.
* UNIQUE twice behind a column, which is one key in MySQL and MariaDB, and two in TiDB.  Beside PRIMARY KEY it is none
  in MariaDB.
* WAIT and NOWAIT of MariaDB: how long the upstream's session waited for locks, which others have no words for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pkg.schema.columns import ColumnSpec
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.mode_types import specs_of
from pkg.schema.statement import Ddl, DdlKind, Edit

_TABLES = frozenset({DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_SELECT, DdlKind.ALTER_TABLE})
_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})  # none of them is a name without quotes
_WAITING = frozenset(
    {DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX, DdlKind.RENAME_TABLE, DdlKind.TRUNCATE_TABLE, DdlKind.DROP_TABLE}
)


def needless_words(ddl: Ddl, flavor: str) -> Iterator[Edit]:
    """What to leave out of the text of a statement of this flavor."""
    text = ddl.text.upper()
    if ddl.kind in _TABLES and "UNIQUE" in text:
        yield from (edit for spec in specs_of(ddl) for edit in _keys_again(spec, is_mariadb=flavor == "mariadb"))
    if ddl.kind in _TABLES and "CONSTRAINT" in text:
        yield from _nameless_constraints(ddl)
    elif ddl.kind in _WAITING and "WAIT" in text:
        yield from _waits(ddl)


def _keys_again(spec: ColumnSpec, *, is_mariadb: bool) -> Iterator[Edit]:
    """UNIQUE behind a column that makes no key of its own."""
    unique = [one for one in spec.clauses if one.key in ("UNIQUE", "SERIAL")]
    has_one = spec.type.serial or (is_mariadb and any(key.primary for key in spec.keys))
    for one in unique if has_one else unique[1:]:
        if one.key == "UNIQUE":
            yield one.start, one.end, ""


def _nameless_constraints(ddl: Ddl) -> Iterator[Edit]:
    for word, behind in pairwise(tokenize(ddl.text)):
        if word.kind is Kind.WORD and word.key == "CONSTRAINT" and behind.key in _CONSTRAINTS:
            yield word.start, behind.start, ""


def _waits(ddl: Ddl) -> Iterator[Edit]:
    """They stand behind the table, outside of parentheses."""
    depth = 0
    for token, behind in pairwise(tokenize(ddl.text)):
        depth += (token.key == "(") - (token.key == ")")
        if depth or token.start < ddl.spans[0].end or any(span.start <= token.start < span.end for span in ddl.spans):
            continue
        if token.key == "NOWAIT":
            yield token.start, token.end, ""
        elif token.key == "WAIT" and behind.kind is Kind.NUMBER:
            yield token.start, behind.end, ""
