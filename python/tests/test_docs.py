"""Docstrings are examples that run, and the stubs are right."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import shutil
import subprocess
import sys

import pytest

import throng

NAMES = [f"throng.{module.name}" for module in pkgutil.iter_modules(throng.__path__) if module.name not in ("_throng", "__main__")]


@pytest.mark.parametrize("name", ["throng", *NAMES])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("tool", [["mypy", "--strict"], ["pyright"]])
def test_types(tool, tmp_path):
    found = shutil.which(tool[0], path=f"{sys.prefix}/bin") or shutil.which(tool[0])
    assert found, f"{tool[0]} is not installed"
    (tmp_path / "use.py").write_text(
        "import throng\n"
        "def use(frame: object) -> float:\n"
        "    release = throng.anonymize(frame, quasi={'age': throng.intervals(5)}, k=5)\n"
        "    k: int | None = release.summary.k\n"
        "    return release.summary.measures['lm'] + (k or 0)\n"
    )
    python = ["--pythonpath", sys.executable] if tool[0] == "pyright" else ["--python-executable", sys.executable]
    ended = subprocess.run([found, *tool[1:], *python, "use.py"], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
