"""An ALTER TABLE with some of its clauses left out: cut from the text, which stays as the user wrote it."""

from __future__ import annotations

from collections.abc import Callable

from pkg.schema.added_again import moved_columns
from pkg.schema.alter import AddColumn, AlterClause, SetDefault
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl


def cut_alter(ddl: Ddl, is_kept: Callable[[AlterClause], bool], flavor: str) -> Ddl | None:
    """The statement with the clauses that are kept; None where its text cannot be cut (a versioned comment)."""
    parts: list[str] = []
    end = ddl.clauses[0].clause.start
    for place in ddl.clauses:
        if is_kept(place):
            start = end if parts else place.clause.start  # with the comma before it, but for the first
            parts.append(ddl.text[start : place.clause.end])
        end = place.clause.end
    texts = [ddl.text[: ddl.clauses[0].clause.start], *parts, ddl.text[end:]]
    if any(text.count("/*") != text.count("*/") for text in texts):
        return None
    return parse_ddl("".join(texts), default_schema=ddl.default_schema, flavor=flavor)


def added_defaults_apart(ddl: Ddl, flavor: str) -> tuple[Ddl, ...]:
    """For MySQL: `ALTER c SET DEFAULT` and `DROP DEFAULT` as a statement behind the one that adds or moves `c`.

    MySQL has no ALTER of a column that its own statement defines.  added_again leaves the clauses that this cannot say.
    """
    added = {small(one.column.name) for one in ddl.alterations if isinstance(one, AddColumn)}
    added |= moved_columns(ddl.alterations)

    def is_late(clause: AlterClause) -> bool:
        return any(isinstance(one, SetDefault) and small(one.name) in added for one in clause.alterations)

    if not any(map(is_late, ddl.clauses)):
        return (ddl,)
    first, last = cut_alter(ddl, lambda clause: not is_late(clause), flavor), cut_alter(ddl, is_late, flavor)
    return (ddl,) if first is None or last is None else (first, last)
