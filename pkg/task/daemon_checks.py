"""How the options of dm-master and dm-worker fit together, and the values that follow from others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from pkg.errors import ErrorKind
from pkg.task.problems import config_kind
from pkg.task.reading import Reader
from pkg.task.values import split_address

M = TypeVar("M", bound=BaseModel)

MASTER_UNKNOWN = config_kind(38011, "dm-master's configuration has an unknown option", klass="dm-master")
MASTER_DECODE = config_kind(38013, "dm-master's configuration is not valid", klass="dm-master")
MASTER_ADDRESS = config_kind(38035, "dm-master's address is not valid", klass="dm-master")
WORKER_DECODE = config_kind(40003, "dm-worker's configuration is not valid", klass="dm-worker")
WORKER_UNKNOWN = config_kind(40004, "dm-worker's configuration has an unknown option", klass="dm-worker")
WORKER_ADDRESS = config_kind(40069, "dm-worker's address is not valid", klass="dm-worker")
NO_MASTER = config_kind(40084, "dm-worker does not know its dm-master", klass="dm-worker")


@dataclass(frozen=True, slots=True)
class DaemonKinds:
    """The names and error kinds in which the two daemons differ."""

    program: str
    listen: str  # the option with the address that it listens on
    default_listen: str
    decode: ErrorKind
    unknown: ErrorKind
    address: ErrorKind


MASTER_KINDS = DaemonKinds("dm-master", "master-addr", ":8261", MASTER_DECODE, MASTER_UNKNOWN, MASTER_ADDRESS)
WORKER_KINDS = DaemonKinds("dm-worker", "worker-addr", ":8262", WORKER_DECODE, WORKER_UNKNOWN, WORKER_ADDRESS)


def check_daemon(data: dict[str, Any], reader: Reader, kinds: DaemonKinds) -> None:
    """Report what does not fit together in a daemon's configuration."""
    _check_addresses(data, reader, kinds)
    given = [name for name in ("ssl-ca", "ssl-cert", "ssl-key") if data.get(name)]
    if given and len(given) < 3:
        missing = [name for name in ("ssl-ca", "ssl-cert", "ssl-key") if name not in given]
        reader.problem((given[0],), f"needs `{'` and `'.join(missing)}` beside it: members know each other both ways")
    if kinds.program == "dm-worker" and not data.get("join"):
        reader.problem(("join",), "is required: the addresses of the dm-masters", NO_MASTER, show=False)


def _check_addresses(data: dict[str, Any], reader: Reader, kinds: DaemonKinds) -> None:
    """Others must be able to reach us by a host that means us to them, too."""
    advertised = data.get("advertise-addr")
    name = "advertise-addr" if advertised else kinds.listen
    address = advertised or data.get(kinds.listen, kinds.default_listen)
    try:
        host, _ = split_address(str(address))
    except ValueError:
        return  # reported with the option itself
    if host in ("", "0.0.0.0", "::"):
        where = f"`{name}`" if advertised else f"without `advertise-addr`, `{name}` ({address})"
        reader.problem((name,), f"{where} must say by which host others reach us", kinds.address)


def with_derived(config: M, kinds: DaemonKinds, hostname: str) -> M:
    """The configuration with the names that follow from others filled in."""
    current = config.model_dump(include={"name", "advertise_addr", "data_dir", kinds.listen.replace("-", "_")})
    listen = str(current[kinds.listen.replace("-", "_")])
    host, port = split_address(str(current["advertise_addr"]) or listen)
    advertised = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    default_name = f"dm-master-{hostname}" if kinds.program == "dm-master" else advertised
    name = str(current["name"]) or default_name
    derived: dict[str, object] = {"name": name, "advertise_addr": advertised}
    if "data_dir" in current:
        derived["data_dir"] = str(current["data_dir"]) or f"default.{name}"
    return config.model_copy(update=derived)
