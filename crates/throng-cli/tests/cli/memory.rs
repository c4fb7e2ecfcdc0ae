//! Limits on memory: a run ends in order, and says what it would have needed.
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::process::Command;

use throng::random::Random;

use crate::sandbox::{Ran, Sandbox};

const LINE: &str = "anonymize codes.csv --qi a,b,c -k 2 --suppression 50% --threads 2 -o out.csv";

/// Rows that are nearly all distinct.
fn codes() -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut table = String::from("a,b,c\n");
    let mut random = Random::new(1);
    for _ in 0..60_000 {
        writeln!(
            table,
            "{:06},{:06},{:03}",
            random.below(100_000),
            random.below(100_000),
            random.below(1_000)
        )
        .unwrap();
    }
    sandbox.write("codes.csv", table);
    sandbox
}

fn run_within(sandbox: &Sandbox, kibibytes: u64) -> Ran {
    let binary = env!("CARGO_BIN_EXE_throng");
    // A run that waits for ever is a failure, too: exit code 124.
    let script = format!("ulimit -v {kibibytes}; exec timeout 120 {binary} {LINE}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.dir()).env_remove("RUST_BACKTRACE");
    Ran::from(shell.output().expect("a shell runs"))
}

#[test]
fn whatever_memory_there_is_a_run_ends_in_order() {
    let sandbox = codes();
    let (mut refused, mut told, mut released) = (0, 0, 0);
    for mebibytes in (66..=110).step_by(4).chain([4_000]) {
        let ran = run_within(&sandbox, mebibytes << 10);
        match ran.code {
            Some(0) => released += 1,
            Some(3) => {
                let said = ran.stderr.contains("not enough memory: ") && ran.stderr.contains("codes.csv");
                let failed =
                    ran.stderr.contains("memory allocation of ") || ran.stderr.contains("cannot start");
                assert!(said || failed, "{}", ran.stderr);
                refused += 1;
                told += u32::from(said);
                assert_eq!(sandbox.names(), ["codes.csv"], "with {mebibytes} MiB");
            }
            // The binary itself does not fit.
            None | Some(127) if mebibytes < 100 => {}
            code => panic!("{code:?} with {mebibytes} MiB: {}{}", ran.stdout, ran.stderr),
        }
        let _ = std::fs::remove_file(sandbox.path("out.csv"));
    }
    assert!(told > 0 && released > 0, "{refused} failed, {told} said what they need, {released} ended");
}
