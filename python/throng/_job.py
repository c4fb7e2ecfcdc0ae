"""Jobs: what keywords and job files say, and the tables they refer to."""

from __future__ import annotations

import copy
import datetime
import difflib
import json
import math
import os
from collections.abc import Mapping
from typing import Any

from . import _throng
from ._errors import BadInput
from ._files import lines_of, refuse_taken, write_new
from ._frames import Data, is_place, table_of
from ._hierarchies import Hierarchy, hierarchy
from ._models import Require
from ._summary import html_table

#: The keywords of roles, and the role of each.
ROLES = {"quasi": "quasi", "sensitive": "sensitive", "identifier": "identifier", "target": "target", "other": "other"}
PRIVACY = ("k", "suppression", "notion", "person", "sampling_fraction", "sampling_weight", "household")
SEARCH = (
    "algorithm",
    "measure",
    "mean",
    "suppress_or_generalise",
    "seed",
    "time_limit",
    "accept_any",
    "start",
    "threads",
    "memory_limit",
)
OUTPUT = ("suppressed", "order", "encoding", "recoding", "replace", "rows_per_file", "format")
TABLES = ("csv", "xlsx", "engine", "statement", "frontier")
REST = ("rest", "require", "policy")


class Job:
    """A job: what each column is, what must hold, and how to search; the keys of a job file.

    >>> job = Job(quasi={"age": None}, sensitive=["illness"], k=5)
    >>> job.keys["privacy"]
    {'k': 5}
    """

    def __init__(self, **keywords: Any) -> None:
        #: What a job file would say, as dictionaries: to be looked at and changed.
        self.keys: dict[str, Any] = {}
        #: What :func:`throng.init` decided, if the job is from there, and the text of the job file with the reasons.
        self.decided: Any = None
        self.text: str | None = None
        #: Tables of this process that the keys name.
        self.tables: dict[str, _throng.Table] = {}
        self.update(**keywords)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Job:
        """Reads a job file. Its paths are relative to the file."""
        job = cls()
        job.keys = json.loads(_throng.read_job(os.fspath(path)))
        return job

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a job file; hierarchies given as rows go into files beside it. No existing file is replaced.

        A job file names its table, which a frame cannot: if the job was made for one, the file says ``data.csv``.
        """
        path = os.fspath(path)
        keys = copy.deepcopy(self.keys)
        keys.setdefault("input", "data.csv")
        keys.setdefault("columns", {})
        keys.setdefault("privacy", {})
        folder, name = os.path.split(path)
        beside = os.path.splitext(name)[0] + "-hierarchies"
        files: dict[str, str] = {}
        for column, said in keys.get("columns", {}).items():
            table = self.tables.get(said.get("hierarchy", "")) if isinstance(said.get("hierarchy"), str) else None
            if table is not None:
                at = f"{beside}/{len(files) + 1}-{''.join(c if c.isalnum() else '-' for c in column)}.csv"
                files[os.path.join(folder, at)] = lines_of(_throng.rows_of_hierarchy(table))
                said["hierarchy"] = at
        text = _throng.write_job(_said(keys))
        for place in [*files, path]:
            refuse_taken(place)
        if files:
            os.makedirs(os.path.join(folder, beside), exist_ok=True)
        for place, lines in [*files.items(), (path, text)]:
            write_new(place, lines)

    def copy(self) -> Job:
        """A copy of the job that can be changed independently."""
        job = Job()
        job.keys, job.tables = copy.deepcopy(self.keys), dict(self.tables)
        return job

    def update(self, **keywords: Any) -> Job:
        """Adds or changes keys, by the keywords of :func:`throng.anonymize`."""
        settings = _settings()
        known = [*ROLES, *PRIVACY, *SEARCH, *OUTPUT, *TABLES, *REST, *settings]
        for name, value in keywords.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean '{near[0]}'?" if near else None
                raise BadInput(f"unknown keyword '{name}'" + (f"; {hint}" if hint else ""), hint=hint)
            if value is None:
                continue
            if name in ROLES:
                self._set_role(name, value)
            elif name == "rest":
                self._columns()["*"] = {"role": value}
            elif name == "policy":
                self.keys["policy"] = value
            elif name == "require":
                given = [value] if isinstance(value, (Require, Mapping)) else list(value)
                self._section("privacy")["require"] = [self._require(one) for one in given]
            elif name in PRIVACY:
                self._section("privacy")[name] = _number(name, value)
            elif name in OUTPUT:
                self._output()[name] = os.fspath(value) if name == "recoding" else value
            elif name in TABLES:
                if not isinstance(value, Mapping):
                    raise BadInput(f"{name} is a {type(value).__name__}; it must be a dictionary")
                self.keys["release" if name == "statement" else name] = dict(value)
            else:
                value = os.fspath(value) if name == "start" else value
                self._section("search")[name] = _number(name, value)
        return self

    def _section(self, name: str) -> dict[str, Any]:
        section: dict[str, Any] = self.keys.setdefault(name, {})
        return section

    def _columns(self) -> dict[str, Any]:
        return self._section("columns")

    def _output(self) -> dict[str, Any]:
        output = self.keys.get("output", {})
        self.keys["output"] = output if isinstance(output, dict) else {"path": output}
        said: dict[str, Any] = self.keys["output"]
        return said

    def _set_role(self, role: str, said: Any) -> None:
        if isinstance(said, str):
            said = [said]
        if not isinstance(said, Mapping):
            try:
                said = dict.fromkeys(said)
            except TypeError:
                raise BadInput(
                    f"{role} must be names of columns: a list of text, or a dictionary with a hierarchy for each name",
                    hint='quasi=["age", "zip"] or quasi={"age": throng.intervals(10)}',
                ) from None
        for name, told in said.items():
            if not isinstance(name, str):
                raise BadInput(f"{role}: a column's name is a {type(name).__name__}; names must be text")
            if name in self._columns() and self._columns()[name]["role"] != role:
                was = self._columns()[name]["role"]
                raise BadInput(f"column '{name}' is both {was} and {role}; a column can have only one role", column=name)
            self._columns()[name] = {"role": role, **self._column(name, told)}

    def _column(self, name: str, told: Any) -> dict[str, Any]:
        if told is None:
            return {}
        if isinstance(told, Mapping):
            keys = dict(told)
            if "hierarchy" in keys and not isinstance(keys["hierarchy"], (str, dict)):
                keys.update(self._hierarchy(name, keys.pop("hierarchy")))
            return keys
        return self._hierarchy(name, told)

    def _hierarchy(self, column: str, told: Any) -> dict[str, Any]:
        found = told if isinstance(told, Hierarchy) else hierarchy(told)
        if found.given is None:
            return {found.key: found.builder}
        name = f"<hierarchy of {column}>"
        self.tables[name] = _throng.Table.of_rows(name, [list(row) for row in found.given])
        return {"hierarchy": name}

    def _require(self, one: Require | Mapping[str, Any]) -> dict[str, Any]:
        if isinstance(one, Mapping):
            return dict(one)
        said = {name: _number(name, value) for name, value in one.parameters.items() if name != "population"}
        population = one.parameters.get("population")
        if population is not None:
            if is_place(population):
                said["population"] = os.fspath(population)
            else:
                said["population"] = "<population>"
                self.tables["<population>"] = table_of(population, "<population>")
        if one.column is not None:
            said["column"] = one.column
        if one.shield is not None:
            said["shield"] = list(one.shield)
        return {"model": one.model, **said}

    def _said_of(self, data: Data, output: str | os.PathLike[str] | None = None) -> tuple[str, dict[str, _throng.Table]]:
        """The job as JSON with its tables, for some data; without an output, what is asked makes no release."""
        keys, tables = copy.deepcopy(self.keys), dict(self.tables)
        keys["input"] = name_of(data, tables)
        said = keys.pop("output", {})
        said = dict(said) if isinstance(said, dict) else {}
        said.pop("path", None)
        if output is not None:
            said["path"] = os.fspath(output)
        if said:
            keys["output"] = said
        keys.setdefault("columns", {})
        keys.setdefault("privacy", {})
        return _said(keys), tables

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.keys == other.keys and self.tables.keys() == other.tables.keys()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Job({self.keys!r})"

    def __getstate__(self) -> dict[str, Any]:
        """What is kept of a job: its keys. Tables of this process stay where they are."""
        return {**self.__dict__, "tables": {}}

    def _repr_html_(self) -> str:
        columns = self.keys.get("columns", {})
        rows = [(name, f"{said.get('role')}{_generalised(said)}") for name, said in columns.items()]
        rows += [(name, value) for name, value in self.keys.get("privacy", {}).items()]
        return html_table(rows)


def _generalised(said: Mapping[str, Any]) -> str:
    """How a job generalises a column, in few words."""
    how = said.get("hierarchy", said.get("generalise"))
    return f": {how}" if how is not None else ""


#: What jobs call the frame, the release that becomes one, and a frame of people who were left out.
FRAME, RELEASE, CONTROL = "<frame>", "<release>", "<control>"


def name_of(data: Data, tables: dict[str, _throng.Table], name: str = FRAME) -> str:
    """What a job calls some data, which is put among the tables unless it is a path."""
    if is_place(data):
        return os.fspath(data)
    tables[name] = table_of(data, name)
    return name


def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(_throng.registry())["settings"]
    return settings


def _number(name: str, value: Any) -> Any:
    """A number as JSON has it; those of numpy are none."""
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{name} is {value}; it must be a number", hint="it must be a number")
    if name == "k" and (isinstance(value, (bool, str)) or value != int(value)):
        raise BadInput(f"k is {value}; it must be a whole number of at least 2", hint="it must be a whole number of at least 2")
    return int(value) if name == "k" else value


def _said(keys: dict[str, Any]) -> str:
    try:
        return json.dumps(keys, allow_nan=False, default=_plain)
    except (TypeError, ValueError):
        raise BadInput("a keyword has a value that a job cannot hold; use text, numbers, lists and dictionaries") from None


def _plain(value: Any) -> Any:
    """Numbers of numpy, dates and paths as JSON has them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError
