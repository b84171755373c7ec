"""The prompt: ``dmctl`` without a verb.  On a terminal with history and completion, from a pipe line by line."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from click.shell_completion import ShellComplete

from dmctl.answer import Exit
from dmctl.commands import root
from dmctl.run import run_words
from dmctl.session import Session

PROMPT = "» "
_LEAVE = ("exit", "quit")


def run_prompt(session: Session) -> Exit:
    """Read and carry out commands until the end; from a pipe, the first failure's exit code is ours."""
    session = replace(session, interactive=True)
    if session.stdin.isatty():
        return _from_terminal(session)
    return _from_pipe(session)


def _from_pipe(session: Session) -> Exit:
    outcome = Exit.DONE
    for line in iter(session.stdin.readline, ""):
        if line.strip() in _LEAVE:
            break
        code = run_line(session, line)
        outcome = outcome or code
    return outcome


def _from_terminal(session: Session) -> Exit:
    history = _open_history()
    session.writer.notice("dmctl: `help` lists the commands; exit or Ctrl-D leaves")
    while True:
        try:
            line = input(PROMPT)
        except EOFError:
            print(file=session.stdout)
            break
        except KeyboardInterrupt:
            print(file=session.stdout)  # as a shell does: the line is given up, the prompt stays
            continue
        if line.strip() in _LEAVE:
            break
        _forget_passwords(line)
        run_line(session, line)
    _save_history(history)
    return Exit.DONE


def run_line(session: Session, line: str) -> Exit:
    """Carry out one line; quoting is a shell's, ``#`` begins a comment."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as exc:
        session.writer.notice(f"{exc}: close the quotes that you opened")
        return Exit.USAGE
    if words and words[0] == "dmctl":
        words = words[1:]  # pasted from the documentation
    return Exit(run_words(session, words)) if words else Exit.DONE


def completions(words: list[str], incomplete: str) -> list[str]:
    """What may stand for ``incomplete`` after ``words``: verbs and options, else files."""
    found = ShellComplete(root, {}, "dmctl", "_DMCTL_COMPLETE").get_completions(words, incomplete)
    values = [item.value for item in found if item.type == "plain" and item.value]
    return values or _files(incomplete)


def _files(incomplete: str) -> list[str]:
    folder, _, start = incomplete.rpartition("/")
    base = Path(f"{folder}/" if folder or incomplete.startswith("/") else ".")
    with suppress(OSError):
        found = sorted(path for path in base.iterdir() if path.name.startswith(start))
        prefix = incomplete[: len(incomplete) - len(start)]
        return [f"{prefix}{path.name}{'/' if path.is_dir() else ''}" for path in found]
    return []


def _open_history() -> Path | None:
    """Switch on line editing, history and completion, where Python has readline."""
    try:
        import readline
    except ImportError:
        return None
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "spark-dm" / "dmctl_history"
    with suppress(OSError):
        readline.read_history_file(path)
    readline.set_completer_delims(" \t\n")
    readline.set_completer(_complete)
    readline.parse_and_bind("tab: complete")
    return path


def _complete(incomplete: str, number: int) -> str | None:
    import readline

    before = readline.get_line_buffer()[: readline.get_begidx()]
    try:
        words = shlex.split(before)
    except ValueError:
        return None
    found = completions(words, incomplete)
    return found[number] if number < len(found) else None


def _forget_passwords(line: str) -> None:
    """``encrypt`` lines stay out of the history."""
    if line.split()[:1] != ["encrypt"]:
        return
    with suppress(ImportError):
        import readline

        readline.remove_history_item(readline.get_current_history_length() - 1)


def _save_history(path: Path | None) -> None:
    if path is None:
        return
    import readline

    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        readline.set_history_length(1000)
        readline.write_history_file(path)
