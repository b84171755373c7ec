"""Labels in doubt of tracked structures, which the upstream did not tell when they were read."""

from __future__ import annotations

import logging

from dm_worker.syncer.former import Former
from dm_worker.syncer.upstream import Upstream
from pkg.schema.hidden_characters import with_told_labels
from pkg.schema.tracker import SchemaTracker

log = logging.getLogger(__name__)


def ask_again(upstream: Upstream, tracker: SchemaTracker, former: Former) -> None:
    """Take labels of today where they are told by now; ``former`` looks whether they were others before.

    ``tracker`` has the structures of the checkpoint.
    """
    for table in tracker.tables():
        if any(column.doubtful for column in table.columns):
            told = with_told_labels(table, upstream.table(table.schema, table.name))
            if told is not table:
                log.info("labels of %s.%s were asked for once more, and are known now", table.schema, table.name)
                tracker.load(told)
                former.meet(told, upstream.present_location().position)
