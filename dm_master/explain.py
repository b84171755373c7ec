"""What the rules of a task do to the tables of a source, and to one statement.  Decides, asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.column_rules import ColumnRules
from pkg.rules.ddl_verdicts import Judged, Uncuttable, judged, remaining
from pkg.rules.event_filter import Action, EventFilter, Verdict
from pkg.rules.event_types import FURTHER, GROUP_OF, NEVER_SEEN, ROW_KINDS, EventType
from pkg.rules.router import Router
from pkg.rules.taken import mixture, taken_pieces
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import TRANSACTION_KINDS, Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.task import SubtaskConfig

Body = dict[str, Any]
FetchTable = Callable[[str, str], Table | None]

_CHANGES = {"INSERT": "insert", "REPLACE": "insert", "LOAD": "insert", "UPDATE": "update", "DELETE": "delete"}
_DDL_TYPES = [word for word in GROUP_OF if word not in NEVER_SEEN and word not in ROW_KINDS]


@dataclass(frozen=True)
class SourceRules:
    """The rules of one source, compiled."""

    source: str
    flavor: str
    router: Router
    allow_list: BlockAllowList
    events: EventFilter
    columns: ColumnRules
    expressions: tuple[tuple[str, str, str], ...]  # expression filters: name, schema, table

    @classmethod
    def of(cls, subtask: SubtaskConfig, flavor: str) -> SourceRules:
        return cls(
            subtask.source_id,
            flavor,
            subtask.router(),
            subtask.allow_list(),
            subtask.event_filter(),
            subtask.column_rules(),
            tuple((name, rule.schema_, rule.table) for name, rule in subtask.expression_filters.items()),
        )

    def table(self, schema: str, table: str) -> Body:
        """What becomes of one table."""
        body: Body = {"source": self.source, "schema": schema, "table": table}
        if not self.allow_list.allows(schema, table):
            return body | {"migrated": False, "note": "left out by the block-allow-list"}
        try:
            target = self.router.route(schema, table)
            columns = list(self._columns(schema, table))
        except DMError as exc:
            return body | {"migrated": False, "note": f"{exc.message}; {exc.workaround}"}
        return body | {
            "migrated": True,
            "targetSchema": target.schema,
            "targetTable": target.table,
            "route": self.router.rule_name(schema, table),
            "columns": columns,
            "filters": list(self._filters(schema, table)),
        }

    def statement(self, sql: str, schema: str, table: str, fetch: FetchTable) -> Body:
        """What would become of a statement, written with ``schema`` as its default database."""
        body: Body = {"source": self.source}
        try:
            ddl = parse_ddl(sql, default_schema=schema, flavor=self.flavor or "mysql")
        except DMError as exc:
            verdict = self.events.ddl(schema, "", None, sql)
            if verdict.action is Action.IGNORE:
                return body | {"outcome": f"left out by the filter {verdict.rule}, and not understood"}
            return body | {"outcome": f"pauses: {exc.message}"}
        if ddl.kind is DdlKind.DML_TEXT:
            return body | self._rows(sql, schema, table)
        if ddl.kind in TRANSACTION_KINDS or ddl.kind is DdlKind.NOT_REPLICATED:
            return body | {"outcome": f"is never replicated ({ddl.note or 'it ends or begins a transaction'})"}
        pieces = taken_pieces(ddl, self.allow_list.allows)
        if not pieces:
            return body | {"outcome": "left out by the block-allow-list"}
        outcome = self._ddl(pieces, sql, fetch)
        reason = mixture(ddl, self.allow_list.allows)
        return body | outcome | ({"outcome": f"pauses: {reason}"} if reason and outcome.get("runs") else {})

    def _columns(self, schema: str, table: str) -> Iterator[str]:
        rules = self.columns.of(schema, table)
        yield from (f"{one.name} = {one.value!r}" for one in rules.extracted)
        yield from (f"{one.target}: {one.rule}" for one in rules.mapped)
        yield from rules.notes()

    def _filters(self, schema: str, table: str) -> Iterator[str]:
        """The verdicts that are not "it passes", each with the types that it is about."""
        found: dict[Verdict, list[str]] = {}
        for kind in ROW_KINDS:
            found.setdefault(self.events.rows(schema, table, kind), []).append(kind)
        for word in _DDL_TYPES:
            event = EventType(FURTHER.get(word, word), frozenset({word}))
            verdict = self.events.ddl(schema, table, event, "")
            if word not in FURTHER or verdict != self.events.ddl(schema, table, EventType(FURTHER[word]), ""):
                found.setdefault(verdict, []).append(word)
        for verdict, words in found.items():
            if not verdict.passes:
                yield f"{verdict.rule}: {verdict.action} {', '.join(_grouped(words))}"
        for name in self.events.by_text(schema, table):
            yield f"{name}: also by the text of a DDL"
        for name, *owner in self.expressions:
            if owner == [schema, table]:
                yield f"{name}: by the values of rows"

    def _rows(self, sql: str, schema: str, table: str) -> Body:
        kind = _CHANGES.get(sql.split(None, 1)[0].upper(), "") if sql.split() else ""
        if not kind or not table:
            return {"outcome": "changes rows: name its table by --table to see what becomes of them"}
        if not self.allow_list.allows(schema, table):
            return {"outcome": "left out by the block-allow-list"}
        verdict, target = self.events.rows(schema, table, kind), self.router.route(schema, table)
        part = {"type": kind, "schema": schema, "table": table, "action": str(verdict.action), "rule": verdict.rule}
        outcome = f"goes to {TableName(target.schema, target.table).quoted()}" if verdict.passes else _outcome(verdict)
        return {"outcome": outcome, "parts": [part]}

    def _ddl(self, pieces: Iterable[Ddl], sql: str, fetch: FetchTable) -> Body:
        parts: list[Body] = []
        runs: list[str] = []
        refused: Verdict | None = None
        for piece in pieces:
            name = piece.subject
            before = fetch(name.schema, name.table) if name.table and piece.kind is not DdlKind.CREATE_TABLE else None
            found = judged(piece, before, DEFAULT_CONTEXT, self.events, sql)
            parts += [_part(piece, one) for one in found]
            refused = refused or next((one.verdict for one in found if one.verdict.action is Action.ERROR), None)
            try:
                kept = remaining(piece, found, self.flavor or "mysql")
            except Uncuttable:
                return {"outcome": "pauses: a part is left out, and the text cannot be cut there", "parts": parts}
            runs += [kept.rename(self._routed)] if kept is not None else []
        if refused is not None:
            return {"outcome": _outcome(refused), "parts": parts}
        outcome = "runs downstream" if runs else "left out; the structures upstream are followed all the same"
        return {"outcome": outcome, "parts": parts, "runs": runs}

    def _routed(self, name: TableName) -> TableName:
        target = self.router.route(name.schema, name.table)
        return TableName(target.schema, target.table)


def _part(piece: Ddl, one: Judged) -> Body:
    clause, name = one.part.clause, one.part.tables[0]
    text = piece.text if clause is None else piece.text[clause.clause.start : clause.clause.end]
    return {
        "text": text,
        "type": str(one.part.event),
        "schema": name.schema,
        "table": name.table,
        "action": str(one.verdict.action),
        "rule": one.verdict.rule,
    }


def _outcome(verdict: Verdict) -> str:
    if verdict.action is Action.ERROR:
        return f"pauses the task: the filter {verdict.rule} has the action Error"
    return f"left out by the filter {verdict.rule}"


def _grouped(words: list[str]) -> Iterator[str]:
    """Shorter: all kinds of rows, and all types of DDL, as one word."""
    rows, types = [word for word in words if word in ROW_KINDS], [word for word in words if word not in ROW_KINDS]
    yield from ["all dml"] if len(rows) == len(ROW_KINDS) else rows
    is_all = set(types) >= {word for word in _DDL_TYPES if word not in FURTHER}
    yield from ["all ddl"] if is_all else types
