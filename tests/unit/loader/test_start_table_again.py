"""A table that starts again: what hinders it, and what the copy is told."""

from __future__ import annotations

import pytest

from dm_worker.loader.progress import Progress
from dm_worker.loader.start_table_again import referring
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table


def table(name: str, columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE {name} ({columns})", "s")


PARENT = "id INT PRIMARY KEY, a INT, b INT, KEY (a)"


@pytest.mark.parametrize(
    ("now", "key", "hinders"),
    [
        ("id INT PRIMARY KEY, z INT, b INT", "FOREIGN KEY (x) REFERENCES p (a)", True),
        ("id BIGINT PRIMARY KEY, a INT, b INT", "FOREIGN KEY (x) REFERENCES P (ID)", True),
        ("id INT PRIMARY KEY, z INT, b INT", "FOREIGN KEY (x) REFERENCES p (id)", False),
        ("id INT PRIMARY KEY, z INT, b INT", "FOREIGN KEY (x) REFERENCES other.p (a)", False),
        ("id INT PRIMARY KEY, z INT, b INT", "KEY (x)", False),
    ],
)
def test_columns_that_a_foreign_key_refers_to_do_not_change_unseen(now: str, key: str, hinders: bool) -> None:
    child = table("child", f"id INT PRIMARY KEY, x INT, {key}")
    planned = {("s", "p"): table("p", PARENT), ("s", "child"): child}
    reason = referring(("s", "p"), planned, table("p", now))
    assert reason == ("a foreign key of s.child refers to what has changed" if hinders else "")


def test_a_key_of_the_table_to_itself_changes_with_it() -> None:
    planned = {("s", "p"): table("p", f"{PARENT}, FOREIGN KEY (b) REFERENCES p (a)")}
    assert not referring(("s", "p"), planned, table("p", "id INT PRIMARY KEY, z INT, b INT"))


def test_what_was_copied_of_it_counts_no_more() -> None:
    progress = Progress(lambda: 0.0)
    for name in (("s", "t"), ("s", "u")):
        progress.known(name, 4, 1, 100, 1000)
    progress.done(("s", "t"), 100, 1000, 1.0, 1)
    progress.moving(("s", "t"), 2, 50, 500, 1.0)
    progress.known(("s", "t"), 6, 0, 0, 0)
    status = progress.status(2.0)
    assert (status["finishedRows"], status["finishedBytes"]) == (100, 1000)
    assert (status["completedChunks"], status["totalChunks"]) == (1, 10)
    progress.known(("s", "u"), 4, 1, 100, 1000)
    assert progress.status(2.0)["finishedRows"] == 100
