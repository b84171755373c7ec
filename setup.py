"""Compiles the row codec where a C compiler is there; without one the same source runs as plain Python.

SPARK_DM_PURE=1 leaves the compiling out. `./dev` reads COMPILED from this file.
"""

from __future__ import annotations

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

COMPILED = (
    "pkg.binlog.literals",
    "pkg.binlog.text_literals",
    "pkg.binlog.vector",
    "pkg.binlog.checksum",
    "pkg.binlog.frequent_events",
    "pkg.binlog.framing",
    "pkg.binlog.rows",
    "pkg.binlog.decoder",
    "pkg.binlog.raw_events",
    "pkg.rows.job",
    "pkg.rows.causality",
    "pkg.rows.compact",
    "pkg.rows.statements",
    "pkg.rows.text_result",
    "pkg.rows.text_protocol",
    "pkg.rows.load_lines",
    "pkg.rows.row_writer",
    "pkg.rows.insert_reader",
)


class BuildAllOrNothing(build_ext):
    """Leaves all modules plain where one does not compile: compiled ones have C functions that plain ones lack."""

    def build_extensions(self) -> None:
        try:
            super().build_extensions()
        except (BaseError, CCompilerError) as problem:
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []
            self.warn(f"the codec did not compile and runs as plain Python, slower: {problem}")


def extensions() -> list[Extension]:
    if os.environ.get("SPARK_DM_PURE") == "1":
        return []
    return cythonize(
        [Extension(name, [name.replace(".", "/") + ".py"], extra_compile_args=["-O2"]) for name in COMPILED],
        build_dir="build/cython",
        compiler_directives={"language_level": "3", "embedsignature": True},
    )


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildAllOrNothing})
