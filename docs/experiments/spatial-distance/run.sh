#!/bin/sh
# Repeats figures 4 and 5 of the SpatialDistance paper: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/spatial-distance), the plots beside
# this file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/spatial-distance}
mkdir -p "$results"

compare() { # NAME ALGORITHMS OPTIONS
    name=$1 algorithms=$2
    shift 2
    "$throng" compare "$here/adult.toml" --quiet --measures ncp --repeat 1 --algorithms "$algorithms" "$@" \
        -o "$results/$name.csv"
}

# Ranges of age, sets of the others. A set may have 50 members, more than the 41 values of the
# largest domain: no label is ever `*`.
open=generalise=range-or-set:50
without=spatial-distance:$open,mondrian:$open,mondrian:relaxed+$open,agglomerative:$open
with=spatial-distance,mondrian,mondrian:relaxed,agglomerative

for rows in 500 1000 3000 5000; do
    for seed in 1 2 3 4 5; do
        set -- --rows $rows --seed $seed
        # The raw sample: everything that is not k-anonymous by itself is suppressed.
        compare "raw-$rows-$seed" datafly "$@" --suppression 1.0 --k 2,50
        if [ $seed = 1 ]; then set -- "$@" --plots "$here/$rows"; fi
        compare "$rows-$seed" "$without,sequential:$open,incognito,datafly,$with" "$@" --suppression 0 \
            --k 2,5,10,15,20,25,30,35,40,45,50
    done
done
# All rows; and fewer quasi-identifiers, the first of the table.
compare all "$without" --suppression 0 --k 2,5,10,20,50
compare counts "$without" --suppression 0 --k 10 --rows 5000 --seed 1 --qi-counts 2..8
# Releases, to see what each column loses.
for algorithm in spatial-distance mondrian agglomerative; do
    "$throng" anonymize "$here/adult.toml" --quiet --json -k 10 --algorithm $algorithm \
        --qi age=range --qi sex=set:50 --qi race=set:50 --qi marital-status=set:50 --qi education=set:50 \
        --qi native-country=set:50 --qi workclass=set:50 --qi occupation=set:50 \
        -o "$results/released-$algorithm.csv" > "$results/released-$algorithm.json"
done

# Figures 4 and 5 are the loss and the utility; the other plots are not on the page.
for plot in time best-ncp loss-iloss level nodes; do rm -f "$here"/*/$plot.svg; done
python3 -B "$here/toolbox.py" "$results"
python3 -B "$here/tables.py" "$results"
