"""The way to dm-master: what a user reads when there is none, and what happens to a request under way."""

from __future__ import annotations

import datetime
import ipaddress
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dmctl.answer import Exit
from dmctl.client import with_port


@pytest.fixture
def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def silent_server() -> Iterator[str]:
    """An address where something accepts connections and hangs up: no dm-master."""
    listener = socket.create_server(("127.0.0.1", 0))

    def hang_up() -> None:
        while True:
            try:
                listener.accept()[0].close()
            except OSError:
                return

    thread = threading.Thread(target=hang_up, name="hang-up")
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_dead_master(dmctl: Any, closed_port: str) -> None:
    outcome = dmctl("query-status", master=closed_port)
    assert outcome.code == Exit.REFUSED
    message = json.loads(outcome.out)["msg"]
    assert message.startswith("[code=48001:class=dmctl:")
    assert f"{closed_port}: connection refused" in message
    assert "check that dm-master runs" in message


def test_every_address_that_was_tried_is_named(dmctl: Any, closed_port: str) -> None:
    message = json.loads(dmctl("query-status", master=f"{closed_port},127.0.0.1:x").out)["msg"]
    assert f"{closed_port}: connection refused; 127.0.0.1:x: 'x' is not a port" in message


def test_second_address_is_asked_when_the_first_is_dead(dmctl: Any, master: Any, closed_port: str) -> None:
    master.will_answer("QueryStatus", {"result": True})
    assert dmctl("query-status", master=f"{closed_port},{master.address}").code == Exit.DONE


NOT_LEADER = {
    "result": False,
    "msg": "[code=38043:class=dm-master:scope=internal:level=medium], Message: dm-master m1 does not lead; m2 does",
}


def test_master_that_does_not_lead_is_passed_over(dmctl: Any, master: Any, another_master: Any) -> None:
    leader = another_master()
    master.will_answer("OperateTask", NOT_LEADER)
    leader.will_answer("OperateTask", {"op": "Pause", "result": True})
    outcome = dmctl("pause-task", "shop", master=f"{master.address},{leader.address}")
    assert outcome.code == Exit.DONE
    assert len(master.asked) == len(leader.asked) == 1


def test_no_master_leads(dmctl: Any, master: Any, another_master: Any, closed_port: str) -> None:
    other = another_master()
    for follower in (master, other):
        follower.will_answer("OperateTask", NOT_LEADER)
    outcome = dmctl("pause-task", "shop", master=f"{master.address},{other.address},{closed_port}")
    assert outcome.code == Exit.REFUSED
    assert "m2 does" in json.loads(outcome.out)["msg"]


def test_something_else_listens_there(dmctl: Any, silent_server: str) -> None:
    message = json.loads(dmctl("query-status", master=silent_server).out)["msg"]
    assert "something listens there but does not answer as a dm-master" in message


def test_no_address_is_wrong_usage(dmctl: Any) -> None:
    outcome = dmctl("query-status")
    assert outcome.code == Exit.USAGE
    assert "DM_MASTER_ADDR" in json.loads(outcome.out)["msg"]


def test_address_from_the_environment(master: Any) -> None:
    master.will_answer("QueryStatus", {"result": True})
    done = subprocess.run(
        [sys.executable, "-m", "dmctl", "query-status"],
        env=os.environ | {"DM_MASTER_ADDR": master.address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"] is True


def test_master_that_does_not_answer_in_time(dmctl: Any, master: Any) -> None:
    released = threading.Event()
    master.before = lambda rpc: released.wait(60)
    master.will_answer("OperateTask", {"result": True})
    outcome = dmctl("pause-task", "shop", "--rpc-timeout", "200ms", master=master.address)
    released.set()
    assert outcome.code == Exit.REFUSED
    message = json.loads(outcome.out)["msg"]
    assert "did not carry out OperateTask: no answer within 0.2 s" in message
    assert "it may have been carried out all the same" in message


@pytest.mark.parametrize(
    ("address", "expected"),
    [("h", "h:8261"), ("h:1", "h:1"), ("http://h:1", "h:1"), ("[::1]", "[::1]:8261"), ("[::1]:1", "[::1]:1")],
)
def test_forms_of_an_address(address: str, expected: str) -> None:
    assert with_port(address) == expected


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dm-master")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return cert_file, key_file


@pytest.fixture
def tls_master(master: Any, tmp_path: Path) -> Iterator[tuple[str, Path, Path]]:
    """The recorded master again, behind TLS that wants a client certificate."""
    cert, key = _certificate(tmp_path)
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    master.serve_on(server)
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), cert.read_bytes())], cert.read_bytes(), True)
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    yield f"127.0.0.1:{port}", cert, key
    server.stop(None).wait()


def test_tls_with_a_client_certificate(dmctl: Any, master: Any, tls_master: tuple[str, Path, Path]) -> None:
    address, cert, key = tls_master
    master.will_answer("QueryStatus", {"result": True})
    tls = ("--ssl-ca", str(cert), "--ssl-cert", str(cert), "--ssl-key", str(key))
    assert dmctl(*tls, "query-status", master=address).code == Exit.DONE


def test_master_that_wants_tls(dmctl: Any, tls_master: tuple[str, Path, Path]) -> None:
    message = json.loads(dmctl("query-status", master=tls_master[0]).out)["msg"]
    assert "wants TLS (--ssl-ca)" in message


def test_certificate_file_that_is_not_there(dmctl: Any, master: Any) -> None:
    outcome = dmctl("--ssl-ca", "/none.pem", "query-status", master=master.address)
    assert "the TLS file /none.pem cannot be used: No such file" in json.loads(outcome.out)["msg"]


@pytest.mark.slow
def test_ctrl_c_while_the_master_thinks(master: Any) -> None:
    asked, released = threading.Event(), threading.Event()

    def think(rpc: str) -> None:
        asked.set()
        released.wait(60)

    master.before = think
    master.will_answer("QueryStatus", {"result": True})
    process = subprocess.Popen(
        [sys.executable, "-m", "dmctl", "--master-addr", master.address, "query-status"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert asked.wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    released.set()
    assert (process.returncode, out) == (Exit.INTERRUPTED, "")
    assert err.strip() == "interrupted; what dm-master already accepted goes on"
