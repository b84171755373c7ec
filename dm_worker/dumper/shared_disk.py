"""Whether other hosts may write to a path, by the file system that it is on.

On this host's own disks the kernel keeps a lock as long as its process is there.  A server of files takes the
lock from a host that it does not hear of, and lets it write later on.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path, PurePosixPath
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_OWN: Final = frozenset(
    (
        "bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "fuseblk", "jfs", "ntfs", "ntfs3", "overlay",
        "ramfs", "reiserfs", "rootfs", "tmpfs", "vfat", "xfs", "zfs",
    )
)  # fmt: skip
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


def is_shared(path: Path) -> bool:
    """True also where it cannot be known."""
    path = path.resolve()
    try:
        mounts = _MOUNTS.read_text(errors="surrogateescape")
    except OSError:
        mounts = ""
    return (file_system(mounts, PurePosixPath(path)) or _said_by_stat(path)) not in _OWN


def _said_by_stat(path: Path) -> str:
    """The same as coreutils names it, for a process whose root is not a mount (chroot), and so not among them."""
    there = next(one for one in (path, *path.parents) if one.exists())
    try:
        said = subprocess.run(["stat", "-f", "-c", "%T", str(there)], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return {"ext2/ext3": "ext4", "overlayfs": "overlay"}.get(said.strip(), said.strip())


def file_system(mounts: str, path: PurePosixPath) -> str:
    """The type of the file system at ``path``, by a text like that of /proc/self/mountinfo; "" where none says."""
    found, depth = "", 0
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        place = PurePosixPath(_OCTAL.sub(lambda code: chr(int(code[1], 8)), fields[4]))
        if path.is_relative_to(place) and len(place.parts) >= depth:  # a later mount hides an earlier one
            found, depth = after.split(" ")[0], len(place.parts)
    return found
