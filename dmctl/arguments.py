"""DM's ways of writing a command line, turned into ours.  Pure: a list of words in, a list of words out.

1. ``-master-addr x`` (one dash, a long name) means ``--master-addr x``.
2. Options of dmctl itself (``--master-addr``, ``--output`` …) may stand anywhere, also after the verb.
3. ``-s a,b -s c`` names three sources.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TASK_FILE = (".yaml", ".yml")


def normalise(words: Sequence[str], long_names: Collection[str], movable: Collection[str]) -> list[str]:
    """``words`` with double dashes, and with the ``movable`` options (each takes one value) put first.

    ``long_names`` are all long option names that exist, without dashes.  ValueError when a value is missing.
    """
    moved: list[str] = []
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            kept += [word, *rest]
            break
        option = _double_dash(word, long_names)
        name, has_value, _ = option.removeprefix("--").partition("=")
        if not option.startswith("--") or name not in movable:
            kept.append(option)
            continue
        moved.append(option)
        if not has_value:
            moved.append(_value_of(option, rest))
    return moved + kept


def _value_of(option: str, rest: Iterator[str]) -> str:
    for value in rest:
        return value
    raise ValueError(f"option {option!r} requires an argument")


def _double_dash(word: str, long_names: Collection[str]) -> str:
    name = word[1:].partition("=")[0]
    is_long = word.startswith("-") and len(name) > 1 and name in long_names
    return f"-{word}" if is_long else word


def split_sources(values: Iterable[str]) -> tuple[str, ...]:
    """Every source named, once, in the order of naming."""
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def names_a_file(task: str) -> bool:
    """DM's rule: an argument that ends like a YAML file is one; anything else is a task's name."""
    return task.endswith(_TASK_FILE)


def parse_duration(text: str) -> float:
    """Seconds of ``10m``, ``1h30m``, ``500ms`` (Go's way of writing them); ValueError when it is none."""
    parts = _DURATION_PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{text!r} is not a duration like 30s, 10m or 1h30m")
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if seconds <= 0:
        raise ValueError(f"{text!r} must be more than zero")
    return seconds
