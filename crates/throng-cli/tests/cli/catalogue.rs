//! `throng algorithms`, and output that nobody reads.

use std::process::Stdio;

use crate::sandbox::{Ran, Sandbox};

#[test]
fn algorithms_and_measures_are_listed() {
    insta::assert_snapshot!(Sandbox::empty().throng("algorithms").done());
}

#[test]
fn the_list_is_there_for_scripts() {
    let list = Sandbox::empty().throng("algorithms --json").done();
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let names: Vec<&str> =
        list["algorithms"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"improved-greedy") && names.contains(&"flash"), "{names:?}");
    for key in ["family", "guarantee", "citation", "summary"] {
        assert!(list["algorithms"][0][key].is_string(), "{key}");
    }
    let entry = |name: &str| &list["algorithms"][names.iter().position(|of| *of == name).unwrap()];
    let settings = |name: &str| entry(name)["settings"].clone();
    assert_eq!(entry("expansion")["notions"], serde_json::json!(["1k", "k1", "kk", "global-1k"]));
    assert_eq!(settings("flash"), serde_json::json!([]));
    assert_eq!(settings("mondrian"), serde_json::json!(["variant", "block_rows", "relaxed", "toolbox"]));
    assert_eq!(list["measures"][0]["name"], "iloss");
    assert_eq!(list["measures"][0]["more_is_better"], false);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::empty();
    let mut command = sandbox.command(&["algorithms"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = Ran::from(Sandbox::empty().command(&["algorithms"]).stdout(full).output().unwrap());
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.starts_with("error: standard output: cannot write: "), "{}", ran.stderr);
}

#[test]
fn usage_errors_are_bad_input() {
    let sandbox = Sandbox::empty();
    for line in
        ["", "anonymize", "fly", "anonymize job.toml --kk 3", "hierarchy build --from a.csv --column b"]
    {
        let ran = sandbox.throng(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(ran.stderr.contains("Usage: throng"), "{line}: {}", ran.stderr);
    }
    assert!(sandbox.throng("--help").done().contains("Start with: throng demo"));
    assert!(sandbox.throng("--version").done().starts_with("throng 0."));
}

#[test]
fn shells_complete_every_command() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.throng(&format!("completions {shell}")).done();
        for command in ["anonymize", "evaluate", "completions"] {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
    assert!(sandbox.refused("completions csh").contains("bash"));
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::empty();
    let page = sandbox.throng("man").done();
    assert!(page.contains(".TH throng 1") && page.contains("anonymize"), "{page}");
    sandbox.throng("man --dir pages").done();
    for name in ["throng", "throng-anonymize", "throng-evaluate", "throng-man"] {
        let page = sandbox.read(&format!("pages/{name}.1"));
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
    }
    assert!(sandbox.read("pages/throng-check.1").contains("\\-\\-require"));
}

/// The commit is that of the sources, if they are in a clone.
#[test]
fn the_version_has_the_commit() {
    let version = Sandbox::empty().throng("--version").done();
    let number = env!("CARGO_PKG_VERSION");
    let git = std::process::Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    match git.ok().filter(|git| git.status.success()) {
        Some(git) => {
            let commit = String::from_utf8(git.stdout).unwrap();
            assert_eq!(version, format!("throng {number} ({})\n", commit.trim()));
        }
        None => assert_eq!(version, format!("throng {number}\n")),
    }
}
