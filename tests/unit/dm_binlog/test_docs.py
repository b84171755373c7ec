"""What the documentation and --help tell a user to type is understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from dm_binlog.cli import command
from tests.unit.dm_binlog.runs import run

TREE = Path(__file__).parents[3]


def lines() -> set[str]:
    texts = [(TREE / "docs" / "dm-binlog.md").read_text(encoding="utf-8"), run("--help").out]
    return {
        line
        for text in texts
        for line in re.findall(r"^[^#\n`]*?\b(dm-binlog (?:-|mysql)[^|;\n]*)", text, re.MULTILINE)
    }


@pytest.mark.parametrize("line", sorted(lines()))
def test_a_command_line_is_understood(line: str) -> None:
    command.parse_args(click.Context(command), shlex.split(line)[1:])


def test_there_are_lines() -> None:
    assert len(lines()) > 8


@pytest.mark.parametrize(
    "option", [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
)
def test_every_option_has_help_and_a_word_in_the_page(option: str) -> None:
    assert option in run("--help").out
    assert option in (TREE / "docs" / "dm-binlog.md").read_text(encoding="utf-8") or option == "--version"
