"""How dmctl itself is set up: addresses, time limit, TLS, output; from flags, DM_MASTER_ADDR and a TOML file.

A flag wins over the environment, the environment over the file.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from dmctl.arguments import parse_duration, split_sources
from dmctl.errors import BAD_SETTINGS, FILE_UNREADABLE

DEFAULT_RPC_TIMEOUT = "10m"
_FILE_KEYS = ("master-addr", "rpc-timeout", "ssl-ca", "ssl-cert", "ssl-key")


class Format(StrEnum):
    """How answers are printed."""

    JSON = "json"
    TABLE = "table"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Tls:
    """Files for TLS: ``ca`` switches it on and checks the server, ``cert`` and ``key`` also identify us."""

    ca: str = ""
    cert: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that does not depend on the verb."""

    addresses: tuple[str, ...] = ()
    rpc_timeout: float = 600.0
    tls: Tls = Tls()
    output: Format | None = None  # None: a table on a terminal, JSON elsewhere
    sources: tuple[str, ...] = ()

    def with_flags(self, flags: Mapping[str, Any]) -> Settings:
        """These settings with the flags that were given on top."""
        tls = self.tls
        for part in ("ca", "cert", "key"):
            if flags.get(f"ssl_{part}"):
                tls = replace(tls, **{part: flags[f"ssl_{part}"]})
        return Settings(
            addresses=split_sources([flags["master_addr"]]) if flags.get("master_addr") else self.addresses,
            rpc_timeout=_timeout(flags["rpc_timeout"], "--rpc-timeout")
            if flags.get("rpc_timeout")
            else self.rpc_timeout,
            tls=_complete(tls),
            output=Format(flags["output"]) if flags.get("output") else self.output,
            sources=split_sources(flags.get("source") or ()) or self.sources,
        )


def load_settings(path: Path, base: Settings) -> Settings:
    """``base`` completed by a TOML file (``master-addr``, ``rpc-timeout``, ``ssl-*``); addresses of ``base`` win."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise FILE_UNREADABLE.error(path=path, reason=exc) from exc
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise BAD_SETTINGS.error(where=path, problem=f"this is not TOML: {exc}", advice=_EXAMPLE) from exc
    for key, value in values.items():
        _check_key(path, text, key, value)
    flags = {key.replace("-", "_"): value for key, value in values.items()}
    return base.with_flags(flags | ({"master_addr": ",".join(base.addresses)} if base.addresses else {}))


_EXAMPLE = (
    'a complete file: master-addr = "127.0.0.1:8261" and, when needed, rpc-timeout = "10m", ssl-ca, ssl-cert, ssl-key'
)


def _check_key(path: Path, text: str, key: str, value: object) -> None:
    lines = text.splitlines()
    number = next((n for n, line in enumerate(lines, 1) if key in line.partition("=")[0]), 1)
    if key not in _FILE_KEYS:
        near = difflib.get_close_matches(key, _FILE_KEYS, n=1)
        advice = f"did you mean {near[0]}?" if near else f"known options: {', '.join(_FILE_KEYS)}"
        raise BAD_SETTINGS.error(where=f"{path}:{number}", problem=f"unknown option {key!r}", advice=advice)
    if not isinstance(value, str):
        raise BAD_SETTINGS.error(
            where=f"{path}:{number}",
            problem=f"{key} must be text in quotes, not {value!r}",
            advice=f'write {key} = "{value}"',
        )


def _timeout(text: str, where: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as exc:
        raise BAD_SETTINGS.error(where=where, problem=str(exc), advice="the default is 10m") from exc


def _complete(tls: Tls) -> Tls:
    if bool(tls.cert) != bool(tls.key):
        missing, advice = (
            "--ssl-key" if tls.cert else "--ssl-cert",
            "a certificate needs its key, and a key its certificate",
        )
    elif tls.cert and not tls.ca:
        missing, advice = "--ssl-ca", "TLS needs the CA that dm-master's certificate comes from"
    else:
        return tls
    raise BAD_SETTINGS.error(where="TLS", problem=f"{missing} is missing", advice=advice)
