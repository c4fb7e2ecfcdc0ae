"""Releases of frames: verified by others, of the kind that went in."""

from __future__ import annotations

import decimal
import hashlib
import os
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import people
from judges import class_sizes

import throng
from throng import _throng

QUASI = ["age", "zip", "job"]


def counted(released: pd.DataFrame, summary: throng.Summary, k: int = 5) -> None:
    """Counts what a summary says by hand."""
    assert min(class_sizes(released, QUASI)) == summary.k >= k
    assert len(released) == summary.rows - summary.suppressed_rows
    assert "name" not in released.columns


def test_pandas(frame, said):
    release = throng.anonymize(frame, **said)
    assert type(release.data) is pd.DataFrame
    counted(release.data, release.summary)
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


def test_text_is_not_copied_on_the_way_in(frame):
    """What throng has of an Arrow column is the buffer that was there."""
    arrow = pa.table({"name": frame["name"], "age": frame["age"]})
    held = pa.table(throng.Table("people", arrow))
    for name in arrow.column_names:
        was, now = (table.column(name).chunk(0).buffers() for table in (arrow, held))
        assert [one and one.address for one in was] == [one and one.address for one in now]
    spoken = pl.DataFrame({"name": frame["name"].tolist()})
    assert pa.table(throng.Table("people", spoken)).column("name").to_pylist() == frame["name"].tolist()


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
    counted(release.data, release.summary)


def test_paths_in_the_place_of_frames(tmp_path, frame, said):
    frame.to_csv(tmp_path / "people.csv", index=False)
    release = throng.anonymize(tmp_path / "people.csv", output=tmp_path / "release.csv", **said)
    counted(pd.read_csv(tmp_path / "release.csv", dtype=str, keep_default_na=False), release.summary)
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


@pytest.mark.parametrize("algorithm", ["flash", "cut-search", "top-down-specialization"])
def test_saving_searches_for_nothing(algorithm, tmp_path, frame, said, monkeypatch):
    """What is saved is what was found, though a second search would not even be possible."""
    release = throng.anonymize(frame, algorithm=algorithm, **said)

    def refuse(*_: object) -> None:
        raise AssertionError("it searches again")

    monkeypatch.setattr(_throng, "anonymize", refuse)
    release.save(tmp_path / "r.recoding.json")
    pd.testing.assert_frame_equal(throng.apply(tmp_path / "r.recoding.json", frame).data, release.data)
    with pytest.raises(throng.BadInput, match="already exists"):
        release.save(tmp_path / "r.recoding.json")


def test_saving_with_files_and_changed_tables(tmp_path, frame, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    throng.groups({"kitchen": ["cook", "baker"], "ward": ["nurse", "doctor"]}).write("jobs.csv")
    said["quasi"]["job"] = "jobs.csv"
    frame.to_csv("people.csv", index=False)
    release = throng.anonymize("people.csv", algorithm="flash", **said)
    release.save("kept.recoding.json")
    assert throng.apply(tmp_path / "kept.recoding.json", "people.csv").data.equals(release.data)
    frame.assign(age=frame["age"] + 7).to_csv("people.csv", index=False)
    with pytest.raises(throng.BadInput, match="has changed"):
        release.save("other.recoding.json")
    assert not os.path.exists("other.recoding.json")


def test_a_local_recoding_is_saved_in_its_own_call(tmp_path, frame, said):
    release = throng.anonymize(frame, algorithm="mondrian", **said)
    with pytest.raises(throng.BadInput, match="pass recoding=path"):
        release.save(tmp_path / "r.recoding.json")
    release = throng.anonymize(frame, algorithm="mondrian", recoding=tmp_path / "r.recoding.json", **said)
    pd.testing.assert_frame_equal(throng.apply(tmp_path / "r.recoding.json", frame).data, release.data)
    thawed = pickle.loads(pickle.dumps(release))
    for ask in (thawed.save, thawed.report):
        with pytest.raises(throng.BadInput):
            ask(tmp_path / "none.json")


def test_recodings_that_are_not_there_or_none(tmp_path, frame):
    with pytest.raises(throng.BadInput) as caught:
        throng.apply(tmp_path / "no.recoding.json", frame)
    assert caught.value.kind == "not-found" and caught.value.file.endswith("no.recoding.json")
    (tmp_path / "odd.recoding.json").write_text("{}")
    with pytest.raises(throng.BadInput):
        throng.apply(tmp_path / "odd.recoding.json", frame)


#: Columns of every type that a frame may have, each of 90 rows.
COLUMNS_OF_ARROW = {
    "bool": pa.array([True, False, None] * 30),
    "int8": pa.array([1, 2, None] * 30, pa.int8()),
    "uint64": pa.array([2**63, 1, None] * 30, pa.uint64()),
    "half": pa.array([1.5, 2.5, None] * 30, pa.float32()),
    "double": pa.array([float("nan"), float("inf"), None] * 30),
    "decimal": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("7")] * 30, pa.decimal128(9, 2)),
    "date": pa.array([0, 1, None] * 30, pa.date32()),
    "time": pa.array([0, 1, None] * 30, pa.time64("us")),
    "stamp": pa.array([0, 1, None] * 30, pa.timestamp("ns")),
    "zoned": pa.array([0, 1, None] * 30, pa.timestamp("us", "Europe/Berlin")),
    "duration": pa.array([0, 1, None] * 30, pa.duration("s")),
    "text": pa.array(["a", "", None] * 30),
    "large": pa.array(["a", "b", None] * 30, pa.large_string()),
    "view": pa.array(["a", "b", None] * 30, pa.string_view()),
    "dictionary": pa.array(["a", "b", None] * 30).dictionary_encode(),
    "numbers by number": pa.array([10, 20, None] * 30).dictionary_encode(),
    "binary": pa.array([b"a", b"b", None] * 30),
    "null": pa.nulls(90),
    "list": pa.array([[1], [2, 3], None] * 30),
    "struct": pa.array([{"a": 1}, {"a": 2}, None] * 30),
}


@pytest.mark.parametrize("role", ["other", "quasi"])
@pytest.mark.parametrize("name", sorted(COLUMNS_OF_ARROW))
def test_every_type_is_kept_or_refused(name, role):
    """A kept column has the type and the values that it had; what cannot be released is refused by its name."""
    table = pa.table({"age": pa.array([20 + row % 3 for row in range(90)]), name: COLUMNS_OF_ARROW[name]})
    roles = {"quasi": ["age", name]} if role == "quasi" else {"quasi": ["age"], "other": [name]}
    try:
        release = throng.anonymize(table, k=3, person="none", **roles).data
    except throng.BadInput as error:
        assert error.column == name, str(error)
        return
    kept = release.column(name)
    if role == "other":
        was = COLUMNS_OF_ARROW[name].type
        # The same values: without a dictionary, which would show values of rows that are left out, and not as views.
        plain = pa.large_string() if was == pa.string_view() else was
        assert kept.type == (was.value_type if pa.types.is_dictionary(was) else plain)
    if role == "other" and name != "double":
        assert kept.to_pylist() == COLUMNS_OF_ARROW[name].to_pylist()


def test_progress_and_keys(frame, said):
    seen = []
    said["identifier"] = {"name": {"pseudonym": "keyed"}}
    said["person"] = None
    release = throng.anonymize(frame, key=hashlib.sha256(b'a key of a test').hexdigest().encode(), progress=lambda *told: seen.append(told), **said)
    assert [told[1] for told in seen if told[0]] == ["read", "search", "write", "verify"]
    assert release.data["name"].nunique() == len(release.data) and not release.data["name"].str.startswith("person").any()
