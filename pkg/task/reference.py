"""The configuration reference and the sample files, generated from the models.

``python -m pkg.task.reference`` prints the reference; ``--write [FOLDER]`` writes it and the samples into the
repository.  A test says when they are not fresh.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pkg.task.option import Option, Status, about, options_of
from pkg.task.reading import choices_of, inner_model, plain_type
from pkg.task.sample import MODELS, sample
from pkg.task.secret import Secret
from pkg.task.values import format_duration, parse_duration

SAMPLE_FILES = {
    "task": "conf/task.yaml",
    "source": "conf/source.yaml",
    "master": "conf/dm-master.toml",
    "worker": "conf/dm-worker.toml",
}
REFERENCE_FILE = "docs/configuration.md"

_TITLES = {
    "task": "The task file",
    "source": "The source file",
    "master": "dm-master",
    "worker": "dm-worker",
}
_INTRO = """\
# Configuration reference

*Generated from the models in `pkg/task` by `python -m pkg.task.reference --write`; do not edit.*

The files are DM's. They are read strictly: an option that does not exist, a named block that is missing or not used
and a value that makes no sense are errors. All problems of a file are reported together, each with its line and the
word that was probably meant. `dmctl check-config FILE` does this without a server; `dmctl config
task|source|master|worker` prints a commented sample.

**Status** says how far this version acts on an option:

- *supported*;
- *no effect*: it tunes machinery of DM's that is not here. It is accepted, with a warning;
- *only the default*: another value than the default (or those named) would change what arrives in the target, and this
  version does not act on it, so it is an error;
- *deprecated*: accepted, with a warning that says what to write instead.

A duration is a number and a unit: `30s`, `5m`, `1h30m`. A schema or table pattern is a name in which `*` (only at the
end) is any text, `?` any character and `[a-z]` one of several, or `~` and a regular expression. A password may be
written as `dmctl encrypt` prints it (`sparkdm:v1:…`) when `secret-key-path` of dm-master names the key's file.
In YAML a value of text may be a bare number: it means its characters.

Options of dm-master and dm-worker are flags, too, with the same names (`--log-level` is also `-L`); a flag comes over
the file.
"""


def reference() -> str:
    """docs/configuration.md."""
    parts = [_INTRO]
    for kind, model in MODELS.items():
        where = f"Sample: `{SAMPLE_FILES[kind]}`."
        parts.append(f"## {_TITLES[kind]}\n\n{where}\n")
        parts += _sections(model, "")
    return "\n".join(parts)


def generated_files() -> dict[str, str]:
    """Every generated file by its path in the repository."""
    return {REFERENCE_FILE: reference()} | {path: sample(kind) for kind, path in SAMPLE_FILES.items()}


def _sections(model: type[BaseModel], path: str) -> Iterator[str]:
    """The table of a model, then those of the blocks in it."""
    if path:
        yield f"### `{path}`\n\n{(model.__doc__ or '').strip()}\n"
    yield _table(model)
    for name, (_, field) in options_of(model).items():
        for inner, suffix in _blocks_in(field):
            yield from _sections(inner, f"{path}.{name}{suffix}" if path else f"{name}{suffix}")


def _blocks_in(field: FieldInfo) -> Iterator[tuple[type[BaseModel], str]]:
    """The models inside an option; those that instances repeat inline are described once, by name."""
    inner = inner_model(field.annotation)
    plain = plain_type(field.annotation)
    if inner is not None and "instead of a name" not in (field.description or ""):
        yield inner, ""
    elif get_origin(plain) in (list, dict) and (element := inner_model(get_args(plain)[-1])):
        yield element, "[]" if get_origin(plain) is list else ".NAME"


def _table(model: type[BaseModel]) -> str:
    rows = ["| Option | Type | Default | Status | Meaning |", "|---|---|---|---|---|"]
    for name, (_, field) in options_of(model).items():
        cells = (f"`{name}`", _type(field), _default(field), _status(about(field)), _meaning(field))
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def _type(field: FieldInfo) -> str:
    plain = plain_type(field.annotation)
    if choices := choices_of(field.annotation):
        return ", ".join(f"`{choice}`" if choice else "empty" for choice in choices)
    if inner_model(plain) is not None:
        return "block"
    if get_origin(plain) is list:
        return "list of blocks" if inner_model(get_args(plain)[0]) else "list of texts"
    if get_origin(plain) is dict:
        return "named blocks" if inner_model(get_args(plain)[1]) else "names and values"
    unit = f" ({about(field).unit})" if about(field).unit else ""
    words: dict[Any, str] = {bool: "true, false", int: "whole number", float: "number", timedelta: "duration"}
    return words.get(plain, "secret text" if plain is Secret else "text") + unit


def _default(field: FieldInfo) -> str:
    if about(field).required:
        return "*required*"
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, (BaseModel, Secret)) or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`" + _differs(field)
    if plain_type(field.annotation) is timedelta:
        value = format_duration(parse_duration(value))
    shown = ", ".join(f"`{item}`" for item in value) if isinstance(value, list) else f"`{value}`"
    return shown + _differs(field)


def _differs(field: FieldInfo) -> str:
    return f" (DM: `{about(field).dm_default}`)" if about(field).dm_default else ""


def _status(option: Option) -> str:
    if option.deprecated:
        return "deprecated"
    if option.status is Status.REFUSED:
        accepted = ", ".join(f"`{value}`" for value in option.accepted)
        return f"only the default and {accepted}" if accepted else "only the default"
    return "no effect" if option.status is Status.TUNING else "supported"


def _meaning(field: FieldInfo) -> str:
    option = about(field)
    text = f"{field.description}"
    if option.reason:
        text += f". *{option.reason[0].upper()}{option.reason[1:]}*"
    if option.deprecated and option.deprecated != "nothing":
        text += f". Instead: `{option.deprecated}`."
    if option.old_names:
        text += f". Old name: {', '.join(f'`{name}`' for name in option.old_names)}."
    return text


def main(arguments: Sequence[str]) -> int:
    """Print the reference, or write all generated files."""
    if not arguments or arguments[0] != "--write":
        sys.stdout.write(reference())
        return 0
    root = Path(arguments[1] if len(arguments) > 1 else ".")
    for path, text in generated_files().items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
