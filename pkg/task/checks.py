"""How the options of a task or source file fit together: names that must exist, pairs that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pkg.errors import ErrorKind
from pkg.task import problems as p
from pkg.task.column_checks import check_column_mappings
from pkg.task.dump_arguments import check_extra_args
from pkg.task.dump_checks import check_dump_block, check_dump_task, check_load_block
from pkg.task.expression_checks import check_expression_filter
from pkg.task.filter_checks import check_event_filter
from pkg.task.problems import Path, nearest_word
from pkg.task.reading import Reader
from pkg.task.rule_checks import check_rules
from pkg.task.source import MAX_SOURCE_ID_LENGTH
from pkg.task.tidb_checks import check_tidb_tables
from pkg.task.values import parse_duration


@dataclass(frozen=True, slots=True)
class _Reference:
    """An instance's option that names blocks."""

    option: str
    blocks: str
    missing: ErrorKind
    inline: str = ""  # the option that holds the settings themselves
    conflict: ErrorKind | None = None


_REFERENCES = (
    _Reference("route-rules", "routes", p.NO_ROUTE),
    _Reference("column-mapping-rules", "column-mappings", p.NO_COLUMN_MAPPING),
    _Reference("tidb-table-rules", "tidb-tables", p.NO_TIDB_TABLE),
    _Reference("filter-rules", "filters", p.NO_FILTER),
    _Reference("expression-filters", "expression-filter", p.NO_EXPRESSION_FILTER),
    _Reference("block-allow-list", "block-allow-list", p.NO_ALLOW_LIST),
    _Reference("mydumper-config-name", "mydumpers", p.NO_DUMP_BLOCK, "mydumper", p.DUMP_CONFLICT),
    _Reference("loader-config-name", "loaders", p.NO_LOAD_BLOCK, "loader", p.LOAD_CONFLICT),
    _Reference("syncer-config-name", "syncers", p.NO_SYNC_BLOCK, "syncer", p.SYNC_CONFLICT),
    _Reference("validator-config-name", "validators", p.NO_VALIDATOR_BLOCK),
)

_OURS = {
    "time_zone": "rows are written in UTC, and what the target fills in by itself is in the zone that `timezone` names",
    "sql_mode": "rows are written strictly, and a DDL runs under the sql_mode of its statement",
}
_CONNECTION_TEXT = "connections are in utf8mb4, and each text is written in its own character set"
_ONE_STATEMENT = "it is of one statement"
_REFUSED_IN_SESSIONS = {
    **dict.fromkeys(
        ("character_set_client", "character_set_connection", "character_set_results", "collation_connection"),
        _CONNECTION_TEXT,
    ),
    **dict.fromkeys(("timestamp", "insert_id", "last_insert_id"), _ONE_STATEMENT),
    **dict.fromkeys(("autocommit", "completion_type"), "a transaction ends where its location is stored"),
    **dict.fromkeys(("tidb_snapshot", "tidb_read_staleness"), "what was stored just now must be seen"),
    **dict.fromkeys(("tidb_skip_utf8_check", "tidb_skip_ascii_check"), "broken texts would be stored without a word"),
    **dict.fromkeys(("tidb_batch_insert", "tidb_batch_delete", "tidb_batch_commit"), "transactions must stay whole"),
    "sql_select_limit": "rows would be left out without a word",
}


def check_task(data: dict[str, Any], reader: Reader) -> None:
    """Report what does not fit together in a task file."""
    instances = [(index, one) for index, one in enumerate(_list(data.get("mysql-instances"))) if isinstance(one, dict)]
    _check_source_ids(instances, reader)
    for reference in _REFERENCES:
        _check_reference(reference, data, instances, reader)
    for index, instance in instances:
        _check_meta(instance, ("mysql-instances", index), data.get("task-mode"), reader)
        _check_same_patterns(instance, ("mysql-instances", index), _dict(data.get("routes")), reader)
    check_dump_task(data, instances, reader)
    check_column_mappings(data, instances, reader)
    check_rules(data, reader)
    check_tidb_tables(data, reader)
    for name, rule in _dict(data.get("filters")).items():
        check_event_filter(_dict(rule), ("filters", name), reader)
    for name, rule in _dict(data.get("expression-filter")).items():
        check_expression_filter(_dict(rule), ("expression-filter", name), reader)
    for path, block in _unit_blocks(data, instances, "mydumpers", "mydumper"):
        check_extra_args(block, path, reader)
        check_dump_block(block, path, data.get("task-mode"), reader)
    for path, block in _unit_blocks(data, instances, "loaders", "loader"):
        check_load_block(block, path, data.get("task-mode"), reader)
    for path, block in _unit_blocks(data, instances, "syncers", "syncer"):
        _check_safe_mode(block, path, reader)
    _check_connection(_dict(data.get("target-database")), ("target-database",), reader)
    _check_session(data, reader)


def check_source(data: dict[str, Any], reader: Reader) -> None:
    """Report what does not fit together in a source file."""
    _check_source_id_length(data.get("source-id"), ("source-id",), reader)
    _check_connection(_dict(data.get("from")), ("from",), reader)
    _refuse_session(_dict(_dict(data.get("from")).get("session")), ("from", "session"), reader)
    for number, rule in enumerate(_list(data.get("filters"))):
        check_event_filter(_dict(rule), ("filters", number), reader)
    checker = _dict(data.get("checker"))
    longest, shortest = _seconds(checker.get("backoff-max", "5m")), _seconds(checker.get("backoff-min", "1s"))
    if longest is not None and shortest is not None and longest < shortest:
        name = "backoff-max" if "backoff-max" in checker else "backoff-min"
        reader.problem(("checker", name), "backoff-max must not be smaller than backoff-min", p.BACKOFF_ORDER)
    if data.get("relay-binlog-gtid") and data.get("enable-gtid") is not True:
        text = "the relay log starts at a GTID set only where the source replicates by GTID: set `enable-gtid: true`"
        reader.problem(("relay-binlog-gtid",), text)


def _check_source_ids(instances: list[tuple[int, dict[str, Any]]], reader: Reader) -> None:
    seen: dict[str, int] = {}
    for index, instance in instances:
        source_id, path = instance.get("source-id"), ("mysql-instances", index, "source-id")
        if not isinstance(source_id, str) or not source_id:
            continue
        _check_source_id_length(source_id, path, reader)
        if source_id in seen:
            first = reader.document.place(("mysql-instances", seen[source_id], "source-id"))[0]
            reader.problem(path, f"the same source is in line {first} already", p.SAME_SOURCE_ID)
        seen.setdefault(source_id, index)


def _check_source_id_length(source_id: Any, path: Path, reader: Reader) -> None:
    if isinstance(source_id, str) and len(source_id) > MAX_SOURCE_ID_LENGTH:
        text = f"has {len(source_id)} characters, the most is {MAX_SOURCE_ID_LENGTH}"
        reader.problem(path, text, p.LONG_SOURCE_ID)


def _check_reference(
    reference: _Reference, data: dict[str, Any], instances: list[tuple[int, dict[str, Any]]], reader: Reader
) -> None:
    defined = _dict(data.get(reference.blocks))
    used: set[str] = set()
    for index, instance in instances:
        base = ("mysql-instances", index)
        if reader.has_problem((*base, reference.option)):
            used.update(defined)  # nobody knows which
        named = instance.get(reference.option)
        if reference.conflict and named and reference.inline in instance:
            text = f"`{reference.option}` and `{reference.inline}` exclude each other"
            reader.problem((*base, reference.inline), text, reference.conflict, show=False)
        for path, name in _names(named, (*base, reference.option)):
            if name not in defined:
                near = nearest_word(name, defined)
                used.add(near)  # a slip of the pen shall not be reported twice
                reader.problem(
                    path, f"there is no {name!r} in `{reference.blocks}`", reference.missing, near=near, show=False
                )
            elif isinstance(named, list) and named.index(name) != path[-1]:
                reader.problem(path, "the rule is named twice", p.REPEATED_ITEM)
            used.add(name)
    for name in defined:
        if name not in used and instances:
            text = f"it is used by no instance: name it in `{reference.option}` or take it out"
            reader.problem((reference.blocks, name), text, p.UNUSED_BLOCK, show=False)


def _names(named: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(named, str) and named:
        yield path, named
    for index, name in enumerate(_list(named)):
        if isinstance(name, str):
            yield (*path, index), name


def _check_meta(instance: dict[str, Any], base: Path, mode: Any, reader: Reader) -> None:
    meta = instance.get("meta")
    if not isinstance(meta, dict):
        return
    path = (*base, "meta")
    if not meta.get("binlog-name") and not meta.get("binlog-gtid"):
        reader.problem(path, "needs `binlog-name` (with `binlog-pos`) or `binlog-gtid`", p.BAD_META, show=False)
    if mode in ("full", "all"):
        reader.warn(path, f"has no effect with task-mode {mode}: replication starts where the full migration began")


def _check_same_patterns(instance: dict[str, Any], base: Path, routes: dict[str, Any], reader: Reader) -> None:
    """Two rules with the same patterns would leave the target of every table that they match undecided."""
    first: dict[tuple[Any, Any], str] = {}
    for path, name in _names(instance.get("route-rules"), (*base, "route-rules")):
        rule = routes.get(name)
        if not isinstance(rule, dict):
            continue
        patterns = (rule.get("schema-pattern"), rule.get("table-pattern", ""))
        other = first.setdefault(patterns, name)
        if other != name:
            reader.problem(path, f"the routes {other!r} and {name!r} have the same patterns", p.BAD_ROUTE, show=False)


def _unit_blocks(
    data: dict[str, Any], instances: list[tuple[int, dict[str, Any]]], named: str, inline: str
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The settings of one unit, named and inline."""
    for name, block in _dict(data.get(named)).items():
        if isinstance(block, dict):
            yield (named, name), block
    for index, instance in instances:
        if isinstance(instance.get(inline), dict):
            yield ("mysql-instances", index, inline), instance[inline]


def _check_safe_mode(block: dict[str, Any], base: Path, reader: Reader) -> None:
    duration = block.get("safe-mode-duration")
    if block.get("safe-mode") is True and duration is not None and _seconds(duration) == 0:
        text = "0 ends safe mode at once, and `safe-mode: true` asks for it always"
        reader.problem((*base, "safe-mode-duration"), text, p.SAFE_MODE_CONFLICT)


def _check_connection(connection: dict[str, Any], base: Path, reader: Reader) -> None:
    security = _dict(connection.get("security"))
    forms = ("", "-bytes", "-base64")
    has_cert, has_key = (
        next((f"{name}{form}" for form in forms if security.get(f"{name}{form}")), "")
        for name in ("ssl-cert", "ssl-key")
    )
    if bool(has_cert) != bool(has_key):
        missing = "ssl-key" if has_cert else "ssl-cert"
        reader.problem((*base, "security", has_cert or has_key), f"needs `{missing}` beside it", show=False)


def _check_session(data: dict[str, Any], reader: Reader) -> None:
    """Session variables of the target that are ours, and those of both ends that would change rows on their way."""
    base: Path = ("target-database", "session")
    for name, value in _dict(_dict(data.get("target-database")).get("session")).items():
        folded = name.lower()
        if folded == "foreign_key_checks" and not _is_off(value):
            text = "tables that foreign keys tie to each other share one channel, which is slower"
            reader.warn((*base, name), text)
        elif folded in _OURS:
            reader.warn((*base, name), f"has no effect: {_OURS[folded]}")
        elif folded == "unique_checks" and _is_off(value):
            reader.problem((*base, name), "a target that looks for no duplicates would keep them")
    _refuse_session(_dict(_dict(data.get("target-database")).get("session")), base, reader)


def _refuse_session(session: dict[str, Any], base: Path, reader: Reader) -> None:
    for name in session:
        reason = _REFUSED_IN_SESSIONS.get(name.lower())
        if reason is not None:
            reader.problem((*base, name), f"cannot be set here: {reason}")


def _is_off(value: Any) -> bool:
    return str(value).lower() in ("0", "off", "false")


def _seconds(value: Any) -> float | None:
    try:
        return float(parse_duration(value).total_seconds())
    except (ValueError, AttributeError):
        return None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
