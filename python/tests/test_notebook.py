"""The tutorial runs from its first cell to its last."""

from __future__ import annotations

import pathlib

import nbformat
from nbclient import NotebookClient

TUTORIAL = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks/tutorial.ipynb"


def test_tutorial(tmp_path):
    book = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(book)
    assert all(not cell.get("outputs") for cell in book.cells), "it is kept without what it shows"
    NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert (tmp_path / "report.html").exists()
