"""Errors with DM's shape: code, class, scope, level, message, raw cause, workaround.

A *kind* of error is declared once, next to the code that raises it::

    WRONG_PASSWORD = ErrorKind(
        10101, "database", Scope.UPSTREAM, Level.HIGH,
        "access denied for {user}@{host}:{port}",
        workaround="check `user` and `password` in the source file",
    )
    raise WRONG_PASSWORD.error(user="root", host="127.0.0.1", port=3306, cause=exc)

Whether an error may be retried by itself (``resumable``) is a property of its kind, decided
where the kind is declared and never guessed from a text.  Code ranges follow DM: 10xxx database,
11xxx functional, 20xxx config, 22xxx binlog-op, 24xxx checkpoint, 26xxx task-check, 28xxx-30xxx
relay, 32xxx dump-unit, 34xxx load-unit, 36xxx sync-unit, 38xxx dm-master, 40xxx dm-worker,
42xxx ha, 43xxx validator, 44xxx schema-tracker, 46xxx scheduler, 48xxx dmctl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

EMPTY_FIRST = (
    ". Before a start with --remove-meta, stop-task and empty the task's tables in the target (TRUNCATE TABLE)"
)


class Scope(StrEnum):
    """Whose side has to act."""

    NOT_SET = "not-set"
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    INTERNAL = "internal"


class Level(StrEnum):
    """How much it matters: low informs, medium refuses a request, high stops work."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True)
class ErrorKind:
    """One entry of the error reference; declaring it registers its code."""

    code: int
    klass: str
    scope: Scope
    level: Level
    message: str
    workaround: str = ""
    resumable: bool = False

    def __post_init__(self) -> None:
        known = _REGISTRY.get(self.code)
        if known is not None and known != self:
            raise ValueError(f"error code {self.code} declared twice: {known.message!r} and {self.message!r}")
        _REGISTRY[self.code] = self

    def error(self, *, cause: BaseException | None = None, **fields: Any) -> DMError:
        """An error of this kind; ``fields`` fill the message and the workaround.

        What to do about the cause is said only where this kind does not say what to do.
        """
        return DMError(
            kind=self,
            message=self.message.format(**fields),
            workaround=_with_emptying(self.workaround.format(**fields))
            or (cause.workaround if isinstance(cause, DMError) else ""),
            raw_cause=_describe(cause),
            fields=fields,
        )


_REGISTRY: dict[int, ErrorKind] = {}


def error_kinds() -> list[ErrorKind]:
    """All kinds declared by the modules imported so far, by code."""
    return [_REGISTRY[code] for code in sorted(_REGISTRY)]


class DMError(Exception):
    """An error that a user may read: what is wrong, where, and what to do next."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        workaround: str = "",
        raw_cause: str = "",
        fields: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.workaround = workaround
        self.raw_cause = raw_cause
        self.fields = fields or {}

    @property
    def code(self) -> int:
        return self.kind.code

    @property
    def resumable(self) -> bool:
        return self.kind.resumable

    def is_a(self, kind: ErrorKind) -> bool:
        return self.kind.code == kind.code

    def __str__(self) -> str:
        return f"{self.what}, Workaround: {self.workaround}" if self.workaround else self.what

    @property
    def what(self) -> str:
        """The text without what to do."""
        head = f"[code={self.code}:class={self.kind.klass}:scope={self.kind.scope}:level={self.kind.level}]"
        text = f"{head}, Message: {self.message}"
        return f"{text}, RawCause: {self.raw_cause}" if self.raw_cause else text

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: value if isinstance(value, int) else str(value) for name, value in self.fields.items()}
        return DMError, (self.kind, self.message, self.workaround, self.raw_cause, fields)

    def as_dict(self) -> dict[str, Any]:
        """The error as DM's JSON names it (``ErrCode`` …)."""
        return {
            "ErrCode": self.code,
            "ErrClass": self.kind.klass,
            "ErrScope": str(self.kind.scope),
            "ErrLevel": str(self.kind.level),
            "Message": self.message,
            "RawCause": self.raw_cause,
            "Workaround": self.workaround,
            "location": str(self.fields.get("place", "")),  # ours: of the event in the upstream's binlog
        }


UNEXPECTED = ErrorKind(
    50000,
    "not-set",
    Scope.INTERNAL,
    Level.HIGH,
    "unexpected {what}: {text}",
    workaround="this is a defect of spark-dm: please report it with the log of the process",
)


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are, as texts of errors say it."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def as_dm_error(exc: BaseException) -> DMError:
    """``exc`` itself when it is ours, else wrapped as an unexpected error."""
    if isinstance(exc, DMError):
        return exc
    return UNEXPECTED.error(what=type(exc).__name__, text=str(exc), cause=exc.__cause__)


def _with_emptying(workaround: str) -> str:
    """Who is to copy anew is told to empty the tables: a copy takes no row away (dm_master/precheck/target_rows.py)."""
    says_so = "empt" in workaround or "without --remove-meta" in workaround
    return workaround + EMPTY_FIRST if "--remove-meta" in workaround and not says_so else workaround


def _describe(cause: BaseException | None) -> str:
    if cause is None:
        return ""
    if isinstance(cause, DMError):
        return cause.what
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
