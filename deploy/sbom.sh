#!/bin/sh
# sbom.sh DIRECTORY: writes a bill of materials of the program, with all that its features bring, in CycloneDX's JSON.
# Needs cargo-cyclonedx (cargo install --locked cargo-cyclonedx). Run it in the folder of the repository.
set -eu
directory=${1:?sbom.sh DIRECTORY: where the bill of materials goes}
mkdir -p "$directory"
# The tool writes beside each Cargo.toml, for every crate of the workspace.
cargo cyclonedx --quiet --all-features --format json --override-filename throng-sbom
mv crates/throng-cli/throng-sbom.json "$directory/throng.cdx.json"
rm -f crates/*/throng-sbom.json
