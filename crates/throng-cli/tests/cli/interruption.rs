//! Ctrl-C, termination and a disk that is full: nothing is left behind.
#![cfg(unix)]

use std::fmt::Write;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use throng::random::Random;

use crate::sandbox::{Ran, Sandbox};

const PATIENCE: Duration = Duration::from_secs(60);

fn start(sandbox: &Sandbox, line: &str) -> Child {
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut command = sandbox.command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// The command must have stopped because of the signal, and say so.
fn assert_interrupted(child: Child, signalled: Instant) {
    let ran = Ran::from(child.wait_with_output().expect("the binary ends"));
    assert_eq!(ran.code, Some(130), "{}{}", ran.stdout, ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "error: interrupted; nothing was written\n"));
    assert!(signalled.elapsed() < Duration::from_secs(10), "it took long to stop");
}

/// A table whose exhaustive search takes far longer than anybody waits.
fn endless() -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut table = String::from("a,b,c,d,e,f\n");
    let mut random = Random::new(1);
    for _ in 0..3_000 {
        for column in 0..6 {
            let separator = if column == 5 { '\n' } else { ',' };
            write!(table, "{:06}{separator}", random.below(1_000_000)).unwrap();
        }
    }
    sandbox.write("codes.csv", table);
    sandbox
}

const ENDLESS: &str = "anonymize codes.csv --algorithm exhaustive -k 2 -o out.csv --qi a=mask:right \
                       --qi b=mask:right --qi c=mask:right --qi d=mask:right --qi e=mask:right --qi f=mask:right";

#[test]
fn a_search_is_interrupted_and_leaves_nothing_behind() {
    for name in ["-INT", "-TERM"] {
        let sandbox = endless();
        let child = start(&sandbox, ENDLESS);
        sleep(Duration::from_millis(700));
        signal(&child, name);
        assert_interrupted(child, Instant::now());
        assert_eq!(sandbox.names(), ["codes.csv"]);
    }
}

/// Stops a local search, with blocks and without.
#[test]
fn a_local_search_is_interrupted_and_leaves_nothing_behind() {
    for more in ["", "--block-rows 10000"] {
        let sandbox = Sandbox::empty();
        let mut table = String::from("a,b,c,d\n");
        for row in 0..250_000_u64 {
            let mut state = row;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) % 10_000
            };
            writeln!(table, "{:04},{:04},{:04},{:04}", next(), next(), next(), next()).unwrap();
        }
        sandbox.write("codes.csv", table);
        let line = format!(
            "anonymize codes.csv --algorithm agglomerative -k 5 -o out.csv --qi a=mask:right \
             --qi b=mask:right --qi c=mask:right --qi d=mask:right {more}"
        );
        let child = start(&sandbox, &line);
        sleep(Duration::from_millis(1_500));
        signal(&child, "-INT");
        assert_interrupted(child, Instant::now());
        assert_eq!(sandbox.names(), ["codes.csv"]);
    }
}

/// Many rows of few kinds: quick to search, long to write.
fn long() -> Sandbox {
    let sandbox = Sandbox::empty();
    let rows = "31,female,a kind of illness with a long name\n36,male,another illness\n".repeat(400_000);
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    sandbox.write("out.csv", "good");
    sandbox
}

#[test]
fn writing_is_interrupted_and_the_old_release_stays() {
    let sandbox = long();
    let line = "anonymize people.csv --qi age --qi sex --sensitive illness -k 2 -o out.csv";
    let mut child = start(&sandbox, line);
    let started = Instant::now();
    while !sandbox.names().iter().any(|name| name.starts_with(".throng-")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
        assert!(started.elapsed() < PATIENCE, "it never wrote");
        sleep(Duration::from_millis(1));
    }
    signal(&child, "-INT");
    assert_interrupted(child, Instant::now());
    assert_eq!(sandbox.names(), ["out.csv", "people.csv"]);
    assert_eq!(sandbox.read("out.csv"), "good");
}

/// A limit on the size of files stands for a full disk: writing fails half-way.
#[test]
fn a_failed_write_leaves_nothing_behind() {
    let sandbox = Sandbox::empty();
    let rows = "31,female,flu\n36,male,cold\n".repeat(20_000);
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    sandbox.write("out.csv", "good");
    let binary = env!("CARGO_BIN_EXE_throng");
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; \
         exec {binary} anonymize people.csv --qi age --qi sex --sensitive illness -k 2 -o out.csv"
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(sandbox.dir()).output();
    let ran = Ran::from(output.expect("a shell runs"));
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.starts_with("error: out.csv: cannot write: "), "{}", ran.stderr);
    assert_eq!(sandbox.names(), ["out.csv", "people.csv"]);
    assert_eq!(sandbox.read("out.csv"), "good");
}
