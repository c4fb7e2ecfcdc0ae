#!/usr/bin/env python3
"""The worked examples of the HeuristicMin paper: cases.py THRONG [RESULTS]

Writes tables, hierarchies and jobs to RESULTS (target/heuristic-min/cases), runs THRONG on them and
prints what came out as Markdown. Cuts are also searched exhaustively, by a few lines of its own.
"""

import collections
import csv
import itertools
import json
import pathlib
import subprocess
import sys

SEEDS = range(1, 11)
HERE = pathlib.Path(__file__).resolve().parent

SEX = ["M;Any", "F;Any"]


def pupils(third):
    """Figures 4 and 11: section 4.3 has the 12th class where case 1 has the 8th."""
    return {
        "columns": {
            "education": [f"{grade};High;Secondary;Any" for grade in ("10th", "9th", third)],
            "sex": SEX,
            "hours": ["30;[1-40);[1-99)", "40;[40-99);[1-99)"],
        },
        "require": [(["education", "sex", "hours"], 4)],
        "rows": [
            ("10th M 40", 20, 0),
            ("10th M 30", 0, 4),
            ("9th M 30", 0, 2),
            ("9th F 30", 0, 4),
            ("9th F 40", 0, 6),
            (f"{third} F 30", 0, 2),
            (f"{third} F 40", 0, 2),
        ],
    }


WORKERS = {
    "columns": {
        "education": [
            "9th;Junior;Secondary;Any",
            "10th;Junior;Secondary;Any",
            "11th;Senior;Secondary;Any",
            "12th;Senior;Secondary;Any",
            "Bachelor;Bachelor;University;Any",
            "Master;Graduate;University;Any",
            "Doctor;Graduate;University;Any",
        ],
        "sex": SEX,
        "hours": [
            "30;[1-35);[1-37);[1-99)",
            "32;[1-35);[1-37);[1-99)",
            "35;[35-37);[1-37);[1-99)",
            "37;[37-99);[37-99);[1-99)",
            "42;[37-99);[37-99);[1-99)",
            "44;[37-99);[37-99);[1-99)",
        ],
    },
    "require": [(["education", "sex"], 4), (["sex", "hours"], 11)],
    "rows": [
        ("9th M 30", 0, 3),
        ("10th M 32", 0, 4),
        ("11th M 35", 2, 3),
        ("12th F 37", 3, 1),
        ("Bachelor F 42", 4, 2),
        ("Bachelor F 44", 4, 0),
        ("Master M 44", 4, 0),
        ("Master F 44", 3, 0),
        ("Doctor F 44", 1, 0),
    ],
}

CASHIER_ROWS = [
    ("Acc F 30", 5, 0),
    ("Acc F 20", 16, 0),
    ("Acc F 40", 3, 0),
    ("Acc M 25", 0, 4),
    ("Acc M 30", 0, 5),
    ("Rej M 30", 0, 10),
    ("Rej F 30", 15, 0),
    ("Rej F 50", 5, 0),
    ("Rej F 20", 5, 0),
    ("Rej M 70", 0, 15),
]

CASHIERS = {
    "columns": {
        "application": ["Acc;Any", "Rej;Any"],
        "sex": SEX,
        "age": [f"{age};{'[0-40)' if age < 40 else '[40-99)'};Any" for age in (20, 25, 30, 40, 50, 70)],
    },
    "require": [(["application", "sex"], 25)],
    "rows": CASHIER_ROWS,
}


def in_intervals(row):
    cells, a, b = row
    others, age = cells.rsplit(" ", 1)
    return f"{others} {'[0-40)' if int(age) < 40 else '[40-99)'}", a, b


# Case 3 with a tree of ages that ends at the intervals, as the paper's TDS does.
CASHIERS_BY_INTERVAL = {
    "columns": {**CASHIERS["columns"], "age": ["[0-40);Any", "[40-99);Any"]},
    "require": CASHIERS["require"],
    "rows": [in_intervals(row) for row in CASHIER_ROWS],
}

# Case 4, of which the text has: ten rows; rows 1-3 are (Inactive, Monthly) with 24 records, rows 4-5
# (Inactive, Yearly) with 9, rows 6-10 Active and not violating. Prices, classes and the records of each
# row are ours.
GYM = {
    "columns": {
        "activity": ["Inactive;Any", "Active;Any"],
        "duration": ["Monthly;Any", "Yearly;Any"],
        "price": [f"{price};{'[0-40)' if price < 40 else '[40-99)'};Any" for price in (20, 30, 40, 50, 70)],
    },
    "require": [(["activity", "duration"], 25)],
    "rows": [
        ("Inactive Monthly 20", 0, 16),
        ("Inactive Monthly 30", 0, 5),
        ("Inactive Monthly 40", 3, 0),
        ("Inactive Yearly 30", 0, 4),
        ("Inactive Yearly 50", 5, 0),
        ("Active Monthly 30", 0, 15),
        ("Active Monthly 40", 5, 0),
        ("Active Monthly 70", 5, 0),
        ("Active Yearly 40", 10, 0),
        ("Active Yearly 70", 15, 0),
    ],
}

PRINTED = ["--variant", "printed"]
BOTH = [[*PRINTED, "--follows", follows] for follows in ("original", "arca-hewett")]
THREE = [
    ["heuristic-min"],
    ["heuristic-min", *PRINTED],
    *([name, *options] for name in ("top-down-specialization", "bottom-up-generalization") for options in ([], *BOTH)),
]
MIN_GEN = [["min-gen"], ["min-gen", *BOTH[0]]]
CASES = {
    "example": (pupils("12th"), [*MIN_GEN, ["all-min"], *THREE[:2]]),
    "case-1": (pupils("8th"), THREE),
    "case-2": (WORKERS, THREE),
    "case-3": (CASHIERS, THREE),
    "case-3-intervals": (CASHIERS_BY_INTERVAL, THREE[2:5]),
    "case-4": (GYM, THREE),
}


def records(case):
    """Every record: cells, and the class."""
    return [
        (*cells.split(), label)
        for cells, a, b in case["rows"]
        for label, times in (("A", a), ("B", b))
        for _ in range(times)
    ]


def write(case, directory):
    """The table, its hierarchies and the job."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "table.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*case["columns"], "class"])
        out.writerows(records(case))
    job = ['input  = "table.csv"', 'output = "release.csv"', "", "[columns]"]
    for name, lines in case["columns"].items():
        (directory / f"{name}.csv").write_text("".join(line + "\n" for line in lines))
        job.append(f'{name} = {{ role = "quasi", hierarchy = "{name}.csv" }}')
    job += ['class = { role = "target" }', ""]
    for shield, k in case["require"]:
        job += ["[[privacy.require]]", 'model  = "k"', f"k      = {k}", f"shield = {json.dumps(shield)}", ""]
    job += ["[search]", 'measure = "prec"', ""]
    (directory / "job.toml").write_text("\n".join(job))


def run(throng, *arguments):
    done = subprocess.run([throng, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def steps(case, released):
    """Levels by which cells were raised: of all records, and of the rows of the paper's table."""
    original = [row[:-1] for row in records(case)]
    levels = [{line.split(";")[0]: line.split(";") for line in lines} for lines in case["columns"].values()]

    def raised(pair):
        return sum(levels[i][old].index(new) for i, (old, new) in enumerate(zip(*pair)))

    pairs = list(zip(original, released))
    return sum(map(raised, pairs)), sum(map(raised, set(pairs)))


def cuts(lines):
    """All cuts through a tree, each as a map from leaves to labels."""
    paths = [line.split(";") for line in lines]

    def below(paths, level):
        label = paths[0][level]
        found = {tuple((path[0], label) for path in paths)}
        if level > 0:
            children = collections.defaultdict(list)
            for path in paths:
                children[path[level - 1]].append(path)
            for parts in itertools.product(*(below(part, level - 1) for part in children.values())):
                found.add(tuple(sorted(sum(parts, ()))))
        return {tuple(sorted(cut)) for cut in found}

    return [dict(cut) for cut in below(paths, len(paths[0]) - 1)]


def exhaustive(case):
    """How many cuts there are, how many may be released, and the most distinct rows of these."""
    names = list(case["columns"])
    rows = [(cells.split(), a + b) for cells, a, b in case["rows"]]
    seen, admissible, most = 0, 0, 0
    for cut in itertools.product(*(cuts(lines) for lines in case["columns"].values())):
        seen += 1
        table = [(tuple(cut[i][cell] for i, cell in enumerate(cells)), times) for cells, times in rows]
        for shield, k in case["require"]:
            sizes = collections.Counter()
            for cells, times in table:
                sizes[tuple(cells[names.index(name)] for name in shield)] += times
            if min(sizes.values()) < k:
                break
        else:
            admissible += 1
            most = max(most, len({cells for cells, _ in table}))
    return seen, admissible, most


def show(case, rows):
    counts = collections.OrderedDict()
    for *cells, label in rows:
        counts.setdefault(tuple(cells), collections.Counter())[label] += 1
    print("|", " | ".join(case["columns"]), "| A | B |")
    print("|" + "---|" * len(case["columns"]) + "---:|---:|")
    for cells, labels in counts.items():
        print("|", " | ".join(cells), "|", labels["A"], "|", labels["B"], "|")
    print()


def accuracies(throng, table, release):
    """Naive Bayes, trained and tested on a release: mean over ten folds, by seed."""
    found = []
    for seed in SEEDS:
        judged = run(throng, "evaluate", table, release, "--target", "class", "--json", "--quiet",
                     "--classifiers", "naive-bayes", "--seed", seed)
        found += [
            result["accuracy"]
            for result in judged["results"]
            if result["trained_on"] == "released" and not result["tested_on_original"]
        ]
    return found


def line_of(throng, case, directory, options):
    """Runs one algorithm with its options, shows its table, and gives its line of the summary."""
    algorithm = " ".join(options)
    release = directory / f"{'-'.join(options).replace('---', '-')}.csv"
    found = run(throng, "anonymize", directory / "job.toml", "--quiet", "--json", "--replace", "-o", release,
                "--algorithm", *options)
    with open(release, newline="") as file:
        rows = [tuple(row) for row in csv.reader(file)][1:]
    print(f"`{algorithm}`:\n")
    show(case, rows)
    shown = [row[:-1] for row in rows]
    cells, by_rows = steps(case, shown)
    right = accuracies(throng, directory / "table.csv", release)
    return [
        f"`{algorithm}`",
        f"{len(set(shown))}/{len(case['rows'])}",
        f"{found['measures']['prec']:.2f}",
        str(cells),
        str(by_rows),
        f"{found['search']['checked_nodes']} of {found['search']['lattice_nodes']}",
        f"{right[0]:.0%} ({min(right):.0%} to {max(right):.0%})",
    ]


def main(throng, results):
    for name, (case, algorithms) in CASES.items():
        directory = results / name
        write(case, directory)
        print(f"## {name}\n")
        seen, admissible, most = exhaustive(case)
        print(f"Of {seen} cuts {admissible} may be released; the most rows are {most}.\n")
        lines = [line_of(throng, case, directory, options) for options in algorithms]
        print("| | row ratio | prec | steps of cells | of rows | checked, of the lattice | naive Bayes |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for line in lines:
            print("|", " | ".join(line), "|")
        print()


if __name__ == "__main__":
    default = HERE / "../../../target/heuristic-min/cases"
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else default))
