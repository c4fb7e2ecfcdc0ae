#!/bin/sh
# Repeats the experiments of improved-greedy.md: run.sh THRONG [RESULTS]
# THRONG is the program; tables, hierarchies and comparisons go to RESULTS (target/improved-greedy), the plots beside this
# file, the tables into the page. Nothing that the page shows depends on the clock.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/improved-greedy}
python3 -B "$here/hierarchies.py" "$results"
"$throng" demo --dataset donors --rows 96367 --dir "$results/donors" > "$results/demo.txt"

prose=improved-greedy:variant=printed+reading=prose
all=datafly,improved-greedy,$prose,samarati,flash

compare() { # JOB NAME OPTIONS
    job=$1 name=$2
    shift 2
    for limit in 0 1; do
        "$throng" compare "$job" --quiet --threads 1 --repeat 1 --k 2,5,10,20,50,100 --algorithms "$all" \
            --suppression $limit% "$@" -o "$results/$name-$limit.csv"
    done
}

for set in "$results"/*/job.toml; do
    name=$(basename "$(dirname "$set")")
    compare "$set" "$name" --qi-counts 3..8
done
compare "$results/donors/donors.toml" donors

# The plots of the set by meaning and of the second table.
rm -f "$here"/*/*.svg
for limit in 0 1; do
    for table in meaning/job donors/donors; do
        "$throng" compare "$results/$table.toml" --quiet --threads 1 --repeat 1 --k 2,5,10,20,50,100 --algorithms "$all" \
            --suppression $limit% --plots "$here/$(dirname $table)-$limit" -o "$results/plotted.csv"
    done
done
rm -f "$here"/*/time*.svg "$here"/*/best-*.svg
python3 -B "$here/tables.py" "$results"
