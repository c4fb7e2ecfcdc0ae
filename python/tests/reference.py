"""Writes the reference of the guide from the docstrings: python tests/reference.py > ../docs/python-reference.md"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from typing import Any

import throng

HEAD = """# Reference of the Python package

Every public name of the package `throng`, from its docstrings; [From Python](python.md) explains how they work together.
`python/tests/reference.py` writes this page, and a test compares the two. A table (`Data`) is a frame of pandas, polars, pyarrow or
DuckDB, anything that has `__arrow_c_stream__`, or the path or [address](databases.md) of a table.
"""

SECTIONS = {
    "Questions": ["anonymize", "apply", "check", "profile", "init", "attack", "frontier", "compare", "evaluate", "sql"],
    "Answers": ["Release", "Summary", "Requirement", "Check", "Profile", "Attack", "Frontier", "Comparison", "Evaluation"],
    "Jobs and tables": ["Job", "Table"],
    "Hierarchies": [
        "Hierarchy", "hierarchy", "intervals", "mask", "dates", "groups", "auto", "ranges", "means", "medians", "sets", "prefixes",
    ],
    "Models": [
        "require", "Require", "k_anonymity", "distinct_l", "entropy_l", "recursive_cl", "p_sensitive", "alpha_k", "t_closeness",
        "beta_likeness", "delta_disclosure", "k_map", "estimated_k_map", "population_uniqueness", "delta_presence", "average_risk", "max_risk",
    ],
    "scikit-learn": ["Anonymizer"],
    "Exceptions": ["ThrongError", "BadInput", "Infeasible", "MachineFailed"],
}  # fmt: skip


def markdown(doc: str | None) -> str:
    """A docstring as Markdown: examples as code, names of other things without their markup."""
    text = inspect.cleandoc(doc or "")
    text = re.sub(r":\w+:`~?(?:throng\.)?(?:_\w+\.)?([\w.]+)`", r"`\1`", text).replace("``", "`")
    parts = re.split(r"\n\n", text)
    shown = [f"```pycon\n{part}\n```" if part.startswith(">>>") else part for part in parts]
    return "\n\n".join(shown)


def signature(of: Any, name: str) -> str:
    told = re.sub(r"\b_throng\.", "", str(inspect.signature(of)).replace("'", ""))
    told = told.replace("(self, ", "(").replace("(self)", "()").replace(" -> None", "")
    # Defaults that are text keep their quotes.
    for parameter in inspect.signature(of).parameters.values():
        if isinstance(parameter.default, str):
            told = told.replace(f"{parameter.name}: {parameter.annotation} = {parameter.default}",
                                f"{parameter.name}: {parameter.annotation} = {parameter.default!r}")  # fmt: skip
    line = f"{name}{told}"
    if len(line) <= 110:
        return line
    inner, _, result = line[len(name) + 1 :].rpartition(")")
    # A line is only broken between parameters.
    whole = re.sub(r" (?=[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*$)", "\0", inner).replace(",\0", ", ").replace("\0", "\xa0")
    whole = re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", "\xa0"), whole)
    filled = textwrap.fill(whole, 100, break_long_words=False, break_on_hyphens=False).replace("\xa0", " ")
    return f"{name}(\n{textwrap.indent(filled, '    ')}\n){result}"


def attributes(of: type) -> list[str]:
    """The fields of a dataclass, with what the comment above each says."""
    if not dataclasses.is_dataclass(of):
        return []
    source, said, lines = inspect.getsource(of).splitlines(), [], []
    for line in source:
        comment = re.match(r"\s+#: (.*)", line)
        field = re.match(r"\s{4}(\w+): ([^=]+?)(?: = .*)?$", line)
        if comment:
            said.append(comment[1])
        elif field:
            lines.append(f"- `{field[1]}: {field[2]}`" + (f": {markdown(' '.join(said))}" if said else ""))
            said = []
    return lines


def methods(of: type) -> list[str]:
    """The public methods that a class itself has."""
    parts = []
    for name, member in vars(of).items():
        inner = getattr(member, "__func__", member)
        if name.startswith("_") or not callable(inner) or dataclasses.is_dataclass(inner):
            continue
        parts.append(f"**`.{signature(getattr(of, name), name)}`**\n\n{markdown(inner.__doc__)}".replace("\n)`", ")`"))
    return parts


def entry(name: str) -> str:
    of = getattr(throng, name)
    parts = [f"### {name}"]
    if not inspect.isclass(of):
        parts.append(f"```python\n{signature(of, f'throng.{name}')}\n```")
    elif not issubclass(of, Exception) and name in ("Job", "Table", "Anonymizer"):
        parts.append(f"```python\n{signature(of, f'throng.{name}')}\n```")
    parts.append(markdown(of.__doc__))
    if inspect.isclass(of):
        fields = attributes(of)
        parts += ["\n".join(fields)] if fields else []
        parts += [re.sub(r"\s*\n\s*", " ", part.split("\n\n")[0]) + part[len(part.split("\n\n")[0]) :] for part in methods(of)]
    return "\n\n".join(parts)


def page() -> str:
    parts = [HEAD]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [f"{entry(name)}\n" for name in names]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
