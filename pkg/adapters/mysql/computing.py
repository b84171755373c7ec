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


def computing_values(connection: Connection) -> dict[str, str]:
    """By variable: what sessions of a server begin with."""
    return {**_VARIABLES, **_shown(connection)}


def computing_session(server: Server, connection: Connection, wanted: Mapping[str, str]) -> dict[str, str]:
    """Those of ``wanted`` that ``server`` may have set and begins its sessions with another value of."""
    shown = _shown(connection)
    return {
        name: value
        for name, value in wanted.items()
        if name in shown and server.may_set(name) and shown[name].lower() != value.lower()
    }


def _shown(connection: Connection) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES WHERE variable_name IN %s", (tuple(_VARIABLES),))
        return {str(name).lower(): str(value) for name, value in cursor.fetchall()}
