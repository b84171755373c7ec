"""What `-- both` of a case says: the same statements on both ends, behind replication, which must do the same.

They run in a transaction that is rolled back.
"""

from __future__ import annotations

from typing import Any

from tests.cases.replicate.comparing import contents


def both_differ(case: Any, here: Any, there: Any, schema: str, ours: Any, theirs: Any) -> str:
    statements = [sql for step in case.steps if step.place == "both" for sql in step.what]
    got = []
    for side in (here, there) if statements else ():
        side.server.query(f"USE `{schema}`")
        side.server.query("SET sql_mode = 'STRICT_TRANS_TABLES'")
        side.server.query("BEGIN")
        answers = []
        for sql in statements:
            try:
                side.server.query(sql)
                answers.append("taken")
            except Exception as exc:  # each server has its own code
                answers.append(f"refused {exc.args[0]}")
        rows = {table[1]: contents(side.server, table, ours[table]) for table in ours if table in theirs}
        side.server.query("ROLLBACK")
        side.server.query("SET sql_mode = ''")
        got.append(([one.split()[0] for one in answers], rows, answers))
    return "" if not got or got[0][:2] == got[1][:2] else f"upstream {got[0]}, target {got[1]}"
