"""What Python adds to the engine's own time: python speed.py ADULT [ROWS]

ADULT is a folder with adult.csv and a hierarchy for each column. The package must be a release build. First, Adult from a frame
of pandas, polars and pyarrow: the whole call, and what of it is not the engine's own time. Then, ROWS rows (10 million if
nothing is said) that are a frame of polars here and a Parquet file for the command; the two take turns, and the medians are
compared.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl

import throng

COMMAND = os.path.join(os.path.dirname(sys.executable), "throng")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def adult(folder: pathlib.Path, times: int = 15) -> None:
    frame = pd.read_csv(folder / "adult.csv", sep=";", skipinitialspace=True)
    quasi = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in frame.columns}
    frames = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pl.from_pandas(frame).to_arrow()}
    print("| Adult, nine quasi-identifiers, k = 5, 2 % | the call | the engine | above it | at least |\n|---|---:|---:|---:|---:|")
    for name, data in frames.items():
        calls, above = [], []
        for _ in range(times):
            seconds, release = timed(
                lambda: throng.anonymize(data, quasi=quasi, k=5, suppression=0.02, algorithm="flash", person="none")
            )
            calls.append(seconds)
            # Beside its phases the engine measures what a local recoding would lose.
            beside = (release.summary.raw["search"].get("local_recoding") or {}).get("seconds", 0)
            above.append(seconds - sum(release.summary.seconds.values()) - beside)
        call, rest = statistics.median(calls), statistics.median(above)
        least = f"{min(above) * 1000:.1f} ms"
        print(f"| {name} | {call * 1000:.0f} ms | {(call - rest) * 1000:.0f} ms | {rest * 1000:.1f} ms | {least} |", flush=True)


JOB = """
input = "people.parquet"
output = "released.parquet"
[columns]
zip = { role = "quasi", hierarchy = { mask = "right" } }
birth_date = { role = "quasi", hierarchy = { dates = ["month", "year", "decade"] } }
sex = { role = "quasi" }
nationality = { role = "quasi" }
"*" = { role = "other" }
[privacy]
k = 5
suppression = 0.02
person = "none"
"""


def many(rows: int, times: int = 3) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = ["demo", "--rows", str(rows), "--format", "parquet", "--dir", folder]
        subprocess.run([COMMAND, *made], check=True, capture_output=True)
        os.rename(f"{folder}/hospital.parquet", f"{folder}/people.parquet")
        frame = pl.read_parquet(f"{folder}/people.parquet")
        wanted = ["zip", "birth_date", "sex", "nationality"]
        frame = frame.select([*wanted, *[name for name in frame.columns if name not in wanted and name != "name"]])
        frame.write_parquet(f"{folder}/people.parquet")
        pathlib.Path(f"{folder}/job.toml").write_text(JOB)
        job = throng.Job.read(f"{folder}/job.toml")
        ours, theirs = [], []
        for _ in range(times):
            ended = None
            seconds, ended = timed(
                lambda: subprocess.run([COMMAND, "anonymize", f"{folder}/job.toml", "--json"], check=True, capture_output=True)
            )
            theirs.append(seconds)
            told = json.loads(ended.stdout)
            release = None
            seconds, release = timed(lambda: throng.anonymize(frame, job))
            ours.append(seconds)
            assert release.summary.measures == told["measures"]
            print(f"command {theirs[-1]:.2f} s {told['seconds']}\nframe   {ours[-1]:.2f} s {release.summary.seconds}", file=sys.stderr)
        one, other = statistics.median(ours), statistics.median(theirs)
        print(f"\n| {rows:,} rows | seconds |\n|---|---:|")
        print(f"| the command, Parquet to Parquet | {other:.2f} |\n| a frame of polars to a frame | {one:.2f} |")
        print(f"| the frame's time by the command's | {one / other:.2f} |")


def main() -> None:
    adult(pathlib.Path(sys.argv[1]))
    many(int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000)


main()
