"""Structures that the upstream has taken, and that a setting of the target's refuses."""

from __future__ import annotations

from collections.abc import Callable

from pkg.adapters.mysql.connection import Connection, set_session
from pkg.adapters.mysql.dialect import REFUSING
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError


def run_allowed(connection: Connection, run: Callable[[], object]) -> None:
    """``run`` a statement on ``connection``, once more without the setting that refuses it.

    Raises what the server says first where the account may not set it.
    """
    try:
        run()
    except DMError as exc:
        name = REFUSING.get(errno_of(exc) or 0)
        if name is None:
            raise
        try:
            set_session(connection, {name: "0"})
        except DMError as refused:
            raise exc from refused
        run()
