//! Files that a command writes: no two of them are one, and none is one that it reads.

use crate::sandbox::{PEOPLE, Sandbox};

#[test]
fn two_outputs_in_one_place_are_refused() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    for (flags, names) in [
        ("-o out.csv --report out.csv", "the release and --report"),
        ("-o out.csv --summary ./out.csv", "the release and --summary"),
        ("--report r.x --save r.x", "--save and --report"),
        ("--report r.x --summary r.x", "--summary and --report"),
        ("--save r.x --summary r.x", "--save and --summary"),
    ] {
        let said = sandbox.refused(&format!("anonymize job.toml {flags}"));
        assert!(said.contains(names), "{flags}: {said}");
        assert_eq!(sandbox.names(), before, "{flags}");
    }
    sandbox.throng("anonymize job.toml --save r.json -q").done();
    let said = sandbox.refused("apply r.json people.csv -o out.csv --summary out.csv");
    assert!(said.contains("the release and --summary"), "{said}");
    // The log has the refusal.
    let ran = sandbox.throng("anonymize job.toml -o out.csv --log out.csv");
    assert!(ran.code == Some(2) && ran.stderr.contains("the release and --log"), "{}", ran.stderr);
}

#[test]
fn other_commands_refuse_it_too() {
    let sandbox = Sandbox::new();
    let said = sandbox.refused("frontier job.toml --html x --save x");
    assert!(said.contains("--html and --save"), "{said}");
    for line in ["compare job.toml -o x.csv", "sql job.toml --dialect ansi -o x.csv"] {
        let ran = sandbox.throng(&format!("{line} --log x.csv"));
        assert!(ran.code == Some(2) && ran.stderr.contains("--output and --log"), "{line}: {}", ran.stderr);
    }
}

/// A file in the place of a directory is seen before anything is compared.
#[test]
fn plots_go_into_a_directory() {
    let sandbox = Sandbox::new();
    let ran = sandbox.throng("compare job.toml --plots people.csv");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("people.csv: cannot write") && ran.stderr.contains("not a directory"));
    assert_eq!(sandbox.read("people.csv"), PEOPLE);
}

/// A log goes on in a log, and in no other file that is there.
#[test]
fn a_log_damages_no_table() {
    let sandbox = Sandbox::new();
    for file in ["people.csv", "job.toml", "age.csv"] {
        let said = sandbox.refused(&format!("anonymize job.toml --log {file}"));
        assert!(said.contains("is not a throng log"), "{said}");
    }
    assert_eq!(sandbox.read("people.csv"), PEOPLE);
    for _ in 0..2 {
        sandbox.throng("anonymize job.toml --log run.log -q").done();
    }
    assert_eq!(sandbox.read("run.log").matches("throng 0.").count(), 2);
}

/// What is no regular file is not looked into: that would wait for ever.
#[cfg(unix)]
#[test]
fn a_log_may_go_to_a_pipe() {
    let sandbox = Sandbox::new();
    let ran = sandbox.throng("anonymize job.toml --log /dev/stderr -q");
    assert!(ran.code == Some(0) && ran.stderr.contains("verify begins"), "{}", ran.stderr);
}
