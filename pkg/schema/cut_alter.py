"""An ALTER TABLE with some of its clauses left out: cut from the text, which stays as the user wrote it."""

from __future__ import annotations

from collections.abc import Callable

from pkg.schema.alter import AlterClause
from pkg.schema.ddl import parse_ddl
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
