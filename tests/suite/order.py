"""A pytest plugin: the files that take longest begin first, so that no worker is still busy long after the others.

How long files take stands in ``seconds.txt``; ``./dev test --remember`` writes it anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.suite.record import Result

LISTED = Path(__file__).with_name("seconds.txt")
LEAST = 10  # seconds of a file in the list
OTHERS = 0.5  # seconds of a test in another file


def read_seconds(listed: Path = LISTED) -> dict[str, float]:
    """Seconds by test file, of those that are in the list."""
    lines = listed.read_text().splitlines()
    return {name: float(seconds) for seconds, name in map(str.split, lines)}


def write_seconds(tests: Iterable[Result], listed: Path = LISTED) -> None:
    """The list as these tests give it; all tests of a run, or files that were left out lose their place."""
    found: Counter[str] = Counter()
    for test in tests:
        found[file_of(test.name)] += test.seconds
    long = [(name, seconds) for name, seconds in found.most_common() if seconds >= LEAST]
    listed.write_text("".join(f"{seconds:.0f} {name}\n" for name, seconds in long))


def file_of(name: str) -> str:
    """The file of a test's node id."""
    return name.partition("::")[0]


def longest_first(names: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """The files of these node ids."""
    number = Counter(map(file_of, names))
    return sorted(number, key=lambda file: -seconds.get(file, number[file] * OTHERS))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = longest_first((item.nodeid for item in items), read_seconds())
    place = {file: number for number, file in enumerate(files)}
    items.sort(key=lambda item: place[file_of(item.nodeid)])
