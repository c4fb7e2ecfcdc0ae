"""The questions that tables can answer: one function for each command."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from typing import Any

from . import _throng
from ._errors import BadInput, Infeasible
from ._frames import ROW, Data, is_place, same_kind
from ._job import FRAME, RELEASE, Job, _said, name_of
from ._models import Require
from ._progress import LOG, Progress, shown
from ._summary import Attack, Check, Comparison, Evaluation, Frontier, Profile, Summary

Path = str | os.PathLike[str]


class Release:
    """A verified release, and what is known about it."""

    def __init__(self, data: Any, summary: Summary, job: Job, source: Data, output: Path | None, key: bytes | None) -> None:
        #: The same kind of frame as went in; the path, if it was written to one.
        self.data = data
        #: What the run did.
        self.summary = summary
        #: The job that it satisfies.
        self.job = job
        self._source, self._output, self._key = source, output, key

    def report(self, path: Path | None = None) -> str:
        """A report on the release, from the two tables alone.

        If ``path`` is given, the page is written there; the file must not exist yet.
        """
        said, tables = self.job._said_of(self._source, self._output)
        if self._output is None:
            name_of(self.data, tables, RELEASE)
        page = _throng.report_page(said, json.dumps(self.summary.raw), tables)
        if path is not None:
            _write_new(path, page)
        return page

    def save(self, path: Path) -> None:
        """Saves the recoding for later deliveries of the table, with a search that must give the same release again.

        Saving a local recoding changes the release, so give ``recoding=path`` in the call that makes it.
        """
        text = _recoding(self.job, self._source, self._key, like=self.summary)
        _write_new(path, text)

    def __getstate__(self) -> dict[str, Any]:
        """What a pickled release keeps: its rows, its summary and its job, not the original."""
        state = self.__dict__.copy()
        state["_source"] = self._source if is_place(self._source) else None
        state["_key"] = None
        state["job"] = Job()
        state["job"].keys = self.job.keys
        return state

    def __repr__(self) -> str:
        return (
            f"Release(k={self.summary.k}, rows={self.summary.rows}, suppressed_rows={self.summary.suppressed_rows}, "
            f"algorithm={self.summary.algorithm!r})"
        )

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()


def anonymize(
    data: Data,
    job: Job | Path | None = None,
    *,
    output: Path | None = None,
    key: bytes | None = None,
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> Release:
    """Searches for a release of a table, verifies it, and gives it back as the same kind of frame.

    The keywords are the keys of a job: the roles ``quasi``, ``sensitive``, ``identifier``, ``target``, ``other`` and ``rest``;
    ``k``, ``suppression``, ``notion``, ``person``, ``require``; ``algorithm``, ``measure``, ``seed``, ``time_limit`` and all
    settings of algorithms; ``suppressed``, ``order``, ``recoding`` and the others of ``output``; ``csv``, ``engine``,
    ``statement`` (``[release]``). They override the keys of ``job``, if one is given. ``data`` and ``output`` may be paths or
    addresses.

    >>> import throng
    >>> people = throng.Table.of_rows("people", [["31", "flu"], ["32", "cold"], ["47", "flu"], ["48", "gout"]])
    >>> release = throng.anonymize(people, quasi={"level 0": throng.intervals(10)}, sensitive="level 1", k=2, person="none")
    >>> release.summary.k
    2

    Raises :class:`throng.BadInput`, :class:`throng.Infeasible` if nothing satisfies it, :class:`throng.MachineFailed`.
    """
    job = _job(job, keywords)
    if is_place(data) and output is None and "output" in job.keys:
        said = job.keys["output"]
        output = said if isinstance(said, str) else said.get("path")
    said, tables = job._said_of(data, output)
    if output is None:
        tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    tell, close = shown(progress)
    try:
        text, table = _throng.anonymize(said, tables, key, tell)
    finally:
        close()
    summary = _judged(text)
    released = same_kind(data)(table) if table is not None else (os.fspath(output) if output is not None else None)
    return Release(released, summary, job, data, output, key)


def apply(
    recoding: Path | str,
    data: Data,
    *,
    output: Path | None = None,
    suppression: float | int | str | None = None,
    unknown: Iterable[str] = (),
    key: bytes | None = None,
    progress: bool | Progress | None = None,
) -> Release:
    """Applies a saved recoding to a later delivery of the same table, and judges the result."""
    with open(recoding, encoding="utf-8") as file:
        text = file.read()
    return _apply(text, os.fspath(recoding), data, output, suppression, unknown, key, progress)


def _apply(
    text: str,
    place: str,
    data: Data,
    output: Path | None = None,
    suppression: float | int | str | None = None,
    unknown: Iterable[str] = (),
    key: bytes | None = None,
    progress: bool | Progress | None = None,
) -> Release:
    tables: dict[str, _throng.Table] = {}
    source = name_of(data, tables)
    target = os.fspath(output) if output is not None else RELEASE
    if output is None:
        tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    options = json.dumps({"suppression": suppression, "unknown": list(unknown)})
    tell, close = shown(progress)
    try:
        found, table = _throng.apply((text, place), source, target, tables, options, key, tell)
    finally:
        close()
    summary = _judged(found)
    released = same_kind(data)(table) if table is not None else target
    return Release(released, summary, Job(), data, output, key)


def check(
    data: Data,
    quasi: Iterable[str],
    *,
    sensitive: Iterable[str] = (),
    person: str | None = None,
    require: Iterable[Require] = (),
    k: int | None = None,
    csv: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
) -> Check:
    """How exposed a table is as it stands. Works on any table, whoever made it.

    >>> import throng
    >>> table = throng.Table.of_rows("t", [["30s", "flu"], ["30s", "cold"], ["40s", "gout"]])
    >>> throng.check(table, quasi=["level 0"]).k
    1
    """
    tables: dict[str, _throng.Table] = {}
    asked = Job(require=list(require))
    options = {
        "quasi": _names("quasi", quasi),
        "sensitive": _names("sensitive", sensitive),
        "person": person,
        "require": asked.keys.get("privacy", {}).get("require", []),
        "k": k,
        "csv": csv,
    }
    return Check(_ask(_throng.check, name_of(data, tables), tables, options, progress))


def profile(
    data: Data,
    *,
    combine: Iterable[str] = (),
    max_columns: int | None = None,
    csv: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
) -> Profile:
    """What the columns of a table are, and how identifying they are, alone and in combination."""
    tables: dict[str, _throng.Table] = {}
    options = {"combine": _names("combine", combine), "max_columns": max_columns, "csv": csv}
    return Profile(_ask(_throng.profile, name_of(data, tables), tables, options, progress))


def init(data: Data, *, csv: dict[str, Any] | None = None, progress: bool | Progress | None = None) -> Job:
    """A job for a table, for you to review and change: roles, hierarchies and k, as ``throng init`` decides them.

    What was decided, and why, is in ``job.decided``; the text of the job file with its reasons in ``job.text``.
    """
    tables: dict[str, _throng.Table] = {}
    found = _ask(_throng.init, name_of(data, tables), tables, {"csv": csv}, progress)
    job = Job()
    job.keys = found["job"]
    job.keys.pop("input", None)
    job.keys.pop("output", None)
    rows = {one["path"]: one["rows"] for one in found["hierarchies"]}
    for column, said in job.keys.get("columns", {}).items():
        given = rows.get(said.get("hierarchy")) if isinstance(said.get("hierarchy"), str) else None
        if given is not None:
            said["hierarchy"] = f"<hierarchy of {column}>"
            job.tables[said["hierarchy"]] = _throng.Table.of_rows(said["hierarchy"], given)
    job.decided = Profile(found["initial"])
    job.text = found["text"]
    return job


def attack(
    original: Data,
    released: Data,
    quasi: Iterable[str] | dict[str, Any] | None = None,
    *,
    job: Job | Path | None = None,
    sensitive: Iterable[str] = (),
    k: int | None = None,
    notion: str | None = None,
    known: str | None = None,
    seed: int = 1,
    progress: bool | Progress | None = None,
) -> Attack:
    """What adversaries who have the original can learn from a release, whoever made it."""
    asked = _job(job, {"quasi": quasi, "k": k, "notion": notion})
    sensitive = _names("sensitive", sensitive)
    if job is None:
        asked.update(rest="other")
    if not sensitive:
        columns = asked.keys.get("columns", {})
        sensitive = [name for name, said in columns.items() if said["role"] == "sensitive"]
    claimed = "k" in asked.keys.get("privacy", {})
    if not claimed:
        asked.update(k=2)
    output = released if is_place(released) else None
    said, tables = asked._said_of(original, output)
    if output is None:
        name_of(released, tables, RELEASE)
    options = {"sensitive": sensitive, "claimed": claimed, "known": known, "seed": seed}
    return Attack(_ask(_throng.attack, said, tables, options, progress))


def frontier(
    data: Data,
    objectives: Iterable[str],
    job: Job | Path | None = None,
    *,
    epsilon: Iterable[float] = (),
    method: str | None = None,
    nodes: int | None = None,
    local: Iterable[str] = (),
    ks: Iterable[int] | None = None,
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> Frontier:
    """The best compromises between several objectives among the full-domain generalisations: a frame of points, and a plot."""
    asked = _job(job, keywords)
    if "k" not in asked.keys.get("privacy", {}):
        asked.update(k=2)
    said, tables = asked._said_of(data, None)
    options = {
        "objectives": _names("objectives", objectives),
        "epsilon": list(epsilon),
        "method": method,
        "nodes": nodes,
        "local": list(local),
        "ks": list(ks) if ks is not None else None,
    }
    tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    return Frontier(_ask(_throng.frontier, said, tables, options, progress))


def compare(
    data: Data,
    algorithms: Iterable[str],
    job: Job | Path | None = None,
    *,
    ks: Iterable[int] | None = None,
    measures: Iterable[str] | None = None,
    classifiers: Iterable[str] = (),
    repeat: int = 1,
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> Comparison:
    """Algorithms side by side on one table, at several k."""
    asked = _job(job, keywords)
    if "k" not in asked.keys.get("privacy", {}):
        asked.update(k=2)
    said, tables = asked._said_of(data, None)
    tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    options = {
        "algorithms": _names("algorithms", algorithms),
        "ks": list(ks) if ks is not None else None,
        "measures": list(measures) if measures is not None else None,
        "classifiers": list(classifiers),
        "repeat": repeat,
    }
    return Comparison(_ask(_throng.compare, said, tables, options, progress))


def evaluate(
    original: Data,
    released: Data,
    target: str,
    *,
    quasi: Iterable[str] = (),
    classifiers: Iterable[str] = (),
    folds: int = 10,
    seed: int = 1,
    csv: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
) -> Evaluation:
    """What classifiers learn about the original from a release, compared with what they learn from the original itself."""
    tables: dict[str, _throng.Table] = {}
    names = name_of(original, tables), name_of(released, tables, RELEASE)
    options = {
        "target": target,
        "quasi": _names("quasi", quasi),
        "classifiers": list(classifiers),
        "folds": folds,
        "seed": seed,
        "csv": csv,
    }
    tell, close = shown(progress)
    try:
        return Evaluation(json.loads(_throng.evaluate(*names, tables, json.dumps(options), tell)))
    finally:
        close()


def sql(
    data: Data,
    job: Job | Path | None = None,
    *,
    table: str,
    release: str,
    dialect: str = "postgres",
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> str:
    """A release as a statement that makes the table ``release`` from ``table`` in its engine. It contains original values."""
    asked = _job(job, keywords)
    said, tables = asked._said_of(data, None)
    tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    tell, close = shown(progress)
    try:
        summary, text = _throng.sql(said, tables, table, release, dialect, tell)
    finally:
        close()
    if text is None:
        _judged(summary)
        raise Infeasible("nothing may be released", kind="infeasible")
    return text


def _ask(question: Any, what: str, tables: dict[str, _throng.Table], options: dict[str, Any], progress: Any) -> dict[str, Any]:
    tell, close = shown(progress)
    try:
        found: dict[str, Any] = json.loads(question(what, tables, _said(options), tell))
    finally:
        close()
    return found


def _job(job: Job | Path | None, keywords: dict[str, Any]) -> Job:
    """A job with some keys overridden by keywords; the job itself does not change."""
    if job is None:
        return Job(**keywords)
    return (job.copy() if isinstance(job, Job) else Job.read(job)).update(**keywords)


def _names(what: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        return [names]
    try:
        return list(names)
    except TypeError:
        raise BadInput(f"{what} must be names: a list of text") from None


def _judged(text: str) -> Summary:
    """The summary of a run that released something."""
    summary = Summary.of(text)
    LOG.info("%s rows, %s suppressed, k = %s, by %s", summary.rows, summary.suppressed_rows, summary.k, summary.algorithm)
    for warning in (one for one in summary.warnings if ROW not in one):
        LOG.warning("%s", warning)
    if summary.raw.get("output") is not None:
        return summary
    if summary.outcome == "stopped":
        problem = "time ran out before a release was found; give a longer time_limit"
    else:
        problem = "no release satisfies the requirements within the suppression limit"
        problem += f"; k = {summary.k} could be had" if summary.k else ""
    error = Infeasible(problem, kind=summary.outcome)
    error.summary = summary
    raise error


def _recoding(job: Job, data: Data, key: bytes | None, like: Summary | None = None) -> str:
    """The text of the recoding of a job's release."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "saved.recoding.json")
        found = anonymize(data, job, key=key, recoding=place).summary
        if like is not None and (found.levels, found.raw.get("cuts")) != (like.levels, like.raw.get("cuts")):
            raise BadInput("a new search gave a different release; give recoding=path in the call that makes the release")
        if like is not None and found.levels is None and found.raw.get("cuts") is None:
            raise BadInput(
                "a local recoding gives different rows when it is saved; give recoding=path in the call that makes the release"
            )
        with open(place, encoding="utf-8") as file:
            return file.read()


def _write_new(path: Path, text: str) -> None:
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{os.fspath(path)} already exists; name another file, or remove it yourself") from None


__all__ = ["FRAME", "Release", "anonymize", "apply", "attack", "check", "compare", "evaluate", "frontier", "init", "profile", "sql"]
