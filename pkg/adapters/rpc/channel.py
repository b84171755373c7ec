"""How the three programs open gRPC channels and servers: limits, keepalive, TLS."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc

from pkg.adapters.rpc.allowed_names import AllowedNames
from pkg.errors import ErrorKind, Level, Scope

PORT_TAKEN = ErrorKind(
    38063,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "cannot listen on {address}: {reason}",
    workaround="another process may have the port: stop it, or choose another address by --master-addr",
)
TLS_FILES = ErrorKind(
    38064,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "the TLS file {path} cannot be used: {reason}",
    workaround="correct ssl-ca, ssl-cert and ssl-key, or the rights on the files",
)

_MESSAGE_BYTES = 256 << 20
_LIMITS = [
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
    # A host that vanishes says nothing: pings find it out before the lease ends.
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
]
_SERVER = [
    ("grpc.http2.min_ping_interval_without_data_ms", 2_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),  # else two dm-masters could share a port without an error
]
_CLIENT = [
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.use_local_subchannel_pool", 1),
]


def open_channel(address: str, ca: str = "", cert: str = "", key: str = "") -> grpc.Channel:
    """A channel to ``address``, by TLS when a ``ca`` file is given."""
    options = [*_LIMITS, *_CLIENT]
    if not ca:
        return grpc.insecure_channel(address, options)
    credentials = grpc.ssl_channel_credentials(_read(ca), _read(key) or None, _read(cert) or None)
    return grpc.secure_channel(address, credentials, options)


def open_server(
    address: str,
    pool: ThreadPoolExecutor,
    ca: str = "",
    cert: str = "",
    key: str = "",
    allowed_names: Collection[str] = (),
) -> grpc.Server:
    """A server that has its port but does not serve yet; clients must show a certificate when a ``ca`` is given."""
    interceptors: list[grpc.ServerInterceptor[Any, Any]] = [AllowedNames(tuple(allowed_names))] if allowed_names else []
    server = grpc.server(pool, options=[*_LIMITS, *_SERVER], interceptors=interceptors)
    try:
        if cert:
            credentials = grpc.ssl_server_credentials([(_read(key), _read(cert))], _read(ca) or None, bool(ca))
            server.add_secure_port(address, credentials)
        else:
            server.add_insecure_port(address)
    except RuntimeError as exc:
        raise PORT_TAKEN.error(address=address, reason="the address is in use or not of this host", cause=exc) from exc
    return server


def _read(path: str) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as exc:
        raise TLS_FILES.error(path=path, reason=exc.strerror or exc) from exc
