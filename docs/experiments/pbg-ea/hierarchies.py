#!/usr/bin/env python3
"""Hierarchies of the heights of Table 1(a) of the PBG paper: hierarchies.py [RESULTS [SEED]]

Writes the table with the paper's columns in its order (PBG-EA crosses levels by it), one file a column, `leaf;level 1;…;*`,
and the two jobs to RESULTS (target/pbg-ea). The paper has the
number of values and the heights; which values stand together is our choice, or with a SEED that of chance: at every
level groups of random sizes, of ages side by side, of other values in any order.
"""

import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
ADULT = HERE / "../../../../shared/data/adult/adult.csv"

# Leaves by label of level 1, these by label of level 2, and so on.
WORKCLASS = {
    "Not government": {
        "For a company": ["Private"],
        "For oneself": ["Self-emp-not-inc", "Self-emp-inc"],
    },
    "Government": {
        "Union": ["Federal-gov"],
        "State or place": ["State-gov", "Local-gov"],
    },
    "Unpaid": {"Unpaid": ["Without-pay"]},
}
EDUCATION = {
    "Primary": {"Primary school": ["Preschool", "1st-4th", "5th-6th"]},
    "Secondary": {
        "High school": ["7th-8th", "9th", "10th", "11th", "12th"],
        "Finished high school": ["HS-grad"],
    },
    "Higher": {
        "Undergraduate": ["Some-college", "Bachelors"],
        "Professional": ["Assoc-voc", "Assoc-acdm", "Prof-school"],
        "Graduate": ["Masters", "Doctorate"],
    },
}
MARITAL = {
    "Married": {
        "Spouse present": ["Married-civ-spouse", "Married-AF-spouse"],
        "Spouse absent": ["Married-spouse-absent", "Separated"],
    },
    "Not married": {
        "Was married": ["Divorced", "Widowed"],
        "Never married": ["Never-married"],
    },
}
COUNTRY = {
    "America": {
        "North America": {
            "United States": ["United-States", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico"],
            "Others of North America": ["Canada", "Mexico"],
        },
        "Latin America": {
            "Central America": ["El-Salvador", "Guatemala", "Honduras", "Nicaragua"],
            "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"],
            "South America": ["Columbia", "Ecuador", "Peru"],
        },
    },
    "Elsewhere": {
        "Europe": {
            "North and west of Europe": [
                "England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland",
            ],
            "South and east of Europe": ["Greece", "Hungary", "Italy", "Poland", "Portugal", "Yugoslavia"],
        },
        "Asia and Africa": {
            "East Asia": ["China", "Hong", "Japan", "Taiwan"],
            "South-east Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
            "Others": ["India", "Iran", "South"],
        },
    },
}
# Widths of the intervals of ages, from 17.
AGES, YOUNGEST, WIDTHS = range(17, 91), 17, [2, 4, 8, 16, 32]

# Height and number of values, as in the paper.
EXPECTED = {
    "age": (6, 74),
    "workclass": (3, 7),
    "education": (3, 16),
    "marital-status": (3, 7),
    "race": (1, 5),
    "sex": (1, 2),
    "native-country": (4, 41),
    "salary-class": (1, 2),
}


def paths(groups):
    """Every leaf of nested groups with what it is in, the lowest first."""
    if isinstance(groups, list):
        return [[leaf] for leaf in groups]
    return [path + [label] for label, below in groups.items() for path in paths(below)]


def age(years):
    starts = [(years - YOUNGEST) // width * width + YOUNGEST for width in WIDTHS]
    return [str(years)] + [f"{start}-{min(start + width - 1, AGES[-1])}" for start, width in zip(starts, WIDTHS)]


def cut(items, parts, chance):
    """Runs of items, as many as there are to be parts, cut where chance says."""
    ends = [0, *sorted(chance.sample(range(1, len(items)), parts - 1)), len(items)]
    return [items[start:end] for start, end in zip(ends, ends[1:])]


def by_chance(leaves, height, is_ordered, chance):
    """Every leaf with what it is in, by chance: as many levels, each of fewer groups if there are enough."""
    leaves = list(leaves) if is_ordered else chance.sample(leaves, len(leaves))
    counts = sorted((chance.randint(2, len(leaves) - 1) for _ in range(height - 1)), reverse=True)
    groups, of_leaf = [[leaf] for leaf in leaves], {leaf: [leaf] for leaf in leaves}
    for level, count in enumerate(counts, 1):
        groups = [sum(run, []) for run in cut(groups, min(count, len(groups)), chance)]
        for at, group in enumerate(groups):
            for leaf in group:
                of_leaf[leaf].append(f"group {at} of level {level}")
    return list(of_leaf.values())


def hierarchies(columns, rows, chance):
    lines = {
        "age": [age(years) for years in AGES],
        "workclass": paths(WORKCLASS),
        "education": paths(EDUCATION),
        "marital-status": paths(MARITAL),
        "native-country": paths(COUNTRY),
    }
    for name, (height, values) in EXPECTED.items():
        occurring = sorted({row[columns.index(name)] for row in rows})
        of_column = lines.get(name, [[value] for value in occurring])
        if chance and height > 1:
            of_column = by_chance([path[0] for path in of_column], height, name == "age", chance)
        of_column = [path + ["*"] for path in of_column]
        leaves = {path[0] for path in of_column}
        assert all(len(path) == height + 1 for path in of_column), name
        assert len(leaves) == len(of_column) == values and leaves.issuperset(occurring), name
        yield name, of_column


def job(names, sensitive, target):
    lines = ['input  = "adult.csv"', 'output = "release.csv"', "", "[columns]"]
    lines += [f'{name} = {{ role = "quasi", hierarchy = "{name}.csv" }}' for name in names]
    lines += [f'{sensitive} = {{ role = "sensitive" }}']
    lines += [f'{target} = {{ role = "target" }}'] if target else []
    lines += ["", "[privacy]", "k = 5", "suppression = 301", "", "[search]", 'measure = "glm"', ""]
    return "\n".join(lines)


def main():
    results = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "../../../target/pbg-ea"
    chance = random.Random(int(sys.argv[2])) if len(sys.argv) > 2 else None
    results.mkdir(parents=True, exist_ok=True)
    columns, *rows = [line.split(";") for line in ADULT.read_text().splitlines()]
    names = list(EXPECTED)
    places = [columns.index(name) for name in [*names, "occupation"]]
    table = [[row[place] for place in places] for row in [columns, *rows]]
    (results / "adult.csv").write_text("".join(";".join(row) + "\n" for row in table))
    for name, lines in hierarchies(columns, rows, chance):
        (results / f"{name}.csv").write_text("".join(";".join(path) + "\n" for path in lines))
    (results / "adult.toml").write_text(job(names, "occupation", None))
    others = [name for name in names if name != "salary-class"]
    (results / "target.toml").write_text(job(others, "occupation", "salary-class"))


if __name__ == "__main__":
    main()
