#!/usr/bin/env python3
"""Whether outliers are in classes of more than k records: outliers.py THRONG RESULTS

Writes outliers.csv: for each sample of 1,000 rows, by SD as printed and k = 15, how many of the 50 records that are
farthest from their k - 1 nearest others are in classes of more than 15, and how many of all are.
"""

import csv
import heapq
import pathlib
import subprocess
import sys
from collections import Counter

from toolbox import COLUMNS, DATA, sample

ROWS, K, OUTLIERS = 1000, 15, 50
AGE = COLUMNS.index("age")


def distance(one, other, years):
    """The mean over the columns: the share of the range of ages, or whether categories differ."""
    differ = sum(a != b for i, (a, b) in enumerate(zip(one, other)) if i != AGE)
    return (differ + abs(int(one[AGE]) - int(other[AGE])) / years) / len(one)


def outliers(rows):
    """The places of the records that are farthest from those next to them."""
    ages = [int(row[AGE]) for row in rows]
    years = max(ages) - min(ages)
    far = []
    for at, row in enumerate(rows):
        others = (distance(row, other, years) for place, other in enumerate(rows) if place != at)
        far.append((sum(heapq.nsmallest(K - 1, others)), at))
    return {at for _, at in heapq.nlargest(OUTLIERS, far)}


def release(throng, results, rows):
    """What SD releases, row by row."""
    table, released = results / "sample.csv", results / "sample-released.csv"
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    qi = [f"--qi={name}={'range' if name == 'age' else 'set:50'}" for name in COLUMNS]
    subprocess.run([throng, "anonymize", table, *qi, "-k", str(K), "--suppression", "0", "--quiet", "--replace",
                    "--algorithm", "spatial-distance", "--variant", "printed", "-o", released], check=True)
    with open(released, newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def main(throng, results):
    with open(DATA / "adult.csv", newline="") as file:
        table = [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file, delimiter=";")]
    with open(results / "outliers.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["seed", "classes", "large", "records", "outliers"])
        for seed in range(1, 9):
            rows = sample(table, ROWS, seed)
            released = release(throng, results, rows)
            sizes = Counter(released)
            large = {at for at, row in enumerate(released) if sizes[row] > K}
            above = sum(size > K for size in sizes.values())
            out.writerow([seed, len(sizes), above, len(large), len(large & outliers(rows))])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
