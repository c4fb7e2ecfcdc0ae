//! Limits on memory: a run ends in order, and says what it would have needed.
#![cfg(target_os = "linux")]

use std::fmt::Write;

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
    Ran::from(sandbox.shell(&script).output().expect("a shell runs"))
}

/// The least memory in which the binary itself can be started, which depends on what it was built with.
fn least_mebibytes(sandbox: &Sandbox) -> u64 {
    let binary = env!("CARGO_BIN_EXE_throng");
    let starts = |mebibytes: &u64| {
        let script = format!("ulimit -v {}; exec {binary} --version", mebibytes << 10);
        sandbox.shell(&script).output().expect("a shell runs").status.success()
    };
    (16..4_000).step_by(4).find(starts).expect("the binary starts")
}

#[test]
fn whatever_memory_there_is_a_run_ends_in_order() {
    let sandbox = codes();
    let (mut refused, mut told, mut released) = (0, 0, 0);
    let least = least_mebibytes(&sandbox);
    for mebibytes in (least..=least + 100).step_by(4).chain([4_000]) {
        let ran = run_within(&sandbox, mebibytes << 10);
        match ran.code {
            Some(0) => released += 1,
            Some(3) => {
                let said = ran.stderr.contains("not enough memory: ") && ran.stderr.contains("codes.csv");
                let failed = ["memory allocation of ", "cannot start", "out of memory"]
                    .iter()
                    .any(|&how| ran.stderr.contains(how));
                assert!(said || failed, "{}", ran.stderr);
                refused += 1;
                told += u32::from(said);
                assert_eq!(sandbox.names(), ["codes.csv"], "with {mebibytes} MiB");
            }
            // The binary itself does not fit, with its threads.
            None | Some(127) if mebibytes < least + 60 => {}
            code => panic!("{code:?} with {mebibytes} MiB: {}{}", ran.stdout, ran.stderr),
        }
        let _ = std::fs::remove_file(sandbox.path("out.csv"));
    }
    assert!(told > 0 && released > 0, "{refused} failed, {told} said what they need, {released} ended");
}

/// A limit that the user names: what is needed is said, and nothing is written.
#[test]
fn a_memory_limit_is_kept_to_or_refused_with_numbers() {
    let sandbox = codes();
    let within = |limit: &str| {
        sandbox.throng(&LINE.replace("--threads 2", &format!("--threads 2 --memory-limit {limit}")))
    };
    let values = within("100KiB");
    assert_eq!(values.code, Some(3), "{}", values.stderr);
    assert!(values.stderr.contains("memory_limit is 100.0 KiB, and more than "), "{}", values.stderr);
    assert_eq!(sandbox.names(), ["codes.csv"]);
    // Enough to read the table, not to search it.
    let classes = within("10MiB");
    assert_eq!(classes.code, Some(3), "{}", classes.stderr);
    assert!(
        classes.stderr.contains("is needed on top of ") && classes.stderr.contains("distinct tuples"),
        "{}",
        classes.stderr
    );
    assert_eq!(sandbox.names(), ["codes.csv"]);
    let nothing = within("0");
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.stderr.contains("a size is a number of bytes above 0"), "{}", nothing.stderr);
    assert_eq!(within("1GiB").code, Some(0));
}

/// What a search, a recoding or a verification takes beyond what could be told before: the run is stopped in order, by
/// whatever algorithm, and says where.
#[test]
fn a_memory_limit_holds_for_every_phase() {
    let sandbox = codes();
    for algorithm in ["datafly", "top-down-specialization", "mondrian", "sequential"] {
        let within = |limit: &str| {
            let line = format!("{LINE} --algorithm {algorithm} --memory-limit {limit}");
            let ran = sandbox.throng(&line);
            let names = sandbox.names();
            let _ = std::fs::remove_file(sandbox.path("out.csv"));
            (ran, names)
        };
        // The scan fits, and what is known of the search.
        let (stopped, names) = within("26MiB");
        assert_eq!(stopped.code, Some(3), "{algorithm}: {}{}", stopped.stdout, stopped.stderr);
        assert!(
            stopped.stderr.contains("memory_limit is 26.0 MiB, but the run already held "),
            "{}",
            stopped.stderr
        );
        assert!(stopped.stderr.contains(" in the phase '"), "{}", stopped.stderr);
        assert_eq!(names, ["codes.csv"], "{algorithm}");
        assert_eq!(within("2GiB").0.code, Some(0), "{algorithm}");
    }
}
