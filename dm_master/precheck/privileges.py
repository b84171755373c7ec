"""Checks of what the accounts may do, each with the GRANT to run.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dm_master.precheck.facts import TableName, TargetFacts, UpstreamFacts, shown
from dm_master.precheck.grants import Grants
from dm_master.precheck.report import Check, Finding, State

_REPLICATION = ("REPLICATION SLAVE", "REPLICATION CLIENT")
_WRITING = ("CREATE", "SELECT", "INSERT", "UPDATE", "DELETE")
_CHANGING = ("ALTER", "DROP", "INDEX")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-$")


def check_upstream_privileges(facts: UpstreamFacts) -> Iterator[Check]:
    source = facts.subtask.source_id
    where = f"source {source} at {facts.address}"
    missing = facts.grants.missing(_REPLICATION)
    found = [_lacking(facts.grants, missing, "*", "*", where, State.FAIL)] if missing else []
    yield Check("replication_privilege", "source db replication privilege checker",
                f"the account may read the binary log ({source})", tuple(found))  # fmt: skip
    if facts.subtask.task_mode.has_dump:
        yield _reading_check(facts, where)


def check_dump_privileges(facts: UpstreamFacts) -> Check:
    """What a dump to files needs."""
    where = f"source {facts.subtask.source_id} at {facts.address}"
    missing = facts.grants.missing(("REPLICATION CLIENT",))
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
    if facts.subtask.task_mode.has_full or facts.subtask.consistency in ("auto", "flush", "lock"):
        yield from _locking(facts, where)
    if not facts.tables and not unreadable:
        text = f"{where}: no table is there that the block-allow-list takes and the account may see"
        yield Finding(State.WARN, text, where, "check `block-allow-list`, case-sensitive and the account's SELECT")


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
    plain = [(one.db_name, one.tbl_name or "*") for one in rules.do_tables if _is_plain(one.db_name)]
    schemas = [] if rules.do_tables else [(name, "*") for name in rules.do_dbs if _is_plain(name)]
    seen = [table.name for table in facts.tables]
    covered = {schema.lower() for schema, _ in seen}
    return seen + [name for name in plain + schemas if name[0].lower() not in covered]


def _is_plain(pattern: str) -> bool:
    return bool(pattern) and _PLAIN.issuperset(pattern.lower())


def check_target_privileges(facts: TargetFacts, upstreams: Sequence[UpstreamFacts]) -> Check:
    where = f"target {facts.address}"
    targets = {target for one in upstreams for target in one.targets.values()}
    schemas = sorted({schema for schema, _ in targets} | {one.subtask.meta_schema for one in upstreams})
    return Check("target_privilege", "target db privilege checker", "the account may write the target",
                 tuple(_writing(facts, schemas, where)))  # fmt: skip


def _writing(facts: TargetFacts, schemas: Sequence[str], where: str) -> Iterator[Finding]:
    for schema in schemas:
        missing = facts.grants.missing(_WRITING, schema)
        if missing:
            made = "" if schema in facts.schemas else ", which is to be created"
            yield _lacking(facts.grants, missing, schema, "*", where, State.FAIL, made)
        later = facts.grants.missing(_CHANGING, schema)
        if later:
            made = ", needed when a DDL is replicated, and for foreign keys and late indexes"
            yield _lacking(facts.grants, later, schema, "*", where, State.WARN, made)


def _lacking(
    grants: Grants, privileges: Sequence[str], schema: str, table: str, where: str, state: State, more: str = ""
) -> Finding:
    what = "*.*" if schema == "*" else f"{shown((schema, ''))[:-3]}.*" if table == "*" else shown((schema, table))
    text = f"{where}: {grants.account} lacks {', '.join(privileges)} on {what}{more}"
    return Finding(state, text, where, f"run there: {grants.statement(privileges, schema, table)}")
