"""What lies in a relay log's folder, as a reader finds it.  Nothing is written here."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pkg.binlog.position import Position
from pkg.binlog.relay_layout import INDEX_NAME, META_NAME, SIZES_NAME, sizes_in
from pkg.errors import DMError, ErrorKind, Level, Scope

UNREADABLE = ErrorKind(
    30060,
    "relay-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the relay log's {path} cannot be read: {reason}",
    workaround="correct the rights on it or the disk; or take the relay log away: stop-relay, delete its folder, "
    "start-relay; then resume-task",
)


_REFUSED = "relay.refused"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the relay log: `size` bytes of a file."""

    sub_dir: str
    file: str
    size: int

    def is_behind(self, sub_dir: str, file: str) -> bool:
        """Whether it is in a later file than this one."""
        if self.sub_dir != sub_dir:
            return sub_dir_number(self.sub_dir) > sub_dir_number(sub_dir)
        return Position(self.file, 0) > Position(file, 0)


def sub_dir_number(sub_dir: str) -> int:
    """The NNNNNN of ``<server-uuid>.<NNNNNN>``; 0 of any other name."""
    number = sub_dir.rpartition(".")[2]
    return int(number) if number.isdigit() else 0


def server_of(sub_dir: str) -> str:
    return sub_dir.rpartition(".")[0]


def sub_dirs(folder: Path) -> list[str]:
    """Sub-directories in the index, oldest first; none where no relay log was begun.  Raises UNREADABLE."""
    path = folder / INDEX_NAME
    try:
        return path.read_text("ascii").split()
    except FileNotFoundError:
        if any(folder.glob(f"*/{META_NAME}")):
            raise UNREADABLE.error(path=path, reason="it is missing, and there are binlog files") from None
        return []
    except (OSError, ValueError) as exc:
        raise unreadable(path, exc) from exc


def binlog_files(folder: Path, sub_dir: str) -> list[str]:
    """Names of the binlog files of a sub-directory, oldest first; none where it is gone.  Raises UNREADABLE."""
    try:
        names = os.listdir(folder / sub_dir)
    except FileNotFoundError:
        return []
    except OSError as exc:
        raise unreadable(folder / sub_dir, exc) from exc
    return sorted((name for name in names if _is_binlog(name)), key=lambda name: Position(name, 0))


def complete_size(folder: Path, sub_dir: str, file: str) -> int:
    """The bytes that a complete file had when the next one was begun; 0: it is not known.  Raises UNREADABLE."""
    path = folder / sub_dir / SIZES_NAME
    try:
        return sizes_in(path.read_text("utf-8", "replace")).get(file, 0)
    except FileNotFoundError:
        return 0  # of an earlier build
    except OSError as exc:
        raise unreadable(path, exc) from exc


def _is_binlog(name: str) -> bool:
    return name.rpartition(".")[2].isdigit()


def durable_mark(folder: Path) -> Mark | None:
    """What relay.meta of the last sub-directory says is durable; None where there is none yet.  Raises UNREADABLE."""
    for sub_dir in reversed(sub_dirs(folder)):
        path = folder / sub_dir / META_NAME
        try:
            meta = tomllib.loads(path.read_text("utf-8"))
            return Mark(sub_dir, str(meta["binlog-name"]), int(meta["binlog-pos"]))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as exc:
            raise unreadable(path, exc) from exc
    return None


def refuse(folder: Path, reason: str) -> None:
    """What the folder has is of another binlog than the upstream's by now: nobody begins to read it."""
    (folder / _REFUSED).write_text(f"{reason}\n", "utf-8")


def accept(folder: Path) -> None:
    """It is the upstream's, again."""
    (folder / _REFUSED).unlink(missing_ok=True)


def is_refused(folder: Path) -> bool:
    return (folder / _REFUSED).exists()


def unreadable(path: Path, exc: Exception) -> DMError:
    reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else f"{type(exc).__name__}: {exc}"
    return UNREADABLE.error(path=path, reason=reason, cause=exc)
