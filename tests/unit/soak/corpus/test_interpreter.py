"""The interpreter of the corpus: variables, blocks, sessions; which statements come out of a file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.soak.corpus import interpreter
from tests.soak.corpus.interpreter import FileEnds, Interpreter
from tests.soak.corpus.sessions import Answer, Step


class Recorded:
    """Sessions that note their steps, and answer queries as they are told."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.steps: list[Step] = []
        self.answers = answers or {}

    def do(self, step: Step) -> Answer:
        self.steps.append(step)
        return self.answers.get(step.text, Answer())


def statements(folder: Path, text: str, answers: dict[str, Answer] | None = None) -> list[str]:
    """What runs, with the session in front where it is not the first one."""
    sessions = Recorded(answers)
    (folder / "it.test").write_text(text, encoding="latin1")
    run = Interpreter(folder, sessions, {}, "/vardir", time.monotonic() + 20)  # type: ignore[arg-type]
    run.run_file(folder / "it.test")
    return [
        step.text if step.session == "default" else f"{step.session}: {step.text}"
        for step in sessions.steps
        if step.what in ("sql", "send")
    ]


def test_variables_are_put_into_eval_and_not_into_other_statements(tmp_path: Path) -> None:
    text = "let $t= t1;\neval drop table $t, \\$x;\nselect '$t';\n"
    assert statements(tmp_path, text) == ["drop table t1, $x", "select '$t'"]


def test_a_loop_runs_until_its_variable_is_zero(tmp_path: Path) -> None:
    text = "let $i= 3;\nwhile ($i)\n{\n  eval insert into t values ($i);\n  dec $i;\n}\n"
    assert statements(tmp_path, text) == [f"insert into t values ({number})" for number in (3, 2, 1)]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("!0", True),
        ("$a == x", True),
        ("$a != x", False),
        ("$n > 5", True),
        ("$none", False),
    ],
)
def test_conditions(tmp_path: Path, condition: str, holds: bool) -> None:
    text = f"let $a= x;\nlet $n= 7;\nif ({condition}) {{\nselect 1;\n}}\n"
    assert statements(tmp_path, text) == (["select 1"] if holds else [])


def test_values_come_from_queries(tmp_path: Path) -> None:
    answers = {
        "select 2": Answer(("2",), [(b"two",)]),
        "show x": Answer(("a", "b"), [(b"1", b"2"), (b"3", b"4")]),
    }
    text = "let $x= `select 2`;\nlet $y= query_get_value(show x, b, 2);\neval do '$x$y';\n"
    assert statements(tmp_path, text, answers)[-1] == "do 'two4'"


def test_sessions_come_and_go(tmp_path: Path) -> None:
    text = "connect (one,localhost,root,,);\ninsert into a values (1);\nconnection default;\ncommit;\ndisconnect one;\n"
    assert statements(tmp_path, text) == ["one: insert into a values (1)", "commit"]


def test_a_sourced_file_shares_the_variables(tmp_path: Path) -> None:
    (tmp_path / "other.inc").write_text("eval do $x;\nlet $x= 2;\n")
    assert statements(tmp_path, "let $x= 1;\nsource other.inc;\neval do $x;\n") == ["do 1", "do 2"]


def test_what_asks_for_a_feature_or_a_restart_is_not_sourced(tmp_path: Path) -> None:
    (tmp_path / "have_debug.inc").write_text("skip no debug;\n")
    assert statements(tmp_path, "--source have_debug.inc\nselect 1;\n") == ["select 1"]


@pytest.mark.parametrize("text", ["exit;\n", "--skip why\n", "while (1)\n{\n  select 1;\n}\n"])
def test_a_file_ends_early(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STATEMENTS", 50)
    with pytest.raises(FileEnds):
        statements(tmp_path, f"{text}select 'too late';\n")
