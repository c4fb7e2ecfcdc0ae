//! Counting and writing on a cluster of real processes.

#![cfg(all(unix, feature = "cluster"))]

mod faults;
mod looks;
pub(crate) mod nodes;
mod places;
mod private;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use crate::sandbox::Sandbox;
use nodes::{Cluster, free_port};

/// A table of several files, and a job that reads it.
pub(crate) fn lake(files: usize, rows: usize) -> Sandbox {
    lake_of(&vec![rows; files])
}

/// The same with so many rows in each file.
fn lake_of(rows: &[usize]) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("table")).unwrap();
    for (rows, seed) in rows.iter().zip(1..) {
        sandbox.throng(&format!("demo --rows {rows} --seed {seed} --format parquet --dir made -q")).done();
        fs::rename(sandbox.path("made/hospital.parquet"), sandbox.path(&format!("table/{seed}.parquet")))
            .unwrap();
    }
    fs::rename(sandbox.path("made/hierarchies"), sandbox.path("hierarchies")).unwrap();
    let job = sandbox
        .read("made/hospital.toml")
        .replace("hospital.parquet", "table")
        .replace("hospital-k5.parquet", "out/");
    let job = job
        .replace("\"table\"", "\"table/\"")
        .replace("output = \"hospital-k5.parquet\"", "output = \"out/\"");
    sandbox.write("job.toml", job);
    fs::remove_dir_all(sandbox.path("made")).unwrap();
    sandbox
}

/// All files of a directory, by name, with hashes of their bytes.
pub(crate) fn contents(dir: &Path) -> Vec<(String, u64)> {
    let hash = |path: &Path| {
        let mut hasher = DefaultHasher::new();
        fs::read(path).unwrap().hash(&mut hasher);
        hasher.finish()
    };
    let mut files: Vec<(String, u64)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), hash(&path)))
        .collect();
    files.sort();
    files
}

/// The rows of a release in parts of text, in their order.
fn rows(dir: &Path) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let text = files.iter().map(|file| fs::read_to_string(file).unwrap());
    text.flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// In this process, on two executors and on four the same files; and without plans the same rows.
#[test]
fn the_release_is_the_same_wherever_plans_run() {
    let sandbox = lake(5, 2_000);
    let mut cluster = Cluster::start(2);
    let cases = [
        "--algorithm flash",
        "--algorithm flash --suppressed mask",
        "--algorithm mondrian",
        "--algorithm sequential",
        "--algorithm agglomerative --require distinct-l:l=2,column=diagnosis",
    ];
    let run = |case: &str, out: &str, cluster: &str| {
        sandbox.throng(&format!("anonymize job.toml {case} -o {out} {cluster} -q")).done();
    };
    for (number, case) in cases.iter().enumerate() {
        let out = |place: &str| format!("{place}-{number}/");
        run(case, &out("plain"), "--output-format csv");
        run(case, &out("here"), "--cluster local");
        run(case, &out("two"), &format!("--cluster {}", cluster.address()));
        let here = contents(&sandbox.path(&out("here")));
        assert_eq!(here.len(), 5, "{case}");
        assert_eq!(contents(&sandbox.path(&out("two"))), here, "{case}");
        run(case, &out("text"), "--cluster local --output-format csv");
        assert!(rows(&sandbox.path(&out("text"))) == rows(&sandbox.path(&out("plain"))), "{case}");
    }
    cluster.add_executor(2);
    cluster.add_executor(3);
    for (number, case) in cases.iter().enumerate() {
        run(case, &format!("four-{number}/"), &format!("--cluster {}", cluster.address()));
        let [four, here] =
            ["four", "here"].map(|place| contents(&sandbox.path(&format!("{place}-{number}"))));
        assert_eq!(four, here, "{case}");
    }
}

/// Tables as people have them, with plans and without: the same rows in the same order.
#[test]
fn odd_tables_are_as_without_plans() {
    let people = "name,age,throng-part,zip\nA,31,1,12345\nB,31,1,12345\nC,33,2,12346\nD,33,2,12346\n";
    let more = "name,age,throng-part,zip\nE,31,7,12345\n\"F\nG\",33,7,12346\n";
    let sandbox = Sandbox::empty();
    fs::create_dir_all(sandbox.path("t/year=2024")).unwrap();
    fs::create_dir_all(sandbox.path("t/year=2025")).unwrap();
    sandbox.write("t/year=2024/a.csv", people);
    sandbox.write("t/year=2025/b.csv", more);
    sandbox.write("t/year=2025/empty.csv", "");
    let run = |out: &str, more: &str| {
        let line = format!(
            "anonymize t --qi age,zip --other throng-part,year,name --person none -k 2 -o {out} {more} -q"
        );
        sandbox.throng(&line).done();
        rows(&sandbox.path(out))
    };
    for more in ["", "--rows-per-file 3", "--algorithm mondrian", "--suppressed mask --suppression 50%"] {
        let plain = run("plain/", &format!("--replace {more}"));
        let here = run("here/", &format!("--replace --cluster local {more}"));
        assert_eq!(here.concat(), plain.concat(), "{more}");
    }
    // The same as Parquet, in which plans find columns by their names.
    let keep = "--qi throng-part --other age,zip,year,name --person none -k 2 --node 0";
    sandbox.throng(&format!("anonymize t {keep} -o p/ --output-format parquet -q")).done();
    let line =
        "anonymize p --qi zip --other throng-part,age,year,name --person none -k 2 --output-format csv -q";
    sandbox.throng(&format!("{line} -o plain-p/")).done();
    sandbox.throng(&format!("{line} -o here-p/ --cluster local")).done();
    assert_eq!(rows(&sandbox.path("here-p")), rows(&sandbox.path("plain-p")));
    // A release of which nothing is left.
    let nothing = "anonymize t --qi name --other age,zip,year,throng-part --person none -k 2 --node 0 --suppression 100% --accept-any";
    sandbox.throng(&format!("{nothing} -o none/ --cluster local -q")).done();
    let file = fs::read_to_string(sandbox.path("none/part-00000.csv")).unwrap();
    assert_eq!(file.lines().count(), 1, "{file}");
}

/// Text, compressed or not, is read and written as without a cluster.
#[test]
fn text_is_read_and_written() {
    let sandbox = Sandbox::new();
    let cluster = Cluster::start(1);
    sandbox.throng("anonymize job.toml -o plain.csv -q").done();
    for format in ["csv", "csv.gz", "parquet"] {
        let out = format!("{}/", format.replace('.', "-"));
        let line = format!(
            "anonymize job.toml --cluster {} -o {out} --output-format {format} -q",
            cluster.address()
        );
        sandbox.throng(&line).done();
        sandbox.throng(&format!("check {out} --qi age,sex,zip -k 2 -q")).done();
    }
    assert_eq!(fs::read_to_string(sandbox.path("csv/part-00000.csv")).unwrap(), sandbox.read("plain.csv"));
}

#[test]
fn certificates_are_asked_for() {
    let sandbox = lake(2, 300);
    let cluster = Cluster::secure(1);
    let line = |tls: &str, out: &str| {
        format!("anonymize job.toml --cluster {} {tls} -o {out} -q", cluster.address())
    };
    sandbox.throng(&line(&format!("--cluster-tls {}", cluster.certificates()), "secret/")).done();
    sandbox.throng("anonymize job.toml --cluster local -o here/ -q").done();
    assert_eq!(contents(&sandbox.path("secret")), contents(&sandbox.path("here")));
    for tls in [String::new(), format!("--cluster-tls {}", cluster.other_certificates())] {
        let ran = sandbox.throng(&line(&tls, "none/"));
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        assert!(!sandbox.path("none").exists());
    }
    let ran = sandbox.throng(&line("--cluster-tls job.toml,job.toml,job.toml", "none/"));
    assert!(ran.code == Some(2) && ran.stderr.contains("no CERTIFICATE in PEM form"), "{}", ran.stderr);
}

#[test]
fn what_is_no_cluster_is_refused() {
    let sandbox = lake(1, 100);
    let job = |more: &str| format!("anonymize job.toml {more}");
    let error = sandbox.refused(&job("--cluster http://localhost:50050"));
    assert!(error.contains("df://HOST:PORT"), "{error}");
    let nobody = sandbox.throng(&job(&format!("--cluster df://localhost:{}", free_port())));
    assert!(nobody.code == Some(3) && nobody.stderr.contains("cannot be reached"), "{}", nobody.stderr);
    let lonely = Cluster::start(0);
    let ran = sandbox.throng(&job(&format!("--cluster {}", lonely.address())));
    assert!(ran.code == Some(3) && ran.stderr.contains("has no executor"), "{}", ran.stderr);
    // Something else that listens.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let talk = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = other.accept().unwrap();
        assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
        stream.write_all(b"HTTP/1.1 200 OK\r\nserver: nginx\r\nconnection: close\r\n\r\n").unwrap();
    });
    let ran = sandbox.throng(&job(&format!("--cluster df://127.0.0.1:{port}")));
    talk.join().unwrap();
    assert!(ran.code == Some(3) && ran.stderr.contains("is not a Ballista"), "{}", ran.stderr);
    for (more, what) in
        [("-o out.parquet", "directory"), ("--order shuffle", "order"), ("--pseudonym name", "pseudonym")]
    {
        let error = sandbox.refused(&job(&format!("--cluster local {more}")));
        assert!(error.contains(what), "{more}: {error}");
    }
    assert!(!sandbox.names().iter().any(|name| name.starts_with(".throng")), "{:?}", sandbox.names());
}

/// A node that cannot listen says so; so does one without a scheduler, after half a minute.
#[test]
fn nodes_that_cannot_work_say_so() {
    let sandbox = Sandbox::empty();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = taken.local_addr().unwrap();
    for node in [format!("scheduler --bind {bind}"), format!("executor --bind {bind}")] {
        let ran = sandbox.throng(&format!("cluster {node}"));
        assert!(ran.code == Some(3) && ran.stderr.contains("cannot listen"), "{node}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{node}");
    }
    let (nobody, free) = (free_port(), free_port());
    let ran =
        sandbox.throng(&format!("cluster executor --scheduler localhost:{nobody} --bind 127.0.0.1:{free}"));
    assert!(ran.code == Some(3) && ran.stderr.contains("cannot be reached"), "{:?} {}", ran.code, ran.stderr);
}
