#!/usr/bin/env python3
"""Brings the tables of pbg-ea.md up to date: tables.py RESULTS

RESULTS has what run.sh wrote. A table stands between <!-- NAME --> and <!-- end -->.
"""

import collections
import csv
import json
import pathlib
import re
import statistics
import sys

PAGE = pathlib.Path(__file__).resolve().parent.with_suffix(".md")

# Of the paper: CE and RR, each mean and variance (Table 1(b); none for the last set), and node evaluations
# (Table 2(b)).
TABLE_1B = {
    "k+glm": ("3.7e-4", "6.5e-9", "0.94", "8e-4", 916),
    "k+l+glm": ("3.3e-4", "1.1e-7", "0.93", "1.1e-3", 946),
    "sk+glm": ("5.7e-4", "2.5e-7", "0.84", "1.7e-3", 1136),
    "sk+sl+glm": ("6.6e-4", "2.0e-7", "0.83", "1.4e-3", 1197),
    "k+glm+cm": (None, None, None, None, 1073),
}
# Table 2(a), in its order.
TABLE_2A = {
    ("k+glm", "5+100"): ("4.3e-4", "2.6e-7", "0.95", "1.6e-3"),
    ("k+glm", "10+1000"): ("1.6e-4", "8.0e-8", "0.98", "8.2e-4"),
    ("k+glm", "50+10000"): ("1.7e-4", "1.1e-8", "1.0", "0.0"),
    ("k+l+glm", "5+2+100"): ("4.9e-3", "2.5e-7", "0.92", "1.2e-3"),
    ("k+l+glm", "10+4+1000"): ("7.4e-3", "9.3e-7", "0.92", "7.0e-4"),
    ("k+l+glm", "50+6+10000"): ("1.8e-2", "8.2e-6", "0.88", "1.7e-3"),
}
NAMES = {"k": "k", "l": "l", "sk": "S_k", "sl": "S_l", "glm": "GLM", "cm": "CM"}


CHANCES = range(1, 7)


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def power(number):
    """As the paper writes small numbers."""
    if number is None or float(number) == 0:
        return "–" if number is None else "0"
    mantissa, exponent = f"{float(number):.1e}".split("e")
    return f"{mantissa}·10^{int(exponent)}"


def spread(runs, column):
    values = [float(run[column]) for run in runs]
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / len(values)


def figures(runs):
    """CE and RR with their variances, as the paper has them."""
    (ce, ce_variance), (rr, rr_variance) = spread(runs, "ce"), spread(runs, "rr")
    return [f"{power(ce)} ({power(ce_variance)})", f"**{rr:.3f}** ({power(rr_variance)})"]


def printed(ce, ce_variance, rr, rr_variance):
    if ce is None:
        return ["–", "–"]
    return [f"{power(ce)} ({power(ce_variance)})", f"{rr} ({power(rr_variance)})"]


def named(objectives):
    return ", ".join(NAMES[name] for name in objectives.split("+"))


def of_sets(groups):
    head = ["objectives", "front", "paper: CE", "RR", "`pbg-ea`: CE", "`pbg-ea`: RR", "`front-walk`: CE", "`front-walk`: RR"]
    rows = []
    for objectives, paper in TABLE_1B.items():
        epsilon = next(key[1] for key in groups if key[0] == objectives)
        pbg, walk = groups[objectives, epsilon, "pbg-ea"], groups[objectives, epsilon, "front-walk"]
        rows.append([named(objectives), pbg[0]["boxes"], *printed(*paper[:4]), *figures(pbg), *figures(walk)])
    return table(head, rows)


def of_boxes(groups):
    head = ["objectives", "ε", "boxes", "paper: CE", "RR", "`pbg-ea`: CE", "`pbg-ea`: RR", "`front-walk`: CE", "`front-walk`: RR"]
    rows = []
    for (objectives, epsilon), paper in TABLE_2A.items():
        pbg, walk = groups[objectives, epsilon, "pbg-ea"], groups[objectives, epsilon, "front-walk"]
        sides = ", ".join(f"{float(side):,g}" for side in epsilon.split("+"))
        line = [named(objectives), sides, pbg[0]["boxes"], *printed(*paper), *figures(pbg), *figures(walk)]
        rows.append(line)
    return table(head, rows)


def of_evaluations(groups):
    """How many nodes were evaluated, and what more generations bring within the paper's number."""
    head = ["objectives", "nodes", "paper", "`pbg-ea`", "RR, more generations", "RR, `front-walk`"]
    rows = []
    for objectives, (*_, evaluations) in TABLE_1B.items():
        epsilon = next(key[1] for key in groups if key[0] == objectives)
        runs = groups[objectives, epsilon, "pbg-ea"]
        nodes, (mean, _) = int(runs[0]["nodes"]), spread(runs, "evaluated")

        def share(number):
            return f"{number:,.0f} ({100 * number / nodes:.1f} %)"

        longer = groups[objectives, epsilon, "pbg-ea-as-paper"]
        evaluated = f" at {spread(longer, 'evaluated')[0]:,.0f}"
        ratios = [f"{spread(longer, 'rr')[0]:.3f}{evaluated}"]
        ratios.append(f"{spread(groups[objectives, epsilon, 'front-walk-as-paper'], 'rr')[0]:.3f}")
        rows.append([named(objectives), f"{nodes:,}", share(evaluations), share(mean), *ratios])
    return table(head, rows)


ERRORS = ["ce", "ce_mean", "ce_squared", "ce_range"]


def of_errors(groups):
    """Readings of the convergence error, of PBG-EA."""
    rows = []
    for objectives, paper in list(TABLE_1B.items())[:4]:
        epsilon = next(key[1] for key in groups if key[0] == objectives)
        runs = groups[objectives, epsilon, "pbg-ea"]
        rows.append([named(objectives), power(paper[0]), *(power(spread(runs, error)[0]) for error in ERRORS)])
    return table(["objectives", "paper", "sum, as printed", "mean", "sum of squares", "sum, by ranges"], rows)


def of_chance(hierarchies):
    """The same over hierarchies of chance: means of 20 seeds, and the least and the most of them."""
    rows = []
    for objectives, paper in list(TABLE_1B.items())[:4]:
        all_runs = [next(runs for key, runs in groups.items() if (key[0], key[2]) == (objectives, "pbg-ea")) for groups in hierarchies]

        def range_of(column, show):
            means = [spread(runs, column)[0] for runs in all_runs]
            return f"{show(statistics.median(means))} ({show(min(means))} to {show(max(means))})"

        whole = "{:.0f}".format
        cells = [range_of("boxes", whole), range_of("evaluated", whole), range_of("rr", "{:.2f}".format)]
        cells += [range_of("ce", power), range_of("ce_mean", power)]
        rows.append([named(objectives), power(paper[0]), paper[2], *cells])
    return table(["objectives", "paper: CE", "RR", "front", "looks", "RR", "CE as printed", "CE by the mean"], rows)


def read(path):
    groups = collections.defaultdict(list)
    with open(path, newline="") as file:
        for run in csv.DictReader(file):
            groups[run["objectives"], run["epsilon"], run["method"]].append(run)
    return groups


def of_local(path):
    """A front with the local recodings that stand beside it."""
    found = json.loads(path.read_text())
    names = [name for name, _ in found["objectives"]]
    rows = []
    for point in found["local"]:
        values = point["values"]
        # The least loss of a node that hides as many.
        nodes = [node["values"] for node in found["front"]]
        as_safe = [node for node in nodes if all(node[name] >= values[name] for name in names if name != "glm")]
        best = min((node["glm"] for node in as_safe), default=None)
        cells = [f"{values[name]:,.0f}" for name in names]
        node = "–" if best is None else f"{best:,.0f} ({best / values['glm']:.1f} ×)"
        dominated = "yes" if point["dominated"] else "no"
        rows.append([f"`{point['algorithm']}`", str(point["k"]), *cells, node, dominated])
    head = ["", "asked k", *(NAMES[name] for name in names), "GLM of a node as safe", "dominated"]
    return table(head, rows)


def main(results):
    groups = read(results / "runs.csv")
    contents = {
        "sets": of_sets(groups),
        "boxes": of_boxes(groups),
        "evaluations": of_evaluations(groups),
        "errors": of_errors(groups),
        "chance": of_chance([read(results / f"runs-{seed}.csv") for seed in CHANCES]),
        "local-k": of_local(results / "local-k.json"),
        "local-l": of_local(results / "local-l.json"),
    }
    text = PAGE.read_text()
    for name, content in contents.items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda old: old[1] + content + old[2], text, flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
