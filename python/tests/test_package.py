"""What the wheel and the source distribution contain, and that nothing else is needed."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_wheel_needs_nothing_and_has_its_licences():
    found = importlib.metadata.distribution("throng")
    assert not found.requires and found.metadata["Requires-Python"] == ">=3.10"
    assert found.metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert {"LICENSE-APACHE", "LICENSE-MIT", "py.typed"} <= {file.name for file in found.files or []}
    scripts = {entry.name: entry.value for entry in found.entry_points if entry.group == "console_scripts"}
    assert scripts == {"throng": "throng._command:main"}


def test_it_works_where_nothing_else_is_installed(tmp_path):
    """Paths in, paths out; a frame that is not of pandas comes out as a table of throng."""
    (tmp_path / "people.csv").write_text("age,ill\n" + "31,flu\n32,cold\n47,flu\n48,gout\n" * 5)
    code = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pandas", "pyarrow", "polars", "numpy", "tqdm", "duckdb", "sklearn", "matplotlib"}:
            raise ImportError(name)
sys.meta_path.insert(0, Absent())
import throng
asked = dict(quasi={"age": throng.intervals(10, 20)}, sensitive="ill", k=5, person="none")
release = throng.anonymize("people.csv", output="release.csv", **asked)
assert release.summary.k == 5 and open("release.csv").readline() == "age,ill\\n"
assert type(throng.anonymize("people.csv", **asked).data) is throng.Table
assert throng.check("people.csv", quasi=["age"]).k == 5
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_the_source_distribution_has_what_it_is_built_from(tmp_path):
    maturin = os.path.join(os.path.dirname(sys.executable), "maturin")
    subprocess.run([maturin, "sdist", "--out", str(tmp_path)], check=True, cwd=ROOT / "python", capture_output=True)
    (made,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    assert {"README.md", "LICENSE-APACHE", "LICENSE-MIT", "pyproject.toml", "PKG-INFO", "python/Cargo.lock"} <= names
    crates = {f"crates/{path.name}/Cargo.toml" for path in (ROOT / "crates").iterdir() if path.is_dir()}
    assert crates <= names
    assert not any(name.startswith(("python/tests", "tests", "docs", "papers")) for name in names)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    # Cargo finds every crate, and the versions that were locked.
    line = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", "python/Cargo.toml"]
    subprocess.run(line, check=True, cwd=unpacked, capture_output=True)
