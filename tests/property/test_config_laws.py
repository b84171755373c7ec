"""Laws of configuration: nothing but a DMError comes out of a bad file, and what is written can be read again."""

from __future__ import annotations

import base64
import contextlib
from datetime import timedelta
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.errors import DMError
from pkg.task import Secret, check_config, decrypt, encrypt, load_source, load_task, sample, split_task
from pkg.task.flags import parse_flags
from pkg.task.problems import nearest_word
from pkg.task.secret import HIDDEN
from pkg.task.server_config import WorkerConfig, redact_url
from pkg.task.subtask import SubtaskConfig
from pkg.task.values import format_duration, parse_duration

KEYS = st.binary(min_size=32, max_size=32)
TASK_LINES = sample("task").splitlines()
WORDS = st.sampled_from(
    [*"{}[]:,-&*!|>'\"%@`#?\t \n", "~", "null", "yes", "0x1", "1e9", "name:", "routes:", "<<:", "é"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def outcome(text: str, filename: str) -> DMError | None:
    try:
        check_config(text, filename)
    except DMError as exc:
        return exc
    return None


@given(st.text() | st.lists(WORDS).map("".join), st.sampled_from(["x.yaml", "x.toml"]))
@settings(max_examples=300)
def test_any_text_is_a_configuration_or_one_readable_error(text: str, filename: str) -> None:
    error = outcome(text, filename)

    if error is not None:
        assert error.message
        assert all(problem.file == filename for problem in error.fields["problems"])


@pytest.mark.slow
@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_value_in_any_place_of_a_task_is_judged_with_a_line_of_the_file(data: st.DataObject) -> None:
    document = yaml.safe_load(sample("task"))
    _put(data, document, data.draw(VALUES))
    text = yaml.safe_dump(document, allow_unicode=True)

    error = outcome(text, "task.yaml")

    if error is not None:
        last = text.count("\n") + 1
        assert all(1 <= problem.line <= last for problem in error.fields["problems"])


@given(st.integers(0, len(TASK_LINES) - 1), st.integers(0, len(TASK_LINES) - 1))
@settings(max_examples=100, deadline=None)
def test_a_sample_with_lines_missing_is_judged(first: int, second: int) -> None:
    kept = [line for number, line in enumerate(TASK_LINES) if number not in (first, second)]

    outcome("\n".join(kept), "task.yaml")


def _put(data: st.DataObject, document: Any, value: Any) -> None:
    """Replace some value of the document, at any depth."""
    while True:
        key = data.draw(st.sampled_from(list(document) if isinstance(document, dict) else range(len(document))))
        inner = document[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            document[key] = value
            return
        document = inner


@given(
    st.text(alphabet="abcdefgh0123456789", min_size=12),
    st.sampled_from(["password", "ssl-key-bytes", "ssl-key-base64"]),
)
@settings(deadline=None)
def test_a_secret_is_in_no_report(secret: str, option: str) -> None:
    text = f"source-id: {'x' * 40}\nfrom: {{port: a, security: {{{option}: [[{secret}]]}}, {option}: {secret}}}\n"

    assert secret not in str(outcome(text, "source.yaml"))


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)))
def test_a_duration_that_is_written_is_read_again(duration: timedelta) -> None:
    read = parse_duration(format_duration(duration))

    assert abs(read - duration) <= timedelta(microseconds=1)


@given(st.text(), KEYS)
def test_decryption_undoes_encryption(plain: str, key: bytes) -> None:
    sealed = encrypt(plain, key) if _is_text(plain) else encrypt("", key)

    assert decrypt(sealed, key) == (plain if _is_text(plain) else "")
    assert Secret(sealed).is_encrypted


@given(st.text(max_size=30), KEYS, st.data())
def test_a_changed_ciphertext_never_opens(plain: str, key: bytes, data: st.DataObject) -> None:
    sealed = encrypt(plain if _is_text(plain) else "", key)
    place = data.draw(st.integers(len("sparkdm:v1:"), len(sealed) - 1))
    other = data.draw(st.sampled_from([c for c in "ABCab01+/" if c != sealed[place] and sealed[place] != "="] or ["="]))
    changed = sealed[:place] + other + sealed[place + 1 :]

    if base64.b64decode(changed.removeprefix("sparkdm:v1:")) == base64.b64decode(sealed.removeprefix("sparkdm:v1:")):
        return  # the last character of base64 has bits that mean nothing
    with pytest.raises(DMError, match="cannot decrypt"):
        decrypt(changed, key)


def _is_text(text: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


@given(
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20),
    st.integers(1, 1024),
    st.sampled_from(["full", "incremental", "all"]),
    st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=2)),
)
@settings(deadline=None)
def test_a_subtask_survives_the_wire(password: str, workers: int, mode: str, safe: timedelta) -> None:
    sync = {"worker-count": workers, "safe-mode-duration": format_duration(safe)}
    target = {"host": "h", "port": 1, "user": "u", "password": password}
    instance = {"source-id": "s", "syncer": sync, "meta": {"binlog-name": "mysql-bin.000001", "binlog-pos": 2**40}}
    task = load_task(
        yaml.safe_dump({"name": "t", "task-mode": mode, "target-database": target, "mysql-instances": [instance]})
    )
    source = load_source(yaml.safe_dump({"source-id": "s", "from": target}))

    [subtask] = split_task(task, {"s": source})

    assert subtask.target.password.reveal() == password
    assert SubtaskConfig.from_wire(subtask.to_wire()) == subtask


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_command_line_is_flags_or_one_readable_error(argv: list[str]) -> None:
    with contextlib.suppress(DMError):
        parse_flags(argv, WorkerConfig, "dm-worker")


@given(st.text(alphabet="abc0123456789:@/?&=", min_size=6), st.sampled_from(["mysql", "postgresql+psycopg"]))
def test_the_password_of_a_url_never_shows(password: str, scheme: str) -> None:
    marked = f"s3cr{password}t"

    shown = redact_url(f"{scheme}://user:{marked}@host:4000/db")

    assert marked not in shown
    assert "s3cr" not in shown
    assert HIDDEN in shown


@given(st.text(), st.lists(st.text(), max_size=5))
def test_the_nearest_word_is_one_of_the_choices(word: str, choices: list[str]) -> None:
    assert nearest_word(word, choices) in ["", *choices]
