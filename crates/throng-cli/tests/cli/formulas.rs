//! Cells that a spreadsheet would run.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Eight rows: quasi-identifiers, sensitive cells, notes and a name of a column that begin as formulas do, and numbers
/// that do not.
fn table() -> Sandbox {
    let mut text = String::from("name,unit,=age,illness,note\n");
    for row in 0..8 {
        let unit = ["@north", "=south", "'=south", "-5"][row / 2];
        let illness = ["=flu", "-1+1"][row % 2];
        let note = ["-12.5", "+3", "=HYPERLINK(\"\"x\"\")", "fine"][row % 4];
        text.push_str(&format!("Anna {row},{unit},30,{illness},\"{note}\"\n"));
    }
    let sandbox = Sandbox::empty();
    sandbox.write("in.csv", text);
    sandbox
}

fn job(formulas: &str) -> String {
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[csv]\nheader = true\n{formulas}\n[columns]\nname = {{ role = 'identifier' }}\n\
         unit = {{ role = 'quasi' }}\n'=age' = {{ role = 'quasi' }}\nillness = {{ role = 'sensitive' }}\n\
         note = {{ role = 'other' }}\n[privacy]\nk = 2\nperson = 'none'\n\
         [[privacy.require]]\nmodel = 'distinct-l'\nl = 2\ncolumn = 'illness'\n"
    )
}

fn warnings(summary: &str) -> String {
    let summary: Value = serde_json::from_str(summary).unwrap();
    summary["warnings"].to_string()
}

#[test]
fn formulas_are_counted_and_kept() {
    let sandbox = table();
    sandbox.write("job.toml", job(""));
    let warned = warnings(&sandbox.throng("anonymize job.toml --json").done());
    // Four units, the name of the ages, eight illnesses, two notes.
    let expected = "15 cells begin like spreadsheet formulas, in columns 'unit', '=age', 'illness', 'note'";
    assert!(warned.contains(expected) && warned.contains("--formulas quote"), "{warned}");
    let release = sandbox.read("out.csv");
    assert!(release.starts_with("unit,=age,illness,note\n@north,30,=flu,-12.5\n"), "{release}");
}

#[test]
fn an_apostrophe_makes_them_text_and_everybody_reads_them_back() {
    let sandbox = table();
    sandbox.write("job.toml", job("formulas = 'quote'"));
    let warned = warnings(&sandbox.throng("anonymize job.toml --json").done());
    assert!(warned.contains("15 cells") && warned.contains("an apostrophe was put before them"), "{warned}");
    let release = sandbox.read("out.csv");
    let lines: Vec<&str> = release.lines().collect();
    assert_eq!(lines[0], "unit,'=age,illness,note");
    assert_eq!(lines[1], "'@north,30,'=flu,-12.5");
    assert_eq!(lines[4], "'=south,30,'-1+1,fine");
    // Other cells, which had an apostrophe before, stay others.
    assert_eq!(lines[5], "''=south,30,'=flu,-12.5");
    assert_eq!(lines[7], "-5,30,'=flu,\"'=HYPERLINK(\"\"x\"\")\"");
    for command in ["check job.toml", "check job.toml out.csv", "attack job.toml --allow", "report job.toml"]
    {
        sandbox.throng(command).done();
    }
    let checked: Value = serde_json::from_str(&sandbox.throng("check job.toml --json").done()).unwrap();
    assert_eq!(checked["k"], 2, "four units of two rows");
}

#[test]
fn a_flag_says_the_same() {
    let sandbox = table();
    sandbox.write("job.toml", job(""));
    sandbox.throng("anonymize job.toml --formulas quote -o flag.tsv").done();
    assert!(sandbox.read("flag.tsv").starts_with("unit\t'=age\tillness\tnote\n'@north\t30\t'=flu\t-12.5\n"));
    let refused = sandbox.refused("anonymize job.toml --formulas qoute");
    assert!(refused.contains("did you mean 'quote'"), "{refused}");
    // What is no delimited text has no formulas.
    sandbox.throng("anonymize job.toml --formulas refuse -o typed.parquet").done();
}

#[test]
fn formulas_can_be_refused() {
    let sandbox = table();
    sandbox.write("job.toml", job("formulas = 'refuse'"));
    let refused = sandbox.refused("anonymize job.toml");
    assert!(refused.contains("column '=age'") && refused.contains("begin like formulas"), "{refused}");
    assert!(!sandbox.path("out.csv").exists());
    sandbox.write("job.toml", job("formulas = 'refuse'").replace("'=age'", "age"));
    sandbox.write("in.csv", sandbox.read("in.csv").replace("=age", "age"));
    let refused = sandbox.refused("anonymize job.toml");
    assert!(refused.contains("column 'unit'") && !refused.contains("north"), "{refused}");
    assert!(!sandbox.path("out.csv").exists());
}

/// Nodes of a cluster count and quote as one process does.
#[cfg(all(unix, feature = "cluster"))]
#[test]
fn plans_write_the_same() {
    let sandbox = table();
    sandbox.write("job.toml", job("formulas = 'quote'"));
    sandbox.throng("anonymize job.toml").done();
    let parts = "anonymize job.toml --cluster local -o parts/ --output-format csv --json";
    let warned = warnings(&sandbox.throng(parts).done());
    assert!(warned.contains("15 cells") && warned.contains("an apostrophe was put before them"), "{warned}");
    assert_eq!(sandbox.read("parts/part-00000.csv"), sandbox.read("out.csv"));
}
