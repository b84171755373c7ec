"""The table of all verdicts, tests/soak/ledger/corpus.tsv: a line for each file and pass, the latest run's."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

LEDGER = Path(__file__).parents[1] / "ledger" / "corpus.tsv"
_HEAD = "# file\tpass\tcommit\tverdict"


@dataclass(frozen=True, slots=True)
class Line:
    file: str
    run: str
    commit: str
    verdict: str


class Ledger:
    """Verdicts by (pass, file); each that comes is written at once."""

    def __init__(self, path: Path = LEDGER) -> None:
        self._path = path
        self._lines: dict[tuple[str, str], Line] = {}
        if path.exists():
            for text in path.read_text().splitlines():
                if text and not text.startswith("#"):
                    line = Line(*text.split("\t"))
                    self._lines[line.run, line.file] = line

    def has(self, run: str, file: str) -> bool:
        return (run, file) in self._lines

    def verdict(self, run: str, file: str) -> str:
        line = self._lines.get((run, file))
        return "" if line is None else line.verdict

    def add(self, line: Line) -> None:
        self._lines[line.run, line.file] = line
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = ["\t".join((one.file, one.run, one.commit, one.verdict)) for _, one in sorted(self._lines.items())]
        part = self._path.with_suffix(".part")
        part.write_text("\n".join((_HEAD, *lines)) + "\n")
        part.rename(self._path)

    def totals(self, run: str) -> Counter[str]:
        """Files by verdict."""
        return Counter(line.verdict for (of, _), line in self._lines.items() if of == run)


def commit() -> str:
    """The tree's commit, with + where files differ from it."""
    folder = Path(__file__).parent
    named = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=folder, capture_output=True, text=True)
    changed = subprocess.run(
        ["git", "status", "--porcelain", "-uno", "--", ":/pkg", ":/dm_worker"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return (named.stdout.strip() or "unknown") + ("+" if changed.stdout.strip() else "")
