"""Options of dmctl itself: flags, environment, file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmctl.settings import Format, Settings, Tls, load_settings
from pkg.errors import DMError


def written(folder: Path, text: str) -> Path:
    path = folder / "dmctl.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_file_with_all_options(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'master-addr = "a:1,b:2"\nrpc-timeout = "30s"\nssl-ca = "ca.pem"\nssl-cert = "c.pem"\nssl-key = "k.pem"\n',
    )
    assert load_settings(path, Settings()) == Settings(("a:1", "b:2"), 30.0, Tls("ca.pem", "c.pem", "k.pem"))


def test_address_of_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'master-addr = "file:1"\n')
    assert load_settings(path, Settings(addresses=("env:1",))).addresses == ("env:1",)


def test_flag_wins_over_everything() -> None:
    settings = Settings(addresses=("env:1",)).with_flags(
        {"master_addr": "flag:1", "output": "yaml", "source": ("a,b",)}
    )
    assert settings == Settings(addresses=("flag:1",), output=Format.YAML, sources=("a", "b"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\nmaster-adr = "a:1"\n', "dmctl.toml:2: unknown option 'master-adr'"),
        ("master-addr = 8261\n", "dmctl.toml:1: master-addr must be text in quotes, not 8261"),
        ("master-addr = \n", "this is not TOML"),
        ('rpc-timeout = "soon"\n', "'soon' is not a duration"),
        ('ssl-cert = "c.pem"\n', "--ssl-key is missing"),
        ('ssl-cert = "c.pem"\nssl-key = "k.pem"\n', "--ssl-ca is missing"),
    ],
)
def test_mistake_in_the_file(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(DMError) as caught:
        load_settings(written(tmp_path, text), Settings())
    assert expected in str(caught.value)


def test_mistyped_option_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(DMError) as caught:
        load_settings(written(tmp_path, 'master-adr = "a:1"\n'), Settings())
    assert caught.value.workaround == "did you mean master-addr?"


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DMError, match="error in get file content"):
        load_settings(tmp_path / "none.toml", Settings())
