"""TLS between the programs: who is let in, with certificates made here."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.adapters.rpc.channel import open_channel, open_server
from pkg.errors import DMError


class Answering(dm_pb2_grpc.MasterServicer):
    def Version(self, request: dm_pb2.VersionRequest, context: Any) -> dm_pb2.VersionResponse:
        return dm_pb2.VersionResponse(result=True)


class Authority:
    """A certificate authority that lives in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test ca")])
        self.ca = self._write("ca", self.key, self._signed(self.name, self.key, ca=True))[0]

    def issue(self, common_name: str) -> tuple[str, str]:
        """Certificate and key files."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        return self._write(common_name, key, self._signed(subject, key, ca=False))

    def _signed(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, ca: bool) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(names, critical=False)
            .sign(self.key, hashes.SHA256())
        )

    def _write(self, name: str, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> tuple[str, str]:
        cert_file, key_file = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
        return str(cert_file), str(key_file)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as found:
        yield found


def answer(address: str, authority: Authority, name: str) -> bool:
    channel = open_channel(address, authority.ca, *authority.issue(name))
    with channel:
        return bool(dm_pb2_grpc.MasterStub(channel).Version(dm_pb2.VersionRequest(), timeout=60).result)


def test_only_allowed_names_are_answered(authority: Authority, pool: ThreadPoolExecutor, unused_port: int) -> None:
    address = f"localhost:{unused_port}"
    server = open_server(address, pool, authority.ca, *authority.issue("master"), allowed_names=["dm-worker"])
    dm_pb2_grpc.add_MasterServicer_to_server(Answering(), server)
    server.start()
    assert answer(address, authority, "dm-worker")
    with pytest.raises(grpc.RpcError) as caught:
        answer(address, authority, "stranger")
    assert "cert-allowed-cn does not name it" in str(caught.value)
    server.stop(None).wait(60)


def test_a_certificate_of_another_authority_is_refused(
    authority: Authority, pool: ThreadPoolExecutor, unused_port: int, tmp_path: Path
) -> None:
    address = f"localhost:{unused_port}"
    server = open_server(address, pool, authority.ca, *authority.issue("master"))
    dm_pb2_grpc.add_MasterServicer_to_server(Answering(), server)
    server.start()
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    channel = open_channel(address, authority.ca, *other.issue("dm-worker"))
    with channel, pytest.raises(grpc.RpcError):
        dm_pb2_grpc.MasterStub(channel).Version(dm_pb2.VersionRequest(), timeout=60)
    server.stop(None).wait(60)


def test_a_missing_certificate_file_is_named() -> None:
    with pytest.raises(DMError, match=r"/nowhere/ca\.pem cannot be used"):
        open_channel("localhost:1", "/nowhere/ca.pem")


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])
