"""Where Spark runs and how many tasks at a time; what is said where there is no Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkg.adapters.spark import NO_JAVA, SparkSettings, find_java
from pkg.adapters.spark_archive import write_archive
from pkg.errors import DMError


@pytest.mark.parametrize(
    ("master", "lanes", "resolved"),
    [
        ("local[*]", 6, "local[6,4]"),
        ("local[2]", 6, "local[2,4]"),
        ("local[8, 2]", 6, "local[6,4]"),
        ("local", 6, "local[1,4]"),
        ("spark://host:7077", 6, "spark://host:7077"),
    ],
)
def test_lanes_limit_the_tasks_at_a_time(master: str, lanes: int, resolved: str) -> None:
    assert SparkSettings(master, lanes, "t").resolved_master() == resolved


def test_a_cluster_gives_no_more_cores_than_lanes() -> None:
    assert SparkSettings("spark://host:7077", 6, "t").properties()["spark.cores.max"] == "6"


def test_the_task_file_overrides_our_properties_but_not_the_master() -> None:
    conf = {"spark.driver.memory": "2g", "spark.master": "local[99]"}
    properties = SparkSettings("local[*]", 3, "t", conf).properties()
    assert (properties["spark.driver.memory"], properties["spark.master"]) == ("2g", "local[3,4]")


def test_no_java_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for home in (str(tmp_path), ""):
        monkeypatch.setenv("JAVA_HOME", home)
        with pytest.raises(DMError, match="needs Java 17") as caught:
            find_java()
        assert caught.value.is_a(NO_JAVA)
        assert "openjdk-17-jre-headless" in caught.value.workaround


@pytest.mark.slow
def test_the_archive_holds_the_project_and_what_it_imports(tmp_path: Path) -> None:
    import zipfile

    names = set(zipfile.ZipFile(write_archive(tmp_path)).namelist())
    assert {"dm_worker/loader/executor.py", "pkg/rows/text_protocol.py", "pymysql/__init__.py"} <= names
    assert any(name.startswith("pydantic_core/") for name in names)
    assert not any("__pycache__" in name for name in names)
