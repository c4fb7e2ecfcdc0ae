#!/usr/bin/env python3
"""Mondrian the way the UTD toolbox has it, on the samples of run.sh: toolbox.py RESULTS

Categories are numbers in the order of their hierarchy, an attribute can only be cut at its median,
and the released interval is what the cuts leave of the domain, not what the rows of the class span.
Writes toolbox-ROWS-SEED.csv with the NCP of the released intervals (`label`) and of the values that
the classes contain (`content`, equations 2 and 3 by the letter).
"""

import csv
import math
import pathlib
import sys
from collections import Counter

KS = [2, 5, 10, 20, 30, 50]
DATA = pathlib.Path(__file__).resolve().parents[4] / "shared/data/adult"
COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
AGES = (0, 99)
MASK = (1 << 64) - 1


def key(seed, row):
    x = (seed * 0x9E3779B97F4A7C15 & MASK) ^ ((row + 1) * 0xD1342543DE82EF95 & MASK)
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def sample(rows, wanted, seed):
    """The rows that `throng compare --rows --seed` takes."""
    chosen = []
    for left, row in zip(range(len(rows), 0, -1), sorted(rows)):
        if key(seed, left) * left >> 64 < wanted - len(chosen):
            chosen.append(row)
    return chosen


def bits(rows):
    """Mean over the columns of the entropy of their values."""
    counts = [Counter(column) for column in zip(*rows)]
    entropy = [-sum(n / len(rows) * math.log2(n / len(rows)) for n in c.values()) for c in counts]
    return sum(entropy) / len(entropy)


def check(results, name, rows):
    """The sample has the entropy that throng reports of a table of which nothing is left."""
    with open(results / f"raw-{name}.csv", newline="") as file:
        raw = next(row for row in csv.DictReader(file) if row["k"] == "50")
    assert raw["suppressed_rows"] == str(len(rows)), name
    assert abs(float(raw["entropy"]) - bits(rows)) < 1e-9, name


def codes(column, present):
    """Values in the order of the hierarchy, so that groups are intervals."""
    with open(DATA / f"adult_hierarchy_{column}.csv", newline="") as file:
        paths = [path for path in csv.reader(file, delimiter=";") if path[0] in present]
    firsts = {}
    for path in paths:
        for label in path[1:]:
            firsts.setdefault(label, len(firsts))
    ordered = sorted(paths, key=lambda path: [firsts[label] for label in path[:0:-1]])
    return {path[0]: code for code, path in enumerate(ordered)}


def median(values, k):
    """The median, if cutting after it leaves k rows on either side."""
    counts, below = Counter(values), 0
    for value in sorted(counts):
        below += counts[value]
        if 2 * below >= len(values):
            return value if below >= k and len(values) - below >= k else None


def partition(rows, box, domain, k):
    """Classes, each with the interval of every attribute."""
    best = None
    for a, (low, high) in enumerate(box):
        width = (high - low + 1) / (domain[a][1] - domain[a][0] + 1)
        if best is None or width > best[0]:
            cut = median([row[a] for row in rows], k)
            best = (width, a, cut) if cut is not None else best
    if best is None:
        return [(rows, box)]
    _, a, cut = best
    parts = []
    for side in [(box[a][0], cut), (cut + 1, box[a][1])]:
        inside = [row for row in rows if side[0] <= row[a] <= side[1]]
        parts += partition(inside, [*box[:a], side, *box[a + 1 :]], domain, k)
    return parts


def penalty(a, low, high, count, domain, ages):
    if COLUMNS[a] == "age":
        return (high - low) / (ages[1] - ages[0])
    return 0 if count == 1 else count / (domain[a][1] + 1)


def losses(parts, domain, ages):
    """NCP by the released intervals, and by the values in the classes."""
    label = content = cells = 0
    for rows, box in parts:
        for a, (low, high) in enumerate(box):
            values = {row[a] for row in rows}
            label += len(rows) * penalty(a, low, high, high - low + 1, domain, AGES)
            content += len(rows) * penalty(a, min(values), max(values), len(values), domain, ages)
            cells += len(rows)
    return label / cells, content / cells


def main(results):
    with open(DATA / "adult.csv", newline="") as file:
        table = [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file, delimiter=";")]
    orders = [codes(c, {row[i] for row in table}) for i, c in enumerate(COLUMNS)]
    orders[1] = {age: int(age) for age in orders[1]}
    ages = (min(orders[1].values()), max(orders[1].values()))
    domain = [(0, len(order) - 1) for order in orders]
    domain[1] = AGES
    for wanted in [500, 1000, 3000, 5000]:
        for seed in range(1, 9):
            rows = sample(table, wanted, seed)
            check(results, f"{wanted}-{seed}", rows)
            coded = [tuple(order[v] for order, v in zip(orders, row)) for row in rows]
            with open(results / f"toolbox-{wanted}-{seed}.csv", "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["k", "label", "content"])
                for k in KS:
                    out.writerow([k, *losses(partition(coded, domain, domain, k), domain, ages)])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
