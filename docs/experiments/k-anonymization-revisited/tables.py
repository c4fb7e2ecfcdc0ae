#!/usr/bin/env python3
"""Brings the tables of k-anonymization-revisited.md up to date: tables.py RESULTS

RESULTS has the comparisons of run.sh. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
import json
import pathlib
import re
import sys

KS = [5, 10, 15, 20]
DATASETS = [("art", "ART"), ("adult", "ADT"), ("cmc", "CMC")]
MEASURES = ["entropy", "lm"]
ROWS = {"art": 5000, "adult": 5000, "cmc": 1473}

# Table I of the paper.
PAPER = {
    ("art", "entropy"): ([0.65, 0.98, 1.13, 1.22], [0.89, 1.25, 1.42, 1.51], [0.53, 0.83, 0.99, 1.08]),
    ("adult", "entropy"): ([0.66, 0.93, 1.08, 1.18], [1.02, 1.45, 1.63, 1.73], [0.50, 0.75, 0.90, 1.00]),
    ("cmc", "entropy"): ([0.67, 0.95, 1.08, 1.20], [0.99, 1.31, 1.46, 1.53], [0.54, 0.80, 0.98, 1.10]),
    ("art", "lm"): ([0.12, 0.19, 0.23, 0.25], [0.15, 0.24, 0.28, 0.31], [0.10, 0.16, 0.19, 0.22]),
    ("adult", "lm"): ([0.14, 0.20, 0.24, 0.26], [0.22, 0.37, 0.46, 0.53], [0.09, 0.13, 0.16, 0.18]),
    ("cmc", "lm"): ([0.14, 0.21, 0.25, 0.28], [0.19, 0.31, 0.40, 0.44], [0.11, 0.17, 0.20, 0.23]),
}


class Trials:
    """The trials of one dataset that minimised one measure."""

    def __init__(self, rows, measure):
        self.measure = measure
        self.rows = [row for row in rows if row["minimised"] == measure and row["sweep"] == "k"]

    def contenders(self):
        return list(dict.fromkeys(row["contender"] for row in self.rows))

    def of(self, contender, column=None):
        found = {int(row["k"]): row for row in self.rows if row["contender"] == contender}
        return [float(found[k][column or self.measure]) for k in KS]

    def best(self, of):
        """The contender of the least sum of losses, among those with this in their names."""
        # The distance of Nergiz and Clifton is not among the paper's own.
        names = [name for name in self.contenders() if of in name and "nergiz" not in name]
        return min(names, key=lambda name: sum(self.of(name)))

    def shown(self):
        """What Table I shows: best k-anon, forest and (k,k)-anon."""
        return [self.best("agglomerative"), self.best("forest"), self.best("notion=kk")]


def table(head, lines):
    rule = ["---:" if cell.isdigit() else "---" for cell in head]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *lines])


def percent(value, base):
    return f"{100 * (value / base - 1):+.1f} %".replace("-", "−")


HEAD = ["", "", *map(str, KS)]
EACH = [(name, title, measure) for measure in MEASURES for name, title in DATASETS]


def table_one(trials):
    lines = []
    for name, title, measure in EACH:
        for variant in ["printed-", ""]:
            of = trials[variant + name, measure]
            for contender, paper in zip(of.shown(), PAPER[name, measure]):
                losses = zip(of.of(contender), paper)
                cells = [f"{ours:.4f} ({theirs:.2f}, {percent(ours, theirs)})" for ours, theirs in losses]
                lines.append([f"{title} {measure}", f"`{contender}`", *cells])
    return table(HEAD, lines)


def improvements(trials):
    lines = []
    few = [("few", "four columns", measure) for measure in MEASURES]
    for name, title, measure in EACH + few:
        ours, printed = trials[name, measure], trials["printed-" + name, measure]
        whole = "expansion:notion=global-1k"
        pairs = [*zip(ours.shown(), printed.shown()), (whole, whole + "+variant=printed")]
        for label, (one, other) in zip(["agglomerative", "forest", "(k,k)", "global (1,k)"], pairs):
            changes = zip(ours.of(one), printed.of(other))
            lines.append([f"{title} {measure}", label, *(percent(a, b) for a, b in changes)])
    return table(HEAD, lines)


def differences(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials["printed-" + name, measure]
        agglomerative, forest, kk = map(of.of, of.shown())
        improved = trials[name, measure]
        best = improved.of(improved.shown()[0])
        pairs = [
            ("agglomerative against forest, printed", agglomerative, forest),
            ("(k,k) against agglomerative, printed", kk, agglomerative),
            ("sequential against agglomerative, improved", improved.of("sequential"), best),
        ]
        for label, one, other in pairs:
            lines.append([f"{title} {measure}", label, *(percent(a, b) for a, b in zip(one, other))])
    return table(HEAD, lines)


def contenders(trials, name, measure):
    lines = []
    for variant in ["", "printed-"]:
        of = trials[variant + name, measure]
        for contender in of.contenders():
            lines.append([f"`{contender}`", *(f"{loss:.4f}" for loss in of.of(contender))])
    return table(HEAD[1:], lines)


def matches(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials["printed-" + name, measure]
        kk, whole = "expansion:notion=kk+variant=printed", "expansion:notion=global-1k+variant=printed"
        degrees = [neighbours / k for neighbours, k in zip(of.of(kk, "mean_neighbours"), KS)]
        below = of.of(kk, "rows_below_k_matches")
        lines += [
            [f"{title} {measure}", "mean degree / k", *(f"{degree:.2f}" for degree in degrees)],
            ["", "rows with fewer than k matches", *(f"{100 * rows / ROWS[name]:.1f} %" for rows in below)],
            ["", "loss that Algorithm 6 adds", *(percent(a, b) for a, b in zip(of.of(whole), of.of(kk)))],
        ]
    return table(HEAD, lines)


def steps(results):
    lines = []
    for name, title in [("art", "ART"), ("cmc", "CMC")]:
        for measure in MEASURES:
            taken = [json.loads((results / f"steps-{name}-{measure}-{k}.json").read_text()) for k in KS]
            taken = [summary["search"]["matching_steps"] for summary in taken]
            lines.append([f"{title} {measure}", *(" + ".join(map(str, of)) for of in taken)])
    return table(HEAD[1:], lines)


def sequential(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials[name, measure]
        others = [contender for contender in of.contenders() if contender.startswith("agglomerative")]
        losses = {contender: of.of(contender) for contender in others}
        best = [min(others, key=lambda contender: losses[contender][at]) for at in range(len(KS))]
        short = [contender.removeprefix("agglomerative:distance=") for contender in best]
        saved = [percent(ours, losses[b][at]) for at, (ours, b) in enumerate(zip(of.of("sequential"), best))]
        lines += [
            [f"{title} {measure}", "best distance", *short],
            ["", "loss of `sequential` against it", *saved],
        ]
    return table(HEAD, lines)


def main(results):
    trials = {}
    for name in [prefix + name for prefix in ["", "printed-"] for name, _ in [*DATASETS, ("few", "")]]:
        with open(results / f"{name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for measure in MEASURES:
            trials[name, measure] = Trials(rows, measure)
    page = pathlib.Path(__file__).parent.with_suffix(".md")
    text = page.read_text()
    made = {make.__name__: make(trials) for make in [table_one, improvements, differences, matches, sequential]}
    made |= {f"{title} {measure}": contenders(trials, name, measure) for name, title, measure in EACH}
    made["steps"] = steps(results)
    for name, lines in made.items():
        mark = f"<!-- {name} -->"
        assert mark in text, mark
        block = f"{mark}\n{lines}\n<!-- end -->"
        text = re.sub(re.escape(mark) + r".*?<!-- end -->", lambda _: block, text, flags=re.DOTALL)
    page.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
