from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TaskOp(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    InvalidOp: _ClassVar[TaskOp]
    Pause: _ClassVar[TaskOp]
    Resume: _ClassVar[TaskOp]
    Delete: _ClassVar[TaskOp]

class SourceOp(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    InvalidSourceOp: _ClassVar[SourceOp]
    CreateSource: _ClassVar[SourceOp]
    UpdateSource: _ClassVar[SourceOp]
    StopSource: _ClassVar[SourceOp]
    ShowSource: _ClassVar[SourceOp]

class CfgType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    InvalidType: _ClassVar[CfgType]
    TaskType: _ClassVar[CfgType]
    SourceType: _ClassVar[CfgType]
    MasterType: _ClassVar[CfgType]
    WorkerType: _ClassVar[CfgType]
InvalidOp: TaskOp
Pause: TaskOp
Resume: TaskOp
Delete: TaskOp
InvalidSourceOp: SourceOp
CreateSource: SourceOp
UpdateSource: SourceOp
StopSource: SourceOp
ShowSource: SourceOp
InvalidType: CfgType
TaskType: CfgType
SourceType: CfgType
MasterType: CfgType
WorkerType: CfgType

class CommonWorkerResponse(_message.Message):
    __slots__ = ("result", "msg", "source", "worker")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    source: str
    worker: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., source: _Optional[str] = ..., worker: _Optional[str] = ...) -> None: ...

class StartTaskRequest(_message.Message):
    __slots__ = ("task", "sources", "remove_meta", "start_time")
    TASK_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    REMOVE_META_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    task: str
    sources: _containers.RepeatedScalarFieldContainer[str]
    remove_meta: bool
    start_time: str
    def __init__(self, task: _Optional[str] = ..., sources: _Optional[_Iterable[str]] = ..., remove_meta: _Optional[bool] = ..., start_time: _Optional[str] = ...) -> None: ...

class StartTaskResponse(_message.Message):
    __slots__ = ("result", "msg", "sources", "check_result")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CHECK_RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    sources: _containers.RepeatedCompositeFieldContainer[CommonWorkerResponse]
    check_result: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[CommonWorkerResponse, _Mapping]]] = ..., check_result: _Optional[str] = ...) -> None: ...

class OperateTaskRequest(_message.Message):
    __slots__ = ("op", "name", "sources")
    OP_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    op: TaskOp
    name: str
    sources: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, op: _Optional[_Union[TaskOp, str]] = ..., name: _Optional[str] = ..., sources: _Optional[_Iterable[str]] = ...) -> None: ...

class OperateTaskResponse(_message.Message):
    __slots__ = ("op", "result", "msg", "sources")
    OP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    op: TaskOp
    result: bool
    msg: str
    sources: _containers.RepeatedCompositeFieldContainer[CommonWorkerResponse]
    def __init__(self, op: _Optional[_Union[TaskOp, str]] = ..., result: _Optional[bool] = ..., msg: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[CommonWorkerResponse, _Mapping]]] = ...) -> None: ...

class QueryStatusRequest(_message.Message):
    __slots__ = ("name", "sources", "more")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    name: str
    sources: _containers.RepeatedScalarFieldContainer[str]
    more: bool
    def __init__(self, name: _Optional[str] = ..., sources: _Optional[_Iterable[str]] = ..., more: _Optional[bool] = ...) -> None: ...

class QueryStatusResponse(_message.Message):
    __slots__ = ("result", "msg", "sources", "tasks")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    TASKS_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    sources: _containers.RepeatedCompositeFieldContainer[SourceAnswer]
    tasks: _containers.RepeatedCompositeFieldContainer[TaskSummary]
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[SourceAnswer, _Mapping]]] = ..., tasks: _Optional[_Iterable[_Union[TaskSummary, _Mapping]]] = ...) -> None: ...

class TaskSummary(_message.Message):
    __slots__ = ("task_name", "task_status", "sources")
    TASK_NAME_FIELD_NUMBER: _ClassVar[int]
    TASK_STATUS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    task_name: str
    task_status: str
    sources: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task_name: _Optional[str] = ..., task_status: _Optional[str] = ..., sources: _Optional[_Iterable[str]] = ...) -> None: ...

class SourceAnswer(_message.Message):
    __slots__ = ("result", "msg", "source_status", "sub_task_status")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCE_STATUS_FIELD_NUMBER: _ClassVar[int]
    SUB_TASK_STATUS_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    source_status: SourceStatus
    sub_task_status: _containers.RepeatedCompositeFieldContainer[SubTaskStatus]
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., source_status: _Optional[_Union[SourceStatus, _Mapping]] = ..., sub_task_status: _Optional[_Iterable[_Union[SubTaskStatus, _Mapping]]] = ...) -> None: ...

class SourceStatus(_message.Message):
    __slots__ = ("source", "worker", "result", "relay_status")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    RELAY_STATUS_FIELD_NUMBER: _ClassVar[int]
    source: str
    worker: str
    result: ProcessResult
    relay_status: RelayStatus
    def __init__(self, source: _Optional[str] = ..., worker: _Optional[str] = ..., result: _Optional[_Union[ProcessResult, _Mapping]] = ..., relay_status: _Optional[_Union[RelayStatus, _Mapping]] = ...) -> None: ...

class RelayStatus(_message.Message):
    __slots__ = ("master_binlog", "master_binlog_gtid", "relay_sub_dir", "relay_binlog", "relay_binlog_gtid", "relay_catch_up_master", "stage", "result")
    MASTER_BINLOG_FIELD_NUMBER: _ClassVar[int]
    MASTER_BINLOG_GTID_FIELD_NUMBER: _ClassVar[int]
    RELAY_SUB_DIR_FIELD_NUMBER: _ClassVar[int]
    RELAY_BINLOG_FIELD_NUMBER: _ClassVar[int]
    RELAY_BINLOG_GTID_FIELD_NUMBER: _ClassVar[int]
    RELAY_CATCH_UP_MASTER_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    master_binlog: str
    master_binlog_gtid: str
    relay_sub_dir: str
    relay_binlog: str
    relay_binlog_gtid: str
    relay_catch_up_master: bool
    stage: str
    result: ProcessResult
    def __init__(self, master_binlog: _Optional[str] = ..., master_binlog_gtid: _Optional[str] = ..., relay_sub_dir: _Optional[str] = ..., relay_binlog: _Optional[str] = ..., relay_binlog_gtid: _Optional[str] = ..., relay_catch_up_master: _Optional[bool] = ..., stage: _Optional[str] = ..., result: _Optional[_Union[ProcessResult, _Mapping]] = ...) -> None: ...

class ProcessResult(_message.Message):
    __slots__ = ("is_canceled", "errors", "detail")
    IS_CANCELED_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    is_canceled: bool
    errors: _containers.RepeatedCompositeFieldContainer[ProcessError]
    detail: str
    def __init__(self, is_canceled: _Optional[bool] = ..., errors: _Optional[_Iterable[_Union[ProcessError, _Mapping]]] = ..., detail: _Optional[str] = ...) -> None: ...

class ProcessError(_message.Message):
    __slots__ = ("err_code", "err_class", "err_scope", "err_level", "message", "raw_cause", "workaround", "resumable")
    ERR_CODE_FIELD_NUMBER: _ClassVar[int]
    ERR_CLASS_FIELD_NUMBER: _ClassVar[int]
    ERR_SCOPE_FIELD_NUMBER: _ClassVar[int]
    ERR_LEVEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RAW_CAUSE_FIELD_NUMBER: _ClassVar[int]
    WORKAROUND_FIELD_NUMBER: _ClassVar[int]
    RESUMABLE_FIELD_NUMBER: _ClassVar[int]
    err_code: int
    err_class: str
    err_scope: str
    err_level: str
    message: str
    raw_cause: str
    workaround: str
    resumable: bool
    def __init__(self, err_code: _Optional[int] = ..., err_class: _Optional[str] = ..., err_scope: _Optional[str] = ..., err_level: _Optional[str] = ..., message: _Optional[str] = ..., raw_cause: _Optional[str] = ..., workaround: _Optional[str] = ..., resumable: _Optional[bool] = ...) -> None: ...

class SubTaskStatus(_message.Message):
    __slots__ = ("name", "stage", "unit", "result", "unresolved_ddl_lock_id", "msg", "dump", "load", "sync", "epoch", "expected_stage", "next_try")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    UNRESOLVED_DDL_LOCK_ID_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    DUMP_FIELD_NUMBER: _ClassVar[int]
    LOAD_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_STAGE_FIELD_NUMBER: _ClassVar[int]
    NEXT_TRY_FIELD_NUMBER: _ClassVar[int]
    name: str
    stage: str
    unit: str
    result: ProcessResult
    unresolved_ddl_lock_id: str
    msg: str
    dump: DumpStatus
    load: LoadStatus
    sync: SyncStatus
    epoch: int
    expected_stage: str
    next_try: str
    def __init__(self, name: _Optional[str] = ..., stage: _Optional[str] = ..., unit: _Optional[str] = ..., result: _Optional[_Union[ProcessResult, _Mapping]] = ..., unresolved_ddl_lock_id: _Optional[str] = ..., msg: _Optional[str] = ..., dump: _Optional[_Union[DumpStatus, _Mapping]] = ..., load: _Optional[_Union[LoadStatus, _Mapping]] = ..., sync: _Optional[_Union[SyncStatus, _Mapping]] = ..., epoch: _Optional[int] = ..., expected_stage: _Optional[str] = ..., next_try: _Optional[str] = ...) -> None: ...

class DumpStatus(_message.Message):
    __slots__ = ("total_tables", "completed_tables", "finished_bytes", "finished_rows", "estimate_total_rows", "bps", "progress", "rows_per_second", "completed_chunks", "total_chunks")
    TOTAL_TABLES_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_TABLES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_BYTES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_ROWS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_TOTAL_ROWS_FIELD_NUMBER: _ClassVar[int]
    BPS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    ROWS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_CHUNKS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_CHUNKS_FIELD_NUMBER: _ClassVar[int]
    total_tables: int
    completed_tables: float
    finished_bytes: float
    finished_rows: float
    estimate_total_rows: float
    bps: int
    progress: str
    rows_per_second: float
    completed_chunks: int
    total_chunks: int
    def __init__(self, total_tables: _Optional[int] = ..., completed_tables: _Optional[float] = ..., finished_bytes: _Optional[float] = ..., finished_rows: _Optional[float] = ..., estimate_total_rows: _Optional[float] = ..., bps: _Optional[int] = ..., progress: _Optional[str] = ..., rows_per_second: _Optional[float] = ..., completed_chunks: _Optional[int] = ..., total_chunks: _Optional[int] = ...) -> None: ...

class LoadStatus(_message.Message):
    __slots__ = ("finished_bytes", "total_bytes", "progress", "meta_binlog", "meta_binlog_gtid", "bps", "finished_rows", "estimate_total_rows", "rows_per_second", "completed_chunks", "total_chunks", "completed_tables", "total_tables")
    FINISHED_BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    META_BINLOG_FIELD_NUMBER: _ClassVar[int]
    META_BINLOG_GTID_FIELD_NUMBER: _ClassVar[int]
    BPS_FIELD_NUMBER: _ClassVar[int]
    FINISHED_ROWS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_TOTAL_ROWS_FIELD_NUMBER: _ClassVar[int]
    ROWS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_CHUNKS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_CHUNKS_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_TABLES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TABLES_FIELD_NUMBER: _ClassVar[int]
    finished_bytes: int
    total_bytes: int
    progress: str
    meta_binlog: str
    meta_binlog_gtid: str
    bps: int
    finished_rows: int
    estimate_total_rows: int
    rows_per_second: float
    completed_chunks: int
    total_chunks: int
    completed_tables: int
    total_tables: int
    def __init__(self, finished_bytes: _Optional[int] = ..., total_bytes: _Optional[int] = ..., progress: _Optional[str] = ..., meta_binlog: _Optional[str] = ..., meta_binlog_gtid: _Optional[str] = ..., bps: _Optional[int] = ..., finished_rows: _Optional[int] = ..., estimate_total_rows: _Optional[int] = ..., rows_per_second: _Optional[float] = ..., completed_chunks: _Optional[int] = ..., total_chunks: _Optional[int] = ..., completed_tables: _Optional[int] = ..., total_tables: _Optional[int] = ...) -> None: ...

class SyncStatus(_message.Message):
    __slots__ = ("total_events", "total_tps", "recent_tps", "master_binlog", "master_binlog_gtid", "syncer_binlog", "syncer_binlog_gtid", "blocking_ddls", "unresolved_groups", "synced", "binlog_type", "seconds_behind_master", "block_ddl_owner", "conflict_msg", "total_rows", "total_rps", "recent_rps", "io_total_bytes", "dump_io_total_bytes", "lag_seconds", "safe_mode", "safe_mode_reason", "epoch", "channels")
    TOTAL_EVENTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TPS_FIELD_NUMBER: _ClassVar[int]
    RECENT_TPS_FIELD_NUMBER: _ClassVar[int]
    MASTER_BINLOG_FIELD_NUMBER: _ClassVar[int]
    MASTER_BINLOG_GTID_FIELD_NUMBER: _ClassVar[int]
    SYNCER_BINLOG_FIELD_NUMBER: _ClassVar[int]
    SYNCER_BINLOG_GTID_FIELD_NUMBER: _ClassVar[int]
    BLOCKING_DDLS_FIELD_NUMBER: _ClassVar[int]
    UNRESOLVED_GROUPS_FIELD_NUMBER: _ClassVar[int]
    SYNCED_FIELD_NUMBER: _ClassVar[int]
    BINLOG_TYPE_FIELD_NUMBER: _ClassVar[int]
    SECONDS_BEHIND_MASTER_FIELD_NUMBER: _ClassVar[int]
    BLOCK_DDL_OWNER_FIELD_NUMBER: _ClassVar[int]
    CONFLICT_MSG_FIELD_NUMBER: _ClassVar[int]
    TOTAL_ROWS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_RPS_FIELD_NUMBER: _ClassVar[int]
    RECENT_RPS_FIELD_NUMBER: _ClassVar[int]
    IO_TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    DUMP_IO_TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    LAG_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SAFE_MODE_FIELD_NUMBER: _ClassVar[int]
    SAFE_MODE_REASON_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    total_events: int
    total_tps: int
    recent_tps: int
    master_binlog: str
    master_binlog_gtid: str
    syncer_binlog: str
    syncer_binlog_gtid: str
    blocking_ddls: _containers.RepeatedScalarFieldContainer[str]
    unresolved_groups: _containers.RepeatedCompositeFieldContainer[ShardingGroup]
    synced: bool
    binlog_type: str
    seconds_behind_master: int
    block_ddl_owner: str
    conflict_msg: str
    total_rows: int
    total_rps: int
    recent_rps: int
    io_total_bytes: int
    dump_io_total_bytes: int
    lag_seconds: float
    safe_mode: bool
    safe_mode_reason: str
    epoch: int
    channels: _containers.RepeatedCompositeFieldContainer[ChannelStatus]
    def __init__(self, total_events: _Optional[int] = ..., total_tps: _Optional[int] = ..., recent_tps: _Optional[int] = ..., master_binlog: _Optional[str] = ..., master_binlog_gtid: _Optional[str] = ..., syncer_binlog: _Optional[str] = ..., syncer_binlog_gtid: _Optional[str] = ..., blocking_ddls: _Optional[_Iterable[str]] = ..., unresolved_groups: _Optional[_Iterable[_Union[ShardingGroup, _Mapping]]] = ..., synced: _Optional[bool] = ..., binlog_type: _Optional[str] = ..., seconds_behind_master: _Optional[int] = ..., block_ddl_owner: _Optional[str] = ..., conflict_msg: _Optional[str] = ..., total_rows: _Optional[int] = ..., total_rps: _Optional[int] = ..., recent_rps: _Optional[int] = ..., io_total_bytes: _Optional[int] = ..., dump_io_total_bytes: _Optional[int] = ..., lag_seconds: _Optional[float] = ..., safe_mode: _Optional[bool] = ..., safe_mode_reason: _Optional[str] = ..., epoch: _Optional[int] = ..., channels: _Optional[_Iterable[_Union[ChannelStatus, _Mapping]]] = ...) -> None: ...

class ChannelStatus(_message.Message):
    __slots__ = ("channel", "applied", "queued_jobs", "applied_rows")
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_JOBS_FIELD_NUMBER: _ClassVar[int]
    APPLIED_ROWS_FIELD_NUMBER: _ClassVar[int]
    channel: int
    applied: str
    queued_jobs: int
    applied_rows: int
    def __init__(self, channel: _Optional[int] = ..., applied: _Optional[str] = ..., queued_jobs: _Optional[int] = ..., applied_rows: _Optional[int] = ...) -> None: ...

class ShardingGroup(_message.Message):
    __slots__ = ("target", "ddls", "first_location", "synced", "unsynced")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DDLS_FIELD_NUMBER: _ClassVar[int]
    FIRST_LOCATION_FIELD_NUMBER: _ClassVar[int]
    SYNCED_FIELD_NUMBER: _ClassVar[int]
    UNSYNCED_FIELD_NUMBER: _ClassVar[int]
    target: str
    ddls: _containers.RepeatedScalarFieldContainer[str]
    first_location: str
    synced: _containers.RepeatedScalarFieldContainer[str]
    unsynced: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, target: _Optional[str] = ..., ddls: _Optional[_Iterable[str]] = ..., first_location: _Optional[str] = ..., synced: _Optional[_Iterable[str]] = ..., unsynced: _Optional[_Iterable[str]] = ...) -> None: ...

class OperateSourceRequest(_message.Message):
    __slots__ = ("op", "config", "source_id", "worker_name")
    OP_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_NAME_FIELD_NUMBER: _ClassVar[int]
    op: SourceOp
    config: _containers.RepeatedScalarFieldContainer[str]
    source_id: _containers.RepeatedScalarFieldContainer[str]
    worker_name: str
    def __init__(self, op: _Optional[_Union[SourceOp, str]] = ..., config: _Optional[_Iterable[str]] = ..., source_id: _Optional[_Iterable[str]] = ..., worker_name: _Optional[str] = ...) -> None: ...

class OperateSourceResponse(_message.Message):
    __slots__ = ("result", "msg", "sources")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    sources: _containers.RepeatedCompositeFieldContainer[CommonWorkerResponse]
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[CommonWorkerResponse, _Mapping]]] = ...) -> None: ...

class ListMemberRequest(_message.Message):
    __slots__ = ("leader", "master", "worker", "names")
    LEADER_FIELD_NUMBER: _ClassVar[int]
    MASTER_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    leader: bool
    master: bool
    worker: bool
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, leader: _Optional[bool] = ..., master: _Optional[bool] = ..., worker: _Optional[bool] = ..., names: _Optional[_Iterable[str]] = ...) -> None: ...

class ListMemberResponse(_message.Message):
    __slots__ = ("result", "msg", "members")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    members: _containers.RepeatedCompositeFieldContainer[Member]
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., members: _Optional[_Iterable[_Union[Member, _Mapping]]] = ...) -> None: ...

class Member(_message.Message):
    __slots__ = ("leader", "master", "worker")
    LEADER_FIELD_NUMBER: _ClassVar[int]
    MASTER_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    leader: LeaderMember
    master: MasterMembers
    worker: WorkerMembers
    def __init__(self, leader: _Optional[_Union[LeaderMember, _Mapping]] = ..., master: _Optional[_Union[MasterMembers, _Mapping]] = ..., worker: _Optional[_Union[WorkerMembers, _Mapping]] = ...) -> None: ...

class LeaderMember(_message.Message):
    __slots__ = ("msg", "name", "addr")
    MSG_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADDR_FIELD_NUMBER: _ClassVar[int]
    msg: str
    name: str
    addr: str
    def __init__(self, msg: _Optional[str] = ..., name: _Optional[str] = ..., addr: _Optional[str] = ...) -> None: ...

class MasterMembers(_message.Message):
    __slots__ = ("msg", "masters")
    MSG_FIELD_NUMBER: _ClassVar[int]
    MASTERS_FIELD_NUMBER: _ClassVar[int]
    msg: str
    masters: _containers.RepeatedCompositeFieldContainer[MasterMember]
    def __init__(self, msg: _Optional[str] = ..., masters: _Optional[_Iterable[_Union[MasterMember, _Mapping]]] = ...) -> None: ...

class MasterMember(_message.Message):
    __slots__ = ("name", "member_id", "alive", "peer_urls", "client_urls")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEMBER_ID_FIELD_NUMBER: _ClassVar[int]
    ALIVE_FIELD_NUMBER: _ClassVar[int]
    PEER_URLS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_URLS_FIELD_NUMBER: _ClassVar[int]
    name: str
    member_id: str
    alive: bool
    peer_urls: _containers.RepeatedScalarFieldContainer[str]
    client_urls: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., member_id: _Optional[str] = ..., alive: _Optional[bool] = ..., peer_urls: _Optional[_Iterable[str]] = ..., client_urls: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkerMembers(_message.Message):
    __slots__ = ("msg", "workers")
    MSG_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    msg: str
    workers: _containers.RepeatedCompositeFieldContainer[WorkerMember]
    def __init__(self, msg: _Optional[str] = ..., workers: _Optional[_Iterable[_Union[WorkerMember, _Mapping]]] = ...) -> None: ...

class WorkerMember(_message.Message):
    __slots__ = ("name", "addr", "stage", "source")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADDR_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    addr: str
    stage: str
    source: str
    def __init__(self, name: _Optional[str] = ..., addr: _Optional[str] = ..., stage: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class GetCfgRequest(_message.Message):
    __slots__ = ("type", "name")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    type: CfgType
    name: str
    def __init__(self, type: _Optional[_Union[CfgType, str]] = ..., name: _Optional[str] = ...) -> None: ...

class GetCfgResponse(_message.Message):
    __slots__ = ("result", "msg", "cfg")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    CFG_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    cfg: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., cfg: _Optional[str] = ...) -> None: ...

class CheckTaskRequest(_message.Message):
    __slots__ = ("task", "err_cnt", "warn_cnt", "start_time")
    TASK_FIELD_NUMBER: _ClassVar[int]
    ERR_CNT_FIELD_NUMBER: _ClassVar[int]
    WARN_CNT_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    task: str
    err_cnt: int
    warn_cnt: int
    start_time: str
    def __init__(self, task: _Optional[str] = ..., err_cnt: _Optional[int] = ..., warn_cnt: _Optional[int] = ..., start_time: _Optional[str] = ...) -> None: ...

class CheckTaskResponse(_message.Message):
    __slots__ = ("result", "msg")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ...) -> None: ...

class EncryptRequest(_message.Message):
    __slots__ = ("plaintext",)
    PLAINTEXT_FIELD_NUMBER: _ClassVar[int]
    plaintext: str
    def __init__(self, plaintext: _Optional[str] = ...) -> None: ...

class EncryptResponse(_message.Message):
    __slots__ = ("result", "msg", "ciphertext")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    CIPHERTEXT_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    ciphertext: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., ciphertext: _Optional[str] = ...) -> None: ...

class VersionRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VersionResponse(_message.Message):
    __slots__ = ("result", "msg", "name", "version")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    result: bool
    msg: str
    name: str
    version: str
    def __init__(self, result: _Optional[bool] = ..., msg: _Optional[str] = ..., name: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class WorkerMessage(_message.Message):
    __slots__ = ("hello", "observed", "goodbye")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    observed: Observed
    goodbye: Goodbye
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., observed: _Optional[_Union[Observed, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Hello(_message.Message):
    __slots__ = ("name", "address", "revision", "version", "config", "instance", "lease_seconds")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    LEASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    address: str
    revision: int
    version: str
    config: str
    instance: str
    lease_seconds: float
    def __init__(self, name: _Optional[str] = ..., address: _Optional[str] = ..., revision: _Optional[int] = ..., version: _Optional[str] = ..., config: _Optional[str] = ..., instance: _Optional[str] = ..., lease_seconds: _Optional[float] = ...) -> None: ...

class Observed(_message.Message):
    __slots__ = ("revision", "source", "bind_epoch", "source_result", "subtasks")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    BIND_EPOCH_FIELD_NUMBER: _ClassVar[int]
    SOURCE_RESULT_FIELD_NUMBER: _ClassVar[int]
    SUBTASKS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    source: str
    bind_epoch: int
    source_result: ProcessResult
    subtasks: _containers.RepeatedCompositeFieldContainer[ObservedSubtask]
    def __init__(self, revision: _Optional[int] = ..., source: _Optional[str] = ..., bind_epoch: _Optional[int] = ..., source_result: _Optional[_Union[ProcessResult, _Mapping]] = ..., subtasks: _Optional[_Iterable[_Union[ObservedSubtask, _Mapping]]] = ...) -> None: ...

class ObservedSubtask(_message.Message):
    __slots__ = ("revision", "status")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    status: SubTaskStatus
    def __init__(self, revision: _Optional[int] = ..., status: _Optional[_Union[SubTaskStatus, _Mapping]] = ...) -> None: ...

class MasterMessage(_message.Message):
    __slots__ = ("desired",)
    DESIRED_FIELD_NUMBER: _ClassVar[int]
    desired: Desired
    def __init__(self, desired: _Optional[_Union[Desired, _Mapping]] = ...) -> None: ...

class Desired(_message.Message):
    __slots__ = ("revision", "binding")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    BINDING_FIELD_NUMBER: _ClassVar[int]
    revision: int
    binding: Binding
    def __init__(self, revision: _Optional[int] = ..., binding: _Optional[_Union[Binding, _Mapping]] = ...) -> None: ...

class Binding(_message.Message):
    __slots__ = ("source", "bind_epoch", "config", "subtasks")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    BIND_EPOCH_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    SUBTASKS_FIELD_NUMBER: _ClassVar[int]
    source: str
    bind_epoch: int
    config: str
    subtasks: _containers.RepeatedCompositeFieldContainer[DesiredSubtask]
    def __init__(self, source: _Optional[str] = ..., bind_epoch: _Optional[int] = ..., config: _Optional[str] = ..., subtasks: _Optional[_Iterable[_Union[DesiredSubtask, _Mapping]]] = ...) -> None: ...

class DesiredSubtask(_message.Message):
    __slots__ = ("task", "revision", "config", "expected_stage")
    TASK_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_STAGE_FIELD_NUMBER: _ClassVar[int]
    task: str
    revision: int
    config: str
    expected_stage: str
    def __init__(self, task: _Optional[str] = ..., revision: _Optional[int] = ..., config: _Optional[str] = ..., expected_stage: _Optional[str] = ...) -> None: ...
