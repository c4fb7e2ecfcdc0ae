//! `throng profile`.

use std::fmt::Write;

use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// One column for each thing that tables have and should not.
const ODD: &str = "\
nothing,constant,mixed,visit,balance,level,staff_code,answer,noted
,7,12,2024-03-17,-5,1.5,007,yes,?
,7,13,17.03.2024,3,NaN,012,no,seen
,7,about ten,2024-03-18,-1,inf,123,no,seen
,7,14,2024-03-19,2,2.5,200,yes,NA
";

#[test]
fn a_table_becomes_a_profile() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.throng("profile people.csv").done());
}

#[test]
fn odd_columns_are_explained() {
    let sandbox = Sandbox::empty();
    sandbox.write("odd.csv", ODD);
    insta::assert_snapshot!(sandbox.throng("profile odd.csv").done());
}

#[test]
fn the_demo_has_a_profile() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 3000 --dir demo").done();
    insta::assert_snapshot!(sandbox.throng("profile demo/hospital.csv --combinations 3").done());
}

/// Nobody should take ten columns for all.
#[test]
fn columns_that_are_not_combined_are_named() {
    let sandbox = Sandbox::empty();
    let names: Vec<String> = ('a'..='l').map(|letter| format!("x{letter}")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..100 {
        let cells: Vec<String> = (0..12).map(|at| (row * (at + 3) % (at + 2)).to_string()).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    sandbox.write("wide.csv", text);
    let said = sandbox.throng("profile wide.csv").done();
    let note = "\nNot combined: xa, xb; --max-columns allows more, up to 20, and --combine chooses them.";
    assert!(said.contains(note), "{said}");
    assert!(!sandbox.throng("profile wide.csv --max-columns 12").done().contains("Not combined"));
    assert!(!sandbox.throng("profile wide.csv --combine xa,xb").done().contains("Not combined"));
}

#[test]
fn scripts_get_every_figure() {
    let sandbox = Sandbox::new();
    let found = json(&sandbox.throng("profile people.csv --json").done());
    assert_eq!((&found["file"], &found["rows"]), (&"people.csv".into(), &8.into()));
    let zip = &found["columns"][3];
    assert_eq!((&zip["name"], &zip["type"], &zip["role"]), (&"zip".into(), &"code".into(), &"quasi".into()));
    assert_eq!((&zip["distinct"]["value"], &zip["distinct"]["estimated"]), (&8.into(), &false.into()));
    assert_eq!((&zip["missing"], &zip["unique_share"]), (&0.into(), &1.0.into()));
    assert_eq!((&zip["min_length"], &zip["max_length"]), (&5.into(), &5.into()));
    assert_eq!(found["combined"], Value::from(vec!["age", "zip", "sex"]));
    assert_eq!(found["combinations"].as_array().unwrap().len(), 4);
}

#[test]
fn no_value_is_shown() {
    let sandbox = Sandbox::new();
    for line in ["profile people.csv", "profile people.csv --json"] {
        let shown = sandbox.throng(line).done();
        for value in ["Secretname", "12345", "female", "flu", "gout"] {
            assert!(!shown.contains(value), "{line}: {value}");
        }
    }
}

#[test]
fn columns_to_combine_can_be_named() {
    let sandbox = Sandbox::new();
    let found = json(&sandbox.throng("profile people.csv --combine sex,illness --json").done());
    assert_eq!(found["combinations"][0]["classes"]["value"], 5);
    let few = json(&sandbox.throng("profile people.csv --max-columns 2 --json").done());
    assert_eq!(few["combinations"].as_array().unwrap().len(), 1);
    let none = sandbox.throng("profile people.csv --max-columns 0").done();
    assert!(!none.contains("together"), "{none}");
    assert!(sandbox.refused("profile people.csv --combine ziip").contains("did you mean 'zip'?"));
    assert!(sandbox.refused("profile people.csv --max-columns 21").contains("21 is not in 0..=20"));
}

#[test]
fn estimates_are_marked() {
    let sandbox = Sandbox::empty();
    let mut table = String::from("key,half\n");
    (0..150_000).for_each(|row| writeln!(table, "k{row},{}", row / 2).unwrap());
    sandbox.write("long.csv", table);
    let shown = sandbox.throng("profile long.csv").done();
    assert!(shown.contains("≈150,000") && shown.contains("≈ marks estimates"), "{shown}");
    assert!(!sandbox.throng("profile long.csv --threads 1").done().is_empty());
}

#[test]
fn tables_without_rows_are_refused() {
    let sandbox = Sandbox::empty();
    sandbox.write("empty.csv", "");
    sandbox.write("header.csv", "a,b\n");
    assert!(sandbox.refused("profile empty.csv").contains("the file is empty"));
    assert!(sandbox.refused("profile header.csv").contains("there are no data rows"));
    assert!(sandbox.refused("profile none.csv").contains("there is no such file"));
    sandbox.write("one.csv", "name,age\nAnn Secretname,31\n");
    assert!(sandbox.throng("profile one.csv").done().starts_with("one.csv: 1 row, 2 columns\n"));
}

/// A file of the repository's neighbour, if it is there.
fn shared(name: &str) -> Option<String> {
    let path = format!("{}/../../../shared/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let there = std::path::Path::new(&path).exists();
    if !there {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no ../shared/data\n");
    }
    there.then_some(path)
}

#[test]
fn adult_with_spaces_and_question_marks_and_without_a_header() {
    let Some(path) = shared("adult-raw/adult.data") else { return };
    let found = json(&Sandbox::empty().run(&["profile", &path, "--json"]).done());
    assert_eq!(found["rows"], 32_561);
    let kinds: Vec<&str> =
        found["columns"].as_array().unwrap().iter().map(|column| column["type"].as_str().unwrap()).collect();
    let integers = [0, 2, 4, 10, 11, 12];
    for (at, kind) in kinds.iter().enumerate() {
        assert_eq!(*kind, if integers.contains(&at) { "integer" } else { "category" }, "column {}", at + 1);
    }
    assert_eq!(found["columns"][1]["missing"], 0);
    let note = found["columns"][1]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("1,836 cells look like marks for missing values"), "{note}");
}

/// Against what a spreadsheet counts.
#[test]
fn adult_has_known_figures() {
    let Some(path) = shared("adult/adult.csv") else { return };
    let found = json(&Sandbox::empty().run(&["profile", &path, "--json"]).done());
    let distinct: Vec<u64> = found["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["distinct"]["value"].as_u64().unwrap())
        .collect();
    assert_eq!(distinct, [2, 72, 5, 7, 16, 41, 7, 14, 2]);
    let all = found["combinations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|set| set["columns"].as_array().unwrap().len() == 8);
    assert_eq!(all.unwrap()["classes"]["value"], 18_109);
    assert_eq!(found["columns"][8]["role"], "target");
}
