"""A transformer of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._ask import _apply, _recoding
from ._errors import BadInput, Infeasible
from ._frames import ROW, module_of
from ._job import Job


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recodes the quasi-identifiers of frames: ``fit`` searches, ``transform`` applies the recoding to later rows.

    No row is ever left out, because each belongs to a target: rows that would not be safe are masked, with ``*`` in every
    quasi-identifier; if these do not form a crowd of their own, all their other cells are missing as well. ``keywords`` are
    those of :func:`throng.anonymize`. Columns without a role
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
        self.recoding_ = _recoding(job, _numbered(X), None)
        self.feature_names_in_ = list(X.columns)
        self.n_features_in_ = len(self.feature_names_in_)
        left_out = [name for name, column in job.keys["columns"].items() if column["role"] == "identifier"]
        self.feature_names_out_ = [name for name in self.feature_names_in_ if name not in left_out]
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Applies the recoding to rows, and judges these rows alone: those that would not be safe are masked."""
        check_is_fitted(self, "recoding_")
        _refuse_arrays(X)
        if list(X.columns) != self.feature_names_in_:
            raise BadInput("the columns are not those that fit has seen")
        quasi = [self.quasi] if isinstance(self.quasi, str) else list(self.quasi)
        rows = _numbered(X)
        released = rows[[*self.feature_names_out_, ROW]].head(0)
        if len(X) >= (self.k or 0):
            try:
                released = _apply(self.recoding_, "", rows, None, "100%", [f"{name}=top" for name in quasi]).data
            except Infeasible:
                pass  # Nothing of them may be shown.
        return _filled(released, X, quasi)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that are released."""
        import numpy as np

        check_is_fitted(self, "recoding_")
        return np.asarray(self.feature_names_out_, dtype=object)


def _numbered(frame: Any) -> Any:
    """The frame with a column that numbers its rows."""
    numbers = range(len(frame))
    if module_of(frame) == "polars":
        import polars as pl

        return frame.with_columns(pl.Series(ROW, numbers, dtype=pl.Int64))
    return frame.assign(**{ROW: numbers})


def _filled(released: Any, frame: Any, quasi: list[str]) -> Any:
    """The released rows in their original places; those that were left out show only ``*``."""
    if module_of(frame) == "polars":
        import polars as pl

        rows = pl.DataFrame({ROW: pl.Series(range(len(frame)), dtype=pl.Int64)})
        is_out = ~rows[ROW].is_in(released[ROW].implode())
        filled = rows.join(released, on=ROW, how="left", maintain_order="left").drop(ROW)
        stars = [pl.when(is_out).then(pl.lit("*")).otherwise(pl.col(name).cast(pl.String)).alias(name) for name in quasi]
        return filled.with_columns(stars) if is_out.any() else filled
    filled = released.set_index(ROW).reindex(range(len(frame)))
    is_out = ~filled.index.isin(released[ROW])
    filled.index = frame.index
    for name in quasi if is_out.any() else []:
        filled[name] = filled[name].astype(object).where(~is_out, "*")
    return filled


def _refuse_arrays(frame: Any) -> None:
    if not hasattr(frame, "columns"):
        raise BadInput("an Anonymizer works on frames, whose columns have names; give a DataFrame")
