"""Types of option values: durations, sizes, name patterns, time zones, addresses."""

from __future__ import annotations

import difflib
import re
import zoneinfo
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from pkg.errors import DMError
from pkg.rules.pattern import compile_pattern

_DURATION_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?b?)", re.IGNORECASE)
_SIZE_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_OFFSET = re.compile(r"[+-]([0-9]{1,2}):([0-9]{2})")


def parse_duration(value: Any) -> Any:
    """A Go duration (``1h30m``, ``500ms``, ``0``) as timedelta; other types pass on to be judged by pydantic."""
    if not isinstance(value, str):
        if isinstance(value, (int, float)) and value != 0:
            raise ValueError("a duration needs a unit, for example 30s, 5m or 1h30m")
        return timedelta(0) if value == 0 and not isinstance(value, bool) else value
    text = value.strip()
    if text in ("0", "+0", "-0"):
        return timedelta(0)
    if text.startswith("-"):
        raise ValueError("a duration cannot be negative")
    parts = _DURATION_PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.lstrip("+"):
        raise ValueError("not a duration: write a number and a unit, for example 30s, 5m or 1h30m")
    seconds = sum(float(number) * _DURATION_UNITS[unit] for number, unit in parts)
    if seconds > timedelta.max.total_seconds() / 2:
        raise ValueError("the duration is too long")
    return timedelta(seconds=seconds)


def format_duration(value: timedelta) -> str:
    """The duration as Go and DM write it: ``5m0s``, ``30s``, ``1.5s``."""
    total = value // timedelta(microseconds=1)
    if total == 0:
        return "0s"
    if total < 1_000_000:
        return f"{total / 1000:g}ms" if total >= 1000 else f"{total}us"
    hours, rest = divmod(total, 3_600_000_000)
    minutes, rest = divmod(rest, 60_000_000)
    seconds = f"{rest // 1_000_000}.{rest % 1_000_000:06d}".rstrip("0").rstrip(".")
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def parse_size(text: str) -> int:
    """Bytes of ``64``, ``64MB``, ``1GiB`` (units are powers of 1024, as in DM)."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError("not a size: write a number and a unit, for example 64MB")
    return int(float(match[1]) * _SIZE_FACTORS[match[2].lower()])


def parse_bytes(value: Any) -> Any:
    """A number of bytes as text with a unit (``20MB``); other types pass on to be judged by pydantic."""
    return parse_size(value) if isinstance(value, str) else value


def chunk_megabytes(text: str) -> int:
    """``chunk-filesize``: a bare number means MB."""
    megabytes = int(text) if text.isascii() and text.strip().isdecimal() else parse_size(text) // 2**20
    if megabytes < 1:
        raise ValueError("the smallest chunk size is 1 (MB)")
    return megabytes


def check_chunk_size(text: str) -> str:
    chunk_megabytes(text)
    return text


def check_size(text: str) -> str:
    parse_size(text)
    return text


def check_pattern(pattern: str) -> str:
    """A schema or table pattern: ``~`` and a regular expression, or a name with ``*``, ``?`` and ``[a-z]``."""
    if pattern.startswith("~"):
        try:
            re.compile(pattern[1:])
        except re.error as exc:
            raise ValueError(f"not a regular expression: {exc}") from None
        if pattern == "~":
            raise ValueError("there is no regular expression behind `~`")
        return pattern
    return check_wildcards(pattern)


def check_wildcards(pattern: str) -> str:
    """``*`` may only come last, a ``[`` needs its ``]``."""
    star = pattern.find("*")
    if 0 <= star < len(pattern) - 1:
        raise ValueError("`*` may only be the last character; use `~` and a regular expression for more")
    position = 0
    while (position := pattern.find("[", position)) >= 0:
        end = pattern.find("]", position)
        if end < 0:
            raise ValueError("the character class that starts with `[` has no `]`")
        if pattern[position + 1 : end] in ("", "!"):
            raise ValueError("the character class `[]` is empty")
        position = end + 1
    try:
        compile_pattern(pattern, case_sensitive=True)
    except DMError as exc:
        raise ValueError(f"not a pattern: {str(exc.fields['reason']).partition(' at position')[0]}") from None
    return pattern


def check_timezone(name: str) -> str:
    """``""`` (the downstream's), an offset from -12:59 to +14:00, or an IANA name; never "the host's zone"."""
    if not name:
        return name
    if match := _OFFSET.fullmatch(name):
        minutes = int(match[1]) * 60 + int(match[2])
        limit = 12 * 60 + 59 if name[0] == "-" else 14 * 60
        if int(match[2]) > 59 or minutes > limit:
            raise ValueError("the offset must lie between -12:59 and +14:00")
        return name
    if name.upper() in ("SYSTEM", "LOCAL"):
        raise ValueError("a time zone that differs from host to host is refused; write a name or an offset")
    if not _is_zone(name):
        near = difflib.get_close_matches(name, zoneinfo.available_timezones(), n=1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"not a time zone: write an IANA name (Europe/Berlin) or an offset (+08:00){hint}")
    return name


def _is_zone(name: str) -> bool:
    for known in (name, "UTC"):
        try:
            zoneinfo.ZoneInfo(known)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            continue
        return known == name
    return _ZONE_NAME.fullmatch(name) is not None  # this host has no zones at all: the target will judge


def split_address(address: str) -> tuple[str, int]:
    """Host and port of ``host:port``, ``:port``, ``[v6]:port`` or ``http://host:port``."""
    bare = re.sub(r"^[a-z]+://", "", address.strip())
    host, colon, port = bare.rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
        raise ValueError("not an address: write host:port")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise ValueError("an IPv6 host must be in brackets: [::1]:8261")
    if "/" in host or " " in host:
        raise ValueError("not an address: write host:port")
    return host.strip("[]"), int(port)


def check_address(address: str) -> str:
    if address:
        split_address(address)
    return address


def check_addresses(text: str) -> str:
    """A comma list of addresses."""
    for address in filter(None, map(str.strip, text.split(","))):
        split_address(address)
    return text


Duration = Annotated[timedelta, BeforeValidator(parse_duration), PlainSerializer(format_duration, return_type=str)]
Pattern = Annotated[str, AfterValidator(check_pattern)]
ChunkSize = Annotated[str, AfterValidator(check_chunk_size)]
Size = Annotated[str, AfterValidator(check_size)]
Bytes = Annotated[int, BeforeValidator(parse_bytes)]
TimeZone = Annotated[str, AfterValidator(check_timezone)]
Address = Annotated[str, AfterValidator(check_address)]
Addresses = Annotated[str, AfterValidator(check_addresses)]
