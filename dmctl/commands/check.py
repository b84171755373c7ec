"""``check-config``: are these files valid?  Asks no server."""

from __future__ import annotations

from pathlib import Path

import click

from dmctl.answer import Answer, Body, View
from dmctl.cli import root, verb
from dmctl.files import read_text
from dmctl.session import Session
from pkg.errors import DMError
from pkg.task import check_config as check_text
from pkg.task.problems import Problem


@verb(root)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE...")
def check_config(session: Session, files: tuple[Path, ...]) -> Answer:
    """Check configuration files without a server; exit code 1 when one is not valid.

    Knows task, source, dm-master and dm-worker files by what is in them. All problems are shown, each with its line,
    the value and the word that was probably meant.

    \b
    dmctl check-config task.yaml source1.yaml source2.yaml
    """
    results = [_check(path) for path in files]
    invalid = sum(not result["result"] for result in results)
    message = f"{invalid} of {len(results)} files are not valid" if invalid else ""
    return Answer({"result": not invalid, "msg": message, "files": results}, View.PROBLEMS, "check-config")


def _check(path: Path) -> Body:
    """One file: its kind, its problems, its warnings."""
    file = str(path)
    try:
        loaded = check_text(read_text(path), file)
    except DMError as exc:
        problems = [_entry(problem) for problem in exc.fields.get("problems", ())]
        return _result(file, "", problems or [{"file": file, "message": exc.message, "text": exc.message}], [])
    return _result(file, str(loaded.kind), [], [_entry(warning) for warning in loaded.warnings])


def _entry(problem: Problem) -> Body:
    return problem.as_dict() | {"text": str(problem)}


def _result(file: str, kind: str, problems: list[Body], warnings: list[Body]) -> Body:
    return {"result": not problems, "file": file, "kind": kind, "problems": problems, "warnings": warnings}
