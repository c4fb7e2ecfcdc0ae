//! Sensitive values as people spell them: what is one value to a reader is one to every model.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Two classes: one of a single illness in four spellings and two missing cells, one of three illnesses.
const ILL: &str = "\
age,town,illness
30,Bonn,HIV
30,Bonn,hiv
30,Bonn,\"HIV \"
30,Bonn,
30,Bonn,\"  \"
40,Kiel,heart failure
40,Kiel,Heart  Failure
40,Kiel,flu
40,Kiel,HIV
";

const JOB: &str = "input = 'ill.csv'\noutput = 'out.csv'\n[columns]\nage = { role = 'quasi' }\n\
                   town = { role = 'quasi' }\nillness = { role = 'sensitive' }\n[privacy]\nk = 2\n";

fn ill(job: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("ill.csv", ILL);
    sandbox.write("job.toml", job);
    sandbox
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What `check` says that the worst class has of a model.
fn degree(found: &Value, model: &str) -> f64 {
    let models = found["models"].as_array().unwrap();
    models.iter().find(|one| one["model"] == model).unwrap()["degree"].as_f64().unwrap_or(f64::INFINITY)
}

#[test]
fn spellings_and_missing_cells_make_no_class_diverse() {
    let sandbox = ill(JOB);
    let found = json(&sandbox.throng("check ill.csv --qi age,town --sensitive illness --json").done());
    assert_eq!(degree(&found, "distinct-l"), 1.0);
    assert_eq!(degree(&found, "p-sensitive"), 1.0);
    assert_eq!(degree(&found, "entropy-l"), 1.0);
    assert_eq!(degree(&found, "alpha-k"), 1.0);
    assert_eq!(degree(&found, "recursive-cl"), f64::INFINITY);
    let asked = "check ill.csv --qi age,town --require distinct-l:l=2,column=illness";
    sandbox.throng(asked).no_release();
    // By their spellings there would be three values, beside what is missing.
    sandbox.write("exact.toml", JOB.replace("role = 'sensitive'", "role = 'sensitive', exact = true"));
    let found = json(&sandbox.throng("check exact.toml --input --json").done());
    assert_eq!(degree(&found, "distinct-l"), 4.0, "HIV, hiv, 'HIV ' and two spaces");
}

#[test]
fn classes_of_one_value_are_merged_and_cells_stay_as_they_were() {
    let sandbox = ill(JOB);
    let flags = "anonymize job.toml --require distinct-l:l=2,column=illness --json";
    let report = json(&sandbox.throng(flags).done());
    let release = sandbox.read("out.csv");
    assert_eq!(report["requirements"][1]["degree"], 3.0, "{release}");
    assert!(release.contains("*,*,HIV \n") || release.contains("*,*,\"HIV \"\n"), "{release}");
    assert!(release.contains("Heart  Failure"), "{release}");
    sandbox.throng("check job.toml --require distinct-l:l=4,column=illness").no_release();
    // All models are judged by the search, by the verifier and in the file, which must agree.
    for model in [
        "entropy-l:l=1.5",
        "recursive-cl:c=4,l=2",
        "alpha-k:alpha=0.7",
        "p-sensitive:p=3",
        "t-closeness:t=0.5",
        "beta-likeness:beta=3",
        "delta-disclosure:delta=2",
    ] {
        let line = format!("anonymize job.toml --require {model},column=illness -o {}.csv", &model[..5]);
        sandbox.throng(&line).done();
    }
}

#[test]
fn what_a_job_says_of_values_may_be_spelled_otherwise() {
    let sandbox = ill(JOB);
    let alpha = "anonymize job.toml --json --require alpha-k:alpha=0.7,column=illness,value=Hiv";
    let report = json(&sandbox.throng(alpha).done());
    // Four of nine rows have it, and two may.
    assert!((report["requirements"][1]["degree"].as_f64().unwrap() - 6.0 / 9.0).abs() < 1e-9, "{report:#}");
    let told = "role = 'sensitive', order = ['FLU', 'heart failure', 'hiv'], hierarchy = 'illness.csv'";
    sandbox.write("told.toml", JOB.replace("role = 'sensitive'", told));
    sandbox.write("illness.csv", "hiv;infection;*\nFlu;infection;*\nHEART FAILURE;heart;*\n");
    for distance in ["ordered", "hierarchical"] {
        let line =
            format!("anonymize told.toml --require t-closeness:t=0.5,distance={distance},column=illness");
        sandbox.throng(&line).done();
    }
    let twice = told.replace("'hiv']", "'hiv', 'Flu ']");
    sandbox.write("twice.toml", JOB.replace("role = 'sensitive'", &twice));
    assert!(sandbox.refused("anonymize twice.toml").contains("'order' lists its value number 4 twice"));
    sandbox.write("target.toml", JOB.replace("role = 'sensitive'", "role = 'target', exact = true"));
    assert!(sandbox.refused("anonymize target.toml").contains("'exact' is only for the role sensitive"));
}

#[test]
fn who_finds_a_class_of_one_value_is_certain_of_it_however_it_is_spelled() {
    let sandbox = ill(JOB);
    let report = json(&sandbox.throng("anonymize job.toml --json").done());
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("'illness': 5 rows where all have the same"), "{warnings}");
    let found = json(&sandbox.throng("attack job.toml --json").no_release());
    assert_eq!(found["neighbours"]["certain_rows"]["illness"], 5, "{found:#}");
    sandbox.write("exact.toml", JOB.replace("role = 'sensitive'", "role = 'sensitive', exact = true"));
    let found = json(&sandbox.throng("attack exact.toml --json").done());
    assert_eq!(found["neighbours"]["certain_rows"]["illness"], 0, "{found:#}");
}

/// What programs write for a value that is missing makes no class diverse either.
#[test]
fn codes_of_missing_values_are_missing() {
    let sandbox = ill(JOB);
    let codes = ["?", "NA", "n/a", "#N/A", "NaN", "null", "NULL"];
    let rows: String = codes.iter().map(|code| format!("30,Bonn,{code}\n")).collect();
    sandbox.write("ill.csv", format!("age,town,illness\n30,Bonn,HIV\n{rows}40,Kiel,flu\n40,Kiel,none\n"));
    let found = json(&sandbox.throng("check ill.csv --qi age,town --sensitive illness --json").done());
    assert_eq!(degree(&found, "distinct-l"), 1.0);
    let flags = "anonymize job.toml --require distinct-l:l=2,column=illness --json";
    let report = json(&sandbox.throng(flags).done());
    assert_eq!(report["requirements"][1]["degree"], 3.0, "HIV, flu and none");
    let release = sandbox.read("out.csv");
    assert!(codes.iter().all(|code| release.contains(&format!("*,*,{code}\n"))), "{release}");
    sandbox.write("exact.toml", JOB.replace("role = 'sensitive'", "role = 'sensitive', exact = true"));
    let found = json(&sandbox.throng("check exact.toml --input --json").done());
    assert_eq!(degree(&found, "distinct-l"), 2.0, "none and flu");
}

/// Parquet and JSON lines have nulls, which are read back as what is missing.
#[test]
fn nulls_are_missing_in_every_format() {
    let sandbox = ill(JOB);
    for format in ["parquet", "jsonl", "arrow", "tsv"] {
        let line =
            format!("anonymize job.toml --require distinct-l:l=3,column=illness -o out.{format} --json");
        let report = json(&sandbox.throng(&line).done());
        assert_eq!(report["requirements"][1]["degree"], 3.0);
        let check = format!("check out.{format} --qi age,town --sensitive illness --json");
        assert_eq!(degree(&json(&sandbox.throng(&check).done()), "distinct-l"), 3.0, "{format}");
    }
}
