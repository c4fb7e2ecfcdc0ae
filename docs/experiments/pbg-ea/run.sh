#!/bin/sh
# Repeats the experiments of pbg-ea.md: run.sh THRONG [RESULTS]
# THRONG is the program; hierarchies, jobs and figures go to RESULTS (target/pbg-ea), the tables into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/pbg-ea}
mkdir -p "$results"
adult=$here/../../../../shared/data/adult/adult.csv

python3 -B "$here/hierarchies.py" "$results"
cargo run --quiet --release -p throng --example pbg_ea -- "$adult" "$results" > "$results/runs.csv"
"$throng" frontier "$results/adult.toml" --quiet --json --objectives k,glm --local sequential,mondrian \
    > "$results/local-k.json"
"$throng" frontier "$results/adult.toml" --quiet --json --objectives k,l,glm --local sequential,mondrian \
    > "$results/local-l.json"
python3 -B "$here/tables.py" "$results"
