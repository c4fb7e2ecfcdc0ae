#!/usr/bin/env python3
"""A second random forest, by scikit-learn: forest.py RELEASE... prints JSON, accuracy by file

As that of `throng evaluate`: 25 trees, at most 12 splits deep, five rows in a leaf, values ordered by the
share of the first class among training rows, drawn to that of all by ten rows; ten folds. Files have `;`,
a header, and the class last.
"""

import csv
import json
import sys

import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

PRIOR_ROWS = 10


def ordered(column, is_first, training):
    """The values of a column as numbers."""
    values, codes = numpy.unique(column, return_inverse=True)
    rows = numpy.bincount(codes[training], minlength=len(values))
    first = numpy.bincount(codes[training], weights=is_first[training], minlength=len(values))
    share = is_first[training].mean()
    return ((first + PRIOR_ROWS * share) / (rows + PRIOR_ROWS))[codes]


def accuracy(path):
    with open(path, newline="") as file:
        cells = numpy.array(list(csv.reader(file, delimiter=";"))[1:])
    columns, labels = cells[:, :-1], cells[:, -1]
    is_first = (labels == labels[0]).astype(int)
    right = []
    for training, test in StratifiedKFold(10, shuffle=True, random_state=1).split(columns, is_first):
        numbers = numpy.column_stack([ordered(column, is_first, training) for column in columns.T])
        forest = RandomForestClassifier(25, max_depth=12, min_samples_leaf=5, max_features=3, random_state=1)
        forest.fit(numbers[training], is_first[training])
        right.append((forest.predict(numbers[test]) == is_first[test]).mean())
    return float(numpy.mean(right))


if __name__ == "__main__":
    print(json.dumps({path: accuracy(path) for path in sys.argv[1:]}, indent=1))
