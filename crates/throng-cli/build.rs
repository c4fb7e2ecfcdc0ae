//! Notes the commit that the program is built from, if that is a clone of this repository.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

fn main() -> io::Result<()> {
    let mut cargo = io::stdout();
    writeln!(cargo, "cargo::rerun-if-changed=build.rs")?;
    // The first changes with the branch, the second with every commit.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            writeln!(cargo, "cargo::rerun-if-changed={path}")?;
        }
    }
    match is_clone().then(|| git(&["rev-parse", "--short=12", "HEAD"])).flatten() {
        Some(commit) => writeln!(cargo, "cargo::rustc-env=BUILD_COMMIT={commit}"),
        None => Ok(()),
    }
}

/// Sources that were unpacked inside of another repository are none of its commits.
fn is_clone() -> bool {
    git(&["ls-files", "--error-unmatch", "build.rs"]).is_some()
}

/// What git says in the folder of this crate; nothing without git, or outside of a repository.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
