"""How to reach a database: host, user, password, TLS and session variables."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator

from pkg.task.option import Model, option, tuning
from pkg.task.problems import EMPTY_PEM
from pkg.task.secret import Secret


def _certificate_text(value: Any) -> Any:
    """``ssl-*-bytes`` as text: DM writes a list of byte values, people paste the PEM text."""
    if isinstance(value, list) and value and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        return bytes(value).decode("ascii", "replace")
    return "" if value == [] else value


def _base64_text(value: Any) -> Any:
    if isinstance(value, str) and value:
        try:
            base64.b64decode(value, validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError, ValueError):
            raise ValueError("not the base64 of a PEM text") from None
    return value


PemText = Annotated[str, BeforeValidator(_certificate_text)]
PemSecret = Annotated[Secret, BeforeValidator(_certificate_text)]
Base64Text = Annotated[str, BeforeValidator(_base64_text)]
Base64Secret = Annotated[Secret, BeforeValidator(_base64_text)]


class Security(Model):
    """TLS of a connection; certificates by file, or embedded as PEM text or as base64 of it."""

    ssl_ca: str = option("", "file with the trusted certificate authorities (PEM)", sample="/path/to/ca.pem")
    ssl_cert: str = option("", "file with our own certificate (PEM)", sample="/path/to/cert.pem")
    ssl_key: str = option("", "file with the private key of our certificate (PEM)", sample="/path/to/key.pem")
    cert_allowed_cn: list[str] = option([], "common names that the peer's certificate may have; empty: any")
    ssl_ca_bytes: PemText = option("", "the certificate authorities as PEM text instead of a file")
    ssl_cert_bytes: PemText = option("", "our certificate as PEM text instead of a file")
    ssl_key_bytes: PemSecret = option(Secret(), "the private key as PEM text instead of a file")
    ssl_ca_base64: Base64Text = option("", "the certificate authorities as base64 of the PEM text")
    ssl_cert_base64: Base64Text = option("", "our certificate as base64 of the PEM text")
    ssl_key_base64: Base64Secret = option(Secret(), "the private key as base64 of the PEM text")

    @property
    def is_set(self) -> bool:
        """Whether TLS is asked for at all."""
        return any(
            (
                self.ssl_ca,
                self.ssl_ca_bytes,
                self.ssl_ca_base64,
                self.ssl_cert,
                self.ssl_cert_bytes,
                self.ssl_cert_base64,
                self.cert_allowed_cn,
            )
        )

    @property
    def ca_pem(self) -> str:
        return self.ssl_ca_bytes or _decoded(self.ssl_ca_base64)

    @property
    def cert_pem(self) -> str:
        return self.ssl_cert_bytes or _decoded(self.ssl_cert_base64)

    @property
    def key_pem(self) -> Secret:
        return self.ssl_key_bytes or Secret(_decoded(self.ssl_key_base64.reveal()))

    def embedded(self, read_file: Callable[[str], str]) -> Security:
        """The same with the text of the files instead of their names, to be used on another host."""
        return Security(
            ssl_ca_bytes=self.ca_pem or _contents(self.ssl_ca, read_file),
            ssl_cert_bytes=self.cert_pem or _contents(self.ssl_cert, read_file),
            ssl_key_bytes=self.key_pem or Secret(_contents(self.ssl_key, read_file)),
            cert_allowed_cn=self.cert_allowed_cn,
        )


class ConnectionConfig(Model):
    """One database server and how we log in to it."""

    host: str = option(..., "host name or address", sample="127.0.0.1", min_length=1)
    port: int = option(..., "port", sample=3306, ge=1, le=65535)
    user: str = option(..., "user", sample="root", min_length=1)
    password: Secret = option(Secret(), "password, plain or as `dmctl encrypt` printed it", sample="")
    max_allowed_packet: int | None = tuning(
        None, "largest packet", "the server's own limit is asked", unit="bytes", deprecated="nothing"
    )
    session: dict[str, str] = option({}, "session variables that every connection sets")
    security: Security | None = option(None, "TLS")

    def decrypted(self, key: bytes | None, what: str) -> ConnectionConfig:
        """The same with a plain password; ``what`` names the connection in errors."""
        return self.model_copy(update={"password": self.password.decrypted(key, f"the password of {what}")})

    def embedded(self, read_file: Callable[[str], str]) -> ConnectionConfig:
        """The same with the certificates inside, to be used on another host."""
        if self.security is None:
            return self
        return self.model_copy(update={"security": self.security.embedded(read_file)})


def _contents(path: str, read_file: Callable[[str], str]) -> str:
    """The text of a file, if one is named.  Raises EMPTY_PEM: no authority would mean that any server is trusted."""
    text = read_file(path) if path else ""
    if path and not text.strip():
        raise EMPTY_PEM.error(path=path)
    return text


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode("ascii") if text else ""
