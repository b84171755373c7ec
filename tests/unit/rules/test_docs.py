"""docs/rules.md names every type of event and marks those that may lose data."""

from __future__ import annotations

import re
from pathlib import Path

from pkg.rules.event_types import EVENT_WORDS, GROUP_OF, Group
from pkg.rules.expression.compiler import FUNCTIONS

TEXT = (Path(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
WITH_SCHEMA = {word for word in EVENT_WORDS if word.endswith(" schema")}  # "also with `schema` for `database`"


def test_every_event_is_in_the_docs() -> None:
    missing = {word for word in EVENT_WORDS - WITH_SCHEMA if f"`{word}`" not in TEXT}
    assert not missing


def test_marks_are_those_of_the_group() -> None:
    marked = set(re.findall(r"`([a-z ]+)` ✱", TEXT))
    assert marked == {word for word in marked if GROUP_OF[word] is Group.INCOMPATIBLE}
    assert {"drop table", "drop column", "value range decrease"} <= marked


def test_every_function_of_expressions_is_in_the_docs() -> None:
    section = TEXT.partition("## Expression filter")[2]
    listed = set(
        re.findall(r"`([A-Z_0-9]+)`", section.partition("The functions:")[2].partition("**What is refused.**")[0])
    )
    assert listed >= set(FUNCTIONS)
