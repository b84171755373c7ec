"""Files in the test language of MariaDB's regression suite, as the corpus reads them."""

from __future__ import annotations

import pytest

from tests.soak.corpus.language import Command, parsed


def shown(commands: tuple[Command, ...]) -> list[tuple[str, str]]:
    return [(command.word, command.text) for command in commands]


def test_statements_end_at_the_delimiter_outside_of_quotes() -> None:
    text = 'SELECT \';\', "a\\";", `x;y`;\ninsert into t\n values (1);\n'
    assert [command.text for command in parsed(text)] == [
        'SELECT \';\', "a\\";", `x;y`',
        "insert into t\n values (1)",
    ]


def test_another_delimiter_holds_until_the_next() -> None:
    text = "delimiter |;\ncreate procedure p() begin select 1; end|\n--echo x\ndelimiter ;|\nselect 2;\n"
    assert shown(parsed(text)) == [
        ("sql", "create procedure p() begin select 1; end"),
        ("echo", "x"),
        ("sql", "select 2"),
    ]


def test_lines_with_dashes_are_commands_where_their_word_is_one_and_comments_elsewhere() -> None:
    text = "# a comment;\n--disable_warnings\n-- a comment\n--let $x= a;b\nselect 1;\n"
    assert shown(parsed(text)) == [("disable_warnings", ""), ("let", "$x= a;b"), ("sql", "select 1")]


def test_blocks_are_nested() -> None:
    (outer,) = parsed("while ($i)\n{\n  insert into t values (1);\n  if (`select 1`) { dec $i; }\n}\n")
    assert (outer.word, outer.text) == ("while", "($i)")
    insert, inner = outer.block
    assert insert.text == "insert into t values (1)"
    assert (inner.word, inner.text, shown(inner.block)) == ("if", "(`select 1`)", [("dec", "$i")])


@pytest.mark.parametrize("word", ["perl", "write_file $f", "append_file $f END"])
def test_text_for_a_file_or_a_program_is_no_sql(word: str) -> None:
    end = "END" if word.endswith("END") else "EOF"
    assert shown(parsed(f"--{word}\ndrop table t;\n{end}\nselect 1;\n")) == [("sql", "select 1")]


def test_what_is_not_to_be_parsed_is_passed_over() -> None:
    assert shown(parsed("--disable_parsing\nselect 1;\n--enable_parsing\nselect 2;\n"))[-1] == ("sql", "select 2")


def test_a_command_knows_its_line() -> None:
    assert [command.line for command in parsed("\n\nselect\n1;\nselect 2;\n")] == [3, 5]
