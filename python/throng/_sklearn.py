"""A transformer of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._ask import _apply, _recoding
from ._errors import BadInput, Infeasible
from ._job import Job


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recodes the quasi-identifiers of frames: ``fit`` searches, ``transform`` applies the recoding to later rows.

    No row is ever left out, because a target stands beside it: rows that would have to be, or that are not covered, are
    masked, with ``*`` in every quasi-identifier. ``keywords`` are those of :func:`throng.anonymize`. Columns without a role
    are kept (``rest="other"``).
    """

    def __init__(
        self,
        quasi: Any = None,
        k: int | None = None,
        suppression: Any = None,
        algorithm: str = "auto",
        measure: str = "lm",
        keywords: dict[str, Any] | None = None,
    ) -> None:
        self.quasi = quasi
        self.k = k
        self.suppression = suppression
        self.algorithm = algorithm
        self.measure = measure
        self.keywords = keywords

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803
        """Searches for the recoding of a frame."""
        _refuse_arrays(X)
        said = {"rest": "other", "person": "none", **(self.keywords or {})}
        job = Job(
            quasi=self.quasi,
            k=self.k,
            suppression=self.suppression,
            algorithm=self.algorithm,
            measure=self.measure,
            suppressed="mask",
            **said,
        )
        self.recoding_ = _recoding(job, X, None)
        self.feature_names_in_ = list(X.columns)
        self.n_features_in_ = len(self.feature_names_in_)
        left_out = [name for name, column in job.keys["columns"].items() if column["role"] == "identifier"]
        self.feature_names_out_ = [name for name in self.feature_names_in_ if name not in left_out]
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Applies the recoding to rows, and judges them by themselves: those that would not be safe are masked."""
        check_is_fitted(self, "recoding_")
        _refuse_arrays(X)
        if list(X.columns) != self.feature_names_in_:
            raise BadInput("the columns are not those that fit saw")
        unknown = [f"{name}=top" for name in (self.quasi if not isinstance(self.quasi, str) else [self.quasi])]
        release = _apply(self.recoding_, "", X, None, "100%", unknown)
        if len(release.data) != len(X):
            raise Infeasible("so few rows would have to be masked that a crowd of them is none; transform more rows at once")
        return release.data

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that are released."""
        import numpy as np

        check_is_fitted(self, "recoding_")
        return np.asarray(self.feature_names_out_, dtype=object)


def _refuse_arrays(frame: Any) -> None:
    if not hasattr(frame, "columns"):
        raise BadInput("an Anonymizer works on frames, whose columns have names; give a DataFrame")
