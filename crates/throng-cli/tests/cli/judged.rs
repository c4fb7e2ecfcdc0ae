//! What was not judged is no success: persons who are not in the file, and releases without rows.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Two classes of three rows: one of three patients, one of a single one.
const VISITS: &str = "\
patient_id,age,town,illness
p1,30,Bonn,flu
p2,30,Bonn,gout
p3,30,Bonn,flu
p4,40,Kiel,flu
p4,40,Kiel,gout
p4,40,Kiel,cold
";

/// As it was, but for the patients: a class of three rows of one patient.
const AS_IT_WAS: &str = "\
age,town,illness
30,Bonn,flu
30,Bonn,gout
30,Bonn,flu
40,Kiel,flu
40,Kiel,gout
40,Kiel,cold
";

const JOB: &str = "input = 'visits.csv'\noutput = 'out.csv'\n[columns]\npatient_id = { role = 'identifier' }\n\
                   age = { role = 'quasi' }\ntown = { role = 'quasi' }\nillness = { role = 'sensitive' }\n\
                   [privacy]\nk = 3\nperson = 'patient_id'\n";

fn visits(release: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("visits.csv", VISITS);
    sandbox.write("out.csv", release);
    sandbox.write("job.toml", JOB);
    sandbox
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_class_of_one_person_is_found_in_the_original() {
    let sandbox = visits(AS_IT_WAS);
    let text = sandbox.throng("attack job.toml").no_release();
    let line = "k-anonymity with k = 3 DOES NOT HOLD (the class with the fewest persons, counted by patient_id, \
            has 1)";
    assert!(text.contains(line), "{text}");
    let found = json(&sandbox.throng("attack job.toml --json").no_release());
    assert_eq!((&found["holds"], &found["verdict"]), (&Value::Bool(false), &Value::from("fails")));
    assert_eq!(found["persons"]["at_most"], 1);
    sandbox.throng("attack job.toml --allow").done();
    let report = sandbox.throng("report job.toml");
    assert_eq!(report.code, Some(1), "{}", report.stderr);
    assert!(report.stderr.contains("the release does not satisfy the job"), "{}", report.stderr);
}

/// Without a job, a flag says whose the rows are.
#[test]
fn persons_are_counted_in_any_original() {
    let sandbox = visits(AS_IT_WAS);
    let attack = "attack visits.csv out.csv --qi age,town -k 3";
    let text = sandbox.throng(attack).done();
    assert!(text.contains("k-anonymity with k = 3 holds"), "rows are counted: {text}");
    let text = sandbox.throng(&format!("{attack} --person patient_id")).no_release();
    let line = "k-anonymity with k = 3 DOES NOT HOLD (the class with the fewest persons, counted by patient_id, \
            has 1)";
    assert!(text.contains(line), "{text}");
    sandbox.throng(&format!("{attack} --person none")).done();
    sandbox.throng("attack job.toml --person none").done();
    let said = sandbox.refused(&format!("{attack} --person patientid"));
    assert!(said.contains("'patientid'") && said.contains("patient_id"), "{said}");
    let said = sandbox.refused(&format!("{attack} --person patient_id --notion kk"));
    assert!(said.contains("person can only be used with notion = "), "{said}");
}

#[test]
fn what_the_file_alone_cannot_tell_is_not_judged() {
    let sandbox = visits(AS_IT_WAS);
    let ran = sandbox.throng("check job.toml");
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("not judged") && ran.stderr.contains("is not judged: the table does not show"),
        "{}",
        ran.stderr
    );
    let found = json(&sandbox.throng("check job.toml --json").no_release());
    assert_eq!(found["requirements"][0]["verdict"], "not judged");
    assert_eq!(found["lacks_persons"], true);
    let asked = json(&sandbox.throng("check job.toml --require 2 --json").no_release());
    assert_eq!(asked["meets_required_k"], Value::Null, "rows are no persons");
    // What rows decide is judged by rows: there are as many values, and no more persons than rows.
    let asked = "check job.toml --require distinct-l:l=2,column=illness --json";
    let found = json(&sandbox.throng(asked).no_release());
    let last = found["requirements"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["verdict"], &last["degree"]), (&Value::from("holds"), &Value::from(2.0)), "{last:#}");
    sandbox.write("out.csv", AS_IT_WAS.replace("40,Kiel,cold\n", ""));
    let found = json(&sandbox.throng("check job.toml --json").no_release());
    assert_eq!(found["requirements"][0]["verdict"], "fails", "two rows are no three persons");
}

/// Beside its original a release is rows, too.
#[test]
fn rows_beside_the_original_are_no_persons() {
    let sandbox = visits(AS_IT_WAS);
    let text = sandbox.throng("check job.toml out.csv").done();
    assert!(
        text.contains(
            "These figures count rows. A release does not say which person a row belongs to \
                           ('patient_id')"
        ),
        "{text}"
    );
    let of_table = "check visits.csv out.csv --qi age,town --person patient_id";
    for check in ["check job.toml out.csv", of_table] {
        let ran = sandbox.throng(&format!("{check} --require 3 --json"));
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("is not judged, because rows were counted"), "{}", ran.stderr);
        assert_eq!(json(&ran.stdout)["meets_required_k"], Value::Null);
        let found = json(&sandbox.throng(&format!("{check} --require 4 --json")).no_release());
        assert_eq!(found["meets_required_k"], false, "three rows are no four persons");
    }
    sandbox.throng("check visits.csv out.csv --qi age,town --person none --require 3").done();
}

#[test]
fn a_release_of_enough_persons_is_judged_in_the_original() {
    let sandbox = visits("");
    let summary =
        json(&sandbox.throng("anonymize job.toml --require distinct-l:l=2,column=illness --json").done());
    let verified: Vec<&Value> =
        summary["requirements"].as_array().unwrap().iter().map(|one| &one["verified"]).collect();
    assert_eq!(verified, ["run", "file"], "persons are not in the file, values are");
    let found = json(&sandbox.throng("attack job.toml --json").done());
    assert_eq!(found["verdict"], "holds", "{found:#}");
    sandbox.throng("report job.toml").done();
    sandbox.throng("check job.toml").no_release();
    let text = sandbox.throng("anonymize job.toml --require entropy-l:l=1.5,column=illness").done();
    assert!(text.contains("which the file alone does not show"), "{text}");
}

#[test]
fn where_rows_are_counted_the_file_decides_all() {
    let sandbox = Sandbox::new();
    let line = "anonymize job.toml --json --require entropy-l:l=1.5,column=illness";
    let summary = json(&sandbox.throng(line).done());
    let requirements = summary["requirements"].as_array().unwrap();
    assert!(requirements.iter().all(|one| one["verified"] == "file"), "{requirements:#?}");
}

/// A job of which nothing is left but a header.
fn nobody() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("all.csv", "age,town,illness\n30,Bonn,flu\n40,Kiel,gout\n");
    let job = "input = 'all.csv'\noutput = 'none.csv'\n[columns]\nage = { role = 'quasi' }\ntown = { role = 'quasi' }\n\
               illness = { role = 'sensitive' }\n[privacy]\nk = 2\nsuppression = '100%'\n";
    sandbox.write("job.toml", job);
    sandbox
}

const AS_THEY_ARE: &str = "anonymize job.toml --node age=0,town=0";

#[test]
fn a_release_without_rows_is_none_unless_any_is_accepted() {
    let sandbox = nobody();
    let text = sandbox.throng(AS_THEY_ARE).no_release();
    assert!(text.contains("by suppressing all 2 rows") && text.contains("--accept-any"), "{text}");
    let summary = json(&sandbox.throng(&format!("{AS_THEY_ARE} --json")).no_release());
    assert_eq!((&summary["outcome"], &summary["output"]), (&Value::from("infeasible"), &Value::Null));
    assert!(!sandbox.path("none.csv").exists());
    let text = sandbox.throng(&format!("{AS_THEY_ARE} --accept-any")).done();
    assert!(!text.contains("infinite"), "{text}");
    assert_eq!(sandbox.read("none.csv"), "age,town,illness\n");
}

#[test]
fn tables_without_rows_can_be_read() {
    let sandbox = nobody();
    for name in ["none.csv", "none.parquet", "none.arrow", "none.tsv"] {
        sandbox.throng(&format!("{AS_THEY_ARE} --accept-any -o {name}")).done();
        let check = format!("check {name} --qi age,town --sensitive illness --require 2 --json");
        let found = json(&sandbox.throng(&check).done());
        assert_eq!((&found["rows"], &found["classes"]), (&Value::from(0), &Value::from(0)), "{name}");
        sandbox.throng(&format!("check {name} --qi age,town --sensitive illness")).done();
        let found = json(&sandbox.throng(&format!("attack job.toml {name} --json")).done());
        assert_eq!((&found["released_rows"], &found["verdict"]), (&Value::from(0), &Value::from("holds")));
    }
    sandbox.throng("check job.toml").done();
}

/// Nothing in such a file names its columns; a job does, or who asks for them.
#[test]
fn json_lines_without_a_line_have_the_columns_of_their_job() {
    let sandbox = nobody();
    let job = sandbox.read("job.toml");
    for output in ["'none.jsonl'", "'none.jsonl.gz'", "{ path = 'parts/', format = 'jsonl' }"] {
        sandbox.write("job.toml", job.replace("'none.csv'", output));
        sandbox.throng(&format!("{AS_THEY_ARE} --accept-any")).done();
        let found = json(&sandbox.throng("check job.toml --json").done());
        assert_eq!(
            (&found["rows"], &found["requirements"][0]["holds"]),
            (&Value::from(0), &Value::Bool(true))
        );
        let found = json(&sandbox.throng("attack job.toml --json").done());
        assert_eq!((&found["released_rows"], &found["verdict"]), (&Value::from(0), &Value::from("holds")));
    }
    for file in ["none.jsonl", "none.jsonl.gz", "parts/"] {
        let flags = "--qi age,town --sensitive illness --require distinct-l:l=2,column=illness --json";
        let found = json(&sandbox.throng(&format!("check {file} {flags}")).done());
        assert_eq!((&found["rows"], &found["classes"]), (&Value::from(0), &Value::from(0)), "{file}");
        assert!(sandbox.refused(&format!("check {file}")).contains("empty"), "{file}");
    }
}

/// What is not looked at is said to be so.
#[test]
fn a_hierarchy_that_no_distance_needs_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("illness.csv", "flu;cold;*\ncold;cold;*\ngout;joints;*\n");
    let job = sandbox.read("job.toml").replace("\"sensitive\"", "\"sensitive\", hierarchy = \"illness.csv\"");
    sandbox.write("told.toml", job);
    let note = "the hierarchy of the sensitive column 'illness' is not used";
    assert!(sandbox.throng("anonymize told.toml").done().contains(note));
    let asked = "anonymize told.toml --require t-closeness:t=0.9,distance=hierarchical,column=illness";
    assert!(!sandbox.throng(asked).done().contains(note));
}

#[test]
fn means_of_very_large_numbers_are_numbers() {
    let sandbox = Sandbox::empty();
    sandbox.write("far.csv", "v,w\n-1e308,a\n1e308,a\n-1.5e308,a\n1.7e308,a\n");
    for shown in ["mean", "median"] {
        let line =
            format!("anonymize far.csv --qi v={shown} --rest other -k 2 --algorithm mondrian -o {shown}.csv");
        let text = sandbox.throng(&line).done();
        let release = sandbox.read(&format!("{shown}.csv"));
        assert!(!release.contains("inf") && !release.contains("NaN"), "{release}");
        assert!(!text.contains("inf "), "{text}");
    }
}
