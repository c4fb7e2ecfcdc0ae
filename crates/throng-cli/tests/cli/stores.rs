//! Tables and releases in an object store.

#![cfg(feature = "s3")]

mod server;

use std::fs;

use crate::sandbox::Sandbox;
use server::Store;

/// A table of several files with a key in their paths, here as `table/` and in the store as `s3://clinic/table/`, and a job
/// that leaves its input and output to the command line.
fn lake(store: &Store, format: &str, files: usize, rows: usize) -> Sandbox {
    let sandbox = Sandbox::empty();
    let made = if format == "parquet" { format } else { "csv" };
    for seed in 1..=files {
        sandbox.throng(&format!("demo --rows {rows} --seed {seed} --format {made} --dir made -q")).done();
        if format != made {
            // Everybody shares a sex with somebody, so this changes nothing but the format.
            let as_it_is = "--qi sex --other name --rest other -k 2 --person none -q";
            sandbox
                .throng(&format!("anonymize made/hospital.{made} {as_it_is} -o made/hospital.{format}"))
                .done();
        }
        let name = format!("table/ward={seed}/part.{format}");
        fs::create_dir_all(sandbox.path(&format!("table/ward={seed}"))).unwrap();
        fs::copy(sandbox.path(&format!("made/hospital.{format}")), sandbox.path(&name)).unwrap();
        store.put(&name, &fs::read(sandbox.path(&name)).unwrap());
    }
    store.put("table/_SUCCESS", b"not a table");
    store.put("table/ward=1/.hidden", b"not a table");
    store.put("table/empty.csv", b"");
    fs::rename(sandbox.path("made/hierarchies"), sandbox.path("hierarchies")).unwrap();
    let job = sandbox.read("made/hospital.toml").replace(&format!("\"hospital.{made}\""), "\"table/\"");
    assert!(job.contains("\"table/\""), "{job}");
    sandbox.write("here.toml", &job);
    sandbox.write("there.toml", job.replace("\"table/\"", "\"s3://clinic/table/\""));
    fs::remove_dir_all(sandbox.path("made")).unwrap();
    sandbox
}

/// Whatever the format: the bytes that the same files here are released as.
#[test]
fn the_release_of_objects_is_that_of_files() {
    for format in ["parquet", "csv", "jsonl", "arrow"] {
        let Some(store) = Store::start() else { return };
        let sandbox = lake(&store, format, 3, 1_000);
        for case in ["--algorithm flash", "--algorithm mondrian --suppressed mask"] {
            let out = format!("release.{format}");
            let line =
                |job: &str, out: &str| format!("anonymize {job} {case} --rest other -o {out} --json -q");
            sandbox.throng(&line("here.toml", &out)).done();
            let summary =
                store.throng(&sandbox, &line("there.toml", &format!("s3://clinic/out/{out}"))).done();
            let sent = store.get(&format!("out/{out}"));
            assert!(sent == fs::read(sandbox.path(&out)).unwrap(), "{format} {case}");
            // What is read where it is has no hash of its own; what was fetched has.
            assert_eq!(summary.contains("\"input_sha256\": null"), format == "parquet", "{summary}");
        }
        let left = store.keys().into_iter().filter(|key| key.contains(".throng-")).count();
        assert_eq!(left, 0, "{:?}", store.keys());
        // The release is a table, too: of one object, of a pattern, and as what the job wrote.
        let rows = |line: &str| store.throng(&sandbox, line).done().lines().next().unwrap().to_owned();
        let shown = sandbox.throng(&format!("profile release.{format}")).done();
        let of_all = rows(&format!("profile s3://clinic/out/release.{format}"));
        assert_eq!(
            of_all.split_once(": ").unwrap().1,
            shown.lines().next().unwrap().split_once(": ").unwrap().1
        );
        assert!(rows("profile s3://clinic/table/*/part.*").contains("3,000 rows, 10 columns, 3 files"));
        assert!(rows("profile s3://clinic/table/ward=2").contains("1,000 rows, 9 columns"));
    }
}

#[test]
fn commands_take_tables_of_a_store() {
    let Some(store) = Store::start() else { return };
    let sandbox = lake(&store, "parquet", 2, 500);
    let job = sandbox.read("there.toml").replace("\"hospital-k5.parquet\"", "\"s3://clinic/k5.parquet\"");
    sandbox.write("there.toml", job.replace("[columns]\n", "[columns]\n\"*\" = { role = \"other\" }\n"));
    store.throng(&sandbox, "anonymize there.toml -q").done();
    for line in [
        "check there.toml",
        "check there.toml --input",
        "compare there.toml --algorithms flash,mondrian -q",
        "report there.toml -o page.html",
        "sql there.toml --dialect duckdb -o release.sql",
        "anonymize there.toml --save saved.json --order shuffle -q",
        "apply saved.json s3://clinic/table/ -o s3://clinic/again.csv -q",
        "init s3://clinic/table/ward=1/part.parquet -o made.toml -q",
    ] {
        store.throng(&sandbox, line).done();
    }
    assert!(sandbox.read("made.toml").contains("input  = \"s3://clinic/table/ward=1/part.parquet\""));
    assert!(store.keys().contains(&"again.csv".to_owned()), "{:?}", store.keys());
}

/// Enough bytes that a release is sent in pieces.
#[test]
fn a_large_release_is_sent_in_pieces() {
    let Some(store) = Store::start() else { return };
    let sandbox = lake(&store, "csv", 1, 160_000);
    let line = |job: &str, out: &str| format!("anonymize {job} --algorithm flash --rest other -o {out} -q");
    sandbox.throng(&line("here.toml", "release.csv")).done();
    store.throng(&sandbox, &line("there.toml", "s3://clinic/release.csv")).done();
    let here = fs::read(sandbox.path("release.csv")).unwrap();
    assert!(here.len() > 8 << 20, "{} bytes", here.len());
    assert!(store.get("release.csv") == here);
}

#[test]
fn what_cannot_be_is_refused() {
    let Some(store) = Store::start() else { return };
    let sandbox = lake(&store, "csv", 1, 100);
    store.put("other.csv", b"a,b\n1,2\n");
    store.put("table2/a.parquet", b"no Parquet PAR1");
    let refused = |line: &str, why: &str| {
        let ran = store.throng(&sandbox, line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{line}: {}", ran.stderr);
    };
    refused("profile s3://nobody/people.csv", "there is no bucket 'nobody'");
    refused("profile s3://clinic/othr.csv", "did you mean 'other.csv'?");
    refused("profile s3://clinic/none/", "no data object below this prefix");
    refused("profile s3://clinic/*.parquet", "no data object matches this pattern");
    refused("profile s3://clinic/table/empty.csv", "empty");
    refused("profile s3://clinic/table2/a.parquet", "Parquet");
    refused("profile s4://clinic/other.csv", "did you mean s3://?");
    refused("profile s3://tester:pass@clinic/other.csv", "s3://BUCKET/KEY");
    let anonymize = |output: &str, why: &str| {
        refused(&format!("anonymize there.toml --rest other -o {output}"), why);
    };
    anonymize("s3://clinic/out/", "stores cannot rename");
    anonymize("s3://clinic/table/out.csv", "would be an object of the input");
    anonymize("s3://nobody/out.csv", "there is no bucket");
    anonymize("s3://clinic/out", "cannot tell the format");
    anonymize("out.csv --save s3://clinic/saved.json", "");
    refused("report there.toml -o s3://clinic/page.html", "");
    assert!(!store.keys().iter().any(|key| key.contains("out")), "{:?}", store.keys());
}

#[test]
fn a_store_that_does_not_answer_or_knows_nobody_is_a_failure() {
    let Some(closed) = Store::start_closed() else { return };
    let sandbox = Sandbox::new();
    let ran = closed.throng(&sandbox, "profile s3://clinic/people.csv");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("denies access") || ran.stderr.contains("does not accept"), "{}", ran.stderr);
    drop(closed);
    let mut command = sandbox.command(&["profile", "s3://clinic/people.csv"]);
    command.envs([("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
    let bad = command.env("AWS_ENDPOINT_URL", "localhost").output().unwrap();
    assert_eq!(bad.status.code(), Some(2), "{bad:?}");
    let ran = command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:1").output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert!(said.contains("127.0.0.1:1 does not answer"), "{said}");
}

/// Only the ends of objects and the columns that are asked for are fetched.
#[test]
fn parquet_is_not_fetched_as_a_whole() {
    let Some(store) = Store::start() else { return };
    let sandbox = lake(&store, "parquet", 1, 50_000);
    // A broken column is found by those who read it, and by nobody else.
    let name = "table/ward=1/part.parquet";
    let mut bytes = store.get(name);
    let whole = bytes.len();
    bytes[4..whole / 8].fill(0);
    store.put(name, &bytes);
    let job = sandbox.read("there.toml");
    let first = job.lines().find(|line| line.starts_with("name")).expect("the first column").to_owned();
    assert!(first.contains("identifier"), "{first}");
    store.throng(&sandbox, "anonymize there.toml --algorithm flash --rest other -o out.csv -q").done();
    let ran = store.throng(&sandbox, "profile s3://clinic/table/");
    assert!(ran.code == Some(2) && ran.stderr.contains("a file is damaged"), "{}", ran.stderr);
}

#[cfg(all(unix, feature = "cluster"))]
#[test]
fn nodes_of_a_cluster_read_from_the_store() {
    use crate::cluster::{contents, nodes::Cluster};

    let Some(store) = Store::start() else { return };
    let cluster = Cluster::start_in(store.environment(), 2);
    for format in ["parquet", "csv"] {
        let sandbox = lake(&store, format, 4, 1_000);
        for case in ["--algorithm flash", "--algorithm sequential"] {
            let line = |job: &str, out: &str, cluster: &str| {
                format!("anonymize {job} {case} --rest other -o {out} --replace --cluster {cluster} -q")
            };
            sandbox.throng(&line("here.toml", "here/", "local")).done();
            store.throng(&sandbox, &line("there.toml", "there/", &cluster.address())).done();
            assert_eq!(contents(&sandbox.path("here")), contents(&sandbox.path("there")), "{format} {case}");
        }
        let ran = store.throng(
            &sandbox,
            &format!(
                "anonymize there.toml --rest other -o s3://clinic/x.csv --cluster {}",
                cluster.address()
            ),
        );
        assert!(ran.code == Some(2) && ran.stderr.contains("not to an object store"), "{}", ran.stderr);
        for seed in 1..=4 {
            store.put(&format!("table/ward={seed}/part.{format}"), b"");
        }
    }
}
