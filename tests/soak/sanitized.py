"""A copy of the codec, compiled with AddressSanitizer: reading one byte beyond a buffer ends the process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEGABYTES = 1024


def build(folder: Path) -> None:
    """A copy of the project in `folder`, compiled there: some minutes."""
    for name in ("pkg", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    flags = "-fsanitize=address -fno-omit-frame-pointer -g1"
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", str(os.cpu_count())],
        cwd=folder,
        env=os.environ | {"CFLAGS": flags, "LDFLAGS": "-fsanitize=address"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert list(folder.glob("pkg/binlog/*.so")), f"the codec did not compile:\n{done.stdout[-4000:]}"


def environment() -> dict[str, str]:
    """For a process that runs the copy; each object of Python has memory of its own, with guards around it."""
    command = ["cc", "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    options = f"detect_leaks=0:hard_rss_limit_mb={MEGABYTES}"
    return os.environ | {"LD_PRELOAD": library, "ASAN_OPTIONS": options, "PYTHONMALLOC": "malloc"}
