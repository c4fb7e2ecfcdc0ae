"""Privacy models as functions, named like the command's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._frames import Data


@dataclass(frozen=True)
class Require:
    """A requirement besides k: the name of a model, its parameters, and what it looks at.

    >>> distinct_l("occupation", 3)
    Require(model='distinct-l', column='occupation', parameters={'l': 3}, shield=None)
    """

    model: str
    column: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    shield: tuple[str, ...] | None = None


def require(
    model: str, column: str | None = None, *, shield: list[str] | tuple[str, ...] | None = None, **parameters: Any
) -> Require:
    """Any model by its name; names and parameters are checked when the job is run.

    >>> require("t-closeness", "salary", t=0.2).parameters
    {'t': 0.2}
    """
    said = {name: value for name, value in parameters.items() if value is not None}
    return Require(model, column, said, tuple(shield) if shield is not None else None)


def k_anonymity(k: int, *, shield: list[str] | None = None) -> Require:
    """A crowd of at least k rows over only some quasi-identifiers; ``k=`` is the same over all of them."""
    return require("k", shield=shield, k=k)


def distinct_l(column: str, l: int, *, shield: list[str] | None = None) -> Require:  # noqa: E741
    """Every class has at least l different values of a sensitive column."""
    return require("distinct-l", column, shield=shield, l=l)


def entropy_l(column: str, l: float, *, shield: list[str] | None = None) -> Require:  # noqa: E741
    """The sensitive values of every class are at least as uncertain as l equally frequent values."""
    return require("entropy-l", column, shield=shield, l=l)


def recursive_cl(column: str, c: float, l: int, *, shield: list[str] | None = None) -> Require:  # noqa: E741
    """The most frequent sensitive value of a class occurs less than c times as often as the l-th and all rarer ones together."""
    return require("recursive-cl", column, shield=shield, c=c, l=l)


def p_sensitive(column: str, p: int, *, shield: list[str] | None = None) -> Require:
    """In addition to k rows, every class has at least p different values of a sensitive column."""
    return require("p-sensitive", column, shield=shield, p=p)


def alpha_k(column: str, alpha: float, *, value: str | None = None, shield: list[str] | None = None) -> Require:
    """No more than a share alpha of any class has the sensitive value, or any single value if none is named."""
    return require("alpha-k", column, shield=shield, alpha=alpha, value=value)


def t_closeness(column: str, t: float, *, distance: str | None = None, shield: list[str] | None = None) -> Require:
    """In every class, the distribution of sensitive values is within t of that in the whole release."""
    return require("t-closeness", column, shield=shield, t=t, distance=distance)


def beta_likeness(column: str, beta: float, *, shield: list[str] | None = None, **parameters: Any) -> Require:
    """No sensitive value is more than beta times more frequent in a class than in the whole release."""
    return require("beta-likeness", column, shield=shield, beta=beta, **parameters)


def delta_disclosure(column: str, delta: float, *, shield: list[str] | None = None) -> Require:
    """Every sensitive value is about as frequent in a class as in the whole release."""
    return require("delta-disclosure", column, shield=shield, delta=delta)


def k_map(population: Data, k: int, *, shield: list[str] | None = None) -> Require:
    """Every class fits at least k people of a population: a frame, or the path of a table."""
    return require("k-map", shield=shield, k=k, population=population)


def delta_presence(population: Data, min: float, max: float, *, shield: list[str] | None = None) -> Require:
    """In every class, a share of the population between min and max is in the table."""
    return require("delta-presence", shield=shield, min=min, max=max, population=population)


def average_risk(
    risk: float, *, attacker: str | None = None, population: Data = None, shield: list[str] | None = None
) -> Require:
    """The mean risk of being found is at most this."""
    return require("average-risk", shield=shield, risk=risk, attacker=attacker, population=population)


def max_risk(
    risk: float, *, attacker: str | None = None, population: Data = None, shield: list[str] | None = None
) -> Require:
    """Nobody's risk of being found is higher than this."""
    return require("max-risk", shield=shield, risk=risk, attacker=attacker, population=population)


def estimated_k_map(
    k: int, fraction: float | None = None, *, significance: float | None = None, shield: list[str] | None = None
) -> Require:
    """Like ``k_map``, but without a register: every class is estimated to fit k people of the population that was sampled."""
    return require("estimated-k-map", shield=shield, k=k, fraction=fraction, significance=significance)


def population_uniqueness(
    share: float, fraction: float | None = None, *, estimator: str | None = None, shield: list[str] | None = None
) -> Require:
    """At most this share of the records is estimated to be unique in the population."""
    return require("population-uniqueness", shield=shield, share=share, fraction=fraction, estimator=estimator)
