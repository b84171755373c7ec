"""Logging in to real servers, for SQL and for the binlog: login methods, TLS, and what a refusal says."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.connection import BAD_SECURITY, Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import TLS_FAILED, WRONG_PASSWORD
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from tests.contract.certificates import Authority, Issued
from tests.servers import RunningServer

PASSWORD = """p'ä"ß\\`€; --%s{}$#😀 '' "" Пароль-密码-0123"""
METHODS = {"mysql": "caching_sha2_password", "mariadb": "mysql_native_password"}
KINDS = tuple(METHODS)
USER = "login"


def make_account(server: RunningServer, password: str = PASSWORD, require: str = "") -> None:
    by = "USING PASSWORD(%s)" if server.kind == "mariadb" else "BY %s"
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP USER IF EXISTS {USER}@'%'")
        cursor.execute(
            f"CREATE USER {USER}@'%%' IDENTIFIED {'VIA' if server.kind == 'mariadb' else 'WITH'} "
            f"{METHODS[server.kind]} {by} {require}",
            (password,),
        )
        cursor.execute(f"GRANT REPLICATION SLAVE ON *.* TO {USER}@'%'")


def options(server: RunningServer, password: str = PASSWORD, **security: Any) -> ConnectionOptions:
    block: dict[str, Any] = {"host": server.host, "port": server.port, "user": USER, "password": password}
    if security:
        block["security"] = {name.replace("_", "-"): value for name, value in security.items()}
    return ConnectionOptions.from_config(ConnectionConfig.model_validate(block))


def status(connection: Connection, name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE %s", (name,))
        row = cursor.fetchone()
    assert row is not None
    return str(row[1])


def assert_sql(given: ConnectionOptions, *, encrypted: bool) -> int:
    """That a login works and is as safe as asked for; the bytes that the server had received by then."""
    with connect(given, side="upstream") as connection:
        received = int(status(connection, "Bytes_received"))
        assert bool(status(connection, "Ssl_cipher")) is encrypted
        with connection.cursor() as cursor:
            cursor.execute("SELECT CURRENT_USER()")
            assert cursor.fetchone() == (f"{USER}@%",)
    return received


def assert_binlog(server: RunningServer, given: ConnectionOptions, text: str) -> None:
    """That a statement executed just now comes by a stream of the binlog."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SHOW BINARY LOGS")
        *_, (name, end, *_) = cursor.fetchall()
        cursor.execute(f"CREATE DATABASE {text}")
        cursor.execute(f"DROP DATABASE {text}")
    start = Location(Position(str(name), int(end)))  # what other tests wrote before may be long
    stream = BinlogStream(given, server_id=0, flavor=server.kind, start=start, use_gtid=False)
    received, deadline = b"", time.monotonic() + 90
    try:
        while text.encode() not in received:
            assert time.monotonic() < deadline, f"{text} did not arrive"
            received += stream.read(1.0) or b""
    finally:
        stream.close()


def refusals(given: ConnectionOptions, kind: str) -> Iterator[DMError]:
    """What a SQL connection and a stream of the binlog are told."""
    with pytest.raises(DMError) as for_sql:
        connect(given, side="upstream")
    start = Location(Position("mysql-bin.000001", 4))
    with pytest.raises(DMError) as for_stream:
        BinlogStream(given, server_id=0, flavor=kind, start=start, use_gtid=False)
    for caught in (for_sql, for_stream):
        assert PASSWORD not in str(caught.value)
        yield caught.value


@pytest.fixture
def server(kind: str, request: pytest.FixtureRequest) -> RunningServer:
    found: RunningServer = request.getfixturevalue(kind)
    return found


@pytest.fixture(scope="module")
def mysql(mysql: RunningServer) -> Iterator[RunningServer]:
    yield from without_account(mysql)


@pytest.fixture(scope="module")
def mariadb(mariadb: RunningServer) -> Iterator[RunningServer]:
    yield from without_account(mariadb)


def without_account(server: RunningServer) -> Iterator[RunningServer]:
    """The shared server, and our account is gone afterwards."""
    yield server
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP USER IF EXISTS {USER}@'%'")


@pytest.mark.servers
def test_caching_sha2_logs_in_by_the_full_exchange_and_then_by_the_fast_one(mysql: RunningServer) -> None:
    make_account(mysql)
    full = assert_sql(options(mysql), encrypted=False)
    fast = assert_sql(options(mysql), encrypted=False)
    assert full - fast > 256, "the full exchange sends the password encrypted by the server's RSA key"
    make_account(mysql)
    assert_binlog(mysql, options(mysql), "login_full")
    assert_binlog(mysql, options(mysql), "login_fast")


@pytest.mark.servers
def test_caching_sha2_within_tls_sends_the_password_and_then_its_scramble(mysql: RunningServer) -> None:
    tls = options(mysql, ssl_ca=str(mysql.datadir / "ca.pem"))
    make_account(mysql)
    full = assert_sql(tls, encrypted=True)
    fast = assert_sql(tls, encrypted=True)
    assert full > fast
    make_account(mysql)
    assert_binlog(mysql, tls, "login_tls_full")
    assert_binlog(mysql, tls, "login_tls_fast")


@pytest.mark.servers
def test_a_native_password_logs_in_without_tls(mariadb: RunningServer) -> None:
    make_account(mariadb)
    assert_sql(options(mariadb), encrypted=False)
    assert_binlog(mariadb, options(mariadb), "login_native")


@pytest.mark.servers
@pytest.mark.parametrize("kind", KINDS)
def test_an_account_without_a_password_logs_in(kind: str, server: RunningServer) -> None:
    make_account(server, "")
    assert_sql(options(server, ""), encrypted=False)


@pytest.mark.servers
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("password", ["", PASSWORD[:-1], PASSWORD.upper()])
def test_a_wrong_password_is_refused_by_name(kind: str, server: RunningServer, password: str) -> None:
    make_account(server)
    for error in refusals(options(server, password), kind):
        assert error.is_a(WRONG_PASSWORD.upstream)
        assert str(error.message).startswith(f"upstream {server.host}:{server.port}: access denied for user")
        assert USER in error.message
        assert not error.resumable


class Tls:
    """A server whose certificate we made, and a client's certificate by the same authority."""

    def __init__(self, kind: str, factory: Callable[..., RunningServer], folder: Path) -> None:
        if kind == "mysql":
            self.server = factory("mysql")
            made = self.server.datadir
            self.ca = made / "ca.pem"
            self.client = Issued(made / "client-cert.pem", made / "client-key.pem")
            return
        authority = Authority(folder, "authority")
        issued = authority.issue("upstream.example")
        flags = [f"--ssl-ca={authority.path}", f"--ssl-cert={issued.certificate}", f"--ssl-key={issued.key}"]
        self.server = factory("mariadb", options=flags)
        self.ca = authority.path
        self.client = authority.issue("client.example")


@pytest.mark.parametrize("kind", KINDS)
def test_tls_asked_of_an_authority_that_did_not_sign_is_refused(
    kind: str, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    server = Tls(kind, server_factory, tmp_path).server
    make_account(server)
    stranger = Authority(tmp_path, "stranger")
    for error in refusals(options(server, ssl_ca=str(stranger.path)), kind):
        assert error.is_a(TLS_FAILED.upstream)
        assert "certificate verify failed" in error.message
        assert "ssl-ca must have signed the server's certificate" in error.workaround
        assert not error.resumable


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_come_as_files_as_bytes_and_as_base64(
    kind: str, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    tls = Tls(kind, server_factory, tmp_path)
    files = {"ca": tls.ca, "cert": tls.client.certificate, "key": tls.client.key}
    forms: dict[str, dict[str, Any]] = {
        "files": {f"ssl_{name}": str(path) for name, path in files.items()},
        "text": {f"ssl_{name}_bytes": path.read_text() for name, path in files.items()},
        "bytes": {f"ssl_{name}_bytes": list(path.read_bytes()) for name, path in files.items()},
        "base64": {f"ssl_{name}_base64": base64.b64encode(path.read_bytes()).decode() for name, path in files.items()},
    }
    make_account(tls.server, require="REQUIRE X509")
    for form, security in forms.items():
        given = options(tls.server, **security)
        assert_sql(given, encrypted=True)
        assert_binlog(tls.server, given, f"login_by_{form}")
    for error in refusals(options(tls.server, ssl_ca=str(tls.ca)), kind):
        assert error.is_a(WRONG_PASSWORD.upstream)  # the servers say no more: the account requires a certificate


def test_only_a_server_of_an_allowed_name_is_taken(
    server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    tls = Tls("mariadb", server_factory, tmp_path)
    make_account(tls.server)
    names = ["other.example", "upstream.example"]
    assert_sql(options(tls.server, ssl_ca=str(tls.ca), cert_allowed_cn=names), encrypted=True)
    for error in refusals(options(tls.server, ssl_ca=str(tls.ca), cert_allowed_cn=names[:1]), "mariadb"):
        assert error.is_a(TLS_FAILED.upstream)
        assert "other.example" in error.message


def test_a_server_without_tls_is_not_spoken_to_in_the_clear(
    server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    server = server_factory("mariadb", options=["--skip-ssl"])
    make_account(server)
    for error in refusals(options(server, ssl_ca=str(Authority(tmp_path, "authority").path)), "mariadb"):
        assert error.is_a(TLS_FAILED.upstream)
        assert "SSL is required but the server doesn't support it" in error.message
        assert not error.resumable


@pytest.mark.parametrize("text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
def test_an_authority_that_is_no_certificate_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(text)
    block = {"host": "127.0.0.1", "port": 1, "user": USER, "security": {"ssl-ca": str(file)}}
    with pytest.raises(DMError) as caught:
        connect(ConnectionOptions.from_config(ConnectionConfig.model_validate(block)), side="upstream")
    assert caught.value.is_a(BAD_SECURITY)
    assert "127.0.0.1:1: the security block cannot be used" in caught.value.message


def test_a_certificate_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    block = {"host": "127.0.0.1", "port": 1, "user": USER, "security": {"ssl-ca": str(tmp_path / "none.pem")}}
    with pytest.raises(DMError, match=r"none\.pem"):
        ConnectionOptions.from_config(ConnectionConfig.model_validate(block))
