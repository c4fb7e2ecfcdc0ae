"""Fails if a dependency asks for a newer Rust than the workspace promises to build with."""

import json
import subprocess
import sys


def version(text):
    return tuple(int(part) for part in (text.split("-")[0].split(".") + ["0", "0"])[:3])


command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
promised = next(package["rust_version"] for package in packages if package["name"] == "throng")
newer = [
    f"{package['name']} {package['version']} asks for Rust {package['rust_version']}"
    for package in packages
    if package["rust_version"] and version(package["rust_version"]) > version(promised)
]
if newer:
    sys.exit(f"the workspace promises to build with Rust {promised}, but\n  " + "\n  ".join(newer))
