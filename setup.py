"""Compiles the row codec where a C compiler is there; without one the same source runs as plain Python.

SPARK_DM_PURE=1 leaves the compiling out. `./dev` reads COMPILED from this file.
"""

from __future__ import annotations

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = (
    "pkg.binlog.literals",
    "pkg.binlog.text_literals",
    "pkg.binlog.checksum",
    "pkg.binlog.frequent_events",
    "pkg.binlog.framing",
    "pkg.binlog.rows",
    "pkg.binlog.decoder",
    "pkg.rows.text_protocol",
)

extensions = [
    Extension(module, [module.replace(".", "/") + ".py"], extra_compile_args=["-O2"], optional=True)
    for module in COMPILED
]

setup(
    ext_modules=cythonize(
        [] if os.environ.get("SPARK_DM_PURE") == "1" else extensions,
        build_dir="build/cython",
        compiler_directives={"language_level": "3", "embedsignature": True},
    )
)
