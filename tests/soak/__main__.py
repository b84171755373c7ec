"""Long random campaigns: `./dev soak [CAMPAIGN] [OPTIONS]`, `./dev soak CAMPAIGN --help`.

data   whole migrations under random kills, every row compared (when no campaign is named)
codec  random tables through the binlog and back into a second server
conversions  every type changed into every other one, each with odd values, every row compared
copy   full copies under random kills, every row compared
corpus  the SQL of the MariaDB regression suite, a native replica as judge
expressions  random expressions of generated columns, calculated by each server
filters  random expression filters, judged by the servers row by row
flakes  the whole test suite again and again, beside busy cores, until a test fails
fuzz   damaged binlogs through the compiled decoder
shardddl  shard DDL under random kills, the merge compared with its sources
matrix  every type, key form and statement form on every pair of servers, every cell compared
relay  relay logs under random kills, every file compared with the upstream's
settings  every variable that can change a value or a structure, set on one end and not on the other
simulation  the syncer's core under a seeded scheduler
statements  random DDL in random sessions over tables with rows, every row compared
sql  a grammar's statements under every fault, through the real programs
"""

from __future__ import annotations

import importlib
import signal
import sys

CAMPAIGNS = (
    "data",
    "codec",
    "conversions",
    "copy",
    "corpus",
    "expressions",
    "filters",
    "flakes",
    "fuzz",
    "matrix",
    "relay",
    "settings",
    "shardddl",
    "simulation",
    "sql",
    "statements",
)


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if words and not words[0].startswith("-") and words[0] not in CAMPAIGNS:
        print(f"no campaign {words[0]!r}; there are: {', '.join(CAMPAIGNS)}", file=sys.stderr)
        return 2
    name, options = (words[0], words[1:]) if words and words[0] in CAMPAIGNS else ("data", words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: what was started is stopped
    code: int = importlib.import_module(f"tests.soak.{name}").main(options)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
