#!/bin/sh
# Repeats the experiments of all papers, and brings their pages up to date: run-all.sh THRONG
# THRONG is the program, as `cargo build --release --all-features` makes it. It takes hours; ../shared/data must be there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for run in "$here"/*/run.sh; do
    echo "$run" >&2
    "$run" "$1"
done
