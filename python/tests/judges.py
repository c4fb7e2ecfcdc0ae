"""Judges that share nothing with throng: classes counted by hand, and pycanon."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pandas as pd
import pyarrow as pa
import pycanon.anonymity as pycanon

#: What pycanon finds of a model, and whether it is enough for the parameters that were asked for.
FOUND = {
    "distinct-l": (pycanon.l_diversity, lambda found, asked: found >= asked["l"]),
    "p-sensitive": (pycanon.l_diversity, lambda found, asked: found >= asked["p"]),
    # As a whole number.
    "entropy-l": (pycanon.entropy_l_diversity, lambda found, asked: found >= int(asked["l"])),
    "alpha-k": (lambda *given: pycanon.alpha_k_anonymity(*given)[0], lambda found, asked: found <= asked["alpha"] + 1e-9),
    "t-closeness": (pycanon.t_closeness, lambda found, asked: found <= asked["t"] + 1e-9),
    "beta-likeness": (pycanon.basic_beta_likeness, lambda found, asked: found <= asked["beta"] + 1e-9),
    "delta-disclosure": (pycanon.delta_disclosure, lambda found, asked: found <= asked["delta"] + 1e-9),
}


def class_sizes(frame: pd.DataFrame, quasi: list[str]) -> list[int]:
    """The sizes of classes, counted by hand."""
    return list(Counter(zip(*(frame[name].astype(object).where(frame[name].notna(), None) for name in quasi))).values())


def rows_of(data: Any) -> pd.DataFrame | None:
    """The rows of a release as a frame of pandas, whatever it is; none if it is where these tests cannot look."""
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, str):
        if not os.path.isfile(data):
            return None
        readers = {".csv": lambda path: pd.read_csv(path, dtype=str, keep_default_na=False), ".parquet": pd.read_parquet}
        reader = readers.get(os.path.splitext(data)[1])
        return reader(data) if reader is not None else None
    if hasattr(data, "collect"):
        data = data.collect()
    if type(data).__module__.startswith(("duckdb", "_duckdb")):
        return data.df()
    return (data if isinstance(data, pa.Table) else pa.table(data)).to_pandas(ignore_metadata=True)


def judge(release: Any, rows: pd.DataFrame | None = None) -> bool:
    """Fails if a release has a class that it must not have; whether it could be judged. Its rows are given if they are where
    only a test can look.
    """
    raw = release.summary.raw
    if raw["requirement"]["notion"] != "k":
        return False  # It has no classes.
    rows = rows_of(release.data) if rows is None else rows
    if rows is None:
        return False
    quasi = list(raw["heights"])
    sizes = class_sizes(rows, quasi)
    assert len(rows) == raw["rows"] - raw["suppressed_rows"]
    text = rows.astype(object).where(rows.notna(), "").astype(str)
    k = raw["requirement"]["k"]
    if k is not None and raw["person"] is None:
        assert min(sizes) >= k
        assert pycanon.k_anonymity(text.copy(), quasi) == min(sizes)
    for one in raw["requirements"]:
        if one["model"] not in FOUND or one.get("shield") or one["column"] not in rows.columns:
            continue
        find, is_enough = FOUND[one["model"]]
        found = find(text.copy(), quasi, [one["column"]])
        assert is_enough(found, one["parameters"]), (one["model"], found)
    return True
