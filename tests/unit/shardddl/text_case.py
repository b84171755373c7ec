"""Cases of shard DDL as texts: what the sources' tables are, what each runs, and what shall come of it.

    == a column that both tables get          the case's name
    tables s1: t1 t2                          in the database d; t* are routed to all.t, u* to all.u
    columns: id INT PRIMARY KEY               of all tables there are at the start
    s1: ALTER TABLE t1 ADD COLUMN b INT       a statement; each table of the source gets a row behind it
    ? s1 waits t1 for t2                      a fact that holds then
    s1: ALTER TABLE t2 ADD COLUMN b INT
    > ALTER TABLE `all`.`t` ADD COLUMN b INT  what the target is sent for the statement, all of it

Other head lines: `target: mysql`, `filter: drop column`, `late: s3` (it does not run until `! start s3`), `refuses: WORDS`
(the target refuses statements with them), `loose`
(the target may have more columns, and other names of keys), `once` (a DDL that does something else when it is run again
after a death: nobody dies), `ordered` (what comes depends on who reads first), `ends: stuck` (not everything resolves).
`!` is what an operator does: see `World.operate`.  Lines that begin with blanks go on with the line before; `#`
begins a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
COLUMNS = "id INT PRIMARY KEY, a VARCHAR(20)"


@dataclass
class Step:
    """One line that does something, and what is expected behind it."""

    what: str  # "s1: SQL" or "! …"
    facts: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)


@dataclass
class Case:
    name: str
    tables: dict[str, list[str]] = field(default_factory=dict)
    columns: str = COLUMNS
    target: str = "tidb"
    filters: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    refuses: str = ""
    loose: bool = False
    once: bool = False
    ordered: bool = False
    ends: str = "resolved"
    steps: list[Step] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """Whether nothing in it depends on when it happens between the sources."""
        paused = any(" paused " in fact for step in self.steps for fact in step.facts)
        operated = any(step.what.startswith("!") for step in self.steps)
        return self.ends == "resolved" and not self.ordered and not paused and not operated

    def head(self, key: str, value: str) -> None:
        match key.split():
            case ["tables", source]:
                self.tables[source] = value.split()
            case ["columns"]:
                self.columns = value
            case ["target"]:
                self.target = value
            case ["refuses"]:
                self.refuses = value
            case ["filter"]:
                self.filters = [one.strip() for one in value.split(",")]
            case ["late"]:
                self.late = value.split()
            case ["loose"]:
                self.loose = True
            case ["once"]:
                self.once = True
            case ["ordered"]:
                self.ordered = True
            case ["ends"]:
                self.ends = value
            case _:
                raise ValueError(f"{self.name}: {key}")


def read_cases(path: Path) -> list[Case]:
    return list(parse_cases(path.read_text()))


def parse_cases(text: str) -> Iterator[Case]:
    case: Case | None = None
    for line in _lines(text):
        if line.startswith("== "):
            if case is not None:
                yield case
            case = Case(line[3:])
        elif case is not None:
            _add(case, line)
    if case is not None:
        yield case


def _add(case: Case, line: str) -> None:
    if line.startswith("? "):
        case.steps[-1].facts.append(line[2:])
    elif line.startswith("> "):
        case.steps[-1].executed.append(line[2:])
    elif line.startswith("! ") or (line[0] == "s" and line[1].isdigit() and line[2] == ":"):
        case.steps.append(Step(line))
    else:
        key, _, value = line.partition(":")
        case.head(key.strip(), value.strip())


def _lines(text: str) -> Iterator[str]:
    joined = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if line.startswith(" ") and line.strip():
            joined += "\n" + line.strip()
            continue
        if joined:
            yield joined
        joined = line.rstrip()
    if joined:
        yield joined


# A list of DDL texts, each tried in several arrangements of sources and tables.


@dataclass
class Text:
    """One kind of DDL: columns before it, statements (`{t}` is the table), what the target is sent."""

    name: str
    columns: str = COLUMNS
    target: str = "tidb"
    loose: bool = False
    once: bool = False
    statements: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)


def read_texts(path: Path) -> list[Text]:
    """Blocks: `== name`, head lines as above, then `: statement` and `> what the target is sent`."""
    found: list[Text] = []
    for line in _lines(path.read_text()):
        if line.startswith("== "):
            found.append(Text(line[3:]))
        elif line.startswith(": "):
            found[-1].statements.append(line[2:])
        elif line.startswith("> "):
            found[-1].executed.append(line[2:])
        else:
            key, _, value = line.partition(":")
            setattr(found[-1], key, value.strip() or True)
    return found


# Which tables the sources have, and in which order they meet the statements: (source, table, number of the statement).
Arrangement = tuple[dict[str, list[str]], list[tuple[str, str]]]
ARRANGEMENTS: dict[str, Arrangement] = {
    "two tables of one source": ({"s1": ["t1", "t2"]}, [("s1", "t1"), ("s1", "t2")]),
    "two sources, crossing": (
        {"s1": ["t1", "t2"], "s2": ["t1", "t2"]},
        [("s1", "t1"), ("s2", "t2"), ("s2", "t1"), ("s1", "t2")],
    ),
    "three sources, one without": (
        {"s1": ["t1"], "s2": ["x1"], "s3": ["t1", "t2"]},
        [("s3", "t2"), ("s1", "t1"), ("s3", "t1")],
    ),
}


def arranged(text: Text, arrangement: str) -> Case:
    """Each table in turn gets the first statement, then each the second …; the last one lets the target follow."""
    tables, order = ARRANGEMENTS[arrangement]
    case = Case(
        f"{text.name}: {arrangement}", dict(tables), text.columns, text.target, loose=text.loose, once=text.once
    )
    sent = iter(text.executed)
    for number, statement in enumerate(text.statements):
        case.steps += [Step(f"{source}: {statement.replace('{t}', table)}") for source, table in order]
        is_last = number == len(text.statements) - 1
        count = len(text.executed) if is_last else 1
        case.steps[-1].executed = [one for _, one in zip(range(count), sent, strict=False)]
    return case
