"""``encrypt``: a password as it may stand in a configuration file."""

from __future__ import annotations

from pathlib import Path

import click

from dmctl.answer import Answer, View
from dmctl.cli import root, verb
from dmctl.files import read_text
from dmctl.session import Session
from pkg.task.secret import encrypt as encrypt_text
from pkg.task.secret import parse_key


@verb(root)
@click.argument("plaintext", required=False)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Encrypt here with this key (secret-key-path of dm-master); without it dm-master encrypts with its own.",
)
def encrypt(session: Session, plaintext: str | None = None, key_file: Path | None = None) -> Answer:
    """Encrypt a password for a source or task file.

    Without PLAINTEXT the password is asked for and not shown, or read from a pipe. Give it as an argument only where
    nobody else can read your shell's history or the list of processes.

    \b
    openssl rand -hex 32 > dm.key                   a key, named by secret-key-path of dm-master
    dmctl encrypt --key-file dm.key                 asks for the password
    dmctl encrypt < password.txt                    dm-master encrypts it
    """
    secret = plaintext if plaintext is not None else _ask(session)
    if key_file is None:
        body = session.master.encrypt(secret)
    else:
        body = {"result": True, "msg": "", "ciphertext": encrypt_text(secret, parse_key(read_text(key_file)))}
    view = View.CONFIG if body.get("result") else View.RESULT
    return Answer(body, view, "encrypt", text=str(body.get("ciphertext", "")))


def _ask(session: Session) -> str:
    if session.stdin.isatty():
        return str(click.prompt("password", hide_input=True, confirmation_prompt=True, err=True))
    text = session.stdin.readline() if session.interactive else session.stdin.read()
    return text.removesuffix("\n").removesuffix("\r")
