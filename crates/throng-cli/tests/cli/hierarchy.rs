//! `throng hierarchy`: shows, checks and builds.

use crate::sandbox::{AGE, Sandbox};

#[test]
fn a_hierarchy_is_shown_with_its_checks() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.throng("hierarchy show age.csv --lines 6").done());
}

#[test]
fn what_is_wrong_with_a_hierarchy_is_said_with_its_line() {
    let sandbox = Sandbox::empty();
    let cases = [
        ("31;a;*\n33;b\n", "line 2: 2 columns where the first has 3; every line must have as many"),
        (
            "31;a;*\n31;b;*\n",
            "line 2: its first column repeats that of line 1; each value may have only one \
            line",
        ),
        (
            "31;Secret;x\n33;b;x\n36;Secret;y\n",
            "line 3: column 3 differs from that of line 1, though both lines have the same value in \
             column 2; each level must be a coarsening of the one below",
        ),
        ("", "the hierarchy is empty; it needs one line per value, 'leaf;level1;…;top'"),
    ];
    for (text, message) in cases {
        sandbox.write("bad.csv", text);
        assert_eq!(sandbox.refused("hierarchy show bad.csv"), format!("error: bad.csv: {message}\n"));
    }
    assert_eq!(sandbox.refused("hierarchy show none.csv"), "error: none.csv: there is no such file\n");
}

#[test]
fn masks_intervals_and_dates_are_built_from_a_column() {
    let sandbox = Sandbox::new();
    let mask = sandbox.throng("hierarchy build --from people.csv --column zip --mask right").done();
    assert_eq!(mask.lines().next(), Some("12345;1234*;123**;12***;1****;*"));
    assert_eq!(mask.lines().count(), 8);
    let age = sandbox.throng("hierarchy build --from people.csv --column age --intervals 5,10").done();
    assert_eq!(age, AGE);
    let shifted = "hierarchy build --from people.csv --column age --intervals 10 --origin -5";
    assert_eq!(sandbox.throng(shifted).done().lines().next(), Some("31;25-34;*"));

    sandbox.write("born.csv", "born\n17.03.1980\n18.03.1980\n");
    let dates = "hierarchy build --from born.csv --column born --dates month,year --format %d.%m.%Y";
    assert_eq!(sandbox.throng(dates).done(), "17.03.1980;1980-03;1980;*\n18.03.1980;1980-03;1980;*\n");
}

/// The same files as those of `init`, from which they can be built again one by one.
#[test]
fn automatic_hierarchies_are_those_of_init() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 2000 --dir demo").done();
    sandbox.throng("init demo/hospital.csv -o lab.toml").done();
    for column in ["birth_date", "zip", "occupation", "length_of_stay"] {
        let build = format!("hierarchy build --from demo/hospital.csv --column {column} --auto");
        assert_eq!(
            sandbox.throng(&build).done(),
            sandbox.read(&format!("lab-hierarchies/{column}.csv")),
            "{column}"
        );
    }
    // Also of a column that init leaves out or keeps.
    let diagnosis = "hierarchy build --from demo/hospital.csv --column diagnosis --auto --levels 1";
    let built = sandbox.throng(diagnosis).done();
    assert!(built.lines().all(|line| line.split(';').count() == 3 && line.ends_with(";*")), "{built}");
    let message =
        sandbox.refused("hierarchy build --from demo/hospital.csv --column zip --mask right --levels 2");
    assert!(message.contains("'--mask <SIDE>' cannot be used with '--levels"), "{message}");
    let message = sandbox.refused("hierarchy build --from demo/hospital.csv --column zip --auto --levels 21");
    assert!(message.contains("21 is not in 0..=20"), "{message}");
}

#[test]
fn a_built_file_can_be_used() {
    let sandbox = Sandbox::new();
    sandbox.write("age.csv", "old;*\n");
    let ran = sandbox.throng("hierarchy build --from people.csv --column age --intervals 5,10 -o age.csv");
    assert_eq!(ran.done(), "");
    assert_eq!(sandbox.read("age.csv"), AGE);
    sandbox.throng("hierarchy show age.csv").done();
    sandbox.throng("anonymize job.toml").done();
}

#[test]
fn what_cannot_be_built_is_refused() {
    let sandbox = Sandbox::new();
    let build = |rest: &str| sandbox.refused(&format!("hierarchy build --from people.csv {rest}"));
    assert_eq!(
        build("--header --column zpi --mask right -o new.csv"),
        "error: people.csv: there is no column 'zpi' (did you mean 'zip'?)\n"
    );
    let guessed = build("--column elephant --mask right -o new.csv");
    assert!(guessed.contains("use --no-header") && !guessed.contains("zip"), "{guessed}");
    let message = build("--column name --intervals 5 -o new.csv");
    assert!(message.starts_with("error: people.csv: row 1, column 'name': the value is not a"), "{message}");
    assert_eq!(
        build("--column zip --mask top"),
        "error: unknown side to mask 'top'; allowed are: right, left\n"
    );
    let message = build("--column age --intervals 5,7 -o new.csv");
    assert!(message.starts_with("error: column 'age': "), "{message}");
    let message = build("--column age --intervals 5 -o people.csv");
    assert!(message.contains("the output people.csv is the input"), "{message}");
    let message = build("--column age --intervals 5 --format %Y");
    assert!(message.contains("cannot be used with '--format"), "{message}");
}
