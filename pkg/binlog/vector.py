# mypy: disable-error-code="valid-type, untyped-decorator"
"""VECTOR values of MySQL 9: little-endian 32-bit floats.

Cython in pure Python mode: the same source runs uncompiled, slowly.
"""

from __future__ import annotations

import struct
from binascii import hexlify

import cython

_LARGEST_FLOAT = 3.4028234663852886e38
_BEFORE_TEXT, _BEHIND_TEXT = b"COALESCE(/*T! ", b", */ "
_FORMATS = tuple(f"%.{digits}g" for digits in range(9))


def vector_literal(raw: bytes) -> bytes:
    """A literal for every target: TiDB takes only text, MySQL only bytes, and TiDB's comment is none of MySQL's."""
    return _BEFORE_TEXT + b"'" + vector_text(raw) + b"'" + _BEHIND_TEXT + b"x'" + hexlify(raw) + b"')"


def vector_condition(name: bytes, literal: bytes) -> bytes:
    """A condition that holds for exactly the vector of ``literal``: MySQL compares vectors with none but bytes cast."""
    text, _, digits = literal.removeprefix(_BEFORE_TEXT).removesuffix(b")").partition(_BEHIND_TEXT)
    same_bytes = b"CAST(" + name + b" AS BINARY)=CAST(" + digits + b" AS BINARY)"
    return b"(/*T! " + name + b"=" + text + b" OR */ " + same_bytes + b")"


def vector_text(raw: bytes) -> bytes:
    """As TiDB reads it, with the same bits: ``[1,-2.5]``."""
    return b"[" + ",".join([_shortest(value) for value in vector_values(raw)]).encode("ascii") + b"]"


def vector_values(raw: bytes) -> tuple[float, ...]:
    """The elements.  Raises ValueError for bytes that are no vector."""
    if len(raw) % 4:
        raise ValueError(f"a VECTOR has {len(raw)} bytes, which are no floats")
    return struct.unpack(f"<{len(raw) >> 2}f", raw)


@cython.cfunc
def _shortest(value: cython.double) -> str:
    """The shortest text that gives the same bits when it is read as a double and rounded, as TiDB does."""
    if value - value != 0:
        raise ValueError("a VECTOR has an element that is not finite")
    if abs(value) == _LARGEST_FLOAT:
        return repr(value)  # shorter text is beyond the range, before it is rounded
    best: str = f"{value:.9g}"
    text: str = best
    digits: cython.int = 8
    while digits >= 6:
        text = _FORMATS[digits] % value
        if not _gives(text, value):
            break
        best = text
        digits -= 1
    return best


@cython.cfunc
def _gives(text: str, value: cython.double) -> cython.bint:
    if cython.compiled:
        return cython.cast(cython.float, cython.cast(cython.double, float(text))) == cython.cast(cython.float, value)
    same: bool = struct.unpack("<f", struct.pack("<f", float(text)))[0] == value
    return same
