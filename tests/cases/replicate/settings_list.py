"""Every variable of MariaDB and MySQL, judged: `CHANGING` can change a value or a structure, `UNCHANGING` says why not.

`test_settings.py` compares both with what the real servers have, so that no new variable goes unjudged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.cases.replicate.settings_battery import THEMES


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable, the values to set as SQL, and the themes of the battery that it may matter for ("*": all)."""

    name: str
    values: tuple[str, ...]
    themes: str
    alone: bool = False  # whether others in force with it could not be told apart from it
    as_global: tuple[str, ...] = ()  # the values to set GLOBAL, where not all of them
    global_themes: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A variable with one value."""

    name: str
    value: str

    def sql(self, scope: str) -> str:
        return f"SET NAMES {self.value}" if self.name == "NAMES" else f"SET {scope} {self.name} = {self.value}"

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


_MODES = """
    REAL_AS_FLOAT PIPES_AS_CONCAT ANSI_QUOTES IGNORE_SPACE IGNORE_BAD_TABLE_OPTIONS ONLY_FULL_GROUP_BY NO_UNSIGNED_SUBTRACTION
    NO_DIR_IN_CREATE POSTGRESQL ORACLE MSSQL DB2 MAXDB NO_KEY_OPTIONS NO_TABLE_OPTIONS NO_FIELD_OPTIONS MYSQL323 MYSQL40 ANSI
    NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES STRICT_TRANS_TABLES STRICT_ALL_TABLES NO_ZERO_IN_DATE,STRICT_TRANS_TABLES
    NO_ZERO_DATE,STRICT_TRANS_TABLES ALLOW_INVALID_DATES ERROR_FOR_DIVISION_BY_ZERO TRADITIONAL HIGH_NOT_PRECEDENCE
    NO_ENGINE_SUBSTITUTION PAD_CHAR_TO_FULL_LENGTH EMPTY_STRING_IS_NULL SIMULTANEOUS_ASSIGNMENT TIME_ROUND_FRACTIONAL
    TIME_TRUNCATE_FRACTIONAL
"""
_GLOBAL_MODES = (
    "''", "'ANSI,NO_BACKSLASH_ESCAPES'", "'ORACLE'", "'EMPTY_STRING_IS_NULL'", "'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
    "'PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION'", "'TRADITIONAL'",
)  # fmt: skip
_SETS = ("latin1", "utf8mb3", "gbk", "sjis", "cp1251", "binary")
_TEXT = "text database literals select casts"
_LOG = "rows updates blobs transactions select like keyless"
_ON_OFF = ("0", "1")

CHANGING = (
    Setting("sql_mode", ("''", *(f"'{mode}'" for mode in _MODES.split())), "*", True, _GLOBAL_MODES, "rows defaults literals lossy dates text"),
    Setting("NAMES", (*(f"'{one}'" for one in _SETS), "'utf8mb4' COLLATE 'utf8mb4_bin'"), _TEXT, alone=True),
    Setting("character_set_client", ("latin1",), _TEXT, alone=True),
    Setting("character_set_connection", ("latin1", "ucs2"), _TEXT),
    Setting("collation_connection", ("latin1_bin", "utf8mb4_unicode_ci"), _TEXT),
    Setting("character_set_results", ("latin1", "NULL"), _TEXT),
    Setting("character_set_database", ("latin1", "ucs2"), _TEXT),
    Setting("collation_database", ("latin1_bin",), _TEXT),
    Setting("character_set_server", ("latin1", "gbk"), _TEXT),
    Setting("collation_server", ("latin1_german2_ci", "utf8mb4_bin"), _TEXT),
    Setting("character_set_filesystem", ("latin1",), "load"),
    Setting("default_collation_for_utf8mb4", ("utf8mb4_general_ci",), _TEXT),
    Setting("lc_time_names", ("'de_DE'",), "select defaults generated computed updates"),
    Setting("lc_messages", ("'de_DE'",), "lossy rows dates defaults exists"),
    Setting("time_zone", ("'+05:30'", "'-11:00'", "'SYSTEM'"), "rows timestamps defaults lossy dates select partitions"),
    Setting("timestamp", ("1500000000.123456",), "rows timestamps defaults select updates"),
    Setting("default_week_format", ("1", "6"), "select generated computed updates week_defaults"),
    Setting("div_precision_increment", ("0", "9"), "select generated computed updates week_defaults"),
    Setting("group_concat_max_len", ("4", "10"), "concat select"),
    Setting("max_sort_length", ("8",), "concat blobs"),
    Setting("default_regex_flags", ("'EXTENDED'", "'DOTALL'"), "generated computed updates select"),
    Setting("block_encryption_mode", ("'aes-256-cbc'",), "generated computed updates select"),
    Setting("explicit_defaults_for_timestamp", _ON_OFF, "rows timestamps lossy like select"),
    Setting("auto_increment_increment", ("10",), "counters numbered like keyless"),
    Setting("auto_increment_offset", ("3",), "counters numbered"),
    Setting("insert_id", ("77",), "counters"),
    Setting("last_insert_id", ("77",), "counters"),
    Setting("identity", ("77",), "counters"),
    Setting("sql_auto_is_null", ("1",), "counters"),
    Setting("rand_seed1", ("5",), "updates select"),
    Setting("rand_seed2", ("5",), "updates select"),
    Setting("default_storage_engine", ("MyISAM", "MEMORY", "InnoDB"), "engines rows keys like select partitions"),
    Setting("storage_engine", ("MyISAM",), "engines rows"),
    Setting("default_tmp_storage_engine", ("MyISAM",), "temporary"),
    Setting("internal_tmp_mem_storage_engine", ("MEMORY",), "temporary concat"),
    Setting("enforce_storage_engine", ("InnoDB", "MyISAM"), "engines rows", alone=True),
    Setting("innodb_strict_mode", ("0",), "engines wide long_keys lossy"),
    Setting("innodb_default_row_format", ("redundant", "compact"), "engines wide long_keys keys"),
    Setting("innodb_file_per_table", ("0",), "engines partitions"),
    Setting("innodb_compression_default", ("1",), "engines rows"),
    Setting("innodb_encrypt_tables", ("1",), "engines rows"),
    Setting("innodb_default_encryption_key_id", ("2",), "engines"),
    Setting("innodb_read_only_compressed", ("0",), "engines"),
    Setting("innodb_force_primary_key", ("1",), "keyless rows", alone=True),
    Setting("innodb_instant_alter_column_allowed", ("never",), "alters defaults"),
    Setting("innodb_snapshot_isolation", ("1",), "transactions"),
    Setting("innodb_native_foreign_keys", ("1",), "foreign"),
    Setting("innodb_ft_enable_stopword", ("0",), "engines"),
    Setting("default_table_encryption", ("1",), "database rows"),
    Setting("foreign_key_checks", ("0",), "foreign keys"),
    Setting("restrict_fk_on_non_standard_key", ("0",), "foreign"),
    Setting("enable_cascade_triggers", _ON_OFF, "foreign"),
    Setting("unique_checks", ("0",), "keys foreign rows"),
    Setting("check_constraint_checks", ("0",), "checks"),
    Setting("sql_require_primary_key", ("1",), "keyless rows select like", alone=True),
    Setting("sql_generate_invisible_primary_key", ("1",), "keyless select like", alone=True),
    Setting("show_gipk_in_create_table_and_information_schema", ("0",), "keyless", alone=True),
    Setting("show_create_table_verbosity", ("1",), "rows engines"),
    Setting("show_create_table_skip_secondary_engine", ("1",), "rows"),
    Setting("old", ("1",), "rows dates"),
    Setting("old_mode", ("''", "'ZERO_DATE_TIME_CAST'", "'NO_DUP_KEY_WARNINGS_WITH_IGNORE'"), "text database dates casts keys lossy"),
    Setting("old_alter_table", ("1",), "alters defaults"),
    Setting("alter_algorithm", ("COPY",), "alters defaults"),
    Setting("sql_if_exists", ("1",), "exists alters"),
    Setting("system_versioning_alter_history", ("KEEP",), "versioned"),
    Setting("system_versioning_asof", ("'2020-01-01'",), "versioned rows"),
    Setting("system_versioning_insert_history", ("1",), "versioned"),
    Setting("mysql56_temporal_format", ("0",), "timestamps dates defaults times lossy"),
    Setting("autocommit", ("0",), "transactions rows"),
    Setting("completion_type", ("1", "2"), "transactions rows", alone=True),
    Setting("binlog_format", ("STATEMENT", "MIXED"), _LOG + " temporary counters load", alone=True),
    Setting("binlog_row_image", ("MINIMAL", "NOBLOB"), _LOG, alone=True),
    Setting("binlog_row_metadata", ("FULL", "MINIMAL"), _LOG + " text"),
    Setting("binlog_row_value_options", ("'PARTIAL_JSON'",), _LOG),
    Setting("binlog_row_event_max_size", ("256",), _LOG),
    Setting("binlog_rows_query_log_events", ("1",), _LOG),
    Setting("binlog_annotate_row_events", ("0",), _LOG),
    Setting("binlog_transaction_compression", ("1",), _LOG),
    Setting("binlog_alter_two_phase", ("1",), "alters defaults lossy"),
    Setting("binlog_direct_non_transactional_updates", ("1",), "transactions engines"),
    Setting("binlog_checksum", ("NONE",), _LOG),
    Setting("log_bin_compress", ("1",), _LOG),
    Setting("log_bin_compress_min_len", ("10",), _LOG),
    Setting("log_statements_unsafe_for_binlog", ("0",), "rows"),
    Setting("tx_isolation", ("'READ-UNCOMMITTED'", "'SERIALIZABLE'"), _LOG),
    Setting("transaction_isolation", ("'READ-UNCOMMITTED'", "'SERIALIZABLE'"), _LOG),
    Setting("tx_read_only", ("1",), "rows", alone=True),
    Setting("transaction_read_only", ("1",), "rows", alone=True),
    Setting("local_infile", ("0",), "rows text dates blobs"),
    Setting("sql_select_limit", ("1",), "select rows text concat", alone=True),
    Setting("max_join_size", ("1",), "select rows concat", alone=True),
    Setting("sql_big_selects", ("0",), "select rows"),
    Setting("sql_safe_updates", ("1",), "keyless rows updates"),
    Setting("sql_buffer_result", ("1",), "select rows"),
    Setting("sql_quote_show_create", ("0",), "rows reserved"),
    Setting("sql_notes", ("0",), "exists lossy dates"),
    Setting("sql_warnings", ("1",), "lossy dates"),
    Setting("max_error_count", ("0",), "lossy dates text blobs"),
    Setting("max_length_for_sort_data", ("8",), "concat"),
    Setting("max_allowed_packet", ("16384",), "blobs"),
    Setting("net_buffer_length", ("1024",), "blobs"),
    Setting("group_replication_consistency", ("'EVENTUAL'",), "rows"),
    Setting("updatable_views_with_limit", ("0",), "updates"),
    Setting("query_cache_type", ("1",), "rows"),
    Setting("optimizer_switch", ("'index_merge=off'",), "rows updates"),
    Setting("use_secondary_engine", ("OFF",), "rows"),
    Setting("windowing_use_high_precision", ("0",), "select"),
    Setting("init_connect", ("'SET sql_select_limit = 1'",), "rows"),
    Setting("read_only", ("1",), "rows"),
    Setting("super_read_only", ("1",), "rows", alone=True),
    Setting("low_priority_updates", ("1",), "engines"),
    Setting("concurrent_insert", ("NEVER",), "engines"),
    Setting("pseudo_slave_mode", ("1",), "rows"),
    Setting("xa_detach_on_prepare", ("0",), "xa"),
)  # fmt: skip

UNCHANGING = {
    "fixed while the server runs": """
        allow_suspicious_udfs aria_block_size aria_encrypt_tables back_log basedir bind_address build_id character_set_system character_sets_dir
        core_file datadir date_format datetime_format time_format disabled_storage_engines external_user proxy_user have_* hostname in_transaction
        init_file innodb_page_size innodb_autoinc_lock_mode innodb_checksum_algorithm innodb_read_only innodb_rollback_on_timeout innodb_version innodb_dedicated_server
        innodb_force_* large_* lc_messages_dir license locked_in_memory log_bin log_bin_basename log_bin_index lower_case_* ngram_token_size open_files_limit
        pid_file plugin_dir plugin_maturity port protocol_version secure_file_priv secure_timestamp server_uid server_uuid skip_external_locking skip_grant_tables
        skip_name_resolve skip_networking skip_show_database skip_*_start socket ignore_*
        system_time_zone thread_handling thread_stack tmpdir version version_* wsrep_* error_count warning_count statement_id table_open_cache_instances
        table_open_cache table_open_cache_triggers ft_* performance_schema report_* extra_port myisam_block_size hostname
        server_id server_id_bits admin_* create_admin_listener_thread container_aware debug_no_thread_alarm last_gtid
        external_table_* metadata_locks_* server_memory""",
    "memory, files, threads and time limits": """
        *_buffer_size *_cache_size *_alloc_block_size *_prealloc_size *_timeout performance_schema_* aria_* big_tables binlog_cache_* binlog_stmt_cache_*
        bulk_insert_buffer_size column_compression_* connection_memory_* global_connection_memory_* deadlock_* delay_key_write delayed_*
        encrypt_tmp_* eq_range_* flush flush_time host_cache_size idle_* innodb_adaptive_* innodb_api_* innodb_autoextend_increment innodb_buf*
        innodb_change_* innodb_cmp_* innodb_commit_concurrency innodb_compression_algorithm innodb_compression_failure_* innodb_compression_level
        innodb_compression_pad_* innodb_concurrency_tickets innodb_data_* innodb_ddl_* innodb_deadlock_* innodb_defragment* innodb_directories
        innodb_disable_* innodb_doublewrite* innodb_encrypt_log innodb_encrypt_temporary_tables innodb_encryption_* innodb_extend_* innodb_fast_shutdown
        innodb_fatal_* innodb_fil* innodb_flush* innodb_fsync_* innodb_idle_* innodb_immediate_* innodb_io_* innodb_linux_* innodb_log_* innodb_lru_*
        innodb_max_* innodb_numa_* innodb_old_* innodb_online_* innodb_open_files innodb_page_cleaners innodb_parallel_* innodb_prefix_*
        innodb_purge_* innodb_random_* innodb_read_ahead_* innodb_read_io_* innodb_redo_* innodb_replication_delay innodb_rollback_segments
        innodb_segment_* innodb_spin_* innodb_sync_* innodb_table_locks innodb_temp_* innodb_thread_* innodb_tmpdir innodb_undo_* innodb_use_*
        innodb_validate_* innodb_write_io_* innodb_alter_copy_bulk innodb_numa_interleave innodb_snapshot_* keep_files_on_create
        key_cache_* extra_max_connections max_connect* max_delayed_threads max_digest_length max_heap_table_size max_insert_delayed_threads max_password_errors
        max_prepared_stmt_count max_session_mem_used max_sp_recursion_depth max_tmp_tables max_user_connections max_write_lock_count
        max_statement_time max_execution_time max_recursive_iterations cte_max_recursion_depth max_rowid_filter_size max_seeks_for_key
        max_points_in_geometry myisam_* net_retry_count parser_max_mem_size preload_buffer_size progress_report_time range_optimizer_max_mem_size
        read_buffer_size regexp_* schema_definition_cache set_operations_buffer_size select_into_* slow_launch_time stored_program_*
        table_definition_cache tablespace_definition_cache tcp_* temptable_* thread_* tmp_*_size tmp_table_size tmp_disk_table_size tmp_memory_table_size
        rowid_merge_buff_size mrr_buffer_size join_buffer_space_limit transaction_allow_batching histogram_generation_max_mem_size
        protocol_compression_algorithms resultset_metadata wait_timeout""",
    "plans and statistics of queries": """
        analyze_* expensive_subquery_limit histogram_* in_predicate_* information_schema_stats_expiry innodb_stats_* join_cache_level optimizer_*
        secondary_engine_cost_threshold standard_compliant_cte use_stat_tables userstat end_markers_in_json explain_* query_cache_* innodb_optimize_*
        enable_secondary_engine_statistics""",
    "full-text indexes, which only queries see": "innodb_ft_*",
    "logging, tracing and what a client is told": """
        general_log* log_* long_query_time min_examined_row_limit note_verbosity profiling* session_track_* slow_query_log* sql_log_off
        innodb_monitor_* innodb_print_* innodb_status_* terminology_use_previous have_profiling""",
    "the binlog's files and the moment of a commit": """
        binlog_commit_wait_* binlog_encryption binlog_error_action binlog_expire_* binlog_file_cache_size binlog_group_commit_* binlog_gtid_*
        binlog_max_flush_queue_time binlog_optimize_* binlog_order_commits binlog_rotate_* binlog_transaction_compression_level_zstd
        binlog_transaction_dependency_* encrypt_binlog expire_logs_days max_binlog_* read_binlog_speed_limit sync_*""",
    "GTIDs, which tests of their own set": """
        gtid_* enforce_gtid_consistency binlog_gtid_simple_recovery original_* immediate_server_version""",
    "leaves statements out of the binlog on purpose": "sql_log_bin skip_replication skip_parallel_replication",
    "the server's own replication": """
        slave_* replica_* relay_* replicate_* rpl_* master_* source_* sql_slave_* sql_replica_* init_slave init_replica rbr_exec_mode require_row_format
        pseudo_replica_mode replication_* default_master_connection max_relay_log_size""",
    "accounts and security": """
        activate_* authentication_policy auto_generate_certs automatic_sp_privileges caching_sha2_* check_proxy_users default_password_lifetime
        disconnect_on_expired_password generated_random_password_length keyring_* mandatory_roles old_passwords offline_mode partial_revokes password_*
        persist_* persisted_globals_load print_identified_with_as_hex proxy_protocol_networks require_secure_transport secure_auth sha256_* ssl_*
        strict_password_validation table_encryption_privilege_check tls_*""",
    "other plug-ins and programs": "event_scheduler mysqlx_* ndb* pseudo_thread_id",
}  # fmt: skip


def unchanging(variable: str) -> str:
    """Why it can change nothing; "" if nothing says so."""
    return next(
        (why for why, names in UNCHANGING.items() if any(fnmatchcase(variable, one) for one in names.split())), ""
    )


def chosen(pattern: str = "*") -> Iterator[tuple[Setting, Chosen]]:
    """Each value of each variable that can change something and is named like ``pattern``."""
    for setting in _named(pattern):
        yield from ((setting, Chosen(setting.name, value)) for value in setting.values)


def packs(pattern: str = "*", size: int = 6) -> Iterator[tuple[tuple[Chosen, ...], tuple[str, ...]]]:
    """Values to set GLOBAL at once, with the themes that they may matter for: several variables that do not hide each other."""
    together: dict[int, list[tuple[Setting, Chosen]]] = defaultdict(list)  # by which value of the variable it is
    for setting in _named(pattern):
        for number, value in enumerate(setting.as_global or setting.values):
            one = Chosen(setting.name, value)
            if setting.alone and one.name != "NAMES":
                yield (one,), themes_of(setting.global_themes or setting.themes)
            elif one.name != "NAMES":
                together[number].append((setting, one))
    for group in together.values():
        for start in range(0, len(group), size):
            part = group[start : start + size]
            yield tuple(one for _, one in part), themes_of(" ".join(setting.themes for setting, _ in part))


def themes_of(names: str) -> tuple[str, ...]:
    """In the battery's order, each once."""
    return tuple(theme for theme in THEMES if names == "*" or theme in names.split())


def _named(pattern: str) -> list[Setting]:
    return [setting for setting in CHANGING if fnmatchcase(setting.name.lower(), pattern.lower())]
