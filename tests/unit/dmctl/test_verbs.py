"""Every verb against a gRPC server with recorded answers: what is asked, what is printed, how it ends."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from dmctl.answer import Exit
from dmctl.client import connect
from dmctl.commands.task import start_task
from dmctl.session import open_session
from dmctl.settings import Settings
from pkg.adapters.rpc import dm_pb2

OK_SOURCES = [
    {"result": True, "source": "mysql-01", "worker": "w1"},
    {"result": True, "source": "mysql-02", "worker": "w2"},
]


def subtask(stage: str, *, source: str = "mysql-01", synced: bool = False, error: str = "") -> dict[str, Any]:
    result = {"errors": [{"ErrCode": 36001, "Message": error, "Workaround": "look"}]} if error else {}
    sync = {"synced": synced} | ({"startBinlog": "(mysql-bin.000001, 4)"} if stage == "Running" else {})
    return {
        "result": True,
        "sources": [
            {
                "result": True,
                "sourceStatus": {"source": source, "worker": "w1"},
                "subTaskStatus": [{"name": "shop", "stage": stage, "unit": "Sync", "result": result, "sync": sync}],
            }
        ],
    }


def test_start_task_sends_the_text_of_the_file(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("StartTask", {"result": True, "sources": OK_SOURCES})
    outcome = dmctl(
        "start-task", str(task_file), "-s", "a,b", "--remove-meta", "--start-time", "2026-01-01", master=master.address
    )
    assert outcome.code == Exit.DONE
    [(_, request)] = master.asked
    assert request == dm_pb2.StartTaskRequest(
        task=task_file.read_text(), sources=["a", "b"], remove_meta=True, start_time="2026-01-01"
    )


def test_json_has_the_keys_the_defaults_and_the_indent_of_dm(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("StartTask", {"result": True, "sources": OK_SOURCES[:1]})
    outcome = dmctl("start-task", str(task_file), master=master.address)
    assert outcome.out == (
        "{\n"
        '    "result": true,\n'
        '    "msg": "",\n'
        '    "sources": [\n'
        "        {\n"
        '            "result": true,\n'
        '            "msg": "",\n'
        '            "source": "mysql-01",\n'
        '            "worker": "w1"\n'
        "        }\n"
        "    ],\n"
        '    "checkResult": ""\n'
        "}\n"
    )


def test_status_json_has_null_text_numbers_and_only_one_unit(dmctl: Any, master: Any) -> None:
    master.will_answer("QueryStatus", subtask("Running"))
    outcome = dmctl("query-status", "shop", master=master.address)
    source = json.loads(outcome.out)["sources"][0]
    assert source["sourceStatus"] == {"source": "mysql-01", "worker": "w1", "result": None, "relayStatus": None}
    found = source["subTaskStatus"][0]
    assert found["unresolvedDDLLockID"] == ""
    assert found["sync"]["totalRows"] == "0"
    assert "secondsBehindMaster" not in found["sync"], "it is not known"
    assert found["sync"]["synced"] is False
    assert not {"dump", "load", "msg"} & set(found)
    assert '"stage": "Running",' in outcome.out


def test_summary_has_tasks_and_no_sources(dmctl: Any, master: Any) -> None:
    master.will_answer(
        "QueryStatus", {"result": True, "tasks": [{"taskName": "shop", "taskStatus": "Running", "sources": ["a"]}]}
    )
    outcome = dmctl("query-status", master=master.address)
    assert json.loads(outcome.out) == {
        "result": True,
        "msg": "",
        "tasks": [{"taskName": "shop", "taskStatus": "Running", "sources": ["a"]}],
    }


def test_refusal_ends_with_exit_code_1(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("StartTask", {"result": False, "msg": "task shop exists"})
    outcome = dmctl("start-task", str(task_file), master=master.address)
    assert outcome.code == Exit.REFUSED
    assert json.loads(outcome.out)["msg"] == "task shop exists"


def test_refusal_by_one_of_two_sources_ends_with_exit_code_1(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("StartTask", {"result": True, "sources": [OK_SOURCES[0], {"result": False, "msg": "no worker"}]})
    assert dmctl("start-task", str(task_file), master=master.address).code == Exit.REFUSED


def test_status_of_a_failed_task_is_an_answer(dmctl: Any, master: Any) -> None:
    master.will_answer("QueryStatus", subtask("Paused", error="duplicate key"))
    assert dmctl("query-status", "shop", master=master.address).code == Exit.DONE


@pytest.mark.parametrize(("verb", "op"), [("pause-task", "Pause"), ("resume-task", "Resume"), ("stop-task", "Delete")])
def test_task_by_name_and_by_file(dmctl: Any, master: Any, task_file: Path, verb: str, op: str) -> None:
    master.will_answer("OperateTask", {"op": op, "result": True, "sources": OK_SOURCES})
    for task in ("shop", str(task_file)):
        outcome = dmctl(verb, task, master=master.address)
        assert outcome.code == Exit.DONE
        assert json.loads(outcome.out)["op"] == op
    assert {request.name for _, request in master.asked} == {"shop"}


def test_stop_task_by_a_file_that_is_not_valid_any_more(dmctl: Any, master: Any, task_file: Path) -> None:
    task_file.write_text("name: shop\nno-such-option: 1\n")
    master.will_answer("OperateTask", {"op": "Delete", "result": True})
    assert dmctl("stop-task", str(task_file), master=master.address).code == Exit.DONE


def test_all_tasks_of_one_source(dmctl: Any, master: Any) -> None:
    master.will_answer("QueryStatus", subtask("Running", source="a"))
    master.will_answer("OperateTask", {"op": "Pause", "result": True, "sources": OK_SOURCES[:1]})
    outcome = dmctl("pause-task", "-s", "a", master=master.address)
    assert [task["task"] for task in json.loads(outcome.out)["tasks"]] == ["shop"]
    assert [request.sources for rpc, request in master.asked if rpc == "OperateTask"] == [["a"]]


def test_all_tasks_of_a_source_that_nobody_knows_about_are_not_taken_for_none(dmctl: Any, master: Any) -> None:
    silent = {"result": False, "msg": "source a is not bound", "sourceStatus": {"source": "a"}, "subTaskStatus": []}
    master.will_answer("QueryStatus", {"result": True, "sources": [silent]})
    outcome = dmctl("pause-task", "-s", "a", master=master.address)
    assert (outcome.code, json.loads(outcome.out)["msg"]) == (Exit.REFUSED, "source a is not bound")


def test_no_task_and_no_source_is_wrong_usage(dmctl: Any, master: Any) -> None:
    outcome = dmctl("stop-task", master=master.address)
    assert outcome.code == Exit.USAGE
    assert "exactly one source" in outcome.err


def test_source_before_the_verb_counts_for_the_verb(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Pause", "result": True})
    dmctl("-s", "a", "pause-task", "shop", master=master.address)
    assert master.asked[0][1].sources == ["a"]


def test_sources_from_files(dmctl: Any, master: Any, source_file: Path) -> None:
    master.will_answer("OperateSource", {"result": True, "sources": OK_SOURCES[:1]})
    assert dmctl("operate-source", "create", str(source_file), "-w", "w7", master=master.address).code == Exit.DONE
    assert dmctl("operate-source", "stop", str(source_file), master=master.address).code == Exit.DONE
    create, stop = (request for _, request in master.asked)
    assert (create.op, list(create.config), create.worker_name) == (
        dm_pb2.CreateSource,
        [source_file.read_text()],
        "w7",
    )
    assert (stop.op, list(stop.source_id)) == (dm_pb2.StopSource, ["mysql-01"])


def test_operate_source_show(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateSource", {"result": True, "sources": OK_SOURCES})
    outcome = dmctl("operate-source", "show", master=master.address)
    assert [source["worker"] for source in json.loads(outcome.out)["sources"]] == ["w1", "w2"]


def test_list_member_keeps_the_groups_apart(dmctl: Any, master: Any) -> None:
    worker = {"name": "w1", "addr": "127.0.0.1:8262", "stage": "bound", "source": "mysql-01"}
    master.will_answer("ListMember", {"result": True, "members": [{"worker": {"workers": [worker]}}]})
    outcome = dmctl("list-member", "-w", "-n", "w1,w2", master=master.address)
    assert json.loads(outcome.out)["members"] == [{"worker": {"msg": "", "workers": [worker]}}]
    assert (master.asked[0][1].worker, list(master.asked[0][1].names)) == (True, ["w1", "w2"])


def test_check_task(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("CheckTask", {"result": True, "msg": "pre-check is passed. "})
    assert dmctl("check-task", str(task_file), "-e", "3", master=master.address).code == Exit.DONE
    assert (master.asked[0][1].err_cnt, master.asked[0][1].warn_cnt) == (3, 10)


def test_stored_configuration_is_json_in_a_pipe_and_private_in_a_file(dmctl: Any, master: Any, tmp_path: Path) -> None:
    master.will_answer("GetCfg", {"result": True, "cfg": "password: '******'\n"})
    assert json.loads(dmctl("config", "task", "shop", master=master.address).out)["cfg"] == "password: '******'\n"
    path = tmp_path / "out.yaml"
    assert dmctl("config", "source", "mysql-01", "-p", str(path), master=master.address).code == Exit.DONE
    assert path.read_text() == "password: '******'\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_configuration_that_is_not_there(dmctl: Any, master: Any, tmp_path: Path) -> None:
    master.will_answer("GetCfg", {"result": False, "msg": "task not found"})
    outcome = dmctl("config", "task", "none", "-p", str(tmp_path / "x"), master=master.address)
    assert outcome.code == Exit.REFUSED
    assert not (tmp_path / "x").exists()


def test_password_from_a_pipe_goes_to_the_master(dmctl: Any, master: Any) -> None:
    master.will_answer("Encrypt", {"result": True, "ciphertext": "sparkdm:v1:abc"})
    outcome = dmctl("encrypt", master=master.address, stdin="geheim ä\n")
    assert json.loads(outcome.out)["ciphertext"] == "sparkdm:v1:abc"
    assert master.asked[0][1].plaintext == "geheim ä"


@pytest.mark.parametrize("until", ["running", "synced"])
def test_wait_until(dmctl: Any, master: Any, task_file: Path, until: str) -> None:
    master.will_answer("StartTask", {"result": True, "sources": OK_SOURCES[:1]})
    master.will_answer("QueryStatus", subtask("New"), subtask("Running", synced=True))
    outcome = dmctl("start-task", str(task_file), "--until", until, master=master.address)
    assert outcome.code == Exit.DONE
    waited = json.loads(outcome.out)["waited"]
    assert (waited["goal"], waited["reached"]) == (until, True)
    assert waited["status"]["sources"][0]["subTaskStatus"][0]["stage"] == "Running"


def test_wait_ends_with_exit_code_1_when_the_task_pauses_with_an_error(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Resume", "result": True, "sources": OK_SOURCES[:1]})
    master.will_answer("QueryStatus", subtask("Paused", error="duplicate key"))
    outcome = dmctl("resume-task", "shop", "--wait", master=master.address)
    assert outcome.code == Exit.REFUSED
    body = json.loads(outcome.out)
    assert "paused by an error on mysql-01" in body["msg"]
    assert (
        body["waited"]["status"]["sources"][0]["subTaskStatus"][0]["result"]["errors"][0]["Message"] == "duplicate key"
    )


LATE = "fail to get expected result Running within 10 s, it is New; the order stands, please check status"


def test_an_order_that_takes_longer_than_dm_master_waits_is_waited_for(
    dmctl: Any, master: Any, task_file: Path
) -> None:
    late = [{**OK_SOURCES[0], "result": False, "msg": LATE, "late": True}]
    master.will_answer("StartTask", {"result": True, "sources": late})
    master.will_answer("QueryStatus", subtask("New"), subtask("Running"))
    outcome = dmctl("start-task", str(task_file), "--wait", master=master.address)
    assert outcome.code == Exit.DONE
    assert json.loads(outcome.out)["sources"] == [{**OK_SOURCES[0], "msg": ""}]
    assert dmctl("start-task", str(task_file), master=master.address).code == Exit.REFUSED
    other = [*late, {**OK_SOURCES[1], "result": False, "msg": "refused"}]
    master.will_answer("OperateTask", {"op": "Resume", "result": True, "sources": other})
    assert dmctl("resume-task", "shop", "--wait", master=master.address).code == Exit.REFUSED


def test_wait_until_a_stopped_task_is_gone(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Delete", "result": True})
    master.will_answer("QueryStatus", subtask("Stopping"), {"result": False, "msg": "task not found"})
    assert dmctl("stop-task", "shop", "--wait", master=master.address).code == Exit.DONE


def test_wait_until_a_source_is_bound(dmctl: Any, master: Any, source_file: Path) -> None:
    free = {"result": True, "sources": [{"result": True, "source": "mysql-01"}]}
    master.will_answer("OperateSource", free, free, {"result": True, "sources": OK_SOURCES})
    outcome = dmctl("operate-source", "create", str(source_file), "--wait", master=master.address)
    assert outcome.code == Exit.DONE
    assert [request.op for _, request in master.asked] == [dm_pb2.CreateSource, dm_pb2.ShowSource, dm_pb2.ShowSource]


def test_wait_that_takes_too_long(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Pause", "result": True})
    master.will_answer("QueryStatus", subtask("Pausing"))
    outcome = dmctl("pause-task", "shop", "--wait", "--wait-timeout", "1ms", master=master.address)
    assert outcome.code == Exit.REFUSED
    assert "gave up after 0.001 s" in json.loads(outcome.out)["msg"]


def test_ctrl_c_while_waiting_says_that_the_task_goes_on(
    dmctl: Any, master: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any, **values: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dmctl.waiting.wait_for", interrupted)
    master.will_answer("OperateTask", {"op": "Resume", "result": True})
    outcome = dmctl("resume-task", "shop", "--wait", master=master.address)
    assert outcome.code == Exit.INTERRUPTED
    assert "stopped waiting; task shop goes on" in json.loads(outcome.out)["msg"]


def test_refused_order_is_not_waited_for(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateTask", {"op": "Resume", "result": False, "msg": "task not found"})
    assert dmctl("resume-task", "shop", "--wait", master=master.address).code == Exit.REFUSED
    assert [rpc for rpc, _ in master.asked] == ["OperateTask"]


def test_yaml_output(dmctl: Any, master: Any) -> None:
    master.will_answer("QueryStatus", {"result": True, "tasks": []})
    assert dmctl("query-status", "--output", "yaml", master=master.address).out == "result: true\nmsg: ''\ntasks: []\n"


@pytest.mark.parametrize(
    "line", ["--master-addr {x} query-status", "-master-addr={x} query-status", "query-status -master-addr {x}"]
)
def test_forms_of_the_address(dmctl: Any, master: Any, line: str) -> None:
    master.will_answer("QueryStatus", {"result": True})
    assert dmctl(*line.replace("{x}", master.address).split()).code == Exit.DONE
    assert master.asked


def test_task_text_reaches_the_verb_as_a_function(master: Any, task_file: Path) -> None:
    """A verb is a plain function: no command line is needed to call it."""
    master.will_answer("StartTask", {"result": True})
    session = open_session(Settings(addresses=(master.address,)), connect, io.StringIO(), io.StringIO(), io.StringIO())
    answer = start_task(session, task_file)
    session.close()
    assert (answer.exit_code, answer.subject) == (Exit.DONE, "start-task shop")
    assert master.asked[0][1].task == task_file.read_text()
