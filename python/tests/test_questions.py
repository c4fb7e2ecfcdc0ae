"""What else can be asked of tables."""

from __future__ import annotations

import logging
import pickle
import sys

import pandas as pd
import pytest
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


def test_frontier_compare_evaluate_sql(frame, said):
    front = throng.frontier(frame, ["k", "lm"], **said)
    points = front.frame()
    assert list(points["number"]) == list(range(1, len(points) + 1)) and len(points) > 1
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
