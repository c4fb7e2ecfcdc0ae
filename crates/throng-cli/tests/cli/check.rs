//! `throng check` on tables of ours and of others.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON object")
}

/// A demo of a few hundred rows, with its release.
fn demo() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 600 --dir demo").done();
    sandbox
}

#[test]
fn text_says_k_the_risk_and_the_columns() {
    let text = Sandbox::new().throng("check people.csv --qi sex --qi zip --k 4").done();
    assert!(text.starts_with("people.csv: 8 rows, k = 1\n"), "{text}");
    assert!(text.contains("unique rows        8 (100 %)"), "{text}");
    assert!(text.contains("in 8 classes of fewer than 4 rows"), "{text}");
    // Without zip, four women and four men are left.
    let columns: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  column")).collect();
    assert!(columns[1].starts_with("  zip ") && columns[1].contains("0 %"), "{text}");
    assert!(columns[2].starts_with("  sex ") && columns[2].contains("100 %"), "{text}");
    assert!(!text.contains("Secret") && !text.contains("12345"), "{text}");
}

#[test]
fn columns_are_named_one_by_one_or_in_a_list() {
    let sandbox = Sandbox::new();
    let one_by_one = sandbox.throng("check people.csv --qi sex --qi zip --json").done();
    assert_eq!(one_by_one, sandbox.throng("check people.csv --qi sex,zip --json").done());
    assert_eq!(json(&one_by_one)["quasi"], json(r#"["sex", "zip"]"#));
}

#[test]
fn json_has_stable_keys() {
    let found = json(&Sandbox::new().throng("check people.csv --qi sex --require 4 --json").done());
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "file",
        "rows",
        "masked_rows",
        "quasi",
        "classes",
        "k",
        "threshold",
        "classes_at_risk",
        "unique_rows",
        "unique_share",
        "at_risk_rows",
        "at_risk_share",
        "risk",
        "histogram",
        "columns",
        "sensitive",
        "person",
        "lacks_persons",
        "person_columns",
        "sample",
        "population",
        "special_uniques",
        "models",
        "requirements",
        "required_k",
        "meets_required_k",
        "policy",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&found["k"], &found["classes"], &found["at_risk_rows"]), (&4.into(), &2.into(), &8.into()));
    assert_eq!(found["risk"], json(r#"{"highest": 0.25, "mean": 0.25}"#));
    assert_eq!(found["histogram"][2], json(r#"{"from": 3, "to": 4, "classes": 2, "rows": 8}"#));
    assert_eq!(found["columns"][0]["left_out"]["at_risk_share"], 0.0);
    assert_eq!(found["meets_required_k"], true);
}

#[test]
fn a_required_k_that_is_not_met_is_exit_code_1() {
    let sandbox = Sandbox::new();
    sandbox.throng("check people.csv --qi sex --require 4").done();
    let ran = sandbox.throng("check people.csv --qi sex --require 5");
    assert_eq!(ran.stderr, "k is 4, below the 5 that is required\n");
    assert!(ran.no_release().starts_with("people.csv"));
    let found = json(&sandbox.throng("check people.csv --qi sex --require 5 --json").no_release());
    assert_eq!((&found["required_k"], &found["meets_required_k"]), (&5.into(), &false.into()));
}

#[test]
fn a_job_stands_for_its_release_or_its_input() {
    let sandbox = demo();
    let release = json(&sandbox.throng("check demo/hospital.toml --require 5 --json").done());
    assert!(release["file"].as_str().unwrap().ends_with("hospital-k5.csv"));
    assert_eq!((&release["threshold"], &release["unique_rows"]), (&5.into(), &0.into()));
    let input = json(&sandbox.throng("check demo/hospital.toml --input --json").done());
    assert!(input["file"].as_str().unwrap().ends_with("hospital.csv"));
    assert_eq!((&input["rows"], &input["k"]), (&600.into(), &1.into()));
    assert_eq!(input["quasi"].as_array().unwrap().len(), 6);
    let some = json(&sandbox.throng("check demo/hospital.toml --input --qi sex --json").done());
    assert_eq!(some["classes"], 2);
}

#[test]
fn masked_rows_are_counted_as_one_class() {
    let sandbox = demo();
    sandbox.throng("anonymize demo/hospital.toml --suppressed mask --suppression 5% -o masked.csv").done();
    let line = "check masked.csv --qi birth_date,sex,zip,nationality,occupation,admission_date --json";
    let found = json(&sandbox.throng(line).done());
    assert_eq!(found["rows"], 600);
    let masked = found["masked_rows"].as_u64().unwrap();
    assert!((1..=30).contains(&masked), "{masked}");
    assert!(found["k"].as_u64().unwrap() >= masked.min(5));
    sandbox.write("foreign.csv", "a,d\n*,x\n1,y\n1,z\n");
    let text = sandbox.throng("check foreign.csv --qi a").done();
    assert!(text.starts_with("foreign.csv: 3 rows, k = 1\n"), "{text}");
    assert!(text.contains("counted above as one class"), "{text}");
}

#[test]
fn text_can_be_spelled_in_other_ways() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.txt", "a;b\n'x;1';2\n'x;1';3\n");
    let line = "check t.txt --no-header --delimiter ; --quote ' --qi column_1 --json";
    let found = json(&sandbox.throng(line).done());
    assert_eq!((&found["rows"], &found["classes"]), (&3.into(), &2.into()));
}

#[test]
fn a_release_beside_its_original_has_a_k_of_each_notion() {
    let sandbox = Sandbox::with_patients();
    insta::assert_snapshot!(sandbox.throng("check patients.csv released.csv --qi smoker,town").done());
    let line = "check patients.csv released.csv --qi smoker --qi town --json";
    insta::assert_snapshot!("degrees_in_json", sandbox.throng(line).done());
}

#[test]
fn a_notion_can_be_required() {
    let sandbox = Sandbox::with_patients();
    let line = "check patients.csv released.csv --qi smoker,town";
    sandbox.throng(&format!("{line} --notion kk --require 2")).done();
    let ran = sandbox.throng(&format!("{line} --notion global-1k --require 2"));
    assert_eq!(ran.stderr, "global (1,k)-anonymity holds for k = 1, below the 2 that is required\n");
    ran.no_release();
    let found = json(&sandbox.throng(&format!("{line} --require 2 --json")).no_release());
    assert_eq!((&found["required_notion"], &found["meets_required_k"]), (&"k".into(), &false.into()));
}

#[test]
fn a_job_knows_the_original_of_a_release() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --dataset art --rows 300 --dir demo").done();
    let line = "anonymize demo/art.toml --algorithm expansion --notion kk -k 3 -o demo/kk.csv";
    sandbox.throng(line).done();
    let found =
        json(&sandbox.throng("check demo/art.toml demo/kk.csv --notion kk --require 3 --json").done());
    assert!(found["degrees"]["kk"].as_u64() >= Some(3), "{found}");
    assert_eq!((&found["rows"], found["quasi"].as_array().map(Vec::len)), (&300.into(), Some(6)));
    // Without the job, the hierarchies have to be named.
    let line = "check demo/art.csv demo/kk.csv --qi A1=demo/hierarchies/A1.csv --qi A2=demo/hierarchies/A2.csv \
                --qi A3=demo/hierarchies/A3.csv --qi A4=demo/hierarchies/A4.csv --json";
    let some = json(&sandbox.throng(line).done());
    assert!(some["degrees"]["1k"].as_u64() >= found["degrees"]["1k"].as_u64(), "fewer columns tell less");
    let list = ["A1", "A2", "A3", "A4"].map(|name| format!("{name}=demo/hierarchies/{name}.csv")).join(",");
    let line = format!("check demo/art.csv demo/kk.csv --qi {list} --json");
    assert_eq!(json(&sandbox.throng(&line).done()), some);
}

#[test]
fn a_release_that_does_not_fit_its_original_is_explained() {
    let sandbox = Sandbox::with_patients();
    let line = "check patients.csv released.csv --qi";
    let released = sandbox.read("released.csv");

    sandbox.write("short.csv", released.replace("*,*,gout\n", ""));
    let short = sandbox.refused("check patients.csv short.csv --qi smoker,town");
    assert!(short.starts_with("error: short.csv: it has 4 rows, the original has 5; "), "{short}");
    sandbox.write("other.csv", released.replace("*,Kiel", "no,Kiel"));
    let other = sandbox.refused("check patients.csv other.csv --qi smoker,town");
    assert!(other.contains("row 3, column 'smoker': the released value does not cover"), "{other}");
    sandbox.write("odd.csv", released.replace("*,Kiel", "*,north"));
    let odd = sandbox.refused("check patients.csv odd.csv --qi smoker,town");
    assert!(odd.contains("row 3, column 'town'") && odd.contains("has no hierarchy; name"), "{odd}");
    sandbox.write("town.csv", "Bonn;west;*\nKiel;north;*\n");
    sandbox.throng("check patients.csv odd.csv --qi smoker --qi town=town.csv").done();
    sandbox.write("odder.csv", released.replace("*,Kiel", "*,sea"));
    let odder = sandbox.refused("check patients.csv odder.csv --qi smoker --qi town=town.csv");
    assert!(odder.contains("row 3, column 'town': the released value is not in the hierarchy"), "{odder}");
    assert!(!odder.contains("sea") && !odd.contains("north"), "a cell is shown");

    assert!(sandbox.refused(&format!("{line} town=none.csv")).contains("none.csv"));
    assert!(sandbox.refused(&format!("{line} twon")).contains("did you mean 'town'?"));
    assert!(
        sandbox.refused(&format!("{line} name")).contains("no column 'name'"),
        "the release has no names"
    );
    assert!(sandbox.refused("check patients.csv released.csv").contains("--qi COLUMN=HIERARCHY"));
    assert!(sandbox.refused("check patients.csv missing.csv --qi town").contains("missing.csv"));
    assert!(sandbox.refused("check missing.toml released.csv").contains("no such job file"));
    assert!(sandbox.refused(&format!("{line} town -k 3")).contains("--require K"));
    assert!(sandbox.refused(&format!("{line} town --input")).contains("--input checks a table alone"));
    assert_eq!(sandbox.throng("check patients.csv --qi town --notion kk").code, Some(2));
}

#[test]
fn what_cannot_be_checked_is_explained() {
    let sandbox = Sandbox::new();
    let none = sandbox.refused("check people.csv --header");
    assert!(none.contains("--qi COLUMN") && none.contains("'illness'"), "{none}");
    let guessed = sandbox.refused("check people.csv");
    assert!(guessed.contains("use --no-header") && !guessed.contains("'illness'"), "{guessed}");
    let unknown = sandbox.refused("check people.csv --qi zipp");
    assert!(unknown.contains("no column 'zipp' (did you mean 'zip'?)"), "{unknown}");
    assert!(sandbox.refused("check people.csv --qi zip,zip").contains("'zip' is given twice"));
    let alone = sandbox.refused("check people.csv --qi age=age.csv,zip");
    assert!(alone.contains("column 'age' comes with a hierarchy"), "{alone}");
    assert!(sandbox.refused("check missing.csv --qi zip").contains("missing.csv"));
    assert!(sandbox.refused("check missing.toml").contains("no such job file"));
    let early = sandbox.refused("check job.toml");
    assert!(early.contains("throng anonymize job.toml") && early.contains("--input"), "{early}");
    assert!(sandbox.refused("check people.csv --qi zip --input").contains("--input is for jobs"));
    sandbox.write("header.csv", "a,b\n");
    assert!(sandbox.throng("check header.csv --qi a").done().contains("0 rows"));
    for k in ["1", "-1"] {
        let few = sandbox.refused(&format!("check people.csv --qi zip --k {k}"));
        assert!(few.contains("'--k <K>': must be a whole number of at least 2"), "{few}");
    }
}
