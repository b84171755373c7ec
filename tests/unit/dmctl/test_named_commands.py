"""Every command of dmctl that a text of the programs or a page of the documentation names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from dmctl.arguments import normalise
from dmctl.cli import LATER
from dmctl.commands import root
from dmctl.run import long_names

TREE = Path(__file__).parents[3]
PROGRAMS = ("pkg", "dm_master", "dm_worker", "dm_binlog", "dmctl")
OF_DM = "docs/not-yet.md"  # names commands that only DM has
NO_COMMANDS = {"enable-relay", "extract-source", "operate-task"}  # settings, a call of the protocol
_CODE = re.compile(r"`([^`\n]+)`")
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^(?:\$ )?(dmctl [^#\n|>&]*)", re.MULTILINE)
_BARE = re.compile(r"(?<![\w.-])[a-z]+-(?:task|relay|source|member)(?![\w-])")
_NO_VERB = re.compile(r"[A-Z<{\[…-]")


LONG_NAMES = long_names(root)


def pages() -> Iterator[tuple[str, str]]:
    samples = (path for path in TREE.glob("conf/**/*") if path.is_file())
    for path in (*TREE.glob("docs/**/*.md"), TREE / "README.md", *samples):
        yield path.relative_to(TREE).as_posix(), path.read_text(encoding="utf-8")


@cache
def strings() -> list[tuple[str, str]]:
    """Each string of the programs, as Python joins it; … stands for what is filled in."""
    found: list[tuple[str, str]] = []
    for path in (path for folder in PROGRAMS for path in (TREE / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((path.relative_to(TREE).as_posix(), node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
                found.append((path.relative_to(TREE).as_posix(), "".join(parts)))
    return found


def named() -> Iterator[tuple[str, str]]:
    """Where a command line stands, and its words behind dmctl."""
    for where, text in (*pages(), *strings()):
        lines = (line for block in _BLOCK.findall(text) for line in _LINE.findall(block))
        for code in (*_CODE.findall(text), *lines):
            first = code.split()[0] if code.split() else ""
            if where != OF_DM and (first == "dmctl" or (first in root.commands and "-" in first)):
                yield where, code.removeprefix("dmctl").replace("\\|", "|").strip()


def wrong(line: str) -> str:
    """What of a command line does not exist; "" for nothing."""
    words = normalise(line.split(), LONG_NAMES, ("master-addr", "config", "output"))
    while words and words[0].startswith("--"):
        words = words[1:] if "=" in words[0] else words[2:]
    command: click.Command = root
    while words and isinstance(command, click.Group) and not _NO_VERB.match(words[0]):
        verbs = words[0].split("|")
        missing = next((verb for verb in verbs if verb not in command.commands), "")
        if missing:
            return missing
        command, words = command.commands[verbs[0]], words[1:]
    known = {
        name for one in (command, root) for option in one.params for name in (*option.opts, *option.secondary_opts)
    }
    options = (word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word))
    return next((option for option in options if option not in {*known, "-h", "--help"}), "")


def test_commands_that_texts_name_exist() -> None:
    found = sorted(set(named()))
    assert len(found) > 100, "the texts are read"
    assert [(where, line, missing) for where, line in found if (missing := wrong(line))] == []


def test_verbs_that_texts_of_the_programs_name_exist() -> None:
    known = {*root.commands, *LATER, *NO_COMMANDS}
    found = {(where, word) for where, text in strings() for word in _BARE.findall(text) if word not in known}
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("compare", "compare"),
        ("binlog skip|repeat <task>", "repeat"),
        ("binlog skip <task>", ""),
        ("start-task task.yaml --remove-data", "--remove-data"),
        ("--master-addr 10.0.0.1:8261 query-status", ""),
    ],
)
def test_what_of_a_command_line_does_not_exist(line: str, missing: str) -> None:
    assert wrong(line) == missing
