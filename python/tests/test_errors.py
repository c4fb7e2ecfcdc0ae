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


def test_infeasible_and_missing_files(frame, said):
    with pytest.raises(throng.Infeasible) as caught:
        throng.anonymize(frame, **{**said, "suppression": 0, "require": [throng.recursive_cl("illness", 0.1, 4)]})
    assert caught.value.summary.outcome == "infeasible" and caught.value.kind == "infeasible"
    error = bad("no/such.csv", **said)
    assert error.kind == "not-found" and error.file == "no/such.csv"
    thawed = pickle.loads(pickle.dumps(error))
    assert (str(thawed), thawed.kind, thawed.file) == (str(error), error.kind, error.file)
