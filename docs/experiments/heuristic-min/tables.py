#!/usr/bin/env python3
"""Brings the tables of heuristic-min.md up to date: tables.py RESULTS

RESULTS has what run.sh wrote. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
import json
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parent.with_suffix(".md")
DISTINCT = 18_109  # tuples of the eight quasi-identifiers in Adult
KS = ["5", "10", "25", "50"]
ORDER = [
    "heuristic-min",
    "cut-search",
    "top-down-specialization",
    "bottom-up-generalization",
    "samarati",
    "flash",
    "mondrian",
    "sequential",
]
HEAD = ["", "lm", "Prec", "rows", "row ratio", "naive Bayes", "forest", "second forest", "seconds"]


def read(path):
    """A comparison, by algorithm and k."""
    with open(path, newline="") as file:
        return {(row["contender"], row["k"]): row for row in csv.DictReader(file)}


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def share(number, digits=1):
    return f"{100 * float(number):.{digits}f} %"


def line(name, measures, right, seconds):
    classes = int(float(measures["classes"]))
    return [
        f"`{name}`",
        f"{float(measures['lm']):.3f}",
        f"{float(measures['prec']):.3f}",
        f"{classes:,}",
        share(classes / DISTINCT, 2),
        *map(share, right),
        f"{float(seconds):.3f}" if float(seconds) < 1 else f"{float(seconds):.1f}",
    ]


def without_suppression(found, forest):
    """One table for each k."""
    parts = []
    for k in KS:
        rows = []
        for name in ORDER:
            row = found[name, k]
            right = [row["naive-bayes"], row["random-forest"], forest[f"released/{name}-{k}.csv"]]
            rows.append(line(name, row, right, row["seconds"]))
        parts.append(f"k = {k}:\n\n" + table(HEAD, rows))
    return "\n".join(parts)


def with_suppression(found):
    """lm, rows and accuracy of naive Bayes, by k."""
    cell = lambda row: f"{float(row['lm']):.3f}, {int(float(row['classes'])):,}, {share(row['naive-bayes'])}"
    return table([""] + KS, [[f"`{name}`", *(cell(found[name, k]) for k in KS)] for name in ORDER])


def shields(directory, forest):
    rows = []
    for name in ORDER:
        found = json.loads((directory / f"{name}.json").read_text())
        judged = json.loads((directory / f"{name}-evaluate.json").read_text())
        right = [
            result["accuracy"]
            for result in judged["results"]
            if result["trained_on"] == "released" and not result["tested_on_original"]
        ]
        right.append(forest[f"shields/{name}.csv"])
        rows.append(line(name, found["measures"], right, found["seconds"]["search"]))
    return table(HEAD, rows)


def printed(results):
    """lm and rows of what is printed, by k."""
    found = read(results / "printed.csv")
    cell = lambda row: f"{float(row['lm']):.3f}, {int(float(row['classes'])):,}"
    names = dict.fromkeys(name for name, _ in found)
    return table([""] + KS, [[f"`{name}`", *(cell(found[name, k]) for k in KS)] for name in names])


def most(results, compared, suppressed):
    """The most rows: heuristic-min beside the cut search by `classes`."""
    load = lambda name: json.loads((results / "most" / f"{name}.json").read_text())
    seconds = lambda found: f"{found['seconds']['search']:.1f}{'' if found['optimal'] else ', no proof'}"
    shields = json.loads((results / "shields/heuristic-min.json").read_text())["measures"]
    cells = [(f"k = {k}", compared["heuristic-min", k], load(f"rows-{k}")) for k in KS]
    cells += [(f"k = {k}, 2 %", suppressed["heuristic-min", k], load(f"rows-2-{k}")) for k in KS]
    cells.append(("two shields", shields, load("shields")))
    rows = [
        [name, f"{int(float(own['classes'])):,}", f"{int(found['measures']['classes']):,}", seconds(found)]
        for name, own, found in cells
    ]
    return table(["", "`heuristic-min`, 10 s", "`cut-search` by `classes`", "seconds"], rows)


def telling(results, forest):
    """The cut search by `cm`."""
    rows = []
    for k in KS:
        found = json.loads((results / f"most/cm-{k}.json").read_text())
        judged = json.loads((results / f"most/cm-{k}-evaluate.json").read_text())
        bayes = next(
            result["accuracy"]
            for result in judged["results"]
            if (result["classifier"], result["trained_on"]) == ("naive-bayes", "released")
            and not result["tested_on_original"]
        )
        measures = found["measures"]
        rows.append([k, f"{measures['lm']:.3f}", f"{int(measures['classes'])}", share(measures["cm"]), share(bayes),
                     share(forest[f"most/cm-{k}.csv"])])
    return table(["k", "lm", "rows", "cm", "naive Bayes", "second forest"], rows)


def after(results):
    rows = []
    for limit in ("1", "10", "60"):
        found = json.loads((results / f"after-{limit}.json").read_text())
        measures, states, taken = found["measures"], found["search"]["checked_nodes"], found["seconds"]["search"]
        rows.append([limit, f"{int(measures['classes']):,}", f"{measures['lm']:.3f}", f"{states:,}", f"{states / taken:,.0f}"])
    return table(["seconds", "rows", "lm", "states", "states per second"], rows)


def main(results):
    forest = json.loads((results / "forest.json").read_text())
    compared, suppressed = read(results / "adult.csv"), read(results / "adult-2.csv")
    found = {
        "none": without_suppression(compared, forest),
        "printed": printed(results),
        "two_per_cent": with_suppression(suppressed),
        "most": most(results, compared, suppressed),
        "telling": telling(results, forest),
        "shields": shields(results / "shields", forest),
        "after": after(results),
    }
    text = PAGE.read_text()
    for name, content in found.items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda old: old[1] + content + old[2], text, flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
