"""What else can be asked of tables."""

from __future__ import annotations

import pandas as pd
import pytest
from conftest import class_sizes

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
