"""What a run did, with types."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Requirement:
    """One of the requirements, and what the release achieves."""

    model: str
    parameters: dict[str, Any]
    column: str | None
    achieved: Any
    holds: bool | None
    verified: str | None
    #: All keys, as the command prints them.
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Summary:
    """The summary of a run, as ``throng anonymize --json`` prints it; ``raw`` holds all of it."""

    #: ``released``, ``infeasible``, or ``stopped``.
    outcome: str
    algorithm: str
    #: The measure that the search minimised.
    measure: str
    #: Rows of the input.
    rows: int
    suppressed_rows: int
    #: The k of the release; for an infeasible job, the k that is possible.
    k: int | None
    #: Whether no release of the kind that was searched can lose less.
    optimal: bool
    proven: bool
    #: At most by what share the loss is above the optimum of its kind, if that was proven.
    gap: float | None
    #: Every measure of the release.
    measures: dict[str, float]
    requirements: list[Requirement]
    #: The level of each quasi-identifier, if the release has levels.
    levels: dict[str, int] | None
    #: Seconds of each phase.
    seconds: dict[str, float]
    #: What to know before publishing.
    warnings: list[str]
    #: All keys, as the command prints them.
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Summary:
        """Reads a summary from its JSON."""
        raw = json.loads(text)
        requirements = [
            Requirement(
                one["model"],
                one.get("parameters", {}),
                one.get("column"),
                one.get("achieved"),
                one.get("holds"),
                one.get("verified"),
                one,
            )
            for one in raw["requirements"]
        ]
        return cls(
            outcome=raw["outcome"],
            algorithm=raw["algorithm"],
            measure=raw["measure"],
            rows=raw["rows"],
            suppressed_rows=raw["suppressed_rows"],
            k=raw["achieved"].get("k"),
            optimal=raw["optimal"],
            proven=raw["proven"],
            gap=raw["search"].get("gap"),
            measures=raw["measures"],
            requirements=requirements,
            levels=raw["levels"],
            seconds=raw["seconds"],
            warnings=raw["warnings"],
            raw=raw,
        )

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Any]] = [
            ("outcome", self.outcome),
            ("k", self.k),
            ("rows", self.rows),
            ("suppressed rows", self.suppressed_rows),
            ("algorithm", self.algorithm + (", optimal" if self.optimal else "")),
            (f"loss ({self.measure})", self.measures.get(self.measure)),
        ]
        rows += [(one.model + (f" of {one.column}" if one.column else ""), one.achieved) for one in self.requirements]
        rows += [("warning", warning) for warning in self.warnings]
        return html_table(rows)


def html_table(rows: list[tuple[str, Any]]) -> str:
    """Names and values as a table of HTML."""

    def shown(value: Any) -> str:
        return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))

    lines = "".join(f"<tr><th style='text-align:left'>{shown(n)}</th><td>{shown(v)}</td></tr>" for n, v in rows)
    return f"<table>{lines}</table>"


class Found:
    """An answer of the engine: its keys are attributes, and ``raw`` holds all of it."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["raw"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.raw]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.raw.items() if not isinstance(value, (list, dict)))
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        return html_table([(name, value) for name, value in self.raw.items() if not isinstance(value, (list, dict))])


class Check(Found):
    """How exposed a table is as it stands: ``k``, ``classes``, ``at_risk_rows``, ``models``, …"""


class Profile(Found):
    """What the columns of a table are, and how identifying they are together: ``columns``, ``combinations``, ``persons``."""


class Attack(Found):
    """What adversaries who have the original learn from a release: ``succeeds``, ``holds``, ``neighbours``, ``matches``."""


class Evaluation(Found):
    """What classifiers learn from a release, compared with its original: ``results``, ``majority``."""


class Comparison(Found):
    """Algorithms side by side: ``by_k``, ``best``."""


class Frontier(Found):
    """The best compromises of several objectives: ``front``, a list of points."""

    def frame(self) -> Any:
        """The points as a frame of pandas, or a list of dictionaries without pandas."""
        points = [
            {"number": point["number"], **point["values"], "k": point["k"], "suppressed_rows": point["suppressed_rows"]}
            for point in self.raw["front"]
        ]
        try:
            import pandas as pd
        except ImportError:
            return points
        return pd.DataFrame(points)

    def plot(self) -> Any:
        """The first two objectives against each other; needs matplotlib."""
        import matplotlib.pyplot as plt

        first, second = (name for name, _ in self.raw["objectives"][:2])
        figure, axes = plt.subplots()
        points = [point["values"] for point in self.raw["front"]]
        axes.plot([point[first] for point in points], [point[second] for point in points], "o-")
        axes.set(xlabel=first, ylabel=second)
        return figure
