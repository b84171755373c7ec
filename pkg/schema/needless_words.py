"""Words that say nothing in a target, or something else there.

* CONSTRAINT without a name: a target's name for what it is before would stand behind it.
* UNIQUE twice behind a column, which is one key in MySQL and MariaDB, and two in TiDB.  Beside PRIMARY KEY it is none
  in MariaDB; of MySQL's, it becomes a key of its own.
* SERIAL, which stands for several words, and beside a PRIMARY KEY of its column makes a key of another name in TiDB.
* WAIT and NOWAIT of MariaDB: how long the upstream's session waited for locks, which others have no words for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.columns import ColumnSpec
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit

_TABLES = frozenset({DdlKind.CREATE_TABLE, DdlKind.CREATE_TABLE_SELECT, DdlKind.ALTER_TABLE})
_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})  # none of them is a name without quotes
_WAITING = frozenset(
    {DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX, DdlKind.RENAME_TABLE, DdlKind.TRUNCATE_TABLE, DdlKind.DROP_TABLE}
)


def needless_words(ddl: Ddl, flavor: str) -> Iterator[Edit]:
    """What to leave out of the text of a statement of this flavor."""
    text = ddl.text.upper()
    if ddl.kind in _TABLES and ("UNIQUE" in text or "SERIAL" in text):
        for spec, end, add in _specs(ddl):
            yield from _keys_of(spec, end, add, is_mariadb=flavor == "mariadb")
    if ddl.kind in _TABLES and "CONSTRAINT" in text:
        yield from _nameless_constraints(ddl)
    if ddl.kind in _WAITING and "WAIT" in text:
        yield from _waits(ddl)
    for waits, behind in pairwise(ddl.clauses):
        if waits.clause.key in ("WAIT", "NOWAIT"):
            yield waits.clause.start, behind.clause.start, ""


def _specs(ddl: Ddl) -> Iterator[tuple[ColumnSpec, int, str]]:
    """Columns that are defined, with the end of what defines each, and the word before one more part."""
    for element in ddl.create.elements if ddl.create is not None else ():
        if isinstance(element.item, ColumnSpec):
            spec = element.item
            yield spec, max(one.end for one in (spec.type_clause, *spec.clauses, *spec.engine_options)), ""
    for clause in ddl.clauses:
        for one in clause.alterations:
            if isinstance(one, AddColumn | ChangeColumn):
                yield one.column, clause.clause.end, "ADD "


def _keys_of(spec: ColumnSpec, end: int, add: str, *, is_mariadb: bool) -> Iterator[Edit]:
    """UNIQUE behind a column once, and not beside PRIMARY KEY."""
    unique = [one for one in spec.clauses if one.key in ("UNIQUE", "SERIAL")]
    is_unique = spec.type.serial or bool(unique)
    is_primary = any(key.primary for key in spec.keys)
    stays = " UNIQUE" if is_unique and not is_primary else ""
    if spec.type.serial:
        yield spec.type_clause.start, spec.type_clause.end, f"BIGINT UNSIGNED NOT NULL AUTO_INCREMENT{stays}"
        stays = ""
    for one in unique:
        if one.key == "SERIAL":
            yield one.start, one.end, f"NOT NULL AUTO_INCREMENT{stays}"
            stays = ""
        elif stays:
            stays = ""
        else:
            yield one.start, one.end, ""
    if is_unique and is_primary and not is_mariadb:
        yield end, end, f", {add}UNIQUE ({quote_name(spec.name)})"


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
