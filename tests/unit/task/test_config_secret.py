"""Secrets do not print; encrypted passwords are told apart from plain ones and open with their key only."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from pydantic import BaseModel

from pkg.errors import DMError
from pkg.task import Secret, decrypt, encrypt, load_source, load_task, parse_key, split_task
from pkg.task.secret import PREFIX, REVEAL
from pkg.task.subtask import SubtaskConfig

KEY = bytes(range(32))
OTHER_KEY = bytes(32)


class Holder(BaseModel):
    password: Secret


def test_nothing_prints_a_secret() -> None:
    secret = Secret("hunter2")
    holder = Holder(password=secret)

    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>20}", "%s" % secret, repr(holder), str(holder)]  # noqa: UP031
    shown += [holder.model_dump_json(), str(holder.model_dump()), str({"a": secret}), repr([secret])]

    assert not [text for text in shown if "hunter2" in text]
    assert secret.reveal() == "hunter2"
    assert json.loads(holder.model_dump_json(context=REVEAL)) == {"password": "hunter2"}


def test_secrets_are_compared_by_their_value() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert hash(Secret("a")) == hash(Secret("a"))
    assert not Secret("")


def test_secrets_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Secret("ä"))) == Secret("ä")
    assert copy.deepcopy(Secret("x")) == Secret("x")


@pytest.mark.parametrize("plain", ["MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw", "sparkdm", "sparkdm:v2:x", ""])
def test_a_plain_password_that_looks_encrypted_is_plain(plain: str) -> None:
    secret = Secret(plain)

    assert not secret.is_encrypted
    assert secret.decrypted(KEY) == secret


def test_a_wrong_key_is_told_from_damage() -> None:
    sealed = encrypt("pw", KEY)

    with pytest.raises(DMError, match="another key, or the text was changed") as caught:
        decrypt(sealed, OTHER_KEY, "the password of source one")
    assert caught.value.code == 20010
    assert "the password of source one" in caught.value.message
    with pytest.raises(DMError, match="not base64"):
        decrypt(PREFIX + "!!!", KEY)
    with pytest.raises(DMError, match="cut short"):
        decrypt(sealed[: len(PREFIX) + 16], KEY)
    with pytest.raises(DMError, match="no `secret-key-path` is set"):
        decrypt(sealed, None)


def test_two_encryptions_of_one_password_differ() -> None:
    assert encrypt("pw", KEY) != encrypt("pw", KEY)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("ab", "2 characters instead of 64"), ("x" * 64, "not hexadecimal"), ("", "0 characters"), ("١" * 64, "not hexa")],
)
def test_a_bad_key_file_says_what_is_wrong_without_showing_it(text: str, problem: str) -> None:
    with pytest.raises(DMError, match=problem) as caught:
        parse_key(text)
    assert not text or text not in str(caught.value)


def test_a_key_file_may_end_with_a_line_break() -> None:
    assert parse_key(KEY.hex() + "\n") == KEY
    assert parse_key(KEY.hex().upper()) == KEY


TASK = """\
name: t
task-mode: all
target-database: {{host: h, port: 4000, user: root, password: "{}"}}
mysql-instances: [{{source-id: one}}]
"""
SOURCE = 'source-id: one\nfrom: {{host: h, port: 3306, user: u, password: "{}"}}\n'


def test_a_subtask_has_plain_passwords_on_the_wire_only() -> None:
    task = load_task(TASK.format(encrypt("target-pw", KEY)))
    source = load_source(SOURCE.format(encrypt("source-pw", KEY)))

    [subtask] = split_task(task, {"one": source}, key=KEY)
    wire = subtask.to_wire()

    assert (subtask.target.password.reveal(), subtask.upstream.password.reveal()) == ("target-pw", "source-pw")
    assert SubtaskConfig.from_wire(wire) == subtask
    assert b"source-pw" in wire
    assert "source-pw" not in repr(subtask) + str(subtask) + subtask.model_dump_json() + str(subtask.model_dump())


def test_an_encrypted_password_without_a_key_says_whose_it_is() -> None:
    task, source = load_task(TASK.format("plain")), load_source(SOURCE.format(encrypt("x", KEY)))

    with pytest.raises(DMError, match=r"cannot decrypt the password of source one: .* no `secret-key-path`"):
        split_task(task, {"one": source})


def test_certificates_are_embedded_so_that_a_worker_needs_no_files() -> None:
    text = SOURCE.format("").replace("user: u", "user: u, security: {ssl-ca: /ca, ssl-cert: /cert, ssl-key: /key}")
    files = {"/ca": "CA", "/cert": "CERT", "/key": "PRIVATE"}

    source = load_source(text).embedded(files.__getitem__)

    security = source.from_.security
    assert security is not None
    assert (security.ca_pem, security.cert_pem, security.key_pem.reveal(), security.ssl_ca) == (
        "CA",
        "CERT",
        "PRIVATE",
        "",
    )
    assert "PRIVATE" not in repr(source)
