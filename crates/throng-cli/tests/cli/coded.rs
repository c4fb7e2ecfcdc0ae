//! Numbers that are kept, but bounded or rounded: from the job to the written file and the report.

use serde_json::Value;

use crate::sandbox::Sandbox;

const TABLE: &str = "\
name,age,pay,score
Ann Secretname,31,21000,0.31
Bob Secretname,31,24499.5,0.25
Cas Secretname,38,30200,
Dan Secretname,38,24500,-0.04
Eve Secretname,45,64000,0.99
Fay Secretname,45,310000,1
";

fn sandbox(columns: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("pay.csv", TABLE);
    let job = format!(
        "input = \"pay.csv\"\noutput = \"out.csv\"\n[columns]\nname = {{ role = \"identifier\" }}\n\
         age = {{ role = \"quasi\" }}\n{columns}\n[privacy]\nk = 2\n{more}"
    );
    sandbox.write("job.toml", job);
    sandbox
}

const CODED: &str = "pay = { role = \"other\", bottom = 22000, top = 70000, round = 1000 }\n\
                     score = { role = \"sensitive\", round = 0.1 }";

#[test]
fn numbers_are_released_within_bounds_and_round() {
    let sandbox = sandbox(CODED, "");
    let found: Value = serde_json::from_str(&sandbox.throng("anonymize job.toml --json").done()).unwrap();
    let expected =
        "age,pay,score\n31,22000,0.3\n31,24000,0.3\n38,30000,\n38,25000,0\n45,64000,1\n45,70000,1\n";
    assert_eq!(sandbox.read("out.csv"), expected);
    let column =
        |name: &str| found["columns"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    let coding = column("pay").unwrap()["coding"].clone();
    assert_eq!(coding, serde_json::json!({ "bottom": 22000.0, "top": 70000.0, "round": 1000.0 }));
    assert!(column("age").unwrap().get("coding").is_none());
    let text = sandbox.throng("anonymize job.toml --report report.html").done();
    let said = "at least 22000, at most 70000, rounded to 1000";
    assert!(text.contains(&format!("kept, {said}")), "{text}");
    assert!(sandbox.read("report.html").contains(&format!("numbers, {said}")));
    // The report takes the release for one of this table, though its cells are others.
    let report = sandbox.throng("report job.toml out.csv -o again.html");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
}

/// What is released decides how different the values of a class are.
#[test]
fn requirements_look_at_the_released_numbers() {
    let found: Value = {
        let sandbox =
            sandbox(CODED, "[[privacy.require]]\nmodel = \"distinct-l\"\nl = 2\ncolumn = \"score\"\n");
        serde_json::from_str(&sandbox.throng("anonymize job.toml --json").done()).unwrap()
    };
    // 0.31 and 0.25 are both 0.3: the ages cannot stay as they are.
    assert_eq!(found["levels"]["age"], 1);
    assert_eq!(found["requirements"][1]["degree"].as_f64(), Some(3.0));
    assert_eq!(found["requirements"][1]["verified"], "file");
}

#[test]
fn other_notations_and_formats_keep_their_numbers() {
    let sandbox = sandbox(CODED, "");
    sandbox.write("comma.csv", "name;age;pay;score\nA;31;1.234,56;1\nB;31;99.000,5;2\n");
    let text = sandbox
        .read("job.toml")
        .replace("pay.csv", "comma.csv")
        .replace("[columns]", "[csv]\ndecimal = \",\"\n[columns]");
    sandbox.write(
        "comma.toml",
        text.replace(CODED, "pay = { role = \"other\", top = 1500.5 }\nscore = { role = \"other\" }"),
    );
    sandbox.throng("anonymize comma.toml").done();
    assert_eq!(sandbox.read("out.csv"), "age;pay;score\n31;1234,56;1\n31;1500,5;2\n");
    // Numbers that are text in other formats are coded, too (typed ones: the tests of the engine).
    for format in ["parquet", "arrow", "jsonl"] {
        let line = format!("anonymize job.toml -o typed.{format}");
        sandbox.throng(&line).done();
        let job = sandbox.read("job.toml").replace("pay.csv", &format!("typed.{format}"));
        let job = job.replace("name = { role = \"identifier\" }\n", "").replace("top = 70000", "top = 64000");
        sandbox.write("again.toml", job);
        sandbox.throng("anonymize again.toml -o twice.csv").done();
        let released = sandbox.read("twice.csv");
        let pay = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        let pay: Vec<f64> = released.lines().skip(1).map(pay).collect();
        assert_eq!(pay, [22e3, 24e3, 30e3, 25e3, 64e3, 64e3], "{format}: {released}");
    }
}

#[test]
fn a_saved_recoding_codes_the_next_table() {
    let sandbox = sandbox(CODED, "");
    sandbox.throng("anonymize job.toml --save saved.json").done();
    sandbox.throng("apply saved.json pay.csv -o again.csv").done();
    assert_eq!(sandbox.read("again.csv"), sandbox.read("out.csv"));
}

#[test]
fn what_cannot_be_coded_is_refused() {
    let refused = |columns: &str, more: &str| {
        let ran = sandbox(columns, more).throng("anonymize job.toml");
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("Secretname") && !ran.stderr.contains("24499"), "{}", ran.stderr);
        ran.stderr
    };
    let pay = |keys: &str| format!("pay = {{ role = \"other\", {keys} }}\nscore = {{ role = \"other\" }}");
    let swapped = refused(&pay("bottom = 9, top = 3"), "");
    assert!(swapped.contains("column 'pay'") && swapped.contains("bottom 9 is not below top 3"), "{swapped}");
    let uneven = refused(&pay("top = 70500, round = 1000"), "");
    assert!(uneven.contains("top is 70500, which is no multiple of round = 1000"), "{uneven}");
    let zero = refused(&pay("round = 0"), "");
    assert!(zero.contains("round is 0; it must be above 0"), "{zero}");
    let quasi = refused("pay = { role = \"quasi\", top = 3 }\nscore = { role = \"other\" }", "");
    assert!(quasi.contains("'top' is only for the role sensitive or target or other, not quasi"), "{quasi}");
    let parts = sandbox(CODED, "[engine]\ncluster = \"local\"\n");
    let cluster = parts.refused("anonymize job.toml -o parts/");
    assert!(cluster.contains("column 'pay'") && cluster.contains("cluster"), "{cluster}");
    let sandbox = sandbox(CODED, "");
    sandbox.write("pay.csv", TABLE.replace("64000", "64 k"));
    let ran = sandbox.throng("anonymize job.toml");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("pay.csv:6") || ran.stderr.contains("row 5"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("column 'pay'") && ran.stderr.contains("a cell is not a number"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("64 k") && !sandbox.names().contains(&"out.csv".to_owned()));
    // Thousands with a point, or a number with three decimals?
    sandbox.write("pay.csv", TABLE.replace("24500", "24.500"));
    let both = sandbox.throng("anonymize job.toml").stderr;
    assert!(both.contains("column 'pay'") && both.contains("decimal = \".\" or decimal = \",\""), "{both}");
    assert!(both.contains("pay.csv:5") || both.contains("row 4"), "{both}");
    assert!(!both.contains("24.500"), "{both}");
    let sql = sandbox.throng("sql job.toml --dialect postgres");
    assert!(sql.code == Some(2) && sql.stderr.contains("SQL cannot write coded numbers"), "{}", sql.stderr);
}

/// A job that keeps the pay of sixty people, the least paid first; one earns far more than the others.
fn many(pay: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut text = "name,age,pay\n".to_owned();
    for row in 0..60 {
        let pay = if row == 59 { 310_000 } else { 21_000 + 100 * row };
        text += &format!("N{},{},{pay}\n", 100 + row * 7 % 60, 30 + row % 2);
    }
    sandbox.write("pay.csv", text);
    let job = format!(
        "input = \"pay.csv\"\noutput = \"out.csv\"\n[columns]\nname = {{ role = \"identifier\" }}\n\
         age = {{ role = \"quasi\" }}\npay = {{ role = \"other\"{pay} }}\n[privacy]\nk = 2\n"
    );
    sandbox.write("job.toml", job);
    sandbox
}

#[test]
fn extremes_are_looked_for_among_the_released_numbers() {
    let warned = |pay: &str| {
        let told: Value =
            serde_json::from_str(&many(&format!(", {pay}")).throng("anonymize job.toml --json").done())
                .unwrap();
        told["warnings"].to_string().contains("fewer than 2 rows have the lowest or highest number in 'pay'")
    };
    assert!(warned("bottom = 22000, top = 1000000"), "nobody is beyond the bound");
    assert!(warned("bottom = 22000, top = 70000"), "one is");
    assert!(warned("top = 26000"), "the lowest is one row's");
    assert!(!warned("bottom = 22000, top = 26000"));
    assert!(!warned("bottom = 21000, round = 1000, top = 26000"));
}

/// Who is beyond a bound is told by the place of the row if the rows are sorted.
#[test]
fn a_table_sorted_by_a_coded_column_is_warned_of() {
    let sandbox = many(", bottom = 22000, top = 26000");
    let text = sandbox.throng("anonymize job.toml --json --report report.html").done();
    assert!(text.contains("which is sorted by 'pay' (other)"), "{text}");
    assert!(sandbox.read("report.html").contains("which is sorted by"));
}

/// Only what is released as it is can be said to be.
#[test]
fn coded_special_categories_are_not_called_unchanged() {
    let warned = |pay: &str| {
        let sandbox = many(pay);
        for file in ["pay.csv", "job.toml"] {
            let text =
                sandbox.read(file).replace("age,pay", "age,religion").replace("pay = {", "religion = {");
            sandbox.write(file, text);
        }
        let text = sandbox.throng("anonymize job.toml --json --report report.html").done();
        let page = sandbox.read("report.html");
        assert!(!page.contains("Kept exact."), "{page}");
        (text.contains("kept unchanged as 'other'"), page.contains("Special categories"))
    };
    assert_eq!(warned(""), (true, true));
    assert_eq!(warned(", bottom = 22000, top = 26000"), (false, false));
}
