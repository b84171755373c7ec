"""Around one run of a full migration: notes what it comes to, and leaves the summary when it ends."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from dm_worker.loader.progress import Progress
from dm_worker.loader.summary import Journal, RunEnd, summary_of
from pkg.adapters.clock import rfc3339
from pkg.adapters.summaries import Summary
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

Store = Callable[[Callable[[Summary | None], Summary]], None]


@contextmanager
def recorded(journal: Journal, progress: Progress, source: str, stop: StopSignal, store: Store) -> Iterator[None]:
    """``store`` is given a function from the earlier summary to the new one."""
    began, started = time.monotonic(), rfc3339(datetime.now(UTC))
    outcome, error = "failed", ""
    try:
        with journal.hearing():
            yield
        outcome = "stopped" if stop.is_set() else "finished"
    except Exception as exc:
        error = str(exc)
        raise
    finally:
        phases, tables = progress.account()
        if tables:  # else nothing was to be done, or not even a plan was made
            ended = rfc3339(datetime.now(UTC))
            seconds = time.monotonic() - began
            end = RunEnd(source, outcome, started, ended, seconds, phases, tables, error)
            _leave(end, journal, store)


def _leave(end: RunEnd, journal: Journal, store: Store) -> None:
    """Whatever hinders it, the migration's own end counts."""

    def make(earlier: Summary | None) -> Summary:
        summary = summary_of(end, journal, earlier)
        log.info("full migration summary: %s", json.dumps(summary, ensure_ascii=False))
        return summary

    try:
        store(make)
    except Exception as exc:
        log.info("the summary of the full migration could not be stored: %s", exc)
