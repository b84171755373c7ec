"""Command lines of dm-master and dm-worker, read as Go reads flags: ``-name value``, ``--name=value``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from pkg.task.option import about, options_of
from pkg.task.problems import BAD_FLAG, Problem, nearest_word, report_error
from pkg.task.reading import value_kind

_TRUE = frozenset(("1", "t", "T", "true", "TRUE", "True"))
_FALSE = frozenset(("0", "f", "F", "false", "FALSE", "False"))
_SHORT = {"L": "log-level"}
_ACTIONS = {
    "V": "version",
    "version": "version",
    "print-sample-config": "sample",
    "h": "help",
    "help": "help",
}


@dataclass(slots=True)
class Flags:
    """What a command line says: values by option name, the configuration file, or something to print."""

    values: dict[str, Any] = field(default_factory=dict)
    config_file: str = ""
    action: str = ""  # "version", "sample", "help" or ""


def parse_flags(argv: Sequence[str], model: type[BaseModel], program: str) -> Flags:
    """The flags of one program; all that is wrong is one error."""
    flags, problems = Flags(), list[Problem]()
    kinds = {name: value_kind(option.annotation) for name, (_, option) in options_of(model).items()}
    words = list(argv)
    while words:
        word = words.pop(0)
        name, has_value, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or not name or word.startswith("---"):
            problems.append(_problem(program, word, "is not a flag; flags start with `-`"))
        elif name in _ACTIONS:
            flags.action = flags.action or _ACTIONS[name]
        else:
            name = _SHORT.get(name, name)
            kind = "text" if name == "config" else kinds.get(name)
            if kind is None:
                near = nearest_word(name, [*kinds, *_ACTIONS, "config"])
                problems.append(
                    _problem(program, word.partition("=")[0], "there is no such flag", near and f"--{near}")
                )
                if not has_value and words and not words[0].startswith("-"):
                    words.pop(0)  # its value, most likely
            else:
                _take(flags, problems, program, name, kind, value if has_value else None, words)
    if problems and not flags.action:
        raise report_error(problems, BAD_FLAG)
    return flags


def _take(
    flags: Flags, problems: list[Problem], program: str, name: str, kind: str, value: str | None, words: list[str]
) -> None:
    """Put the value of one flag where it belongs."""
    if kind == "bool" and value is None:
        value = "true"
    elif value is None:
        if not words:
            problems.append(_problem(program, f"--{name}", "needs a value"))
            return
        value = words.pop(0)
    if name == "config":
        flags.config_file = value
        return
    try:
        parsed = _parsed(kind, value)
    except ValueError as exc:
        problems.append(_problem(program, f"--{name}", str(exc), value=repr(value)))
        return
    flags.values[name] = [*flags.values.get(name, []), *parsed] if kind == "list" else parsed


def _parsed(kind: str, value: str) -> Any:
    if kind == "bool":
        if value not in _TRUE | _FALSE:
            raise ValueError("must be true or false")
        return value in _TRUE
    if kind in ("int", "float"):
        try:
            return int(value) if kind == "int" else float(value)
        except ValueError:
            raise ValueError("must be a whole number" if kind == "int" else "must be a number") from None
    return [part for part in value.split(",") if part] if kind == "list" else value


def _problem(program: str, flag: str, text: str, near: str = "", value: str = "") -> Problem:
    return Problem(program, 0, 0, flag, text, value, near, BAD_FLAG)


def usage(model: type[BaseModel], program: str) -> str:
    """The text of `--help`."""
    lines = [
        f"usage: {program} [flags]",
        "",
        "Flags come over the configuration file; -name and --name are the same.",
        "",
        "  --config FILE            configuration file (TOML)",
        "  -V, --version            print the version",
        "  --print-sample-config    print a commented configuration file",
    ]
    for name, (_, option) in options_of(model).items():
        kind = value_kind(option.annotation)
        if kind is not None and not about(option).deprecated:
            short = next((f"-{s}, " for s, full in _SHORT.items() if full == name), "")
            label = f"  {short}--{name}"
            lines.append(
                f"{label:<26} {option.description}" if len(label) < 26 else f"{label}\n{'':27}{option.description}"
            )
    return "\n".join(lines) + "\n"
