"""Random expression filters, judged by the servers: `./dev soak filters [--count N] [--seed S] [--flavor F] [--only TEXT]`.

A table of every type holds values chosen to hurt; its rows are read from the binlog, as replication reads them.  Each
random condition that the product takes for the table is judged by both for each row: `SELECT (condition) IS TRUE` on the
server, in the session that docs/rules.md names, and the compiled filter on the row image.  What differs is printed with
seed, condition, row and both verdicts, and ends the campaign with 1.  What the product refuses, and rows of which it says
that they have no value, are counted.  At its end a campaign adds a line to tests/soak/ledger/filters.jsonl.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pkg.rules.expression.compiler import compiled, condition_of
from pkg.rules.expression.grammar import parse
from pkg.rules.expression.node import Kind, Node, RowImage, Run
from pkg.rules.expression.problem import BadExpression
from pkg.rules.expression.times import date_text, datetime_text, time_text
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.property.test_binlog_round_trip import Mirror
from tests.servers import RunningServer, start
from tests.soak.commit import commit
from tests.soak.filter_forms import Makes
from tests.soak.filter_rows import create, inserts

LEDGER = Path(__file__).parent / "ledger" / "filters.jsonl"
FLAVORS = ("mariadb", "mysql")
AT_ONCE = 12  # conditions of one SELECT
SESSION = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES'"
NO_VALUE = "no value"
_CALLED = re.compile(
    r"\b[A-Z_0-9]{2,}(?=\()|\b(?:INTERVAL|LIKE|IN|BETWEEN|DIV|AND|OR|XOR|NOT|IS|CASE|COLLATE|REGEXP)\b|[-+*/%&|^<>=~!]+"
)

Verdict = bool | None | str  # of a row: what SQL's logic has, or NO_VALUE


@dataclass(slots=True)
class Totals:
    """What was found so far."""

    counts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    by_word: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    silent: list[str] = field(default_factory=list)

    def add(self, text: str, verdict: str) -> None:
        self.counts[verdict] += 1
        for word in dict.fromkeys(_CALLED.findall(text)):
            self.by_word[word][verdict] += 1


class Judge:
    """One server with its table, and the images of the rows."""

    def __init__(self, server: RunningServer, seed: int) -> None:
        self._mirror = Mirror(server)
        self.flavor = server.kind
        self._query("SET sql_mode = 'ALLOW_INVALID_DATES'")
        self._query(create(self.flavor, "mirror.t"))
        begin, rows = self._mirror.location(), inserts("mirror.t", seed)
        for statement in rows:
            self._query(statement)
        self.images: list[RowImage] = self._mirror.decoded("t", begin, len(rows))
        assert len(self.images) == len(rows)
        self._query(SESSION)
        self._query("USE mirror")
        self.table: Table = parse_create_table(self._query("SHOW CREATE TABLE t")[0][1], "mirror")

    def close(self) -> None:
        self._mirror.connection.close()

    def _query(self, sql: str) -> list[tuple[Any, ...]]:
        cursor = self._mirror.cursor
        cursor.execute(sql)
        return list(cursor.fetchall()) if cursor.description else []

    def verdicts(self, conditions: Sequence[str]) -> list[list[Verdict]]:
        """The server's, of each row of each; an empty list for what it does not take."""
        parts = ", ".join(f"({one}) IS TRUE, ({one}) IS FALSE" for one in conditions)
        try:
            rows = self._query(f"SELECT id, {parts} FROM t ORDER BY id")
        except Exception:  # whatever the server says
            return (
                [self._alone(conditions[0])]
                if len(conditions) == 1
                else [self.verdicts([one])[0] for one in conditions]
            )
        return [[_logic(*row[place : place + 2]) for row in rows] for place in range(1, 2 * len(conditions), 2)]

    def _alone(self, condition: str) -> list[Verdict]:
        try:
            self._query(f"SELECT ({condition}) FROM t WHERE id < 0")
            self._query(f"EXPLAIN SELECT ({condition}) FROM t")
        except Exception:
            return []
        return [self._of_row(condition, row) for row in range(len(self.images))]

    def _of_row(self, condition: str, row: int) -> Verdict:
        try:
            [found] = self._query(f"SELECT ({condition}) IS TRUE, ({condition}) IS FALSE FROM t WHERE id = {row}")
        except Exception:
            return NO_VALUE
        return _logic(*found)

    def shown(self, text: str, row: int) -> str:
        names = [column.name for column in self.table.columns if re.search(rf"\b{column.name}\b", text)]
        return ", ".join(f"{name}={self.images[row][self.table.ordinal(name)].decode()}" for name in names)


def _logic(is_true: int, is_false: int) -> Verdict:
    return True if is_true else False if is_false else None


def judged(run: Run, image: RowImage) -> Verdict:
    """The product's."""
    try:
        found = run(image)
    except (ValueError, ArithmeticError):
        return NO_VALUE
    return found is True if found is not None else None


def literal_of(judge: Judge, operand: str, chance: random.Random) -> str:
    """A literal of what the product says that the operand is in a row, which the server must find equal."""
    try:
        node = compiled(parse(operand), judge.table, judge.flavor)
    except BadExpression:
        return ""
    for _ in range(4):
        try:
            value = node.run(chance.choice(judge.images))
        except (ValueError, ArithmeticError):
            continue
        if value is not None:
            return _written(node, value)
    return ""


def _written(node: Node, value: Any) -> str:
    match node.kind:
        case Kind.INT:
            return str(int(value))
        case Kind.DECIMAL:
            return format(Decimal(value), "f")
        case Kind.REAL:
            return f"{value!r}e0" if "e" not in repr(value) else repr(value)
        case Kind.TEXT:
            return "'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"
        case Kind.BYTES:
            return f"x'{bytes(value).hex()}'"
        case Kind.DATE:
            return f"'{date_text(value)}'"
        case Kind.DATETIME:
            return f"'{datetime_text(value, node.type.scale)}'"
        case Kind.TIME:
            return f"'{time_text(value, node.type.scale)}'"
    return str(value) if isinstance(value, int) else ""


def play(judge: Judge, makes: Makes, count: int, totals: Totals) -> Iterator[str]:
    """What differs, as it is found."""
    taken: list[tuple[str, Run]] = []
    for _ in range(count):
        text = makes.one()
        try:
            taken.append((text, condition_of(parse(text), judge.table, judge.flavor)))
        except BadExpression as exc:
            totals.add(text, "refused")
            totals.refusals[re.sub(r"'[^']*'", "…", exc.reason)] += 1
        if len(taken) == AT_ONCE:
            yield from _compared(judge, taken, totals)
            taken.clear()
    if taken:
        yield from _compared(judge, taken, totals)


def _compared(judge: Judge, taken: Sequence[tuple[str, Run]], totals: Totals) -> Iterator[str]:
    for (text, run), theirs in zip(taken, judge.verdicts([text for text, _ in taken]), strict=True):
        if not theirs:
            totals.add(text, "not there")
            continue
        ours = [judged(run, image) for image in judge.images]
        other = [
            row
            for row, pair in enumerate(zip(ours, theirs, strict=True))
            if NO_VALUE not in pair and pair[0] != pair[1]
        ]
        totals.counts["rows"] += len(ours)
        totals.counts["rows without value"] += ours.count(NO_VALUE)
        totals.counts["rows that only the server refuses"] += sum(
            their == NO_VALUE != our for our, their in zip(ours, theirs, strict=True)
        )
        totals.add(text, "differs" if other else "same")
        if other:
            row = other[0]
            line = f"{judge.flavor}: {text}: {len(other)} rows, as {judge.shown(text, row)}: the server {theirs[row]}, here {ours[row]}"
            totals.silent.append(line)
            yield line


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak filters", description=__doc__)
    parser.add_argument("--count", type=int, default=4_000, help="conditions of each flavour (default: 4000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the rows and the conditions")
    parser.add_argument("--only", default="", metavar="TEXT", help="forms with this text, such as EXTRACT")
    parser.add_argument("--flavor", choices=FLAVORS, action="append", help="default: both")
    parser.add_argument("--words", action="store_true", help="print the verdicts by function")
    options = parser.parse_args(arguments)
    bad = False
    for flavor in options.flavor or FLAVORS:
        totals = Totals()
        with start(flavor) as server:
            judge = Judge(server, options.seed)
            makes = Makes(
                options.seed, options.only, lambda operand, chance, judge=judge: literal_of(judge, operand, chance)
            )
            for line in play(judge, makes, options.count, totals):
                print(f"seed {options.seed}: {line}", flush=True)
            judge.close()
        _report(options, flavor, totals)
        bad |= bool(totals.silent)
    return int(bad)


def _report(options: argparse.Namespace, flavor: str, totals: Totals) -> None:
    if options.words:
        for word, counts in sorted(totals.by_word.items()):
            print(f"{word:20} {dict(counts)}")
        for reason, times in totals.refusals.most_common(40):
            print(f"{times:6} {reason}")
    print(f"{flavor}, seed {options.seed}: {dict(totals.counts)}", flush=True)
    line = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "flavor": flavor,
        "seed": options.seed,
        "only": options.only,
    }
    with LEDGER.open("a") as file:
        file.write(json.dumps(line | {"count": options.count} | dict(totals.counts)) + "\n")
