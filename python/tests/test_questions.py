"""What else can be asked of tables."""

from __future__ import annotations

import logging
import pickle
import sys

import pandas as pd
import pytest
from conftest import people
from judges import class_sizes

import throng


def test_check(frame):
    found = throng.check(frame, quasi=["age", "zip"], sensitive=["illness"], require=[throng.distinct_l("illness", 2)])
    sizes = class_sizes(frame, ["age", "zip"])
    assert (found.k, found.classes) == (min(sizes), len(sizes))
    assert found.unique_rows == sum(size == 1 for size in sizes)
    assert "<table>" in found._repr_html_()
    with pytest.raises(throng.BadInput, match="did you mean 'age'"):
        throng.check(frame, quasi=["agee"])


def test_profile_and_init(tmp_path, frame):
    found = throng.profile(frame)
    assert found.rows == len(frame) and [one["name"] for one in found.columns] == list(frame.columns)
    job = throng.init(frame)
    assert {said["role"] for said in job.keys["columns"].values()} >= {"quasi", "identifier"}
    release = throng.anonymize(frame, job, k=4)
    quasi = [name for name, said in job.keys["columns"].items() if said["role"] == "quasi"]
    assert min(class_sizes(release.data, quasi)) >= 4
    job.write(tmp_path / "job.toml")
    read = throng.Job.read(tmp_path / "job.toml")
    again = throng.anonymize(frame, read, k=4)
    pd.testing.assert_frame_equal(again.data, release.data)
    with pytest.raises(throng.BadInput, match="already exists"):
        job.write(tmp_path / "job.toml")


def test_attack(frame, said):
    release = throng.anonymize(frame, **said)
    found = throng.attack(frame, release.data, job=release.job)
    assert found.holds and found.neighbours["rows_below_k"] == 0
    raw = throng.attack(frame, frame.drop(columns="name"), quasi=["age", "zip", "job"], sensitive=["illness"], k=5)
    assert raw.succeeds and not raw.holds


def test_attack_against_people_who_were_left_out(frame, said):
    release = throng.anonymize(frame, **said)
    strangers = people(300, seed=5)
    found = throng.attack(frame, release.data, job=release.job, control=strangers, attacks=200, seed=3)
    assert found.control["control_rows"] == 300 and found.control["seed"] == 3
    assert {"singling_out", "linkability", "inference", "membership"} <= set(found.control)
    assert throng.attack(frame, release.data, job=release.job).raw.get("control") is None
    with pytest.raises(throng.BadInput, match="attacks is 0"):
        throng.attack(frame, release.data, job=release.job, control=strangers, attacks=0)


def test_households_samples_and_named_columns(frame, said):
    homes = frame.assign(home=[row // 3 for row in range(len(frame))])
    assert throng.check(homes, quasi=["age"], household="home").household["households"] == 200
    front = throng.frontier(frame, ["k", "lm"], reference="exact", spread=True, **said)
    assert front.quality is not None and front.spread
    compared = throng.compare(frame, ["flash"], ks=[3], rows=200, quasi_counts=(2, 3), quasi_k=4, **said)
    assert compared.rows == 200 and [trial["quasi_identifiers"] for trial in compared.by_quasi_count] == [2, 3]
    named = throng.init(frame, quasi=["age", "job"]).keys["columns"]
    assert [name for name, column in named.items() if column["role"] == "quasi"] == ["age", "job"]


def test_questions_need_no_k_and_no_output(frame, said):
    """Where nothing is released, a job says neither what would be required nor where it would go."""
    asked = {key: said[key] for key in ("identifier", "quasi", "sensitive", "other", "person")}
    job = throng.Job(**asked)
    assert "k" not in job.keys.get("privacy", {}) and "output" not in job.keys
    told, _ = job._said_of(frame)
    assert "output" not in told and '"k"' not in told
    assert len(throng.frontier(frame, ["k", "lm"], job).front) > 1
    assert {trial["k"] for trial in throng.compare(frame, ["flash"], job, ks=[3, 5]).by_k} == {3, 5}
    attacked = throng.attack(frame, frame, job=job)
    assert attacked.raw["verdict"] is None and attacked.succeeds
    for ask in (throng.anonymize, lambda rows, of: throng.sql(rows, of, table="people", release="released")):
        with pytest.raises(throng.BadInput, match="nothing is required"):
            ask(frame, job)


def test_a_written_job_names_no_output_that_nobody_said(tmp_path, frame, said):
    throng.Job(**said).write(tmp_path / "job.toml")
    assert "output" not in (tmp_path / "job.toml").read_text()
    read = throng.Job.read(tmp_path / "job.toml")
    pd.testing.assert_frame_equal(throng.anonymize(frame, read).data, throng.anonymize(frame, **said).data)


def test_frontier_compare_evaluate_sql(frame, said):
    front = throng.frontier(frame, ["k", "lm"], **said)
    points = front.frame()
    assert list(points["number"]) == list(range(1, len(points) + 1)) and len(points) > 1
    axes = front.plot().axes[0]
    drawn = {tuple(point) for point in axes.lines[0].get_xydata()}
    assert drawn == {(point["values"]["k"], point["values"]["lm"]) for point in front.front} and axes.get_xlabel() == "k"
    compared = throng.compare(frame, ["flash", "mondrian"], ks=[3, 5], **said)
    assert {trial["contender"] for trial in compared.by_k} == {"flash", "mondrian"}
    release = throng.anonymize(frame, **said)
    found = throng.evaluate(frame, release.data, "illness", classifiers=["naive-bayes"], folds=3)
    assert found.classes == 4 and 0 < found.majority < 1
    text = throng.sql(frame, table="people", release="released", dialect="duckdb", algorithm="flash", **said)
    assert text.lower().count("create table") == 1
    import duckdb

    connection = duckdb.connect()
    connection.register("frame", frame)
    connection.execute("create table people as select * from frame")
    connection.execute(text)
    made = connection.execute("select * from released").df()
    assert min(class_sizes(made, ["age", "zip", "job"])) >= 5


def test_hierarchies(tmp_path):
    tree = throng.intervals(10, 20).tree([31, 34, 47])
    assert tree.splitlines()[0] == "*" and "      31" in tree.splitlines()
    (tmp_path / "h.csv").write_text("a;x;*\nb;x;*\n")
    assert throng.hierarchy(tmp_path / "h.csv").rows() == [["a", "x", "*"], ["b", "x", "*"]]
    given = throng.hierarchy(pd.DataFrame({"v": ["a", "b"], "l": ["x", "x"]}))
    assert given.rows()[0][:2] == ["a", "x"] and "<pre>" in given._repr_html_()
    with pytest.raises(throng.BadInput):
        throng.hierarchy([("a", "x"), ("b",)]).tree() and throng.Job(quasi={"c": [("a", "x"), ("b",)]})


def test_answers_can_be_pickled_and_shown(frame, said):
    job = throng.init(frame)
    asked = [
        throng.check(frame, quasi=["age"], policy="k-3", sampling_fraction=0.1, suda=1),
        throng.profile(frame),
        throng.attack(frame, frame, quasi=["age"]),
        throng.frontier(frame, ["k", "lm"], **said),
        throng.compare(frame, ["flash"], ks=[5], **said),
        throng.evaluate(frame, frame, "illness", classifiers=["naive-bayes"], folds=2),
        job,
        throng.Job(**said),
        throng.intervals(5),
        throng.distinct_l("illness", 2),
    ]
    for one in asked:
        thawed = pickle.loads(pickle.dumps(one))
        assert repr(thawed) == repr(one) and type(thawed) is type(one)
        assert "person 17" not in repr(one) and b"person 17" not in pickle.dumps(one)
    assert asked[0].policy["holds"] is False and asked[0].sample is not None
    with pytest.raises(throng.BadInput, match="k-3"):
        throng.check(frame, quasi=["age"], policy="k-4")
    assert "role" not in repr(asked[0]) and "quasi" in job._repr_html_()


def test_progress_by_bars_or_in_the_log(frame, said, capsys, caplog, monkeypatch):
    throng.anonymize(frame, progress=True, **said)
    assert "verify" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.INFO, logger="throng"):
        throng.anonymize(frame, progress=True, **said)
    assert {"read", "search", "write", "verify"} <= {record.getMessage() for record in caplog.records}
    assert "person 17" not in caplog.text


def test_addresses_of_databases_in_the_place_of_frames():
    """Nobody listens there; what counts is who was asked, and that no password is shown."""
    with pytest.raises(throng.BadInput) as caught:
        throng.check("postgres://reader:secret-word@127.0.0.1:1/clinic?table=people", quasi=["age"])
    assert "secret-word" not in str(caught.value) + repr(caught.value.__dict__) and "PGPASSWORD" in str(caught.value)
    with pytest.raises(throng.ThrongError, match="127.0.0.1") as refused:
        throng.check("postgres://reader@127.0.0.1:1/clinic?table=people", quasi=["age"])
    assert refused.value.kind in ("io", "data", "not-found")
