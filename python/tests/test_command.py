"""The same job gives the same, from Python and on the command line, for every algorithm and model."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

import throng
from throng import _throng

COMMAND = os.path.join(os.path.dirname(sys.executable), "throng")
REGISTRY = json.loads(_throng.registry())
QUASI = {"age": throng.intervals(5, 10, 20, 40), "zip": throng.mask("right"), "job": None}
#: What each model is asked for, of the column `illness`.
MODELS = {
    "k": throng.k_anonymity(7),
    "distinct-l": throng.distinct_l("illness", 2),
    "entropy-l": throng.entropy_l("illness", 1.5),
    "recursive-cl": throng.recursive_cl("illness", 4, 2),
    "p-sensitive": throng.p_sensitive("illness", 2),
    "alpha-k": throng.alpha_k("illness", 0.8),
    "t-closeness": throng.t_closeness("illness", 0.5),
    "beta-likeness": throng.beta_likeness("illness", 3),
    "delta-disclosure": throng.delta_disclosure("illness", 3),
    "k-map": throng.k_map("POPULATION", 8),
    "delta-presence": throng.delta_presence("POPULATION", 0, 1),
    "average-risk": throng.average_risk(0.2),
    "max-risk": throng.max_risk(0.2),
    "estimated-k-map": throng.estimated_k_map(8, 0.5),
    "population-uniqueness": throng.population_uniqueness(0.05, 0.5),
}


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    # Nothing that the tests themselves are told by.
    told = {name: value for name, value in os.environ.items() if not name.startswith("THRONG_")}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, env=told)


def test_every_model_is_asked_for():
    assert set(MODELS) == set(REGISTRY["models"])


def agree(frame: pd.DataFrame, path: str, tmp_path, **keywords: object) -> None:
    ended = command("anonymize", path, "--json")
    try:
        release = throng.anonymize(frame, **keywords)
    except throng.Infeasible as error:
        assert ended.returncode == 1 and json.loads(ended.stdout)["outcome"] == error.summary.outcome
        return
    except throng.BadInput as error:
        said = json.loads(ended.stderr or ended.stdout)["error"]
        assert ended.returncode == 2 and said["kind"] == error.kind and said.get("hint") == error.hint
        return
    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)
    for key in ["algorithm", "measures", "levels", "suppressed_rows", "achieved", "optimal", "requirements", "settings"]:
        assert summary[key] == release.summary.raw[key], key
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "release.parquet"), release.data, check_dtype=False)


@pytest.mark.parametrize("algorithm", sorted(REGISTRY["algorithms"]))
def test_algorithms(algorithm, tmp_path, frame, said, job_file):
    agree(frame, job_file(algorithm=algorithm), tmp_path, algorithm=algorithm, **said)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_models(model, tmp_path, frame, said, job_file):
    path, asked = job_file(algorithm="flash"), MODELS[model]
    frame.to_csv(tmp_path / "population.csv", index=False)
    if "population" in asked.parameters and asked.parameters["population"]:
        asked.parameters["population"] = str(tmp_path / "population.csv")
    said_of = {**asked.parameters, **({"column": asked.column} if asked.column else {})}
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n[[privacy.require]]\nmodel = '{model}'\n")
        file.writelines(f"{name} = {value!r}\n" for name, value in said_of.items())
    agree(frame, path, tmp_path, algorithm="flash", require=[asked], **said)


def test_the_command_is_the_command():
    assert command("--version").stdout.startswith("throng ")
    assert command("anonymize", "no/such.toml").returncode == 2
    assert subprocess.run([sys.executable, "-m", "throng", "--version"], capture_output=True).returncode == 0
