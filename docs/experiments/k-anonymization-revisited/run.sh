#!/bin/sh
# Repeats the experiments of k-Anonymization Revisited: run.sh THRONG [RESULTS]
# THRONG is the program; the comparisons go to RESULTS (target/k-anonymization-revisited), the plots
# beside this file, the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/k-anonymization-revisited}
mkdir -p "$results"
# Plots that another version drew are not replaced.
rm -f "$here"/*/*.svg

# The algorithms of the paper, each told as in $1: nothing, or to run as printed.
paper() {
    for distance in 1 2 3 4; do
        printf '%s,' "agglomerative:distance=$distance$1" "agglomerative:distance=$distance+shrink$1"
    done
    printf '%s,' "nearest:notion=kk$1" "expansion:notion=kk$1" "expansion:notion=global-1k$1"
}
improved=$(paper "")forest,sequential
printed=$(paper +variant=printed)forest:variant=printed
# Beside distances 1 to 4, that of Nergiz and Clifton.
nergiz=agglomerative:distance=nergiz-clifton
improved=$improved,$nergiz,$nergiz+shrink

compare() { # NAME JOB OPTIONS
    name=$1 job=$2
    shift 2
    set -- "$job" --measures entropy,lm --k 5,10,15,20 --suppression 0 --repeat 1 "$@"
    "$throng" compare "$@" --algorithms "$improved" --plots "$here/$name" -o "$results/$name.csv"
    "$throng" compare "$@" --algorithms "$printed" -o "$results/printed-$name.csv"
}

# Steps of Algorithm 6 as printed: a summary for each measure and k. No suppression, as in the paper.
steps() { # NAME JOB
    for measure in entropy lm; do
        for k in 5 10 15 20; do
            "$throng" anonymize "$2" -k $k --measure $measure --algorithm expansion --notion global-1k \
                --variant printed --suppression 0 -o "$results/release.csv" --json > "$results/steps-$1-$measure-$k.json"
        done
    done
}

# One comparison for each dataset. Table I is forest and the lines marked best(agglomerative) and best(kk);
# without -o, the program prints them as text.
"$throng" demo --dataset art --rows 5000 --seed 1 --dir "$results/art" > "$results/demo.txt"
python3 -B "$here/adult.py" "$here/../../../../shared/data/adult-raw/adult.data" "$results/adult.csv"
compare art "$results/art/art.toml"
compare adult "$here/adult.toml" --rows 5000 --seed 1
compare cmc "$here/cmc.toml"
compare few "$here/few.toml" --rows 1500 --seed 1
rm -r "$here/few"
steps art "$results/art/art.toml"
steps cmc "$here/cmc.toml"

rm -f "$here"/*/time-*.svg
python3 -B "$here/tables.py" "$results"
