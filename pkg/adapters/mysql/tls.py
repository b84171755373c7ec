"""TLS of a database connection from a ``security`` block: files, inline text or base64.

A CA means that the server's certificate must come from it (MySQL's VERIFY_CA: the name in a
server's self-made certificate never is its host); ``cert-allowed-cn`` adds whose certificate it may be.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pkg.task.secret import Secret


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """PEM contents; an empty one is not used."""

    ca: bytes = b""
    certificate: bytes = b""
    key: Secret = field(default_factory=Secret)
    allowed_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"TlsOptions(ca={bool(self.ca)}, certificate={bool(self.certificate)}, names={self.allowed_names})"

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED if self.ca else ssl.CERT_NONE
        if self.ca:
            context.load_verify_locations(cadata=self.ca.decode("ascii"))
        if self.certificate:
            _load_certificate(context, self.certificate + b"\n" + self.key.reveal().encode())
        return context

    def accepts(self, certificate: Any) -> bool:
        """Whether the peer's certificate (as ``getpeercert`` gives it) has an allowed common name."""
        if not self.allowed_names:
            return True
        subject = (certificate or {}).get("subject", ())
        names = {value for part in subject for name, value in part if name == "commonName"}
        return bool(names & set(self.allowed_names))


def _load_certificate(context: ssl.SSLContext, pem: bytes) -> None:
    """OpenSSL reads certificates from files only: give it one that is in memory and has no name."""
    descriptor = os.memfd_create("tls", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, pem)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def read_pem(path: str) -> str:
    return Path(path).read_text()
