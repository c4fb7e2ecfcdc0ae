//! Who may read what is written: nobody who may not read the table.
#![cfg(unix)]

use crate::sandbox::{PEOPLE, Ran, Sandbox};

/// Runs a command line under a umask that lets others read.
fn throng(sandbox: &Sandbox, line: &str) {
    let script = format!("umask 022; exec {} {line}", env!("CARGO_BIN_EXE_throng"));
    Ran::from(sandbox.shell(&script).output().expect("a shell runs")).done();
}

/// Everything that is made of a table, by the commands that make it.
const MADE: [(&str, &[&str]); 7] = [
    (
        "anonymize job.toml -q --save saved.json --report page.html --summary summary.txt --log run.log",
        &["release.csv", "saved.json", "page.html", "summary.txt", "run.log"],
    ),
    (
        "anonymize job.toml -q -o parts/ --rows-per-file 3",
        &["parts/", "parts/part-00000.csv", "parts/part-00002.csv"],
    ),
    ("anonymize job.toml -q -o lake/ --cluster local", &["lake/", "lake/part-00000.csv"]),
    ("frontier job.toml --html front.html --save front.json", &["front.html", "front.json"]),
    (
        "compare job.toml --algorithms flash --k 2,4 --repeat 1 -o compared.csv --plots drawn",
        &["compared.csv", "drawn/", "drawn/loss.svg"],
    ),
    ("init people.csv -o new.toml", &["new.toml", "hierarchies/"]),
    ("sql job.toml --dialect ansi -o release.sql", &["release.sql"]),
];

fn modes(of_table: u32, of_file: u32, of_directory: u32) {
    let sandbox = Sandbox::new();
    sandbox.set_mode("people.csv", of_table);
    for (line, made) in MADE {
        if line.contains("--cluster") && cfg!(not(feature = "cluster")) {
            continue;
        }
        throng(&sandbox, line);
        for name in made {
            let name = match *name {
                "drawn/loss.svg" => first_of(&sandbox, "drawn"),
                "hierarchies/" => folder_of_hierarchies(&sandbox),
                name => name.to_owned(),
            };
            let expected = match name.as_str() {
                "run.log" => 0o600,
                name if name.ends_with('/') => of_directory,
                _ => of_file,
            };
            assert_eq!(sandbox.mode(&name), expected, "{line}: {name} of {of_table:o}");
        }
    }
}

fn first_of(sandbox: &Sandbox, folder: &str) -> String {
    let first = std::fs::read_dir(sandbox.path(folder)).unwrap().next().unwrap().unwrap();
    format!("{folder}/{}", first.file_name().to_str().unwrap())
}

/// `init` names it after the table.
fn folder_of_hierarchies(sandbox: &Sandbox) -> String {
    let is_folder = |name: &String| name.contains("hierarch") && sandbox.path(name).is_dir();
    format!("{}/", sandbox.names().into_iter().find(is_folder).expect("a folder of hierarchies"))
}

#[test]
fn what_is_made_of_a_private_table_is_private() {
    modes(0o600, 0o600, 0o700);
}

#[test]
fn what_is_made_of_a_shared_table_is_shared_as_far() {
    modes(0o640, 0o640, 0o750);
    modes(0o666, 0o644, 0o755);
}

#[test]
fn what_is_replaced_is_closed_as_the_table_is() {
    let sandbox = Sandbox::new();
    throng(&sandbox, "anonymize job.toml -q --report page.html");
    assert_eq!((sandbox.mode("release.csv"), sandbox.mode("page.html")), (0o644, 0o644));
    sandbox.set_mode("people.csv", 0o600);
    throng(&sandbox, "anonymize job.toml -q --report page.html");
    assert_eq!((sandbox.mode("release.csv"), sandbox.mode("page.html")), (0o600, 0o600));
}

#[test]
fn of_many_files_the_strictest_counts() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("table")).unwrap();
    sandbox.write("table/a.csv", PEOPLE);
    sandbox.write("table/b.csv", PEOPLE);
    sandbox.set_mode("table/a.csv", 0o644);
    sandbox.set_mode("table/b.csv", 0o640);
    throng(
        &sandbox,
        "anonymize table --qi age,sex,zip --identifier name --sensitive illness -k 2 -o out.csv -q",
    );
    assert_eq!(sandbox.mode("out.csv"), 0o640);
}

/// Nobody can say who may read what comes in by a pipe.
#[test]
fn what_is_made_of_standard_input_is_private() {
    let sandbox = Sandbox::new();
    throng(
        &sandbox,
        "anonymize - --qi age,sex,zip --identifier name --sensitive illness -k 2 -o out.csv -q < people.csv",
    );
    assert_eq!(sandbox.mode("out.csv"), 0o600);
}
