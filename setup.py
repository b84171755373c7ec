"""Compiles the row codec where a C compiler is there; without one the same source runs as plain Python."""

from __future__ import annotations

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = ("pkg.binlog.rows", "pkg.binlog.decoder", "pkg.rows.text_protocol")

extensions = [
    Extension(module, [module.replace(".", "/") + ".py"], extra_compile_args=["-O2"], optional=True)
    for module in COMPILED
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",
        compiler_directives={"language_level": "3", "embedsignature": True},
    )
)
