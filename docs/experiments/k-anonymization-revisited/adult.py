#!/usr/bin/env python3
"""Adult as k-Anonymization Revisited has it: adult.py ADULT.DATA TARGET

Rows without missing values, with the nine attributes that the paper names.
"""

import csv
import sys

COLUMNS = {
    "age": 0,
    "workclass": 1,
    "education": 3,
    "marital-status": 5,
    "occupation": 6,
    "relationship": 7,
    "race": 8,
    "sex": 9,
    "native-country": 13,
}

source, target = sys.argv[1:]
with open(source, newline="") as file, open(target, "w", newline="") as out:
    rows = csv.reader(file, skipinitialspace=True)
    writer = csv.writer(out, delimiter=";", lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([row[at] for at in COLUMNS.values()] for row in rows if row and "?" not in row)
