"""Samples and the reference: generated, fresh, and valid themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkg.task import check_config, sample
from pkg.task.option import Status, about, options_of
from pkg.task.reading import inner_model
from pkg.task.reference import SAMPLE_FILES, generated_files
from pkg.task.sample import MODELS
from pkg.task.task import CHECK_ITEMS, DEFAULT_SHADOW_RULES

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("kind", list(SAMPLE_FILES))
def test_a_sample_loads_without_problems_and_warnings(kind: str) -> None:
    loaded = check_config(sample(kind), Path(SAMPLE_FILES[kind]).name)

    assert loaded.kind == kind
    assert loaded.warnings == ()


@pytest.mark.parametrize("path", sorted(generated_files()))
def test_generated_files_in_the_repository_are_fresh(path: str) -> None:
    text = generated_files()[path]

    assert (ROOT / path).read_text(encoding="utf-8") == text, "run `python -m pkg.task.reference --write`"


@pytest.mark.parametrize("kind", list(MODELS))
def test_every_option_is_described_and_what_is_not_acted_on_says_why(kind: str) -> None:
    for name, (_, field) in options_of(MODELS[kind]).items():
        option = about(field)
        assert field.description, name
        assert (option.status is Status.SUPPORTED) == (not option.reason), name


def test_every_option_of_the_models_is_in_the_reference() -> None:
    text = generated_files()["docs/configuration.md"]

    for model in MODELS.values():
        for name, (_, field) in options_of(model).items():
            assert f"| `{name}` |" in text
            inner = inner_model(field.annotation)
            assert all(f"| `{option}` |" in text for option in options_of(inner)) if inner else True


def test_defaults_of_dm_that_are_lists_are_not_shared() -> None:
    first = check_config(sample("task"), "task.yaml").config
    second = check_config(sample("task"), "task.yaml").config

    assert first.shadow_table_rules == DEFAULT_SHADOW_RULES
    assert first.shadow_table_rules is not second.shadow_table_rules
    assert "all" in CHECK_ITEMS
