"""Global variables that no statement names: what the upstream calculates with, and what the target makes tables by."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from pkg.adapters.mysql.connection import Connection, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.errors import DMError

log = logging.getLogger(__name__)

# Each with its value on servers that lack it.
_VARIABLES: Final = {
    "default_week_format": "0", "div_precision_increment": "4", "lc_time_names": "en_US",
    "block_encryption_mode": "aes-128-ecb", "default_regex_flags": "",
}  # fmt: skip
# Each with its value where tables become what is written, and how it is set.
_MAKING: Final = {
    "explicit_defaults_for_timestamp": ("ON", "1"),
    "sql_generate_invisible_primary_key": ("OFF", "0"),
}
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


def making_session(connection: Connection) -> dict[str, str]:
    """Where a server's sessions begin with what makes a table otherwise than its text says: how it has to be.

    What the account may not set is left out.
    """
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES WHERE variable_name IN %s", (tuple(_MAKING),))
        shown = {str(name).lower(): str(value).upper() for name, value in cursor.fetchall()}
    found = dict[str, str]()
    for name, (usual, value) in _MAKING.items():
        if shown.get(name, usual) == usual:
            continue
        try:
            set_session(connection, {name: value})
            found[name] = value
        except DMError as exc:
            if exc.resumable:
                raise
            log.warning("tables are made with %s = %s: %s", name, shown[name], exc)
    return found


def _shown(connection: Connection) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES WHERE variable_name IN %s", ((*_VARIABLES, OLD_MODE),))
        return {str(name).lower(): str(value) for name, value in cursor.fetchall()}
