"""The README's commands in a bare Debian: `./dev fresh demo|test [--keep]`.

A minimal Debian 12 is made by debootstrap, the committed tree is cloned into it, and `./dev demo` or `./dev test`
runs there by chroot, as a newcomer would run it: nothing is installed but what `./dev` installs, nothing is cached.
Of this machine it gets the kernel, the network, and the settings of its package managers (without which a machine
behind a proxy or a mirror reaches no packages).  It is thrown away afterwards; `--keep` says where it is instead.

It needs root, Debian's debootstrap, and util-linux.  Standard library only: it does not use the project's .venv.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUITE = "bookworm"  # Debian 12, which the README names
COMMANDS = ("demo", "test")
DISK_NEEDED = 12 << 30  # bytes: packages, .venv, TiDB's build with its modules, the Debian of MySQL
HOME = "root/spark-dm"  # of the clone, inside
SETTINGS = (  # of package managers, where this machine has them; a package's own files are left out
    "/etc/apt/apt.conf",
    "/etc/apt/apt.conf.d",
    "/etc/apt/auth.conf.d",
    "/etc/apt/keyrings",
    "/etc/apt/preferences.d",
    "/etc/apt/sources.list",
    "/etc/apt/sources.list.d",
    "/etc/apt/trusted.gpg.d",
    "/etc/pip.conf",
    "/root/.config/go/env",
    "/root/.config/pip",
    "/root/.pip",
    "/usr/local/share/ca-certificates",
)
VARIABLES = ("PIP_", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "SSL_CERT_", "REQUESTS_CA_", "CURL_CA_")


class Problem(Exception):
    """Why it cannot be done; the text is for the user."""


def say(text: str) -> None:
    print(f"==> fresh: {text}", file=sys.stderr, flush=True)


def problems() -> Iterator[str]:
    """What this machine lacks for it, besides programs, which `./dev` has installed."""
    if os.geteuid() != 0:
        yield "it makes a Debian and runs it by chroot, which needs root: sudo ./dev fresh"
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < DISK_NEEDED:
        yield f"{tempfile.gettempdir()} has {free >> 30} GiB free, {DISK_NEEDED >> 30} are needed (TMPDIR names another)"


def carried(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that steer package managers, proxies among them."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(VARIABLES) or name.lower().endswith("_proxy")
    }


def make(root: Path) -> None:
    say(f"a minimal Debian ({SUITE}) by debootstrap: a minute or two")
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, str(root)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Problem(f"debootstrap failed; its last words:\n{done.stdout[-2000:]}")
    take_settings(root)
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copyfile(name, root / name[1:])


def take_settings(root: Path) -> None:
    for name in SETTINGS:
        there = Path(name)
        for file in [there] if there.is_file() else sorted(path for path in there.rglob("*") if path.is_file()):
            if is_of_a_package(file) or is_for_another_system(file):
                continue
            copy = root / str(file)[1:]
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            if copy.suffix == ".sources":  # in place of debootstrap's, not beside
                (root / "etc/apt/sources.list").unlink(missing_ok=True)
    for value in carried(os.environ).values():  # certificates that a variable names
        if value.startswith("/") and Path(value).is_file():
            copy = root / value[1:]
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(value, copy)


def is_of_a_package(file: Path) -> bool:
    return subprocess.run(["dpkg", "-S", str(file)], capture_output=True).returncode == 0


def is_for_another_system(file: Path) -> bool:
    """Package sources of another release, or that are switched off."""
    if "sources.list" not in str(file):
        return False
    return file.suffix not in (".list", ".sources") or SUITE not in file.read_text(errors="replace")


def clone(root: Path) -> str:
    """The committed tree, whose first line of the log is returned."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(root / HOME)], check=True)
    changed = subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if changed.strip():
        say(f"{len(changed.splitlines())} files here are not committed: they are not part of the run")
    shown = subprocess.run(["git", "log", "-1", "--format=%h %s"], cwd=ROOT, capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def inside(root: Path, words: Sequence[str]) -> int:
    """Runs a command in the clone, in namespaces of its own: its mounts and processes end with it."""
    variables = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "TERM": os.environ.get("TERM", "dumb"),
        **carried(os.environ),
    }
    if "CI" in os.environ:
        variables["CI"] = os.environ["CI"]
    environment = [f"{name}={value}" for name, value in variables.items()]
    mounts = f"""set -e
mount -t proc proc {shlex.quote(str(root / "proc"))}
mount --rbind /sys {shlex.quote(str(root / "sys"))}
mount --rbind /dev {shlex.quote(str(root / "dev"))}
exec chroot {shlex.quote(str(root))} env -i {shlex.join(environment)} bash -c 'cd /{HOME} && exec "$@"' bash {shlex.join(words)}
"""
    guard = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
    return subprocess.run([*guard, "bash", "-c", mounts]).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev fresh", description=__doc__, allow_abbrev=False)
    parser.add_argument("command", choices=COMMANDS, help="which of the README's commands to run")
    parser.add_argument("--keep", action="store_true", help="leave the Debian there, and say where")
    chosen, words = parser.parse_known_args(arguments)
    if lacking := list(problems()):
        print("\n".join(f"./dev fresh: {one}" for one in lacking), file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="spark-dm-fresh-"))
    root = folder / "debian"
    started = time.monotonic()
    try:
        make(root)
        say(f"./dev {chosen.command} at {clone(root)}")
        begun = time.monotonic()
        code = inside(root, ["./dev", chosen.command, *words])
        ended = time.monotonic()
        say(
            f"./dev {chosen.command} ended with {code} after {ended - begun:.0f} s ({begun - started:.0f} s to make Debian)"
        )
        return code
    except Problem as problem:
        print(f"./dev fresh: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if chosen.keep:
            say(f"kept: {root}; remove it with rm -rf {folder}")
        elif any(os.path.ismount(root / name) for name in ("dev", "proc", "sys")):  # would take the machine's along
            say(f"not removed, something is still mounted there: {root}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
