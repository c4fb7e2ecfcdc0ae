//! Standard input and output, errors as JSON, quiet, and lists of columns.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::sandbox::{PEOPLE, Ran, Sandbox};

/// Runs a command that reads `text` from standard input.
pub(crate) fn fed(sandbox: &Sandbox, line: &str, text: &[u8]) -> Ran {
    let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its line reads nothing.
    let _ = child.stdin.take().unwrap().write_all(text);
    Ran::from(child.wait_with_output().unwrap())
}

fn error_of(ran: &Ran) -> Value {
    assert_eq!(ran.stdout, "");
    let object: Value = serde_json::from_str(&ran.stderr).expect("one object");
    object["error"].clone()
}

const FLAGS: &str =
    "--identifier name --qi age=age.csv --qi sex --qi zip=mask:right --sensitive illness -k 2";

#[test]
fn a_table_comes_in_and_its_release_goes_out() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml").done();
    let release = sandbox.read("release.csv");

    let ran = fed(&sandbox, &format!("anonymize - {FLAGS} -o -"), PEOPLE.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), release.as_str()), "{}", ran.stderr);
    assert!(ran.stderr.contains("k-anonymity"), "{}", ran.stderr);

    let line = format!("anonymize - {FLAGS} -o - --json --summary summary.json");
    let ran = fed(&sandbox, &line, PEOPLE.as_bytes());
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (release.as_str(), ""));
    let summary: Value = serde_json::from_str(&sandbox.read("summary.json")).unwrap();
    assert_eq!(summary["output"], "-");
    assert_eq!(sandbox.names(), ["age.csv", "job.toml", "people.csv", "release.csv", "summary.json"]);
}

#[test]
fn formats_of_the_streams_are_told_by_bytes_and_by_name() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml -o release.parquet").done();
    let ran = fed(&sandbox, &format!("anonymize - {FLAGS} -o - -q --order keep"), PEOPLE.as_bytes());
    let plain = ran.done();
    let parquet = std::fs::read(sandbox.path("release.parquet")).unwrap();
    let back = fed(&sandbox, "check - --qi age,sex,zip --json", &parquet).done();
    let back: Value = serde_json::from_str(&back).unwrap();
    assert_eq!(back["rows"], 8);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(PEOPLE.as_bytes()).unwrap();
    let ran = fed(&sandbox, &format!("anonymize - {FLAGS} -o -.tsv -q"), &gzip.finish().unwrap());
    assert_eq!(ran.done(), plain.replace(',', "\t"));
    let ran = fed(&sandbox, &format!("anonymize - {FLAGS} -o -.xls"), PEOPLE.as_bytes());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn every_command_takes_a_table_from_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml").done();
    let lines = [
        "profile -",
        "init - -o new.toml",
        "check - --qi age,sex",
        "hierarchy build --from - --column zip --mask right",
        "attack - release.csv --qi age=age.csv,sex,zip=mask:right",
        "evaluate - release.csv --target illness --folds 2 --classifiers naive-bayes",
    ];
    for line in lines {
        let ran = fed(&sandbox, line, PEOPLE.as_bytes());
        assert!(matches!(ran.code, Some(0 | 1)), "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("/proc/"), "{}", ran.stdout);
    }
    let job = sandbox.read("new.toml").replace(' ', "");
    assert!(job.contains("input=\"-\"") && job.contains("standard-input-anonymous.csv"), "{job}");
    let ran = fed(&sandbox, "init -", PEOPLE.as_bytes());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("-o JOB.toml"), "{}", ran.stderr);
    let ran = fed(&sandbox, "profile -", b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), "error: -: the file is empty\n"));
}

/// What a person waits for at a terminal can be left with Ctrl-C, and nothing stays of what came in.
#[cfg(target_os = "linux")]
#[test]
fn who_waits_for_input_can_leave() {
    let sandbox = Sandbox::new();
    let temporary = tempfile::tempdir().unwrap();
    let line = format!("anonymize - {FLAGS} -o out.csv");
    let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
    let mut child = command.env("TMPDIR", temporary.path()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(PEOPLE.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_ne!(child.wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[test]
fn errors_are_objects_where_json_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.csv", "age,sex\n31,f\n36,m,x\n");
    let error = error_of(&sandbox.throng("check bad.csv --qi age --json"));
    assert_eq!((&error["kind"], &error["exit_code"]), (&"bad-input".into(), &2.into()), "{error}");
    assert_eq!((&error["file"], &error["row"]), (&"bad.csv".into(), &2.into()), "{error}");

    let error = error_of(&sandbox.throng("anonymize people.csv --qi agee -k 2 -o out.csv --json"));
    assert_eq!(error["column"], "agee", "{error}");
    assert!(error["message"].as_str().unwrap().contains("agee"), "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("--header")), "{error}");

    let error = error_of(&sandbox.throng("profile none.csv --json"));
    assert_eq!((&error["kind"], &error["exit_code"]), (&"not-found".into(), &2.into()), "{error}");

    let error = error_of(&sandbox.throng("compare job.toml --format json --kk 2"));
    assert_eq!((&error["kind"], &error["exit_code"]), (&"usage".into(), &2.into()), "{error}");
    assert!(error["message"].as_str().unwrap().contains("--kk"), "{error}");
}

#[test]
fn quiet_prints_nothing_but_errors_and_what_machines_read() {
    let sandbox = Sandbox::new();
    for line in ["anonymize job.toml -q", "profile people.csv -q", "check people.csv --qi age --require 2 -q"]
    {
        let ran = sandbox.throng(line);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{line}");
    }
    assert!(sandbox.throng("anonymize job.toml -q --json").done().starts_with('{'));
    assert!(sandbox.throng("check none.csv --qi age -q").stderr.starts_with("error: "));
}

#[test]
fn lists_take_commas_and_repetition_alike() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "id,\"a,b\",c,d,e\n1,1,1,1,1\n2,1,1,2,1\n3,2,2,1,2\n4,2,2,2,2\n");
    let release = |lists: &str| {
        sandbox.throng(&format!("anonymize t.csv -k 2 -o out.csv {lists}")).done();
        sandbox.read("out.csv")
    };
    let apart = release("--qi a,b --qi c --identifier id --sensitive d --sensitive e");
    assert_eq!(release("--qi c,a,b --identifier id --sensitive d,e"), apart);
    assert_eq!(release("--qi a,b,c --identifier id --sensitive e --sensitive d"), apart);
    let together = sandbox.throng("profile t.csv --combine c,a,b --json").done();
    assert_eq!(sandbox.throng("profile t.csv --combine c --combine a,b --json").done(), together);
}

#[test]
fn the_environment_gives_flags_after_the_command_line_and_before_the_job() {
    let sandbox = Sandbox::new();
    let k = |line: &str, variables: &[(&str, &str)]| {
        let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
        command.envs(variables.iter().copied());
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        (summary["requirement"]["k"].as_u64().unwrap(), ran.stderr)
    };
    assert_eq!(k("anonymize job.toml --json", &[]).0, 2);
    assert_eq!(k("anonymize job.toml", &[("THRONG_K", "4"), ("THRONG_JSON", "1")]), (4, String::new()));
    assert_eq!(k("anonymize job.toml --json -k 3", &[("THRONG_K", "4")]).0, 3);
    let (_, warning) = k("anonymize job.toml --json", &[("THRONG_ALGORITM", "ola")]);
    assert_eq!(warning, "warning: THRONG_ALGORITM means nothing here; did you mean THRONG_ALGORITHM?\n");

    let mut command = sandbox.command(&["anonymize", "people.csv", "-o", "out.csv", "-k", "2"]);
    command
        .env("THRONG_QI", "age=age.csv,sex")
        .env("THRONG_IDENTIFIER", "name,zip")
        .env("THRONG_SENSITIVE", "illness");
    Ran::from(command.output().unwrap()).done();
    assert!(sandbox.read("out.csv").starts_with("age,sex,illness\n"));
}

#[test]
fn a_log_tells_what_was_done_and_shows_no_cell() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml --log run.log --log-level debug").done();
    let first = sandbox.read("run.log");
    for told in [
        "INFO  read begins",
        "read took ",
        "8 rows, ",
        "chosen: age=",
        "released ",
        "WARN  rows keep the order",
    ] {
        assert!(first.contains(told), "{told}: {first}");
    }
    for cell in ["Secretname", "12345", "female", "gout"] {
        assert!(!first.contains(cell), "{first}");
    }
    sandbox.throng("anonymize none.toml --log run.log --log-level error");
    let both = sandbox.read("run.log");
    let second = both.strip_prefix(&first).expect("lines are appended");
    assert_eq!(second.lines().count(), 1, "{second}");
    assert!(second.contains("ERROR none.toml"), "{second}");
}

#[test]
fn a_flag_is_no_name_of_an_output() {
    let sandbox = Sandbox::new();
    let ran = sandbox.throng("anonymize job.toml -o --json");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("if the name of a file begins with -, write ./--json"), "{}", ran.stderr);
    assert_eq!(sandbox.names(), ["age.csv", "job.toml", "people.csv"]);
}

#[test]
fn standard_input_is_not_two_tables() {
    let sandbox = Sandbox::new();
    for line in ["check - - --qi age", "attack - - --qi age", "evaluate - - --target illness"] {
        let ran = fed(&sandbox, line, PEOPLE.as_bytes());
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("only one of the two tables"), "{line}: {}", ran.stderr);
    }
    let job = sandbox.read("job.toml").replace("\"people.csv\"", "\"-\"");
    sandbox.write("piped.toml", &job);
    for line in ["check piped.toml -", "attack piped.toml -", "report piped.toml - -o page.html"] {
        let ran = fed(&sandbox, line, PEOPLE.as_bytes());
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("only one of the two tables"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_flag_goes_before_the_variable_of_one_that_it_does_not_go_with() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.csv", "1,2\n3,4\n3,4\n");
    let columns = |line: &str, variable: &str| {
        let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
        let ran = Ran::from(command.env(variable, "true").output().unwrap());
        let profile: Value = serde_json::from_str(&ran.done()).unwrap();
        (profile["rows"].as_u64(), profile["columns"][0]["name"].as_str().map(str::to_owned))
    };
    let without = (Some(3), Some("column_1".to_owned()));
    let with = (Some(2), Some("1".to_owned()));
    assert_eq!(columns("profile t.csv --json --no-header", "THRONG_HEADER"), without);
    assert_eq!(columns("profile t.csv --json", "THRONG_HEADER"), with);
    assert_eq!(columns("profile t.csv --json --header", "THRONG_NO_HEADER"), with);
    assert_eq!(columns("profile t.csv --json", "THRONG_NO_HEADER"), without);
    let both = sandbox.refused("profile t.csv --header --no-header");
    assert!(both.contains("cannot be used with"), "{both}");
}
