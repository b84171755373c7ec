"""The Master service: each handler converts, calls, converts.  A refusal is an answer, not a status."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from dm_master.configs import NO_SUCH_CONFIG, source_text, task_text, toml_text, worker_text
from dm_master.coordinator import Coordinator
from dm_master.estimate_verbs import estimate
from dm_master.explain_verbs import explain
from dm_master.members import Myself, list_member
from dm_master.relay_orders import RelayOrder
from dm_master.relays import RelayVerbs
from dm_master.scheduler import TaskOrder
from dm_master.settings import SettingsVerbs
from dm_master.shard_locks import ShardLockVerbs
from dm_master.sources import SourceVerbs
from dm_master.status import chosen_sources, query_status
from dm_master.steering import BinlogOrder, SteeringVerbs
from dm_master.structures import StructureOrder, StructureRequest, StructureVerbs
from dm_master.summaries import SummaryVerbs
from dm_master.tasks import TaskVerbs
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.errors import DMError, ErrorKind, Level, Scope, as_dm_error
from pkg.shardddl.lock import Action
from pkg.task import encrypt
from pkg.version import VERSION

Body = dict[str, Any]
M = TypeVar("M", bound=Message)

NO_KEY = ErrorKind(
    38069,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "dm-master {name} has no key to encrypt with",
    workaround="give it --secret-key-path with a file of 64 hexadecimal characters (openssl rand -hex 32)",
)
BAD_REQUEST = ErrorKind(
    38070,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "{what} is not an operation that this dm-master knows",
    workaround="use a dmctl of the same version",
)
_TASK_ORDERS = {dm_pb2.Pause: TaskOrder.PAUSE, dm_pb2.Resume: TaskOrder.RESUME, dm_pb2.Delete: TaskOrder.DELETE}
_RELAY_ORDERS = {
    dm_pb2.StartRelay: RelayOrder.START,
    dm_pb2.StopRelay: RelayOrder.STOP,
    dm_pb2.PauseRelay: RelayOrder.PAUSE,
    dm_pb2.ResumeRelay: RelayOrder.RESUME,
}
_BINLOG_ORDERS = {
    dm_pb2.SkipBinlog: BinlogOrder.SKIP,
    dm_pb2.ReplaceBinlog: BinlogOrder.REPLACE,
    dm_pb2.InjectBinlog: BinlogOrder.INJECT,
    dm_pb2.RevertBinlog: BinlogOrder.REVERT,
    dm_pb2.ListBinlog: BinlogOrder.LIST,
}
_SCHEMA_ORDERS = {
    dm_pb2.ListSchema: StructureOrder.LIST,
    dm_pb2.UpdateSchema: StructureOrder.UPDATE,
    dm_pb2.DeleteSchema: StructureOrder.DELETE,
}
_LOCK_ACTIONS = {"": Action.EXEC, "exec": Action.EXEC, "skip": Action.SKIP}

log = logging.getLogger(__name__)


class MasterServer(dm_pb2_grpc.MasterServicer):
    """dmctl's side of dm-master."""

    def __init__(
        self,
        coordinator: Coordinator,
        me: Myself,
        config_text: str,
        key: bytes | None,
        tasks: TaskVerbs,
        sources: SourceVerbs,
        relays: RelayVerbs,
        steering: SteeringVerbs,
        structures: StructureVerbs,
    ) -> None:
        self._coordinator, self._me, self._config_text, self._key = coordinator, me, config_text, key
        self._tasks, self._sources, self._relays = tasks, sources, relays
        self._steering, self._structures = steering, structures
        self._settings = SettingsVerbs(coordinator)
        self._locks = ShardLockVerbs(coordinator)
        self._summaries = SummaryVerbs(coordinator, tasks)

    def StartTask(self, request: dm_pb2.StartTaskRequest, context: Any) -> dm_pb2.StartTaskResponse:
        return _answer(
            dm_pb2.StartTaskResponse(),
            lambda: self._tasks.start(
                request.task, request.sources, remove_meta=request.remove_meta, start_time=request.start_time
            ),
        )

    def OperateTask(self, request: dm_pb2.OperateTaskRequest, context: Any) -> dm_pb2.OperateTaskResponse:
        order = _TASK_ORDERS.get(request.op)
        if order is None:
            return _answer(dm_pb2.OperateTaskResponse(), lambda: _refuse(f"task operation {request.op}"))
        return _answer(
            dm_pb2.OperateTaskResponse(op=request.op),
            lambda: self._tasks.operate(order, request.name, request.sources),
        )

    def CheckTask(self, request: dm_pb2.CheckTaskRequest, context: Any) -> dm_pb2.CheckTaskResponse:
        return _answer(
            dm_pb2.CheckTaskResponse(),
            lambda: self._tasks.check(request.task, request.err_cnt, request.warn_cnt, request.start_time),
        )

    def ExplainRules(self, request: dm_pb2.ExplainRulesRequest, context: Any) -> dm_pb2.ExplainRulesResponse:
        return _answer(
            dm_pb2.ExplainRulesResponse(),
            lambda: explain(self._tasks.prepare(request.task, request.sources), request.table, request.sql),
        )

    def EstimateTask(self, request: dm_pb2.EstimateTaskRequest, context: Any) -> dm_pb2.EstimateTaskResponse:
        return _answer(
            dm_pb2.EstimateTaskResponse(),
            lambda: estimate(
                self._tasks.prepare(request.task, request.sources), request.sample_seconds, writes=not request.read_only
            ),
        )

    def ShowSummary(self, request: dm_pb2.ShowSummaryRequest, context: Any) -> dm_pb2.ShowSummaryResponse:
        return _answer(
            dm_pb2.ShowSummaryResponse(),
            lambda: self._summaries.show(request.name, request.task, request.sources),
        )

    def SetTask(self, request: dm_pb2.SetTaskRequest, context: Any) -> dm_pb2.SetTaskResponse:
        return _answer(
            dm_pb2.SetTaskResponse(), lambda: self._settings.set(request.name, request.sources, request.settings)
        )

    def QueryStatus(self, request: dm_pb2.QueryStatusRequest, context: Any) -> dm_pb2.QueryStatusResponse:
        return _answer(
            dm_pb2.QueryStatusResponse(),
            lambda: self._status(request),
        )

    def _status(self, request: dm_pb2.QueryStatusRequest) -> Body:
        asked = chosen_sources(self._coordinator.picture(), request.name, request.sources)
        picture, question = self._coordinator.look(asked)
        return query_status(picture, request.name, request.sources, question=question, more=request.more)

    def OperateSource(self, request: dm_pb2.OperateSourceRequest, context: Any) -> dm_pb2.OperateSourceResponse:
        return _answer(dm_pb2.OperateSourceResponse(), lambda: self._operate_source(request))

    def _operate_source(self, request: dm_pb2.OperateSourceRequest) -> Body:
        match request.op:
            case dm_pb2.CreateSource:
                return self._sources.create(request.config, request.worker_name)
            case dm_pb2.UpdateSource:
                return self._sources.update(request.config)
            case dm_pb2.StopSource:
                return self._sources.stop(request.source_id)
            case dm_pb2.ShowSource:
                return self._sources.show(request.source_id)
            case _:
                return _refuse(f"source operation {request.op}")

    def OperateRelay(self, request: dm_pb2.OperateRelayRequest, context: Any) -> dm_pb2.OperateRelayResponse:
        order = _RELAY_ORDERS.get(request.op)
        if order not in (RelayOrder.START, RelayOrder.STOP):
            return _answer(dm_pb2.OperateRelayResponse(), lambda: _refuse(f"relay operation {request.op}"))
        return _answer(
            dm_pb2.OperateRelayResponse(), lambda: self._relays.operate(order, [request.source], request.worker)
        )

    def OperateWorkerRelay(
        self, request: dm_pb2.OperateWorkerRelayRequest, context: Any
    ) -> dm_pb2.OperateWorkerRelayResponse:
        order = _RELAY_ORDERS.get(request.op)
        if order not in (RelayOrder.PAUSE, RelayOrder.RESUME):
            return _answer(dm_pb2.OperateWorkerRelayResponse(), lambda: _refuse(f"relay operation {request.op}"))
        return _answer(
            dm_pb2.OperateWorkerRelayResponse(op=request.op), lambda: self._relays.operate(order, request.sources)
        )

    def PurgeRelay(self, request: dm_pb2.PurgeRelayRequest, context: Any) -> dm_pb2.PurgeRelayResponse:
        return _answer(
            dm_pb2.PurgeRelayResponse(),
            lambda: self._relays.purge(request.sources, request.filename, request.sub_dir),
        )

    def OperateBinlog(self, request: dm_pb2.OperateBinlogRequest, context: Any) -> dm_pb2.OperateBinlogResponse:
        order = _BINLOG_ORDERS.get(request.op)
        if order is None:
            return _answer(dm_pb2.OperateBinlogResponse(), lambda: _refuse(f"binlog operation {request.op}"))
        return _answer(
            dm_pb2.OperateBinlogResponse(),
            lambda: self._steering.binlog(order, request.task, request.sources, request.binlog_pos, request.sqls),
        )

    def OperateSchema(self, request: dm_pb2.OperateSchemaRequest, context: Any) -> dm_pb2.OperateSchemaResponse:
        order = _SCHEMA_ORDERS.get(request.op)
        if order is None:
            return _answer(dm_pb2.OperateSchemaResponse(), lambda: _refuse(f"schema operation {request.op}"))
        wanted = StructureRequest(
            order, request.task, request.database, request.table, request.schema, request.from_source,
            request.from_target,
        )  # fmt: skip
        return _answer(dm_pb2.OperateSchemaResponse(), lambda: self._structures.operate(wanted, request.sources))

    def ShowDDLLocks(self, request: dm_pb2.ShowDDLLocksRequest, context: Any) -> dm_pb2.ShowDDLLocksResponse:
        return _answer(
            dm_pb2.ShowDDLLocksResponse(),
            lambda: self._locks.show(request.task, request.sources, explain=request.explain),
        )

    def UnlockDDLLock(self, request: dm_pb2.UnlockDDLLockRequest, context: Any) -> dm_pb2.UnlockDDLLockResponse:
        action = _LOCK_ACTIONS.get(request.action)
        if action is None:
            return _answer(dm_pb2.UnlockDDLLockResponse(), lambda: _refuse(f"lock action {request.action!r}"))
        return _answer(
            dm_pb2.UnlockDDLLockResponse(),
            lambda: self._locks.unlock(
                request.id, owner=request.replace_owner, action=action, remove=request.force_remove
            ),
        )

    def ListMember(self, request: dm_pb2.ListMemberRequest, context: Any) -> dm_pb2.ListMemberResponse:
        return _answer(
            dm_pb2.ListMemberResponse(),
            lambda: list_member(
                self._coordinator.picture(),
                self._me,
                leader=request.leader,
                master=request.master,
                worker=request.worker,
                names=request.names,
            ),
        )

    def GetCfg(self, request: dm_pb2.GetCfgRequest, context: Any) -> dm_pb2.GetCfgResponse:
        return _answer(dm_pb2.GetCfgResponse(), lambda: {"result": True, "cfg": self._config(request)})

    def _config(self, request: dm_pb2.GetCfgRequest) -> str:
        cluster = self._coordinator.picture().cluster
        match request.type:
            case dm_pb2.TaskType:
                return task_text(cluster, request.name)
            case dm_pb2.SourceType:
                return source_text(cluster, request.name)
            case dm_pb2.WorkerType:
                return worker_text(cluster, request.name)
            case dm_pb2.MasterType if request.name in ("", self._me.name):
                return toml_text(self._config_text)
            case dm_pb2.MasterType:
                raise NO_SUCH_CONFIG.error(kind="master", name=request.name)
            case _:
                raise BAD_REQUEST.error(what=f"configuration type {request.type}")

    def Encrypt(self, request: dm_pb2.EncryptRequest, context: Any) -> dm_pb2.EncryptResponse:
        return _answer(dm_pb2.EncryptResponse(), lambda: self._encrypt(request.plaintext))

    def _encrypt(self, plaintext: str) -> Body:
        if self._key is None:
            raise NO_KEY.error(name=self._me.name)
        return {"result": True, "ciphertext": encrypt(plaintext, self._key)}

    def Version(self, request: dm_pb2.VersionRequest, context: Any) -> dm_pb2.VersionResponse:
        return dm_pb2.VersionResponse(result=True, name=self._me.name, version=VERSION)


def _answer(empty: M, verb: Callable[[], Body]) -> M:
    """The verb's answer, or its refusal, as the message."""
    try:
        body = verb()
    except Exception as exc:
        error = as_dm_error(exc)
        if not isinstance(exc, DMError):
            log.exception("a request failed by a defect")
        body = {"result": False, "msg": str(error)}
    try:
        return ParseDict(body, empty)
    except ParseError:
        log.exception("an answer has what its message does not carry, by a defect")
        empty.Clear()
        return ParseDict(body, empty, ignore_unknown_fields=True)


def _refuse(what: str) -> Body:
    raise BAD_REQUEST.error(what=what)
