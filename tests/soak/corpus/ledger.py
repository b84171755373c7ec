"""The table of all verdicts, tests/soak/ledger/corpus.tsv: a line for each file and pass, the latest run's."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass
from pathlib import Path

from tests.servers.running import locked
from tests.soak.corpus.documented import FILES, PAUSES
from tests.soak.corpus.passes import Pass

LEDGER = Path(__file__).parents[1] / "ledger" / "corpus.tsv"
# Verdicts of files that say nothing about replication, with the reason.
NOT_JUDGED = {
    "nothing": "writes nothing",
    "native": "the native replica itself stopped, or has other rows than its upstream",
    "broken": "a server ended, or the campaign failed",
    "documented": "the target has it otherwise, as the documentation says",
}
# Pauses at what the target cannot hold, by target, code and the target's error.
LIMITS = {
    "tidb": {
        "paused 36108 8200": "TiDB does not support the change (a clustered key, a type, a character set, partitions)",
        "paused 36108 1071": "TiDB has no unique keys over texts that are longer than its longest key",
        "paused 36108 1097": "TiDB has no SET of more than 64 labels, and counts one twice that stands there twice",
        "paused 36108 1291": "TiDB has no ENUM and SET with a label that stands there twice",
        "paused 36108 1425": "TiDB's DECIMAL has 30 decimals at most",
        "paused 36108 1818": "TiDB has no YEAR(2)",
        "paused 36108 1735": "TiDB has no subpartitions",
        "paused 36108 1491": "TiDB does not partition by this expression",
        "paused 36108 1064": "TiDB does not know the type or the syntax (spatial types, sequences in defaults, periods)",
    },
    "mysql": {
        "paused 36108 1064": "MySQL does not know the syntax (periods, INET6, …)",
        "paused 36108 1071": "MySQL has no unique keys over texts that are longer than its longest key",
        "paused 36108 1425": "MySQL's DECIMAL has 30 decimals at most",
        "paused 36108 1491": "MySQL does not partition by this expression",
        "paused 36108 1818": "MySQL has no YEAR(2)",
        "paused 36108 3812": "MySQL has no CHECK of a number that is no condition",
    },
    "mariadb": {
        "paused 36108 1064": "MariaDB does not know the syntax (functional keys, …)",
    },
}
_HEAD = "# file\tpass\tcommit\tverdict"


@dataclass(frozen=True, slots=True)
class Line:
    file: str
    run: str
    commit: str
    verdict: str
    notes: str = ""  # facts of the run, as JSON


class Ledger:
    """Verdicts by (pass, file); each that comes is written at once."""

    def __init__(self, path: Path = LEDGER) -> None:
        self._path = path
        self._lines: dict[tuple[str, str], Line] = {}
        self._read()

    def _read(self) -> None:
        if self._path.exists():
            for text in self._path.read_text().splitlines():
                if text and not text.startswith("#"):
                    line = Line(*text.split("\t"))
                    self._lines[line.run, line.file] = line

    def has(self, run: str, file: str) -> bool:
        return (run, file) in self._lines

    def verdict(self, run: str, file: str) -> str:
        line = self._lines.get((run, file))
        return "" if line is None else line.verdict

    def add(self, line: Line) -> None:
        """Written at once, beside what campaigns of other passes have written meanwhile."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self._path.with_suffix(".lock")):
            self._read()
            self._lines[line.run, line.file] = line
            lines = ["\t".join(filter(None, astuple(one))) for _, one in sorted(self._lines.items())]
            part = self._path.with_suffix(".part")
            part.write_text("\n".join((_HEAD, *lines)) + "\n")
            part.rename(self._path)

    def lines(self, run: str) -> list[Line]:
        """All of a pass."""
        return [line for (of, _), line in sorted(self._lines.items()) if of == run]


def why_out(line: Line, target: str) -> str:
    """Why a file with this verdict counts neither for nor against; "" where it does."""
    kind, code = [*line.verdict.split(), ""][:2]
    pause = (FILES.get((target, line.file)) or PAUSES.get(code, "")) if kind == "paused" else ""
    return NOT_JUDGED.get(kind) or LIMITS[target].get(line.verdict) or (pause and f"documented, {pause}")


def report(ledger: Ledger, one: Pass) -> str:
    """The pass's totals: all files, those that can be judged and held, and how many of these are equal."""
    found = ledger.lines(one.name)
    groups = Counter((line.verdict, why_out(line, one.target)) for line in found)
    lines = [f"{one.name} ({one.words}): {len(found)} files"]
    lines += [
        f"  {number:5} {verdict}" + (f": out, {why}" if why else "") for (verdict, why), number in groups.most_common()
    ]
    left = sum(number for (_, why), number in groups.items() if not why)
    equal = groups["equal", ""]
    share = f"{100 * equal / left:.1f} %" if left else "-"
    lines.append(f"  {equal} of {left} that can be judged and held are equal: {share}")
    return "\n".join(lines)
