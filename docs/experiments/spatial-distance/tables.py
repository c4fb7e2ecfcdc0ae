#!/usr/bin/env python3
"""Brings the tables and plots of spatial-distance.md up to date: tables.py RESULTS

RESULTS has the comparisons of run.sh. A table stands between <!-- NAME --> and <!-- end -->.
"""

import csv
import json
import pathlib
import re
import statistics
import sys

KS = [2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
DATA = pathlib.Path(__file__).resolve().parents[4] / "shared/data/adult/adult.csv"
SHOWN = [2, 5, 10, 20, 30, 50]
SIZES = [500, 1000, 3000, 5000]
SEEDS = [1, 2, 3, 4, 5]
SETS, FILES, TOOLBOX = "ranges-and-sets", "hierarchies", "toolbox"
SD = (SETS, "spatial-distance")
WAYS = {SETS: "ranges and sets", FILES: "hierarchies"}

CONTENDERS = [
    SD,
    (SETS, "mondrian"),
    (SETS, "mondrian:relaxed"),
    (SETS, "agglomerative"),
    (SETS, "sequential"),
    (FILES, "spatial-distance"),
    (FILES, "mondrian"),
    (FILES, "mondrian:relaxed"),
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


class Losses:
    """NCP and seconds of every contender, by sample and k."""

    def __init__(self, results):
        self.ncp, self.seconds, self.unique = {}, {}, {}
        for size in SIZES:
            for seed in SEEDS:
                self.read_sample(results, size, seed)

    def read_sample(self, results, size, seed):
        raw = [read(results / f"{job}-raw-{size}-{seed}.csv") for job in WAYS]
        for one, other in zip(*raw):
            # Both jobs took the same rows: as many of them are unique, and the columns are alike.
            assert all(one[c] == other[c] for c in ["suppressed_rows", "classes", "dm"]), (size, seed)
            assert abs(float(one["entropy"]) - float(other["entropy"])) < 1e-12, (size, seed)
        self.unique[size, seed] = int(raw[0][0]["suppressed_rows"])
        for job in WAYS:
            for row in read(results / f"{job}-{size}-{seed}.csv"):
                at = (job, row["contender"]), size, seed, int(row["k"])
                self.ncp[at], self.seconds[at] = float(row["ncp"]), float(row["seconds"])
        for row in read(results / f"{TOOLBOX}-{size}-{seed}.csv"):
            for contender in TOOLBOX_MONDRIAN:
                self.ncp[contender, size, seed, int(row["k"])] = float(row[contender[1]])

    def mean(self, contender, size, k):
        return statistics.mean(self.ncp[contender, size, seed, k] for seed in SEEDS)

    def milliseconds(self, contender, size, k):
        return 1000 * statistics.median(self.seconds[contender, size, seed, k] for seed in SEEDS)


def name(contender):
    return TITLES.get(contender) or f"`{contender[1]}`, {WAYS[contender[0]]}"


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
            cells = [percent(losses.mean(SD, size, k), losses.mean(contender, size, k)) for k in SHOWN]
            lines.append([name(contender), f"{size:,}", *cells])
    return table(["SD against", "n", *map(str, SHOWN)], lines)


def wins(losses, _):
    def count(contender, size):
        cells = [(size, seed, k) for seed in SEEDS for k in KS]
        return sum(losses.ncp[(SD, *cell)] < losses.ncp[(contender, *cell)] for cell in cells)

    others = CONTENDERS[1:] + TOOLBOX_MONDRIAN
    lines = [[name(contender), *(str(count(contender, size)) for size in SIZES)] for contender in others]
    return table([f"SD loses less than, of {len(SEEDS) * len(KS)}", *(f"{size:,}" for size in SIZES)], lines)


def times(losses, _):
    lines = []
    for contender in CONTENDERS:
        cells = [f"{losses.milliseconds(contender, size, k):.1f}" for size in SIZES for k in [5, 50]]
        lines.append([name(contender), *cells])
    return table(["", *(f"{size:,}, k = {k}" for size in SIZES for k in [5, 50])], lines)


def all_rows(_, results):
    rows = read(results / f"{SETS}-all.csv")
    contenders = dict.fromkeys(row["contender"] for row in rows)
    ks = sorted({int(row["k"]) for row in rows})
    ncp = {(row["contender"], int(row["k"])): float(row["ncp"]) for row in rows}
    lines = [[f"`{one}`", *(f"{ncp[one, k]:.3f}" for k in ks)] for one in contenders]
    return table(["", *map(str, ks)], lines)


def attributes(_, results):
    rows = [row for row in read(results / f"{SETS}-counts.csv") if row["sweep"] == "quasi_identifiers"]
    contenders = dict.fromkeys(row["contender"] for row in rows)
    counts = sorted({int(row["quasi_identifiers"]) for row in rows})
    ncp = {(row["contender"], int(row["quasi_identifiers"])): float(row["ncp"]) for row in rows}
    lines = [[f"`{one}`", *(f"{ncp[one, count]:.4f}" for count in counts)] for one in contenders]
    return table(["", *map(str, counts)], lines)


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


COLOURS = {
    "spatial-distance": "#d55e00",
    "mondrian": "#0072b2",
    "mondrian:relaxed": "#56b4e9",
    "agglomerative": "#009e73",
    "incognito": "#cc79a7",
    "datafly": "#777777",
}
DRAWN = [contender for contender in CONTENDERS if contender[1] in COLOURS]
PANEL, GAP, LEFT, TOP = (300, 210), (48, 52), 46, 62


def style(contender):
    dashes = "" if contender[0] == SETS else ' stroke-dasharray="6 4"'
    return f'fill="none" stroke="{COLOURS[contender[1]]}" stroke-width="2"{dashes}'


def panel(losses, size, value, x0, y0, highest):
    (width, height) = PANEL
    x = lambda k: x0 + 10 + (width - 20) * (k - KS[0]) / (KS[-1] - KS[0])
    y = lambda loss: y0 + height * (1 - loss / highest)
    out = [f'<text x="{x0 + width / 2}" y="{y0 - 8}" text-anchor="middle">n = {size:,}</text>']
    for tenth in range(0, round(10 * highest) + 1, 2):
        out.append(f'<path d="M{x0},{y(tenth / 10):.1f}h{width}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y(tenth / 10) + 4:.1f}" text-anchor="end">{tenth / 10:g}</text>')
    for k in KS[:1] + KS[2::2]:
        out.append(f'<path d="M{x(k):.1f},{y0 + height}v5" stroke="#444"/>')
        out.append(f'<text x="{x(k):.1f}" y="{y0 + height + 18}" text-anchor="middle">{k}</text>')
    out.append(f'<path d="M{x0},{y0}v{height}h{width}" fill="none" stroke="#444"/>')
    for contender in reversed(DRAWN):
        points = " ".join(f"{x(k):.1f},{y(value(losses.mean(contender, size, k))):.1f}" for k in KS)
        out.append(f'<polyline points="{points}" {style(contender)}/>')
    return out


def plot(losses, title, value, highest):
    width = LEFT + 2 * PANEL[0] + GAP[0] + 14
    bottom = TOP + 2 * PANEL[1] + GAP[1] + 44
    height = bottom + 20 * ((len(DRAWN) + 1) // 2) + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" '
        'font-size="12" fill="#222">',
        f"<title>{title}</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{width / 2}" y="26" font-size="15" font-weight="bold" text-anchor="middle">{title}</text>',
    ]
    for i, size in enumerate(SIZES):
        x0 = LEFT + (i % 2) * (PANEL[0] + GAP[0])
        y0 = TOP + (i // 2) * (PANEL[1] + GAP[1])
        out += panel(losses, size, value, x0, y0, highest)
    for i, contender in enumerate(DRAWN):
        x0, y0 = LEFT + 10 + (i % 2) * (width // 2 - 10), bottom + 20 * (i // 2)
        out.append(f'<path d="M{x0},{y0 - 4}h34" {style(contender)}/>')
        out.append(f'<text x="{x0 + 42}" y="{y0}">{contender[1]}, {WAYS[contender[0]]}</text>')
    return "\n".join([*out, "</svg>", ""])


def main(results):
    losses = Losses(results)
    here = pathlib.Path(__file__).resolve().parent
    page = here.with_suffix(".md")
    text = page.read_text()
    for make in [unique, figure_four, against, wins, all_rows, attributes, columns, times]:
        mark = f"<!-- {make.__name__} -->"
        assert mark in text, mark
        made = f"{mark}\n{make(losses, results)}\n<!-- end -->"
        text = re.sub(re.escape(mark) + r".*?<!-- end -->", lambda _: made, text, flags=re.DOTALL)
    page.write_text(text)
    (here / "figure-4.svg").write_text(plot(losses, "Total NCP against k", lambda loss: loss, 1.0))
    utility = plot(losses, "Utility (1 − NCP) against k", lambda loss: 1 - loss, 1.0)
    (here / "figure-5.svg").write_text(utility)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
