"""Problems of a configuration: each with its place, all in one report and one error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from pkg.errors import DMError, ErrorKind, Level, Scope

Path = tuple[str | int, ...]


def config_kind(code: int, message: str, workaround: str = "", klass: str = "config") -> ErrorKind:
    """A kind of configuration error; the full text of an error is the report of all problems."""
    return ErrorKind(code, klass, Scope.INTERNAL, Level.MEDIUM, message, workaround)


BAD_CHECK_ITEM = config_kind(20001, "a checking item is not known")
BAD_TOML = config_kind(20002, "the TOML configuration is not valid")
BAD_YAML = config_kind(20003, "the YAML configuration is not valid")
NO_TASK_NAME = config_kind(20004, "the task has no usable name")
NO_SOURCE_ID = config_kind(20005, "a source-id is empty")
LONG_SOURCE_ID = config_kind(20006, "a source-id is too long")
BAD_ONLINE_SCHEME = config_kind(20007, "the online-ddl-scheme is not known")
BAD_TIMEZONE = config_kind(20008, "the timezone is not valid")
BAD_FLAG = config_kind(20009, "the command line is not valid")
BAD_META = config_kind(20011, "the start location `meta` is not valid")
NO_INSTANCE = config_kind(20013, "the task has no mysql-instances")
SAME_SOURCE_ID = config_kind(20014, "a source-id is there twice")
DUMP_CONFLICT = config_kind(20015, "mydumper-config-name and mydumper exclude each other")
LOAD_CONFLICT = config_kind(20016, "loader-config-name and loader exclude each other")
SYNC_CONFLICT = config_kind(20017, "syncer-config-name and syncer exclude each other")
CANNOT_READ = config_kind(20018, "cannot read the configuration file {path}", "check that the file exists")
BAD_TASK_MODE = config_kind(20020, "the task-mode is not valid")
NO_TARGET = config_kind(20021, "the task has no target-database")
NO_ROUTE = config_kind(20023, "a route rule is not defined")
NO_FILTER = config_kind(20024, "a filter rule is not defined")
NO_COLUMN_MAPPING = config_kind(20025, "a column mapping is not defined")
NO_ALLOW_LIST = config_kind(20026, "a block-allow-list is not defined")
NO_DUMP_BLOCK = config_kind(20027, "a mydumpers block is not defined")
NO_LOAD_BLOCK = config_kind(20029, "a loaders block is not defined")
NO_SYNC_BLOCK = config_kind(20030, "a syncers block is not defined")
UNKNOWN_SOURCE = config_kind(20031, "a source of the task is not known")
REPEATED_ITEM = config_kind(20032, "a rule is named twice")
BAD_SHARD_MODE = config_kind(20033, "the shard-mode is not valid")
BAD_EVENT_FILTER = config_kind(20037, "a binlog event filter is not valid")
UNUSED_BLOCK = config_kind(20038, "a named block is defined and used by no instance")
MIXED_EXPRESSIONS = config_kind(20039, "an expression-filter has expressions for several kinds of changes")
NO_EXPRESSION_FILTER = config_kind(20040, "an expression-filter is not defined")
BAD_EXPRESSION = config_kind(20041, "an expression-filter is not valid")
BACKOFF_ORDER = config_kind(20043, "backoff-max is smaller than backoff-min")
BAD_ALLOW_LIST = config_kind(20044, "a block-allow-list is not valid")
BAD_ROUTE = config_kind(20045, "a route is not valid")
BAD_CHUNK_SIZE = config_kind(20047, "chunk-filesize is not valid")
BAD_SHADOW_RULES = config_kind(20049, "the rules for online DDL tables are not valid")
BAD_COLLATION_MODE = config_kind(20052, "collation_compatible is not valid")
BAD_LOAD_MODE = config_kind(20053, "the import-mode is not valid")
BAD_ON_DUPLICATE = config_kind(20054, "on-duplicate-logical is not valid")
BAD_VALIDATOR_MODE = config_kind(20055, "the validator's mode is not valid")
NO_VALIDATOR_BLOCK = config_kind(20056, "a validators block is not defined")
BAD_SAFE_MODE_DURATION = config_kind(20060, "safe-mode-duration is not valid")
SAFE_MODE_CONFLICT = config_kind(20061, "safe-mode and safe-mode-duration contradict each other")
BAD_COLUMN_MAPPING = config_kind(20064, "a column mapping is not valid")
STRICT_OPTIMISTIC = config_kind(20066, "strict-optimistic-shard-mode is not possible here")
BAD_TIDB_TABLE = config_kind(20068, "a rule of tidb-tables is not valid")
NO_TIDB_TABLE = config_kind(20069, "a rule of tidb-tables is not defined")
REFUSED_OPTION = config_kind(20071, "an option is refused because this version does not act on it")
EMPTY_PEM = config_kind(20084, "the file {path} in a security block is empty", "put the PEM text into it")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong (or worth a warning) in one place of one file."""

    file: str
    line: int
    column: int
    option: str  # "mysql-instances[0].source-id"
    text: str
    value: str = ""  # as the file has it; never a secret
    nearest: str = ""
    kind: ErrorKind | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = [f"{place}: "]
        if self.option:
            parts.append(f"`{self.option}`: ")
        parts.append(self.text)
        if self.value:
            parts.append(f" (found {self.value})")
        if self.nearest:
            parts.append(f" — did you mean `{self.nearest}`?")
        return "".join(parts)

    def as_dict(self) -> dict[str, str | int]:
        """The problem for machine-readable output."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "option": self.option,
            "value": self.value,
            "message": self.text,
            "nearest": self.nearest,
            "code": self.kind.code if self.kind else 0,
        }


def report_error(problems: Iterable[Problem], fallback: ErrorKind = BAD_YAML) -> DMError:
    """One error that tells all problems; its kind is that of the first that has one."""
    ordered = sorted(problems, key=lambda problem: (problem.file, problem.line, problem.column))
    kind = next((problem.kind for problem in ordered if problem.kind), fallback)
    lines = [str(problem) for problem in ordered]
    count = f"{len(lines)} problems in the configuration:\n  " if len(lines) > 1 else ""
    return DMError(
        kind=kind,
        message=count + "\n  ".join(lines),
        workaround=kind.workaround,
        fields={"problems": tuple(ordered)},
    )


def option_path(path: Path) -> str:
    """``("mysql-instances", 0, "meta")`` → ``mysql-instances[0].meta``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def nearest_word(word: str, choices: Iterable[str]) -> str:
    """The valid word that was probably meant, or ``""``."""
    by_folded = {choice.lower().replace("_", "-"): choice for choice in choices if choice}
    found = difflib.get_close_matches(word.lower().replace("_", "-"), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else ""
