//! Jobs that are made from nothing but a table.

use std::path::Path;

use throng_engine::error::{EngineError, Result};
use throng_engine::init::{InitOptions, Initial, init};
use throng_engine::job::{Job, Role};
use throng_engine::progress::{Progress, Quiet};

use crate::sandbox::{Sandbox, run, run_on};

fn start_on(workers: usize, data: &Path, options: &InitOptions, progress: &dyn Progress) -> Result<Initial> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
    runtime.unwrap().block_on(init(data, options, progress))
}

fn start(sandbox: &Sandbox, name: &str) -> Initial {
    start_on(2, &sandbox.path(name), &InitOptions::default(), &Quiet).unwrap()
}

fn people() -> String {
    let mut text = String::from("name,born,zip,job,pay\n");
    for row in 0..300 {
        let (year, month, day) = (1950 + row * 7 % 50, 1 + row % 12, 1 + row % 28);
        let job = ["nurse", "clerk", "baker", "smith", "judge", ""][row * row % 6];
        let zip = 1_000 + row * 31 % 400;
        text.push_str(&format!(
            "N{row},{year}-{month:02}-{day:02},{zip:05},{job},{}.50\n",
            900 + row * 13 % 700
        ));
    }
    text
}

#[test]
fn the_job_runs_and_every_quasi_identifier_has_a_file() {
    let sandbox = Sandbox::with(&[("people.csv", &people())]);
    let initial = start(&sandbox, "people.csv");
    let roles: Vec<Role> = initial.columns.iter().map(|column| column.role).collect();
    assert_eq!(roles[..4], [Role::Identifier, Role::Quasi, Role::Quasi, Role::Quasi]);
    for column in &initial.columns {
        assert_eq!(column.hierarchy.is_some(), column.role == Role::Quasi);
        if let Some(hierarchy) = &column.hierarchy {
            assert!(hierarchy.path.exists() && hierarchy.sizes.last() == Some(&1), "{hierarchy:?}");
        }
    }
    let summary = run(&Job::read(&initial.job).unwrap(), &Quiet).unwrap();
    assert!(summary.achieved["k"].as_u64().unwrap() >= 5);
    assert_eq!(sandbox.names(), ["people-anonymous.csv", "people-hierarchies", "people.csv", "people.toml"]);
}

#[test]
fn threads_change_no_byte() {
    let text = people();
    let files = |workers: usize| {
        let sandbox = Sandbox::with(&[("people.csv", &text)]);
        let initial =
            start_on(workers, &sandbox.path("people.csv"), &InitOptions::default(), &Quiet).unwrap();
        let hierarchies = initial.columns.iter().filter_map(|column| column.hierarchy.as_ref());
        let texts = hierarchies.map(|hierarchy| std::fs::read_to_string(&hierarchy.path).unwrap());
        (texts.collect::<Vec<_>>(), sandbox.text("people.toml"))
    };
    assert_eq!(files(1), files(3));
}

/// Wants to stop once the rows were read so many times.
struct AfterScans(std::sync::atomic::AtomicU64, u64);

impl Progress for AfterScans {
    fn bytes_read(&self, bytes: u64, total: u64) {
        if bytes == total {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::SeqCst) >= self.1
    }
}

#[test]
fn a_cancelled_start_leaves_nothing_behind() {
    for scans in [0, 1] {
        let sandbox = Sandbox::with(&[("people.csv", &people())]);
        let stopper = AfterScans(Default::default(), scans);
        let stopped = start_on(2, &sandbox.path("people.csv"), &InitOptions::default(), &stopper);
        assert!(matches!(stopped, Err(EngineError::Interrupted)), "{stopped:?}");
        assert_eq!(sandbox.names(), ["people.csv"]);
    }
}

/// What stands in the way, the last of the hierarchies, is named, and all else is as it was.
#[test]
fn one_file_in_the_way_stops_all() {
    let sandbox = Sandbox::with(&[("people.csv", &people())]);
    std::fs::create_dir(sandbox.path("people-hierarchies")).unwrap();
    std::fs::write(sandbox.path("people-hierarchies/job.csv"), "mine").unwrap();
    let error = start_on(2, &sandbox.path("people.csv"), &InitOptions::default(), &Quiet).unwrap_err();
    assert!(error.to_string().contains("job.csv exists already"), "{error}");
    assert_eq!(sandbox.names(), ["people-hierarchies", "people.csv"]);
    assert_eq!(std::fs::read_dir(sandbox.path("people-hierarchies")).unwrap().count(), 1);
    assert_eq!(sandbox.text("people-hierarchies/job.csv"), "mine");
}

#[test]
fn jobs_may_build_hierarchies_in_each_run() {
    let sandbox = Sandbox::with(&[("people.csv", &people())]);
    let job = "input = 'people.csv'\noutput = 'out.csv'\nprivacy = { k = 5, suppression = 0.02 }\n[columns]\n\
               born = { role = 'quasi', hierarchy = { auto = true } }\n\
               zip = { role = 'quasi', hierarchy = { auto = true, levels = 2 } }\n\
               job = { role = 'quasi', hierarchy = { auto = true } }\n'*' = { role = 'identifier' }\n";
    let summary = sandbox.run(job);
    assert!(summary.achieved["k"].as_u64().unwrap() >= 5);
    assert_eq!(summary.heights["zip"], 3, "two levels and the top");
    let bytes = sandbox.bytes("out.csv");
    run_on(1, &sandbox.job(job), &Quiet).unwrap();
    assert_eq!(sandbox.bytes("out.csv"), bytes);
}
