"""Releases of frames: verified by others, of the kind that went in."""

from __future__ import annotations

import decimal
import hashlib
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import class_sizes, people

import throng

QUASI = ["age", "zip", "job"]


def judge(released: pd.DataFrame, summary: throng.Summary, k: int = 5) -> None:
    """Counts classes by hand, and by pycanon where it is there."""
    assert min(class_sizes(released, QUASI)) >= k
    assert len(released) == summary.rows - summary.suppressed_rows
    assert "name" not in released.columns
    pycanon = pytest.importorskip("pycanon.anonymity", reason="pycanon is not installed") if HAS_PYCANON else None
    if pycanon is not None:
        assert pycanon.k_anonymity(released.astype(str), QUASI) == min(class_sizes(released, QUASI))


try:
    import pycanon.anonymity  # noqa: F401

    HAS_PYCANON = True
except ImportError:
    HAS_PYCANON = False


def test_pandas(frame, said):
    release = throng.anonymize(frame, **said)
    assert type(release.data) is pd.DataFrame
    judge(release.data, release.summary)
    assert release.data["visits"].dtype == frame["visits"].dtype
    assert release.summary.outcome == "released" and release.summary.measures["lm"] > 0
    assert "<table>" in release._repr_html_() and "k=" in repr(release)


def test_polars_pyarrow_duckdb_and_whatever_has_a_stream(frame, said):
    expected = throng.anonymize(frame, **said).data.reset_index(drop=True)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    released = throng.anonymize(arrow, **said).data
    assert type(released) is pa.Table
    pd.testing.assert_frame_equal(released.to_pandas(), expected, check_dtype=False)
    of_polars = throng.anonymize(pl.from_arrow(arrow), **said).data
    assert type(of_polars) is pl.DataFrame
    pd.testing.assert_frame_equal(of_polars.to_pandas(), expected, check_dtype=False)
    assert type(throng.anonymize(pl.from_arrow(arrow).lazy(), **said).data) is pl.LazyFrame
    relation = duckdb.from_arrow(arrow)
    of_duckdb = throng.anonymize(relation, **said).data
    assert type(of_duckdb) is type(relation)
    assert of_duckdb.aggregate("count(*)").fetchall() == [(len(expected),)]

    class Streams:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.__arrow_c_stream__(requested_schema)

    assert throng.anonymize(Streams(), **said).data.num_rows == len(expected)


def test_types_survive():
    frame = people(400)
    frame["kind"] = pd.Categorical(frame["job"], categories=["cook", "baker", "nurse", "doctor", "astronaut"])
    frame["maybe"] = pd.array([None if row % 7 == 0 else row for row in range(400)], dtype="Int64")
    frame["when"] = pd.date_range("2024-03-01", periods=400, freq="h", tz="Europe/Berlin")
    frame["text"] = pd.array([f"t{row % 3}" for row in range(400)], dtype="string")
    frame["truth"] = pd.array([None if row % 9 == 0 else bool(row % 2) for row in range(400)], dtype="boolean")
    frame.index = range(1000, 1400)
    release = throng.anonymize(
        frame, quasi={"age": throng.intervals(20, 40), "kind": None}, rest="other", k=3, identifier=["name", "job", "zip"], person="none"
    ).data
    for name in ["maybe", "when", "text", "truth", "visits"]:
        assert release[name].dtype == frame[name].dtype, name
    assert isinstance(release["kind"].dtype, pd.CategoricalDtype)
    assert "astronaut" not in release["kind"].cat.categories
    assert list(release.index) == list(range(len(release))), "indexes are dropped"
    arrow = pa.table(
        {
            "age": pa.array([20 + row % 3 for row in range(90)]),
            "cost": pa.array([decimal.Decimal(row) for row in range(90)], pa.decimal128(9, 2)),
            "large": pa.array([f"x{row}" for row in range(90)], pa.large_string()),
            "listed": pa.array(["a", "b", None] * 30).dictionary_encode(),
        }
    )
    kept = throng.anonymize(arrow, quasi=["age"], rest="other", k=3, person="none").data.schema
    assert kept.field("cost").type == pa.decimal128(9, 2) and kept.field("large").type == pa.large_string()
    assert kept.field("listed").type == pa.string()
    spoken = pl.DataFrame({"age": [20, 21, 22] * 30, "when": pl.Series([None, 1, 2] * 30).cast(pl.Datetime("us", "UTC"))})
    spoken = spoken.with_columns(pl.Series("kind", ["a", "b", "a"] * 30, dtype=pl.Enum(["a", "b", "never"])))
    kept = throng.anonymize(spoken, quasi=["age"], rest="other", k=3, person="none").data
    assert kept.schema["when"] == pl.Datetime("us", "UTC") and kept.schema["kind"] == pl.Enum(["a", "b"])


def test_frames_as_hierarchies_and_populations(frame, said):
    rows = [(job, "kitchen" if job in ("cook", "baker") else "ward", "*") for job in frame["job"].unique()]
    said["quasi"]["job"] = pd.DataFrame(rows, columns=["job", "place", "all"])
    said["require"] = [throng.k_map(pd.concat([frame, frame]), 10)]
    release = throng.anonymize(frame, **said)
    assert set(release.data["job"]) <= {cell for row in rows for cell in row}
    assert [one.model for one in release.summary.requirements] == ["k", "k-map"]
    judge(release.data, release.summary)


def test_paths_in_the_place_of_frames(tmp_path, frame, said):
    frame.to_csv(tmp_path / "people.csv", index=False)
    release = throng.anonymize(tmp_path / "people.csv", output=tmp_path / "release.csv", **said)
    judge(pd.read_csv(tmp_path / "release.csv", dtype=str, keep_default_na=False), release.summary)
    assert release.data == str(tmp_path / "release.csv")
    assert throng.anonymize(tmp_path / "people.csv", **said).data.num_rows == release.summary.rows - release.summary.suppressed_rows


def test_a_release_can_be_saved_applied_reported_and_pickled(tmp_path, frame, said):
    release = throng.anonymize(frame, algorithm="flash", **said)
    release.save(tmp_path / "r.recoding.json")
    again = throng.apply(tmp_path / "r.recoding.json", frame)
    pd.testing.assert_frame_equal(again.data, release.data)
    page = release.report(tmp_path / "report.html")
    assert page.startswith("<!DOCTYPE html>") and "person 17" not in page
    with pytest.raises(throng.BadInput, match="already exists"):
        release.report(tmp_path / "report.html")
    thawed = pickle.loads(pickle.dumps(release))
    pd.testing.assert_frame_equal(thawed.data, release.data)
    assert thawed.summary == release.summary and b"person 17" not in pickle.dumps(release)


def test_progress_and_keys(frame, said):
    seen = []
    said["identifier"] = {"name": {"pseudonym": "keyed"}}
    said["person"] = None
    release = throng.anonymize(frame, key=hashlib.sha256(b'a key of a test').hexdigest().encode(), progress=lambda *told: seen.append(told), **said)
    assert [told[1] for told in seen if told[0]] == ["read", "search", "write", "verify"]
    assert release.data["name"].nunique() == len(release.data) and not release.data["name"].str.startswith("person").any()
