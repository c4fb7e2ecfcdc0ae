"""Progress of a run: tqdm bars if it is installed, otherwise lines in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

#: Where everything is logged that is not an answer.
LOG = logging.getLogger("throng")
LOG.addHandler(logging.NullHandler())

#: Called with whether a phase begins, what it is or what is counted, how many, and of how many.
Progress = Callable[[bool, str, int, "int | None"], None]


def shown(progress: bool | Progress | None) -> tuple[Progress | None, Callable[[], None]]:
    """What is told of a run's progress, and what ends it."""
    if callable(progress):
        return progress, lambda: None
    if not progress:
        return None, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _log, lambda: None
    bar: Any = tqdm(unit="")

    def tell(is_phase: bool, what: str, done: int, total: int | None) -> None:
        if is_phase:
            bar.reset()
            bar.set_description(what)
            return
        bar.total = total if total and total < 2**53 else None
        bar.n = done
        bar.set_postfix_str(what)

    return tell, bar.close


def _log(is_phase: bool, what: str, done: int, total: int | None) -> None:
    if is_phase:
        LOG.info("%s", what)
    else:
        LOG.debug("%s of %s %s", done, total if total is not None else "?", what)
