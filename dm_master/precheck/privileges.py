"""Checks of what the accounts may do, each with the GRANT to run.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from dm_master.precheck.facts import TableName, TargetFacts, UpstreamFacts, shown
from dm_master.precheck.grants import Grants, quoted
from dm_master.precheck.report import Check, Finding, State
from pkg.task import SubtaskConfig, TaskMode

_PLACE = ("REPLICATION CLIENT",)  # where the binlog stands
_REPLICATION = ("REPLICATION SLAVE", *_PLACE)
_WRITING = ("CREATE", "SELECT", "INSERT", "UPDATE", "DELETE")
_CHANGING = ("ALTER", "DROP", "INDEX")
_SESSION = ("SESSION_VARIABLES_ADMIN",)
_RESTRICTED_SINCE = (8, 0, 14)  # what sessions of MySQL may set
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-$")


def check_upstream_privileges(facts: UpstreamFacts) -> Iterator[Check]:
    """What a task needs of its upstreams; docs/privileges.md has the same by task mode."""
    source = facts.subtask.source_id
    where = f"source {source} at {facts.address}"
    missing = facts.grants.missing(_REPLICATION if reads_binlog(facts.subtask) else _PLACE)
    found = [_lacking(facts.grants, missing, "*", "*", where, State.FAIL)] if missing else []
    yield Check("replication_privilege", "source db replication privilege checker",
                f"the account may read the binary log ({source})", tuple(found))  # fmt: skip
    yield _reading_check(facts, where)


def reads_binlog(subtask: SubtaskConfig) -> bool:
    """Whether changes are read: a copy of one moment has none to bring."""
    return subtask.task_mode is not TaskMode.FULL or subtask.consistency == "none"


def check_dump_privileges(facts: UpstreamFacts) -> Check:
    """What a dump to files needs."""
    where = f"source {facts.subtask.source_id} at {facts.address}"
    missing = facts.grants.missing(_PLACE)
    location = [_lacking(facts.grants, missing, "*", "*", where, State.FAIL)] if missing else []
    check = _reading_check(facts, where)
    return replace(check, findings=(*location, *check.findings))


def _reading_check(facts: UpstreamFacts, where: str) -> Check:
    source = facts.subtask.source_id
    return Check("dump_privilege", "source db dump privilege checker",
                 f"the account may read the tables ({source})", tuple(_reading(facts, where)))  # fmt: skip


def _reading(facts: UpstreamFacts, where: str) -> Iterator[Finding]:
    unreadable = [name for name in _named(facts) if not facts.grants.allows("SELECT", *name)]
    for schema, count in sorted(Counter(schema for schema, _ in unreadable).items()):
        tables = [table for other, table in unreadable if other == schema]
        yield _lacking(facts.grants, ["SELECT"], schema, tables[0] if count == 1 else "*", where, State.FAIL)
    mode = facts.subtask.task_mode
    if mode.has_full or (mode.has_dump and facts.subtask.consistency in ("auto", "flush", "lock")):
        yield from _locking(facts, where)
    yield from _unseen(facts, where, {schema.lower() for schema, _ in unreadable})
    if not facts.tables and not unreadable and facts.grants.allows("SELECT"):
        text = f"{where}: no table is there that the block-allow-list takes"
        yield Finding(State.WARN, text, where, "check `block-allow-list` and case-sensitive")


def _unseen(facts: UpstreamFacts, where: str, told: Collection[str]) -> Iterator[Finding]:
    """Tables that the task may mean and the account may not see: no server tells of them, and they would be left out.

    ``told`` are schemas, folded, of which something is known to be missing.
    """
    grants, rules = facts.grants, facts.subtask.block_allow_list
    if grants.allows("SELECT"):
        return
    meant = {(one.db_name, not _is_plain(one.tbl_name)) for one in rules.do_tables}
    meant = meant or {(name, True) for name in rules.do_dbs or ["*"]}
    for schema, is_whole in sorted(meant):
        if is_whole and _is_plain(schema) and schema.lower() not in told and not grants.allows("SELECT", schema):
            more = ": tables there that it may not see would be left out without a word"
            yield _lacking(grants, ["SELECT"], schema, "*", where, State.FAIL, more)
    if told or all(_is_plain(schema) for schema, _ in meant):
        return
    seen = ", ".join(sorted({quoted(schema) for schema, _ in facts.targets}))
    text = f"{where}: of what the block-allow-list takes {grants.account} sees {seen or 'nothing'}, and may not see all"
    way_out = (
        f"if there is more, {grants.statement(['SELECT'])} or the same for each database; databases that do-dbs names "
        "without a pattern are not in doubt"
    )
    yield Finding(State.WARN if seen else State.FAIL, text, where, way_out)


def _locking(facts: UpstreamFacts, where: str) -> Iterator[Finding]:
    """What keeps writers out for a moment: of all tables, or of those without a key.

    All are locked where one snapshot shows them, and where a MySQL without GTIDs cannot say what is visible.
    """
    consistency, grants = facts.subtask.consistency, facts.grants
    if consistency in ("auto", "flush") and (grants.allows("RELOAD") or grants.allows("FLUSH_TABLES")):
        return
    if consistency == "flush":
        yield _lacking(grants, ["RELOAD"], "*", "*", where, State.FAIL, ", for `consistency: flush`")
        return
    is_blind = consistency == "none" and facts.flavor == "mysql" and facts.variable("log_bin") == "ON"
    is_blind = is_blind and not facts.variable("gtid_mode").startswith("ON")
    is_all = consistency in ("auto", "lock") or (is_blind and not grants.allows("RELOAD"))
    more = ", and RELOAD, one of which a consistent snapshot needs" if consistency == "auto" else ""
    if is_blind:
        more = ", which a copy from MySQL without GTIDs needs"
    for schema in sorted({table.name[0] for table in facts.tables if is_all or not table.has_identity}):
        if not grants.allows("LOCK TABLES", schema):
            yield _lacking(grants, ["LOCK TABLES"], schema, "*", where, State.FAIL, more)


def _named(facts: UpstreamFacts) -> list[TableName]:
    """The tables that are seen, and those that the task names outright: what may not be read is not seen."""
    rules = facts.subtask.block_allow_list
    named = [one for one in rules.do_tables if _is_plain(one.db_name)]
    plain = [(one.db_name, one.tbl_name if _is_plain(one.tbl_name) else "*") for one in named]
    schemas = [] if rules.do_tables else [(name, "*") for name in rules.do_dbs if _is_plain(name)]
    seen = [table.name for table in facts.tables]
    known = {(schema.lower(), table.lower()) for schema, table in seen}
    covered = {schema for schema, _ in known}
    unseen = [name for name in plain + schemas if (name[0].lower(), name[1].lower()) not in known]
    return seen + [name for name in unseen if name[1] != "*" or name[0].lower() not in covered]


def _is_plain(pattern: str) -> bool:
    return bool(pattern) and _PLAIN.issuperset(pattern.lower())


def check_target_privileges(facts: TargetFacts, upstreams: Sequence[UpstreamFacts]) -> Check:
    where = f"target {facts.address}"
    targets = {target for one in upstreams for target in one.targets.values()}
    schemas = {schema for schema, _ in targets}
    meta = {one.subtask.meta_schema for one in upstreams}
    return Check("target_privilege", "target db privilege checker", "the account may write the target",
                 (*_writing(facts, schemas, meta, where), *_copying(facts, upstreams, where)))  # fmt: skip


def _copying(facts: TargetFacts, upstreams: Sequence[UpstreamFacts], where: str) -> Iterator[Finding]:
    """All warnings of a LOAD DATA are looked at, and few accounts of MySQL may ask for more than usual."""
    copies = not upstreams or any(one.subtask.task_mode.has_full for one in upstreams)
    if copies and facts.flavor == "mysql" and facts.version >= _RESTRICTED_SINCE:
        missing = facts.grants.missing(_SESSION)
        if missing:
            more = ", which the session variable max_error_count of a copy takes"
            yield _lacking(facts.grants, missing, "*", "*", where, State.FAIL, more)


def _writing(facts: TargetFacts, schemas: set[str], meta: set[str], where: str) -> Iterator[Finding]:
    for schema in sorted(schemas | meta):
        missing = facts.grants.missing(_WRITING, schema)
        if missing:
            made = "" if schema in facts.schemas else ", which is to be created"
            yield _lacking(facts.grants, missing, schema, "*", where, State.FAIL, made)
        later = facts.grants.missing(_CHANGING, schema)
        if later and schema in schemas:
            made = ", needed when a DDL is replicated, and for foreign keys and late indexes"
            yield _lacking(facts.grants, later, schema, "*", where, State.WARN, made)


def _lacking(
    grants: Grants, privileges: Sequence[str], schema: str, table: str, where: str, state: State, more: str = ""
) -> Finding:
    what = "*.*" if schema == "*" else f"{shown((schema, ''))[:-3]}.*" if table == "*" else shown((schema, table))
    text = f"{where}: {grants.account} lacks {', '.join(privileges)} on {what}{more}"
    return Finding(state, text, where, f"run there: {grants.statement(privileges, schema, table)}")
