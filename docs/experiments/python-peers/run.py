"""throng beside other packages of Python on Adult: seconds and loss at k = 5, 10 and 50.

    python docs/experiments/python-peers/run.py DIRECTORY_OF_ADULT

Needs pandas and a release build of throng, and of the peers those that are installed. Every cell is the median of three runs, each
with the rows in another random order. What is lost is told from the groups of rows alone, by one function, so that no label is
treated better than another: of a group's ages their span over that of all; of any other column its different values beside the
first over those of all beside the first. The loss is the mean of all cells, of which those of rows left out count 1.
"""

from __future__ import annotations

import importlib.metadata
import pathlib
import signal
import statistics
import sys
import time
import types
import warnings
from collections.abc import Callable

import pandas as pd

QUASI = ["age", "sex", "race", "marital-status"]
SENSITIVE = "salary-class"
KS = (5, 10, 50)
SEEDS = (1, 2, 3)
#: The share of the rows that may be left out where levels of hierarchies are chosen; elsewhere none.
LIMIT = 0.05
#: Seconds after which a run is stopped.
LONGEST = 60


def stop(*_: object) -> None:
    raise TimeoutError


def lost(original: pd.DataFrame, groups: pd.Series) -> float:
    """The mean loss of a cell; `groups` has the group of each released row, by the row's number."""
    kept = original.loc[groups.index]
    total = float(len(original) - len(kept)) * len(QUASI)
    for name in QUASI:
        by = kept[name].groupby(groups)
        if name == "age":
            share = (by.max() - by.min()) / (original[name].max() - original[name].min())
        else:
            share = (by.nunique() - 1) / (original[name].nunique() - 1)
        total += float(groups.map(share).sum())
    return total / (len(original) * len(QUASI))


def groups_of(released: pd.DataFrame) -> pd.Series:
    """The groups of rows that show the same."""
    named = released[QUASI].astype(str).agg("|".join, axis=1)
    return pd.Series(named.to_numpy(), index=released["row"].astype(int).to_numpy())


#: What is timed: a release as its package gives it, and how its groups are found afterwards.
Run = Callable[[pd.DataFrame, dict[str, str], int], Callable[[], pd.Series]]


def by_throng(algorithm: str, limit: float = 0, built: bool = False) -> Run:
    def run(frame: pd.DataFrame, files: dict[str, str], k: int) -> Callable[[], pd.Series]:
        import throng

        spans = {name: throng.ranges() if name == "age" else throng.sets() for name in QUASI}
        quasi = spans if built else {name: files[name] for name in QUASI}
        released = throng.anonymize(
            frame, quasi=quasi, rest="other", k=k, algorithm=algorithm, suppression=limit, person="none"
        ).data
        return lambda: groups_of(released)

    return run


def by_anjana(frame: pd.DataFrame, files: dict[str, str], k: int) -> Callable[[], pd.Series]:
    from anjana.anonymity import k_anonymity

    levels = {}
    for name in QUASI:
        rows = pd.read_csv(files[name], sep=";", header=None, dtype=str)
        levels[name] = {at: rows[at].to_numpy() for at in rows.columns}
    released = k_anonymity(frame.astype({"age": str}), [], QUASI, k, LIMIT * 100, levels)
    return lambda: groups_of(released)


def by_anonypyx(frame: pd.DataFrame, files: dict[str, str], k: int) -> Callable[[], pd.Series]:
    import anonypyx

    given = frame[[*QUASI, "row"]].copy()
    for name in QUASI[1:]:
        given[name] = given[name].astype("category")
    anonymiser = anonypyx.Anonymiser(given, k=k, algorithm="Mondrian", feature_columns=QUASI, sensitive_column="row")
    anonymiser.anonymise()
    # The release does not say whose rows its classes are; the same partition, once more, does.
    return lambda: groups_of_parts(given, anonymiser.algorithm.partition(anonymiser.parameters))


def groups_of_parts(given: pd.DataFrame, parts: list) -> pd.Series:
    return pd.Series({row: at for at, part in enumerate(parts) for row in given.loc[part, "row"]})


def without_spark() -> None:
    """polarfrost imports PySpark, which it does not use for frames of polars."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        functions = types.ModuleType("pyspark.sql.functions")
        functions.pandas_udf = functions.PandasUDFType = None
        sql = types.ModuleType("pyspark.sql")
        sys.modules.update({"pyspark": types.ModuleType("pyspark"), "pyspark.sql": sql, "pyspark.sql.functions": functions})


def by_polarfrost(frame: pd.DataFrame, files: dict[str, str], k: int) -> Callable[[], pd.Series]:
    import polars as pl

    without_spark()
    from polarfrost.mondrian import mondrian_k_anonymity_polars

    given = pl.from_pandas(frame[[*QUASI, "row"]])
    released = mondrian_k_anonymity_polars(given, QUASI, "row", k, categorical=QUASI[1:])
    released = released.collect() if hasattr(released, "collect") else released
    return lambda: groups_of_lists(released["row"].to_list())


def groups_of_lists(lists: list) -> pd.Series:
    """The groups of a release whose sensitive column lists the values of a class."""
    rows = {}
    for at, cells in enumerate(lists):
        for row in cells if isinstance(cells, list) else str(cells).split(","):
            rows[int(float(row))] = at
    return pd.Series(rows)


RUNS: dict[str, Run] = {
    "throng, `flash`: levels": by_throng("flash", LIMIT),
    "anjana: levels": by_anjana,
    "throng, `mondrian`: ranges and sets": by_throng("mondrian", built=True),
    "anonypyx: Mondrian": by_anonypyx,
    "polarfrost: Mondrian": by_polarfrost,
    "throng, `sequential`: hierarchies, row by row": by_throng("sequential"),
}


def cell(run: Run, frame: pd.DataFrame, files: dict[str, str], k: int) -> str:
    seconds, losses, outs, least = [], [], [], []
    for seed in SEEDS:
        rows = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
        started = time.perf_counter()
        signal.alarm(LONGEST)
        try:
            release = run(rows, files, k)
        except TimeoutError:
            return f"more than {LONGEST} s | | "
        except Exception as error:
            return f"{type(error).__name__} | | "
        finally:
            signal.alarm(0)
        seconds.append(time.perf_counter() - started)
        groups = release()
        by_row = rows.set_index("row")
        losses.append(lost(by_row, groups))
        outs.append(len(frame) - len(groups))
        least.append(int(groups.value_counts().min()) if len(groups) else 0)
    note = "" if min(least) >= k else f" (a class of {min(least)})"
    return f"{statistics.median(seconds):.2f} s | {statistics.median(losses):.4f}{note} | {statistics.median(outs):.0f}"


def releases(frame: pd.DataFrame, files: dict[str, str]) -> None:
    print("| | " + " | ".join(f"k = {k} | loss | rows left out" for k in KS) + " |")
    print("|---|" + "---:|---:|---:|" * len(KS))
    for name, run in RUNS.items():
        print(f"| {name} | " + " | ".join(cell(run, frame, files, k) for k in KS) + " |", flush=True)


def checks(frame: pd.DataFrame) -> None:
    """How long it takes to say what k, l and t a table has."""
    import pycanon.anonymity as pycanon
    import throng

    text = frame.astype(str)
    asks: dict[str, Callable[[], tuple[object, ...]]] = {
        "pycanon: `k_anonymity`, `l_diversity`, `t_closeness`": lambda: (
            pycanon.k_anonymity(text.copy(), QUASI),
            pycanon.l_diversity(text.copy(), QUASI, [SENSITIVE]),
            round(float(pycanon.t_closeness(text.copy(), QUASI, [SENSITIVE])), 4),
        ),
        "throng: `check`, every model": lambda: of_throng(throng.check(frame, quasi=QUASI, sensitive=[SENSITIVE])),
    }
    print("\n| | k, l, t | seconds |\n|---|---|---:|")
    for name, ask in asks.items():
        seconds = []
        for _ in SEEDS:
            started = time.perf_counter()
            found = ask()
            seconds.append(time.perf_counter() - started)
        print(f"| {name} | {', '.join(map(str, found))} | {statistics.median(seconds):.2f} |", flush=True)


def of_throng(found) -> tuple[object, ...]:
    degrees = {model["model"]: model["degree"] for model in reversed(found.models)}
    return found.k, int(degrees["distinct-l"]), round(degrees["t-closeness"], 4)


def main() -> None:
    warnings.filterwarnings("ignore")
    signal.signal(signal.SIGALRM, stop)
    folder = pathlib.Path(sys.argv[1])
    frame = pd.read_csv(folder / "adult.csv", sep=";", skipinitialspace=True)[[*QUASI, SENSITIVE]]
    frame["row"] = range(len(frame))
    files = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in QUASI}
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("anjana", "anonypyx", "polarfrost", "pycanon", "pandas")]
    print(f"{len(frame):,} rows; Python {sys.version.split()[0]}, {', '.join(versions)}\n")
    releases(frame, files)
    checks(frame.drop(columns="row"))


main()
