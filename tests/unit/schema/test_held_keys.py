"""Keys that wait under another name while a statement's new ones take their names or places."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl, split_alter
from pkg.schema.held_keys import held_keys, with_held
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

_MADE = "`pid_5550c4ed`"


def _table(keys: str) -> Table:
    tracker = SchemaTracker()
    tracker.apply(parse_ddl(f"CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, {keys})", default_schema="d"))
    table = tracker.table("d", "c")
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("clauses", "target", "statements"),
    [
        ("ADD UNIQUE KEY pid (pid)", "mysql", ["RENAME", "ADD UNIQUE KEY pid (pid)", "DROP"]),
        ("ADD KEY PID (pid, z)", "tidb", ["RENAME", "ADD KEY PID (pid, z)", "DROP"]),
        ("ADD KEY pid (pid)", "tidb", ["RENAME", "ADD KEY pid (pid)", "DROP"]),
        ("ADD KEY IF NOT EXISTS pid (pid)", "mariadb", ["ADD KEY IF NOT EXISTS pid (pid)"]),
        ("RENAME KEY pid TO o, ADD KEY pid (pid)", "mysql", ["RENAME KEY pid TO o, ADD KEY pid (pid)"]),
        (
            "DROP KEY pid, ADD FOREIGN KEY pid (pid, z) REFERENCES q (a, b)", "mysql",
            ["DROP KEY pid, ADD FOREIGN KEY pid (pid, z) REFERENCES q (a, b)"],
        ),
        ("ADD KEY other (pid)", "tidb", ["ADD KEY other (pid)"]),
        ("ADD FOREIGN KEY (pid) REFERENCES p (id)", "tidb", ["ADD FOREIGN KEY (pid) REFERENCES p (id)"]),
        ("ADD KEY pid (pid, z), RENAME TO e", "tidb", ["RENAME", "ADD KEY pid (pid, z)", "DROP", "RENAME TO e"]),
    ],
)  # fmt: skip
def test_a_key_waits(clauses: str, target: str, statements: list[str]) -> None:
    before = _table("FOREIGN KEY (pid) REFERENCES p (id)")
    ddl = parse_ddl(f"ALTER TABLE c {clauses}", default_schema="d")
    parts = split_alter(ddl) if target == "tidb" else (ddl,)
    words = {"RENAME": f"RENAME KEY `pid` TO {_MADE}", "DROP": f"DROP KEY {_MADE}"}
    found = [one.text.partition("`d`.`c` ")[2] or one.text.removeprefix("ALTER TABLE c ")
             for one in with_held(parts, held_keys(ddl, before, target), "mysql")]  # fmt: skip
    assert found == [words.get(one, one) for one in statements]
