"""Tables that several sessions make at the same moment, in a target that may then make none of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

WITHIN_SECONDS: Final = 10.0
_LEAST_TRIES: Final = 20  # a target under load may take seconds for one
_PAUSE_SECONDS: Final = 0.02  # times the try and a random number: sessions that have met shall not meet again
T = TypeVar("T")


def until_made(create: Callable[[], object], made: Callable[[], T | None]) -> T | None:
    """What ``made`` finds behind ``create``, which takes "exists" for success and is repeated while it finds nothing.

    Once is not enough: where two sessions make one table at the same moment, TiDB (``tidb_enable_fast_create_table``,
    on by default) takes both statements as one job, which finds that the name is used twice. Both sessions are told
    that the table exists, as an error or by IF NOT EXISTS as a note, and none is made.
    """
    until = time.monotonic() + WITHIN_SECONDS
    tries = 0
    while True:
        tries += 1
        create()
        found = made()
        if found is not None or (tries >= _LEAST_TRIES and time.monotonic() > until):
            return found
        time.sleep(random.random() * _PAUSE_SECONDS * tries)
