"""Writing a chunk's rows in its transaction: duplicates as the task says, and no warning passed over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final

from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.collisions import Collisions
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.load_columns import load_columns
from dm_worker.loader.own_rows import OwnRows
from dm_worker.loader.schema import coarser_key
from dm_worker.loader.statement_rows import Row, row_named, rows_of, shown
from dm_worker.loader.streamed import Block, Loaded, load_statement, load_stream, refuses_local
from dm_worker.loader.ways import Met, Otherwise, Way
from pkg.adapters.meta_tables import location_values
from pkg.adapters.mysql.errors import DUPLICATE, VALUE_REFUSED, errno_of
from pkg.adapters.mysql.tolerant import run_without_strictness, shown_warnings
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.tolerance import NO_TOLERANCE, Tolerance, speaks_of_values, tolerance
from pkg.schema.letter_case import small
from pkg.schema.merged_keys import coarser_keys
from pkg.schema.table import Table

DUPLICATE_ROW = ErrorKind(
    34020,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {source} is already in {target}: {text}; the first of them: {rows}",
    workaround="remove the row downstream or give the shards distinct keys, then resume-task; "
    "on-duplicate-logical: replace keeps the row that comes last, ignore the one that came first",
)
WARNED = ErrorKind(
    34021,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {source} does not arrive in {target} as it is: {text}; the row: {row}",
    workaround="compare the structures of the two tables and make the target's columns at least as wide",
)

_SHOWN_WARNINGS: Final = 3
_MOST_SHOWN: Final = 65_535  # by max_error_count
_TRUNCATED: Final = 1265  # MySQL says only a note when it cuts the digits of a DECIMAL
_DUPLICATE_ENTRY: Final = 1062


def final_error(table: TableCopy, other: Otherwise) -> DMError:
    """Where no other way is left."""
    if other.error is not None:
        return other.error
    names = {"source": table.upstream_name, "target": table.downstream_name}
    if other.met is Met.DUPLICATES:
        return DUPLICATE_ROW.error(text=other.text, rows="not found", cause=other, **names)
    return WARNED.error(text=other.text, row="not found", cause=other, **names)


class ChunkWriter:
    """Writes one chunk within the open transaction of ``ends``'s downstream connection."""

    def __init__(self, ends: Ends, job: CopyJob, table: TableCopy, way: Way) -> None:
        self._ends = ends
        self._connection = ends.downstream()
        self._job = job
        self._table = table
        self._way = way
        self._prefix = table.insert_prefix(way.verb).encode()
        self._loaded_rows = 0

    @property
    def prefix(self) -> bytes:
        """What a statement begins with."""
        return self._prefix

    def begin(self) -> None:
        self._ends.set_clock(self._table)
        # An optimistic transaction would learn of duplicates when it commits, and not of which.
        if self._way.names_rows and self._job.flavor == "tidb":
            self._connection.query("BEGIN PESSIMISTIC")
        else:
            self._connection.begin()

    # -- a stream

    def load(self, blocks: Iterable[Block], modes: list[int]) -> None:
        """One LOAD DATA; ``modes`` are those of the builder that gives the blocks."""
        target = self._ends.target_columns(self._table)
        columns = load_columns(self._table.columns, modes, target, self._job.flavor)
        statement = load_statement(self._table.downstream_name, columns, self._way.duplicates)
        try:
            loaded = load_stream(self._connection, statement, blocks)
        except DMError as exc:
            if refuses_local(exc):
                self._ends.stop_streaming()
                raise Otherwise(Met.NO_STREAM, str(exc.fields.get("text", ""))) from exc
            if exc.resumable or exc.fields.get("side") != "downstream":
                raise
            raise Otherwise(Met.MISFITS, str(exc.fields.get("text", ""))) from exc
        if loaded.warnings or loaded.skipped:
            self._judge(loaded)
        self._loaded_rows += loaded.records or 0

    def _judge(self, loaded: Loaded) -> None:
        # TiDB's LOAD DATA warns of dates that its INSERT takes, and names no column, as an expression's warnings do.
        warnings = self._warnings(named_only=True)
        others = [text for code, text in warnings if code != _DUPLICATE_ENTRY]
        if others:
            raise Otherwise(Met.MISFITS, others[0])
        if warnings and self._job.on_duplicate != "ignore":
            raise Otherwise(self._met, warnings[0][1])
        if loaded.warnings > _MOST_SHOWN:
            raise Otherwise(Met.MISFITS, f"{loaded.warnings} warnings are more than the server shows")
        if loaded.skipped > len(warnings):
            raise Otherwise(Met.MISFITS, f"{loaded.skipped} rows were left out")

    def check_loaded(self, rows: int) -> None:
        """What was sent must be what was read."""
        if self._way.is_stream and self._loaded_rows != rows:
            raise Otherwise(Met.MISFITS, f"the server read {self._loaded_rows} rows of {rows}")

    # -- statements

    def write(self, statement: bytes) -> None:
        try:
            warned = self._run(statement)
        except DMError as exc:
            if not DUPLICATE.matches(exc):
                raise self._naming(exc, statement) from exc
            warned = self._met_duplicates(exc, statement)
        if warned:
            self._refuse_warnings(statement)

    def _met_duplicates(self, exc: DMError, statement: bytes) -> bool:
        if self._job.on_duplicate != "replace" and self._met is not Met.OF_OTHERS:
            if not self._job.on_duplicate and self._way.names_rows:
                return self._own_rows.write(statement)
            self._refuse_duplicates(exc, statement)
        # A statement that fails leaves nothing of itself, so all of its rows are written again.
        return self._run(b"REPLACE" + statement.removeprefix(b"INSERT"))

    @cached_property
    def _met(self) -> Met:
        """What a row that is there already is: of an other table that is merged with this one, unless the task says.

        Where a key of a merged table may make two rows of this one table one, it is looked into, too.
        """
        is_merged = not self._job.on_duplicate and (
            self._table.is_mapped or bool(Collisions(self._connection, self._job, self._table).merged())
        )
        structure = self._ends.structure(self._table) if is_merged else None
        if structure is None:
            return Met.OF_OTHERS if is_merged else Met.DUPLICATES
        table, names = self._table, self._table.names
        found = next(coarser_keys(table.unique, structure, self._job.flavor, names), None)
        if found is not None and (table.is_mapped or not _is_key(table.identity, structure)):
            raise coarser_key(found, table.upstream_name, structure)
        return Met.OF_OTHERS if found is None else Met.DUPLICATES

    @cached_property
    def _own_rows(self) -> OwnRows:
        ends = self._ends
        structure = ends.structure(self._table)
        assert structure is not None, "its rows met others"
        asked = ends.open_upstream if ends.has_upstream else None
        return OwnRows(self._connection, self._table, structure, asked, self._run)

    def _run(self, statement: bytes) -> bool:
        """Whether there are warnings that nobody has looked at."""
        try:
            self._connection.query(statement)
        except DMError as exc:
            if not VALUE_REFUSED.matches(exc) or not self._tolerance:
                raise
            run_without_strictness(self._connection, statement, self._tolerance, exc)
            return False
        result: Any = self._connection._result
        return result is not None and bool(result.warning_count)

    def _refuse_duplicates(self, exc: DMError, statement: bytes) -> None:
        text = str(exc.fields["text"])
        if not self._way.names_rows:
            raise Otherwise(self._met, text) from exc
        found = Collisions(self._connection, self._job, self._table)
        rows = found.described(statement, self._prefix, self._ends.open_upstream)
        raise DUPLICATE_ROW.error(text=text, rows=rows or "gone meanwhile", cause=exc, **self._names()) from exc

    def _naming(self, exc: DMError, statement: bytes) -> DMError:
        """``exc`` with the row that it speaks of, or the first one that meets it alone."""
        if exc.resumable:
            return exc
        row = row_named(str(exc.fields.get("text", "")), statement, self._prefix) or self._refused(exc, statement)
        if row is None:
            return exc
        where = f"{self._table.upstream_name}, on its way to {self._table.downstream_name}: {self._shown(row)}"
        text = f"{exc.fields.get('text', '')}; the row of {where}"
        return exc.kind.error(cause=exc.__cause__, **{**exc.fields, "text": text})

    def _refused(self, exc: DMError, statement: bytes) -> Row | None:
        for row in rows_of(statement, self._prefix):
            try:
                self._connection.query(self._prefix + b"(" + b",".join(row) + b")")
            except DMError as alone:
                return row if errno_of(alone) == errno_of(exc) else None
        return None

    def _refuse_warnings(self, statement: bytes) -> None:
        serious = [
            (code, text)
            for code, text in self._warnings()
            if code != _DUPLICATE_ENTRY or self._job.on_duplicate != "ignore"
        ]
        if not serious:
            return
        text = "; ".join(f"{text} ({code})" for code, text in serious[:_SHOWN_WARNINGS])
        row = row_named(serious[0][1], statement, self._prefix)
        raise WARNED.error(text=text, row="unknown" if row is None else self._shown(row), **self._names())

    # -- both

    def _warnings(self, *, named_only: bool = False) -> list[tuple[int, str]]:
        """Code and text of those that mean something; ``named_only``: one that names no column always does."""
        rows = shown_warnings(self._connection)
        found = [
            (code, text)
            for level, code, text in rows
            if (level != "Note" or code == _TRUNCATED) and speaks_of_values(code, text)
        ]
        if not found or not self._tolerance:
            return found
        allows = self._tolerance.allows_named if named_only else self._tolerance.allows
        return [(code, text) for code, text in found if not allows(code, text)]

    @cached_property
    def _tolerance(self) -> Tolerance:
        structure = self._ends.structure(self._table)
        return NO_TOLERANCE if structure is None else tolerance(self._table.uncertain, structure)

    def pin(self, location: Location) -> None:
        """The location of the snapshot that a keyless table was read in."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"REPLACE INTO {self._job.meta.pinned} "
                "(source_id, schema_name, table_name, binlog_name, binlog_pos, gtid, is_exact) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (
                    self._job.source_id,
                    self._table.schema,
                    self._table.name,
                    *location_values(location),
                    not self._table.is_narrowed,
                ),
            )

    def commit(self) -> None:
        try:
            self._connection.commit()
        except DMError as exc:
            if not DUPLICATE.matches(exc) or self._way.verb == "REPLACE":
                raise
            raise Otherwise(self._met, str(exc.fields["text"])) from exc

    def _shown(self, row: Row) -> str:
        key = self._table.key
        quoted_key = () if key is None else tuple(f"`{name.replace('`', '``')}`" for name in key.columns)
        return f"({shown(self._table.columns, row, quoted_key)})"

    def _names(self) -> dict[str, Any]:
        return {"source": self._table.upstream_name, "target": self._table.downstream_name}


def _is_key(identity: Sequence[str], target: Table) -> bool:
    """Whether the columns of the upstream's key name one row of the target, too; a table without a key has none."""
    names = {small(name) for name in identity}
    return not names or any(names.issuperset(map(small, index.columns)) for index in target.identifying_indexes)
