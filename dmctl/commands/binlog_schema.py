"""``binlog-schema``: the structures by which a task reads the rows of its upstream's tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, View
from dmctl.cli import HELP_OPTIONS, Verbs, root, source_option, verb
from dmctl.files import named, read_text
from dmctl.session import Session

F = TypeVar("F", bound=Callable[..., Any])
SQL_FILE = click.Path(path_type=Path, dir_okay=False)


@root.group("binlog-schema", cls=Verbs, context_settings=HELP_OPTIONS)
def binlog_schema() -> None:
    """Show, replace or forget the structure by which a task reads an upstream table's rows.

    A task knows each table as it was at the task's place in the binlog, which may be another structure than the
    table has now. When that goes wrong, a task pauses with an error such as

    \b
      the DDL does not fit the tracked structure of `shop`.`t`: …

    \b
    dmctl binlog-schema list my_task shop t                   what is tracked, as a CREATE TABLE
    dmctl binlog-schema update my_task shop t t.sql           it was like this file says
    dmctl binlog-schema update my_task shop t --from-source   it was as the upstream has it now
    dmctl binlog-schema delete my_task shop t                 read it anew from the upstream when its rows come
    dmctl resume-task my_task                                 go on

    DATABASE and TABLE are the upstream's names. update and delete want the task paused.
    """


def _options(function: F) -> F:
    table = click.argument("table", metavar="TABLE")(source_option(function))
    return click.argument("task", metavar="TASK|FILE")(click.argument("database", metavar="DATABASE")(table))


def _update_options(function: F) -> F:
    flush = click.option("--flush", is_flag=True, default=True, hidden=True, expose_value=False)  # DM's; always done
    source = click.option("--from-source", is_flag=True, help="Take the structure that the upstream has now.")
    target = click.option("--from-target", is_flag=True, help="Take the structure that the target has now.")
    file = click.argument("file", required=False, type=SQL_FILE, metavar="[FILE]")
    return _options(file(source(target(flush(function)))))


@verb(binlog_schema, "list")
@_options
def list_structure(session: Session, task: str, database: str, table: str, source: tuple[str, ...] = ()) -> Answer:
    """The tracked structure of a table as a CREATE TABLE; the upstream's where none is tracked yet.

    Expressions of generated columns, ON UPDATE and comments of columns are not tracked.

    \b
    dmctl binlog-schema list my_task shop t -s mysql-01
    """
    return _list(session, task, database, table, source)


@verb(binlog_schema)
@_update_options
def update(
    session: Session,
    task: str,
    database: str,
    table: str,
    file: Path | None = None,
    source: tuple[str, ...] = (),
    from_source: bool = False,
    from_target: bool = False,
) -> Answer:
    """Set the structure of a table at the task's place in the binlog: from FILE, the upstream or the target.

    FILE holds one CREATE TABLE statement. Columns count by their order in the upstream's rows.

    \b
    dmctl binlog-schema update my_task shop t t.sql -s mysql-01
    dmctl binlog-schema update my_task shop t --from-source
    """
    return _update(session, task, database, table, file, source, from_source, from_target)


@verb(binlog_schema)
@_options
def delete(session: Session, task: str, database: str, table: str, source: tuple[str, ...] = ()) -> Answer:
    """Forget the structure of a table: it is read from the upstream when its next rows come.

    \b
    dmctl binlog-schema delete my_task shop t -s mysql-01
    """
    return _delete(session, task, database, table, source)


@verb(root, "operate-schema", hidden=True)
@click.argument("op", type=click.Choice(["get", "set", "remove"]))
@click.argument("task", metavar="TASK|FILE")
@click.option("-d", "--database", required=True, help="The upstream's database.")
@click.option("-t", "--table", required=True, help="The upstream's table.")
@click.option("--flush", is_flag=True, default=True, hidden=True, expose_value=False)
@click.argument("file", required=False, type=SQL_FILE, metavar="[FILE]")
@click.option("--from-source", is_flag=True)
@click.option("--from-target", is_flag=True)
@source_option
def operate_schema(
    session: Session,
    op: str,
    task: str,
    database: str,
    table: str,
    file: Path | None = None,
    source: tuple[str, ...] = (),
    from_source: bool = False,
    from_target: bool = False,
) -> Answer:
    """DM's former name of `binlog-schema`.

    \b
    dmctl operate-schema get my_task -s mysql-01 -d shop -t t
    """
    match op:
        case "get":
            return _list(session, task, database, table, source)
        case "set":
            return _update(session, task, database, table, file, source, from_source, from_target)
        case _:
            return _delete(session, task, database, table, source)


def _list(session: Session, task: str, database: str, table: str, source: tuple[str, ...]) -> Answer:
    name = named(task)
    body = session.master.operate_schema("list", name, session.sources(source), database, table)
    answer = Answer(body, subject=f"binlog-schema list {name} {database} {table}")
    if answer.exit_code:
        return answer
    shown = [(str(one.get("source")), str(one.get("msg"))) for one in body.get("sources") or ()]
    heads = [f"-- {place}\n" if len(shown) > 1 else "" for place, _ in shown]
    text = "\n\n".join(f"{head}{statement};" for head, (_, statement) in zip(heads, shown, strict=True))
    return Answer(body, View.CONFIG, answer.subject, text=text)


def _update(
    session: Session,
    task: str,
    database: str,
    table: str,
    file: Path | None,
    source: tuple[str, ...],
    from_source: bool,
    from_target: bool,
) -> Answer:
    if [file is not None, from_source, from_target].count(True) != 1:
        raise click.UsageError("update from where? give exactly one of FILE, --from-source and --from-target")
    name = named(task)
    body = session.master.operate_schema(
        "update", name, session.sources(source), database, table,
        schema=read_text(file) if file is not None else "", from_source=from_source, from_target=from_target,
    )  # fmt: skip
    return Answer(body, subject=f"binlog-schema update {name} {database} {table}")


def _delete(session: Session, task: str, database: str, table: str, source: tuple[str, ...]) -> Answer:
    name = named(task)
    body = session.master.operate_schema("delete", name, session.sources(source), database, table)
    return Answer(body, subject=f"binlog-schema delete {name} {database} {table}")
