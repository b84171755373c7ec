"""Whether other sources of a task lead to a table of the target, where no DDL is coordinated.

What they have stands in the meta tables that all sources of the task share in the target; of a source that has not come
to replication only its rules are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pkg.adapters.meta_tables import MetaTables
from pkg.schema.statement import TableName
from pkg.task.subtask import OtherSource, SubtaskConfig

Query = Callable[[str], Iterable[Sequence[Any]]]


class OtherSources:
    """Asked when a DDL comes, so that tables count which the others have got meanwhile."""

    def __init__(self, config: SubtaskConfig, tables: MetaTables, query: Query) -> None:
        self._config = config
        self._others = config.other_sources
        self._are_known = config.source_count <= 1 + len(config.other_sources)
        self._tables = tables
        self._query = query

    def share(self, target: TableName, own: str) -> bool:
        """Whether another source, or several tables of the source ``own``, lead there."""
        if self.lead_to(target):
            return True
        route, allow_list = self._config.router().route, self._config.allow_list()
        names = [name for name in self._stored().get(own, []) if allow_list.allows(*name)]
        return sum(_is_same(target, to.schema, to.table) for to in (route(*name) for name in names)) > 1

    def lead_to(self, target: TableName) -> bool:
        """Whether another source has, or may have, a table that leads there; ``table`` "" stands for any in it."""
        if not self._are_known:
            return True
        if not self._others:
            return False
        known = self._stored()
        return any(leads(one, known.get(one.source_id), target) for one in self._others)

    def _stored(self) -> dict[str, list[tuple[str, str]]]:
        """The tables of each source that has come to replication, or to its copy."""
        found: dict[str, list[tuple[str, str]]] = {}
        for (source,) in self._query(f"SELECT source_id FROM {self._tables.checkpoint}"):
            found[str(source)] = []
        for source, schema, table in self._query(
            f"SELECT source_id, schema_name, table_name FROM {self._tables.structure}"
        ):
            found.setdefault(str(source), []).append((str(schema), str(table)))
        return found


def leads(source: OtherSource, tables: Iterable[tuple[str, str]] | None, target: TableName) -> bool:
    """Whether one of its tables leads to the target's; by its rules alone where its tables are not known (None)."""
    router, allow_list = source.router(), source.allow_list()
    if tables is None:
        if any(_is_same(target, one.target_schema, one.target_table) for one in source.routes):
            return True
        tables = [(target.schema, target.table)]
    taken = (router.route(*name) for name in tables if allow_list.allows(*name))
    return any(_is_same(target, to.schema, to.table) for to in taken)


def _is_same(target: TableName, schema: str, table: str) -> bool:
    """Names that differ by case may be one there; "" stands for any table."""
    return target.schema.lower() == schema.lower() and (
        not target.table or not table or target.table.lower() == table.lower()
    )
