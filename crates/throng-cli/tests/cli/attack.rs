//! Local recoding through the binary: notions asked for, written, verified and attacked.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON object")
}

/// A demo of a few hundred rows, released for a notion.
fn released(algorithm: &str, notion: &str) -> (Sandbox, Value) {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    let line = format!(
        "anonymize demo/hospital.toml --algorithm {algorithm} --notion {notion} --suppression 0 -o demo/r.csv --json"
    );
    let report = json(&sandbox.throng(&line).done());
    (sandbox, report)
}

#[test]
fn each_notion_is_released_and_withstands_its_attack() {
    for (algorithm, notion) in [
        ("agglomerative", "k"),
        ("forest", "k"),
        ("sequential", "k"),
        ("expansion", "kk"),
        ("nearest", "kk"),
        ("expansion", "global-1k"),
    ] {
        let (sandbox, report) = released(algorithm, notion);
        assert_eq!(report["outcome"], "released", "{algorithm}");
        assert_eq!(report["levels"], Value::Null, "{algorithm}: local recoding has no levels");
        assert!(report["achieved"][notion].as_u64() >= Some(5), "{algorithm}: {}", report["achieved"]);
        let line = format!("attack demo/hospital.toml demo/r.csv --notion {notion} --json --allow");
        let attack = json(&sandbox.throng(&line).done());
        assert_eq!(attack["holds"], true);
        assert!(attack["degrees"][notion].as_u64() >= Some(5));
        assert_eq!(attack["rows"], 400);
    }
}

#[test]
fn the_report_says_which_notion_holds() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    let line = "anonymize demo/hospital.toml --algorithm expansion --notion kk --suppression 0 -o demo/r.csv";
    let report = sandbox.throng(line).done();
    assert!(report.contains("required: (k,k)-anonymity with k = 5\n  it holds for k = 5; "), "{report}");
    assert!(!report.contains("shuffle"), "no advice that this notion refuses: {report}");
}

const DIVERSE: &str = "--require distinct-l:l=3,column=diagnosis";

/// Without different values in each crowd both adversaries are certain of some; with them neither is.
#[test]
fn crowds_of_different_values_make_no_value_certain() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    for (notion, adversary) in [("kk", "neighbours"), ("global-1k", "matches")] {
        let certain = |more: &str| {
            let line = "anonymize demo/hospital.toml -k 2 --algorithm expansion --suppression 0 -o demo/r.csv --json";
            let report = json(&sandbox.throng(&format!("{line} --notion {notion} {more}")).done());
            let line = format!("attack demo/hospital.toml demo/r.csv --notion {notion} -k 2 --allow --json");
            let attack = json(&sandbox.throng(&line).done());
            (report, attack[adversary]["certain_rows"]["diagnosis"].as_u64().expect("a count"))
        };
        let check =
            format!("check demo/hospital.toml demo/r.csv --notion {notion} --require 2 {DIVERSE} --json");
        assert!(certain("").1 > 0, "{notion}");
        let fails = sandbox.throng(&check);
        assert_eq!(fails.code, Some(1), "{notion}");
        assert!(
            fails.stderr.contains("values of column 'diagnosis', below the 3 that are required"),
            "{}",
            fails.stderr
        );
        assert_eq!(json(&fails.stdout)["diversity"][0]["meets_required_l"], false);

        let (report, rows) = certain(DIVERSE);
        assert_eq!((rows, &report["requirements"][1]["verified"]), (0, &"file".into()), "{notion}");
        assert!(report["requirements"][1]["degree"].as_f64() >= Some(3.0), "{}", report["requirements"]);
        let found = &json(&sandbox.throng(&check).done())["diversity"][0];
        assert_eq!((&found["column"], &found["required_l"]), (&"diagnosis".into(), &3.into()));
        assert_eq!(found["values"].as_f64(), report["requirements"][1]["degree"].as_f64());
    }
}

/// The release alone shows its classes, which are no crowds: what they lack is not judged.
#[test]
fn values_of_crowds_are_judged_beside_the_original() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    let job = sandbox.read("demo/hospital.toml").replace("[privacy]\n", "[privacy]\nnotion = \"kk\"\n");
    let job = job.replace("\"flash\"", "\"expansion\"").replace("0.02", "0");
    let require = "\n[[privacy.require]]\nmodel = \"distinct-l\"\nl = 3\ncolumn = \"diagnosis\"\n";
    sandbox.write("demo/job.toml", job + require);
    sandbox.throng("anonymize demo/job.toml").done();
    let alone = sandbox.throng("check demo/job.toml");
    assert_eq!(alone.code, Some(1));
    assert!(
        alone.stderr.contains("is not judged: under (k,k)-anonymity it concerns crowds"),
        "{}",
        alone.stderr
    );
    let beside = sandbox.throng("check demo/job.toml demo/hospital-k5.csv --require 5").done();
    assert!(beside.contains("Different values in a crowd\n  diagnosis  l = "), "{beside}");
    let report = sandbox.throng("report demo/job.toml demo/hospital-k5.csv -o demo/report.html");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
}

#[test]
fn what_crowds_cannot_be_asked_for_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 100 --dir demo").done();
    let line = "anonymize demo/hospital.toml --algorithm expansion --suppression 0 -o demo/r.csv";
    let refused = |more: &str| sandbox.refused(&format!("{line} {more}"));
    let k1 = refused(&format!("--notion k1 {DIVERSE}"));
    assert!(k1.contains("it cannot be used with notion = \"k1\""), "{k1}");
    let entropy = refused("--notion kk --require entropy-l:l=2,column=diagnosis");
    assert!(entropy.contains("it cannot be used with notion = \"kk\""), "{entropy}");
    let printed = refused(&format!("--notion kk --variant printed {DIVERSE}"));
    assert!(printed.contains("the paper leaves it to future work"), "{printed}");
    let compared =
        "compare demo/hospital.toml --k 2 --repeat 1 --algorithms expansion:notion=kk+variant=printed";
    let job = sandbox.read("demo/hospital.toml");
    let require = "\n[[privacy.require]]\nmodel = \"distinct-l\"\nl = 2\ncolumn = \"diagnosis\"\n";
    sandbox.write("demo/hospital.toml", job + require);
    let compared = sandbox.refused(compared);
    assert!(compared.contains("the paper leaves it to future work"), "{compared}");
}

const PATIENTS: &str =
    "attack patients.csv released.csv --qi smoker --qi town --sensitive illness -k 2 --notion";

/// The release has the notion that it claims, and the first adversary learns nothing; the second
/// finds the row of the fifth patient, and with it the illness.
#[test]
fn the_second_adversary_succeeds_on_a_kk_table() {
    let sandbox = Sandbox::with_patients();
    insta::assert_snapshot!(sandbox.throng(&format!("{PATIENTS} kk")).no_release());
    let found = sandbox.throng(&format!("{PATIENTS} kk --json --allow")).done();
    let [first, second] = ["neighbours", "matches"].map(|name| json(&found)[name].clone());
    assert_eq!((&first["fewest"], &first["certain_rows"]["illness"]), (&2.into(), &0.into()));
    assert_eq!((&second["fewest"], &second["certain_rows"]["illness"]), (&1.into(), &1.into()));
    assert_eq!(second["worst"][0], json(r#"{"row": 5, "rows_alike": 0, "links": 1}"#));
    insta::assert_snapshot!("the_attack_in_json", found);
}

#[test]
fn the_attacked_table_cannot_claim_more() {
    let text = Sandbox::with_patients().throng(&format!("{PATIENTS} global-1k")).no_release();
    assert!(text.starts_with("5 rows; global (1,k)-anonymity with k = 2 DOES NOT HOLD\n"), "{text}");
}

/// Two rows alike that are released as they were: either is as bad as the other.
#[test]
fn without_k_there_is_no_claim_and_rows_alike_are_counted() {
    let sandbox = Sandbox::empty();
    for name in ["a.csv", "b.csv"] {
        sandbox.write(name, "town\nBonn\nKiel\nBonn\n");
    }
    let line = "attack a.csv b.csv --qi town";
    let text = sandbox.throng(line).no_release();
    assert!(text.starts_with("3 rows; there is no claim to judge (-k NUMBER makes one)\n"), "{text}");
    assert!(text.contains("  rows linked to fewer than 2 (for certain)  1\n"), "{text}");
    assert!(text.contains(" row 2 (1)\n") && !text.contains("hold"), "{text}");
    let found = json(&sandbox.throng(&format!("{line} --json --allow")).done());
    assert_eq!((&found["claim"], &found["holds"]), (&Value::Null, &Value::Null));
    assert_eq!((&found["threshold_k"], &found["matches"]["rows_below_k"]), (&2.into(), &1.into()));
    assert_eq!(found["matches"]["worst"][1], json(r#"{"row": 1, "rows_alike": 1, "links": 2}"#));
    let claimed = sandbox.throng(&format!("{line} -k 3")).no_release();
    assert!(claimed.starts_with("3 rows; k-anonymity with k = 3 DOES NOT HOLD\n"), "{claimed}");
    assert!(claimed.contains(" row 2 (1), row 1 and 1 alike (2)\n"), "{claimed}");
    let notion = sandbox.refused(&format!("{line} --notion kk"));
    assert!(notion.starts_with("error: --notion kk makes a claim only with a k; add -k NUMBER"), "{notion}");
}

#[test]
fn a_claim_that_does_not_hold_is_seen() {
    let (sandbox, _) = released("expansion", "k1");
    let text = sandbox.throng("attack demo/hospital.toml demo/r.csv --notion k").no_release();
    assert!(text.starts_with("400 rows; k-anonymity with k = 5 DOES NOT HOLD\n"), "{text}");
    assert!(text.contains("rows whose diagnosis is certain"), "{text}");
}

/// The pairing of rows is lost, and with it nothing that an adversary needs.
/// What is asked for over some of the columns is no claim about all of them.
#[test]
fn the_claim_is_the_k_over_all_quasi_identifiers() {
    let sandbox = Sandbox::empty();
    let rows = (0..40).map(|row| format!("{},{},i{}\n", row % 10, ["f", "m"][row % 2], row % 7));
    sandbox.write("t.csv", format!("age,sex,ill\n{}", rows.collect::<String>()));
    let job = "input = 't.csv'\noutput = 'out.csv'\n[columns]\nage = { role = 'quasi' }\nsex = { role = 'quasi' }\n\
               ill = { role = 'sensitive' }\n[privacy]\nk = 2\n\
               [[privacy.require]]\nmodel = 'k'\nk = 9\nshield = ['sex']\n";
    sandbox.write("job.toml", job);
    sandbox.throng("anonymize job.toml").done();
    sandbox.throng("check job.toml").done();
    let found = json(&sandbox.throng("attack job.toml --json").done());
    assert_eq!((&found["claim"]["k"], &found["verdict"]), (&2.into(), &"holds".into()), "{found:#}");
    sandbox.write("job.toml", job.replace("shield = ['sex']", "shield = ['sex', 'age']"));
    let found = json(&sandbox.throng("attack job.toml --json").no_release());
    assert_eq!((&found["claim"]["k"], &found["verdict"]), (&9.into(), &"fails".into()), "{found:#}");
}

#[test]
fn a_release_in_another_order_and_with_rows_left_out_is_attacked() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    for algorithm in ["flash", "mondrian"] {
        let line =
            format!("anonymize demo/hospital.toml --algorithm {algorithm} --suppression 0.05 -o demo/r.csv");
        let attack = |order: &str| {
            let report = json(&sandbox.throng(&format!("{line} --order {order} --json")).done());
            let found = sandbox.throng("attack demo/hospital.toml demo/r.csv --json --allow").done();
            let left_out = report["suppressed_rows"].as_u64().unwrap();
            assert_eq!(json(&found)["released_rows"], 400 - left_out, "{algorithm}");
            (json(&found), left_out)
        };
        let (kept, shuffled) = (attack("keep"), attack("shuffle"));
        assert_eq!(kept, shuffled, "{algorithm}");
        let (found, left_out) = kept;
        assert!(found["left_out_rows"].as_u64() <= Some(left_out) && found["stray_rows"] == 0, "{found}");
        assert_eq!(found["holds"], true, "{algorithm}");
        assert!(found["degrees"]["k"].as_u64() >= Some(5), "{algorithm}");
    }
    let order =
        sandbox.refused("anonymize demo/hospital.toml --algorithm expansion --notion kk --order shuffle");
    assert!(order.contains("verified row by row"), "{order}");
}

/// Everybody has a crowd of two, but one diagnosis each: that is a success, too.
#[test]
fn the_exit_code_says_whether_somebody_succeeds() {
    let sandbox = Sandbox::empty();
    sandbox.write("a.csv", "town,ill\nBonn,flu\nBonn,flu\nKiel,gout\nKiel,flu\n");
    let line = "attack a.csv a.csv --qi town --sensitive ill";
    let text = sandbox.throng(line).no_release();
    assert!(text.starts_with("4 rows, attacked as if they were published unchanged; "), "{text}");
    assert!(text.contains("\nTHE ATTACK SUCCEEDS: either adversary learns ill for certain\n"), "{text}");
    assert!(!text.contains("output"), "{text}");
    assert_eq!(sandbox.throng(&format!("{line} --allow")).done(), text);
    let calm = sandbox.throng("attack a.csv a.csv --qi town -k 2").done();
    assert!(calm.contains("k-anonymity with k = 2 holds\nno adversary succeeds\n"), "{calm}");
    let linked = sandbox.throng("attack a.csv a.csv --qi town -k 3").no_release();
    assert!(linked.contains("either adversary links people to fewer than 3 records\n"), "{linked}");
}

#[test]
fn compare_refuses_what_anonymize_refuses() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 200 --dir demo").done();
    let line = "compare demo/hospital.toml --k 5 --repeat 1 --algorithms flash,";
    let measure = sandbox.refused(&format!("{line}agglomerative --measure dm"));
    assert!(measure.contains("'agglomerative' cannot minimise 'dm'"), "{measure}");
    let notion = sandbox.refused(&format!("{line}expansion"));
    let start = "error: 'expansion': 'expansion' does not guarantee k-anonymity";
    assert!(notion.starts_with(start), "{notion}");
    sandbox.throng(&format!("{line}agglomerative,forest,sequential --suppression 0")).done();
}

#[test]
fn what_an_algorithm_cannot_give_is_refused_with_those_that_can() {
    let sandbox = Sandbox::new();
    let line = "anonymize people.csv --qi sex --rest identifier -k 2 -o out.csv --algorithm expansion";
    let notion = sandbox.refused(line);
    assert!(notion.contains("'expansion' does not guarantee k-anonymity"), "{notion}");
    assert!(notion.contains("flash") && notion.contains("agglomerative"), "{notion}");
    assert!(notion.contains("'expansion' guarantees 1k, k1, kk and global-1k: set notion in"), "{notion}");
    let measure = sandbox.refused(&format!("{line} --notion kk --measure dm"));
    assert!(measure.contains("cannot minimise 'dm'") && measure.contains("lm"), "{measure}");
    let unknown = sandbox.throng(&format!("{line} --notion kkk"));
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean 'kk'"), "{}", unknown.stderr);
}

/// Four people alike of four illnesses: k = 4 holds and nothing is certain, but for who knows three of them.
#[test]
fn the_third_adversary_knows_some_of_the_values() {
    let sandbox = Sandbox::empty();
    sandbox.write("a.csv", "town,ill\nBonn,flu\nBonn,gout\nBonn,cold\nBonn,ulcer\n");
    let line = "attack a.csv a.csv --qi town --sensitive ill -k 4";
    sandbox.throng(line).done();
    let text = sandbox.throng(&format!("{line} --known ill=75%")).no_release();
    let succeeds = "\nTHE ATTACK SUCCEEDS: the third adversary links people to fewer than 4 records and learns ill for certain\n";
    assert!(text.contains(succeeds), "{text}");
    let (_, third) =
        text.split_once("\nThird adversary: also knows ill of 3 people, and attacks the others\n").unwrap();
    assert!(third.starts_with(
        "  fewest records a person is linked to  1\n  rows linked to fewer than 4           1\n"
    ));
    assert!(third.contains("\n  rows whose ill is certain             1\n"), "{third}");
    let found = json(&sandbox.throng(&format!("{line} --known ill=75% --seed 9 --json")).no_release());
    let informed = &found["informed"];
    assert_eq!((&informed["column"], &informed["known_rows"]), (&"ill".into(), &3.into()));
    assert_eq!((&informed["seed"], &informed["links"]["certain_rows"]["ill"]), (&9.into(), &1.into()));
    assert_eq!(json(&sandbox.throng(&format!("{line} --json")).done())["informed"], Value::Null);
}

/// Whom she knows follows from the seed alone, and other seeds mean other people.
#[test]
fn whom_the_third_adversary_knows_is_decided_by_the_seed() {
    let (sandbox, _) = released("expansion", "kk");
    let attack = |rest: &str| {
        let line = "attack demo/hospital.toml demo/r.csv --notion kk --known diagnosis=0.1 --json --allow";
        sandbox.throng(&format!("{line} {rest}")).done()
    };
    let one = attack("--threads 1");
    assert_eq!(attack("--threads 4 --seed 1"), one);
    let found = json(&one);
    assert_eq!(found["informed"]["known_rows"], 40);
    let rows = found["informed"]["links"]["distribution"].as_object().unwrap().values();
    assert_eq!(rows.map(|rows| rows.as_u64().unwrap()).sum::<u64>(), 360, "nobody was left out");
    assert!(
        (2..8).any(|seed| json(&attack(&format!("--seed {seed}")))["informed"]["links"]
            != found["informed"]["links"])
    );
}

#[test]
fn what_the_third_adversary_cannot_know_is_refused() {
    let sandbox = Sandbox::with_patients();
    let refused = |known: &str| sandbox.refused(&format!("{PATIENTS} kk --known {known}"));
    for bad in ["illness", "illness=0", "illness=1.5", "illness=many", "illness=-0.1"] {
        let problem = refused(bad);
        assert!(
            problem.contains("--known takes a column, and for how many people its value is known"),
            "{bad}: {problem}"
        );
    }
    assert!(refused("illness=1").contains("one row ('1 row') or all of them (100%)?"));
    assert!(refused("illnes=0.5").contains("(did you mean 'illness'?)"));
    assert!(refused("town=0.5").contains("'town' is not a sensitive column of this attack"));
    assert!(refused("illness=6").contains("in 6 rows, but only 5 have one"));
}

/// A table as it is tells more of its own people than of others; one that hides all tells of neither.
#[test]
fn a_control_group_shows_what_a_release_tells_of_its_own_people() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --seed 1 --dir demo").done();
    sandbox.throng("demo --rows 300 --seed 2 --dir others").done();
    sandbox.throng("anonymize demo/hospital.toml -o demo/r.csv").done();
    let line = |released: &str, more: &str| {
        format!(
            "attack demo/hospital.toml {released} --control others/hospital.csv --attacks 300 --allow {more}"
        )
    };
    let of = |released: &str| json(&sandbox.throng(&line(released, "--json")).done())["control"].clone();
    let (bare, safe) = (of("demo/hospital.csv"), of("demo/r.csv"));
    assert!(bare["linkability"]["risk"].as_f64() >= safe["linkability"]["at_least"].as_f64(), "{bare}");
    for attack in ["singling_out", "membership"] {
        assert!(bare[attack]["at_least"].as_f64() > Some(0.2), "{attack}: {bare}");
        assert!(safe[attack]["risk"].as_f64() < bare[attack]["risk"].as_f64(), "{attack}: {safe}");
    }
    assert_eq!(safe["control_rows"], 300);
    assert_eq!(of("demo/r.csv"), safe, "the same seed, the same attack");
    let text = sandbox.throng(&line("demo/r.csv", "")).done();
    assert!(
        text.contains("Compared with a control group of 300 rows") && text.contains("membership"),
        "{text}"
    );
    for (more, problem) in [("others/hospital.csv --attacks 0", "--attacks"), ("none.csv", "none.csv")] {
        let ran = sandbox.throng(&format!("attack demo/hospital.toml demo/r.csv --control {more}"));
        assert_eq!(ran.code, Some(2), "{more}: {}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{more}: {}", ran.stderr);
    }
    let alone = sandbox.throng("attack demo/hospital.toml demo/r.csv --attacks 5");
    assert!(alone.code == Some(2) && alone.stderr.contains("--control"), "{}", alone.stderr);
}
