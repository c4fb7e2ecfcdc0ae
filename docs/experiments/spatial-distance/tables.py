#!/usr/bin/env python3
"""Brings the tables of spatial-distance.md up to date: tables.py RESULTS

RESULTS has the comparisons of run.sh. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
import json
import pathlib
import re
import statistics
import sys

KS = [2, 5, 10, 20, 30, 50]
DATA = pathlib.Path(__file__).resolve().parents[4] / "shared/data/adult/adult.csv"
SIZES = [500, 1000, 3000, 5000]
SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]
OPEN = "generalise=range-or-set:50"
SETS, FILES, TOOLBOX = "ranges and sets", "hierarchies", "toolbox"
SD = (SETS, "spatial-distance")

CONTENDERS = [
    SD,
    (SETS, "spatial-distance:variant=printed"),
    (SETS, "mondrian"),
    (SETS, "mondrian:variant=printed"),
    (SETS, "mondrian:variant=printed+relaxed"),
    (SETS, "mondrian:variant=printed+toolbox"),
    (SETS, "agglomerative"),
    (SETS, "sequential"),
    (FILES, "spatial-distance"),
    (FILES, "mondrian"),
    (FILES, "mondrian:variant=printed"),
    (FILES, "agglomerative"),
    (FILES, "incognito"),
    (FILES, "datafly"),
]
TOOLBOX_MONDRIAN = [(TOOLBOX, "label"), (TOOLBOX, "content")]
TITLES = {
    (TOOLBOX, "label"): "Mondrian as in the toolbox, by its intervals",
    (TOOLBOX, "content"): "the same, by what the classes contain",
}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def both(results, name):
    """A comparison of the algorithms as they are here, and of those as printed."""
    return read(results / f"{name}.csv") + read(results / f"printed-{name}.csv")


def split(contender):
    """How a contender generalises, and the rest of its name."""
    plain = re.sub(f"[:+]{re.escape(OPEN)}$", "", contender)
    return FILES if plain == contender else SETS, plain


class Losses:
    """NCP of every contender, by sample and k."""

    def __init__(self, results):
        self.ncp, self.unique = {}, {}
        for size in SIZES:
            for seed in SEEDS:
                self.read_sample(results, size, seed)

    def read_sample(self, results, size, seed):
        raw = read(results / f"raw-{size}-{seed}.csv")
        self.unique[size, seed] = int(raw[0]["suppressed_rows"])
        for row in both(results, f"{size}-{seed}"):
            at = split(row["contender"]), size, seed, int(row["k"])
            self.ncp[at] = float(row["ncp"])
        for row in read(results / f"{TOOLBOX}-{size}-{seed}.csv"):
            for contender in TOOLBOX_MONDRIAN:
                self.ncp[contender, size, seed, int(row["k"])] = float(row[contender[1]])

    def mean(self, contender, size, k):
        return statistics.mean(self.ncp[contender, size, seed, k] for seed in SEEDS)


def name(contender):
    return TITLES.get(contender) or f"`{contender[1]}`, {contender[0]}"


def table(head, lines):
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *lines])


def percent(value, base):
    return f"{100 * (value / base - 1):+.0f} %".replace("-", "−")


def figure_four(losses, _):
    parts = []
    for size in SIZES:
        lines = []
        for contender in CONTENDERS + TOOLBOX_MONDRIAN:
            lines.append([name(contender), *(f"{losses.mean(contender, size, k):.3f}" for k in KS)])
        parts.append(f"n = {size:,}:\n\n" + table(["", *map(str, KS)], lines))
    return "\n\n".join(parts)


def against(losses, _):
    lines = []
    for contender in CONTENDERS[1:] + TOOLBOX_MONDRIAN:
        for size in [SIZES[0], SIZES[-1]]:
            cells = [percent(losses.mean(SD, size, k), losses.mean(contender, size, k)) for k in KS]
            lines.append([name(contender), f"{size:,}", *cells])
    return table(["SD against", "n", *map(str, KS)], lines)


def wins(losses, _):
    def count(contender, size):
        cells = [(size, seed, k) for seed in SEEDS for k in KS]
        return sum(losses.ncp[(SD, *cell)] < losses.ncp[(contender, *cell)] for cell in cells)

    others = CONTENDERS[1:] + TOOLBOX_MONDRIAN
    lines = [[name(contender), *(str(count(contender, size)) for size in SIZES)] for contender in others]
    return table([f"SD loses less than, of {len(SEEDS) * len(KS)}", *(f"{size:,}" for size in SIZES)], lines)


def all_rows(_, results):
    rows = read(results / "printed-all.csv")
    contenders = dict.fromkeys(row["contender"] for row in rows)
    ks = sorted({int(row["k"]) for row in rows})
    ncp = {(row["contender"], int(row["k"])): float(row["ncp"]) for row in rows}
    lines = [[f"`{split(one)[1]}`", *(f"{ncp[one, k]:.3f}" for k in ks)] for one in contenders]
    return table(["", *map(str, ks)], lines)


def by_count(results):
    """NCP by contender, number of quasi-identifiers and seed."""
    ncp = {}
    for seed in SEEDS:
        for row in both(results, f"counts-{seed}"):
            if row["sweep"] == "quasi_identifiers":
                ncp[split(row["contender"])[1], int(row["quasi_identifiers"]), seed] = float(row["ncp"])
    return ncp


def attributes(_, results):
    ncp = by_count(results)
    counts = sorted({count for _, count, _ in ncp})
    cell = lambda one, count: f"{statistics.mean(ncp[one, count, seed] for seed in SEEDS):.4f}"
    lines = [[f"`{one}`", *(cell(one, count) for count in counts)] for one in dict.fromkeys(one for one, *_ in ncp)]
    return table(["", *map(str, counts)], lines)


def least(_, results):
    """In how many samples each contender loses least."""
    ncp = by_count(results)
    contenders, counts = list(dict.fromkeys(one for one, *_ in ncp)), sorted({count for _, count, _ in ncp})
    best = lambda count, seed: min(contenders, key=lambda one: ncp[one, count, seed])
    wins = lambda one, count: sum(best(count, seed) == one for seed in SEEDS)
    lines = [[f"`{one}`", *(str(wins(one, count)) for count in counts)] for one in contenders]
    return table([f"loses least, of {len(SEEDS)}", *map(str, counts)], lines)


def outliers(_, results):
    lines = [[row[name] for name in row] for row in read(results / "outliers.csv")]
    return table(["seed", "classes", "of more than 15", "records in these", "of the 50 outliers"], lines)


def penalty(label, domain):
    """NCP of a cell, by its label: a range, a set or a single value."""
    if "~" in label:
        low, high = label.split("~")
        return (int(high) - int(low)) / (max(map(int, domain)) - min(map(int, domain)))
    return (label.count(", ") + 1) / len(domain) if label.startswith("{") else 0


def columns(_, results):
    with open(DATA, newline="") as file:
        original = list(csv.DictReader(file, delimiter=";"))
    names = [name for name in original[0] if name != "salary-class"]
    domains = {name: {row[name] for row in original} for name in names}
    names.sort(key=lambda name: (name == "age", len(domains[name])))
    lines = []
    for algorithm in ["spatial-distance", "mondrian", "agglomerative"]:
        path = results / f"released-{algorithm}.csv"
        with open(path, newline="") as file:
            released = list(csv.DictReader(file, delimiter=";"))
        losses = [statistics.mean(penalty(row[n], domains[n]) for row in released) for n in names]
        reported = json.loads(path.with_suffix(".json").read_text())["measures"]["ncp"]
        assert abs(statistics.mean(losses) - reported) < 1e-9, algorithm
        lines.append([f"`{algorithm}`", *(f"{loss:.3f}" for loss in [*losses, reported])])
    return table(["", *(f"{name} ({len(domains[name])})" for name in names), "all"], lines)


def unique(losses, _):
    shares = [statistics.mean(losses.unique[size, seed] for seed in SEEDS) / size for size in SIZES]
    return table(["n", *(f"{size:,}" for size in SIZES)], [["unique", *(f"{100 * s:.0f} %" for s in shares)]])


def main(results):
    losses = Losses(results)
    page = pathlib.Path(__file__).resolve().parent.with_suffix(".md")
    text = page.read_text()
    for make in [unique, figure_four, against, wins, all_rows, attributes, least, columns, outliers]:
        mark = f"<!-- {make.__name__} -->"
        assert mark in text, mark
        made = f"{mark}\n{make(losses, results)}\n<!-- end -->"
        text = re.sub(re.escape(mark) + r".*?<!-- end -->", lambda _: made, text, flags=re.DOTALL)
    page.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
