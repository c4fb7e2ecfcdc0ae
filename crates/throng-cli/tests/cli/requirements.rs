//! Several requirements, over different shields, through the binary.

use serde_json::{Value, json};

use crate::sandbox::{JOB, Sandbox};

/// A job that asks for more than k.
fn asking(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", format!("{JOB}{more}"));
    sandbox
}

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

/// The rows of a release, without the header.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

/// The rows of each class over some columns.
fn classes<'t>(rows: &'t [Vec<&'t str>], columns: &[usize]) -> Vec<Vec<&'t Vec<&'t str>>> {
    let key = |row: &Vec<&'t str>| columns.iter().map(|&column| row[column]).collect::<Vec<_>>();
    let mut sorted: Vec<&Vec<&str>> = rows.iter().collect();
    sorted.sort_by_key(|row| key(row));
    sorted.chunk_by(|a, b| key(a) == key(b)).map(<[_]>::to_vec).collect()
}

fn distinct(class: &[&Vec<&str>], column: usize) -> usize {
    let mut values: Vec<&str> = class.iter().map(|row| row[column]).collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}

const DIVERSE: &str = "\n[[privacy.require]]\nmodel = 'distinct-l'\nl = 3\ncolumn = 'illness'\n";

#[test]
fn every_class_has_as_many_illnesses_as_asked_for() {
    let sandbox = asking(DIVERSE);
    let report = summary(&sandbox, "anonymize job.toml --json");
    let release = sandbox.read("release.csv");
    let rows = rows(&release);
    let least = classes(&rows, &[0, 1, 2]).iter().map(|class| distinct(class, 3)).min();
    assert_eq!(least, Some(3));
    let expected = json!({
        "model": "distinct-l", "parameters": { "l": 3 }, "column": "illness",
        "shield": ["age", "sex", "zip"], "degree": 3.0, "holds": true, "verified": "file"
    });
    assert_eq!(report["requirements"][1], expected);
    assert_eq!(report["requirements"][0]["model"], "k");
    assert_eq!(report["achieved"]["distinct-l"], 3);
    let flags = "anonymize job.toml -o other.csv --require distinct-l:l=3,column=illness";
    let text = Sandbox::new().throng(flags).done();
    let line = "  distinct-l (l = 3) of 'illness' over age, sex, zip: the worst class has 3\n";
    assert!(text.contains(line), "{text}");
}

/// Large classes over age and sex alone; over all three columns two rows will do.
#[test]
fn two_shields_are_both_kept() {
    let sandbox = asking("\n[[privacy.require]]\nmodel = 'k'\nk = 4\nshield = ['sex', 'age']\n");
    let report = summary(&sandbox, "anonymize job.toml --json");
    let release = sandbox.read("release.csv");
    let rows = rows(&release);
    let smallest = |columns: &[usize]| classes(&rows, columns).iter().map(Vec::len).min();
    assert!(smallest(&[0, 1]) >= Some(4) && smallest(&[0, 1, 2]) >= Some(2), "{release}");
    assert_eq!(report["requirements"][1]["shield"], json!(["age", "sex"]));
    assert_eq!(report["optimal"], true);
    let alone = Sandbox::new();
    let loss = |report: &Value| report["measures"]["lm"].as_f64().unwrap();
    assert!(loss(&report) >= loss(&summary(&alone, "anonymize job.toml --json")));
}

#[test]
fn k_may_be_left_out_where_a_requirement_stands_in_its_place() {
    let sandbox = asking(DIVERSE);
    sandbox.write("job.toml", format!("{JOB}{DIVERSE}").replace("k = 2\n", ""));
    let report = summary(&sandbox, "anonymize job.toml --json");
    assert_eq!(report["requirement"]["k"], Value::Null);
    assert_eq!(report["requirements"].as_array().unwrap().len(), 1);
    sandbox.write("job.toml", JOB.replace("k = 2\n", ""));
    let nothing = sandbox.refused("anonymize job.toml -o other.csv");
    assert!(
        nothing.contains("nothing is required: set k in [privacy], or add a [[privacy.require]]"),
        "{nothing}"
    );
}

#[test]
fn what_cannot_be_had_is_told_by_requirement() {
    let sandbox = asking(&DIVERSE.replace("l = 3", "l = 3\nshield = ['sex']"));
    sandbox.write("age.csv", "31;a\n33;a\n36;a\n38;a\n41;b\n45;b\n47;b\n49;b\n");
    // Women have no gout; nothing above `sex` but `*`, which is allowed, so this can be had.
    sandbox.throng("anonymize job.toml").done();
    let job = format!("{JOB}{}", DIVERSE.replace("l = 3", "l = 3\nshield = ['age']"));
    sandbox.write("job.toml", &job);
    sandbox.write("age.csv", "31;a\n33;b\n36;c\n38;d\n41;e\n45;f\n47;g\n49;h\n");
    let ran = sandbox.throng("anonymize job.toml -o other.csv");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "distinct-l (l = 3) of 'illness' over age alone could reach 1";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
}

#[test]
fn bad_requirements_are_explained_and_nothing_is_written() {
    let refused = |more: &str| asking(more).refused("anonymize job.toml");
    let of = |change: (&str, &str)| refused(&DIVERSE.replace(change.0, change.1));
    assert!(of(("distinct-l", "distinkt-l")).contains("did you mean 'distinct-l'?"));
    assert!(of(("'illness'", "'ilness'")).contains("no column 'ilness' (did you mean 'illness'?)"));
    assert!(of(("'illness'", "'age'")).contains("column 'age' has the role 'quasi'; it must be sensitive"));
    assert!(of(("l = 3", "l = 1")).contains("l is 1; it must be a whole number, at least 2"));
    assert!(of(("l = 3", "l = 4")).contains("it needs 4 values; column 'illness' has 3"));
    let misspelt = of(("l = 3", "l = 3\nshield = ['agee']"));
    assert!(misspelt.contains("'agee' (did you mean 'age'?), which is not a quasi-identifier"), "{misspelt}");
    assert!(of(("l = 3", "l = 3\nshield = []")).contains("shield is empty"));
    let local = asking(DIVERSE).refused("anonymize job.toml --algorithm nearest --notion k1");
    assert!(local.contains("it cannot be used with notion = \"k1\""), "{local}");
}

#[test]
fn a_cut_is_released_and_verified_like_the_rest() {
    let sandbox = Sandbox::new();
    let report = summary(&sandbox, "anonymize job.toml --algorithm ascent --json");
    assert_eq!((&report["levels"], report["cuts"]["age"].is_array()), (&Value::Null, true));
    let release = sandbox.read("release.csv");
    assert!(classes(&rows(&release), &[0, 1, 2]).iter().all(|class| class.len() >= 2), "{release}");
    let text = sandbox.throng("anonymize job.toml --algorithm ascent -o text.csv").done();
    assert!(text.contains("values of its hierarchy"), "{text}");
    let level = sandbox.refused("anonymize job.toml --algorithm ascent --measure level -o other.csv");
    assert!(level.contains("which only a choice of levels has"), "{level}");
}

#[test]
fn a_release_without_rows_holds_what_was_asked_for_and_shows_no_value() {
    let sandbox = Sandbox::empty();
    sandbox.write("c.csv", "q,z,s\nsecret,1,1\nsecret,2,1\n");
    sandbox.write("q.csv", "secret\n");
    sandbox.write("z.csv", "1;1a\n2;2a\n");
    let line = "anonymize c.csv --qi q=q.csv --qi z=z.csv --sensitive s -k 2 --suppression 100% --accept-any --json -o o.csv";
    for algorithm in ["ascent", "flash"] {
        let json = sandbox.throng(&format!("{line} --algorithm {algorithm}")).done();
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(report["suppressed_rows"], 2, "{json}");
        let asked = &report["requirements"][0];
        assert_eq!((&asked["degree"], &asked["holds"]), (&Value::Null, &json!(true)));
        assert!(!json.contains("secret"), "{json}");
    }
}

#[test]
fn a_comparison_refuses_what_an_algorithm_cannot_give() {
    let sandbox = asking(DIVERSE);
    let refused = sandbox.refused("compare job.toml --algorithms flash,nearest --k 2");
    assert!(refused.contains("'nearest' does not give k-anonymity"), "{refused}");
    let notion = sandbox.refused("compare job.toml --algorithms flash:notion=k1 --k 2");
    assert!(notion.contains("cannot be used with notion"), "{notion}");
}

/// Every algorithm that forms classes gives every model, and a stranger confirms what is claimed.
#[test]
fn local_algorithms_give_models_and_check_agrees() {
    for algorithm in
        ["flash", "ascent", "agglomerative", "forest", "sequential", "mondrian", "spatial-distance"]
    {
        let more = "[[privacy.require]]\nmodel = 't-closeness'\nt = 0.6\ncolumn = 'illness'\n";
        let sandbox = asking(&format!("{}{more}", DIVERSE.replace("l = 3", "l = 2")));
        let report = summary(&sandbox, &format!("anonymize job.toml --algorithm {algorithm} --json"));
        let checked: Value = serde_json::from_str(&sandbox.throng("check job.toml --json").done()).unwrap();
        for requirement in report["requirements"].as_array().unwrap() {
            let same = |found: &&Value| found["model"] == requirement["model"];
            let found = checked["models"].as_array().unwrap().iter().find(same).unwrap();
            assert_eq!(requirement["holds"], true, "{algorithm}: {requirement}");
            assert_eq!(found["degree"], requirement["degree"], "{algorithm}: {requirement}");
        }
    }
}

/// What a job requires, `check` judges again on its release: by the file alone, each by its own shield.
#[test]
fn check_judges_what_the_job_requires() {
    let shields =
        "\n[[privacy.require]]\nmodel = 'distinct-l'\nl = 2\ncolumn = 'illness'\nshield = ['sex']\n";
    let sandbox = asking(&format!("{DIVERSE}{shields}"));
    let report = summary(&sandbox, "anonymize job.toml --json");
    let found = summary(&sandbox, "check job.toml --json");
    let asked = found["requirements"].as_array().unwrap();
    assert_eq!(asked.len(), 3);
    for (asked, claimed) in asked.iter().zip(report["requirements"].as_array().unwrap()) {
        for key in ["model", "parameters", "column", "shield", "degree", "holds"] {
            assert_eq!(asked[key], claimed[key], "{key}");
        }
        assert_eq!((&asked["failing_classes"], &asked["not_judged"]), (&0.into(), &Value::Null));
    }
    let text = sandbox.throng("check job.toml").done();
    let line = "  distinct-l (l = 2) of 'illness' over sex            holds  the worst class has";
    assert!(text.contains(line), "{text}");

    // Everybody has one illness now: both requirements about it fail, k does not.
    let release = sandbox.read("release.csv");
    let same = rows(&release)
        .iter()
        .map(|row| format!("{},{},{},flu\n", row[0], row[1], row[2]))
        .collect::<String>();
    sandbox.write("release.csv", format!("{}\n{same}", release.lines().next().unwrap()));
    let failed = sandbox.throng("check job.toml");
    let (text, note) = (failed.stdout.clone(), failed.stderr.clone());
    assert_eq!(failed.code, Some(1), "{text}{note}");
    assert!(text.contains("FAILS  the worst class has 1: "), "{text}");
    let complaint = "distinct-l (l = 3) of 'illness' over age, sex, zip does not hold: the worst class has 1";
    assert!(note.contains(complaint) && !note.contains("k (k = "), "{note}");
}

/// Requirements of flags, on any table.
#[test]
fn check_takes_requirements_as_flags() {
    let sandbox = Sandbox::new();
    let check = "check people.csv --qi sex --require 2 --require distinct-l:l=2,column=illness";
    let text = sandbox.throng(check).done();
    assert!(text.contains("distinct-l (l = 2) of 'illness' over sex  holds  the worst class has"), "{text}");
    let strict = "check people.csv --qi age,sex --require distinct-l:l=4,column=illness,shield=sex+age";
    let failed = sandbox.throng(strict);
    assert_eq!(failed.code, Some(1));
    let note = failed.stderr;
    assert!(note.contains("distinct-l (l = 4) of 'illness' over age, sex does not hold"), "{note}");
    let refused = sandbox.refused("check people.csv --qi sex --require distinct-l:l=2,column=ilness");
    assert!(refused.contains("there is no column 'ilness'"), "{refused}");
    let refused = sandbox.refused("check people.csv --qi sex --require distinkt-l:l=2");
    assert!(refused.contains("did you mean 'distinct-l'?"), "{refused}");
    let refused = sandbox.refused("check people.csv --qi sex --require distinct-l:l=2,column=sex");
    assert!(refused.contains("it is a quasi-identifier"), "{refused}");
    let refused = sandbox.refused("check people.csv --qi sex --require k:k=2,shield=age");
    assert!(refused.contains("the shield has 'age', which is not a quasi-identifier"), "{refused}");
}

/// Persons who are not in the release cannot be counted there: that is said, not guessed.
#[test]
fn check_does_not_judge_persons_that_it_cannot_see() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml --person name").done();
    let job = sandbox.read("job.toml").replace("[privacy]", "[privacy]\nperson = 'name'");
    sandbox.write("job.toml", job);
    let found: Value = serde_json::from_str(&sandbox.throng("check job.toml --json").no_release()).unwrap();
    assert_eq!(found["requirements"][0]["holds"], Value::Null);
    assert_eq!(found["requirements"][0]["verdict"], "not judged");
    let reason = found["requirements"][0]["not_judged"].as_str().unwrap();
    assert!(reason.contains("does not show which rows belong to whom"), "{reason}");
}

/// Two rows of one person are no crowd of two.
#[test]
fn persons_are_counted_in_place_of_rows() {
    let sandbox = Sandbox::empty();
    sandbox.write("visits.csv", "patient,age,illness\np1,31,flu\np1,31,flu\np2,32,flu\np2,32,gout\n");
    sandbox.write("age.csv", "31;30s\n32;30s\n");
    let columns = "patient = { role = 'identifier' }\nage = { role = 'quasi', hierarchy = 'age.csv' }\n\
                   illness = { role = 'sensitive' }";
    let job = |person: &str| {
        format!(
            "input = 'visits.csv'\noutput = 'out.csv'\n[columns]\n{columns}\n[privacy]\nk = 2\n{person}\n"
        )
    };
    sandbox.write("rows.toml", job("person = 'none'"));
    sandbox.write("persons.toml", job("person = 'patient'"));
    assert_eq!(summary(&sandbox, "anonymize rows.toml --json")["levels"]["age"], 0);
    let report = summary(&sandbox, "anonymize persons.toml --json");
    assert_eq!((&report["levels"]["age"], &report["achieved"]["k"]), (&1.into(), &2.into()), "{report}");
    let flag = summary(&sandbox, "anonymize rows.toml --person patient --json");
    assert_eq!(flag["levels"]["age"], 1);
    let input = "check visits.csv --qi age --sensitive illness --person patient --json";
    let checked: Value = serde_json::from_str(&sandbox.throng(input).done()).unwrap();
    assert_eq!((&checked["k"], &checked["person"]), (&1.into(), &"patient".into()));
    let refused = sandbox.refused("anonymize rows.toml --person age");
    assert!(refused.contains("column 'age' has the role 'quasi'; it must be an identifier"), "{refused}");
}

/// (2,2)- and (3,3)-diversity do not imply each other: both are kept, though the number that is asked for is
/// also the other parameter.
#[test]
fn requirements_that_differ_in_more_than_their_degree_are_all_kept() {
    let flags = "--require recursive-cl:c=2,l=2,column=illness --require recursive-cl:c=9,l=3,column=illness";
    let sandbox = Sandbox::new();
    let report = summary(&sandbox, &format!("anonymize job.toml {flags} --json"));
    let asked: Vec<&Value> =
        report["requirements"].as_array().unwrap().iter().map(|one| &one["parameters"]).collect();
    assert_eq!(asked[1..], [&json!({ "c": 2, "l": 2 }), &json!({ "c": 9, "l": 3 })]);
    let twice = "--require recursive-cl:c=9,l=2,column=illness --require recursive-cl:c=5,l=2,column=illness";
    let report = summary(&sandbox, &format!("anonymize job.toml {twice} --json"));
    assert_eq!(report["requirements"].as_array().unwrap().len(), 2);
    assert!(report["warnings"].to_string().contains("the stricter requirement counts: 5"), "{report}");
}

/// A limit that is just as far as a class is from the whole: rounding must not refuse what may be released.
#[test]
fn a_distance_at_the_limit_is_not_refused() {
    let sandbox = Sandbox::empty();
    let rows = ["20,v\n".repeat(3), "30,v\n".repeat(2), "30,x\n".repeat(7)].concat();
    sandbox.write("near.csv", format!("age,illness\n{rows}"));
    for t in ["0.2499", "0.25", "0.2501"] {
        let line = format!(
            "anonymize near.csv --qi age --sensitive illness --suppression 4 --require \
             t-closeness:t={t},column=illness -o out.csv --json"
        );
        let report = summary(&sandbox, &line);
        assert_eq!((&report["levels"]["age"], &report["suppressed_rows"]), (&0.into(), &3.into()), "t = {t}");
    }
}

/// Rows that are suppressed but shown are a class like any other: it has what is required, or they are not shown.
#[test]
fn masked_rows_satisfy_what_is_required() {
    let sandbox = Sandbox::empty();
    let rows = ["21,flu\n21,gout\n21,cold\n", "90,hiv\n", "95,hiv\n"].concat();
    sandbox.write("rows.csv", format!("age,illness\n{rows}"));
    let anonymize =
        "anonymize rows.csv --qi age --sensitive illness -k 2 --suppressed mask -o out.csv --json";
    let diverse = "--require distinct-l:l=2,column=illness";
    let report = summary(&sandbox, &format!("{anonymize} --suppression 2 {diverse}"));
    assert_eq!((&report["suppressed_rows"], &report["masked_rows"]), (&2.into(), &0.into()));
    assert!(!sandbox.read("out.csv").contains('*'));
    assert!(report["warnings"].to_string().contains("left out instead of masked"), "{report}");

    let report = summary(&sandbox, &format!("{anonymize} --suppression 2"));
    assert_eq!((&report["masked_rows"], &report["achieved"]["k"]), (&2.into(), &2.into()));
    assert!(sandbox.read("out.csv").ends_with("*,hiv\n*,hiv\n"));
    sandbox.throng("check out.csv --qi age --require 2").done();
}

/// Where persons count, everything that is said of risks is about persons.
#[test]
fn risks_are_counted_by_persons() {
    let sandbox = Sandbox::empty();
    sandbox.write("stays.csv", "id,age\n1,20\n1,20\n2,20\n3,30\n4,30\n5,30\n");
    let found = summary(&sandbox, "check stays.csv --qi age --person id -k 3 --json");
    assert_eq!((&found["k"], &found["risk"]["highest"]), (&2.into(), &0.5.into()));
    assert_eq!((&found["classes_at_risk"], &found["at_risk_rows"]), (&1.into(), &3.into()));
    let text = sandbox.throng("check stays.csv --qi age --person id -k 3").done();
    assert!(text.contains("in 1 classes of fewer than 3 persons"), "{text}");
}

#[test]
fn a_value_that_nobody_has_is_refused_and_not_repeated() {
    let sandbox = asking(
        "\n[[privacy.require]]\nmodel = 'alpha-k'\nalpha = 0.5\nvalue = 'plague'\ncolumn = 'illness'\n",
    );
    let message = sandbox.refused("anonymize job.toml");
    assert!(message.contains("the column does not have the given value"), "{message}");
    assert!(!message.contains("plague"), "{message}");
}
