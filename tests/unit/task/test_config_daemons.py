"""Flags and files of dm-master and dm-worker."""

from __future__ import annotations

import re

import pytest

from pkg.errors import DMError
from pkg.task import (
    LoadedFlags,
    MasterConfig,
    WorkerConfig,
    check_config,
    load_master_config,
    load_worker_config,
    redact_url,
    usage,
)


def no_file(path: str) -> str:
    raise FileNotFoundError(2, "No such file or directory", path)


def master(*argv: str, **files: str) -> MasterConfig:
    config = load_master_config(argv, lambda path: files[path], "host1").config
    assert config is not None
    return config


def worker(*argv: str) -> WorkerConfig:
    config = load_worker_config(argv, no_file).config
    assert config is not None
    return config


def test_dm_master_runs_with_dms_flags_alone() -> None:
    line = "--name m1 --master-addr 127.0.0.1:8261 --data-dir /d --peer-urls http://127.0.0.1:9000 --log-file l.log"
    loaded = load_master_config([*line.split(), "--initial-cluster", "m1=http://127.0.0.1:9000"], no_file)
    config = loaded.config

    assert config is not None
    assert (config.name, config.advertise_addr, config.data_dir) == ("m1", "127.0.0.1:8261", "/d")
    assert config.bind_address == ("127.0.0.1", 8261)
    assert config.store_url == "sqlite:////d/dm-master.db"
    assert [warning.option for warning in loaded.warnings] == ["peer-urls", "initial-cluster"]


def test_dm_worker_runs_with_dms_flags_alone() -> None:
    line = "-worker-addr=0.0.0.0:8262 -advertise-addr 10.0.0.1:8262 -join http://a:8261,b:8261 -L debug"

    config = worker(*line.split())

    assert config.name == "10.0.0.1:8262"
    assert config.bind_address == ("0.0.0.0", 8262)
    assert config.join_addresses == ["a:8261", "b:8261"]
    assert (config.log_level, config.keepalive_ttl) == ("debug", 15)


def test_names_that_follow_from_others() -> None:
    config = master("--master-addr", ":8261", "--advertise-addr", "[::1]:8261")

    assert (config.name, config.data_dir) == ("dm-master-host1", "default.dm-master-host1")
    assert config.advertise_addr == "[::1]:8261"
    assert config.bind_address == ("0.0.0.0", 8261)


def test_flags_come_over_the_file() -> None:
    text = 'name = "file"\nlog-level = "warn"\nmaster-addr = "h:1"\n'

    config = master("--config", "f", "--name", "flag", f=text)

    assert (config.name, config.log_level, config.advertise_addr) == ("flag", "warn", "h:1")


def test_a_wrong_flag_beside_a_file_is_not_laid_on_the_file() -> None:
    with pytest.raises(DMError) as caught:
        master("--config", "f", "--log-level", "loud", f='name = 5\nmaster-addr = "h:1"\n')

    assert str(caught.value.message).splitlines()[1:] == [
        "  dm-master flags: `log-level`: must be `debug` or `info` or `warn` or `error` or `fatal` (found 'loud')",
        "  f:1: `name`: must be a text (found 5)",
    ]


@pytest.mark.parametrize(
    ("text", "filename", "kind"),
    [
        ("join = 'a:1'\nworker-addr = 'h:1'\n", "worker.conf", "worker"),
        ("# master\n\nmaster-addr = 'h:1'\n", "dm", "master"),
        ("source-id: a\nfrom: {host: h, port: 1, user: u}\n", "some.txt", "source"),
    ],
)
def test_the_kind_of_a_file_is_told_from_what_is_in_it(text: str, filename: str, kind: str) -> None:
    assert check_config(text, filename).kind == kind


@pytest.mark.parametrize(
    ("argv", "action"),
    [(["-V"], "version"), (["--version"], "version"), (["--print-sample-config"], "sample"), (["-h", "--bad"], "help")],
)
def test_flags_that_only_print_need_nothing_else(argv: list[str], action: str) -> None:
    assert load_master_config(argv, no_file) == LoadedFlags(None, action)
    assert load_worker_config(argv, no_file) == LoadedFlags(None, action)


@pytest.mark.parametrize(
    ("argv", "code", "text"),
    [
        (
            ["--nmae", "x", "--join", "a:1"],
            20009,
            "dm-worker: `--nmae`: there is no such flag — did you mean `--name`?",
        ),
        (["--name"], 20009, "`--name`: needs a value"),
        (["loose"], 20009, "`loose`: is not a flag"),
        (["--keepalive-ttl", "soon"], 20009, "must be a whole number (found 'soon')"),
        (["--redact-info-log=maybe"], 20009, "must be true or false"),
        (["--config", "gone.toml"], 20018, "cannot read the configuration file gone.toml"),
        (["--worker-addr", "h:8262"], 40084, "`join`: is required"),
        (["--join", "a:1"], 40069, "must say by which host others reach us"),
        (["--join", "a:1", "--worker-addr", "h:99999"], 40003, "not an address: write host:port (found 'h:99999')"),
        (["--join", "a:1", "--worker-addr", "::1:5"], 40003, "an IPv6 host must be in brackets"),
        (["--join", "a:1", "--worker-addr", "h:5", "--ssl-ca", "x"], 40003, "needs `ssl-cert` and `ssl-key` beside it"),
        (["--join", "a", "--worker-addr", "h:5"], 40003, "`join`: not an address"),
        (["--join", "a:1", "--worker-addr", "h:5", "-L", "warning"], 40003, "did you mean `warn`"),
    ],
)
def test_a_worker_that_cannot_start_says_why(argv: list[str], code: int, text: str) -> None:
    with pytest.raises(DMError, match=re.escape(text)) as caught:
        load_worker_config(argv, no_file)

    assert caught.value.code == code


def test_dms_sample_of_the_master_is_accepted() -> None:
    text = """\
log-file = "dm-master.log"
log-level = "info"
master-addr = ":8261"
advertise-addr = "127.0.0.1:8261"
name = "dm-master"
data-dir = "default.dm-master"
peer-urls = "http://127.0.0.1:8291"
advertise-peer-urls = "http://127.0.0.1:8291"
initial-cluster = "dm-master=http://127.0.0.1:8291"
join = ""
rpc-timeout = "30s"
rpc-rate-burst = 40
rpc-rate-limit = 10.0
openapi = false
"""
    loaded = check_config(text, "dm-master.toml")

    assert isinstance(loaded.config, MasterConfig)
    assert [warning.line for warning in loaded.warnings] == [8, 9]


def test_problems_of_a_toml_file_have_their_lines() -> None:
    text = 'name = "w"\nworker-addr = "h:1"\njoin = "a:1"\nkeepalive-ttl = "60"\n\n[more]\nx = 1\n'

    with pytest.raises(DMError) as caught:
        check_config(text, "dm-worker.toml")

    assert str(caught.value.message).splitlines()[1:] == [
        "  dm-worker.toml:4: `keepalive-ttl`: must be a whole number (found '60')",
        "  dm-worker.toml:6: `more`: there is no such option",
    ]
    assert caught.value.code == 40004


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ('a = "x\n', 1), ("a =", 1), ("[a\n", 1)]
)
def test_text_that_is_not_toml_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(DMError, match="not valid TOML") as caught:
        check_config(text, "dm-master.toml")

    [problem] = caught.value.fields["problems"]
    assert problem.line == line


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("mysql://u:s3cret@h:4000/dm", "mysql://u:******@h:4000/dm"),
        ("postgresql+psycopg://u:s3cret:x@h/dm", "postgresql+psycopg://u:******@h/dm"),
        ("mysql://u@h/dm?password=s3cret&x=1", "mysql://u@h/dm?password=******&x=1"),
        ("mysql://u:s3cret@x@h/dm", "mysql://u:******@h/dm"),
        ("mysql://u:/s3cret@h/dm", "mysql://u:******@h/dm"),
        ("sqlite:////data/dm.db", "sqlite:////data/dm.db"),
    ],
)
def test_the_password_in_a_metastore_url_is_not_printed(url: str, shown: str) -> None:
    config = master("--master-addr", "h:1", "--metastore-url", url)

    assert redact_url(url) == shown
    assert config.store_url == url
    assert "s3cret" not in repr(config) + str(config) + config.to_json() + config.model_dump_json() + f"{config}"


def test_a_metastore_url_that_is_not_possible_does_not_show_its_password() -> None:
    with pytest.raises(DMError, match="must be a URL of sqlite") as caught:
        master("--master-addr", "h:1", "--metastore-url", "mongo://u:s3cret@h")
    assert "s3cret" not in str(caught.value)


def test_help_names_every_flag() -> None:
    text = usage(WorkerConfig, "dm-worker")

    assert all(
        f"--{name}" in text for name in ("worker-addr", "join", "keepalive-ttl", "ssl-ca", "print-sample-config")
    )
    assert "-L, --log-level" in text
