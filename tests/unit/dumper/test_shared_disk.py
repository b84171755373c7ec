"""Which file systems other hosts may write to."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from dm_worker.dumper import shared_disk
from dm_worker.dumper.shared_disk import file_system, is_shared

_MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /mnt/a\\040b rw - nfs4 server:/export rw
31 30 0:41 / /mnt/a\\040b/own rw master:3 - xfs /dev/vdb rw
32 22 0:42 / /over rw - ext4 /dev/vdc rw
33 32 0:43 / /over rw - fuse.s3fs s3fs rw
broken
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/mnt/other", "ext4"),
        ("/mnt/a b/d", "nfs4"),
        ("/mnt/a b/own/d", "xfs"),
        ("/mnt/a bc", "ext4"),
        ("/over/d", "fuse.s3fs"),
    ],
)
def test_the_nearest_mount_says_it(path: str, found: str) -> None:
    assert file_system(_MOUNTS, PurePosixPath(path)) == found


def test_a_root_that_is_no_mount_is_known_by_its_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_disk, "_MOUNTS", tmp_path / "none")
    assert not is_shared(tmp_path / "not" / "there")
    assert is_shared(Path("/proc/x"))
    (tmp_path / "none").write_text("22 1 0:22 / /sys rw - sysfs sysfs rw\n")
    assert not is_shared(tmp_path)


def test_a_disk_of_this_host_is_its_own(tmp_path: Path) -> None:
    assert not is_shared(tmp_path / "not" / "there")
    assert is_shared(Path("/proc/x"))
    assert file_system("", PurePosixPath("/x")) == ""
