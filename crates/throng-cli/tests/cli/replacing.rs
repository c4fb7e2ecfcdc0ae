//! What is there already: only what says itself that it is ours is replaced, whatever a job or a flag names.

use crate::sandbox::{PEOPLE, Sandbox};

/// A file of somebody else.
const FOREIGN: &str = "# my settings\nalias ll='ls -l'\nexport EDITOR=vi\n";

/// Each output of each command, and the file that it writes.
const OUTPUTS: [(&str, &str); 17] = [
    ("anonymize job.toml -q", "release.csv"),
    ("anonymize job.toml -q -o out.parquet", "out.parquet"),
    ("anonymize job.toml -q -o out.csv.gz", "out.csv.gz"),
    ("anonymize job.toml -q --save saved.json", "saved.json"),
    ("anonymize job.toml -q --summary summary.txt", "summary.txt"),
    ("anonymize job.toml --require entropy-l:l=3,column=illness --json --summary none.json", "none.json"),
    ("anonymize job.toml --require entropy-l:l=3,column=illness --summary none.txt", "none.txt"),
    ("anonymize job.toml -q --report page.html", "page.html"),
    ("report job.toml -o report.html", "report.html"),
    ("frontier job.toml --html front.html", "front.html"),
    ("frontier job.toml --save front.json", "front.json"),
    ("compare job.toml --algorithms flash --k 2 --repeat 1 -o compared.csv", "compared.csv"),
    ("compare job.toml --algorithms flash --k 2 --repeat 1 -o compared.json", "compared.json"),
    ("compare job.toml --algorithms flash --k 2 --repeat 1 -o compared.txt", "compared.txt"),
    ("sql job.toml --dialect ansi -o release.sql", "release.sql"),
    ("hierarchy build --from people.csv --column zip --mask right -o zip.csv", "zip.csv"),
    ("init people.csv -o new.toml --force", "new.toml"),
];

#[test]
fn no_output_replaces_a_file_of_somebody_else() {
    for (line, file) in OUTPUTS {
        let sandbox = Sandbox::new();
        if line.starts_with("report") {
            sandbox.throng("anonymize job.toml -q").done();
        }
        sandbox.write(file, FOREIGN);
        let said = sandbox.refused(line);
        assert!(said.contains(file) && said.contains("not replaced"), "{line}: {said}");
    }
}

#[test]
fn every_output_replaces_its_own_kind_and_what_is_empty() {
    for (line, file) in OUTPUTS {
        let sandbox = Sandbox::new();
        if line.starts_with("report") {
            sandbox.throng("anonymize job.toml -q").done();
        }
        sandbox.write(file, "");
        for round in 0..2 {
            let ran = sandbox.throng(line);
            let expected = if line.contains("entropy-l") { 1 } else { 0 };
            assert_eq!(ran.code, Some(expected), "{line}, round {round}: {}", ran.stderr);
            assert!(std::fs::metadata(sandbox.path(file)).unwrap().len() > 0, "{line}");
        }
    }
}

#[test]
fn plots_and_pages_of_the_manual_are_known_too() {
    let sandbox = Sandbox::new();
    let plots = "compare job.toml --algorithms flash --k 2,4 --repeat 1 --plots drawn";
    for line in [plots, "man --dir pages"] {
        sandbox.throng(line).done();
        sandbox.throng(line).done();
        let folder = sandbox.path(line.rsplit(' ').next().unwrap());
        let first = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        std::fs::write(&first, FOREIGN).unwrap();
        let ran = sandbox.throng(line);
        assert!(ran.code == Some(2) && ran.stderr.contains("not replaced"), "{line}: {}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&first).unwrap(), FOREIGN);
    }
}

/// The worst that a job of somebody else could name.
#[test]
fn a_job_names_no_file_that_a_program_would_run() {
    let sandbox = Sandbox::new();
    let job = sandbox.read("job.toml");
    for name in [".bashrc", "sub/../.bashrc", "Makefile", "authorized_keys", ".json/../.profile"] {
        let output = format!("output = {{ path = \"release.csv\", recoding = \"{name}\" }}");
        sandbox.write("evil.toml", job.replace("output = \"release.csv\"", &output));
        let said = sandbox.refused("anonymize evil.toml");
        assert!(said.contains("must end in .json or .recoding"), "{name}: {said}");
    }
    sandbox.write(".bashrc", FOREIGN);
    let output = "output = { path = \".bashrc\" }";
    sandbox.write("evil.toml", job.replace("output = \"release.csv\"", output));
    assert!(sandbox.refused("anonymize evil.toml").contains("cannot tell the format"));
}

#[test]
fn an_original_is_no_earlier_release() {
    let sandbox = Sandbox::new();
    // Another delivery of the same table, with its names.
    sandbox.write("april.csv", PEOPLE);
    let said = sandbox.refused("anonymize job.toml -o april.csv");
    assert!(said.contains("has other columns"), "{said}");
    // A release with fewer columns, or another requirement, is one.
    sandbox.throng("anonymize job.toml --identifier illness -q").done();
    sandbox.throng("anonymize job.toml -k 4 -q").done();
    sandbox.throng("anonymize job.toml --identifier illness -q").done();
    sandbox.write("release.csv", "town,age\nBonn,31\n");
    assert!(sandbox.refused("anonymize job.toml").contains("has other columns"));
}

#[test]
fn a_directory_of_parts_is_known_by_its_columns() {
    let sandbox = Sandbox::new();
    let line = "anonymize job.toml -o parts/ --rows-per-file 3 --replace -q";
    for _ in 0..2 {
        sandbox.throng(line).done();
    }
    sandbox.write("parts/part-00000.csv", PEOPLE);
    let ran = sandbox.throng(line);
    assert!(ran.code == Some(2) && ran.stderr.contains("not replaced"), "{}", ran.stderr);
    assert_eq!(sandbox.read("parts/part-00000.csv"), PEOPLE);
}
