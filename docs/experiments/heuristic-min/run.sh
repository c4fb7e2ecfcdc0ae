#!/bin/sh
# Repeats the comparisons on Adult of heuristic-min.md: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/heuristic-min), the plots beside this
# file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/heuristic-min}
mkdir -p "$results/shields" "$results/released"

all="heuristic-min cut-search top-down-specialization bottom-up-generalization samarati flash mondrian sequential"
list=$(echo "$all" | tr ' ' ,)

"$throng" compare "$here/adult.toml" --quiet --k 5,10,25,50 --algorithms "$list" --repeat 1 --time-limit 10 \
    --suppression 0 --classifiers naive-bayes,random-forest --plots "$here/adult" -o "$results/adult.csv"
"$throng" compare "$here/adult.toml" --quiet --k 5,10,25,50 --algorithms "$list" --repeat 1 --time-limit 10 \
    --suppression 2% --classifiers naive-bayes,random-forest --plots "$here/adult-2" -o "$results/adult-2.csv"

# The papers' own: what is printed, by either description.
printed=heuristic-min:variant=printed
for algorithm in top-down-specialization bottom-up-generalization; do
    own=$algorithm:variant=printed
    printed=$printed,$algorithm,$own+follows=original,$own+follows=arca-hewett
done
"$throng" compare "$here/adult.toml" --quiet --k 5,10,25,50 --algorithms "$printed" --repeat 1 --time-limit 60 \
    --suppression 0 -o "$results/printed.csv"

# What heuristic-min has after 1, 10 and 60 seconds.
for limit in 1 10 60; do
    "$throng" anonymize "$here/adult.toml" --quiet --json -k 5 --time-limit $limit -o "$results/after.csv" \
        > "$results/after-$limit.json"
done

# Two shields: single releases, which the second forest learns from.
for algorithm in $all; do
    released=$results/shields/$algorithm
    "$throng" anonymize "$here/shields.toml" --quiet --json --algorithm "$algorithm" -o "$released.csv" \
        > "$released.json"
    "$throng" evaluate "$here/shields.toml" "$released.csv" --quiet --json > "$released-evaluate.json"
done

# What the cut search has by the number of rows, which is what heuristic-min is after, and by the classes.
most() { # NAME JOB MEASURE OPTIONS
    name=$results/most/$1 job=$here/$2 measure=$3
    shift 3
    "$throng" anonymize "$job" --quiet --json --algorithm cut-search --measure "$measure" "$@" -o "$name.csv" \
        > "$name.json"
}
mkdir -p "$results/most"
most shields shields.toml classes
for k in 5 10 25 50; do
    most rows-$k adult.toml classes -k $k
    most rows-2-$k adult.toml classes -k $k --suppression 2%
    most cm-$k adult.toml cm -k $k
    "$throng" evaluate "$here/adult.toml" "$results/most/cm-$k.csv" --quiet --json > "$results/most/cm-$k-evaluate.json"
done

# Releases for the second forest, which needs scikit-learn.
for algorithm in $all; do
    for k in 5 10 25 50; do
        "$throng" anonymize "$here/adult.toml" --quiet --json --algorithm "$algorithm" -k $k \
            -o "$results/released/$algorithm-$k.csv" > "$results/released/$algorithm-$k.json"
    done
done
(cd "$results" && python3 -B "$here/forest.py" released/*.csv shields/*.csv most/cm-*.csv \
    "$here/../../../../shared/data/adult/adult.csv") > "$results/forest.json"

# Of the plots the page has the losses and one of the times.
for plot in loss-iloss level nodes; do rm -f "$here"/adult*/$plot.svg; done
rm -f "$here/adult-2/time.svg"
python3 -B "$here/cases.py" "$throng" "$results/cases" > "$results/cases.md"
python3 -B "$here/tables.py" "$results"
