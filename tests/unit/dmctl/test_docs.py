"""What the documentation tells a new user to type and to write is understood."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dmctl.arguments import normalise
from dmctl.commands import root
from dmctl.run import long_names
from pkg.task import check_config

TREE = Path(__file__).parents[3]
PAGES = (
    "README.md",
    "docs/quick-start.md",
    "docs/task-life.md",
    "docs/dmctl.md",
    "docs/shard-ddl.md",
    "docs/relay.md",
    "docs/not-yet.md",
    "docs/rules.md",
)


def blocks(page: str, language: str) -> Iterator[str]:
    text = (TREE / page).read_text(encoding="utf-8")
    yield from re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def command_lines() -> Iterator[str]:
    for page in PAGES:
        for block in blocks(page, "sh"):
            yield from re.findall(r"^dmctl [^#\n|>&]*", block, re.MULTILINE)


@pytest.mark.parametrize("line", sorted(set(command_lines())))
def test_command_line_is_understood(line: str) -> None:
    words = normalise(shlex.split(line.partition("<")[0])[1:], long_names(root), ("master-addr", "config", "output"))
    words = words[next(n for n, word in enumerate(words) if word in root.commands) :]
    command: click.Command = root
    context = click.Context(root)
    while isinstance(command, click.Group):
        name, below, words = command.resolve_command(context, words)
        assert below is not None
        command, context = below, click.Context(below, parent=context, info_name=name)
    command.parse_args(context, words)


@pytest.mark.parametrize("text", list(blocks("docs/quick-start.md", "yaml")))
def test_file_of_the_quick_start_is_valid(text: str) -> None:
    loaded = check_config(text, "example.yaml")
    assert loaded.warnings == ()


@pytest.mark.parametrize("page", [*PAGES, "docs/architecture.md", "docs/adr/README.md"])
def test_links_lead_somewhere(page: str) -> None:
    path = TREE / page
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []
