"""What the checks look at: facts of one upstream and of the target.  Values only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dm_master.precheck.grants import Grants
from pkg.adapters.structures import Cascade
from pkg.errors import DMError
from pkg.rules.column_rules import ColumnRules
from pkg.schema.letter_case import small
from pkg.schema.unfit_tables import Trigger
from pkg.task import SubtaskConfig
from pkg.task.kept import Kept

TableName = tuple[str, str]  # schema, table

_WIDTH = re.compile(r"\b((?:tiny|small|medium|big)?int)\(\d+\)")


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    name: str
    type: str
    nullable: bool = True
    collation: str = ""
    auto_increment: bool = False
    has_default: bool = False  # or fills itself
    generated: bool = False
    marked: bool = False  # its labels or its default have a ?, for which a server may show others

    @property
    def comparable_type(self) -> str:
        """Without display widths, which newer servers do not print, and JSON as MariaDB stores it."""
        shown = _WIDTH.sub(r"\1", self.type.lower())
        return "longtext" if shown == "json" else shown


@dataclass(frozen=True, slots=True)
class KeyFacts:
    name: str
    columns: tuple[str, ...]  # or expressions, in parentheses
    whole: bool  # of whole columns, none of them a prefix or an expression
    prefixes: tuple[int | None, ...] = ()  # characters of each that the key sees; None, or (): all


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table's columns and unique keys."""

    name: TableName
    columns: tuple[ColumnFacts, ...]
    unique_keys: tuple[KeyFacts, ...] = ()
    create_sql: str = ""  # SHOW CREATE TABLE of a table with generated columns
    engine: str = ""
    doubtful: tuple[str, ...] = ()  # columns whose labels or default the server shows with ?, and does not tell

    @property
    def has_identity(self) -> bool:
        """Whether a primary key, or a unique key without NULLs, tells its rows apart."""
        nullable = {column.name for column in self.columns if column.nullable}
        return any(key.whole and not nullable.intersection(key.columns) for key in self.unique_keys)

    def column(self, name: str) -> ColumnFacts | None:
        return next((column for column in self.columns if small(column.name) == small(name)), None)

    def __str__(self) -> str:
        return shown(self.name)


@dataclass(frozen=True)
class UpstreamFacts:
    """One source of the task."""

    subtask: SubtaskConfig
    address: str
    flavor: str
    version: tuple[int, int, int]
    variables: Mapping[str, str]
    grants: Grants
    tables: tuple[TableFacts, ...]
    targets: Mapping[TableName, TableName]  # upstream table → where it goes
    binlog_do_db: str = ""
    binlog_ignore_db: str = ""
    binlog_files: tuple[str, ...] | None = None  # None: not known
    unlogged_cascades: tuple[Cascade, ...] = ()  # foreign keys whose cascades are not in the binlog
    ghosts: tuple[TableName, ...] = ()  # tables of online DDL, which are left out
    unrouted: tuple[DMError, ...] = ()  # of tables that two routes claim; they are not among the tables
    is_replica: bool = False  # of another server, as far as the account may see it

    @cached_property
    def column_rules(self) -> ColumnRules:
        """Compiled once for all tables."""
        return self.subtask.column_rules()

    def variable(self, name: str) -> str:
        return self.variables.get(name, "").upper()


@dataclass(frozen=True, slots=True)
class EarlierRuns:
    """What the task's meta tables say of its sources."""

    started: frozenset[str] = frozenset()  # those that an earlier run has begun
    kept: Mapping[str, Kept] = field(default_factory=dict)  # … what each of them has left
    copied: frozenset[str] = frozenset()  # … of which no copy begins any more, for it has begun or is done
    feeders: Mapping[TableName, frozenset[str]] = field(default_factory=dict)  # … by the target tables they have filled

    def of(self, subtask: SubtaskConfig) -> Kept:
        """What earlier runs of the subtask have left."""
        return self.kept.get(subtask.source_id, Kept())


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """The target of the task."""

    address: str
    flavor: str
    grants: Grants
    schemas: frozenset[str]
    tables: Mapping[TableName, TableFacts]  # those of the task that exist
    filled: frozenset[TableName] = frozenset()  # … and have rows
    earlier: EarlierRuns = field(default_factory=EarlierRuns)
    max_connections: int = 0
    takes_load_data: bool = True  # LOAD DATA LOCAL
    collations: frozenset[str] = frozenset()
    version: tuple[int, int, int] = (0, 0, 0)
    triggers: Mapping[TableName, Sequence[Trigger]] = field(default_factory=dict)
    lacking_functions: frozenset[str] = frozenset()  # that other servers have
    loses_cascades: bool = False  # a MySQL that cascades above the engine: not all that it should
    folds_names: bool = True  # of tables that differ by case only
    makes_idle_keys: bool = False  # a TiDB whose new foreign keys neither check nor cascade
    idle_cascades: tuple[Cascade, ...] = ()  # that it holds so, of the task's tables


def shown(name: TableName) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in name)
