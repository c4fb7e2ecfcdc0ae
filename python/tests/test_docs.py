"""Docstrings are examples that run, and the stubs are right."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import shutil
import subprocess
import sys

import pytest
import reference

import throng

NAMES = [f"throng.{module.name}" for module in pkgutil.iter_modules(throng.__path__) if module.name not in ("_throng", "__main__")]


@pytest.mark.parametrize("name", ["throng", *NAMES])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_reference_has_every_public_name_and_is_that_of_the_docstrings():
    named = [name for names in reference.SECTIONS.values() for name in names]
    assert sorted(named) == sorted(throng.__all__)
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/python-reference.md"
    assert page.read_text(encoding="utf-8") == reference.page(), "write it again: python tests/reference.py > ../docs/python-reference.md"


def test_every_public_function_says_what_it_does():
    for name in throng.__all__:
        assert inspect.getdoc(getattr(throng, name)), name


@pytest.mark.parametrize("tool", [["mypy", "--strict"], ["pyright"]])
def test_types(tool, tmp_path):
    found = shutil.which(tool[0], path=f"{sys.prefix}/bin") or shutil.which(tool[0])
    assert found, f"{tool[0]} is not installed"
    (tmp_path / "use.py").write_text(
        "import throng\n"
        "def use(frame: object) -> float:\n"
        "    release = throng.anonymize(frame, quasi={'age': throng.intervals(5)}, k=5)\n"
        "    k: int | None = release.summary.k\n"
        "    release.save('r.recoding.json')\n"
        "    found: throng.Check = throng.check(frame, quasi=['age'], require=[throng.distinct_l('job', 2)])\n"
        "    job: throng.Job = throng.init(frame).update(k=4)\n"
        "    try:\n"
        "        throng.apply('r.recoding.json', frame)\n"
        "    except throng.BadInput as error:\n"
        "        row: int | None = error.row\n"
        "    return release.summary.measures['lm'] + (k or 0)\n"
    )
    python = ["--pythonpath", sys.executable] if tool[0] == "pyright" else ["--python-executable", sys.executable]
    ended = subprocess.run([found, *tool[1:], *python, "use.py"], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
