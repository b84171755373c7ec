"""Which statements of the corpus run, and with what paths: what reaches out of the servers, or would end the campaign,
is left out.  No I/O."""

from __future__ import annotations

import re

STD_DATA = "std_data"

_COMMENT = r"(?:/\*(?!M?!).*?\*/|/\*M?!\d*|#[^\n]*\n|--[ \t][^\n]*\n|\s)*"
_FIRST = re.compile(_COMMENT + r"(?:SET\s+STATEMENT\s.*?\sFOR\s+)?\(*\s*([A-Za-z_]+)(?:\s+([A-Za-z_]+))?", re.I | re.S)

# By the first word, or the first two.
_LEFT_OUT = {
    "shutdown": "ends the server",
    "restart": "ends the server",
    "kill": "ends sessions of the campaign",
    "reset": "RESET MASTER and RESET SLAVE break replication",
    "change": "replication belongs to the campaign",
    "start slave": "replication belongs to the campaign",
    "stop slave": "replication belongs to the campaign",
    "start replica": "replication belongs to the campaign",
    "stop replica": "replication belongs to the campaign",
    "start all": "replication belongs to the campaign",
    "start group_replication": "replication belongs to the campaign",
    "stop group_replication": "replication belongs to the campaign",
    "clone": "replaces the server's data",
    "import": "reads files",
    "stop all": "replication belongs to the campaign",
    "purge": "takes the binlog away",
    "install": "loads code",
    "uninstall": "unloads code",
    "binlog": "writes raw events",
    "explain": "changes nothing",
    "desc": "changes nothing",
    "describe": "changes nothing",
    "show": "changes nothing",
    "help": "changes nothing",
}
_PATTERNS = tuple(
    (re.compile(pattern, re.I | re.S), why)
    for pattern, why in (
        (r"\bINTO\s+(OUTFILE|DUMPFILE)\b", "writes files"),
        (r"\b(DATA|INDEX)\s+DIRECTORY\b", "writes files elsewhere"),
        (r"\bLOAD_FILE\s*\(", "reads files"),
        (r"\bSONAME\b", "loads code"),
        (r"\bmaster_(pos|gtid)_wait\s*\(", "waits for replication"),
        (r"\bENGINE\s*=?\s*[`'\"]?(FEDERATED|CONNECT|SPIDER|S3|SPHINX|OQGRAPH|ROCKSDB)\b", "another server's tables"),
        (
            r"\b(UPDATE|INTO|FROM|TABLES?|TRUNCATE|EXISTS|REPLACE|INSERT|IGNORE|TRIGGER\s.*\sON|RENAME\s.*\sTO|WRITE\s*,)\s+"
            r"`?mysql`?\s*\.\s*`?\w+",
            "the server's own tables",
        ),
        (r"\b(DROP|CREATE|ALTER)\s+(DATABASE|SCHEMA)\b[^;]*\b`?(mysql|performance_schema|information_schema|sys)\b",
         "the server's own tables"),
        (r"^\s*USE\s+`?mysql\b", "the server's own tables"),
        (r"\bCALL\s+`?mysql`?\s*\.\s*`?\w+`?\s*\([^)]*'mysql'", "the server's own tables"),
        (r"\bSET\s+PASSWORD\s*=|\broot\b.*\bIDENTIFIED\b|\b(DROP|RENAME|ALTER)\s+USER\b[^;]*\broot\b|"
         r"\bREVOKE\b[^;]*\broot\b|\bSET\s+PASSWORD\s+FOR\s+'?root", "the campaign logs in as root"),
        (r"\bSLEEP\s*\(\s*\d{2,}", "waits"),
        (r"\bBENCHMARK\s*\(", "waits"),
    )
)  # fmt: skip
# `SET GLOBAL` of these is left out; what other global variables a file leaves behind is set back after it.
_GLOBAL = re.compile(
    r"(?:\b(?:GLOBAL|PERSIST|PERSIST_ONLY)\s+|@@(?:GLOBAL|PERSIST|PERSIST_ONLY)\s*\.\s*)`?("
    r"\w*(?:_file|_filename|_dir|_dirs|_path)|read_only|super_read_only|log_bin\w*|binlog_\w+|sync_binlog|expire_logs_days|"
    r"gtid_\w+|server_id|init_connect|init_slave|max_connections|max_user_connections|max_binlog\w*|slave_\w+|relay_\w+|"
    r"rpl_\w+|wsrep\w*|replicate_\w+|default_master_connection|skip_\w+|secure_\w+|wait_timeout|interactive_timeout|"
    r"net_\w+_timeout|connect_timeout|max_statement_time|lock_wait_timeout|max_allowed_packet|offline_mode|proxy_\w+|"
    r"innodb_force\w*|innodb_fast_shutdown|innodb_buffer_pool\w*|innodb_log_\w+|innodb_undo\w*|innodb_redo\w*|"
    r"thread_\w+|key_buffer_size|open_files_limit|table_open_cache|table_definition_cache|debug\w*|event_scheduler|"
    r"local_infile|require_secure_transport|ssl_\w+|tls_\w+|old_passwords|default_password_lifetime|strict_password\w*|"
    r"disconnect_on_expired_password|max_password_errors|session_track\w*|encrypt\w*|aria_\w+|default_tmp\w*|"
    r"server_audit\w*|feedback\w*|query_cache_\w+|protocol_compression\w*|replica_\w+|source_\w+|enforce_gtid\w*|mandatory_roles|partial_revokes"
    r")`?\s*(?:=|:=)",
    re.I,
)
# These would put the judge on another footing than the row format that a pass is about.
_SESSION = re.compile(
    r"\bSET\b[^;]*\b(binlog_format|sql_log_bin|binlog_row_image|pseudo_slave_mode|server_id|gtid_next)\b\s*(?::?=)",
    re.I,
)
_LOADS = re.compile(r"\bLOAD\s+(?:DATA|XML)\b.*?\bINFILE\s+(['\"])(.*?)\1", re.I | re.S)
_STD_DATA = re.compile(r"(['\"])[^'\"]*?\bstd_data/")


def first_words(sql: str) -> tuple[str, str]:
    """The first two words in lower case, behind comments and SET STATEMENT … FOR."""
    found = _FIRST.match(sql)
    return ("", "") if found is None else (found[1].lower(), (found[2] or "").lower())


def placed(sql: str, folder: str) -> str:
    """The statement with std_data in ``folder``, where the server may read it."""
    return _STD_DATA.sub(lambda found: f"{found[1]}{folder}/{STD_DATA}/", sql) if STD_DATA in sql else sql


def left_out(sql: str, folder: str) -> str:
    """Why the statement does not run; "" where it does."""
    one, two = first_words(sql)
    for words in (one, f"{one} {two}"):
        if words in _LEFT_OUT:
            return _LEFT_OUT[words]
    for pattern, why in _PATTERNS:
        if pattern.search(sql):
            return why
    if _GLOBAL.search(sql):
        return "a global variable that the campaign needs"
    if _SESSION.search(sql):
        return "how rows are logged is the pass's matter"
    loads = _LOADS.search(sql)
    if re.search(r"\bLOAD\s+(DATA|XML)\b", sql, re.I) and (
        loads is None or not loads[2].startswith(f"{folder}/{STD_DATA}/")
    ):
        return "reads files"
    return ""
