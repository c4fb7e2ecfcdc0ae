#!/usr/bin/env python3
"""Brings the tables of improved-greedy.md up to date: tables.py RESULTS

RESULTS has the comparisons of run.sh. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
import pathlib
import re
import statistics
import sys

PAGE = pathlib.Path(__file__).resolve().parent.with_suffix(".md")
KS = [2, 5, 10, 20, 50, 100]
SETS = ["meaning", "relationship", *(f"chance-{seed}" for seed in range(1, 9))]
PROSE = "improved-greedy:variant=printed+reading=prose"
CONTENDERS = ["datafly", "improved-greedy", PROSE, "samarati", "flash"]
HEAD = ["`datafly`", "`improved-greedy`", "the same, section 4", "`samarati`", "`flash`"]
LIMITS = {"0": "none suppressed", "1": "1 %"}


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


class Compared:
    """What was found, by name of the table, limit, contender and k or number of quasi-identifiers."""

    def __init__(self, results):
        self.found = {}
        for name in [*SETS, "donors"]:
            for limit in LIMITS:
                with open(results / f"{name}-{limit}.csv", newline="") as file:
                    for row in csv.DictReader(file):
                        at = row["quasi_identifiers"] if row["sweep"] == "quasi_identifiers" else row["k"]
                        self.found[name, limit, row["sweep"], row["contender"], int(at)] = row

    def of(self, name, limit, contender, k, sweep="k"):
        return self.found[name, limit, sweep, contender, k]

    def loss(self, *cell):
        return float(self.of(*cell)["iloss"])

    def level(self, *cell):
        return sum(map(int, self.of(*cell)["levels"].split()))

    def ratio(self, name, limit, contender, k, to="flash"):
        return self.loss(name, limit, contender, k) / self.loss(name, limit, to, k)


def losses(found, name):
    rows = []
    for limit, title in LIMITS.items():
        for k in KS:
            cells = [f"{found.loss(name, limit, c, k):,.0f} ({found.ratio(name, limit, c, k):.2f})" for c in CONTENDERS[:-1]]
            rows.append([title, k, *cells, f"{found.loss(name, limit, 'flash', k):,.0f}"])
    return table(["suppression", "k", *HEAD], rows)


def nodes_and_levels(found, name):
    rows = []
    for limit, title in LIMITS.items():
        for k in KS:
            cells = [
                f"{int(found.of(name, limit, c, k)['checked_nodes']):,} ({found.level(name, limit, c, k)})" for c in CONTENDERS
            ]
            rows.append([title, k, *cells])
    return table(["suppression", "k", *HEAD], rows)


def ratios(found):
    """Loss over the least, by k: the mean of all sets, and the least and the most."""
    rows = []
    for limit, title in LIMITS.items():
        for k in KS:
            cells = []
            for contender in CONTENDERS[:-1]:
                all_sets = [found.ratio(name, limit, contender, k) for name in SETS]
                cells.append(f"{statistics.mean(all_sets):.2f} ({min(all_sets):.2f} to {max(all_sets):.2f})")
            rows.append([title, k, *cells])
    return table(["suppression", "k", *HEAD[:-1]], rows)


PAIRS = [
    ("improved-greedy", "datafly"),
    ("improved-greedy", "samarati"),
    ("datafly", "samarati"),
    (PROSE, "improved-greedy"),
    (PROSE, "datafly"),
    (PROSE, "samarati"),
]


def signs(differences):
    """How many are below zero, zero, and above."""
    counts = [sum(d < 0 for d in differences), sum(d == 0 for d in differences), sum(d > 0 for d in differences)]
    return ", ".join(map(str, counts))


def duels(found):
    """How often one loses less than another, or is lower."""
    rows = []
    for limit, title in LIMITS.items():
        for one, other in PAIRS:
            cells = [(name, k) for name in SETS for k in KS]
            loss = [found.loss(name, limit, one, k) - found.loss(name, limit, other, k) for name, k in cells]
            level = [found.level(name, limit, one, k) - found.level(name, limit, other, k) for name, k in cells]
            ratio = statistics.mean(found.ratio(name, limit, one, k, other) for name, k in cells)
            pair = " against ".join("section 4" if name == PROSE else f"`{name}`" for name in (one, other))
            rows.append([f"{pair}, {title}", signs(loss), f"{ratio:.2f}", signs(level), f"{statistics.mean(level):+.1f}"])
    head = ["", "loses less, the same, more", "loss, mean ratio", "lower, the same, higher", "levels, mean difference"]
    return table(head, rows)


def attributes(found):
    """Nodes that are checked, by number of quasi-identifiers: the mean of all sets."""

    def mean(limit, contender, count, key="checked_nodes"):
        cells = [(name, limit, contender, count, "quasi_identifiers") for name in SETS]
        return f"{statistics.mean(int(found.of(*cell)[key]) for cell in cells):,.0f}"

    rows = []
    for limit, title in LIMITS.items():
        for count in range(3, 9):
            lattice = mean(limit, "flash", count, "lattice_nodes")
            rows.append([title, count, lattice, *(mean(limit, contender, count) for contender in CONTENDERS)])
    return table(["suppression", "quasi-identifiers", "lattice", *HEAD], rows)


def main(results):
    found = Compared(results)
    contents = {
        "meaning-loss": losses(found, "meaning"),
        "meaning-nodes": nodes_and_levels(found, "meaning"),
        "ratios": ratios(found),
        "duels": duels(found),
        "attributes": attributes(found),
        "donors-loss": losses(found, "donors"),
        "donors-nodes": nodes_and_levels(found, "donors"),
    }
    text = PAGE.read_text()
    for name, content in contents.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        assert re.search(pattern, text, flags=re.S), name
        text = re.sub(pattern, lambda old: old[1] + content + old[2], text, flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
