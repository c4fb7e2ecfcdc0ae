"""A transformer of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._ask import _apply, _recoding
from ._errors import BadInput, Infeasible
from ._frames import ROW, module_of
from ._hierarchies import Hierarchy, ranges, sets
from ._job import Job


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recodes the quasi-identifiers of frames: ``fit`` searches, ``transform`` applies the recoding to later rows.

    ``quasi``, ``k``, ``suppression``, ``algorithm`` and ``measure`` are the keywords of :func:`throng.anonymize`, and
    ``keywords`` has the others. Without ``quasi`` every column is a quasi-identifier: numbers become ranges, and
    everything else sets. Columns without a role are kept (``rest="other"``). The columns of an array are called ``x0``, ``x1``, …

    No row is ever left out, because each has a target beside it: rows that would not be safe are masked, with ``*`` in every
    quasi-identifier. If these are too few to form a crowd, all their other cells become missing as well.

    >>> import pandas as pd
    >>> import throng
    >>> people = pd.DataFrame({"age": [31, 32, 47, 48], "visits": [1, 0, 2, 1]})
    >>> anonymizer = Anonymizer(quasi={"age": throng.intervals(10)}, k=2).fit(people)
    >>> list(anonymizer.transform(people)["age"])
    ['30-39', '30-39', '40-49', '40-49']
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803
        """Searches for the recoding of a frame."""
        frame = self._framed(X, reset=True)
        names = list(frame.columns)
        quasi = self.quasi if self.quasi is not None else {name: _usual(frame[name]) for name in names}
        said = {"rest": "other", "person": "none", **(self.keywords or {})}
        job = Job(
            quasi=quasi,
            k=self.k,
            suppression=self.suppression,
            algorithm=self.algorithm,
            measure=self.measure,
            suppressed="mask",
            **said,
        )
        self.recoding_ = _recoding(job, _numbered(frame))
        columns = job.keys["columns"]
        self.quasi_ = [name for name, column in columns.items() if column["role"] == "quasi"]
        left_out = [name for name, column in columns.items() if column["role"] == "identifier"]
        self.feature_names_out_ = [name for name in names if name not in left_out]
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Applies the recoding to rows, and judges these rows alone: those that would not be safe are masked."""
        check_is_fitted(self, "recoding_")
        frame = self._framed(X, reset=False)
        rows = _numbered(frame)
        released = rows[[*self.feature_names_out_, ROW]].head(0)
        if len(frame) >= (self.k or 0):
            try:
                unknown = [f"{name}=top" for name in self.quasi_]
                released = _apply(self.recoding_, "", rows, None, "100%", unknown).data
            except Infeasible:
                pass  # Nothing of them may be shown.
        filled = _filled(released, frame, self.quasi_)
        return filled if frame is X else filled.to_numpy(dtype=object)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that are released."""
        import numpy as np

        check_is_fitted(self, "recoding_")
        return np.asarray(self.feature_names_out_, dtype=object)

    def _framed(self, X: Any, reset: bool) -> Any:  # noqa: N803
        """A frame as it is, and an array as a frame."""
        if not hasattr(X, "columns"):
            import pandas as pd

            cells = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
            return pd.DataFrame(cells, columns=[f"x{at}" for at in range(cells.shape[1])])
        names = list(X.columns)
        if reset:
            self.feature_names_in_, self.n_features_in_ = names, len(names)
        elif names != getattr(self, "feature_names_in_", None):
            raise BadInput("the columns are not those that fit saw")
        return X


def _usual(cells: Any) -> Hierarchy:
    """What is done to a column of which nobody said it."""
    kind = str(cells.dtype).lower()
    return ranges() if kind.startswith(("int", "uint", "float", "decimal")) else sets()


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
