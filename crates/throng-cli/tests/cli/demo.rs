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

#[test]
fn what_to_try_next_works() {
    let sandbox = Sandbox::empty();
    let text = sandbox.throng("demo --rows 2000 --seed 3 --dir small --format parquet").done();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    throng ")).collect();
    assert_eq!(commands.len(), 4);
    for command in commands {
        sandbox.throng(command).done();
    }
    assert!(sandbox.path("small/hospital-k20.parquet").exists());
}

#[test]
fn the_files_of_others_are_safe() {
    let sandbox = Sandbox::empty();
    sandbox.write("hospital.csv", "mine");
    let message = sandbox.refused("demo --dir . --rows 100");
    assert!(message.contains("hospital.csv exists and was not made by the demo"), "{message}");
    sandbox.refused("demo --rows 4");
}
