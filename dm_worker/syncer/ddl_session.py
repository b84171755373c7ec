"""The session that a DDL needs downstream so that it means there what it meant upstream.  No I/O.

Quotes and backslashes are normalised in the text itself (pkg.schema.ddl).  What is left depends on the session: what
its sql_mode says of types, operators and values that do not fit, the character set of CAST and of literals, the
moment that CURRENT_TIMESTAMP stands for, the zone of a TIMESTAMP, the numbers that AUTO_INCREMENT gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from pkg.adapters.mysql.dialect import REFUSING, Server
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.binlog.sql_modes import QUOTING, mode_names
from pkg.schema.alter import AddColumn, Alteration, ChangeColumn, SetDefault
from pkg.schema.columns import ColumnSpec
from pkg.schema.fractions import cuts_fractions, fraction_mode
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.statement import Ddl
from pkg.schema.table import Table
from pkg.schema.zone_reads import reads_moments

_STRICT: Final = frozenset({"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES"})
DATES: Final = frozenset({"NO_ZERO_IN_DATE", "NO_ZERO_DATE", "ALLOW_INVALID_DATES"})
# What changes types, operators and values, whether a server is strict or not.
_MEANING: Final = frozenset({
    "REAL_AS_FLOAT", "PIPES_AS_CONCAT", "IGNORE_SPACE", "NO_UNSIGNED_SUBTRACTION", "HIGH_NOT_PRECEDENCE",
    "PAD_CHAR_TO_FULL_LENGTH", "NO_AUTO_VALUE_ON_ZERO", "ORACLE", "EMPTY_STRING_IS_NULL",
})  # fmt: skip
# Bits of the flags that are logged with a statement.
_AUTO_IS_NULL = 1 << 14
_EXPLICIT_TIMESTAMPS = 1 << 24
_NO_FOREIGN_KEY_CHECKS = 1 << 26
_RELAXED_UNIQUE_CHECKS = 1 << 27
_OFFSET = re.compile(r"[+-]\d\d:\d\d", re.ASCII)
_OF_LOCALE: Final = frozenset({"DATE_FORMAT(", "DAYNAME(", "MONTHNAME(", "STR_TO_DATE(", "FORMAT("})
_OF_MOMENTS: Final = ("UNIX_TIMESTAMP", "FROM_UNIXTIME")
_OF_PARTITION: Final = re.compile(r"\bUNIX_TIMESTAMP\s*\(\s*(?:\w+\s*)?'", re.ASCII | re.IGNORECASE)  # of one end
_OF_CONNECTION: Final = frozenset({"CAST(", "CONVERT("})
_UTC: Final = re.compile(r"\bUTC_", re.ASCII | re.IGNORECASE)  # functions of the moment that look at no zone
_OF_MARIADB: Final = frozenset({"ORACLE", "EMPTY_STRING_IS_NULL"})

_STOPS_COUNTING: Final = "tidb_allow_remove_auto_inc"  # whether a column may lose AUTO_INCREMENT, or go with it

EMPTY: Final = "''"  # among the words: a string of no characters
VARIABLES: Final = (
    "timestamp", "time_zone", "sql_mode", "foreign_key_checks", "unique_checks", "sql_auto_is_null",
    "explicit_defaults_for_timestamp", "collation_connection", "default_collation_for_utf8mb4", "lc_time_names",
    "auto_increment_increment", "auto_increment_offset", "default_table_encryption",
    "default_week_format", "div_precision_increment", "sql_generate_invisible_primary_key", "old_alter_table",
    "alter_algorithm", _STOPS_COUNTING, *REFUSING.values(),
)  # fmt: skip
"""All that is set for a DDL, on servers that have it."""


def text_modes(status: QueryStatus, flavor: str) -> frozenset[str]:
    """Modes of the statement's session that change how its text reads."""
    modes = QUOTING | {"REAL_AS_FLOAT", "PIPES_AS_CONCAT", "HIGH_NOT_PRECEDENCE"}
    if flavor == "mariadb":
        modes |= {"ORACLE", "MAXDB", "MSSQL"}
    return mode_names(status.sql_mode, flavor) & modes


def says_timestamps(status: QueryStatus, flavor: str) -> bool:
    """Whether explicit_defaults_for_timestamp was on in the statement's session; MariaDB logs it from 10.10 on."""
    if status.explicit_defaults_for_timestamp is not None:
        return status.explicit_defaults_for_timestamp
    return flavor != "mariadb" or status.flags is None or bool(status.flags & _EXPLICIT_TIMESTAMPS)


def is_offset(zone: str) -> bool:
    return bool(_OFFSET.fullmatch(zone))


def without_key_checks(event: QueryEvent) -> QueryEvent:
    """The statement as of a session that checks no foreign keys."""
    flags = (event.status.flags or 0) | _NO_FOREIGN_KEY_CHECKS
    return replace(event, status=replace(event.status, flags=flags))


@dataclass(frozen=True, slots=True)
class StatementSession:
    """What a statement of the stream ran under upstream, and what its text may ask of that."""

    status: QueryStatus
    flavor: str  # of the upstream
    timestamp: int
    words: frozenset[str]  # see words_of
    collation: str = ""  # of the connection; "": as it is
    utf8mb4_collation: str = ""
    expressions: tuple[tuple[str, str], ...] = ()  # the upstream's global variables that no event names

    @property
    def modes(self) -> frozenset[str]:
        return mode_names(self.status.sql_mode, self.flavor)

    @property
    def is_strict(self) -> bool:
        """Whether a value that does not fit was an error upstream, and not cut."""
        return self.status.sql_mode is None or bool(self.modes & _STRICT)

    @property
    def counts_zeros(self) -> bool:
        """Whether a 0 in a column that begins to count became a number."""
        return "NO_AUTO_VALUE_ON_ZERO" not in self.modes

    @property
    def cuts_fractions(self) -> bool:
        return cuts_fractions(self.flavor, self.modes)

    def sql_mode(self, server: Server, *, strict: bool) -> str:
        """The target's sql_mode; ``strict``: values that do not fit are errors there, whatever they were upstream.

        Where the upstream was strict, dates that it would have refused do not occur, and any date is taken.
        """
        modes = self.modes & _MEANING - _OF_MARIADB
        if server.flavor == "mariadb":
            modes |= self.own_modes
        if self.is_strict:
            modes |= {"ALLOW_INVALID_DATES", "STRICT_TRANS_TABLES"}
        else:
            if "CREATE" in self.words:
                dates = DATES & {"ALLOW_INVALID_DATES"}  # which fills no rows
            elif self.flavor == "mariadb" != server.flavor:
                dates = DATES - {"ALLOW_INVALID_DATES"}  # its ALTER makes no invalid dates of texts in any mode
            else:
                dates = DATES
            modes |= self.modes & dates | ({"STRICT_ALL_TABLES"} if strict else frozenset())
        modes |= {fraction_mode(server.flavor, self.cuts_fractions)}
        return server.known_sql_mode(sorted(modes))

    def variables(self, server: Server, zone: str, *, checks_keys: bool, strict: bool) -> dict[str, str]:
        """The target's session; of what it lacks nothing is left out here."""
        flags, status = self.status.flags or 0, self.status
        moment = f"{self.timestamp}.{status.microseconds:06d}" if status.microseconds else str(self.timestamp)
        wanted = {
            "timestamp": moment,
            "time_zone": zone,
            "sql_mode": self.sql_mode(server, strict=strict),
            "foreign_key_checks": _switch(checks_keys and not flags & _NO_FOREIGN_KEY_CHECKS),
            "unique_checks": _switch(not flags & _RELAXED_UNIQUE_CHECKS),
            "sql_auto_is_null": _switch(bool(flags & _AUTO_IS_NULL)),
            "explicit_defaults_for_timestamp": "1",  # the text says all
            "sql_generate_invisible_primary_key": "0",  # what the upstream has made stands in the text
            **({"alter_algorithm": "DEFAULT"} if server.flavor == "mariadb" else {"old_alter_table": "0"}),
        }
        has_taken_it = dict.fromkeys(REFUSING.values(), "0")
        return wanted | has_taken_it | self._asked_for()

    def _asked_for(self) -> dict[str, str]:
        """What matters to few statements; some of it needs privileges."""
        status, wanted = self.status, dict[str, str]()
        if self.collation:
            wanted["collation_connection"] = self.collation
        if self.utf8mb4_collation and self.words & {"UTF8MB4", "_UTF8MB4"}:
            wanted["default_collation_for_utf8mb4"] = self.utf8mb4_collation
        if self.needs_locale:
            wanted["lc_time_names"] = str(status.locale)
        if "AUTO_INCREMENT" in self.words:
            wanted["auto_increment_increment"] = str(status.auto_increment_increment)
            wanted["auto_increment_offset"] = str(status.auto_increment_offset)
        if self.words & {"MODIFY", "CHANGE", "DROP"}:
            wanted[_STOPS_COUNTING] = "1"
        if status.table_encryption is not None:
            wanted["default_table_encryption"] = _switch(status.table_encryption)
        if self.words & {"WEEK(", "/"}:
            wanted |= dict(self.expressions)
        return wanted

    @property
    def needs_locale(self) -> bool:
        return bool(self.words & _OF_LOCALE)

    @property
    def casts(self) -> bool:
        """Whether the text may ask for the connection's character set."""
        return bool(self.words & _OF_CONNECTION) and "CHAR" in self.words

    @property
    def own_modes(self) -> frozenset[str]:
        """Modes that MariaDB alone has, and that the text depends on beside its types, which are spelled out."""
        modes = self.modes & _OF_MARIADB if self.flavor == "mariadb" else frozenset[str]()
        if not self.words & {"GENERATED", "AS", "CHECK", "||", "DEFAULT("}:
            modes -= {"ORACLE"}
        return modes if EMPTY in self.words else modes - {"EMPTY_STRING_IS_NULL"}


def session_cuts(event: QueryEvent, flavor: str) -> bool:
    """Whether a statement's session cut fractions of seconds rather than rounding them."""
    return cuts_fractions(flavor, mode_names(event.status.sql_mode, flavor))


def words_of(text: str) -> frozenset[str]:
    """What stands in a Ddl's text outside of quotes, in capitals; a word before a parenthesis also with it."""
    tokens = tokenize(text)
    words = {token.key for token in tokens if token.kind not in (Kind.STRING, Kind.QUOTED)}
    words |= {f"{token.key}(" for token, behind in pairwise(tokens) if token.kind is Kind.WORD and behind.key == "("}
    is_empty = any(token.kind is Kind.STRING and not token.value for token in tokens)
    return frozenset(words | ({EMPTY} if is_empty else set()))


def shift_of_moment(ddl: Ddl, present: Table | None, seconds: int) -> int | None:
    """What to add to the statement's moment in a zone that is ``seconds`` behind the statement's own.

    Local times stay right if the moment moves with the zone, TIMESTAMPs if it does not.  None: the statement asks for
    both, or for other moments.  ``present``: see ``asks_for_moments``.
    """
    if asks_for_moments(ddl, present) or _UTC.search(ddl.text) is not None:
        return None
    if ddl.create is not None:
        return 0  # which fills no rows
    columns = [one.column for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn)]
    moments = [column.type.base == "timestamp" for column in columns]
    if any(moments):
        return 0 if all(moments) else None
    return seconds


def asks_for_moments(ddl: Ddl, present: Table | None) -> bool:
    """Whether one offset is too little: local times of other moments become such moments, or back.

    ``present``: the table before the statement.
    """
    if _OF_PARTITION.search(ddl.text) is not None:
        return True
    if ddl.create is not None:
        return any(_of_column(one.item) for one in ddl.create.elements if isinstance(one.item, ColumnSpec))
    return any(_of_clause(one, present) for one in ddl.alterations) or reads_moments(ddl, present)


def _of_clause(one: Alteration, present: Table | None) -> bool:
    match one:
        case AddColumn(column):
            return _of_column(column)
        case ChangeColumn(old, column):
            before = present.column(old) if present is not None else None
            is_moment = column.type.base == "timestamp"
            return _of_column(column) or before is None or is_moment != (before.base_type == "timestamp")
        case SetDefault(name, default):
            before = present.column(name) if present is not None else None
            return _is_literal(default) and (before is None or before.base_type == "timestamp")
    return False


def _of_column(column: ColumnSpec) -> bool:
    if any(word in (column.default or "").upper() for word in _OF_MOMENTS):
        return True
    return column.type.base == "timestamp" and _is_literal(column.default)


def _is_literal(default: str | None) -> bool:
    return default is not None and default[:1] in "'0123456789(" and "0000-00-00" not in default


def _switch(is_on: bool) -> str:
    return "1" if is_on else "0"
