//! Runs that are killed (-9) while they write, at random moments: what is at the target is the release from before or the
//! new one, whole, and what is left beside it goes with the next run.
//!
//! `THRONG_KILLS=200` kills each so often; a few times if it is not set.
#![cfg(target_os = "linux")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use throng::random::Random;

#[cfg(feature = "cluster")]
use crate::cluster::nodes::Cluster;
use crate::interruption::has_nameless_file;
use crate::sandbox::Sandbox;

const ROWS: usize = 12_000;
const PATIENCE: Duration = Duration::from_secs(60);

fn number_of_kills() -> usize {
    env::var("THRONG_KILLS").ok().map_or(8, |number| number.parse().expect("THRONG_KILLS is a number"))
}

/// A table that takes a moment to write. Asked for a crowd of two it is released as it is, asked for all rows as `*`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    let rows = "31,female,a kind of illness with a long name\n36,male,another illness\n".repeat(ROWS / 2);
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    sandbox
}

fn line(output: &str, k: usize) -> String {
    format!("anonymize people.csv --qi age --qi sex --sensitive illness -k {k} {output} -q")
}

/// The bytes of a release: of its file, or of all files of its directory by their names. Nothing if there is none.
fn bytes_of(target: &Path) -> Vec<(String, Vec<u8>)> {
    if target.is_file() {
        return vec![(String::new(), fs::read(target).unwrap())];
    }
    let entries = fs::read_dir(target).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn leftovers(sandbox: &Sandbox) -> Vec<String> {
    sandbox.names().into_iter().filter(|name| name.starts_with(".throng-")).collect()
}

/// Starts a run, and waits until it writes; none if it ended before that was seen.
fn start_writing(sandbox: &Sandbox, line: &str, before: &[String]) -> Option<Child> {
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut child =
        sandbox.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let started = Instant::now();
    // What an earlier run left, and this one removes, is no sign that it writes.
    let is_new = |name: &String| !before.contains(name) && !name.ends_with(".gone");
    while !has_nameless_file(sandbox, &child) && !leftovers(sandbox).iter().any(is_new) {
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        assert!(started.elapsed() < PATIENCE, "it never wrote");
        sleep(Duration::from_micros(200));
    }
    Some(child)
}

/// What became of the runs of an output.
#[derive(Debug, Default)]
struct Tally {
    killed: usize,
    /// Runs after which the new release was there.
    published: usize,
    /// Runs that left something beside the target.
    left: usize,
}

/// Kills runs that write to `target` until it was done often enough, each at another moment.
fn kill_often(target: &str, output: &str) -> Tally {
    let sandbox = sandbox();
    let wanted = number_of_kills();
    let whole = [2, ROWS].map(|k| {
        sandbox.throng(&line(output, k)).done();
        bytes_of(&sandbox.path(target))
    });
    assert!(whole[0] != whole[1] && whole.iter().all(|release| !release.is_empty()));
    let took = {
        let mut child = start_writing(&sandbox, &line(output, 2), &[]).expect("it writes");
        let started = Instant::now();
        child.wait().unwrap();
        started.elapsed()
    };
    let (mut random, mut tally) = (Random::new(26), Tally::default());
    for round in 0..wanted * 10 {
        let (before, old) = (leftovers(&sandbox), bytes_of(&sandbox.path(target)));
        let Some(mut child) = start_writing(&sandbox, &line(output, [2, ROWS][round % 2]), &before) else {
            continue;
        };
        sleep(took.mul_f64(random.below(1_300) as f64 / 1_000.0));
        child.kill().unwrap();
        let is_killed = child.wait().unwrap().code().is_none();
        let now = bytes_of(&sandbox.path(target));
        assert!(whole.contains(&now), "round {round}: a part of a release is under its name");
        let left = leftovers(&sandbox);
        assert!(left.iter().all(|name| !before.contains(name)), "round {round}: {left:?} was left before");
        if is_killed {
            tally.killed += 1;
            tally.published += usize::from(now != old);
            tally.left += usize::from(!left.is_empty());
        }
        if tally.killed == wanted {
            break;
        }
    }
    assert_eq!(tally.killed, wanted, "{tally:?}");
    sandbox.throng(&line(output, 2)).done();
    assert_eq!((bytes_of(&sandbox.path(target)), leftovers(&sandbox)), (whole[0].clone(), Vec::new()));
    let text = format!("{output}: {tally:?}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    tally
}

#[test]
fn a_file_is_whole_whenever_its_run_is_killed() {
    kill_often("out.csv", "-o out.csv");
    kill_often("out.parquet", "-o out.parquet");
}

#[test]
fn a_directory_of_parts_is_whole_whenever_its_run_is_killed() {
    let tally = kill_often("out", "-o out/ --rows-per-file 2000 --replace");
    assert!(tally.left > 0, "no kill left anything: the test kills at the wrong moments");
}

#[cfg(feature = "cluster")]
#[test]
fn parts_of_plans_are_whole_whenever_their_run_is_killed() {
    let tally = kill_often("out", "-o out/ --rows-per-file 2000 --replace --cluster local");
    assert!(tally.left > 0, "no kill left anything: the test kills at the wrong moments");
}

/// Nodes go on writing when nobody waits for them any more.
#[cfg(feature = "cluster")]
#[test]
fn parts_of_nodes_are_whole_whenever_their_run_is_killed() {
    let cluster = Cluster::start(1);
    let output = format!("-o out/ --rows-per-file 2000 --replace --cluster {}", cluster.address());
    kill_often("out", &output);
}

#[test]
fn what_a_killed_run_left_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write(".throng-abc123.csv", "half");
    fs::create_dir_all(sandbox.path(".throng-abc124/parts")).unwrap();
    sandbox.write(".throng-notes", "mine");
    let ran = sandbox.throng("anonymize job.toml --json");
    let report: serde_json::Value = serde_json::from_str(&ran.done()).unwrap();
    let warnings = report["warnings"].to_string();
    for name in [".throng-abc123.csv", ".throng-abc124"] {
        let said = format!("{name}, left behind by a run that was killed");
        assert!(warnings.contains(&said), "{warnings}");
    }
    assert_eq!(leftovers(&sandbox), [".throng-notes"]);
}
