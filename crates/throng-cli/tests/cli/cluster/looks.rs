//! What a cluster looks at beside the counts, and what the command itself reads of the table then: nothing.

use std::fmt::Write as _;
use std::fs;

use super::nodes::Cluster;
use crate::sandbox::Sandbox;

/// A hash of a number, as random as tests need it.
fn mixed(number: u64) -> u64 {
    let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

const GIVEN: [&str; 6] = ["Greta", "Jan", "Maria", "Anna", "Rosa", "Peter"];
const FAMILY: [&str; 8] = ["Koch", "Rossi", "Baker", "Meyer", "Wagner", "Schmidt", "Fischer", "Weber"];

fn name(person: u64) -> String {
    format!("{} {}", GIVEN[person as usize % 6], FAMILY[person as usize / 6 % 8])
}

/// Visits in five files, one of them without a row: names that a few share, cases with several visits of the same birth
/// date, text that people typed, numbers with extremes, and an order.
fn visits() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("visits")).unwrap();
    for file in 0..5_u64 {
        let mut text = "name,patient_id,ref,birth_date,age,sex,note,stage,pay,serial\n".to_owned();
        for row in (0..if file == 2 { 0 } else { 400 }).map(|row| 400 * file + row) {
            let person = mixed(row) % 300;
            let note = match row % 9 {
                0 => format!("call {} 0171 {:07}", name(row), mixed(row) % 10_000_000),
                _ => format!("came {} times because of pain", mixed(row) % 5),
            };
            writeln!(
                text,
                "{},{person},r{person},19{:02}-0{}-1{},{},{},{note},{},{},{row}",
                name(person),
                40 + person % 50,
                1 + person % 9,
                person % 7,
                20 + person % 60,
                ["f", "m"][person as usize % 2],
                row / 500,
                1_000 + mixed(row) % 900,
            )
            .unwrap();
        }
        sandbox.write(&format!("visits/{file}.csv"), text);
    }
    // The same as Parquet, whose numbers are numbers.
    let keep = "--qi sex --rest other --person none --text note=keep -k 2 --node 0 --other name,patient_id,ref,birth_date,note,serial";
    sandbox.throng(&format!("anonymize visits {keep} -o stored/ --output-format parquet -q")).done();
    sandbox
}

/// Jobs that ask for each of the looks, most of which end in a refusal.
const JOBS: [&str; 7] = [
    "--identifier patient_id,name,ref --rest other --other note --text note=keep",
    "--identifier name,serial --rest other --other note --text note=keep",
    "--identifier ref --rest other --other note,name --text note=keep",
    "--identifier serial --rest other --other note,name,patient_id,ref,birth_date --text note=keep",
    "--identifier serial,name,patient_id,ref,birth_date --rest other --person none",
    "--identifier serial --rest other --other note --text note=keep",
    "--identifier serial --sensitive stage --rest other --other note,name,patient_id,ref,birth_date \
     --text note=keep --person none",
];

/// What a run says, whether it releases something or not.
fn said(sandbox: &Sandbox, line: &str) -> (Option<i32>, String) {
    let ran = sandbox.throng(line);
    match serde_json::from_str::<serde_json::Value>(&ran.stdout) {
        Ok(summary) if ran.code == Some(0) => {
            let told = [&summary["warnings"], &summary["provenance"]["input_sha256"], &summary["columns"]];
            (ran.code, format!("{told:?}"))
        }
        _ => (ran.code, ran.stderr),
    }
}

/// In this process, with plans in it, on two executors and on four: the same refusals, warnings and hashes.
#[test]
fn looks_find_the_same_wherever_they_are_taken() {
    let sandbox = visits();
    let mut cluster = Cluster::start(2);
    let run = |table: &str, job: &str, cluster: &str| {
        let line =
            format!("anonymize {table} --qi age,sex {job} -k 2 --suppression 50% -o out/ --replace --json");
        said(&sandbox, &format!("{line} {cluster}"))
    };
    let mut asked = Vec::new();
    for table in ["visits", "stored"] {
        for job in JOBS {
            let plain = run(table, job, "");
            for place in ["local", &cluster.address()] {
                assert_eq!(run(table, job, &format!("--cluster {place}")), plain, "{table} {job} {place}");
            }
            asked.push((table, job, plain));
        }
    }
    cluster.add_executor(2);
    cluster.add_executor(3);
    for (table, job, plain) in &asked {
        assert_eq!(run(table, job, &format!("--cluster {}", cluster.address())), *plain, "{table} {job}");
    }
    // What they found.
    let found = |table: &str, job: usize| {
        let (_, _, (code, said)) =
            asked.iter().find(|(of, asked, _)| *of == table && *asked == JOBS[job]).unwrap();
        (*code, said.clone())
    };
    for table in ["visits", "stored"] {
        let says = |job: usize, code: i32, what: &str| {
            let (found, said) = found(table, job);
            assert!(found == Some(code) && said.contains(what), "{table} {job}: {found:?} {said}");
        };
        says(0, 2, "'patient_id' is an identifier");
        says(1, 2, "'name' is an identifier");
        says(2, 2, "'ref' is an identifier");
        says(3, 0, "cells of it mention people");
        says(4, 2, "has free text");
        says(5, 2, "would show who is in the table");
        says(6, 0, "sorted by");
        says(6, 0, "cells of it mention people");
    }
}

/// The command reads the beginnings and ends of files, to know what they are, and what nodes wrote, to verify it.
#[cfg(target_os = "linux")]
#[test]
fn the_command_reads_no_rows_of_a_clusters_table() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("t")).unwrap();
    for file in 0..8_u64 {
        let mut text = "token,age,sex,note\n".to_owned();
        for row in (0..10_000).map(|row| 10_000 * file + row) {
            let token: String = (0..12).map(|word| format!("{:016x}", mixed(100 * row + word))).collect();
            writeln!(text, "{token},{},{},n{}", 20 + row % 60, ["f", "m"][row as usize % 2], row % 3)
                .unwrap();
        }
        sandbox.write(&format!("t/{file}.csv"), text);
    }
    let sizes = fs::read_dir(sandbox.path("t")).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    let table: u64 = sizes.sum();
    let cluster = Cluster::start(2);
    let read = |out: &str, more: &str| -> u64 {
        let throng = env!("CARGO_BIN_EXE_throng");
        let job = "anonymize t --qi age,sex --identifier token --text note=keep --other note -k 5";
        // A shell has read what the commands have that it waited for.
        let script = format!("'{throng}' {job} -o {out} {more} -q && grep rchar /proc/$$/io");
        let ran = std::process::Command::new("sh").args(["-c", &script]).current_dir(sandbox.dir()).output();
        let ran = ran.unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        let errors = String::from_utf8_lossy(&ran.stderr);
        text.trim()
            .rsplit(' ')
            .next()
            .and_then(|bytes| bytes.parse().ok())
            .unwrap_or_else(|| panic!("{text} {errors}"))
    };
    assert!(table > 15 << 20, "{table}");
    let plain = read("plain/", "");
    assert!(plain >= 2 * table, "{plain} of {table}: once to count, once to write");
    let asked = read("out/", &format!("--cluster {}", cluster.address()));
    assert!(asked < table / 2, "{asked} of {table}");
}
