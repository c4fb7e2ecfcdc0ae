//! Directories, patterns and addresses in the place of a file, and releases in parts, through the binary.

use std::fs;

use crate::sandbox::{JOB, PEOPLE, Sandbox};
use crate::streams::fed;

/// The small table in three files, one of them compressed, by the year.
fn split() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: Vec<&str> = PEOPLE.lines().collect();
    let text = |rows: &[&str]| format!("{}\n{}\n", lines[0], rows.join("\n"));
    for (folder, rows) in [("y=1", &lines[1..4]), ("y=2", &lines[4..6])] {
        fs::create_dir_all(sandbox.path("people").join(folder)).unwrap();
        sandbox.write(&format!("people/{folder}/part.csv"), text(rows));
    }
    sandbox.write("people/y=2/zipped.csv.zst", zstd::encode_all(text(&lines[6..]).as_bytes(), 1).unwrap());
    sandbox.write("people/_SUCCESS", "");
    let job = JOB.replace("people.csv", "people").replace("[privacy]", "y = { role = \"other\" }\n[privacy]");
    sandbox.write("many.toml", job);
    sandbox
}

#[test]
fn a_directory_is_released_checked_and_reported_like_a_file() {
    let sandbox = split();
    sandbox.throng("anonymize job.toml -o one.csv").done();
    sandbox.throng("anonymize many.toml -o out.csv").done();
    let without_year = |text: String| -> String {
        text.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect()
    };
    assert_eq!(without_year(sandbox.read("out.csv")), sandbox.read("one.csv"));
    assert!(sandbox.read("out.csv").starts_with("age,sex,zip,illness,y\n"));

    let done =
        sandbox.throng("anonymize many.toml -o parts/ --rows-per-file 3 --output-format jsonl --json").done();
    let summary: serde_json::Value = serde_json::from_str(&done).unwrap();
    assert_eq!((&summary["output"], &summary["output_files"]), (&"parts/".into(), &3.into()));
    for command in [
        "profile people",
        "profile people/*/*.csv",
        "profile parts",
        "check people --qi age,sex",
        "check parts --qi age,sex,zip",
        "check many.toml --input",
        "attack many.toml parts",
        "compare many.toml --k 2 --repeat 1 --algorithms flash",
        "evaluate many.toml parts --target illness --folds 2",
        "sql many.toml --dialect duckdb --table people",
        "init people -o new.toml",
        "anonymize many.toml -o again/ --report report.html",
    ] {
        let ran = sandbox.throng(command);
        // An adversary may have success, and says so.
        assert!(matches!(ran.code, Some(0 | 1)), "{command}: {}", ran.stderr);
    }
    assert!(sandbox.read("new.toml").contains("input  = \"people/\""));
    assert!(sandbox.throng("profile people").done().contains("8 rows, 6 columns, 3 files"));
    let text = sandbox.throng("anonymize many.toml -o again/ --replace").done();
    assert!(text.starts_with("Released: again/ (1 file)\n"), "{text}");
}

#[test]
fn parts_are_replaced_only_when_asked() {
    let sandbox = split();
    sandbox.throng("anonymize many.toml -o parts/ --rows-per-file 2").done();
    let refused = sandbox.throng("anonymize many.toml -o parts/ --rows-per-file 4");
    assert_eq!(refused.code, Some(2));
    assert_eq!(
        refused.stderr,
        "error: parts: cannot write: the directory already exists; --replace replaces it as a whole\n"
    );
    sandbox.throng("anonymize many.toml -o parts/ --rows-per-file 4 --replace").done();
    assert_eq!(fs::read_dir(sandbox.path("parts")).unwrap().count(), 2);
    sandbox.write("parts/mine.txt", "x");
    let refused = sandbox.throng("anonymize many.toml -o parts/ --replace");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("'mine.txt', which is not part"),
        "{}",
        refused.stderr
    );
    assert!(!sandbox.names().iter().any(|name| name.starts_with('.')), "{:?}", sandbox.names());
}

#[test]
fn bad_places_are_explained() {
    let sandbox = split();
    let before = sandbox.names();
    for (command, expected) in [
        ("profile ftp://me:secret@host/x.csv", "unknown scheme 'ftp://'; allowed are paths and file://"),
        ("profile fiel:///x.csv", "did you mean file://?"),
        ("profile people/*.parquet", "no data file matches this pattern; it was looked for in people"),
        ("profile none*/x.csv", "no data file matches this pattern; it was looked for in ."),
        ("profile none.csv", "there is no such file"),
        ("anonymize many.toml -o people/out.csv", "is in, or holds files of, the input"),
        ("anonymize many.toml -o people/parts/", "is in, or holds files of, the input"),
        ("anonymize many.toml -o people/ --replace", "input and output are the same"),
        ("anonymize many.toml -o out.csv --rows-per-file 5", "end the output's name with / to write one"),
        ("anonymize many.toml -o out/ --output-format parqet", "did you mean 'parquet'?"),
        ("anonymize many.toml -o out/ --rows-per-file 0", "0 is not in 1"),
        ("anonymize many.toml -o out", "or in / for a directory of parts"),
    ] {
        let ran = sandbox.throng(command);
        assert_eq!(ran.code, Some(2), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected) && !ran.stderr.contains("secret"), "{command}: {}", ran.stderr);
    }
    assert_eq!(sandbox.names(), before);
}

#[test]
fn an_address_of_a_file_is_its_path() {
    let sandbox = split();
    let address = format!("file://{}", sandbox.path("people").display());
    assert!(sandbox.throng(&format!("check {address} --qi sex")).done().contains("8 rows"));
    sandbox.write("job.toml", JOB.replace("people.csv", &format!("{address}.csv")));
    sandbox.throng("anonymize job.toml").done();
    assert_eq!(sandbox.read("release.csv").lines().count(), 9);
}

#[test]
fn a_table_of_json_lines_comes_in_and_goes_out_by_the_standard_streams() {
    let sandbox = Sandbox::new();
    let lines: String = PEOPLE
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{{\"age\":{},\"sex\":\"{}\"}}\n", cells[1], cells[2])
        })
        .collect();
    let ran = fed(&sandbox, "anonymize - --qi age=intervals:20 --qi sex -k 2 -o -.jsonl", lines.as_bytes());
    assert!(
        ran.stdout.starts_with("{\"age\":\"20-39\",\"sex\":\"female\"}\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}
