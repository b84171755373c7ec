"""Numbers and times of a row image as SQL literals: C functions of a place in the bytes.

Each takes where it reads (`p`, `at`; the caller has checked that the value lies inside the event)
and where it may write (`out`, a scratch of at least `ROOM` bytes), and gives the literal.  Layouts:
MySQL source `my_time.cc`, `decimal.c`.  Types for the compiler that other modules need: literals.pxd.
"""

from __future__ import annotations

import struct

import cython

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memcpy

ROOM = 256
_LARGEST_FLOAT = 3.4028234663852886e38


class Truncated(ValueError):
    """The row image does not fit the event: lengths in it are damaged."""


_SMALL = cython.declare(tuple, tuple(b"%d" % number for number in range(1024)))


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def little(p: cython.p_const_uchar, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.ulonglong:
    """`size` bytes, lowest first."""
    value: cython.ulonglong = 0
    while size > 0:
        size -= 1
        value = value << 8 | p[at + size]
    return value


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def big(p: cython.p_const_uchar, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.ulonglong:
    """`size` bytes, highest first."""
    value: cython.ulonglong = 0
    stop: cython.Py_ssize_t = at + size
    while at < stop:
        value = value << 8 | p[at]
        at += 1
    return value


@cython.cfunc
def taken(out: cython.p_uchar, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> bytes:
    """A copy of `out[first:last]`."""
    if cython.compiled:
        return PyBytes_FromStringAndSize(cython.cast(cython.p_char, out) + first, last - first)
    return bytes(out[first:last])


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def quoted(out: cython.p_uchar, n: cython.Py_ssize_t) -> bytes:
    """What was put at 1 to `n`, in quotes."""
    out[0] = 39
    out[n] = 39
    return taken(out, 0, n + 1)


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _padded(out: cython.p_uchar, at: cython.Py_ssize_t, digits: cython.int, value: cython.uint) -> cython.void:
    """The last `digits` digits of `value` at `at`, with zeros in front."""
    while digits > 0:
        digits -= 1
        out[at + digits] = 48 + value % 10
        value //= 10


# ---- numbers


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def number(out: cython.p_uchar, value: cython.ulonglong, negative: cython.bint) -> bytes:
    """Decimal digits; small numbers are shared objects."""
    at: cython.Py_ssize_t = 24
    if value < 1024 and not negative:
        small: bytes = _SMALL[cython.cast(cython.Py_ssize_t, value)]
        return small
    while value > 0:
        at -= 1
        out[at] = 48 + value % 10
        value //= 10
    if negative:
        at -= 1
        out[at] = 45
    return taken(out, at, 24)


@cython.cfunc
def integer(
    out: cython.p_uchar,
    p: cython.p_const_uchar,
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    is_unsigned: cython.bint,
) -> bytes:
    value: cython.ulonglong = little(p, at, size)
    if not is_unsigned and value >> (8 * size - 1):
        # Two's complement of `size` bytes, whose absolute value fits in as many unsigned ones.
        ones: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        return number(out, (value ^ (ones >> (64 - 8 * size))) + 1, True)
    return number(out, value, False)


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def decimal(
    out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, precision: cython.int, scale: cython.int
) -> bytes:
    """Groups of nine digits in four bytes, big-endian; of a negative one all bits are turned, the sign is the first."""
    turned: cython.uchar = 0 if p[at] & 0x80 else 0xFF
    sign: cython.uchar = 0x80
    n: cython.Py_ssize_t = 1  # out[0] is for the minus
    left: cython.int = precision - scale
    is_fraction: cython.bint = False
    digits: cython.int
    end: cython.Py_ssize_t
    group: cython.uint
    while True:
        while left > 0:
            digits = 9
            if left < 9 or (not is_fraction and left % 9):
                digits = left % 9  # the short group is the outer one on both sides of the point
            group = 0
            end = at + (4 if digits == 9 else (digits + 1) >> 1)
            while at < end:
                group = group << 8 | (p[at] ^ sign ^ turned)
                sign = 0
                at += 1
            _padded(out, n, digits, group)
            n += digits
            left -= digits
        if is_fraction or scale == 0:
            break
        is_fraction = True
        left = scale
        if n == 1:
            out[n] = 48
            n += 1
        out[n] = 46
        n += 1
    first: cython.Py_ssize_t = 1
    last: cython.Py_ssize_t = n - 2 - scale if scale else n - 1  # the digit before the point
    while first < last and out[first] == 48:
        first += 1
    if turned:
        first -= 1
        out[first] = 45
    return taken(out, first, n)


@cython.cfunc
def double_precision(p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    """The shortest text that gives the same bits."""
    value: cython.double = 0
    if cython.compiled:
        memcpy(cython.address(value), p + at, 8)
    else:
        value = struct.unpack_from("<d", p, at)[0]
    if value - value != 0:
        raise Truncated("a DOUBLE is not finite")
    text: str = repr(value)
    if value == 0 and text[0] == "-":
        return b"-0e0"  # a literal without an exponent is a decimal, which has no negative zero
    return text.encode("ascii")


@cython.cfunc
def single_precision(p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    """The shortest text from which a FLOAT comes back with the same bits."""
    raw: bytes = p[at : at + 4]
    value: float = struct.unpack("<f", raw)[0]
    if value - value != 0:
        raise Truncated("a FLOAT is not finite")
    if value == 0:
        return b"-0e0" if raw[3] else b"0"
    if abs(value) == _LARGEST_FLOAT:
        return repr(value).encode("ascii")  # shorter text rounds up, and servers refuse what is beyond the range
    text = ""
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == raw:
            break
    return text.encode("ascii")


@cython.cfunc
def widened_single(p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    """The shortest text from which a DOUBLE comes back as the number that a FLOAT is."""
    value: float = struct.unpack("<f", p[at : at + 4])[0]
    if value == 0 or value - value != 0:
        return single_precision(p, at)
    return repr(value).encode("ascii")


# ---- times


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _put_date(
    out: cython.p_uchar, n: cython.Py_ssize_t, year: cython.uint, month: cython.uint, day: cython.uint
) -> cython.Py_ssize_t:
    _padded(out, n, 4, year)
    out[n + 4] = 45
    _padded(out, n + 5, 2, month)
    out[n + 7] = 45
    _padded(out, n + 8, 2, day)
    return n + 10


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _put_clock(
    out: cython.p_uchar, n: cython.Py_ssize_t, hour: cython.uint, minute: cython.uint, second: cython.uint
) -> cython.Py_ssize_t:
    _padded(out, n, 2, hour)
    out[n + 2] = 58
    _padded(out, n + 3, 2, minute)
    out[n + 5] = 58
    _padded(out, n + 6, 2, second)
    return n + 8


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _put_fraction(
    out: cython.p_uchar, n: cython.Py_ssize_t, fraction: cython.uint, digits: cython.int
) -> cython.Py_ssize_t:
    """Fractional seconds, given in units of the next even number of digits."""
    if digits == 0:
        return n
    out[n] = 46
    _padded(out, n + 1, digits, fraction // 10 if digits & 1 else fraction)
    return n + 1 + digits


@cython.cfunc
@cython.exceptval(check=False)
def _fraction(p: cython.p_const_uchar, at: cython.Py_ssize_t, digits: cython.int) -> cython.uint:
    return cython.cast(cython.uint, big(p, at, (digits + 1) >> 1))


@cython.cfunc
def date(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    packed: cython.uint = cython.cast(cython.uint, little(p, at, 3))
    return quoted(out, _put_date(out, 1, packed >> 9, packed >> 5 & 15, packed & 31))


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def datetime(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, digits: cython.int) -> bytes:
    packed: cython.ulonglong = big(p, at, 5)
    months: cython.uint = cython.cast(cython.uint, packed >> 22) & 0x1FFFF  # the bit above says that it is positive
    rest: cython.uint = cython.cast(cython.uint, packed & 0x3FFFFF)
    n: cython.Py_ssize_t = _put_date(out, 1, months // 13, months % 13, rest >> 17)
    out[n] = 32
    n = _put_clock(out, n + 1, rest >> 12 & 31, rest >> 6 & 63, rest & 63)
    return quoted(out, _put_fraction(out, n, _fraction(p, at + 5, digits), digits))


@cython.cfunc
def timestamp(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, digits: cython.int) -> bytes:
    fraction: cython.uint = _fraction(p, at + 4, digits)
    return _utc(out, cython.cast(cython.longlong, big(p, at, 4)), fraction, digits)


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
@cython.cdivision(True)
def _utc(out: cython.p_uchar, seconds: cython.longlong, fraction: cython.uint, digits: cython.int) -> bytes:
    """Seconds since 1970 in UTC; 0 without a fraction is the zero date.  Civil calendar by Howard Hinnant."""
    year: cython.longlong = 0
    month: cython.longlong = 0
    day: cython.longlong = 0
    if seconds or fraction:  # MariaDB has moments of the first second
        days: cython.longlong = seconds // 86400 + 719468
        era: cython.longlong = days // 146097
        of_era: cython.longlong = days - era * 146097
        year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
        of_year: cython.longlong = of_era - (365 * year + year // 4 - year // 100)
        shifted: cython.longlong = (5 * of_year + 2) // 153
        day = of_year - (153 * shifted + 2) // 5 + 1
        month = shifted + 3 if shifted < 10 else shifted - 9
        year += era * 400 + (1 if month <= 2 else 0)
    n: cython.Py_ssize_t = _put_date(out, 1, year, month, day)
    out[n] = 32
    n = _put_clock(out, n + 1, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)
    return quoted(out, _put_fraction(out, n, fraction, digits))


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def time(
    out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, size: cython.Py_ssize_t, digits: cython.int
) -> bytes:
    """One number of hours, minutes, seconds and fraction, with an offset that makes it positive."""
    bits: cython.Py_ssize_t = 8 * (size - 3)
    one: cython.longlong = 1
    packed: cython.longlong = cython.cast(cython.longlong, big(p, at, size)) - (one << (23 + bits))
    n: cython.Py_ssize_t = 1
    if packed < 0:
        out[n] = 45
        n += 1
        packed = -packed
    clock: cython.uint = cython.cast(cython.uint, packed >> bits)
    hours: cython.uint = clock >> 12
    if hours > 99:
        out[n] = 48 + hours // 100 % 10
        n += 1
    n = _put_clock(out, n, hours, clock >> 6 & 63, clock & 63)
    fraction: cython.uint = cython.cast(cython.uint, packed & ((one << bits) - 1))
    return quoted(out, _put_fraction(out, n, fraction, digits))


# ---- times of before 5.6: numbers whose digits are the time's


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def old_datetime(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    value: cython.ulonglong = little(p, at, 8)
    day: cython.uint = cython.cast(cython.uint, value // 1_000_000 % 100_000_000)
    clock: cython.uint = cython.cast(cython.uint, value % 1_000_000)
    n: cython.Py_ssize_t = _put_date(out, 1, day // 10000, day // 100 % 100, day % 100)
    out[n] = 32
    return quoted(out, _put_clock(out, n + 1, clock // 10000, clock // 100 % 100, clock % 100))


@cython.cfunc
def old_timestamp(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t, digits: cython.int) -> bytes:
    if digits == 0:
        return _utc(out, cython.cast(cython.longlong, little(p, at, 4)), 0, 0)
    fraction: cython.uint = _fraction(p, at + 4, digits)  # MariaDB's, in units of the last digit
    return _utc(out, cython.cast(cython.longlong, big(p, at, 4)), fraction * 10 if digits & 1 else fraction, digits)


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def old_time(out: cython.p_uchar, p: cython.p_const_uchar, at: cython.Py_ssize_t) -> bytes:
    value: cython.uint = cython.cast(cython.uint, little(p, at, 3))
    n: cython.Py_ssize_t = 1
    if value & 0x800000:
        out[n] = 45
        n += 1
        value = 0x1000000 - value
    hours: cython.uint = value // 10000
    if hours > 99:
        out[n] = 48 + hours // 100
        n += 1
    return quoted(out, _put_clock(out, n, hours, value // 100 % 100, value % 100))
