from __future__ import annotations
import os, json
from collections import Counter
import pytest
from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.arena import run_sql
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.replication import Replication, present_position
from tests.cases.replicate import stranger_merge_cases as S
import importlib

PAIRS = os.environ.get("MP", "mariadb-tidb mysql-mariadb").split()


@pytest.fixture(scope="module")
def replication(tmp_path_factory):
    started = Replication(tmp_path_factory.mktemp("sm") / "log")
    yield started
    started.close()


def named(value, prefix):
    if isinstance(value, str):
        for one in "ABTO":
            value = value.replace("$" + one, prefix + one.lower())
        return value
    if isinstance(value, dict):
        return {named(k, prefix): named(v, prefix) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [named(v, prefix) for v in value]
    return value


@pytest.mark.timeout(120)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("number", range(len(S.CASES)), ids=[c["id"] for c in S.CASES])
def test_m(number, pair, mariadb, mariadb2, mysql, tidb, replication):
    case = S.CASES[number]
    if pair.split("-")[0] not in case.get("only", "mariadb mysql"):
        pytest.skip("no")
    prefix = f"sm{number}{pair.replace('-', '')}"
    there = {"tidb": tidb, "mariadb": mariadb2, "mysql": mysql}[pair.split("-")[1]]
    here = {"mysql": mysql, "mariadb": mariadb}[pair.split("-")[0]]
    st = lambda sql: [s.strip() for s in named(sql, prefix).split(";\n") if s.strip()]
    run_sql(
        here,
        [f"CREATE DATABASE {prefix}{o} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci" for o in "abo"]
        + st(case.get("before", "")),
        "",
    )
    run_sql(
        there,
        [f"CREATE DATABASE {prefix}t CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"] + st(case.get("target", "")),
        "",
    )
    cfg = {
        "task_name": prefix,
        "source_id": "src-1",
        "task_mode": TaskMode.INCREMENTAL,
        "upstream": ConnectionConfig(host=here.host, port=here.port, user="root"),
        "target": ConnectionConfig(host=there.host, port=there.port, user="root"),
        "meta_schema": f"{prefix}_meta",
        "routes": named(case.get("routes", S.MERGE), prefix),
        "block_allow_list": named(case.get("allow", {"do-dbs": ["$A", "$B"]}), prefix),
        "shard_mode": case.get("mode", "pessimistic"),
        "source_count": 1,
        "sync": {"worker-count": 4, "checkpoint-flush-interval": 1},
        **named(case.get("config", {}), prefix),
    }
    config = SubtaskConfig.model_validate(cfg)
    replication.start(config)
    run_sql(here, st(case["sql"]), f"{prefix}a")
    pause = replication.until(present_position(here), patience=25)
    status = replication.stop()
    out = []
    if pause:
        out.append("PAUSE " + pause.text[:900])
    if status.get("unresolvedGroups"):
        out.append("WAITS " + json.dumps(status["unresolvedGroups"], default=str)[:500])
    with connected(there) as end, connected(here) as up:
        for target, shards in named(case.get("check", {"$T.m": ["$A.t1", "$A.t2"]}), prefix).items():
            try:
                s, n = target.split(".", 1)
                cols = [
                    r[0]
                    for r in up.query(
                        f"SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA='{shards[0].split('.')[0]}' AND TABLE_NAME='{shards[0].split('.')[1]}' ORDER BY ORDINAL_POSITION"
                    )
                ]
                lst = ", ".join(
                    f"HEX(CAST(`{c}` AS CHAR CHARACTER SET utf8mb4))" if not case.get("plain") else f"`{c}`"
                    for c in cols
                )
                want = Counter(
                    tuple(r)
                    for sh in shards
                    for r in up.query(f"SELECT {lst} FROM `{sh.split('.')[0]}`.`{sh.split('.')[1]}`")
                )
                have = Counter(tuple(r) for r in end.query(f"SELECT {lst} FROM `{s}`.`{n}`"))
                if want != have:
                    dec = lambda c: [
                        tuple(
                            None
                            if x is None
                            else bytes.fromhex(x if isinstance(x, str) else x.decode()).decode("utf8", "replace")
                            for x in r
                        )
                        if not case.get("plain")
                        else r
                        for r in c.elements()
                    ]
                    out.append(
                        f"ROWS {target} {cols}: only upstream {dec(want - have)}; only target {dec(have - want)}"
                    )
                out.append(end.query(f"SHOW CREATE TABLE `{s}`.`{n}`")[0][1])
                for sh in shards if case.get("show") else ():
                    out.append("UP " + up.query(f"SHOW CREATE TABLE `{sh.split('.')[0]}`.`{sh.split('.')[1]}`")[0][1])
            except Exception as e:
                out.append(f"ERR {e!r}")
        for q in case.get("look", ()):
            try:
                out.append(f"LOOK {q}: {end.query(named(q, prefix))}")
            except Exception as e:
                out.append(f"LOOKERR {e!r}")
    print(f"\n@@@ {case['id']} {pair}\n" + "\n".join(out))
    assert not any(o.startswith(("PAUSE", "WAITS", "ROWS", "ERR")) for o in out)
