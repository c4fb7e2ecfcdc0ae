//! Requirements about the population that a table is a sample of, through the binary.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const TABLE: &str = "\
name,age,sex,illness
Ann Secretname,31,f,flu
Bea Secretname,33,f,cold
Cas Secretname,45,m,flu
Dan Secretname,47,m,gout
";

/// In the thirties 4 women, in the forties 3 men, and a woman of 62 whom nobody of the table is like. Columns
/// are in another order and have other separators, and one is not in the table.
const REGION: &str = "\
sex;town;age
f;Bonn;31
f;Kiel;31
f;Bonn;33
f;Kiel;36
m;Bonn;45
m;Kiel;47
m;Bonn;48
f;Kiel;62
";

const JOB: &str = r#"
input  = "table.csv"
output = "release.csv"

[columns]
name    = { role = "identifier" }
age     = { role = "quasi", hierarchy = { intervals = [10] } }
sex     = { role = "quasi" }
illness = { role = "sensitive" }

[privacy]
suppression = 0
"#;

/// A job that requires this of the table and its population.
fn asking(more: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("table.csv", TABLE);
    sandbox.write("region.csv", REGION);
    sandbox.write("job.toml", format!("{JOB}{}", required(more)));
    sandbox
}

fn required(keys: &str) -> String {
    format!("\n[[privacy.require]]\npopulation = 'region.csv'\n{keys}\n")
}

/// The levels of age and sex, the degree, and the text of the release.
fn release(sandbox: &Sandbox, line: &str) -> (Value, f64, String) {
    let report: Value = serde_json::from_str(&sandbox.throng(line).done()).unwrap();
    let asked = &report["requirements"][0];
    assert_eq!(asked["holds"], true, "{report}");
    assert_eq!((&report["rows"], &report["suppressed_rows"]), (&json!(4), &json!(0)));
    let text = sandbox.read("release.csv");
    assert_eq!(text.lines().count(), 5, "only rows of the table: {text}");
    assert!(!text.contains("Secret") && !text.contains("6"), "nobody else: {text}");
    (json!([report["levels"]["age"], report["levels"]["sex"]]), asked["degree"].as_f64().unwrap(), text)
}

fn asked(keys: &str) -> (Value, f64, String) {
    release(&asking(keys), "anonymize job.toml --json")
}

#[test]
fn a_class_needs_people_of_the_population_not_rows() {
    let (levels, degree, text) = asked("model = 'k-map'\nk = 3");
    assert_eq!((levels, degree), (json!([1, 0]), 3.0));
    assert_eq!(text, "age,sex,illness\n30-39,f,flu\n30-39,f,cold\n40-49,m,flu\n40-49,m,gout\n");
    let (levels, degree, _) = asked("model = 'k-map'\nk = 8");
    assert_eq!((levels, degree), (json!([2, 1]), 8.0), "everybody is in one class");
}

#[test]
fn nobody_is_too_sure_of_who_is_in_the_table() {
    let (levels, degree, _) = asked("model = 'delta-presence'\nmin = 0\nmax = 0.7");
    assert_eq!((levels, degree), (json!([1, 0]), 2.0 / 3.0));
    let (levels, degree, _) = asked("model = 'delta-presence'\nmin = 0\nmax = 0.6");
    assert_eq!((levels, degree), (json!([2, 1]), 0.5));
    // The woman of 62 would be known not to be in the table.
    let (levels, degree, _) = asked("model = 'delta-presence'\nmin = 0.1\nmax = 0.7");
    assert_eq!((levels, degree), (json!([2, 0]), 2.0 / 3.0));
}

#[test]
fn a_journalist_knows_the_population() {
    let (levels, degree, _) = asked("model = 'max-risk'\nrisk = 0.34\nattacker = 'journalist'");
    assert_eq!((levels, degree), (json!([1, 0]), 1.0 / 3.0));
    let (levels, degree, _) = asked("model = 'average-risk'\nrisk = 0.3\nattacker = 'journalist'");
    assert_eq!(levels, json!([1, 0]));
    // Means are known to nine decimals.
    assert!((degree - (2.0 / 4.0 + 2.0 / 3.0) / 4.0).abs() < 1e-9, "{degree}");
}

#[test]
fn flags_say_the_same_and_other_requirements_go_beside_it() {
    let sandbox = asking("model = 'k-map'\nk = 3");
    let flags = "anonymize table.csv --qi age=intervals:10 --qi sex --identifier name --sensitive illness \
                 -o release.csv --require k-map:k=3,population=region.csv \
                 --require distinct-l:l=2,column=illness --json";
    for more in ["", " --person name", " --algorithm ascent", " --algorithm ola -k 2"] {
        let report: Value = serde_json::from_str(&sandbox.throng(&format!("{flags}{more}")).done()).unwrap();
        let shown: Vec<(&Value, &Value)> = report["requirements"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (&one["model"], &one["holds"]))
            .collect();
        let yes = json!(true);
        let (map, diverse) = (json!("k-map"), json!("distinct-l"));
        assert!(shown.ends_with(&[(&map, &yes), (&diverse, &yes)]), "{report}");
    }
    let text = sandbox.throng("anonymize job.toml").done();
    assert!(
        text.contains(
            "  k-map (k = 3) over age, sex: the worst class has 3, which cannot be seen from the file alone\n"
        ),
        "{text}"
    );
}

#[test]
fn hierarchies_made_from_data_have_the_values_of_both() {
    let sandbox = asking("model = 'k-map'\nk = 3");
    for age in ["hierarchy = { auto = true }", "weight = 1"] {
        let job = format!("{JOB}{}", required("model = 'k-map'\nk = 3"));
        sandbox.write("job.toml", job.replace("hierarchy = { intervals = [10] }", age));
        let (_, degree, _) = release(&sandbox, "anonymize job.toml --json");
        assert!(degree >= 3.0);
    }
}

#[test]
fn what_cannot_be_had_says_what_could() {
    let sandbox = asking("model = 'k-map'\nk = 9");
    let text = sandbox.throng("anonymize job.toml").no_release();
    assert!(text.contains("k-map (k = 9) over age, sex alone could reach 8"), "{text}");
}

#[test]
fn a_comparison_and_its_sample_keep_the_population() {
    let sandbox = asking("model = 'k-map'\nk = 3");
    for more in ["", " --rows 2"] {
        let line = format!("compare job.toml --algorithms flash,datafly --k 2 --format json{more}");
        let compared: Value = serde_json::from_str(&sandbox.throng(&line).done()).unwrap();
        assert_eq!(compared["by_k"].as_array().unwrap().len(), 2, "{compared}");
    }
    let refused = sandbox.refused("compare job.toml --algorithms flash,sequential --k 2");
    assert!(refused.contains("'sequential' cannot take a population into account"), "{refused}");
}

#[test]
fn a_population_without_the_table_is_refused() {
    let sandbox = asking("model = 'k-map'\nk = 2");
    let lacking = |region: &str| {
        sandbox.write("region.csv", region);
        sandbox.refused("anonymize job.toml")
    };
    let one = lacking(&REGION.replace("m;Kiel;47\n", ""));
    let start =
        "error: table.csv: row 4: this is not in the population region.csv, which lacks 1 row of the table";
    assert!(one.starts_with(start), "{one}");
    let two = lacking(&REGION.replace("f;Bonn;33\n", "").replace("m;Kiel;47\n", ""));
    assert!(two.contains("row 2: ") && two.contains("lacks 2 rows"), "{two}");
    let column = lacking(&REGION.replace("sex;", "gender;"));
    assert!(column.contains("region.csv: the population has no column 'sex'; it must have"), "{column}");
    let none = lacking("sex;town;age\n");
    assert!(none.contains("region.csv: there are no data rows"), "{none}");

    // Two of the table are more than one of the population.
    sandbox.write("region.csv", REGION);
    sandbox.write("table.csv", format!("{TABLE}Eva Secretname,33,f,cold\n"));
    let twice = sandbox.refused("anonymize job.toml");
    assert!(twice.contains("table.csv: row 5: ") && twice.contains("lacks 1 row "), "{twice}");
    sandbox.write("table.csv", format!("{TABLE}Bea Secretname,33,f,cold\n"));
    sandbox.throng("anonymize job.toml --person name").done();
}

#[test]
fn bad_populations_are_explained_and_nothing_is_written() {
    let sandbox = asking("model = 'k-map'\nk = 2");
    sandbox.write("other.csv", REGION);
    let two = "--require k-map:k=2,population=region.csv \
               --require max-risk:risk=0.5,attacker=journalist,population=other.csv";
    let refused = sandbox.refused(&format!("anonymize job.toml {two}"));
    let expected =
        "'k-map' and 'max-risk' name two populations, region.csv and other.csv; a table is a sample of one";
    assert!(refused.contains(expected), "{refused}");
    let same = two.replace("other.csv", "./region.csv");
    sandbox.throng(&format!("anonymize job.toml {same} -o two.csv")).done();

    let own = sandbox.refused("anonymize job.toml -o region.csv");
    assert!(own.contains("the output region.csv is the input"), "{own}");
    let missing = sandbox.refused("anonymize job.toml --require k-map:k=2,population=regoin.csv");
    assert!(missing.contains("regoin.csv"), "{missing}");
    let local = sandbox.refused("anonymize job.toml --algorithm sequential");
    assert!(
        local.contains(
            "'sequential' cannot take a population into account. Algorithms that can: auto, flash, "
        ),
        "{local}"
    );
    assert!(!local.contains("mondrian"), "{local}");
    let address = sandbox.refused("anonymize job.toml --require k-map:k=2,population=s3://u:pw@x/y");
    assert!(address.contains("population is a s3:// address") && !address.contains("pw"), "{address}");
}

#[test]
fn a_value_that_only_the_population_has_is_found_there() {
    let sandbox = asking("model = 'k-map'\nk = 2");
    let job = format!("{JOB}{}", required("model = 'k-map'\nk = 2"));
    sandbox.write("job.toml", job.replace("{ intervals = [10] }", "'age.csv'"));
    sandbox.write("age.csv", "31;*\n33;*\n45;*\n47;*\n36;*\n48;*\n");
    let refused = sandbox.refused("anonymize job.toml");
    let start = "error: region.csv: row 8, column 'age': the value is not in the hierarchy age.csv (1 value";
    assert!(refused.starts_with(start) && !refused.contains("62"), "{refused}");
    sandbox.write("age.csv", "31;*\n33;*\n45;*\n36;*\n48;*\n");
    let refused = sandbox.refused("anonymize job.toml");
    assert!(refused.starts_with("error: table.csv: row 4, column 'age': "), "{refused}");
    sandbox.write("job.toml", job);
    sandbox.write("region.csv", REGION.replace("62", "old"));
    let refused = sandbox.refused("anonymize job.toml");
    assert!(refused.starts_with("error: region.csv: row 8, column 'age': the value is not"), "{refused}");
}
