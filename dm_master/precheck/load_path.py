"""Whether the target takes rows the fast way."""

from __future__ import annotations

from dm_master.precheck.facts import TargetFacts
from dm_master.precheck.report import Check, Finding, State


def check_load_path(target: TargetFacts) -> Check:
    where = f"target {target.address}"
    found = Finding(
        State.WARN,
        f"{where}: local_infile is off: rows go by multi-row INSERT, which takes up to twice the time of LOAD DATA",
        where,
        "run there, for as long as the full migration takes: SET GLOBAL local_infile = 1",
    )
    return Check(
        "local_infile",
        "load path check",
        "the target takes LOAD DATA LOCAL",
        () if target.takes_load_data else (found,),
    )
