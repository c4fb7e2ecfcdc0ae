"""throng makes tables of personal records safe to publish: k-anonymity and more, with search,
verification and measures of loss.

>>> import throng
>>> table = throng.Table.of_rows("people", [["31", "flu"], ["32", "cold"], ["47", "flu"], ["48", "gout"]])
>>> throng.check(table, quasi=["level 0"]).k
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._ask import Release, anonymize, apply, attack, check, compare, evaluate, frontier, init, profile, sql
from ._errors import BadInput, Infeasible, MachineFailed, ThrongError
from ._hierarchies import Hierarchy, auto, dates, groups, hierarchy, intervals, mask, means, medians, prefixes, ranges, sets
from ._job import Job
from ._models import (
    Require,
    alpha_k,
    average_risk,
    beta_likeness,
    delta_disclosure,
    delta_presence,
    distinct_l,
    entropy_l,
    estimated_k_map,
    k_anonymity,
    k_map,
    max_risk,
    p_sensitive,
    population_uniqueness,
    recursive_cl,
    require,
    t_closeness,
)
from ._summary import Attack, Check, Comparison, Evaluation, Frontier, Profile, Requirement, Summary
from ._throng import Table

if TYPE_CHECKING:
    from ._sklearn import Anonymizer

__all__ = [
    "Anonymizer",
    "Attack",
    "BadInput",
    "Check",
    "Comparison",
    "Evaluation",
    "Frontier",
    "Hierarchy",
    "Infeasible",
    "Job",
    "MachineFailed",
    "Profile",
    "Release",
    "Require",
    "Requirement",
    "Summary",
    "Table",
    "ThrongError",
    "alpha_k",
    "anonymize",
    "apply",
    "attack",
    "auto",
    "average_risk",
    "beta_likeness",
    "check",
    "compare",
    "dates",
    "delta_disclosure",
    "delta_presence",
    "distinct_l",
    "entropy_l",
    "estimated_k_map",
    "evaluate",
    "frontier",
    "groups",
    "hierarchy",
    "init",
    "intervals",
    "k_anonymity",
    "k_map",
    "mask",
    "max_risk",
    "means",
    "medians",
    "p_sensitive",
    "population_uniqueness",
    "prefixes",
    "profile",
    "ranges",
    "recursive_cl",
    "require",
    "sets",
    "sql",
    "t_closeness",
]


def __getattr__(name: str) -> Any:
    # scikit-learn is only needed by whoever asks for it.
    if name == "Anonymizer":
        from ._sklearn import Anonymizer

        return Anonymizer
    raise AttributeError(f"module 'throng' has no attribute '{name}'")
