"""The transformer of scikit-learn, in pipelines and searches."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import class_sizes, people
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import throng

QUASI = {"age": throng.intervals(10, 20, 40), "job": None}


def test_fit_and_transform():
    frame = people(400)[["age", "job", "visits"]]
    anonymizer = throng.Anonymizer(quasi=QUASI, k=5)
    released = clone(anonymizer).fit(frame).transform(frame)
    assert len(released) == len(frame) and min(class_sizes(released, ["age", "job"])) >= 5
    later = people(300, seed=9)[["age", "job", "visits"]]
    anonymizer.fit(frame)
    told = anonymizer.transform(later)
    assert len(told) == 300 and list(told.index) == list(later.index)
    shown = told[told["age"] != "*"]
    assert min(class_sizes(shown, ["age", "job"])) >= 5
    # One row alone is no crowd: nothing of it is shown.
    alone = anonymizer.transform(later.head(1))
    assert list(alone["age"]) == ["*"] and alone["visits"].isna().all()
    of_polars = throng.Anonymizer(quasi=QUASI, k=5).fit(pl.from_pandas(frame)).transform(pl.from_pandas(later))
    assert of_polars["age"].to_list() == told["age"].to_list()
    assert list(anonymizer.get_feature_names_out()) == ["age", "job", "visits"]


def test_pipelines_and_grid_searches():
    rows = people(300)
    pipe = make_pipeline(throng.Anonymizer(quasi=QUASI, k=5), OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=1))
    search = GridSearchCV(pipe, {"anonymizer__k": [3, 10]}, cv=3, error_score="raise")
    search.fit(rows[["age", "job"]], rows["illness"])
    assert search.best_params_["anonymizer__k"] in (3, 10)


def test_arrays_are_refused():
    with pytest.raises(throng.BadInput, match="works on frames"):
        throng.Anonymizer(quasi=["a"], k=2).fit([[1, 2]])
