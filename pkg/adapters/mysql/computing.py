"""What generated columns and defaults are calculated with: global variables of the upstream, which no event names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server

# Each with its value on servers that lack it.
_VARIABLES: Final = {
    "default_week_format": "0", "div_precision_increment": "4", "lc_time_names": "en_US",
    "block_encryption_mode": "aes-128-ecb", "default_regex_flags": "",
}  # fmt: skip
OLD_MODE: Final = "old_mode"
ZERO_DATE_TIME_CAST: Final = "ZERO_DATE_TIME_CAST"  # of MariaDB's: a TIME that becomes a moment has no day


def computing_values(connection: Connection) -> dict[str, str]:
    """By variable: what sessions of a server begin with; of MariaDB's old_mode what is computed by it."""
    shown = _shown(connection)
    modes = shown.pop(OLD_MODE, "").split(",")
    return {**_VARIABLES, **shown, OLD_MODE: ZERO_DATE_TIME_CAST if ZERO_DATE_TIME_CAST in modes else ""}


def computing_session(server: Server, connection: Connection, wanted: Mapping[str, str]) -> dict[str, str]:
    """Those of ``wanted`` that ``server`` may have set and begins its sessions with another value of."""
    shown = _shown(connection)
    if OLD_MODE in shown:
        kept = [mode for mode in shown[OLD_MODE].split(",") if mode != ZERO_DATE_TIME_CAST]
        wanted = {**wanted, OLD_MODE: ",".join(filter(None, [*kept, wanted.get(OLD_MODE, "")]))}
    return {
        name: value
        for name, value in wanted.items()
        if name in shown and server.may_set(name) and shown[name].lower() != value.lower()
    }


def _shown(connection: Connection) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES WHERE variable_name IN %s", ((*_VARIABLES, OLD_MODE),))
        return {str(name).lower(): str(value) for name, value in cursor.fetchall()}
