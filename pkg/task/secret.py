"""Secrets: a type that does not print itself, and the encryption of passwords in configuration files.

An encrypted password reads ``sparkdm:v1:<base64>``; the base64 holds a 12-byte nonce and the AES-256-GCM
ciphertext with its tag.  The prefix decides, so a plain password is never taken for an encrypted one,
whatever it looks like.  The key is 64 hexadecimal characters in a file of its own (``secret-key-path``).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import GetCoreSchemaHandler, SerializationInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pkg.errors import ErrorKind, Level, Scope

HIDDEN = "******"
PREFIX = "sparkdm:v1:"
REVEAL = {"reveal": True}  # the serialisation context in which a Secret writes its value

_NONCE_BYTES = 12
_TAG_BYTES = 16

BAD_KEY = ErrorKind(
    20067,
    "config",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the secret key is not valid: {problem}",
    workaround="the key file must hold 64 hexadecimal characters (for example from `openssl rand -hex 32`)",
)
CANNOT_DECRYPT = ErrorKind(
    20010,
    "config",
    Scope.INTERNAL,
    Level.MEDIUM,
    "cannot decrypt {what}: {problem}",
    workaround="encrypt it again with `dmctl encrypt` and the key that `secret-key-path` of dm-master names, "
    "or write it as plain text",
)


class Secret:
    """A password or key; only ``reveal()`` gives it away."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    @property
    def is_encrypted(self) -> bool:
        return self._value.startswith(PREFIX)

    def decrypted(self, key: bytes | None, what: str = "the password") -> Secret:
        """The plain secret; one that is not encrypted is itself."""
        return Secret(decrypt(self._value, key, what)) if self.is_encrypted else self

    def __repr__(self) -> str:
        return f"Secret({HIDDEN!r})"

    def __str__(self) -> str:
        return HIDDEN if self._value else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __getstate__(self) -> str:
        return self._value

    def __setstate__(self, value: str) -> None:
        self._value = value

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(
                cls._serialised, info_arg=True, return_schema=core_schema.str_schema()
            ),
        )

    @classmethod
    def _validated(cls, value: object) -> Secret:
        if isinstance(value, Secret):
            return value
        if isinstance(value, str):
            return cls(value)
        raise PydanticCustomError("string_type", "Input should be a valid string")

    @staticmethod
    def _serialised(value: Secret, info: SerializationInfo) -> str:
        context = info.context
        return value.reveal() if isinstance(context, dict) and context.get("reveal") else str(value)


def parse_key(text: str) -> bytes:
    """The AES-256 key in the text of a key file."""
    key = text.strip()
    if len(key) != 64:
        raise BAD_KEY.error(problem=f"it has {len(key)} characters instead of 64")
    if not re.fullmatch(r"[0-9A-Fa-f]{64}", key):
        raise BAD_KEY.error(problem="it has characters that are not hexadecimal digits")
    return bytes.fromhex(key)


def encrypt(plaintext: str, key: bytes) -> str:
    """The text to write into a configuration file instead of ``plaintext``."""
    nonce = os.urandom(_NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, plaintext.encode("utf-8", "surrogateescape"), PREFIX.encode())
    return PREFIX + base64.b64encode(nonce + sealed).decode("ascii")


def decrypt(text: str, key: bytes | None, what: str = "the password") -> str:
    """The plain text of what ``encrypt`` made; ``what`` names it in errors."""
    if not text.startswith(PREFIX):
        raise CANNOT_DECRYPT.error(what=what, problem=f"it does not start with {PREFIX!r}")
    if key is None:
        raise CANNOT_DECRYPT.error(what=what, problem="it is encrypted and no `secret-key-path` is set")
    try:
        sealed = base64.b64decode(text[len(PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        raise CANNOT_DECRYPT.error(what=what, problem="the encrypted text is damaged (not base64)") from None
    if len(sealed) < _NONCE_BYTES + _TAG_BYTES:
        raise CANNOT_DECRYPT.error(what=what, problem="the encrypted text is cut short")
    try:
        plain = AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], PREFIX.encode())
    except InvalidTag:
        raise CANNOT_DECRYPT.error(
            what=what, problem="it was encrypted with another key, or the text was changed"
        ) from None
    return plain.decode("utf-8", "surrogateescape")
