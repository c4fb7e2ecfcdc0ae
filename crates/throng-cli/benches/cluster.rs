//! Counting and writing on executors of one core each, beside the same plans in one process and beside no plans.
//!
//! `cargo bench -p throng-cli --features cluster --bench cluster -- [ROWS] [FILES] [QUASI]`; if not said, 1,000,000 rows in
//! 10 files with six quasi-identifiers, which make nearly every row a tuple of its own; with three there are some 1,900
//! tuples. Ratios of runs by turns are what counts. Bytes are those of the loopback interface.

#![allow(clippy::print_stdout)]

#[cfg(all(unix, feature = "cluster"))]
#[path = "../tests/cli/cluster/nodes.rs"]
#[allow(dead_code)]
mod nodes;

#[cfg(all(unix, feature = "cluster"))]
fn main() {
    use bench::{Table, run};
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, usual: usize| *numbers.get(at).unwrap_or(&usual);
    let table = Table::make(number(0, 1_000_000), number(1, 10), number(2, 6) == 3);
    for round in 1..=2 {
        println!("round {round}");
        run(&table, "no plans, 1 thread", &["--threads", "1"]);
        run(&table, "plans here, 1 thread", &["--cluster", "local", "--threads", "1"]);
        for executors in [1, 2, 4] {
            let cluster = nodes::Cluster::start(executors);
            let name = format!("{executors} executors");
            run(&table, &name, &["--cluster", &cluster.address(), "--threads", "1"]);
        }
    }
}

#[cfg(not(all(unix, feature = "cluster")))]
fn main() {}

#[cfg(all(unix, feature = "cluster"))]
mod bench {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::time::Instant;

    use tempfile::TempDir;

    /// A table of several files, and its job.
    pub(crate) struct Table {
        dir: TempDir,
        /// Whether only columns of few values are quasi-identifiers.
        has_few_tuples: bool,
    }

    impl Table {
        pub(crate) fn make(rows: usize, files: usize, has_few_tuples: bool) -> Table {
            let dir = tempfile::tempdir().unwrap();
            let throng = |args: &[&str]| {
                let status =
                    Command::new(env!("CARGO_BIN_EXE_throng")).args(args).current_dir(dir.path()).status();
                assert!(status.unwrap().success(), "{args:?}");
            };
            fs::create_dir(dir.path().join("table")).unwrap();
            for seed in 1..=files {
                let (rows, number) = ((rows / files).to_string(), seed.to_string());
                throng(&[
                    "demo", "--rows", &rows, "--seed", &number, "--format", "parquet", "--dir", "made", "-q",
                ]);
                let made = dir.path().join("made/hospital.parquet");
                fs::rename(made, dir.path().join(format!("table/{seed:03}.parquet"))).unwrap();
            }
            fs::rename(dir.path().join("made/hierarchies"), dir.path().join("hierarchies")).unwrap();
            let job = fs::read_to_string(dir.path().join("made/hospital.toml")).unwrap();
            let job =
                job.replace("hospital.parquet", "table/").replace("\"hospital-k5.parquet\"", "\"out/\"");
            fs::write(dir.path().join("job.toml"), job).unwrap();
            Table { dir, has_few_tuples }
        }
    }

    /// Bytes that the loopback interface has received so far.
    fn loopback_bytes() -> u64 {
        let text = fs::read_to_string("/proc/net/dev").unwrap_or_default();
        let line = text.lines().find_map(|line| line.trim().strip_prefix("lo:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn run(table: &Table, name: &str, more: &[&str]) {
        let dir: &Path = table.dir.path();
        let (before, started) = (loopback_bytes(), Instant::now());
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command
            .args(["anonymize", "job.toml", "--json", "-o", "out/", "--replace"])
            .args(more)
            .current_dir(dir);
        if table.has_few_tuples {
            command.args(["--other", "birth_date,zip,admission_date"]);
        }
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        let seconds = started.elapsed().as_secs_f64();
        let summary: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let of = |phase: &str| summary["seconds"][phase].as_f64().unwrap_or(f64::NAN);
        println!(
            "{name:24} all {seconds:6.1} s: read {:5.1}, search {:5.1}, apply {:4.1}, verify {:4.1}, write {:5.1}; {:7.1} MB sent",
            of("read"),
            of("search"),
            of("apply"),
            of("verify"),
            of("write"),
            (loopback_bytes() - before) as f64 / 1e6,
        );
    }
}
