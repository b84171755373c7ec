"""The options of a dump to files: what they mean in which task-mode."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.task.load import read_task

_TASK = """name: t
task-mode: {mode}
target-database: {{host: h, port: 1, user: u}}
mysql-instances:
- source-id: a
  mydumper: {dump}
{more}"""


def _warnings(mode: str, dump: str, more: str = "") -> list[str]:
    return [problem.text for problem in read_task(_TASK.format(mode=mode, dump=dump, more=more), "t.yaml").warnings]


def _refusal(mode: str, dump: str) -> str:
    with pytest.raises(DMError) as refused:
        _warnings(mode, dump)
    return refused.value.message


def test_a_dump_takes_all_that_says_what_is_in_its_files() -> None:
    loaded = read_task(
        _TASK.format(
            mode="dump",
            dump="{where: id > 5, compress: ZSTD, statement-size: 5000, rows: 10, extra-args: '-W --no-data -m'}",
            more="  loader: {dir: /dumps}",
        ),
        "t.yaml",
    )
    assert not loaded.warnings
    [instance] = loaded.config.mysql_instances
    assert instance.mydumper is not None
    assert (instance.mydumper.where, instance.mydumper.compress) == ("id > 5", "zstd")
    assert instance.mydumper.has_argument("-m", "--no-schemas")
    assert not instance.mydumper.has_argument("--no-views")


def test_elsewhere_files_have_no_form_and_no_row_is_left_out() -> None:
    assert "the target would lack rows" in _refusal("full", "{where: id > 5}")
    assert "chooses what is dumped" in _refusal("all", "{extra-args: --no-data}")
    [compress, size] = _warnings("all", "{compress: zstd, statement-size: 5000}")
    assert "it writes no files" in compress
    assert "it writes no files" in size


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        ("-s 5000", "statement-size"),
        ("--where x", "where"),
        ("-c", "compress"),
        ("-o /x", "dir"),
        ("-F 5", "chunk-filesize"),
    ],
)
def test_arguments_that_are_options_are_to_be_written_as_such(argument: str, option: str) -> None:
    assert f"as the option `{option}`" in _refusal("dump", f"{{extra-args: {argument}}}")


def test_rules_that_change_names_have_no_effect_on_files() -> None:
    routes = """  route-rules: [r]
routes: {r: {schema-pattern: a, target-schema: b}}"""
    [warning] = _warnings("dump", "{}", routes)
    assert "files have the upstream's names" in warning
    assert not _warnings("full", "{}", routes)


@pytest.mark.parametrize("folder", ["/dumps", "s3a://bucket/dumps"])
def test_a_load_reads_a_folder_or_a_url(folder: str) -> None:
    loaded = read_task(_TASK.format(mode="load", dump="{}", more=f"  loader: {{dir: '{folder}'}}"), "t.yaml")
    assert not loaded.warnings


def test_a_load_maps_no_values() -> None:
    mapping = "{schema-pattern: a, expression: add prefix, source-column: b, target-column: b, arguments: [x]}"
    with pytest.raises(DMError) as refused:
        _warnings("load", "{}", f"  column-mapping-rules: [c]\ncolumn-mappings: {{c: {mapping}}}")
    assert "rows from files are not mapped" in refused.value.message
