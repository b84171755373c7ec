"""Connections to upstreams and targets: one place for login, TLS, session variables and errors.

Every error of a connection made here is a ``DMError`` (see ``errors.py``), also from its cursors.
Passwords leave ``Secret`` only in ``connect``.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pymysql
from pymysql.constants import CLIENT

from pkg.adapters.mysql.dialect import REFUSING, Expression, Server
from pkg.adapters.mysql.errors import Side, errno_of, translated
from pkg.adapters.mysql.tls import TlsOptions, read_pem
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.task.connection import ConnectionConfig, Security
from pkg.task.secret import Secret

BAD_SECURITY = ErrorKind(
    10301,
    "database",
    Scope.NOT_SET,
    Level.HIGH,
    "{side} {address}: the security block cannot be used: {text}",
    workaround="certificates and keys must be PEM; ssl-cert and ssl-key belong together",
)
BAD_SESSION_VARIABLE = ErrorKind(
    10302,
    "database",
    Scope.NOT_SET,
    Level.HIGH,
    "{side} {address}: the session variable {name} cannot be set to {value}",
    workaround="correct it in the `session` block, or take it out",
)
ANOTHER_SERVER = ErrorKind(
    36212,
    "database",
    Scope.UPSTREAM,
    Level.MEDIUM,
    "at {address} the server {found} answers by now, and {known} is read: their rows and binlogs are not put together",
    workaround="it is tried again by itself: point the address at one server, not at several in turn",
    resumable=True,
)

CONNECT_TIMEOUT_SECONDS: Final = 10
READ_TIMEOUT_SECONDS: Final = 600
# A host that went without a word, while an answer is waited for, is noticed after a minute.
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """Where and how to log in; the same for SQL connections and the binlog connection."""

    host: str
    port: int
    user: str
    password: Secret
    tls: TlsOptions | None = None
    session: Mapping[str, str] = field(default_factory=dict)
    connect_timeout: float = CONNECT_TIMEOUT_SECONDS
    read_timeout: float | None = READ_TIMEOUT_SECONDS
    server: str = ""  # the identity of the one that must answer; "": whichever does

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    @classmethod
    def from_config(cls, config: ConnectionConfig, *, side: Side = "upstream") -> ConnectionOptions:
        """The options of a ``from`` or ``target-database`` block; its password must be decrypted."""
        tls = None
        if config.security is not None and config.security.is_set:
            tls = _tls_options(config.security, side, f"{config.host}:{config.port}")
        return cls(config.host, config.port, config.user, config.password, tls, dict(config.session))

    def only(self, server: str) -> ConnectionOptions:
        """The same for connections to this server, whatever else answers at the address; "": to whichever does."""
        return replace(self, server=server)


class Connection(pymysql.Connection):
    """A PyMySQL connection whose errors say which side failed and what to do."""

    if TYPE_CHECKING:  # what the driver has and its type stubs leave out
        _sock: Any
        _result: Any
        _read_timeout: float | None

        def _force_close(self) -> None: ...

    def __init__(self, options: ConnectionOptions, side: Side, **arguments: Any) -> None:
        self.side: Side = side
        self.options = options
        super().__init__(**arguments)

    def connect(self, sock: Any = None) -> None:
        """Log in; a server that takes the connection and says nothing is given no longer than one that does not."""
        usual, self._read_timeout = self._read_timeout, self.options.connect_timeout
        try:
            super().connect(sock)
        finally:
            self._read_timeout = usual

    def translated(self, exc: pymysql.err.MySQLError) -> DMError:
        database = self.db.decode("utf-8", "replace") if isinstance(self.db, bytes) else self.db
        return translated(exc, side=self.side, address=self.options.address, user=self.options.user, database=database)

    _driver: Any = pymysql.Connection

    # All of PyMySQL's traffic passes through these three, so its errors are met here and nowhere else.

    def _read_packet(self, *arguments: Any, **named: Any) -> Any:
        try:
            return self._driver._read_packet(self, *arguments, **named)
        except pymysql.err.MySQLError as exc:
            raise self.translated(exc) from exc

    def _write_bytes(self, data: Any) -> None:
        try:
            self._driver._write_bytes(self, data)
        except pymysql.err.MySQLError as exc:
            raise self.translated(exc) from exc

    def _execute_command(self, command: Any, sql: Any) -> None:
        try:
            self._driver._execute_command(self, command, sql)
        except pymysql.err.MySQLError as exc:
            raise self.translated(exc) from exc


Link: TypeAlias = Callable[[], AbstractContextManager[Connection]]  # opens one for a step


# Whatever the server's global values are: all rows are read, and a COMMIT only commits.
_WHOLE = {"sql_select_limit": str(2**64 - 1), "sql_big_selects": "1", "completion_type": "0"}


def connect(
    options: ConnectionOptions,
    *,
    side: Side,
    database: str | None = None,
    client_flag: int = 0,
    session: Mapping[str, str] | None = None,
    autocommit: bool = True,
) -> Connection:
    """A logged-in connection in utf8mb4; ``session`` comes over the options' own variables.

    An UPDATE counts the rows that it found, changed or not: a fence asks whether its row was there.
    Raises ANOTHER_SERVER where the options name a server and another one answers.
    """
    context = _tls_context(options, side)
    arguments: dict[str, Any] = {"ssl": context} if context is not None else {"ssl_disabled": True}
    try:
        connection = Connection(
            options,
            side,
            host=options.host,
            port=options.port,
            user=options.user,
            password=options.password.reveal().encode(),
            database=database,
            charset="utf8mb4",
            autocommit=autocommit,
            client_flag=client_flag | CLIENT.FOUND_ROWS,
            connect_timeout=options.connect_timeout,
            read_timeout=options.read_timeout,
            write_timeout=options.read_timeout,
            max_allowed_packet=1 << 30,
            **arguments,
        )
    except pymysql.err.MySQLError as exc:
        failed = _tls_failure(exc) or exc
        raise translated(failed, side=side, address=options.address, user=options.user, database=database) from exc
    _check_peer(connection)
    _keep_alive(connection)
    # Said, too: TiDB greets with autocommit whatever its global value is, and the driver believes it.
    whole = {"autocommit": "1" if autocommit else "0", **_WHOLE}
    if options.server:
        _check_server(connection)
    set_session(connection, {**whole, **options.session, **(session or {})})
    return connection


def _check_server(connection: Connection) -> None:
    options, found = connection.options, Server.probe(connection).identity(connection)
    if found != options.server:
        connection._force_close()
        raise ANOTHER_SERVER.error(address=options.address, found=found, known=options.server)


def _keep_alive(connection: Connection) -> None:
    """The driver asks for it; the system's own pauses are two hours."""
    for name, value in _KEEPALIVE.items():
        option = getattr(socket, name, None)
        if option is not None:
            connection._sock.setsockopt(socket.IPPROTO_TCP, option, value)


def set_session(connection: Connection, variables: Mapping[str, str]) -> None:
    """Set session variables by one statement; what is wrong is named one by one."""
    if not variables:
        return
    for name in variables:
        if not _VARIABLE.fullmatch(name):
            raise BAD_SESSION_VARIABLE.error(
                side=connection.side, address=connection.options.address, name=repr(name), value=repr(variables[name])
            )
    assignments = {name: _session_value(connection, value) for name, value in variables.items()}
    try:
        connection.query("SET " + ", ".join(f"SESSION {name} = {value}" for name, value in assignments.items()))
    except DMError as exc:
        if exc.resumable:
            raise
        _name_the_wrong_one(connection, assignments)
        raise


def run_allowed(connection: Connection, run: Callable[[], object]) -> None:
    """``run`` a DDL that the upstream has taken on ``connection``, once more without the setting that refuses it.

    Raises what the server says first where the account may not set it.
    """
    try:
        run()
    except DMError as exc:
        name = REFUSING.get(errno_of(exc) or 0)
        if name is None:
            raise
        try:
            set_session(connection, {name: "0"})
        except DMError as refused:
            raise exc from refused
        run()


def _session_value(connection: Connection, value: str) -> str:
    if isinstance(value, Expression):
        return value
    value = str(value)
    if _NUMBER.fullmatch(value) or value.upper() == "DEFAULT":
        return value
    return str(connection.escape(value))


def _name_the_wrong_one(connection: Connection, assignments: Mapping[str, str]) -> None:
    for name, value in assignments.items():
        try:
            connection.query(f"SET SESSION {name} = {value}")
        except DMError as exc:
            address = connection.options.address
            raise BAD_SESSION_VARIABLE.error(
                side=connection.side, address=address, name=name, value=value, cause=exc
            ) from exc


def _tls_options(security: Security, side: Side, address: str) -> TlsOptions:
    try:
        pem = security.embedded(read_pem)
    except (OSError, UnicodeDecodeError, DMError) as exc:
        text = exc.message if isinstance(exc, DMError) else str(exc)
        raise BAD_SECURITY.error(side=side, address=address, text=text, cause=exc) from exc
    return TlsOptions(pem.ca_pem.encode(), pem.cert_pem.encode(), pem.key_pem, tuple(pem.cert_allowed_cn))


def _tls_context(options: ConnectionOptions, side: Side) -> ssl.SSLContext | None:
    if options.tls is None:
        return None
    try:
        return options.tls.context()
    except (ssl.SSLError, OSError, ValueError) as exc:
        raise BAD_SECURITY.error(side=side, address=options.address, text=str(exc), cause=exc) from exc


def _tls_failure(exc: pymysql.err.MySQLError) -> pymysql.err.MySQLError | None:
    """The refused handshake that the driver calls a host it cannot connect to, as a client's error 2026."""
    reason = getattr(exc, "original_exception", None)
    if not isinstance(reason, ssl.SSLError) or isinstance(reason, ssl.SSLEOFError):  # an end is a lost connection
        return None
    return pymysql.err.OperationalError(2026, str(reason))


def _check_peer(connection: Connection) -> None:
    tls = connection.options.tls
    if tls is None or not tls.allowed_names:
        return
    certificate = connection._sock.getpeercert()
    if not tls.accepts(certificate):
        connection.close()
        refused = pymysql.err.OperationalError(2026, f"the server's certificate is for none of {tls.allowed_names}")
        raise connection.translated(refused)


def connection_number(connection: Connection) -> int:
    """By which the server knows it; the one in the handshake is cut to 32 bits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        row = cursor.fetchone()
    assert row is not None
    return int(row[0])
