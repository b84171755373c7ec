from __future__ import annotations

from collections.abc import Sequence

from dm_master.precheck.report import Report
from pkg.task import SubtaskConfig


def run_checks(subtasks: Sequence[SubtaskConfig]) -> Report:
    return Report()
