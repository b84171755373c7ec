"""The version of this distribution."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _installed_version() -> str:
    try:
        return version("spark-dm")
    except PackageNotFoundError:  # run from the source tree without having been installed
        return "0.0.0+source"


VERSION = _installed_version()
