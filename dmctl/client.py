"""The gRPC client: the only place in dmctl that knows protobuf.

A dial is tried apart from the request, so that a request is never sent twice: when the connection breaks while a
request that changes something is under way, the master may have carried it out.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import grpc

from dmctl.answer import Body
from dmctl.errors import CALL_FAILED, CANNOT_CONNECT
from dmctl.messages import as_body
from dmctl.settings import Settings
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.adapters.rpc.channel import open_channel
from pkg.errors import DMError

Method = Callable[[dm_pb2_grpc.MasterStub], Any]

DIAL_SECONDS = 3.0
_SETTLE_SECONDS = 15.0  # a dm-master on a busy machine accepts at once and speaks later
DEFAULT_PORT = 8261
_NOT_LEADER = 38043
_TASK_OPS = {"pause": dm_pb2.Pause, "resume": dm_pb2.Resume, "delete": dm_pb2.Delete}
_SOURCE_OPS = {
    "create": dm_pb2.CreateSource,
    "update": dm_pb2.UpdateSource,
    "stop": dm_pb2.StopSource,
    "show": dm_pb2.ShowSource,
}
_RELAY_OPS = {
    "start": dm_pb2.StartRelay,
    "stop": dm_pb2.StopRelay,
    "pause": dm_pb2.PauseRelay,
    "resume": dm_pb2.ResumeRelay,
}
_BINLOG_OPS = {
    "skip": dm_pb2.SkipBinlog,
    "replace": dm_pb2.ReplaceBinlog,
    "inject": dm_pb2.InjectBinlog,
    "revert": dm_pb2.RevertBinlog,
    "list": dm_pb2.ListBinlog,
}
_SCHEMA_OPS = {"list": dm_pb2.ListSchema, "update": dm_pb2.UpdateSchema, "delete": dm_pb2.DeleteSchema}
_CONFIG_TYPES = {
    "task": dm_pb2.TaskType,
    "source": dm_pb2.SourceType,
    "master": dm_pb2.MasterType,
    "worker": dm_pb2.WorkerType,
}


def connect(settings: Settings) -> GrpcMaster:
    """A client of the first master that answers."""
    client = GrpcMaster(settings)
    client.dial()
    return client


class GrpcMaster:
    """Requests to dm-master, answered as dictionaries in DM's JSON shape."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._channel: grpc.Channel | None = None
        self._address = ""

    def start_task(self, task: str, sources: Iterable[str], *, remove_meta: bool, start_time: str) -> Body:
        request = dm_pb2.StartTaskRequest(task=task, sources=sources, remove_meta=remove_meta, start_time=start_time)
        return self._call("StartTask", lambda stub: stub.StartTask, request)

    def show_locks(self, task: str, sources: Iterable[str], *, explain: bool) -> Body:
        request = dm_pb2.ShowDDLLocksRequest(task=task, sources=sources, explain=explain)
        return self._call("ShowDDLLocks", lambda stub: stub.ShowDDLLocks, request, repeatable=True)

    def unlock(self, lock_id: str, *, owner: str, action: str, remove: bool) -> Body:
        request = dm_pb2.UnlockDDLLockRequest(id=lock_id, replace_owner=owner, action=action, force_remove=remove)
        return self._call("UnlockDDLLock", lambda stub: stub.UnlockDDLLock, request)

    def check_task(self, task: str, *, errors: int, warnings: int, start_time: str) -> Body:
        request = dm_pb2.CheckTaskRequest(task=task, err_cnt=errors, warn_cnt=warnings, start_time=start_time)
        return self._call("CheckTask", lambda stub: stub.CheckTask, request, repeatable=True)

    def explain_rules(self, task: str, sources: Iterable[str], table: str, sql: str) -> Body:
        request = dm_pb2.ExplainRulesRequest(task=task, sources=sources, table=table, sql=sql)
        return self._call("ExplainRules", lambda stub: stub.ExplainRules, request, repeatable=True)

    def estimate_task(self, task: str, sources: Iterable[str], *, sample_seconds: int, read_only: bool) -> Body:
        request = dm_pb2.EstimateTaskRequest(
            task=task, sources=sources, sample_seconds=sample_seconds, read_only=read_only
        )
        return self._call("EstimateTask", lambda stub: stub.EstimateTask, request, repeatable=True)

    def show_summary(self, name: str, task: str, sources: Iterable[str]) -> Body:
        request = dm_pb2.ShowSummaryRequest(name=name, task=task, sources=sources)
        body = self._call("ShowSummary", lambda stub: stub.ShowSummary, request, repeatable=True)
        for answer in body["sources"]:
            document = answer.pop("document")
            answer["summary"] = json.loads(document) if document else None
        return body

    def operate_task(self, op: str, name: str, sources: Iterable[str]) -> Body:
        request = dm_pb2.OperateTaskRequest(op=_TASK_OPS[op], name=name, sources=sources)
        return self._call("OperateTask", lambda stub: stub.OperateTask, request)

    def set_task(self, name: str, sources: Iterable[str], settings: Sequence[str]) -> Body:
        request = dm_pb2.SetTaskRequest(name=name, sources=sources, settings=settings)
        # The same settings may be set again.
        return self._call("SetTask", lambda stub: stub.SetTask, request, repeatable=True)

    def query_status(self, name: str, sources: Iterable[str], *, more: bool = False) -> Body:
        request = dm_pb2.QueryStatusRequest(name=name, sources=sources, more=more)
        body = self._call("QueryStatus", lambda stub: stub.QueryStatus, request, repeatable=True)
        is_detail = bool(body["sources"] or request.name or request.sources or request.more)
        del body["tasks" if is_detail else "sources"]  # DM prints the one or the other
        return body

    def operate_source(self, op: str, configs: Iterable[str], sources: Iterable[str], worker: str = "") -> Body:
        request = dm_pb2.OperateSourceRequest(op=_SOURCE_OPS[op], config=configs, source_id=sources, worker_name=worker)
        return self._call("OperateSource", lambda stub: stub.OperateSource, request, repeatable=op == "show")

    def operate_relay(self, op: str, source: str, workers: Iterable[str]) -> Body:
        request = dm_pb2.OperateRelayRequest(op=_RELAY_OPS[op], source=source, worker=workers)
        return self._call("OperateRelay", lambda stub: stub.OperateRelay, request)

    def operate_worker_relay(self, op: str, sources: Iterable[str]) -> Body:
        request = dm_pb2.OperateWorkerRelayRequest(op=_RELAY_OPS[op], sources=sources)
        return self._call("OperateWorkerRelay", lambda stub: stub.OperateWorkerRelay, request)

    def purge_relay(self, sources: Iterable[str], filename: str, sub_dir: str) -> Body:
        request = dm_pb2.PurgeRelayRequest(sources=sources, filename=filename, sub_dir=sub_dir)
        return self._call("PurgeRelay", lambda stub: stub.PurgeRelay, request)

    def operate_binlog(
        self, op: str, task: str, sources: Iterable[str], binlog_pos: str, sqls: Iterable[str] = ()
    ) -> Body:
        request = dm_pb2.OperateBinlogRequest(
            op=_BINLOG_OPS[op], task=task, sources=sources, binlog_pos=binlog_pos, sqls=sqls
        )
        body = self._call("OperateBinlog", lambda stub: stub.OperateBinlog, request, repeatable=op == "list")
        if op != "list":
            for answer in body["sources"]:
                del answer["operators"]
        return body

    def operate_schema(
        self,
        op: str,
        task: str,
        sources: Iterable[str],
        database: str,
        table: str,
        *,
        schema: str = "",
        from_source: bool = False,
        from_target: bool = False,
    ) -> Body:
        request = dm_pb2.OperateSchemaRequest(
            op=_SCHEMA_OPS[op], task=task, sources=sources, database=database, table=table, schema=schema,
            from_source=from_source, from_target=from_target,
        )  # fmt: skip
        return self._call("OperateSchema", lambda stub: stub.OperateSchema, request, repeatable=op == "list")

    def list_member(self, *, leader: bool, master: bool, worker: bool, names: Iterable[str]) -> Body:
        request = dm_pb2.ListMemberRequest(leader=leader, master=master, worker=worker, names=names)
        return self._call("ListMember", lambda stub: stub.ListMember, request, repeatable=True)

    def get_config(self, kind: str, name: str) -> Body:
        request = dm_pb2.GetCfgRequest(type=_CONFIG_TYPES[kind], name=name)
        return self._call("GetCfg", lambda stub: stub.GetCfg, request, repeatable=True)

    def encrypt(self, plaintext: str) -> Body:
        request = dm_pb2.EncryptRequest(plaintext=plaintext)
        return self._call("Encrypt", lambda stub: stub.Encrypt, request, repeatable=True)

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def dial(self, without: Collection[str] = ()) -> None:
        """Connect to the first address that answers; else one error that tells what each of them said."""
        self.close()
        tried: list[str] = []
        for address in (a for a in map(with_port, self._settings.addresses) if a not in without):
            tls = self._settings.tls
            channel = open_channel(address, tls.ca, tls.cert, tls.key)
            reason = _why_unreachable(address) or _why_no_grpc(channel, uses_tls=bool(tls.ca))
            if not reason:
                self._channel, self._address = channel, address
                return
            channel.close()
            tried.append(f"{address}: {reason}")
        raise CANNOT_CONNECT.error(tried="; ".join(tried))

    def _call(self, rpc: str, method: Method, request: Any, *, repeatable: bool = False) -> Body:
        body = self._ask(rpc, method, request, repeatable)
        followers: set[str] = set()
        while _is_from_follower(body):
            followers.add(self._address)
            if not self._dial_another(followers):
                return body  # it says who leads
            body = self._ask(rpc, method, request, repeatable)
        return body

    def _dial_another(self, without: Collection[str]) -> bool:
        if set(without) >= set(map(with_port, self._settings.addresses)):
            return False
        try:
            self.dial(without)
        except DMError:
            return False
        return True

    def _ask(self, rpc: str, method: Method, request: Any, repeatable: bool) -> Body:
        try:
            return self._send(method, request)
        except grpc.RpcError as exc:
            if not _is_unavailable(exc):
                raise self._failed(rpc, exc, repeatable) from exc
            self.dial()  # raises when no master is there any more
            if not repeatable:
                raise self._failed(rpc, exc, repeatable) from exc
        try:
            return self._send(method, request)
        except grpc.RpcError as exc:
            raise self._failed(rpc, exc, repeatable) from exc

    def _send(self, method: Method, request: Any) -> Body:
        if self._channel is None:
            self.dial()
        assert self._channel is not None  # dial raises otherwise
        stub = dm_pb2_grpc.MasterStub(self._channel)
        return as_body(method(stub)(request, timeout=self._settings.rpc_timeout))

    def _failed(self, rpc: str, exc: grpc.RpcError, repeatable: bool) -> Exception:
        status, details = exc.code(), exc.details() or ""
        if status is grpc.StatusCode.DEADLINE_EXCEEDED:
            reason = f"no answer within {self._settings.rpc_timeout:g} s"
        else:
            reason = f"{status.name}: {details}"
        advice = "look into dm-master's log" if repeatable else _MAY_BE_DONE
        return CALL_FAILED.error(address=self._address, rpc=rpc, reason=reason, advice=advice)


_MAY_BE_DONE = (
    "it may have been carried out all the same: look with query-status or operate-source show before you repeat it"
)


def with_port(address: str) -> str:
    """``host`` as ``host:8261``; an ``http://`` in front, as DM's users write it, is dropped."""
    bare = address.removeprefix("http://").removeprefix("https://")
    return bare if ":" in bare.rpartition("]")[2] else f"{bare}:{DEFAULT_PORT}"


def _is_from_follower(body: Body) -> bool:
    """Such a refusal changed nothing, so that the request may be sent to another dm-master."""
    return not body["result"] and str(body["msg"]).startswith(f"[code={_NOT_LEADER}:")


def _is_unavailable(exc: grpc.RpcError) -> bool:
    return bool(exc.code() is grpc.StatusCode.UNAVAILABLE)


def _why_unreachable(address: str) -> str:
    """Why no TCP connection can be made, in the system's words; gRPC's own are long and say less."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=DIAL_SECONDS).close()
    except TimeoutError:
        return f"no answer within {DIAL_SECONDS:g} s"
    except OSError as exc:
        return (exc.strerror or str(exc)).lower()
    except ValueError:
        return f"{port!r} is not a port"
    return ""


def _why_no_grpc(channel: grpc.Channel, *, uses_tls: bool) -> str:
    """Something listens there; is it a dm-master that speaks as we do?"""
    # A call, for a channel whose state was watched takes 0.2 s to close.
    probe = channel.unary_unary("/dmctl/Probe", bytes, bytes)  # nobody has it: any answer is one
    try:
        probe(b"", timeout=_SETTLE_SECONDS)
    except grpc.RpcError as exc:
        if exc.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            return ""
    hint = (
        "its certificate does not fit --ssl-ca, or it does not use TLS"
        if uses_tls
        else "not a dm-master, or one that wants TLS (--ssl-ca)"
    )
    return f"something listens there but does not answer as a dm-master: {hint}"
