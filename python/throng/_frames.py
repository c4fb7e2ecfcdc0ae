"""Frames in, and the same kind of frame out.

Anything with ``__arrow_c_stream__`` can go in. pandas, polars, pyarrow and DuckDB frames come out as the same kind; anything
else comes out as a ``pyarrow.Table`` if pyarrow is installed, otherwise as a :class:`throng._throng.Table`, which has the same
interface.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from . import _throng
from ._errors import BadInput

#: The column that numbers rows while a transformer recodes them.
ROW = "row of throng.Anonymizer"

#: What a table may be: a frame, or the path or address of one.
Data = Any


def is_place(data: Data) -> bool:
    """Whether something is the path or the address of a table, not a table."""
    return isinstance(data, (str, os.PathLike))


def module_of(data: Any) -> str:
    """The package that something is of."""
    return type(data).__module__.partition(".")[0]


def table_of(data: Data, name: str) -> _throng.Table:
    """The table in a frame. Text is not copied if the frame is already Arrow."""
    if isinstance(data, _throng.Table):
        return data
    package = module_of(data)
    if package == "pandas":
        data = _arrow_of_pandas(data, name)
    elif package == "polars" and hasattr(data, "collect"):
        data = data.collect()
    elif package == "duckdb" and not hasattr(data, "__arrow_c_stream__"):
        data = data.fetch_arrow_table()
    elif isinstance(data, dict) and "pyarrow" in sys.modules:
        data = sys.modules["pyarrow"].table(data)
    if not hasattr(data, "__arrow_c_stream__"):
        raise BadInput(
            f"{name} is a {type(data).__name__}; it must be a frame (pandas, polars, pyarrow, a relation of DuckDB, or anything "
            "with __arrow_c_stream__), or the path of a table",
            file=name,
        )
    return _throng.Table(name, data)


def _arrow_of_pandas(frame: Any, name: str) -> Any:
    """A frame of pandas as Arrow, without its index."""
    if not hasattr(frame, "columns"):
        raise BadInput(f"{name} is a Series; a table is a DataFrame: use .to_frame()", file=name)
    for column in frame.columns:
        if not isinstance(column, str):
            kind = type(column).__name__
            raise BadInput(
                f"{name}: a column's name is a {kind}; names must be text: frame.columns = frame.columns.map(str)",
                file=name,
                hint="frame.columns = frame.columns.map(str)",
            )
    twice = list(frame.columns[frame.columns.duplicated()])
    if twice:
        raise BadInput(
            f"{name}: two columns are called '{twice[0]}'; every column needs a different name", file=name, column=twice[0]
        )
    try:
        import pyarrow as pa
    except ImportError:
        raise BadInput("pandas frames need pyarrow: pip install pyarrow", file=name, hint="pip install pyarrow") from None
    arrays = []
    for column in frame.columns:
        try:
            arrays.append(pa.Array.from_pandas(frame[column]))
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            # What Arrow says of it holds a cell.
            raise BadInput(
                f"{name}: column '{column}': its values are of several types, or of one that "
                "tables cannot hold; give it one, for example with "
                f".astype('string')",
                file=name,
                column=column,
                hint="give it one type, for example with .astype('string')",
            ) from None
    return pa.table(arrays, names=list(frame.columns))


def same_kind(data: Data) -> Callable[[_throng.Table], Any]:
    """What makes of a table the kind of frame that another is."""
    package = module_of(data)
    if package == "pandas":
        return lambda table: _to_pandas(table, data)
    if package == "polars":
        return lambda table: _to_polars(table, data)
    if package == "duckdb":
        return _to_duckdb
    if package == "pyarrow" or _has_pyarrow():
        return _to_pyarrow
    return lambda table: table


def _has_pyarrow() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def _to_pyarrow(table: _throng.Table) -> Any:
    import pyarrow as pa

    return pa.table(table)


def _to_duckdb(table: _throng.Table) -> Any:
    import duckdb

    return duckdb.from_arrow(_to_pyarrow(table))


def _to_polars(table: _throng.Table, like: Any) -> Any:
    import polars as pl

    frame: Any = pl.DataFrame(table)
    schema = like.collect_schema()
    for name in frame.columns:
        if name not in schema or frame.schema[name] != pl.String:
            continue
        if schema[name] == pl.Categorical:
            frame = frame.with_columns(pl.col(name).cast(pl.Categorical))
        elif isinstance(schema[name], pl.Enum):
            frame = frame.with_columns(pl.col(name).cast(_shown_enum(frame[name], schema[name])))
    return frame.lazy() if hasattr(like, "collect") else frame


def _shown_enum(cells: Any, kind: Any) -> Any:
    """The categories that the release shows; others would tell of rows that it does not have."""
    import polars as pl

    shown = set(cells.drop_nulls().unique())
    known = [value for value in kind.categories if value in shown]
    return pl.Enum(known + sorted(shown.difference(known)))


def _to_pandas(table: _throng.Table, like: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    rows = pa.table(table)
    columns = {}
    for name in rows.column_names:
        kind = like[name].dtype if name in like.columns else None
        columns[name] = _series(rows.column(name), kind, pd, pa)
    return pd.DataFrame(columns, columns=rows.column_names)


def _series(cells: Any, kind: Any, pd: Any, pa: Any) -> Any:
    """A column of a release in the type that it had, if its values can have it."""
    if isinstance(kind, pd.CategoricalDtype):
        series = cells.to_pandas()
        shown = set(series.dropna().unique())
        known = [value for value in kind.categories if value in shown]
        # Generalised values are no categories of the original.
        ordered = bool(kind.ordered) and len(known) == len(shown)
        return series.astype(pd.CategoricalDtype(known + sorted(shown.difference(known)), ordered=ordered))
    if isinstance(kind, pd.ArrowDtype):
        return pd.Series(cells, dtype=pd.ArrowDtype(cells.type))
    if isinstance(kind, pd.api.extensions.ExtensionDtype):
        from_arrow = getattr(kind, "__from_arrow__", None)
        was = pa.array([], type=None, from_pandas=True) if from_arrow is None else _arrow_type(kind, pd, pa)
        if from_arrow is not None and was is not None and _is_like(was, cells.type, pa):
            return pd.Series(from_arrow(cells))
        if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
            return cells.to_pandas().astype("string")
    return cells.to_pandas()


def _arrow_type(kind: Any, pd: Any, pa: Any) -> Any:
    try:
        return pa.Array.from_pandas(pd.Series([], dtype=kind)).type
    except (pa.ArrowException, TypeError, ValueError):
        return None


def _is_like(one: Any, other: Any, pa: Any) -> bool:
    def is_text(kind: Any) -> bool:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    return bool(one == other or (is_text(one) and is_text(other)) or (pa.types.is_timestamp(one) and pa.types.is_timestamp(other)))
