//! `throng demo`: what a newcomer sees first.

use std::time::Instant;

use crate::sandbox::{Sandbox, stable};

#[test]
fn the_demo_shows_everything() {
    let sandbox = Sandbox::empty();
    let started = Instant::now();
    let text = sandbox.throng("demo").done();
    assert!(started.elapsed().as_secs() < 20, "the demo is slow");
    insta::assert_snapshot!(stable(&text));
    assert_eq!(sandbox.names(), ["throng-demo"]);
    let release = sandbox.read("throng-demo/hospital-k5.csv");
    assert!(release.lines().count() > 19_000);
    assert!(!release.lines().next().unwrap().contains("name"));
}

/// Does what a demo proposes, which must be so many commands.
fn try_next(sandbox: &Sandbox, demo: &str, expected: usize) {
    let text = sandbox.throng(demo).done();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    throng ")).collect();
    assert_eq!(commands.len(), expected);
    for command in commands {
        sandbox.throng(command).done();
    }
}

#[test]
fn what_to_try_next_works() {
    let sandbox = Sandbox::empty();
    try_next(&sandbox, "demo --rows 2000 --seed 3 --dir small --format parquet", 4);
    assert!(sandbox.path("small/hospital-k20.parquet").exists());
    try_next(&sandbox, "demo --dataset art --rows 300 --seed 3 --dir small --format parquet", 5);
    assert!(sandbox.path("small/art-kk5.parquet").exists());
}

#[test]
fn the_artificial_data_is_recoded_locally() {
    let sandbox = Sandbox::empty();
    let text = sandbox.throng("demo --dataset art --rows 1000").done();
    insta::assert_snapshot!(stable(&text));
    let (table, release) = (sandbox.read("throng-demo/art.csv"), sandbox.read("throng-demo/art-k5.csv"));
    assert_eq!([table.lines().count(), release.lines().count()], [1_001, 1_001]);
    sandbox.throng("demo --dataset art --rows 1000 --dir again").done();
    assert_eq!([sandbox.read("again/art.csv"), sandbox.read("again/art-k5.csv")], [table, release]);
}

#[test]
fn a_dataset_that_is_not_there_is_an_error_with_the_nearest_name() {
    let sandbox = Sandbox::empty();
    let message = sandbox.refused("demo --dataset arts");
    assert!(
        message.contains("unknown dataset 'arts'; did you mean 'art'? Allowed are: hospital, art, donors"),
        "{message}"
    );
}

#[test]
fn the_files_of_others_are_safe() {
    let sandbox = Sandbox::empty();
    sandbox.write("hospital.csv", "mine");
    let message = sandbox.refused("demo --dir . --rows 100");
    assert!(message.contains("hospital.csv exists and was not made by the demo"), "{message}");
    sandbox.refused("demo --rows 4");
}
