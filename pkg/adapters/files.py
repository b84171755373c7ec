"""Files that a configuration names."""

from __future__ import annotations

from pathlib import Path

from pkg.errors import ErrorKind, Level, Scope

UNREADABLE = ErrorKind(
    11202,
    "functional",
    Scope.INTERNAL,
    Level.MEDIUM,
    "the file {path} cannot be read on this host: {reason}",
    workaround="correct the path, or the rights on the file",
)


def read_text(path: str) -> str:
    """The text of a file; raises UNREADABLE."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else "it is not UTF-8 text"
        raise UNREADABLE.error(path=path, reason=reason) from exc
