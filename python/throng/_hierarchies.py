"""How the values of a column are generalised: hierarchies that are read, built or given, and that you can look at and pass on."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _throng
from ._errors import BadInput
from ._files import lines_of, write_new
from ._frames import Data, is_place, table_of


@dataclass(frozen=True)
class Hierarchy:
    """What a quasi-identifier becomes, level by level.

    >>> print(intervals(10, 20).tree(["31", "34", "47"]))
    *
      20-39
        30-39
          31
          34
      40-59
        40-49
          47
    """

    #: The builder, with the keys of a job file; a path is that of a hierarchy file.
    builder: Any = None
    #: The rows, each a value and its label on every level, if it was given as such.
    given: tuple[tuple[str, ...], ...] | None = None
    #: The key in a job's column that holds it.
    key: str = "hierarchy"

    def rows(self, values: Iterable[Any] | None = None) -> list[list[str]]:
        """The rows: a value and its label on each level. Builders need the values of the column."""
        if self.given is not None:
            return [list(row) for row in self.given]
        if self.key != "hierarchy":
            raise BadInput("this is not a hierarchy: a value becomes what its class shows, such as a range or a set")
        if isinstance(self.builder, str):
            return _throng.read_hierarchy(self.builder)
        if values is None and isinstance(self.builder, dict) and "groups" in self.builder:
            values = [value for members in self.builder["groups"][0].values() for value in members]
        if values is None:
            raise BadInput("a hierarchy that throng builds needs the values of its column: hierarchy.rows(frame['age'])")
        seen = dict.fromkeys("" if value is None else str(value) for value in values)
        return _throng.build_hierarchy(json.dumps(self.builder), list(seen))

    def tree(self, values: Iterable[Any] | None = None, *, most: int = 200) -> str:
        """The hierarchy as an indented tree, of at most this many lines."""
        lines: list[str] = []
        seen: set[tuple[str, ...]] = set()
        for row in sorted(self.rows(values), key=lambda row: row[::-1]):
            path = tuple(reversed(row))
            for depth in range(1, len(path) + 1):
                if path[:depth] not in seen:
                    seen.add(path[:depth])
                    lines.append("  " * (depth - 1) + path[depth - 1])
        if len(lines) > most:
            lines = [*lines[:most], f"… {len(lines) - most} more"]
        return "\n".join(lines)

    def write(self, path: str | os.PathLike[str], values: Iterable[Any] | None = None) -> None:
        """Writes a hierarchy file (``leaf;level1;…;top``); no existing file is replaced."""
        write_new(path, lines_of(self.rows(values)))

    def _repr_html_(self) -> str:
        if self.given is None and not isinstance(self.builder, str):
            return f"<code>{html.escape(repr(self))}</code>"
        return f"<pre>{html.escape(self.tree())}</pre>"


def mask(side: str = "right") -> Hierarchy:
    """Masks one more character per level, from the right or the left.

    >>> mask("right").rows(["123"])
    [['123', '12*', '1**', '*']]
    """
    return Hierarchy({"mask": side})


def intervals(*widths: float, origin: float = 0, words: bool = False) -> Hierarchy:
    """Ranges of numbers, one width per level, each a multiple of the one before; ``origin`` is where ranges start.

    With ``words`` they are spelled ``5 to 9``, which no spreadsheet takes for a date.

    >>> intervals(5, 10, words=True).rows([7])
    [['7', '5 to 9', '0 to 9', '*']]
    """
    more = {**({"origin": origin} if origin else {}), **({"ranges": "words"} if words else {})}
    return Hierarchy({"intervals": list(widths), **more})


def dates(*units: str, format: str | None = None) -> Hierarchy:
    """Calendar units, one per level: day, month, quarter, year, decade.

    >>> dates("month", "year").rows(["1993-02-01"])
    [['1993-02-01', '1993-02', '1993', '*']]
    """
    return Hierarchy({"dates": list(units), "format": format} if format else {"dates": list(units)})


def groups(*levels: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Named groups of values: for each level, its labels and the values that each stands for.

    >>> groups({"kitchen": ["cook", "baker"], "ward": ["nurse"]}).rows()
    [['cook', 'kitchen', '*'], ['baker', 'kitchen', '*'], ['nurse', 'ward', '*']]
    """
    return Hierarchy({"groups": [{label: list(values) for label, values in level.items()} for level in levels]})


def auto(levels: int | None = None) -> Hierarchy:
    """Built from the data: ranges, calendar units, prefixes of codes, or groups of categories.

    >>> auto(levels=1).rows(["12", "38"])[0][-1]
    '*'
    """
    return Hierarchy({"auto": True, "levels": levels} if levels is not None else {"auto": True})


def ranges(format: str | None = None, *, bottom: float | None = None, top: float | None = None) -> Hierarchy:
    """No hierarchy: numbers, or dates in this format, become the range that their class spans.

    Numbers up to ``bottom`` are one value, and so are those from ``top`` on.

    >>> ranges(top=90).builder
    {'range': True, 'top': 90}
    """
    if bottom is not None or top is not None:
        return _numbers("range", bottom, top)
    return Hierarchy({"range": format} if format else "range", key="generalise")


def means(*, bottom: float | None = None, top: float | None = None) -> Hierarchy:
    """No hierarchy: numbers become the mean of their class.

    >>> means(bottom=18).builder
    {'mean': True, 'bottom': 18}
    """
    return _numbers("mean", bottom, top)


def medians(*, bottom: float | None = None, top: float | None = None) -> Hierarchy:
    """No hierarchy: numbers become the median of their class.

    >>> medians()
    Hierarchy(builder={'median': True}, given=None, key='generalise')
    """
    return _numbers("median", bottom, top)


def _numbers(shown: str, bottom: float | None, top: float | None) -> Hierarchy:
    ends = {"bottom": bottom, "top": top}
    return Hierarchy({shown: True, **{name: end for name, end in ends.items() if end is not None}}, key="generalise")


def sets(most: int | None = None) -> Hierarchy:
    """No hierarchy: values become the set of their class's values, with at most this many members.

    >>> sets(20).builder
    {'set': 20}
    """
    return Hierarchy({"set": most} if most is not None else "set", key="generalise")


def prefixes() -> Hierarchy:
    """No hierarchy: codes become the prefix that all codes of their class share.

    >>> prefixes().builder
    'prefix'
    """
    return Hierarchy("prefix", key="generalise")


def hierarchy(source: str | os.PathLike[str] | Data) -> Hierarchy:
    """A hierarchy from a file (``leaf;level1;…;top``), from rows, or from a frame with a column for each level.

    >>> hierarchy([("cook", "kitchen", "*"), ("baker", "kitchen", "*")]).rows()
    [['cook', 'kitchen', '*'], ['baker', 'kitchen', '*']]
    """
    if is_place(source):
        return Hierarchy(os.fspath(source))
    if isinstance(source, (list, tuple)):
        return Hierarchy(given=tuple(tuple(str(cell) for cell in row) for row in source))
    rows = _throng.rows_of_hierarchy(table_of(source, "hierarchy"))
    return Hierarchy(given=tuple(tuple(row) for row in rows))
