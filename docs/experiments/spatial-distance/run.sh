#!/bin/sh
# Repeats figures 4 and 5 of the SpatialDistance paper: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/spatial-distance), the plots beside
# this file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/spatial-distance}
mkdir -p "$results"

compare() { # JOB NAME OPTIONS
    job=$1 name=$2
    shift 2
    "$throng" compare "$here/$job.toml" --quiet --measures ncp --repeat 1 "$@" -o "$results/$job-$name.csv"
}

ks=2,5,10,15,20,25,30,35,40,45,50
local=spatial-distance,mondrian,mondrian:relaxed,agglomerative
for rows in 500 1000 3000 5000; do
    for seed in 1 2 3 4 5; do
        sample="$rows-$seed"
        set -- --rows "$rows" --seed "$seed" --suppression 0 --k "$ks"
        compare hierarchies "$sample" --algorithms "incognito,datafly,$local" "$@"
        compare ranges-and-sets "$sample" --algorithms "$local,sequential" "$@"
        # The raw sample: everything that is not k-anonymous by itself is suppressed.
        for job in hierarchies ranges-and-sets; do
            compare $job "raw-$sample" --algorithms datafly --rows "$rows" --seed "$seed" \
                --suppression 1.0 --k 2,50
        done
    done
done
# All rows; and fewer quasi-identifiers, the first of the table.
compare ranges-and-sets all --algorithms "$local" --suppression 0 --k 2,5,10,20,50
compare ranges-and-sets counts --algorithms "$local" --suppression 0 --k 10 --rows 5000 --seed 1 \
    --qi-counts 2..8 --qi-k 10
# Releases, to see what each column loses.
for algorithm in spatial-distance mondrian agglomerative; do
    "$throng" anonymize "$here/ranges-and-sets.toml" --quiet --json -k 10 --algorithm $algorithm \
        -o "$results/released-$algorithm.csv" > "$results/released-$algorithm.json"
done

python3 -B "$here/toolbox.py" "$results"
python3 -B "$here/tables.py" "$results"
