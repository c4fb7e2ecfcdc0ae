#!/bin/sh
# Repeats the experiments of pbg-ea.md: run.sh THRONG [RESULTS]
# THRONG is the program; hierarchies, jobs and fronts go to RESULTS (target/pbg-ea), the figures beside this file, the tables
# into the page.
set -eu
throng=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../../../target/pbg-ea}
mkdir -p "$results"
adult=$here/../../../../shared/data/adult/adult.csv
search() { # HIERARCHIES [SETS]
    cargo run --quiet --release -p throng --example pbg_ea -- "$adult" "$@"
}

python3 -B "$here/hierarchies.py" "$results"
search "$results" > "$results/runs.csv"
# The sets of Table 1(b), with the values in groups of chance.
for seed in 1 2 3 4 5 6; do
    python3 -B "$here/hierarchies.py" "$results/chance-$seed" $seed
    search "$results/chance-$seed" 4 > "$results/runs-$seed.csv"
done

front() { # JOB OBJECTIVES OPTIONS
    job=$1 names=$2
    shift 2
    "$throng" frontier "$results/$job.toml" --quiet --json --objectives "$names" "$@"
}
for names in k,glm k,l,glm sk,glm sk,sl,glm; do
    front adult $names --method exact > "$results/exact-$names.json"
    front adult $names --method pbg-ea > "$results/pbg-ea-$names.json"
done
front target k,glm,cm --method exact > "$results/exact-k,glm,cm.json"
front target k,glm,cm --method pbg-ea > "$results/pbg-ea-k,glm,cm.json"
front adult k,glm --local sequential,mondrian > "$results/local-k.json"
front adult k,l,glm --local sequential,mondrian > "$results/local-l.json"
python3 -B "$here/figures.py" "$results"
python3 -B "$here/tables.py" "$results"
