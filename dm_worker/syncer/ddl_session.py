"""The session that a DDL needs downstream so that it means there what it meant upstream.

Quotes and backslashes are normalised in the text itself (pkg.schema.ddl); what is left depends on the session:
what REAL and || are, whether fractions of seconds are cut or rounded, the moment that CURRENT_TIMESTAMP stands for,
and the zone of a TIMESTAMP's default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from pkg.binlog.events import QueryStatus

# Bits of Q_SQL_MODE_CODE (MySQL source, sql/query_options and system_variables.h) that change how a DDL reads.
_READING_MODES: Final[Mapping[int, str]] = {
    1: "REAL_AS_FLOAT",
    2: "PIPES_AS_CONCAT",
    8: "IGNORE_SPACE",
    1 << 6: "NO_UNSIGNED_SUBTRACTION",
    1 << 29: "HIGH_NOT_PRECEDENCE",
}
_TEXT_MODES: Final[Mapping[int, str]] = {
    1: "REAL_AS_FLOAT",
    4: "ANSI_QUOTES",
    1 << 9: "ORACLE",
    1 << 12: "MAXDB",
    1 << 20: "NO_BACKSLASH_ESCAPES",
}
_EXPLICIT_TIMESTAMPS = 1 << 24  # of the flags that MariaDB logs with a statement
_OFFSET = re.compile(r"[+-]\d\d:\d\d")

ZoneOffset = Callable[[str, int], str]


def reading_modes(sql_mode: int | None) -> tuple[str, ...]:
    """Modes of the statement's session that the target's session needs, too."""
    return tuple(name for bit, name in _READING_MODES.items() if (sql_mode or 0) & bit)


def text_modes(status: QueryStatus) -> frozenset[str]:
    """Modes of the statement's session that change how its text reads."""
    return frozenset(name for bit, name in _TEXT_MODES.items() if (status.sql_mode or 0) & bit)


def says_timestamps(status: QueryStatus, flavor: str) -> bool:
    """Whether explicit_defaults_for_timestamp was on in the statement's session; MariaDB logs it from 10.10 on."""
    if status.explicit_defaults_for_timestamp is not None:
        return status.explicit_defaults_for_timestamp
    return flavor != "mariadb" or status.flags is None or bool(status.flags & _EXPLICIT_TIMESTAMPS)


def ddl_session(
    status: QueryStatus, timestamp: int, zone_offset: ZoneOffset, usual: Mapping[str, str], mode_of_fractions: str = ""
) -> dict[str, str]:
    """Variables to set before the statement, by what its event says; ``usual`` are the session's own.

    ``zone_offset`` (zone, seconds since 1970) gives the offset of the upstream's zone at that moment.
    """
    zone = status.time_zone or "+00:00"  # a server names the zone whenever the statement depended on it
    if not _OFFSET.fullmatch(zone):
        zone = zone_offset(zone, timestamp)
    modes = [mode for mode in (usual["sql_mode"], *reading_modes(status.sql_mode), mode_of_fractions) if mode]
    moment = f"{timestamp}.{status.microseconds:06d}" if status.microseconds else str(timestamp)
    return {"timestamp": moment, "time_zone": zone, "sql_mode": ",".join(modes)}


def usual_session(usual: Mapping[str, str]) -> dict[str, str]:
    """Variables that end what ``ddl_session`` began."""
    return {"timestamp": "DEFAULT", "time_zone": usual["time_zone"], "sql_mode": usual["sql_mode"]}
