"""This project and what it imports as one archive, for executors on machines that have neither.

Executors must run the same Python version as dm-worker (Spark insists on it) and, for the compiled parts,
the same kind of machine; where a compiled part does not load, the plain Python of the same source runs.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("pkg", "dm_worker")
# What copying a chunk imports from outside; their own requirements come along.
_DISTRIBUTIONS: Final = ("PyMySQL", "cryptography", "pydantic", "PyYAML", "Cython", "zstandard")
_NAME = re.compile(r"[^\w.-]")  # ends the name in a requirement such as "cffi>=2; python_version > '3'"
_SKIPPED: Final = frozenset(("__pycache__", "tests"))


def package_root() -> Path:
    """The folder that the packages of this project are in."""
    return Path(__file__).resolve().parents[2]


def write_archive(folder: Path) -> Path:
    """A zip file in ``folder`` that is a place to import from once it is unpacked."""
    path = folder / "spark-dm-executor.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file, name in sorted(dict(_files()).items()):
            archive.write(file, name)
    return path


def _files() -> Iterator[tuple[Path, str]]:
    root = package_root()
    for package in _PACKAGES:
        for file in (root / package).rglob("*"):
            if file.is_file() and not _SKIPPED & set(file.parts):
                yield file, str(file.relative_to(root))
    for name in _with_requirements(_DISTRIBUTIONS):
        for entry in distribution(name).files or ():
            file = Path(str(entry.locate()))
            if ".." not in entry.parts and not _SKIPPED & set(entry.parts) and file.is_file():
                yield file, str(entry)


def _with_requirements(names: tuple[str, ...]) -> set[str]:
    """Installed distributions that ``names`` need, themselves included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        try:
            required = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        if name not in found:
            found.add(name)
            waiting += [_NAME.split(one, maxsplit=1)[0] for one in required if "extra ==" not in one]
    return found
