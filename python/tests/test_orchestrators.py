"""The files of the guide's page about Airflow and dbt, run by both where they are installed."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

import pandas as pd
import pytest
from conftest import people
from judges import class_sizes

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/orchestrators.md").read_text(encoding="utf-8")


def file_of_the_page(name: str) -> str:
    """The block of code that follows a file's name."""
    found = re.search(rf"`{re.escape(name)}`.*?^```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def write(folder: pathlib.Path, **more: str) -> None:
    rows = people(400).rename(columns={"illness": "diagnosis"})[["name", "age", "job", "diagnosis"]]
    seeds = folder / "seeds"
    seeds.mkdir()
    rows.to_csv(seeds / "people.csv", index=False)
    rows.to_csv(folder / "people.csv", index=False)
    for name, text in more.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def program(variable: str) -> str:
    """A program that runs in an environment of its own, in which throng is installed, too."""
    found = os.environ.get(variable)
    if found is None:
        pytest.skip(f"{variable} does not name a program of an environment that has throng, too")
    assert shutil.which(found), f"{variable} names {found}, which is no program"
    return found


def run(folder: pathlib.Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    told = {**os.environ, "DO_NOT_TRACK": "1", **more}
    return subprocess.run(arguments, capture_output=True, text=True, cwd=folder, env=told, timeout=500)


def test_dbt(tmp_path):
    dbt = program("THRONG_DBT")
    names = ["models/release.py", "models/schema.yml", "tests/generic/k_anonymous.sql"]
    files = {name: file_of_the_page(name) for name in names}
    files["dbt_project.yml"] = "name: clinic\nversion: '1.0'\nprofile: clinic\n"
    files["profiles.yml"] = "clinic: {target: dev, outputs: {dev: {type: duckdb, path: clinic.duckdb}}}\n"
    write(tmp_path, **files)
    ended = run(tmp_path, dbt, "build", "--no-version-check", "--profiles-dir", ".")
    assert ended.returncode == 0 and "PASS=3" in ended.stdout, ended.stdout
    # A test that cannot fail would be none: nobody has so large a crowd.
    schema = tmp_path / "models/schema.yml"
    schema.write_text(schema.read_text().replace("k: 5", "k: 500"))
    ended = run(tmp_path, dbt, "test", "--no-version-check", "--profiles-dir", ".")
    assert ended.returncode == 1 and "FAIL" in ended.stdout, ended.stdout


def test_airflow(tmp_path):
    airflow = program("THRONG_AIRFLOW")
    write(tmp_path, **{"people_release.py": file_of_the_page("people_release.py")})
    told = {"AIRFLOW_HOME": str(tmp_path / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "false"}
    told["AIRFLOW__CORE__DAGS_FOLDER"] = str(tmp_path)
    ended = run(tmp_path, airflow, "db", "migrate", **told)
    assert ended.returncode == 0, ended.stderr
    python = os.path.join(os.path.dirname(airflow), "python")
    ended = run(tmp_path, python, "people_release.py", **told)
    assert ended.returncode == 0 and "state=success" in ended.stdout + ended.stderr, ended.stdout + ended.stderr
    released = pd.read_parquet(tmp_path / "release.parquet")
    assert min(class_sizes(released, ["age", "job"])) >= 5 and "name" not in released.columns
