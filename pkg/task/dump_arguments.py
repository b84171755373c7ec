"""mydumper's arguments in `extra-args`: what they mean here."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pkg.task import problems as p
from pkg.task.problems import Path, nearest_word
from pkg.task.reading import Reader

CONSISTENCIES: Final = ("auto", "none", "flush", "lock", "snapshot")

# by what they mean: True = the argument has a value
_CONSISTENCY = {"--consistency": True, "--no-locks": False}
_HARMLESS = {
    "--snapshot": True, "--transactional-consistency": True,
    "--loglevel": True, "--ca": True, "--cert": True, "--key": True, "-s": True, "--statement-size": True,
    "--escape-backslash": False, "-W": False, "--no-views": False, "--case-sensitive": False, "--params": True,
    "--skip-tz-utc": False,
}  # fmt: skip
_CHOOSING = {
    "-B": "block-allow-list", "--database": "block-allow-list", "-T": "block-allow-list",
    "--tables-list": "block-allow-list", "-f": "block-allow-list", "--filter": "block-allow-list",
    "-x": "block-allow-list", "--regex": "block-allow-list", "--where": "", "-d": "", "--no-data": "",
    "-m": "", "--no-schemas": "",
}  # fmt: skip
_SETTINGS = {"-t": "threads", "--threads": "threads", "-F": "chunk-filesize", "--filesize": "chunk-filesize",
             "-r": "rows", "--rows": "rows"}  # fmt: skip
# What a dump to files understands, and what it must be told otherwise.
_PARTS = frozenset(("-d", "--no-data", "-m", "--no-schemas", "-W", "--no-views"))
_SETTINGS_OF_FILES = {
    "-s": "statement-size", "--statement-size": "statement-size", "--where": "where", "-c": "compress",
    "--compress": "compress", "-o": "dir", "--outputdir": "dir", "--output": "dir",
}  # fmt: skip
_WITH_VALUES = _CONSISTENCY | _HARMLESS


def consistency_in(extra_args: str) -> str:
    """The consistency that the arguments ask for; "" when they do not."""
    try:
        found = dict(_arguments(shlex.split(extra_args)))
    except ValueError:  # the task file's check says so
        return ""
    if "--consistency" in found:
        return found["--consistency"].lower()
    return "none" if "--no-locks" in found else ""


def check_extra_args(block: dict[str, Any], base: Path, reader: Reader) -> None:
    """Report arguments that cannot be meant here, and those without effect."""
    text, path = block.get("extra-args"), (*base, "extra-args")
    if not isinstance(text, str) or not text.strip():
        return
    try:
        words = shlex.split(text)
    except ValueError as exc:
        reader.problem(path, f"not a list of arguments: {str(exc).lower()}")
        return
    ignored: list[str] = []
    to_files = reader.document.data.get("task-mode") == "dump"
    for argument, value in _arguments(words):
        if to_files and argument in _PARTS:
            continue
        problem = _judge_argument(argument, value, block, _SETTINGS | (_SETTINGS_OF_FILES if to_files else {}))
        if problem is not None:
            reader.problem(path, problem, p.REFUSED_OPTION)
            return
        if argument in _HARMLESS:
            ignored.append(argument)
    if ignored:
        reason = "" if to_files else ", tables pass through Spark without dump files"
        reader.warn(path, f"{', '.join(ignored)}: no effect here{reason}")


def _arguments(words: list[str]) -> Iterator[tuple[str, str]]:
    """Arguments with their values."""
    position = 0
    while position < len(words):
        argument, has_value, value = words[position].partition("=")
        position += 1
        if not has_value and _WITH_VALUES.get(argument) and position < len(words):
            value = words[position]
            position += 1
        yield argument, value


def _judge_argument(argument: str, value: str, block: dict[str, Any], settings: Mapping[str, str]) -> str | None:
    """What is wrong with a mydumper argument, if anything; ``settings`` are options by their arguments."""
    if argument == "--consistency":
        return _judge_consistency(value, block)
    if argument in settings:
        return f"`{argument}` is to be written as the option `{settings[argument]}`"
    if argument in _CHOOSING:
        instead = _CHOOSING[argument]
        hint = f"; use `{instead}`" if instead else ""
        return f"`{argument}` chooses what is dumped and is not in this version{hint}"
    if argument in _WITH_VALUES:
        return None
    near = nearest_word(argument, [*_WITH_VALUES, *_CHOOSING])
    return f"mydumper's argument `{argument}` is not known" + (f", did you mean `{near}`?" if near else "")


def _judge_consistency(value: str, block: dict[str, Any]) -> str | None:
    if value.lower() not in CONSISTENCIES:
        near = nearest_word(value.lower(), CONSISTENCIES)
        hint = f", did you mean `{near}`?" if near else ""
        return f"`--consistency {value}` is none of {', '.join(CONSISTENCIES)}{hint}"
    said = str(block.get("consistency") or "").lower()
    if said and said != value.lower():
        return f"`--consistency {value}` contradicts `consistency: {said}`"
    return None
