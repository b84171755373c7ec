"""Checks of the upstream server: version, binary log, GTIDs, server id, start position.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dm_master.precheck.facts import UpstreamFacts
from dm_master.precheck.report import Check, Finding, State
from pkg.task import TaskMode


def check_server(facts: UpstreamFacts) -> Iterator[Check]:
    """One check per item, each with what is wrong."""
    yield from _placed(facts, (
        ("version", "mysql_version", "the upstream's version is known to work", _version(facts)),
        ("server_id", "mysql_server_id", "the upstream has a server_id, and not ours", _server_id(facts)),
        ("binlog_enable", "mysql_binlog_enable", "the upstream writes a binary log", _enabled(facts)),
        ("binlog_format", "mysql_binlog_format", "the binary log holds rows", _format(facts)),
        ("binlog_row_image", "mysql_binlog_row_image", "the binary log holds whole rows", _row_image(facts)),
        ("binlog_enable", "gtid_mode", "GTIDs are on where the source asks for them", _gtid_mode(facts)),
        ("binlog_db", "binlog_do_db/binlog_ignore_db check", "the migrated schemas are logged", _logged(facts)),
        ("meta_position", "meta position check", "the start position is still there", _start(facts)),
        ("conn_number", "connection limit", "enough connections are allowed", _connections(facts)),
    ))  # fmt: skip


def check_reading_server(facts: UpstreamFacts) -> Iterator[Check]:
    """The same for a server that is only read."""
    yield from _placed(
        facts, (("conn_number", "connection limit", "enough connections are allowed", _connections(facts)),)
    )


def _placed(facts: UpstreamFacts, checks: Iterable[tuple[str, str, str, list[Finding]]]) -> Iterator[Check]:
    where = f"source {facts.subtask.source_id} at {facts.address}"
    for item, name, description, found in checks:
        placed = tuple(Finding(one.state, f"{where}: {one.text}", where, one.instruction) for one in found)
        yield Check(item, name, f"{description} ({facts.subtask.source_id})", placed)


def _fail(text: str, instruction: str) -> list[Finding]:
    return [Finding(State.FAIL, text, "", instruction)]


def _warn(text: str, instruction: str) -> list[Finding]:
    return [Finding(State.WARN, text, "", instruction)]


def _version(facts: UpstreamFacts) -> list[Finding]:
    shown = ".".join(map(str, facts.version))
    if facts.flavor == "tidb":
        return _fail("the upstream is TiDB, which writes no binary log", "name a MySQL or MariaDB server in the source")
    oldest = (10, 2, 0) if facts.flavor == "mariadb" else (5, 7, 0)
    if facts.version < oldest:
        return _warn(f"{facts.flavor} {shown} is older than what was tested", "try it on a copy first")
    return []


def _server_id(facts: UpstreamFacts) -> list[Finding]:
    server_id = int(facts.variables.get("server_id", "0") or 0)
    if server_id == 0:
        return _warn("server_id is 0", "set server_id there to a number of its own")
    if server_id == facts.subtask.server_id:
        return _fail(
            f"the source file's server-id {server_id} is the upstream's own",
            "leave server-id out of the source file, or take another number",
        )
    return []


def _enabled(facts: UpstreamFacts) -> list[Finding]:
    if facts.variable("log_bin") not in ("ON", "1"):
        return _fail("log_bin is OFF, there is no binary log to read", "set log_bin there and restart the server")
    name = "log_slave_updates" if facts.flavor == "mariadb" else "log_replica_updates"
    if facts.is_replica and facts.variable(name) in ("OFF", "0"):
        return _fail(
            f"it is a replica, and {name} is OFF: what it replicates is not in its binary log, and would be missing in "
            "the target",
            f"set {name} there and restart the server, or read its source instead",
        )
    return []


def _format(facts: UpstreamFacts) -> list[Finding]:
    value = facts.variable("binlog_format")
    if value in ("ROW", ""):  # MySQL 9 and later have no other
        return []
    return _fail(
        f"binlog_format is {value}, it must be ROW",
        "SET GLOBAL binlog_format = 'ROW'; put it into the server's configuration file, and let clients reconnect",
    )


def _row_image(facts: UpstreamFacts) -> list[Finding]:
    value = facts.variable("binlog_row_image")
    if value in ("FULL", ""):  # servers that do not know the variable log whole rows
        return []
    return _fail(
        f"binlog_row_image is {value}, it must be FULL",
        "SET GLOBAL binlog_row_image = 'FULL'; put it into the server's configuration file, and let clients reconnect",
    )


def _gtid_mode(facts: UpstreamFacts) -> list[Finding]:
    value = facts.variable("gtid_mode")
    if not facts.subtask.enable_gtid or facts.flavor != "mysql" or value == "ON":
        return []
    return _fail(
        f"the source says enable-gtid, but gtid_mode is {value or 'OFF'}",
        "set gtid_mode = ON and enforce_gtid_consistency = ON there, or enable-gtid: false in the source file",
    )


def _logged(facts: UpstreamFacts) -> list[Finding]:
    logged = {name.strip().lower() for name in facts.binlog_do_db.split(",") if name.strip()}
    ignored = {name.strip().lower() for name in facts.binlog_ignore_db.split(",") if name.strip()}
    schemas = sorted({schema for schema, _ in facts.targets})
    missing = [name for name in schemas if (logged and name.lower() not in logged) or name.lower() in ignored]
    if not missing:
        return []
    return _fail(
        f"changes of the schemas {', '.join(missing)} are not in the binary log (binlog_do_db, binlog_ignore_db)",
        "take these options out of the server's configuration file and restart it",
    )


def _start(facts: UpstreamFacts) -> list[Finding]:
    meta = facts.subtask.meta
    if facts.subtask.task_mode is not TaskMode.INCREMENTAL or meta is None or facts.binlog_files is None:
        return []
    if not meta.binlog_name or meta.binlog_name in facts.binlog_files:
        return []
    oldest = facts.binlog_files[0] if facts.binlog_files else "none"
    return _fail(
        f"the binlog file {meta.binlog_name} named in `meta` is not on the server; the oldest is {oldest}",
        "start from a position that is still there, or migrate in full (task-mode: all)",
    )


def _connections(facts: UpstreamFacts) -> list[Finding]:
    limit = int(facts.variables.get("max_connections", "0") or 0)
    needed = facts.subtask.dump.threads + 2
    if not facts.subtask.task_mode.has_dump or limit == 0 or limit >= needed:
        return []
    return _fail(
        f"max_connections is {limit}, the full migration needs {needed}",
        "raise max_connections there, or lower `threads` in mydumpers",
    )
