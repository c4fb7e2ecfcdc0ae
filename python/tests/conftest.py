"""Tables that all tests use, and what watches every release that they make."""

from __future__ import annotations

import functools
import random

import pandas as pd
import pyarrow as pa
import pytest
from judges import judge

import throng


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


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[bool]:
    """Has others judge every release of a test; says of each whether they could."""
    seen: list[bool] = []
    if request.node.get_closest_marker("unjudged"):
        return seen

    def watched(ask):
        @functools.wraps(ask)
        def asked(*given, **keywords):
            release = ask(*given, **keywords)
            seen.append(judge(release))
            return release

        return asked

    for name in ("anonymize", "apply"):
        monkeypatch.setattr(throng, name, watched(getattr(throng, name)))
    return seen


@pytest.fixture
def frame() -> pd.DataFrame:
    return people()


@pytest.fixture
def said() -> dict:
    """The keywords of a job."""
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

    def write(rows: pd.DataFrame = frame, notion: str = "k", **search: object) -> str:
        import pyarrow.parquet as parquet

        table = pa.Table.from_pandas(rows, preserve_index=False).replace_schema_metadata(None)
        parquet.write_table(table, tmp_path / "people.parquet")
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
            notion = "{notion}"
            [search]
            {more}
            """
        )
        return str(tmp_path / "job.toml")

    return write
