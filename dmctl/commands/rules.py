"""``explain-rules``: what a task's rules would do, without starting anything."""

from __future__ import annotations

from pathlib import Path

import click

from dmctl.answer import Answer, View
from dmctl.cli import root, source_option, verb
from dmctl.files import read_task
from dmctl.session import Session


@verb(root)
@click.argument("task_file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@source_option
@click.option("--table", default="", metavar="SCHEMA.TABLE", help="Only this table; it need not be there yet.")
@click.option("--sql", default="", metavar="SQL", help="What would become of this statement.")
def explain_rules(
    session: Session, task_file: Path, source: tuple[str, ...] = (), table: str = "", sql: str = ""
) -> Answer:
    """Show what the rules of a task do to the tables of its sources, without starting it.

    Reads the tables that the sources have now: where each goes, by which route, which columns are added or mapped,
    which changes are left out and by which filter. With --sql: whether the statement would run, part by part.

    \b
    dmctl explain-rules task.yaml
    dmctl explain-rules task.yaml --table shop_1.orders
    dmctl explain-rules task.yaml --table shop_1.orders --sql "ALTER TABLE orders DROP COLUMN note, ADD COLUMN n INT"
    """
    task = read_task(task_file)
    session.warn(task.warnings)
    body = session.master.explain_rules(task.text, session.sources(source), table, sql)
    return Answer(body, View.EXPLAINED, f"explain-rules {task.name}")
