#!/usr/bin/env python3
"""Brings the tables of k-anonymization-revisited.md up to date: tables.py RESULTS

RESULTS has the comparisons of run.sh. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
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

    def best(self, group):
        return next(row["contender"] for row in self.rows if row["best"] == f"best({group})")


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
        of = trials[name, measure]
        shown = [of.best("agglomerative"), "forest", of.best("kk")]
        for contender, paper in zip(shown, PAPER[name, measure]):
            losses = zip(of.of(contender), paper)
            cells = [f"{ours:.4f} ({theirs:.2f}, {percent(ours, theirs)})" for ours, theirs in losses]
            lines.append([f"{title} {measure}", f"`{contender}`", *cells])
    return table(HEAD, lines)


def differences(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials[name, measure]
        agglomerative = of.of(of.best("agglomerative"))
        pairs = [
            ("agglomerative against forest", agglomerative, of.of("forest")),
            ("(k,k) against agglomerative", of.of(of.best("kk")), agglomerative),
            ("sequential against agglomerative", of.of("sequential"), agglomerative),
        ]
        for label, one, other in pairs:
            lines.append([f"{title} {measure}", label, *(percent(a, b) for a, b in zip(one, other))])
    return table(HEAD, lines)


def contenders(trials):
    parts = []
    for name, title, measure in EACH:
        of = trials[name, measure]
        lines = []
        for contender in of.contenders():
            pairs = zip(of.of(contender), of.of(contender, "seconds"))
            lines.append([f"`{contender}`", *(f"{loss:.4f} ({1000 * s:.0f})" for loss, s in pairs)])
        parts.append(f"{title}, {measure}:\n\n" + table(HEAD[1:], lines))
    return "\n\n".join(parts)


def matches(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials[name, measure]
        kk, whole = "expansion:notion=kk", "expansion:notion=global-1k"
        degrees = [neighbours / k for neighbours, k in zip(of.of(kk, "mean_neighbours"), KS)]
        below = of.of(kk, "rows_below_k_matches")
        seconds = zip(of.of(kk, "seconds"), of.of(whole, "seconds"))
        lines += [
            [f"{title} {measure}", "mean degree / k", *(f"{degree:.2f}" for degree in degrees)],
            ["", "rows with fewer than k matches", *(f"{100 * rows / ROWS[name]:.1f} %" for rows in below)],
            ["", "loss that Algorithm 6 adds", *(percent(a, b) for a, b in zip(of.of(whole), of.of(kk)))],
            ["", "ms without and with it", *(f"{1000 * a:.0f}, {1000 * b:.0f}" for a, b in seconds)],
        ]
    return table(HEAD, lines)


def sequential(trials):
    lines = []
    for name, title, measure in EACH:
        of = trials[f"beyond-{name}", measure]
        others = [contender for contender in of.contenders() if contender != "sequential"]
        losses = {contender: of.of(contender) for contender in others}
        best = [min(others, key=lambda contender: losses[contender][at]) for at in range(len(KS))]
        short = [contender.removeprefix("agglomerative:distance=") for contender in best]
        saved = [percent(ours, losses[b][at]) for at, (ours, b) in enumerate(zip(of.of("sequential"), best))]
        seconds = of.of("sequential", "seconds")
        ratios = [f"{seconds[at] / of.of(b, 'seconds')[at]:.1f}" for at, b in enumerate(best)]
        lines += [
            [f"{title} {measure}", "best distance", *short],
            ["", "loss of `sequential` against it", *saved],
            ["", "time of `sequential` over its", *ratios],
        ]
    return table(HEAD, lines)


def main(results):
    trials = {}
    for name in [prefix + name for prefix in ["", "beyond-"] for name, _ in DATASETS]:
        with open(results / f"{name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for measure in MEASURES:
            trials[name, measure] = Trials(rows, measure)
    page = pathlib.Path(__file__).parent.with_suffix(".md")
    text = page.read_text()
    for make in [table_one, differences, contenders, matches, sequential]:
        mark = f"<!-- {make.__name__} -->"
        assert mark in text, mark
        made = f"{mark}\n{make(trials)}\n<!-- end -->"
        text = re.sub(re.escape(mark) + r".*?<!-- end -->", lambda _: made, text, flags=re.DOTALL)
    page.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
