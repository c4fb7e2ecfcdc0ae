//! Nodes that fail in the middle of a job: others do their work, or it ends with nothing that looks whole.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, SystemTime};

use super::nodes::{Cluster, wait_until};
use super::{contents, lake, lake_of};
use crate::sandbox::{Ran, Sandbox};

/// Enough that nodes are busy for seconds.
const FILES: usize = 8;
const ROWS: usize = 20_000;

fn start(sandbox: &Sandbox, cluster: &Cluster) -> Child {
    let address = cluster.address();
    let mut command = sandbox.command(&["anonymize", "job.toml", "--cluster", &address, "-o", "out/", "-q"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command.spawn().expect("the binary runs")
}

fn end(child: Child) -> Ran {
    Ran::from(child.wait_with_output().expect("it ends"))
}

/// Whether there is a file somewhere below, of a name that ends so.
fn has_file(dir: &Path, end: &str) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    entries.flatten().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => has_file(&entry.path(), end),
        _ => entry.file_name().to_string_lossy().ends_with(end),
    })
}

/// What executors keep of jobs of the cluster: the name of each job, and when it was put there.
fn kept_results(dir: &Path) -> Vec<(String, SystemTime)> {
    let mut found = Vec::new();
    let mut open = vec![(dir.to_owned(), None)];
    while let Some((dir, job)) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            match (&job, path.extension()) {
                _ if path.is_dir() && name.starts_with(".throng-") => open.push((path, None)),
                (None, _) if path.is_dir() => open.push((path, Some(name))),
                (Some(job), _) if path.is_dir() => open.push((path, Some(job.clone()))),
                (Some(job), Some(end)) if end == "arrow" => {
                    found.extend(
                        entry.metadata().and_then(|file| file.modified()).map(|at| (job.clone(), at)),
                    );
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether an executor has counted a part: the first job is a look at the table, the next one counts.
fn has_counted(cluster: &Cluster, executor: usize) -> bool {
    let mut all: Vec<(String, SystemTime)> =
        (0..2).flat_map(|one| kept_results(&cluster.work_dir(one))).collect();
    all.sort_by_key(|(_, at)| *at);
    let Some((look, _)) = all.first() else { return false };
    kept_results(&cluster.work_dir(executor)).iter().any(|(job, _)| job != look)
}

/// The hidden directory that the release is written into.
fn hidden(sandbox: &Sandbox) -> Option<std::path::PathBuf> {
    let name = sandbox.names().into_iter().find(|name| name.starts_with(".throng-"))?;
    Some(sandbox.path(&name))
}

/// All is as without the fault.
fn is_whole(sandbox: &Sandbox, ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(hidden(sandbox).is_none(), "{:?}", sandbox.names());
    assert_eq!(contents(&sandbox.path("out")), contents(&sandbox.path("here")));
}

/// There is no release, for this reason.
fn is_nothing(sandbox: &Sandbox, ran: &Ran, why: &str) {
    assert!(ran.code == Some(3) && ran.stderr.contains(why), "{:?} {}", ran.code, ran.stderr);
    assert!(!sandbox.path("out").exists() && hidden(sandbox).is_none(), "{:?}", sandbox.names());
}

fn prepare(executors: usize) -> (Sandbox, Cluster) {
    let sandbox = lake(FILES, ROWS);
    sandbox.throng("anonymize job.toml --cluster local -o here/ -q").done();
    (sandbox, Cluster::start(executors))
}

#[test]
fn an_executor_that_dies_while_it_counts() {
    let (sandbox, mut cluster) = prepare(2);
    let job = start(&sandbox, &cluster);
    wait_until("the executor has counted a part", || has_counted(&cluster, 0));
    cluster.kill_executor(0);
    let ran = end(job);
    is_whole(&sandbox, &ran);
}

/// It is done with its only part, and the other still counts: nobody misses it before its counts are fetched.
#[test]
fn an_executor_that_dies_with_its_counts() {
    let sandbox = lake_of(&[100, FILES * ROWS]);
    sandbox.throng("anonymize job.toml --cluster local -o here/ -q").done();
    let mut cluster = Cluster::start(2);
    let job = start(&sandbox, &cluster);
    let done = |cluster: &Cluster| (0..2).find(|&one| has_counted(cluster, one));
    wait_until("an executor has counted a part", || done(&cluster).is_some());
    let first = done(&cluster).unwrap();
    // It tells the scheduler when it asks for more.
    std::thread::sleep(Duration::from_millis(500));
    cluster.kill_executor(first);
    is_whole(&sandbox, &end(job));
}

#[test]
fn an_executor_that_dies_while_it_writes() {
    let (sandbox, mut cluster) = prepare(2);
    let job = start(&sandbox, &cluster);
    wait_until("a part is written", || hidden(&sandbox).is_some_and(|dir| has_file(&dir, ".parquet")));
    cluster.kill_executor(1);
    let ran = end(job);
    is_whole(&sandbox, &ran);
}

/// Nobody is left who could do it again, which the scheduler sees after a while.
#[test]
fn the_last_executor_dies() {
    let (sandbox, mut cluster) = prepare(1);
    let job = start(&sandbox, &cluster);
    wait_until("the executor has counted a part", || has_counted(&cluster, 0));
    cluster.kill_executor(0);
    is_nothing(&sandbox, &end(job), "has no executor");
}

#[test]
fn a_scheduler_that_dies() {
    let (sandbox, mut cluster) = prepare(2);
    let job = start(&sandbox, &cluster);
    wait_until("the executor has counted a part", || has_counted(&cluster, 0));
    cluster.kill_scheduler();
    let ran = end(job);
    is_nothing(&sandbox, &ran, "is lost");
}

/// Ctrl-C while nodes write many small files: they find no place any more, and nothing is left.
#[test]
fn an_interruption_leaves_nothing() {
    let (sandbox, cluster) = prepare(2);
    for cluster in [cluster.address(), "local".to_owned()] {
        interrupt(&sandbox, &cluster);
    }
}

fn interrupt(sandbox: &Sandbox, cluster: &str) {
    let line = ["anonymize", "job.toml", "--cluster", cluster, "-o", "out/", "-q", "--rows-per-file", "5"];
    let mut command = sandbox.command(&line);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let job = command.spawn().expect("the binary runs");
    wait_until("a part is written", || hidden(sandbox).is_some_and(|dir| has_file(&dir, ".parquet")));
    let pid = job.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ran = end(job);
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    std::thread::sleep(Duration::from_secs(3));
    assert!(!sandbox.path("out").exists() && hidden(sandbox).is_none(), "{:?}", sandbox.names());
}
