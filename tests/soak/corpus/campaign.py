"""The SQL of MariaDB's and MySQL's suites: `./dev soak corpus [--pass NAME | --target KIND] [--files GLOB] [--seconds S]`.

Runs the files of the suite (package mariadb-test-data; of passes from MySQL its own, mysql-testsuite) one after the other on an upstream while a task follows, beside
a native replica of the same upstream, which is the judge.  Databases, tables, columns, keys and rows are compared three
ways after each file and before each DROP.  A file's verdict is

  equal      the target has what the native replica has
  documented all that it has otherwise is said in the documentation: MERGE tables, defaults from sequences
  different  it has something else: a defect.  The statements are reduced and kept as soak-corpus-PASS/FILE.sql
  paused N   the task stopped with the error N; the campaign begins anew with the next file
  slow       the task gets on and was not there after 45 s: a large change of a table without a key
  stuck      the task neither got on nor paused: a defect
  native     the native replica itself stopped, or has other rows than its upstream: nothing can be said
  nothing    the file wrote nothing
  broken     a server ended, or the campaign failed

and stands in tests/soak/ledger/corpus.tsv.  A file that stands there is not run again, so that a campaign that was
interrupted goes on where it was; `--again VERDICT` (or `all`) runs files with that verdict once more.
`--report` prints the ledger's totals, with what cannot be judged or held and why.
`--reduce FILE` runs one file and makes its statements as few as give the same verdict.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from tests.servers.mysql import regression_suite
from tests.soak.commit import commit
from tests.soak.corpus.ledger import Ledger, Line, report
from tests.soak.corpus.passes import PASSES, Pass
from tests.soak.corpus.play import Outcome, Run
from tests.soak.corpus.reduce import reduced
from tests.soak.corpus.sessions import Step
from tests.soak.corpus.stage import Stage

SUITES = (
    Path("/usr/share/mysql/mysql-test"),
    Path("/usr/share/mariadb/mariadb-test"),
    Path("/usr/share/mariadb/mysql-test"),
)
_FOLDERS = {
    "mariadb": ("main",),
    "mysql": (
        "t", "suite/engines/*/t", "suite/gcol/t", "suite/binlog*/t", "suite/jp/t", "suite/parts/t", "suite/gis/t", "suite/innodb/t", "suite/json/t",
        "suite/collations/t", "suite/funcs_1/t", "suite/innodb_fts/t", "suite/innodb_gis/t", "suite/rpl*/t",
    ),
}  # fmt: skip
REDUCE_SECONDS = 120.0
REPORT_SECONDS = 15.0
_DIRTY = ("paused", "stuck", "slow", "native", "broken", "different")


def suite(upstream: str = "mariadb") -> Path:
    """Where the package has put the files."""
    if upstream == "mysql":
        return regression_suite()
    for path in SUITES:
        if (path / "main").is_dir():
            return path
    raise SystemExit("the suite is not installed: run ./dev test, or install the package mariadb-test-data")


def files_of(pattern: str, upstream: str = "mariadb") -> list[str]:
    """The files whose names fit, below the suite's folder; a pattern without a slash is for its main folders."""
    root = suite(upstream)
    patterns = [pattern] if "/" in pattern else [f"{folder}/{pattern}" for folder in _FOLDERS[upstream]]
    found = {path for one in patterns for path in root.glob(one.removesuffix(".test") + ".test")}
    # In an order of its own, always the same: a campaign that is cut short has seen something of everything.
    return sorted((str(path.relative_to(root)) for path in found), key=lambda name: crc32(name.encode()))


@dataclass
class Campaign:
    """One pass."""

    stage: Stage
    one: Pass
    kept: Path
    ledger: Ledger
    reduces: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    _dirty: bool = False

    @property
    def _suite(self) -> Path:
        return suite(self.one.upstream)

    def play(self, file: str) -> Outcome:
        """One file, from a clean stage to its line in the ledger."""
        outcome = self._run(lambda run: run.file(self._suite / file, self._suite), file)
        if outcome.verdict == "different" and self.reduces:
            self.reduce(outcome)
        self.counts[outcome.verdict] += 1
        self.ledger.add(Line(file, self.one.name, commit(), outcome.words))
        self._note(outcome)
        return outcome

    def play_steps(self, steps: Sequence[Step], name: str) -> Outcome:
        """Steps that were taken from a file, or written by hand; in no ledger."""
        return self._run(lambda run: run.steps(steps), name)

    def _run(self, act: Callable[[Run], Outcome], file: str) -> Outcome:
        outcome = Outcome(file)
        try:
            self._clean()
            run = Run(self.stage, file)
            outcome = act(run)
        except Exception:
            outcome.verdict, outcome.detail = "broken", traceback.format_exc()
        self._dirty = outcome.verdict in _DIRTY
        if outcome.verdict == "broken":
            self.stage.renew()
        return outcome

    def _clean(self) -> None:
        if not self.stage.takes_sessions():
            self.stage.renew()
        elif self._dirty:
            self.stage.sessions_are_gone()
            self.stage.tidy()
            self.stage.begin()
        else:
            self.stage.tidy()
        self._dirty = True

    def reduce(self, found: Outcome, seconds: float = REDUCE_SECONDS) -> list[Step]:
        """The fewest steps of the file with its verdict, kept as SQL."""

        def holds(steps: Sequence[Step]) -> bool:
            return self.play_steps(steps, found.file).words == found.words

        steps = reduced(found.trace, holds, seconds)
        last = self.play_steps(steps, found.file)
        self.kept.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{written(step)}\n" for step in steps)
        said = "".join(f"# {line}\n" for line in (last.detail or found.detail).splitlines())
        name = found.file.replace("/", "-").removesuffix(".test")
        (self.kept / f"{name}.sql").write_text(
            f"# {found.file}: {found.words}\n{said}{text}", encoding="latin1", errors="replace"
        )
        return steps

    def _note(self, outcome: Outcome) -> None:
        self.kept.mkdir(parents=True, exist_ok=True)
        facts = {
            name: getattr(outcome, name)
            for name in ("file", "verdict", "code", "detail", "statements", "left_out", "checks", "seconds")
        }
        with (self.kept / "outcomes.jsonl").open("a") as notes:
            notes.write(json.dumps(facts) + "\n")


def written(step: Step) -> str:
    """A step as a line of the kept case; a session other than the first one is named."""
    by = "" if step.session == "default" else f"/* session {step.session} */ "
    return f"{by}{step.text};" if step.what == "sql" else f"{by}-- {step.what} {step.text!r}"


def play_pass(one: Pass, options: argparse.Namespace) -> Counter[str]:
    """Run the files of one pass that are still to run, as long as there is time."""
    ledger, files = Ledger(), files_of(options.files, one.upstream)
    again = options.again or []
    todo = [
        file
        for file in files
        if not ledger.has(one.name, file) or "all" in again or ledger.verdict(one.name, file).split()[0] in again
        or ledger.verdict(one.name, file) in again
    ]  # fmt: skip
    kept = Path(f"soak-corpus-{one.name}").resolve()
    print(f"{one.name} ({one.words}): {len(todo)} of {len(files)} files to run", flush=True)
    if not todo:
        return Counter()
    with Stage(one, suite(one.upstream), kept / "files") as stage:
        campaign = Campaign(stage, one, kept, ledger, reduces=not options.keep_whole)
        _play_all(campaign, todo, time.monotonic() + options.seconds)
    return campaign.counts


def _play_all(campaign: Campaign, todo: Sequence[str], end: float) -> None:
    begun = said = time.monotonic()
    done = statements = 0
    for file in todo:
        if time.monotonic() > end:
            break
        outcome = campaign.play(file)
        done, statements = done + 1, statements + outcome.statements
        if outcome.verdict not in ("equal", "nothing"):
            print(f"  {file}: {outcome.words} ({outcome.seconds:.1f} s)  {outcome.detail.strip()[:300]!r}", flush=True)
        if time.monotonic() - said > REPORT_SECONDS or done == len(todo):
            said = time.monotonic()
            _report(campaign.counts, done, len(todo), statements, said - begun)
    _report(campaign.counts, done, len(todo), statements, time.monotonic() - begun)


def _report(counts: Counter[str], done: int, total: int, statements: int, seconds: float) -> None:
    rate = done / seconds if seconds else 0.0
    left = (total - done) / rate / 60 if rate else 0.0
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    print(
        f"{done}/{total} files, {statements:,} statements in {seconds:.0f} s ({rate:.2f} files/s, {left:.0f} min left): {words}",
        flush=True,
    )


def reduce_file(one: Pass, file: str) -> int:
    """`--reduce`: one file, and what is left of it."""
    kept = Path(f"soak-corpus-{one.name}").resolve()
    with Stage(one, suite(one.upstream), kept / "files") as stage:
        campaign = Campaign(stage, one, kept, Ledger(), reduces=False)
        outcome = campaign.play(file)
        print(f"{file}: {outcome.words}\n{outcome.detail}", flush=True)
        if outcome.verdict not in ("equal", "nothing", "broken"):
            for step in campaign.reduce(outcome, REDUCE_SECONDS * 4):
                print(written(step))
    return 0


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev soak corpus", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pass", dest="passes", action="append", choices=PASSES, help="default: all, in turn")
    parser.add_argument("--target", choices=("mariadb", "mysql", "tidb"), help="only the passes with this target")
    parser.add_argument(
        "--files", default="*", metavar="GLOB", help="files of the main folders, or FOLDER/GLOB below the suite"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, for each pass")
    parser.add_argument(
        "--again", action="append", metavar="VERDICT", help="run files with this verdict again; or `all`"
    )
    parser.add_argument("--keep-whole", action="store_true", help="do not reduce what differs")
    parser.add_argument("--reduce", metavar="FILE", help="run one file and reduce it")
    parser.add_argument("--report", action="store_true", help="only the totals of the ledger")
    options = parser.parse_args(words)
    chosen = [one for name, one in PASSES.items() if name in (options.passes or PASSES)]
    chosen = [one for one in chosen if options.target in (None, one.target)]
    if options.report:
        print("\n".join(report(Ledger(), one) for one in chosen))
        return 0
    if options.reduce:
        return reduce_file(chosen[0], files_of(options.reduce, chosen[0].upstream)[0])
    total: Counter[str] = Counter()
    for one in chosen:
        total += play_pass(one, options)
    return 1 if total["different"] or total["stuck"] else 0
