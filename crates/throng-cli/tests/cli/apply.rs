//! `throng apply`: recodings of earlier deliveries.

use serde_json::{Value, json};

use crate::sandbox::{JOB, PEOPLE, Sandbox, stable};

/// The small table, and its recoding in `r.json`.
fn saved() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml --save r.json -q").done();
    sandbox
}

fn edit(sandbox: &Sandbox, change: impl FnOnce(&mut Value)) {
    let mut document: Value = serde_json::from_str(&sandbox.read("r.json")).unwrap();
    change(&mut document);
    sandbox.write("r.json", document.to_string());
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let sandbox = saved();
    let text = sandbox.throng("apply r.json people.csv -o again.csv").done();
    assert_eq!(sandbox.read("again.csv"), sandbox.read("release.csv"));
    insta::assert_snapshot!(stable(&text));
    let printed = sandbox.throng("apply r.json people.csv -o - -q").done();
    assert_eq!(printed, sandbox.read("release.csv"));
    // The tables are found from where the recoding is, not from where the command runs.
    std::fs::create_dir(sandbox.path("sub")).unwrap();
    std::fs::rename(sandbox.path("age.csv"), sandbox.path("sub/age.csv")).unwrap();
    sandbox.write("job.toml", JOB.replace("age.csv", "sub/age.csv"));
    sandbox.throng("anonymize job.toml --save sub/r.json -q").done();
    sandbox.throng("apply sub/r.json people.csv -o again.csv -q").done();
    assert_eq!(sandbox.read("again.csv"), sandbox.read("release.csv"));
}

#[test]
fn what_apply_wrote_holds_by_its_own() {
    let sandbox = saved();
    let more = format!("{PEOPLE}Ida Secretname,31,female,12349,cold\n");
    sandbox.write("more.csv", more);
    let report = sandbox.throng("apply r.json more.csv -o more-out.csv --json").done();
    let report: Value = serde_json::from_str(&report).unwrap();
    let found = sandbox.throng("check more-out.csv --qi age,sex,zip --require 2 --json").done();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(report["achieved"]["k"], found["k"]);
    assert_eq!(report["rows"], 9);
}

#[test]
fn a_delivery_in_which_classes_fail_is_refused_or_suppressed() {
    let sandbox = saved();
    // One more person, like nobody else.
    sandbox.write("more.csv", format!("{PEOPLE}Ida Secretname,49,female,99999,cold\n"));
    let before = sandbox.names();
    let refused = sandbox.throng("apply r.json more.csv -o out.csv").no_release();
    insta::assert_snapshot!(refused);
    assert!(!refused.contains("99999") && !refused.contains("Secret"), "{refused}");
    assert_eq!(sandbox.names(), before);
    let refused = sandbox.throng("apply r.json more.csv -o out.csv --json").no_release();
    let refused: Value = serde_json::from_str(&refused).unwrap();
    assert_eq!(refused["applied"]["rows_to_suppress"], 1);
    assert_eq!(refused["applied"]["failing"], json!([{"model": "k", "asked": 2, "classes": 1, "rows": 1}]));
    let args = ["apply", "r.json", "more.csv", "-o", "out.csv", "--suppression", "1 row", "--json"];
    let done: Value = serde_json::from_str(&sandbox.run(&args).done()).unwrap();
    assert_eq!((&done["suppressed_rows"], &done["outcome"]), (&json!(1), &json!("released")));
    assert_eq!(sandbox.read("out.csv"), sandbox.read("release.csv"));
}

#[test]
fn other_tables_are_refused_with_the_columns() {
    let sandbox = saved();
    sandbox.write("renamed.csv", PEOPLE.replace("zip", "zipp"));
    let refused = sandbox.refused("apply r.json renamed.csv -o out.csv");
    let expected = "error: renamed.csv: this table does not belong to the recoding: it lacks 'zip' (did you \
                    mean 'zipp'?); the recoding does not know its 'zipp'\n";
    assert_eq!(refused, expected);
    sandbox.write("wider.csv", PEOPLE.replace('\n', ",x\n").replacen(",x", ",town", 1));
    let refused = sandbox.refused("apply r.json wider.csv -o out.csv");
    assert!(refused.ends_with(": the recoding does not know its 'town'\n"), "{refused}");
    let refused = sandbox.refused("apply r.json none.csv -o out.csv");
    assert!(refused.contains("none.csv"), "{refused}");
}

#[test]
fn other_hierarchies_are_refused_with_their_column() {
    let sandbox = saved();
    let ages = sandbox.read("age.csv");
    // Another spelling of the same hierarchy is the same.
    sandbox.write("age.csv", ages.replace(';', ","));
    sandbox.throng("apply r.json people.csv -o out.csv -q").done();
    sandbox.write("age.csv", ages.replace("30-34", "30-33"));
    let refused = sandbox.refused("apply r.json people.csv -o out2.csv");
    let expected = "error: column 'age': the hierarchy age.csv is not the same as when the recoding \
        was made: its contents differ (by SHA-256)\n";
    assert_eq!(refused, expected);
    sandbox.write("moved.csv", ages);
    sandbox.throng("apply r.json people.csv -o out2.csv --hierarchy age=moved.csv -q").done();
    assert_eq!(sandbox.read("out2.csv"), sandbox.read("release.csv"));
    let refused = sandbox.refused("apply r.json people.csv -o out3.csv --hierarchy agee=moved.csv");
    assert!(refused.contains("no column 'agee' (did you mean 'age'?)"), "{refused}");
    std::fs::remove_file(sandbox.path("age.csv")).unwrap();
    let refused = sandbox.refused("apply r.json people.csv -o out3.csv");
    assert!(refused.contains("no such file; it is named as the hierarchy of column 'age'"), "{refused}");
}

#[test]
fn values_that_a_hierarchy_has_not_seen_are_refused_with_row_and_column() {
    let sandbox = saved();
    sandbox.write("later.csv", PEOPLE.replace("41,male", "88,male"));
    let refused = sandbox.refused("apply r.json later.csv -o out.csv");
    assert!(
        refused.starts_with("error: later.csv: row 7, column 'age': the value is not in the hierarchy"),
        "{refused}"
    );
    assert!(refused.contains("--unknown 'age=top'") && !refused.contains("88"), "{refused}");
    sandbox.throng("apply r.json later.csv -o out.csv --unknown age=top --suppression 25% -q").done();
    assert!(!sandbox.read("out.csv").contains("88"));
    sandbox.write("long.csv", PEOPLE.replace("22347", "223471"));
    let refused = sandbox.refused("apply r.json long.csv -o out2.csv");
    assert!(
        refused.contains("row 7, column 'zip': the value is not a code of at most 5 characters"),
        "{refused}"
    );
}

#[test]
fn what_is_no_recoding_is_refused() {
    let sandbox = saved();
    let whole = sandbox.read("r.json");
    let refused = |text: &str| {
        sandbox.write("r.json", text);
        sandbox.refused("apply r.json people.csv -o out.csv")
    };
    let none = "error: r.json: this is not a recoding; `throng anonymize JOB --save FILE` makes one\n";
    for text in ["", "hello", "{}", "[1, 2]", "{\"format\": \"throng-recoding\"}"] {
        assert_eq!(refused(text), none, "{text}");
    }
    let half = refused(&whole[..whole.len() / 2]);
    assert!(half.contains("the file ends in the middle of a recoding: it is incomplete"), "{half}");
    sandbox.write("r.json", &whole);
    edit(&sandbox, |document| document["version"] = json!(2));
    let later = sandbox.refused("apply r.json people.csv -o out.csv");
    assert!(
        later.contains("this recoding has version 2 of the format") && later.contains("later"),
        "{later}"
    );
    sandbox.write("r.json", &whole);
    edit(&sandbox, |document| _ = document.as_object_mut().unwrap().remove("privacy"));
    let damaged = sandbox.refused("apply r.json people.csv -o out.csv");
    assert!(damaged.contains("the recoding is damaged"), "{damaged}");
    sandbox.write("r.json", &whole);
    edit(&sandbox, |document| document["recoding"]["levels"][0]["level"] = json!(9));
    let high = sandbox.refused("apply r.json people.csv -o out.csv");
    assert!(high.contains("column 'age': the recoding uses its level 9, but the highest is 3"), "{high}");
    let gone = sandbox.refused("apply none.json people.csv -o out.csv");
    assert!(gone.contains("no such recoding"), "{gone}");
}

#[test]
fn lists_of_values_stay_in_the_job() {
    let sandbox = Sandbox::new();
    let groups = "hierarchy = { groups = [{ west = [\"12345\", \"12346\", \"12347\", \"12399\"], \
                  east = [\"22345\", \"22346\", \"22347\", \"22399\"] }] }";
    sandbox.write("job.toml", JOB.replace("hierarchy = { mask = \"right\" }", groups));
    sandbox.throng("anonymize job.toml --save r.json -q").done();
    assert!(!sandbox.read("r.json").contains("12345"));
    let refused = sandbox.refused("apply r.json people.csv -o out.csv");
    assert!(
        refused.contains("column 'zip': its job lists values of this column") && refused.contains("--job")
    );
    sandbox.throng("apply r.json people.csv -o out.csv --job job.toml -q").done();
    assert_eq!(sandbox.read("out.csv"), sandbox.read("release.csv"));
    sandbox.write(
        "other.toml",
        sandbox
            .read("job.toml")
            .replace("west", "far west")
            .replace("{ far", "{ \"far")
            .replace("west =", "west\" ="),
    );
    let refused = sandbox.refused("apply r.json people.csv -o out2.csv --job other.toml");
    assert!(
        refused.contains("column 'zip': what the job lists is not the same as when the recoding was made"),
        "{refused}"
    );
}

#[test]
fn files_are_not_written_over() {
    let sandbox = saved();
    for line in [
        "apply r.json people.csv -o people.csv",
        "apply r.json people.csv -o age.csv",
        "apply r.json people.csv -o out.csv --summary r.json",
        "anonymize job.toml --save age.csv",
        "anonymize job.toml --save people.csv",
        "anonymize job.toml --save job.toml",
        "anonymize job.toml --save release.csv",
        "anonymize job.toml --save none/r.json",
    ] {
        sandbox.refused(line);
    }
    sandbox.throng("apply r.json people.csv -o out.csv --summary summary.txt").done();
    assert!(sandbox.read("summary.txt").starts_with("Released: out.csv"));
}

/// Numbers in the place of names are those of others in the next delivery.
#[test]
fn people_who_are_numbered_are_not_saved() {
    let sandbox = Sandbox::empty();
    let first = ["Greta", "Jan", "Maria", "Anna", "Paul", "Ana"];
    let last = ["Koch", "Nowak", "Rossi", "Weber", "Dupont", "Costa"];
    let rows = (0..180).map(|row| format!("{}, {};{}\n", last[row % 6], first[row / 6 % 6], row % 2));
    sandbox.write("stays.csv", format!("Patientenname;sex\n{}", rows.collect::<String>()));
    let line = "anonymize stays.csv --qi Patientenname,sex --person none -o out.csv --save r.json -k";
    let refused = sandbox.refused(&format!("{line} 2"));
    assert!(refused.contains(
        "column 'Patientenname': this recoding cannot be saved: its values look as if they name people"
    ));
    // Of whom nothing is shown nothing is wrong.
    sandbox.throng(&format!("{line} 40 -q")).done();
    sandbox.throng("apply r.json stays.csv -o again.csv -q").done();
    assert_eq!(sandbox.read("again.csv"), sandbox.read("out.csv"));
}

/// A hierarchy of a column that had none in a file is a mistake.
#[test]
fn a_hierarchy_that_the_recoding_did_not_have_is_refused() {
    let sandbox = saved();
    for column in ["zip", "sex"] {
        let said =
            sandbox.refused(&format!("apply r.json people.csv -o out.csv --hierarchy {column}=age.csv"));
        assert!(said.contains("without a hierarchy file") && said.contains(column), "{said}");
    }
    let said = sandbox.refused("apply r.json people.csv -o out.csv --unknown agee=top");
    assert!(said.contains("did you mean 'age'?"), "{said}");
}
