"""throng beside other packages of Python on Adult: seconds and loss at k = 5, 10 and 50.

    python docs/experiments/python-peers/run.py DIRECTORY_OF_ADULT

Needs pandas and pyarrow, throng, and of the peers those that are installed. What is lost is told from the groups alone, so that
all labels are treated alike: of every group the span of its original ages over that of all, and of any other column the values
that it has beside its first over all beside the first; the mean of all cells, of which those of rows left out count 1.
"""

from __future__ import annotations

import pathlib
import sys
import time

import pandas as pd

QUASI = ["age", "sex", "race", "marital-status"]


def lost(original: pd.DataFrame, groups: pd.Series) -> float:
    """The mean loss of a cell. `groups` says the group of each row that is released, by the row's number."""
    kept = original.loc[groups.index]
    sizes = groups.map(groups.value_counts())
    total = float(len(original) - len(kept)) * len(QUASI)
    for name in QUASI:
        column = kept[name]
        if name == "age":
            by = column.groupby(groups)
            share = (by.max() - by.min()) / (original[name].max() - original[name].min())
        else:
            share = (column.groupby(groups).nunique() - 1) / (original[name].nunique() - 1)
        total += float(groups.map(share).sum())
    assert sizes.min() > 0
    return total / (len(original) * len(QUASI))


def groups_of(released: pd.DataFrame, rows: pd.Series) -> pd.Series:
    named = released[QUASI].astype(str).agg("|".join, axis=1)
    return pd.Series(named.to_numpy(), index=rows.to_numpy())


def by_throng(frame: pd.DataFrame, hierarchies: dict[str, str], k: int, algorithm: str) -> pd.Series:
    import throng

    said = {name: hierarchies[name] for name in QUASI}
    released = throng.anonymize(
        frame, quasi=said, other=["row"], rest="other", k=k, algorithm=algorithm, person="none", time_limit=60
    ).data
    return groups_of(released, released["row"])


def by_anjana(frame: pd.DataFrame, hierarchies: dict[str, str], k: int) -> pd.Series:
    from anjana.anonymity import k_anonymity

    levels = {}
    for name in QUASI:
        rows = pd.read_csv(hierarchies[name], sep=";", header=None, dtype=str)
        levels[name] = {at: rows[at].to_numpy() for at in rows.columns}
    released = k_anonymity(frame.astype({"age": str}), [], QUASI, k, 50, levels)
    return groups_of(released, released["row"].astype(int))


def by_anonypyx(frame: pd.DataFrame, hierarchies: dict[str, str], k: int) -> pd.Series:
    import anonypyx

    given = frame[[*QUASI, "row"]].copy()
    for name in QUASI[1:]:
        given[name] = given[name].astype("category")
    anonymizer = anonypyx.Anonymizer(
        given, k=k, algorithm=anonypyx.Algorithm.Mondrian, feature_columns=QUASI, sensitive_column="row"
    )
    parts = anonymizer.partition()
    return pd.Series({row: at for at, part in enumerate(parts) for row in part})


def by_polarfrost(frame: pd.DataFrame, hierarchies: dict[str, str], k: int) -> pd.Series:
    import polars as pl
    from polarfrost import mondrian_k_anonymity

    released = mondrian_k_anonymity(
        pl.from_pandas(frame[[*QUASI, "row"]]), QUASI, "row", k, categorical=QUASI[1:]
    )
    released = released.collect() if hasattr(released, "collect") else released
    rows = {}
    for at, cells in enumerate(released["row"].to_list()):
        for row in str(cells).split(","):
            rows[int(float(row))] = at
    return pd.Series(rows)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    frame = pd.read_csv(folder / "adult.csv", sep=";", skipinitialspace=True)[QUASI]
    frame["row"] = range(len(frame))
    hierarchies = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in QUASI}
    peers = {
        "throng, flash (levels, optimal)": lambda k: by_throng(frame, hierarchies, k, "flash"),
        "throng, mondrian": lambda k: by_throng(frame, hierarchies, k, "mondrian"),
        "anjana (levels)": lambda k: by_anjana(frame, hierarchies, k),
        "anonypyx, Mondrian": lambda k: by_anonypyx(frame, hierarchies, k),
        "polarfrost, Mondrian": lambda k: by_polarfrost(frame, hierarchies, k),
    }
    print("| | " + " | ".join(f"k = {k}: seconds | loss | rows left out" for k in (5, 10, 50)) + " |")
    print("|---|" + "---:|---:|---:|" * 3)
    for name, run in peers.items():
        cells = []
        for k in (5, 10, 50):
            started = time.perf_counter()
            try:
                groups = run(k)
            except Exception as error:
                cells.append(f"{type(error).__name__} | | ")
                continue
            seconds = time.perf_counter() - started
            least = groups.value_counts().min()
            note = "" if least >= k else f" (a class of {least})"
            cells.append(f"{seconds:.2f}{note} | {lost(frame, groups):.4f} | {len(frame) - len(groups)}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


main()
