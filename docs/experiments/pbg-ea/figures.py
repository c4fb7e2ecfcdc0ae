#!/usr/bin/env python3
"""Figures 1 to 3 of the PBG paper: figures.py RESULTS

RESULTS has the fronts of run.sh, of all nodes (exact-NAMES.json) and of PBG-EA (pbg-ea-NAMES.json). Writes figure-N.svg
beside this file: circles are the front of all nodes, crosses what PBG-EA found.
"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# By figure its panels: objectives across, up, and by colour if there is a third.
FIGURES = {
    1: [("k,glm", None), ("k,l,glm", "l")],
    2: [("sk,glm", None), ("sk,sl,glm", "sl")],
    3: [("k,glm,cm", "cm")],
}
TITLES = {"k": "k", "l": "l", "sk": "S_k", "sl": "S_l", "glm": "GLM", "cm": "CM"}
WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 520, 380, 70, 40, 400, 270


def colour(share):
    """From blue to red."""
    return f"rgb({round(40 + 200 * share)},{round(110 - 60 * share)},{round(210 - 170 * share)})"


def front(path):
    """The values of each node."""
    return [point["values"] for point in json.loads(path.read_text())["front"]]


class Panel:
    def __init__(self, results, names, third, at):
        self.exact, self.found = front(results / f"exact-{names}.json"), front(results / f"pbg-ea-{names}.json")
        self.up, self.third, self.offset = names.split(",")[0], third, at * WIDTH

    def x(self, point):
        return self.offset + LEFT + PLOT_WIDTH * point["glm"] / max(other["glm"] for other in self.exact)

    def y(self, point):
        logs = [math.log10(other[self.up]) for other in self.exact]
        span = max(logs) - min(logs) or 1
        return TOP + PLOT_HEIGHT * (1 - (math.log10(point[self.up]) - min(logs)) / span)

    def colour(self, point):
        if not self.third:
            return "#222"
        values = [other[self.third] for other in self.exact]
        return colour(min(1, max(0, (point[self.third] - min(values)) / (max(values) - min(values) or 1))))

    def marks(self):
        for point in self.exact:
            yield f'<circle cx="{self.x(point):.1f}" cy="{self.y(point):.1f}" r="4" fill="none" stroke="{self.colour(point)}"/>'
        for point in self.found:
            x, y = self.x(point), self.y(point)
            path = f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"
            yield f'<path d="{path}" stroke="{self.colour(point)}" fill="none"/>'

    def axes(self):
        left, bottom = self.offset + LEFT, TOP + PLOT_HEIGHT
        yield f'<path d="M{left} {TOP}V{bottom}H{left + PLOT_WIDTH}" stroke="#888" fill="none"/>'
        most = max(point["glm"] for point in self.exact)
        for share in (0, 0.25, 0.5, 0.75, 1):
            x = left + PLOT_WIDTH * share
            yield f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{most * share:,.0f}</text>'
        values = [point[self.up] for point in self.exact]
        powers = range(math.ceil(math.log10(min(values))), math.floor(math.log10(max(values))) + 1)
        for value in [10**power for power in powers]:
            yield f'<text x="{left - 6}" y="{self.y({self.up: value}) + 4:.0f}" text-anchor="end">{value:,}</text>'
        colours = f"; colour: {TITLES[self.third]}, blue least" if self.third else ""
        yield f'<text x="{left + PLOT_WIDTH / 2}" y="{bottom + 38}" text-anchor="middle">GLM</text>'
        title = f"{TITLES[self.up]} against GLM{colours} ({len(self.exact)} nodes, PBG-EA: {len(self.found)})"
        yield f'<text x="{left}" y="{TOP - 14}">{title}</text>'


def main(results):
    for number, panels in FIGURES.items():
        drawn = [Panel(results, names, third, at) for at, (names, third) in enumerate(panels)]
        lines = [line for panel in drawn for line in [*panel.axes(), *panel.marks()]]
        size = f'width="{WIDTH * len(panels)}" height="{HEIGHT}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
        background = '<rect width="100%" height="100%" fill="white"/>'
        (HERE / f"figure-{number}.svg").write_text("\n".join([head, background, *lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
