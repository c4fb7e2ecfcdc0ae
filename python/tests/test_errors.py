"""Exceptions that say what and where, and never a cell."""

from __future__ import annotations

import pickle

import pandas as pd
import pyarrow as pa
import pytest

import throng


def bad(data, **said) -> throng.BadInput:
    with pytest.raises(throng.BadInput) as caught:
        throng.anonymize(data, **said)
    return caught.value


def test_a_frame_without_rows(frame, said):
    error = bad(frame.head(0), **said)
    assert "no data rows" in str(error) and error.file == "<frame>"


def test_columns_that_cannot_be(frame, said):
    twice = pd.concat([frame, frame[["age"]]], axis=1)
    assert bad(twice, **said).column == "age"
    assert "names must be text" in str(bad(frame.rename(columns={"visits": 7}), **said))
    mixed = frame.assign(visits=[object() if row == 3 else "secret" for row in range(len(frame))])
    error = bad(mixed, **said)
    assert error.column == "visits" and "secret" not in str(error) and error.hint
    nested = pa.table({"age": pa.array([[1], [2]]), "ill": ["a", "b"]})
    error = bad(nested, quasi=["age"], rest="other", k=2, person="none")
    assert error.column == "age" and "cannot be a quasi-identifier" in str(error)


def test_a_column_that_nobody_decided_about(frame, said):
    del said["other"]
    error = bad(frame, **said)
    assert error.column == "visits" and error.kind == "bad-input"


def test_a_value_that_does_not_fit_is_named_by_its_row(frame, said):
    ages = frame["age"].astype(str)
    ages[41] = "secret"
    error = bad(frame.assign(age=ages), **said)
    assert (error.row, error.column, error.file) == (42, "age", "<frame>") and "secret" not in str(error)


def test_keywords(frame, said):
    assert "did you mean 'quasi'" in str(bad(frame, quassi=["age"]))
    assert "did you mean" in str(bad(frame, **{**said, "algorithm": "mondrain"}))
    assert "k is nan" in str(bad(frame, **{**said, "k": float("nan")}))
    assert "k is 2.5" in str(bad(frame, **{**said, "k": 2.5}))
    assert "at least 2" in str(bad(frame, **{**said, "k": 1}))
    assert "names of columns" in str(bad(frame, **{**said, "quasi": 7}))
    assert "must be text" in str(bad(frame, **{**said, "quasi": [7]}))
    assert "both" in str(bad(frame, **{**said, "sensitive": ["age"]}))
    assert "must be a frame" in str(bad(7, **said))
    assert "did you mean 'distinct-l'" in str(bad(frame, **said, require=[throng.require("distinkt-l", "illness", l=2)]))


def test_columns_of_the_same_name_in_arrow(said):
    error = bad(pa.table([pa.array([1, 2]), pa.array([1, 2])], names=["age", "age"]), quasi=["age"], k=2, person="none")
    assert "have the same name" in str(error) and error.file == "<frame>"


def test_things_that_no_role_can_be(frame, said):
    for odd in ([["age"]], [{"age"}], {("age", "zip"): None}, 1.5, [None]):
        error = bad(frame, **{**said, "quasi": odd})
        assert error.kind == "bad-input" and "quasi" in str(error)
    assert "must be a dictionary" in str(bad(frame, **said, csv=7))
    assert "policy" in str(bad(frame, **said, policy="k-12"))
    error = bad(frame, **{**said, "quasi": {"age": throng.intervals(5, 7)}, "rest": "other"})
    assert error.kind == "bad-input"


def test_types_of_pandas_that_no_table_has(frame, said):
    for odd in (pd.period_range("2020", periods=len(frame), freq="D"), [[1]] * len(frame), [{"a": 1}] * len(frame), [1j] * len(frame)):
        try:
            release = throng.anonymize(frame.assign(visits=odd), **said)
        except throng.BadInput as error:
            assert error.column == "visits" and "2020" not in str(error)
        else:
            assert "visits" in release.data
    for index in (pd.MultiIndex.from_product([[1, 2], [3]]), pd.Index([1.5, 2.5])):
        assert "names must be text" in str(bad(pd.DataFrame([[1, 2]], columns=index), quasi=["age"], k=2))
    assert "to_frame" in str(bad(frame["age"], **said))


def test_infeasible_and_missing_files(frame, said):
    with pytest.raises(throng.Infeasible) as caught:
        throng.anonymize(frame, **{**said, "suppression": 0, "require": [throng.recursive_cl("illness", 0.1, 4)]})
    assert caught.value.summary.outcome == "infeasible" and caught.value.kind == "infeasible"
    error = bad("no/such.csv", **said)
    assert error.kind == "not-found" and error.file == "no/such.csv"
    thawed = pickle.loads(pickle.dumps(error))
    assert (str(thawed), thawed.kind, thawed.file) == (str(error), error.kind, error.file)
