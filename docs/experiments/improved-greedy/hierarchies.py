#!/usr/bin/env python3
"""Adult as the Improved Greedy paper has it, with several sets of hierarchies: hierarchies.py [RESULTS]

Writes the table (32,561 rows, eight quasi-identifiers, missing values as `?`) and for each set a folder with one file a
column, `leaf;level 1;…;*`, and a job. The heights are the paper's; which values stand together it does not say. In the set
`meaning` similar values do, and Position is the workclass; `relationship` takes that column for Position; in the sets
`chance-1` to `chance-8` groups are random: of ages runs of random lengths, of other values any.
"""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
RAW = HERE / "../../../../shared/data/adult-raw/adult.data"
COLUMNS = {"age": 0, "workclass": 1, "education": 3, "marital-status": 5, "occupation": 6, "relationship": 7, "race": 8}
COLUMNS |= {"sex": 9, "native-country": 13}
# The paper's names and heights, in its order; Position is a column that each set chooses.
HEIGHTS = {"age": 3, "occupation": 2, "education": 2, "marital-status": 2, "position": 2, "race": 1, "sex": 1}
HEIGHTS |= {"native-country": 3}
CHANCES = range(1, 9)

MEANING = {
    "occupation": {
        "office": ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"],
        "manual": ["Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"],
        "service": ["Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"],
        "unknown": ["?"],
    },
    "education": {
        "school": ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"],
        "graduate of a school": ["HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm"],
        "degree": ["Bachelors", "Masters", "Doctorate", "Prof-school"],
    },
    "marital-status": {
        "married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Separated"],
        "single": ["Never-married", "Divorced", "Widowed"],
    },
    "workclass": {
        "own": ["Self-emp-not-inc", "Self-emp-inc"],
        "private": ["Private"],
        "government": ["Federal-gov", "State-gov", "Local-gov"],
        "other": ["Without-pay", "Never-worked", "?"],
    },
    "relationship": {
        "spouse": ["Husband", "Wife"],
        "other": ["Own-child", "Other-relative", "Not-in-family", "Unmarried"],
    },
}
COUNTRIES = {
    "America": {
        "North America": ["United-States", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico", "Canada", "Mexico"],
        "Central America": ["El-Salvador", "Guatemala", "Honduras", "Nicaragua"],
        "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"],
        "South America": ["Columbia", "Ecuador", "Peru"],
    },
    "Europe": {
        "West": ["England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland"],
        "South and east": ["Greece", "Hungary", "Italy", "Poland", "Portugal", "Yugoslavia"],
    },
    "Asia": {
        "East": ["China", "Hong", "Japan", "Taiwan"],
        "South": ["India", "Iran", "Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
    },
    "unknown": {"not said": ["South", "?"]},
}


def by_meaning(column, leaves):
    """Every leaf with what it is in, the lowest first."""
    if column == "age":
        return [[age, f"{int(age) // 10 * 10}s", "young" if int(age) < 40 else "old"] for age in leaves]
    if column == "native-country":
        return [[leaf, of, part] for part, groups in COUNTRIES.items() for of, members in groups.items() for leaf in members]
    groups = MEANING.get(column) or {None: leaves}
    return [[leaf, *([group] if group else [])] for group, members in groups.items() for leaf in members]


def cut(items, parts, chance):
    """Runs of items, as many as there are to be parts, cut where chance says."""
    ends = [0, *sorted(chance.sample(range(1, len(items)), parts - 1)), len(items)]
    return [items[start:end] for start, end in zip(ends, ends[1:])]


def by_chance(leaves, height, is_ordered, chance):
    leaves = leaves if is_ordered else chance.sample(leaves, len(leaves))
    counts = sorted((chance.randint(2, len(leaves) - 1) for _ in range(height - 1)), reverse=True)
    groups, paths = [[leaf] for leaf in leaves], {leaf: [leaf] for leaf in leaves}
    for level, count in enumerate(counts, 1):
        groups = [sum(run, []) for run in cut(groups, min(count, len(groups)), chance)]
        for at, group in enumerate(groups):
            for leaf in group:
                paths[leaf].append(f"group {at} of level {level}")
    return list(paths.values())


def write_set(results, name, rows, position, chance):
    """The hierarchies of a set, and its job."""
    folder = results / name
    folder.mkdir(parents=True, exist_ok=True)
    named = {position if column == "position" else column: height for column, height in HEIGHTS.items()}
    for column, height in named.items():
        place = list(COLUMNS).index(column)
        leaves = sorted({row[place] for row in rows})
        paths = by_chance(leaves, height, column == "age", chance) if chance else by_meaning(column, leaves)
        assert all(len(path) == height for path in paths), (name, column)
        assert sorted(path[0] for path in paths) == leaves or column == "native-country", (name, column)
        (folder / f"{column}.csv").write_text("".join(";".join(path + ["*"]) + "\n" for path in paths))
    lines = [f"input = {json.dumps(str((results / 'adult.csv').resolve()))}", 'output = "release.csv"', "", "[columns]"]
    lines += [f'{column} = {{ role = "quasi", hierarchy = "{column}.csv" }}' for column in named]
    lines += ['"*" = { role = "other" }', "", "[privacy]", "k = 10", "", "[search]", 'algorithm = "improved-greedy"']
    (folder / "job.toml").write_text("\n".join([*lines, 'measure = "iloss"', ""]))


def main():
    results = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "../../../target/improved-greedy"
    results.mkdir(parents=True, exist_ok=True)
    raw = [line.split(", ") for line in RAW.read_text().splitlines() if line]
    rows = [[row[place] for place in COLUMNS.values()] for row in raw]
    assert len(rows) == 32_561
    (results / "adult.csv").write_text("".join(";".join(row) + "\n" for row in [list(COLUMNS), *rows]))
    write_set(results, "meaning", rows, "workclass", None)
    write_set(results, "relationship", rows, "relationship", None)
    for seed in CHANCES:
        write_set(results, f"chance-{seed}", rows, "workclass", random.Random(seed))


if __name__ == "__main__":
    main()
