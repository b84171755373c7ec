"""What is wrong with a file: each problem with its line, value and nearest word, all in one report."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.task import Problem, check_config, load_source, load_task, read_task

BASE = """\
name: t
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
"""


def report(text: str, filename: str = "task.yaml") -> DMError:
    with pytest.raises(DMError) as caught:
        check_config(text, filename)
    return caught.value


def problems(text: str, filename: str = "task.yaml") -> tuple[Problem, ...]:
    found = report(text, filename).fields["problems"]
    assert isinstance(found, tuple)
    return found


def only(text: str, filename: str = "task.yaml") -> tuple[int, str]:
    """Code and text of the one problem."""
    [problem] = problems(text, filename)
    return (problem.kind.code if problem.kind else 0), str(problem)


def test_all_problems_come_in_one_report_in_the_order_of_the_file() -> None:
    text = """\
name: t
task-mod: all
task-mode: al
meta_schema: x
target-database:
  host: h
  port: "4000"
  user: root
  pasword: hunter2
mysql-instances:
- source-id: one
  route-rules: [ordes]
  syncer: {worker-count: 0, safe-mode-duration: 5 minutes}
- source-id: one
  syncer-config-name: fast
routes:
  orders: {schema-pattern: "shop*x", target-schema: shop}
  never: {schema-pattern: "a", target-schema: b}
"""
    error = report(text)

    lines = str(error.message).splitlines()
    assert lines[0] == "12 problems in the configuration:"
    assert lines[-1] == (
        "  task.yaml:18: `routes.never`: it is used by no instance: name it in `route-rules` or take it out"
    )
    assert error.code == 20020  # of the first problem that has one
    assert len(error.fields["problems"]) == 12


@pytest.mark.parametrize(
    ("addition", "code", "text"),
    [
        ("shard-mode: optimistic\n", 20033, "optimistic shard DDL is not in this version"),
        ("timezone: Local\n", 20008, "differs from host to host"),
        ("timezone: +15:00\n", 20008, "between -12:59 and +14:00"),
        ("timezone: Europe/Berln\n", 20008, "did you mean `Europe/Berlin`"),
        ("ignore-checking-items: [binlog_formt]\n", 20001, "did you mean `binlog_format`"),
        ("strict-optimistic-shard-mode: true\n", 20066, "no optimistic mode"),
        ("shadow-table-rules: ['^_(.+)_x']\n", 20049, "must begin with `^` and end with `$`"),
        ("trash-table-rules: ['^_.+_x$']\n", 20049, "it has 0 groups"),
        ("trash-table-rules: ['^_(.+)_(x|y)$']\n", 20049, "it has 2 groups"),
        ("shadow-table-rules: ['^_(.+_x$']\n", 20049, "missing )"),
        ("online-ddl-scheme: ghost\n", 20007, "did you mean `gh-ost`"),
        ("collation_compatible: exact\n", 20052, "must be `loose` or `strict`"),
        ("filters: {f: {schema-pattern: a, action: Ignore}}\n", 20038, "name it in `filter-rules`"),
        ("  filter-rules: [f]\nfilters: {f: {action: Ignore}}\n", 20037, "is required"),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: '', action: Do}}\n", 20037, "must not be empty"),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: a}}\n", 20037, "is required"),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: a, action: ignore}}\n", 20037, "did you mean `Ignore`"),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: a, action: Skip}}\n", 20037, "must be `Do` or `Ignore`"),
        (
            "  filter-rules: [f]\nfilters: {f: {schema-pattern: a, action: Do, events: [trunkate table]}}\n",
            20037,
            "did you mean `truncate table`",
        ),
        (
            "  filter-rules: [f]\nfilters: {f: {schema-pattern: a, action: Do, events: [xyz]}}\n",
            20037,
            "docs/rules.md lists them",
        ),
        (
            "  filter-rules: [f]\nfilters: {f: {schema-pattern: a, action: Do, sql-pattern: ['^DROP (']}}\n",
            20037,
            "is not a regular expression",
        ),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: 'a*b', action: Do}}\n", 20037, "the last character"),
        ("  filter-rules: [f]\nfilters: {f: {schema-pattern: a, table-pattern: '[a', action: Do}}\n", 20037, "no `]`"),
        ("expression-filter: {e: {schema: a, table: b}}\n", 20038, "it is used by no instance"),
        ("  expression-filters: [e]\n", 20040, "there is no 'e' in `expression-filter`"),
        ("column-mappings: {c: {}}\n", 20038, "used by no instance"),
        ("remove-meta: true\n", 20071, "start-task --remove-meta"),
        ("mydumpers: {m: {}}\n", 20038, "used by no instance"),
        ("validators: {v: {}}\n", 20038, "used by no instance"),
        ("  mydumper-config-name: gone\n", 20027, "there is no 'gone' in `mydumpers`"),
        ("  loader-config-name: gone\n", 20029, "there is no 'gone' in `loaders`"),
        ("  block-allow-list: gone\n", 20026, "there is no 'gone' in `block-allow-list`"),
        ("  validator-config-name: gone\n", 20056, "there is no 'gone' in `validators`"),
        ("  mydumper: {where: id > 5}\n", 20071, "in task-mode dump alone"),
        ("  mydumper: {chunk-filesize: big}\n", 20047, "not a size"),
        ("  mydumper: {chunk-filesize: 0}\n", 20047, "the smallest chunk size"),
        ("  mydumper: {extra-args: -B shop}\n", 20071, "use `block-allow-list`"),
        ("  mydumper: {extra-args: --consistncy none}\n", 20071, "did you mean `--consistency`"),
        ("  mydumper: {extra-args: -t 8}\n", 20071, "as the option `threads`"),
        ('  mydumper: {extra-args: "\'"}\n', 0, "not a list of arguments"),
        ("  loader: {import-mode: physical}\n", 20053, "writing past the SQL layer"),
        ("  loader: {import-mode: phisical}\n", 20053, "did you mean `physical`"),
        ("  loader: {on-duplicate: ignor}\n", 20054, "did you mean `ignore`"),
        ("  syncer: {safe-mode: true, safe-mode-duration: 0s}\n", 20061, "asks for it always"),
        ("  syncer: {safe-mode-duration: -1s}\n", 20060, "cannot be negative"),
        ("  syncer: {compact: 'yes'}\n", 0, "must be true or false (found 'yes')"),
        ("  meta: {binlog-pos: 4}\n", 20011, "needs `binlog-name`"),
        ("  filter-rules: [a]\n", 20024, "there is no 'a' in `filters`"),
        (f"- source-id: {'x' * 33}\n", 20006, "has 33 characters, the most is 32"),
        ("- source-id: ''\n", 20005, "must not be empty"),
        ("- {}\n", 20005, "is required"),
        ("spark: {conf: [a]}\n", 0, "must be a block of options"),
    ],
)
def test_a_value_that_is_not_possible_is_refused_with_its_reason(addition: str, code: int, text: str) -> None:
    found_code, message = only(BASE + addition)

    assert text in message
    assert found_code == code
    assert message.startswith(f"task.yaml:{5 + addition.count(chr(10))}: ")


def test_a_task_mode_that_is_not_there_is_refused_with_what_to_do_instead() -> None:
    code, message = only(BASE.replace("all", "load&sync"))
    assert code == 20020
    assert "use load, and then incremental" in message
    assert "'load&sync'" in message


def test_named_settings_and_settings_in_place_exclude_each_other() -> None:
    text = BASE + "  loader-config-name: a\n  loader: {pool-size: 2}\nloaders: {a: {}}\n"

    assert only(text)[0] == 20016


def test_a_rule_that_is_named_twice() -> None:
    text = BASE + "  route-rules: [a, a]\nroutes: {a: {schema-pattern: x, target-schema: y}}\n"

    assert only(text) == (
        20032,
        "task.yaml:6: `mysql-instances[0].route-rules[1]`: the rule is named twice (found 'a')",
    )


def test_two_routes_with_the_same_patterns_leave_the_target_undecided() -> None:
    text = BASE + (
        "  route-rules: [a, b]\nroutes:\n"
        "  a: {schema-pattern: x, target-schema: y}\n  b: {schema-pattern: x, target-schema: z}\n"
    )

    assert only(text)[1].endswith("the routes 'a' and 'b' have the same patterns")


def test_foreign_key_checks_of_the_session_cost_parallel_channels() -> None:
    loaded = check_config(BASE.replace("user: root", "user: root, session: {FOREIGN_KEY_CHECKS: on}"), "task.yaml")

    assert ["share one channel" in str(warning) for warning in loaded.warnings] == [True]


def test_a_certificate_needs_its_key() -> None:
    text = BASE.replace("user: root", "user: root, security: {ssl-ca: /ca, ssl-cert: /c}")

    assert "needs `ssl-key` beside it" in only(text)[1]


def test_missing_options_are_named() -> None:
    found = [problem.option for problem in problems("name: t\n")]

    assert found == ["task-mode", "target-database", "mysql-instances"]


def test_old_and_new_name_together_are_a_conflict() -> None:
    text = BASE + "black-white-list: {a: {}}\nblock-allow-list: {a: {}}\n"

    assert any("it is the old name of `block-allow-list`" in str(problem) for problem in problems(text))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty"),
        ("# only a comment\n", 1, "the file is empty"),
        ("- a\n", 1, "must be a list of `option: value`"),
        ("name: [a\nb: c\n", 2, "not valid YAML"),
        ("name: {a: b\n", 2, "not valid YAML"),
        ("name: 'abc\n", 2, "not valid YAML"),
        ("name: t\n\ttask-mode: all\n", 2, "a tab is not allowed here; indent with spaces"),
        ("name: a\nname: b\n", 2, "`name` is there twice, first in line 1"),
        ("a:\n  x: 1\n  x: 2\n", 3, "`x` is there twice, first in line 2"),
        ("a: &a [*a]\n", 1, "an alias contains itself"),
        ("a: !!python/object:os.system x\n", 1, "a tag is not allowed here"),
        ("a: !!python/tuple [x]\n", 1, "a tag is not allowed here"),
        ("a: *b\n", 1, "undefined alias"),
        ("a: 1\n---\nb: 2\n", 2, "more than one YAML document"),
        ("? [a]\n: b\n", 1, "cannot be the name of an option"),
        ("name: \x00\n", 1, "U+0000"),
        ("name: t\nx: a: b\n", 2, "not valid YAML"),
        ("<<: 5\n", 1, "`<<` must name a mapping"),
        ("[" * 5000, 1, "nested too deeply"),
    ],
)
def test_text_that_is_not_yaml_is_an_error_with_its_line(text: str, line: int, message: str) -> None:
    [problem] = problems(text)

    assert problem.line == line
    assert message in problem.text
    assert problem.kind is not None
    assert problem.kind.code == 20003


def test_aliases_that_blow_up_are_stopped() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    assert "too many" in str(report("\n".join(levels)))


def test_secrets_never_show_in_a_report() -> None:
    text = """\
name: t
task-mode: wrong
target-database:
  host: h
  port: 4000
  user: root
  password: [s3cr3t-one]
  security: {ssl-key-base64: "s3cr3t!"}
mysql-instances: [{source-id: a}]
"""
    message = str(report(text))

    assert "target-database.password`: must be a text" in message
    assert "s3cr3t" not in message
    assert "s3cr3t" not in str(report(text.replace("[s3cr3t-one]", "{s3cr3t: x}").replace("password:", "passwrd:")))
    assert "s3cr3t" not in str(report("target-database: root:s3cr3t@host\n"))
    for password in (
        "'s3cr3t",
        "*s3cr3t",
        "!s3cr3t",
        "!s3cr3t!x",
        "&s3cr3t",
        "@s3cr3t",
        "%s3cr3t",
        "[s3cr3t",
        "s3: cr3t",
    ):
        assert "s3cr3t" not in str(report(f"source-id: a\nfrom:\n  password: {password}\n"))


def test_options_that_only_tune_dms_machinery_are_accepted_with_a_warning_each() -> None:
    text = BASE + (
        "  loader: {dir: ./elsewhere, sorting-dir-physical: ./s}\n  syncer: {max-retry: 3}\nclean-dump-file: false\n"
    )
    warnings = [str(warning) for warning in read_task(text, "task.yaml").warnings]

    assert warnings == [
        "task.yaml:6: `mysql-instances[0].loader.sorting-dir-physical`: has no effect here: only used by import-mode "
        "physical",
        "task.yaml:7: `mysql-instances[0].syncer.max-retry`: has no effect here: retries follow the kind of the error",
        "task.yaml:8: `clean-dump-file`: has no effect here: tables pass through Spark without dump files",
        "task.yaml:6: `mysql-instances[0].loader.dir`: has no effect here: "
        "tables pass through Spark without dump files",
    ]


SOURCE = "source-id: one\nfrom: {host: h, port: 3306, user: u}\n"


@pytest.mark.parametrize(
    ("addition", "code", "text"),
    [
        ("purge: {remain-space: -1}\n", 0, "must be greater than or equal to 0"),
        ("relay-dir: ''\n", 0, "must not be empty"),
        ("relay-binlog-gtid: 3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5\n", 0, "set `enable-gtid: true`"),
        ("enable: false\n", 20071, "use pause-task"),
        ("flavor: percona\n", 0, "must be"),
        ("server-id: 4294967296\n", 0, "must be less than or equal to 4294967295"),
        ("checker: {backoff-max: 1s, backoff-min: 1m}\n", 20043, "must not be smaller"),
        ("filters: [{schema-pattern: a, action: Ignore, events: [dropp table]}]\n", 20037, "did you mean `drop table`"),
        ("enable-gtd: true\n", 0, "did you mean `enable-gtid`"),
    ],
)
def test_a_source_option_that_is_not_possible_is_refused(addition: str, code: int, text: str) -> None:
    found_code, message = only(SOURCE + addition, "source.yaml")

    assert text in message
    assert found_code == code
    assert message.startswith("source.yaml:3: ")


def test_dms_sample_source_file_is_accepted() -> None:
    text = """\
server-id: 101
source-id: mysql-replica-01
flavor: mysql
enable-relay: false
relay-binlog-name: ''
relay-dir: ./relay_log
enable-gtid: false
enable: true
charset: ''
from:
  host: 127.0.0.1
  user: root
  password: '123456'
  port: 3306
purge: {interval: 3600, expires: 24, remain-space: 15}
checker:
  check-enable: true
  backoff-rollback: 5m
  backoff-max: 5m
tracer: {}
"""
    source = load_source(text, "source.yaml")
    warnings = [str(warning) for warning in check_config(text, "source.yaml").warnings]

    assert source.from_.password.reveal() == "123456"
    assert source.relay_dir == "./relay_log"
    assert source.purge.expires == 24
    assert warnings == []


def test_the_error_says_the_file_as_the_user_named_it() -> None:
    with pytest.raises(DMError, match=r"conf/my\.yaml:1: `nam`"):
        load_task("nam: x\n", "conf/my.yaml")
