"""The commit that a ledger's line is about."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str:
    """The tree's commit, with + where programs differ from it; "unknown" without git, or outside a checkout."""
    try:
        named = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "-uno", "--", ":/pkg", ":/dm_worker")
    except FileNotFoundError:
        return "unknown"
    return (named or "unknown") + ("+" if changed else "")


def _git(*words: str) -> str:
    folder = Path(__file__).parent
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True).stdout.strip()
