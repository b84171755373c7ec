"""The dm-worker program.

What it needs is imported inside, so that Ctrl-C ends it quietly also while that loads.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Run dm-worker; the exit code is 0 after an orderly stop, 1 when it could not start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is to be tidied up before the daemon takes the signals over
    from pkg.errors import as_dm_error

    try:
        return _start()
    except Exception as exc:
        print(f"dm-worker: {as_dm_error(exc)}", file=sys.stderr)
        return 1


def _start() -> int:
    from pkg.adapters.files import read_text
    from pkg.adapters.log import setup_logging
    from pkg.task import load_worker_config

    loaded = load_worker_config(sys.argv[1:], read_text)
    if loaded.config is None:
        print(_printed(loaded.action), end="")
        return 0
    config = loaded.config
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # its own log lines repeat our errors in another format
    setup_logging(config.log_level, config.log_file, config.log_format, redact=config.redact_info_log)
    for warning in loaded.warnings:
        print(f"dm-worker: warning: {warning}", file=sys.stderr)
    from dm_worker.daemon import run  # after the flags: --help and --version answer at once

    run(config)
    return 0


def _printed(action: str) -> str:
    from pkg.task import WorkerConfig, sample, usage
    from pkg.version import VERSION

    texts = {"version": f"dm-worker {VERSION}\n", "sample": sample("worker"), "help": usage(WorkerConfig, "dm-worker")}
    return texts[action]


if __name__ == "__main__":
    sys.exit(main())
