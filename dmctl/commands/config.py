"""``config``: samples of configuration files, and the configurations that dm-master has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from dmctl.answer import Answer, Body, View, text_answer
from dmctl.cli import HELP_OPTIONS, Verbs, root, verb
from dmctl.files import write_private
from dmctl.session import Session
from pkg.task import sample

F = TypeVar("F", bound=Callable[..., Any])


@root.group("config", cls=Verbs, context_settings=HELP_OPTIONS)
def config() -> None:
    """Print a commented sample, or what dm-master has stored.

    \b
    dmctl config task > task.yaml           a commented sample to start from; needs no server
    dmctl config task my_task               the task as dm-master has it; passwords are ******
    dmctl config source mysql-01 -p out.yaml
    """


def _config_options(function: F) -> F:
    name = click.argument("name", required=False, metavar="[NAME]")
    only_sample = click.option(
        "--sample", "only_sample", is_flag=True, help="Print a commented sample; needs no server."
    )
    path = click.option(
        "-p", "--path", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file (mode 0600)."
    )
    return name(only_sample(path(function)))


@verb(config)
@_config_options
def task(session: Session, name: str | None = None, only_sample: bool = False, path: Path | None = None) -> Answer:
    """A sample task file, or the task NAME as dm-master has it."""
    return _config(session, "task", name, only_sample, path)


@verb(config)
@_config_options
def source(session: Session, name: str | None = None, only_sample: bool = False, path: Path | None = None) -> Answer:
    """A sample source file, or the source NAME as dm-master has it."""
    return _config(session, "source", name, only_sample, path)


@verb(config)
@_config_options
def master(session: Session, name: str | None = None, only_sample: bool = False, path: Path | None = None) -> Answer:
    """A sample dm-master.toml, or the configuration of the dm-master NAME."""
    return _config(session, "master", name, only_sample, path)


@verb(config)
@_config_options
def worker(session: Session, name: str | None = None, only_sample: bool = False, path: Path | None = None) -> Answer:
    """A sample dm-worker.toml, or the configuration of the dm-worker NAME."""
    return _config(session, "worker", name, only_sample, path)


def _config(session: Session, kind: str, name: str | None, only_sample: bool, path: Path | None) -> Answer:
    if name is None or only_sample:
        text = sample(kind)
        answer = text_answer(text, cfg=text)
    else:
        body = session.master.get_config(kind, name)
        view = View.CONFIG if body.get("result") else View.RESULT
        answer = Answer(body, view, f"config {kind} {name}", text=str(body.get("cfg", "")))
    if path is None or answer.exit_code:
        return answer
    write_private(path, answer.text)
    written: Body = {"result": True, "msg": f"written to {path}", "cfg": ""}
    return replace(answer, body=written, view=View.RESULT, subject=f"config {kind} {name or '(sample)'}")
