#!/bin/sh
# Repeats the experiments of k-Anonymization Revisited: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/k-anonymization-revisited), the plots
# beside this file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/k-anonymization-revisited}
mkdir -p "$results"

variants=forest,sequential,nearest:notion=kk,expansion:notion=kk,expansion:notion=global-1k
for distance in 1 2 3 4; do
    variants=$variants,agglomerative:distance=$distance,agglomerative:distance=$distance+shrink
done

compare() { # NAME JOB OPTIONS
    name=$1 job=$2
    shift 2
    "$throng" compare "$job" --algorithms "$variants" --measures entropy,lm --k 5,10,15,20 \
        --suppression 0 "$@" --plots "$here/$name" -o "$results/$name.csv"
}

"$throng" demo --dataset art --rows 5000 --seed 1 --dir "$results/art" > "$results/demo.txt"
compare art "$results/art/art.toml"
compare adult "$here/adult.toml" --rows 5000 --seed 1
compare cmc "$here/cmc.toml"

rm -f "$here"/*/time-*.svg
python3 -B "$here/tables.py" "$results"
