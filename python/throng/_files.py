"""Files that are written, none of which replaces another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ._errors import BadInput


def refuse_taken(path: str | os.PathLike[str]) -> None:
    """Refuses the name of a file that is there."""
    if os.path.lexists(path):
        name = os.fspath(path)
        hint = "name another file, or remove it yourself"
        raise BadInput(f"{name} already exists; {hint}", file=name, hint=hint)


def write_new(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file that is not there yet."""
    refuse_taken(path)
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        refuse_taken(path)
        raise


def lines_of(rows: Iterable[Sequence[str]]) -> str:
    """The lines of a hierarchy file."""

    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in ';"\n\r') else text

    return "".join(";".join(map(cell, row)) + "\n" for row in rows)
