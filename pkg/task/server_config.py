"""dm-master.toml and dm-worker.toml: models of the two daemons' own configuration."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, PlainSerializer, SerializationInfo

from pkg.task.option import Model, option, refused, tuning
from pkg.task.secret import HIDDEN
from pkg.task.values import Address, Addresses, Duration, split_address

_NO_ETCD = "the state of the control plane is in the database that `metastore-url` names"
_NO_PEERS = "dm-masters do not talk to each other; those with one `metastore-url` stand by for each other"
_NO_REST = "there is no REST interface in this version"
_ONE_TTL = (
    "`keepalive-ttl` counts for every worker: a lost one is replaced at once, and the relay log is pulled again from "
    "where the tasks are"
)
_URL_PASSWORD = re.compile(r"^([^:/@]*):.*@", re.DOTALL)  # to the last @: better too much than a part of it shown
_SECRET_PARAMETER = re.compile(r"(?i)((?:password|passwd|pwd|secret|token|key)[^=&]*=)[^&]*")


def redact_url(url: str) -> str:
    """The URL without its password."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    hidden = _URL_PASSWORD.sub(rf"\g<1>:{HIDDEN}@", rest)
    return _SECRET_PARAMETER.sub(rf"\g<1>{HIDDEN}", f"{scheme}://{hidden}")


def _check_metastore(url: str) -> str:
    if not url:
        return url
    scheme = urlsplit(url).scheme.partition("+")[0]
    if scheme not in ("sqlite", "mysql", "mariadb", "postgresql"):
        raise ValueError("must be a URL of sqlite, mysql, mariadb or postgresql, like mysql://user@host:4000/dm")
    return url


def _print_url(url: str, info: SerializationInfo) -> str:
    revealed = isinstance(info.context, dict) and info.context.get("reveal")
    return url if revealed else redact_url(url)


SecretUrl = Annotated[str, AfterValidator(_check_metastore), PlainSerializer(_print_url, return_type=str)]
LogLevel = Literal["debug", "info", "warn", "error", "fatal"]


class DaemonConfig(Model):
    """What dm-master and dm-worker have in common."""

    name: str = option("", "name of this member", sample="dm-1")
    log_level: LogLevel = option("info", "least level that is logged", sample="info")
    log_file: str = option("", "log file; empty: standard error", sample="dm.log")
    log_format: Literal["text", "json"] = option("text", "format of log lines")
    log_rotate: str = tuning("", "when the log file is rotated", "files are rotated by size", deprecated="nothing")
    ssl_ca: str = option("", "file with the certificate authorities for connections between members (PEM)")
    ssl_cert: str = option("", "file with this member's certificate (PEM)")
    ssl_key: str = option("", "file with the private key of the certificate (PEM)")
    cert_allowed_cn: list[str] = refused(
        [],
        "common names that a peer's certificate may have; empty: any",
        "names are not looked at between members in this version: every certificate of `ssl-ca` would be let in",
    )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_json()})"

    __str__ = __repr__

    def to_json(self) -> str:
        """For logs and `list-member`: passwords in URLs are hidden."""
        return json.dumps(self.model_dump(mode="json", by_alias=True))


class MasterExperimental(Model):
    """Experimental options of DM's."""

    openapi: bool = tuning(False, "serve the REST interface", _NO_REST, deprecated="openapi")


class MasterConfig(DaemonConfig):
    """A dm-master."""

    name: str = option("", "name of this member; empty: dm-master and the host's name", sample="dm-master")
    log_file: str = option("", "log file; empty: standard error", sample="dm-master.log")
    master_addr: Address = option(
        ":8261", "address that we listen on; without a host, advertise-addr is needed", sample=":8261"
    )
    advertise_addr: Address = option(
        "", "address by which others reach us; empty: master-addr", sample="127.0.0.1:8261"
    )
    data_dir: str = option("", "folder for the state; empty: default.<name>", sample="default.dm-master")
    metastore_url: SecretUrl = option(
        "",
        "database of the control plane's state; empty: an SQLite file in data-dir. Give the same MySQL, TiDB or "
        "PostgreSQL URL to several dm-masters and they stand by for each other (not in DM)",
    )
    secret_key_path: str = option(
        "", "file with the key for encrypted passwords (64 hexadecimal characters); empty: passwords are plain"
    )
    rpc_timeout: Duration = tuning("30s", "longest wait for a worker's answer", "workers ask the master, not it them")
    rpc_rate_limit: float = tuning(10.0, "calls to workers per second", "workers ask the master, not it them")
    rpc_rate_burst: int = tuning(40, "calls to workers at once", "workers ask the master, not it them")
    openapi: bool = tuning(False, "serve the REST interface", _NO_REST)
    peer_urls: str = tuning("http://127.0.0.1:8291", "addresses for the other dm-masters", _NO_PEERS)
    advertise_peer_urls: str = tuning("", "peer addresses as others see them", _NO_PEERS)
    initial_cluster: str = tuning("", "the first members", _NO_PEERS)
    initial_cluster_state: Literal["", "new", "existing"] = tuning("new", "state of the cluster", _NO_PEERS)
    join: Addresses = tuning("", "addresses of dm-masters to join", _NO_PEERS)
    max_txn_ops: int = tuning(2048, "operations of an etcd transaction", _NO_ETCD)
    max_request_bytes: int = tuning(1_572_864, "bytes of an etcd request", _NO_ETCD, unit="bytes")
    auto_compaction_mode: str = tuning("periodic", "when etcd forgets revisions", _NO_ETCD)
    auto_compaction_retention: str = tuning("1h", "how long etcd keeps revisions", _NO_ETCD)
    quota_backend_bytes: int = tuning(2_147_483_648, "size of etcd's database", _NO_ETCD, unit="bytes")
    v1_sources_path: str = refused("", "sources of DM 1.0 to import", "importing DM 1.0 is not in this version")
    experimental: MasterExperimental = option(MasterExperimental, "experimental options")

    @property
    def store_url(self) -> str:
        """SQLAlchemy's URL of the state: ``metastore-url``, else an SQLite file in the data directory."""
        return self.metastore_url or f"sqlite:///{self.data_dir.rstrip('/')}/dm-master.db"

    @property
    def bind_address(self) -> tuple[str, int]:
        host, port = split_address(self.master_addr)
        return host or "0.0.0.0", port

    @property
    def join_addresses(self) -> list[str]:
        return addresses(self.join)


class WorkerConfig(DaemonConfig):
    """A dm-worker."""

    name: str = option("", "name of this member; empty: advertise-addr", sample="dm-worker")
    log_file: str = option("", "log file; empty: standard error", sample="dm-worker.log")
    worker_addr: Address = option(
        ":8262", "address that we listen on; without a host, advertise-addr is needed", sample=":8262"
    )
    advertise_addr: Address = option(
        "", "address by which others reach us; empty: worker-addr", sample="127.0.0.1:8262"
    )
    join: Addresses = option("", "addresses of the dm-masters, with commas", sample="127.0.0.1:8261")
    keepalive_ttl: int = option(
        15,
        "after so long without a sign of life the worker's source goes to another one",
        unit="seconds",
        dm_default="60",
        sample=15,
        ge=3,
        le=86_400,
    )
    relay_keepalive_ttl: int = tuning(1800, "the same for a worker with relay log", _ONE_TTL, unit="seconds")
    relay_dir: str = option(
        "", "folder of the relay logs, one folder per source in it; empty: `relay-dir` of the source file"
    )
    redact_info_log: bool = option(False, "write `?` for string literals of SQL and of servers' messages into the log")

    @property
    def bind_address(self) -> tuple[str, int]:
        host, port = split_address(self.worker_addr)
        return host or "0.0.0.0", port

    @property
    def join_addresses(self) -> list[str]:
        return addresses(self.join)


def addresses(text: str) -> list[str]:
    """The `host:port` of a comma list, without a scheme."""
    return [re.sub(r"^[a-z]+://", "", part.strip()) for part in text.split(",") if part.strip()]
