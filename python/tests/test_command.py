"""The same job gives the same, from Python and on the command line, for every algorithm and model."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from conftest import people

import throng
from throng import _throng

COMMAND = os.path.join(os.path.dirname(sys.executable), "throng")
REGISTRY = json.loads(_throng.registry())
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


#: The notions that each algorithm has.
NOTIONS = {one["name"]: one["notions"] for one in json.loads(command("algorithms", "--json").stdout)["algorithms"]}


def test_every_model_is_asked_for_and_has_a_function():
    assert set(MODELS) == set(REGISTRY["models"])
    names = {"k": "k_anonymity"}
    for model, parameters in REGISTRY["models"].items():
        function = getattr(throng, names.get(model, model.replace("-", "_")))
        assert set(parameters) <= {*inspect.signature(function).parameters, "enhanced"}, model
        assert function.__name__ in throng.__all__


def test_every_key_of_a_job_is_a_keyword():
    """The engine names the keys that it knows; none may be missing here."""
    others = {"privacy": {"require"}, "output": {"path"}, "": {"input", "output", "columns", "privacy", "search", "release"}}
    for section in ["", "privacy", "search", "output"]:
        job = {"input": "a.csv", "output": {"path": "b.csv"}, "columns": {}, "privacy": {}, "search": {}}
        (job[section] if section else job)["no such key"] = 1
        with pytest.raises(throng.BadInput) as caught:
            _throng.write_job(json.dumps(job))
        keys = set(re.findall(r"[a-z_]+", str(caught.value).partition("allowed are: ")[2])) - others.get(section, set())
        assert len(keys) >= 3, str(caught.value)
        for key in keys:
            throng.Job(**{key: "x" if key in ("policy", "recoding", "start") else {} if section == "" else 1})


#: What differs from run to run, or says where the tables are.
OF_A_RUN = {"seconds", "peak_memory_bytes", "provenance", "output", "output_files"}


def lasting(summary: dict) -> dict:
    """What two runs of one job have in common."""

    def untimed(value: object) -> object:
        is_table = isinstance(value, dict)
        return {key: untimed(one) for key, one in value.items() if "seconds" not in key} if is_table else value

    return {key: untimed(value) for key, value in summary.items() if key not in OF_A_RUN}


def agree(frame: pd.DataFrame, path: str, tmp_path, **keywords: object) -> throng.Release:
    ended = command("anonymize", path, "--json")
    assert ended.returncode == 0, ended.stderr
    release = throng.anonymize(frame, **keywords)
    assert lasting(json.loads(ended.stdout)) == lasting(release.summary.raw)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "release.parquet"), release.data, check_dtype=False)
    return release


@pytest.mark.parametrize("algorithm", sorted(NOTIONS))
def test_algorithms(algorithm, tmp_path, said, job_file):
    """Every one releases something, and the same from both."""
    # Few values, so that those that try every cut end soon; one tries every partition.
    rows, notion = people(12 if algorithm == "min-gen" else 150), NOTIONS[algorithm][0]
    rows = rows.assign(age=rows["age"] // 10 * 10, zip=rows["zip"].str[:2])
    path = job_file(rows, notion, algorithm=algorithm)
    release = agree(rows, path, tmp_path, algorithm=algorithm, notion=notion, **said)
    assert release.summary.outcome == "released"


@pytest.mark.parametrize("notion", sorted(NOTIONS["auto"]))
def test_notions(notion, tmp_path, frame, said, job_file):
    agree(frame, job_file(notion=notion), tmp_path, notion=notion, **said)


#: What is wrong, as the end of a job file and as keywords.
WRONG = {
    "an algorithm that there is not": ("algorithm = 'mondrain'", {"algorithm": "mondrain"}),
    "a setting of others": ("algorithm = 'flash'\npasses = 3", {"algorithm": "flash", "passes": 3}),
    "a model that there is not": (
        "[[privacy.require]]\nmodel = 'distinkt-l'\nl = 2\ncolumn = 'illness'",
        {"require": throng.require("distinkt-l", "illness", l=2)},
    ),
    "a model of a column that is not sensitive": (
        "[[privacy.require]]\nmodel = 'distinct-l'\nl = 2\ncolumn = 'visits'",
        {"require": throng.distinct_l("visits", 2)},
    ),
    "a parameter out of range": (
        "[[privacy.require]]\nmodel = 't-closeness'\nt = 7\ncolumn = 'illness'",
        {"require": throng.t_closeness("illness", 7)},
    ),
    "a measure that there is not": ("measure = 'loss'", {"measure": "loss"}),
}


@pytest.mark.parametrize("what", sorted(WRONG))
def test_errors(what, frame, said, job_file):
    """What the command says of a job file, Python says of keywords."""
    text, keywords = WRONG[what]
    path = job_file()
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")
    ended = command("anonymize", path, "--json")
    told = json.loads(ended.stderr.splitlines()[-1])["error"]
    with pytest.raises(throng.BadInput) as caught:
        throng.anonymize(frame, **{**said, **keywords})
    error = caught.value
    assert ended.returncode == 2
    assert (told["kind"], told.get("hint"), told.get("column")) == (error.kind, error.hint, error.column)
    # The command says in which file, and on which line of it.
    assert str(error) in told["message"] or str(error) == told["message"].split(": ", 1)[1]


def test_errors_of_rows(tmp_path, frame, said, job_file):
    odd = frame.assign(age=[*frame["age"].astype(str)[:41], "secret", *frame["age"].astype(str)[42:]])
    told = json.loads(command("anonymize", job_file(odd), "--json").stderr.splitlines()[-1])["error"]
    with pytest.raises(throng.BadInput) as caught:
        throng.anonymize(odd, **said)
    error = caught.value
    assert (told["row"], told["column"], told.get("hint")) == (error.row, error.column, error.hint)
    assert str(error) == f"<frame>: row 42, column 'age': {told['message']}" and "secret" not in str(error)


def test_no_release(frame, said, job_file):
    path = job_file()
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n[[privacy.require]]\nmodel = 'recursive-cl'\nc = 0.1\nl = 4\ncolumn = 'illness'\n")
    ended = command("anonymize", path, "--json")
    with pytest.raises(throng.Infeasible) as caught:
        throng.anonymize(frame, **said, require=throng.recursive_cl("illness", 0.1, 4))
    assert ended.returncode == 1
    assert lasting(json.loads(ended.stdout)) == lasting(caught.value.summary.raw)


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
    release = agree(frame, path, tmp_path, algorithm="flash", require=[asked], **said)
    assert model in [one.model for one in release.summary.requirements]


def test_the_command_is_the_command():
    assert command("--version").stdout.startswith("throng ")
    assert command("anonymize", "no/such.toml").returncode == 2
    assert subprocess.run([sys.executable, "-m", "throng", "--version"], capture_output=True).returncode == 0
