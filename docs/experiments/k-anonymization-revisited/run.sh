#!/bin/sh
# Repeats the experiments of k-Anonymization Revisited: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/k-anonymization-revisited), the plots
# beside this file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/k-anonymization-revisited}
mkdir -p "$results"

distances=
for distance in 1 2 3 4; do
    distances=$distances,agglomerative:distance=$distance,agglomerative:distance=$distance+shrink
done
variants=forest,sequential,nearest:notion=kk,expansion:notion=kk,expansion:notion=global-1k$distances
# Beside distances 1 to 4, that of Nergiz and Clifton; and times of more searches.
nergiz=agglomerative:distance=nergiz-clifton
beyond=sequential$distances,$nergiz,$nergiz+shrink

compare() { # NAME JOB OPTIONS
    name=$1 job=$2
    shift 2
    set -- "$job" --measures entropy,lm --k 5,10,15,20 --suppression 0 "$@"
    "$throng" compare "$@" --algorithms "$variants" --plots "$here/$name" -o "$results/$name.csv"
    "$throng" compare "$@" --algorithms "$beyond" --repeat 9 -o "$results/beyond-$name.csv"
}

# One comparison for each dataset. Table I is forest and the lines marked best(agglomerative) and best(kk);
# without -o, the program prints them as text.
"$throng" demo --dataset art --rows 5000 --seed 1 --dir "$results/art" > "$results/demo.txt"
compare art "$results/art/art.toml"
compare adult "$here/adult.toml" --rows 5000 --seed 1
compare cmc "$here/cmc.toml"

rm -f "$here"/*/time-*.svg
python3 -B "$here/tables.py" "$results"
