"""Programs that tests call, beside the servers': found here, so that none is called that `./dev` does not install.

A program that somebody once installed by hand would hide that a newcomer lacks it.
"""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

DEV = Path(__file__).parents[1] / "dev"
_NEED = re.compile(r"^(\w+)\|([\w-]+)\|([\w-]+)\|.+$", re.MULTILINE)  # WHEN | PROGRAM | DEBIAN PACKAGE | IN WORDS


@cache
def listed() -> dict[str, str]:
    """The packages of the programs that `./dev test` installs, by program: the list `needs` in `./dev`."""
    return {program: package for when, program, package in _NEED.findall(DEV.read_text()) if when in ("setup", "test")}


def program(name: str) -> str:
    """The path of a program that a test calls.

    Raises AssertionError where `./dev` does not know it, or where it is not installed.
    """
    assert name in listed(), f"{name} is not in the list `needs` of ./dev: a newcomer's machine would not have it"
    found = shutil.which(name)
    assert found is not None, f"{name} is not installed: run ./dev test, or install the package {listed()[name]}"
    return found
