"""The questions that tables can answer: one function for each command."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from typing import Any

from . import _throng
from ._errors import BadInput, Infeasible, MachineFailed
from ._files import refuse_taken, write_new
from ._frames import ROW, Data, is_place, same_kind
from ._job import CONTROL, FRAME, RELEASE, Job, _said, name_of
from ._models import Require
from ._progress import LOG, Progress, shown
from ._summary import Attack, Check, Comparison, Evaluation, Frontier, Profile, Summary

Path = str | os.PathLike[str]


class Release:
    """A verified release, and what is known about it.

    ``data`` is the same kind of frame as went in, or the path that it was written to. ``summary`` is what the run did, and
    ``job`` what it was asked. In a notebook a release shows its summary. It can be pickled: the pickle has its rows, its
    summary and the keys of its job, and nothing of the original.
    """

    def __init__(
        self,
        data: Any,
        summary: Summary,
        job: Job,
        source: Data,
        output: Path | None,
        key: bytes | None,
        found: _throng.Found | None = None,
    ) -> None:
        #: The same kind of frame as went in; the path, if it was written to one.
        self.data = data
        #: What the run did.
        self.summary = summary
        #: The job that it satisfies.
        self.job = job
        self._source, self._output, self._key, self._found = source, output, key, found

    def report(self, path: Path | None = None) -> str:
        """A report on the release, from the two tables alone.

        If ``path`` is given, the page is written there; the file must not exist yet.
        """
        if "columns" not in self.job.keys:
            raise BadInput("there is no job to report on: a recoding was applied; report on the release that it was saved from")
        if self._source is None:
            raise BadInput("a report needs the original, which a pickle does not have; make it before")
        if path is not None:
            refuse_taken(path)
        said, tables = self.job._said_of(self._source, _target(self._output))
        if self._output is None:
            name_of(self.data, tables, RELEASE)
        page = _throng.report_page(said, json.dumps(self.summary.raw), tables)
        if path is not None:
            write_new(path, page)
        return page

    def save(self, path: Path) -> None:
        """Saves the recoding that was found, for later deliveries of the table (:func:`throng.apply`).

        Nothing is searched again. The table is read once more, and the recoding is only kept if it gives this release. A
        local recoding gives other rows if it is saved, so pass ``recoding=path`` to the call that makes the release.
        """
        if self._found is None:
            raise BadInput(
                "there is nothing to save: the recoding is local, so its rows depend on whether it is saved, or the release "
                "was made by apply or comes from a pickle; pass recoding=path to the call that makes the release",
                hint="say recoding=path in the call that makes the release",
            )
        refuse_taken(path)
        said, tables = self.job.copy().update(recoding=path)._said_of(self._source, RELEASE)
        tables[RELEASE] = _throng.Table.unwritten(RELEASE)
        again = Summary.of(_throng.save(said, tables, self._found, self._key))
        if again.raw.get("output") is None or _decided(again) != _decided(self.summary):
            if os.path.exists(path):
                os.remove(path)
            raise BadInput("the table has changed since the release was made; release it again")

    def __getstate__(self) -> dict[str, Any]:
        """What a pickled release keeps: its rows, its summary and its job, not the original."""
        state = self.__dict__.copy()
        state["_source"] = self._source if is_place(self._source) else None
        state["_key"] = state["_found"] = None
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
    ``k``, ``suppression``, ``notion``, ``person``, ``require``, ``policy``; ``algorithm``, ``measure``, ``mean``,
    ``suppress_or_generalise``, ``seed``, ``time_limit`` and all settings of algorithms; ``suppressed``, ``order``, ``recoding``
    and the others of ``output``; ``csv``, ``xlsx``, ``engine``, ``statement`` (``[release]``). They override the keys of ``job``, if one is given. ``data`` and
    ``output`` may be paths or addresses.

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
    said, tables = job._said_of(data, _target(output))
    if output is None:
        tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    tell, close = shown(progress)
    try:
        text, table, found = _throng.anonymize(said, tables, key, tell)
    finally:
        close()
    summary = _judged(text)
    released = same_kind(data)(table) if table is not None else (os.fspath(output) if output is not None else None)
    return Release(released, summary, job, data, output, key, found if _is_of_columns(summary) else None)


def apply(
    recoding: Path | str,
    data: Data,
    *,
    output: Path | None = None,
    suppression: float | int | str | None = None,
    unknown: Iterable[str] = (),
    engine: dict[str, Any] | None = None,
    key: bytes | None = None,
    progress: bool | Progress | None = None,
) -> Release:
    """Applies a saved recoding to a later delivery of the same table, and judges the result.

    ``suppression`` is what may be left out of this delivery, and ``unknown=["job=top"]`` releases values that the recoding does
    not know as ``*``. ``engine={"cluster": …}`` lets a cluster do it.
    """
    place = os.fspath(recoding)
    try:
        with open(recoding, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise BadInput(f"{place}: there is no such recoding", kind="not-found", file=place) from None
    except UnicodeDecodeError:
        raise BadInput(f"{place}: a recoding is JSON in UTF-8, which this is not", file=place) from None
    except OSError as cause:
        raise MachineFailed(f"{place}: cannot read the recoding: {cause.strerror}", kind="io", file=place) from None
    return _apply(text, place, data, output, suppression, unknown, engine, key, progress)


def _apply(
    text: str,
    place: str,
    data: Data,
    output: Path | None = None,
    suppression: float | int | str | None = None,
    unknown: Iterable[str] = (),
    engine: dict[str, Any] | None = None,
    key: bytes | None = None,
    progress: bool | Progress | None = None,
) -> Release:
    tables: dict[str, _throng.Table] = {}
    source = name_of(data, tables)
    target = os.fspath(_target(output))
    if output is None:
        tables[RELEASE] = _throng.Table.unwritten(RELEASE)
    options = _said({"suppression": suppression, "unknown": list(unknown), "engine": engine})
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
    policy: str | None = None,
    sampling_fraction: float | None = None,
    sampling_weight: str | None = None,
    household: str | None = None,
    suda: int | None = None,
    csv: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
) -> Check:
    """How exposed a table is as it stands. Works on any table, whoever made it.

    ``require`` and ``policy`` are judged, not enforced: ``found.requirements`` and ``found.policy`` say what holds.
    ``sampling_fraction`` or ``sampling_weight`` say how the table was sampled from its population, ``household`` which rows
    belong together, and ``suda`` looks for special uniques of at most this many columns.

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
        "policy": policy,
        "sampling_fraction": sampling_fraction,
        "sampling_weight": sampling_weight,
        "household": household,
        "suda": suda,
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
    """What the columns of a table are, and how identifying they are, alone and in combination.

    >>> import throng
    >>> people = throng.Table.of_rows("people", [[str(30 + n % 9), "flu"] for n in range(40)])
    >>> throng.profile(people).rows
    40
    """
    tables: dict[str, _throng.Table] = {}
    options = {"combine": _names("combine", combine), "max_columns": max_columns, "csv": csv}
    return Profile(_ask(_throng.profile, name_of(data, tables), tables, options, progress))


def init(
    data: Data,
    *,
    quasi: Iterable[str] = (),
    csv: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
) -> Job:
    """A job for a table, for you to review and change: roles, hierarchies and k, as ``throng init`` decides them.

    ``quasi`` names the quasi-identifiers, if you know them. Suggested ones that are not named are left out of the release.
    What was decided, and why, is in ``job.decided``; the text of the job file with its reasons in ``job.text``.
    """
    tables: dict[str, _throng.Table] = {}
    found = _ask(_throng.init, name_of(data, tables), tables, {"quasi": _names("quasi", quasi), "csv": csv}, progress)
    job = Job()
    job.keys = found["job"]
    # What is asked next may be of a frame, and wants one back.
    job.keys.pop("output", None)
    if not is_place(data):
        job.keys.pop("input", None)
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
    person: str | None = None,
    known: str | None = None,
    control: Data = None,
    attacks: int | None = None,
    seed: int = 1,
    progress: bool | Progress | None = None,
) -> Attack:
    """What adversaries who have the original can learn from a release, whoever made it.

    Without ``job`` and ``k``, no claim is judged. ``known="illness=0.1"`` adds an adversary who knows the illness of a tenth of
    the rows. ``control`` is a table of people who were left out: singling out, linkability, inference and membership are
    compared with it, by at most so many ``attacks`` of each kind.

    >>> import throng
    >>> people = throng.Table.of_rows("people", [[str(30 + n % 9), "flu"] for n in range(40)])
    >>> throng.attack(people, people, quasi=["level 0"], k=5).neighbours["fewest"]
    4
    """
    asked = _job(job, {"quasi": quasi, "k": k, "notion": notion, "person": person})
    sensitive = _names("sensitive", sensitive)
    if job is None:
        asked.update(rest="other")
    if not sensitive:
        columns = asked.keys.get("columns", {})
        sensitive = [name for name, said in columns.items() if said["role"] == "sensitive"]
    claimed = "k" in asked.keys.get("privacy", {})
    said, tables = asked._said_of(original, released if is_place(released) else RELEASE)
    if not is_place(released):
        name_of(released, tables, RELEASE)
    strangers = None if control is None else name_of(control, tables, CONTROL)
    options = {
        "sensitive": sensitive,
        "claimed": claimed,
        "known": known,
        "control": strangers,
        "attacks": attacks,
        "seed": seed,
    }
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
    reference: Path | None = None,
    spread: bool = False,
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> Frontier:
    """The best compromises between several objectives among the full-domain generalisations: a frame of points, and a plot.

    ``reference="exact"``, or a saved front, says how much of it was found; ``spread`` compares the points record by record.

    >>> import throng
    >>> people = throng.Table.of_rows("people", [[str(30 + n % 9), "flu"] for n in range(40)])
    >>> found = throng.frontier(people, ["k", "lm"], quasi={"level 0": throng.intervals(5, 10)}, sensitive="level 1", k=5, person="none")
    >>> [point["k"] for point in found.front]
    [40, 16, 4]
    """
    asked = _job(job, keywords)
    said, tables = asked._said_of(data)
    options = {
        "objectives": _names("objectives", objectives),
        "epsilon": list(epsilon),
        "method": method,
        "nodes": nodes,
        "local": list(local),
        "ks": list(ks) if ks is not None else None,
        "reference": os.fspath(reference) if reference is not None else None,
        "spread": spread,
    }
    return Frontier(_ask(_throng.frontier, said, tables, options, progress))


def compare(
    data: Data,
    algorithms: Iterable[str],
    job: Job | Path | None = None,
    *,
    ks: Iterable[int] | None = None,
    measures: Iterable[str] | None = None,
    quasi_counts: tuple[int, int] | None = None,
    quasi_k: int | None = None,
    rows: int | None = None,
    classifiers: Iterable[str] = (),
    repeat: int = 1,
    progress: bool | Progress | None = None,
    **keywords: Any,
) -> Comparison:
    """Algorithms side by side on one table, at several k.

    ``quasi_counts=(3, 9)`` also compares them with the first three to nine quasi-identifiers, at ``quasi_k``; ``rows`` draws a
    sample of so many rows.

    >>> import throng
    >>> people = throng.Table.of_rows("people", [[str(30 + n % 9), "flu"] for n in range(40)])
    >>> found = throng.compare(people, ["flash", "mondrian"], ks=[5], quasi={"level 0": throng.intervals(5, 10)}, sensitive="level 1", k=5, person="none")
    >>> sorted(trial["contender"] for trial in found.by_k)
    ['flash', 'mondrian']
    """
    asked = _job(job, keywords)
    said, tables = asked._said_of(data)
    options = {
        "algorithms": _names("algorithms", algorithms),
        "ks": list(ks) if ks is not None else None,
        "measures": list(measures) if measures is not None else None,
        "quasi_counts": list(quasi_counts) if quasi_counts is not None else None,
        "quasi_k": quasi_k,
        "rows": rows,
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
    said, tables = asked._said_of(data)
    tell, close = shown(progress)
    try:
        summary, text = _throng.sql(said, tables, table, release, dialect, tell)
    finally:
        close()
    if text is None:
        _judged(summary)
        raise Infeasible("nothing may be released", kind="infeasible")
    return text


def _target(output: Path | None) -> Path:
    """Where a release goes: what nobody said a place for stays in memory."""
    return output if output is not None else RELEASE


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
        problem += f"; k = {summary.k} is possible" if summary.k else ""
    error = Infeasible(problem, kind=summary.outcome)
    error.summary = summary
    raise error


def _is_of_columns(summary: Summary) -> bool:
    """Whether values are recoded whatever row they are in; a local recoding is not of that kind."""
    return summary.levels is not None or summary.raw.get("cuts") is not None


def _decided(summary: Summary) -> list[Any]:
    """What tells a release from another of the same table."""
    raw = summary.raw
    return [raw.get(key) for key in ("rows", "levels", "cuts", "suppressed_rows", "masked_rows", "achieved", "measures")]


def _recoding(job: Job, data: Data) -> str:
    """The text of the recoding of a job's release."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "saved.recoding.json")
        anonymize(data, job, recoding=place)
        with open(place, encoding="utf-8") as file:
            return file.read()


__all__ = ["FRAME", "Release", "anonymize", "apply", "attack", "check", "compare", "evaluate", "frontier", "init", "profile", "sql"]
