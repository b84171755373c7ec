"""Text and bytes of a row image as SQL literals: C functions of a range of the bytes.

The caller has checked that `p[at:end]` lies inside the event; `out` has room for `ROOM` bytes.  A
literal is right for a session with backslash escapes and utf8mb4; what is no text in its character
set, and all binary data, is written in hexadecimal digits.
"""

from __future__ import annotations

import cython

from pkg.binlog.rare_values import hex_literal, single_byte_literal, utf8_literal

if cython.compiled:
    from cython.cimports.pkg.binlog.literals import quoted, taken
else:
    from pkg.binlog.literals import quoted, taken

SHORT_BYTES = 1 << 14
ROOM = 4 * SHORT_BYTES + 16  # a byte of a single-byte set becomes up to three, and one that is escaped two
_SHORT = cython.declare(cython.Py_ssize_t, SHORT_BYTES)  # longer values go through Python's own functions
_HEX_DIGITS = cython.declare(bytes, b"0123456789abcdef")


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def utf8_text(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> bytes:
    n: cython.Py_ssize_t = 1
    i: cython.Py_ssize_t = at
    stop: cython.Py_ssize_t
    c: cython.uchar
    if end - at > _SHORT:
        return utf8_literal(p[at:end])
    while i < end:
        c = p[i]
        if c >= 0x80:
            stop = i + _width(p, i, end)
            if stop == i:
                return hexadecimal(out, p, at, end, 0)
            while i < stop:
                out[n] = p[i]
                n += 1
                i += 1
            continue
        if c == 39 or c == 92 or c == 0:
            out[n] = 92
            n += 1
            if c == 0:
                c = 48
        out[n] = c
        n += 1
        i += 1
    return quoted(out, n)


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _width(p: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Bytes of the character at `i`, whose first is not ASCII; 0 when it is none (RFC 3629)."""
    lead: cython.uchar = p[i]
    width: cython.Py_ssize_t = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    if lead < 0xC2 or lead > 0xF4 or width > end - i:
        return 0
    low: cython.uchar = 0xA0 if lead == 0xE0 else (0x90 if lead == 0xF0 else 0x80)
    high: cython.uchar = 0x9F if lead == 0xED else (0x8F if lead == 0xF4 else 0xBF)
    if p[i + 1] < low or p[i + 1] > high:
        return 0
    if width > 2 and p[i + 2] & 0xC0 != 0x80:
        return 0
    if width > 3 and p[i + 3] & 0xC0 != 0x80:
        return 0
    return width


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def single_byte_text(
    out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t, table: tuple
) -> bytes:
    """`table` has the UTF-8 of what each byte stands for, nothing for a byte without a character."""
    n: cython.Py_ssize_t = 1
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.uchar
    utf8: bytes
    if end - at > _SHORT:
        return single_byte_literal(p[at:end], table)
    for i in range(at, end):
        utf8 = table[p[i]]
        if len(utf8) == 0:
            return hexadecimal(out, p, at, end, 0)
        for k in range(len(utf8)):
            c = utf8[k]
            if c == 39 or c == 92 or c == 0:
                out[n] = 92
                n += 1
                if c == 0:
                    c = 48
            out[n] = c
            n += 1
    return quoted(out, n)


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def hexadecimal(
    out: cython.p_uchar,
    p: cython.p_const_uchar,
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
) -> bytes:
    """Any bytes; up to `width` the zeros are put back that the row image leaves out behind them."""
    n: cython.Py_ssize_t = 2
    size: cython.Py_ssize_t = end - at
    i: cython.Py_ssize_t
    c: cython.uchar
    if size > _SHORT or width > _SHORT:
        return hex_literal(p[at:end].ljust(width, b"\0"))
    if size == 0 and width == 0:
        return b"''"
    for i in range(size if size > width else width):
        c = p[at + i] if i < size else 0
        out[n] = _HEX_DIGITS[c >> 4]
        out[n + 1] = _HEX_DIGITS[c & 15]
        n += 2
    out[0] = 120
    out[1] = 39
    out[n] = 39
    return taken(out, 0, n + 1)
