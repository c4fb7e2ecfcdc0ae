#!/bin/sh
# Repeats figures 4 and 5 of the SpatialDistance paper: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/spatial-distance), the tables into the
# page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/spatial-distance}
mkdir -p "$results"
seeds="1 2 3 4 5 6 7 8"

compare() { # NAME ALGORITHMS OPTIONS
    name=$1 algorithms=$2
    shift 2
    "$throng" compare "$here/adult.toml" --quiet --measures ncp --repeat 1 --algorithms "$algorithms" "$@" \
        -o "$results/$name.csv"
}

# Ranges of age, sets of the others. A set may have 50 members, more than the 41 values of the
# largest domain: no label is ever `*`.
open=generalise=range-or-set:50
without=spatial-distance:$open,mondrian:$open,agglomerative:$open,sequential:$open
with=spatial-distance,mondrian,agglomerative,incognito,datafly
of=variant=printed
printed=spatial-distance:$of+$open,mondrian:$of+$open,mondrian:$of+relaxed+$open,mondrian:$of+toolbox+$open

for rows in 500 1000 3000 5000; do
    for seed in $seeds; do
        set -- --rows $rows --seed $seed
        # The raw sample: everything that is not k-anonymous by itself is suppressed.
        compare "raw-$rows-$seed" datafly "$@" --suppression 1.0 --k 2,50
        set -- "$@" --suppression 0 --k 2,5,10,20,30,50
        compare "printed-$rows-$seed" "$printed,mondrian:$of" "$@"
        compare "$rows-$seed" "$without,$with" "$@"
    done
done
# Fewer quasi-identifiers, the first of the table; and all rows.
for seed in $seeds; do
    set -- --suppression 0 --k 10 --rows 5000 --seed $seed --qi-counts 2..8
    compare "counts-$seed" "$without" "$@"
    compare "printed-counts-$seed" "$printed" "$@"
done
compare printed-all "$printed" --suppression 0 --k 2,5,10,20,50
# Releases, to see what each column loses.
for algorithm in spatial-distance mondrian agglomerative; do
    "$throng" anonymize "$here/adult.toml" --quiet --json -k 10 --algorithm $algorithm \
        --qi age=range --qi sex=set:50 --qi race=set:50 --qi marital-status=set:50 --qi education=set:50 \
        --qi native-country=set:50 --qi workclass=set:50 --qi occupation=set:50 \
        -o "$results/released-$algorithm.csv" > "$results/released-$algorithm.json"
done

python3 -B "$here/toolbox.py" "$results"
python3 -B "$here/outliers.py" "$throng" "$results"
python3 -B "$here/tables.py" "$results"
