"""Tables that all tests use, and judges that share nothing with throng."""

from __future__ import annotations

import random
from collections import Counter

import pandas as pd
import pyarrow as pa
import pytest


def people(rows: int = 600, seed: int = 1) -> pd.DataFrame:
    drawn = random.Random(seed)
    return pd.DataFrame(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": [drawn.randrange(18, 90) for _ in range(rows)],
            "zip": [f"{drawn.choice([10, 20, 53])}{drawn.randrange(0, 100):02}" for _ in range(rows)],
            "job": [drawn.choice(["cook", "baker", "nurse", "doctor"]) for _ in range(rows)],
            "illness": [drawn.choice(["flu", "cold", "gout", "angina"]) for _ in range(rows)],
            "visits": [drawn.randrange(0, 9) for _ in range(rows)],
        }
    )


def class_sizes(frame: pd.DataFrame, quasi: list[str]) -> list[int]:
    """The sizes of classes, counted by hand."""
    return list(Counter(zip(*(frame[name].astype(object).where(frame[name].notna(), None) for name in quasi))).values())


@pytest.fixture
def frame() -> pd.DataFrame:
    return people()


@pytest.fixture
def said() -> dict:
    """The keywords of a job."""
    import throng

    return {
        "identifier": ["name"],
        "quasi": {"age": throng.intervals(5, 10, 20, 40), "zip": throng.mask("right"), "job": None},
        "sensitive": ["illness"],
        "other": ["visits"],
        "k": 5,
        "suppression": 0.05,
        "person": "none",
    }


@pytest.fixture
def job_file(tmp_path, frame):
    """A job file with the same meaning, and its table as a file."""

    def write(**search: object) -> str:
        import pyarrow.parquet as parquet

        parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "people.parquet")
        more = "\n".join(f"{name} = {value!r}" for name, value in search.items())
        (tmp_path / "job.toml").write_text(
            f"""
            input = "people.parquet"
            output = "release.parquet"
            [columns]
            name = {{ role = "identifier" }}
            age = {{ role = "quasi", hierarchy = {{ intervals = [5, 10, 20, 40] }} }}
            zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
            job = {{ role = "quasi" }}
            illness = {{ role = "sensitive" }}
            visits = {{ role = "other" }}
            [privacy]
            k = 5
            suppression = 0.05
            person = "none"
            [search]
            {more}
            """
        )
        return str(tmp_path / "job.toml")

    return write
