"""What a change costs: `python -m tests.bench.pairs COMMIT [--pairs 7] apply mixed --target mariadb --scale 0.3`.

Runs a benchmark of this tree and of COMMIT's in turns, each time in another order, because machines are noisy.  For each line that the benchmark
prints, and each figure of it with a unit, it prints both medians, the median of the pairs' ratios (this tree ÷ COMMIT)
and the smallest and largest ratio.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parents[2]
FIGURE = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?(rows/s|MB/s|/s|us|ms|MB|s)\b")
Figures = Mapping[str, float]  # by line, place in the line and unit


def figures(text: str) -> Figures:
    """Each line is known by its words before its first figure; lines of the same words by their order."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        label = " ".join(re.split(r"\s\d", line)[0].split())
        for number, match in enumerate(FIGURE.finditer(line)):
            key = f"{label} #{number} {match[2]}"
            while key in found:
                key += "'"
            found[key] = float(match[1].replace(",", ""))
    return found


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """That commit's tree, compiled, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="spark-dm-pairs-") as folder:
        place = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", place, commit], cwd=HERE, check=True)
        try:
            compile_ = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"]
            subprocess.run(compile_, cwd=place, check=True, capture_output=True)
            yield place
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", place], cwd=HERE, check=True)


def measure(tree: Path, benchmark: str, words: list[str]) -> Figures:
    command = [sys.executable, "-m", f"tests.bench.bench_{benchmark.removeprefix('bench_')}", *words]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} in {tree} ended with {done.returncode}")
    return figures(done.stdout)


def report(before: list[Figures], after: list[Figures]) -> Iterator[str]:
    yield f"{'figure':<50} {'before':>12} {'after':>12} {'ratio':>7}   smallest to largest of {len(after)} pairs"
    for key in after[0]:
        pairs = [(old[key], new[key]) for old, new in zip(before, after, strict=True) if old.get(key) and key in new]
        if pairs:
            old, new = (statistics.median(values) for values in zip(*pairs, strict=True))
            ratios = [second / first for first, second in pairs]
            low, high = min(ratios), max(ratios)
            yield f"{key:<50} {old:>12,.1f} {new:>12,.1f} {statistics.median(ratios):>7.3f}   {low:.3f} to {high:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="what to compare this tree with")
    parser.add_argument("--pairs", type=int, default=7, help="(%(default)s)")
    parser.add_argument("benchmark", help="apply, copy …: a file bench_NAME.py that both trees have")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="the benchmark's own options")
    options = parser.parse_args()
    before: list[Figures] = []
    after: list[Figures] = []
    with tree_of(options.commit) as old:
        for number in range(options.pairs):
            for tree in (old, HERE) if number % 2 else (HERE, old):
                (before if tree is old else after).append(measure(tree, options.benchmark, options.words))
            print(f"pair {number + 1} of {options.pairs}", file=sys.stderr, flush=True)
    print("\n".join(report(before, after)))


if __name__ == "__main__":
    main()
