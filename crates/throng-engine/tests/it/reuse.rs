//! Recodings that are saved, and applied again.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use throng::algorithm::{self, Family, Guarantee};
use throng::notion::Notion;
use throng::random::Random;
use throng_engine::job::JobFlags;
use throng_engine::pipeline;
use throng_engine::progress::Quiet;
use throng_engine::reuse::{Delivery, SavedRecoding};
use throng_engine::summary::{RunOutcome, Summary};

use crate::sandbox::Sandbox;

/// Columns of every kind of hierarchy; those that local recoding alone uses come with it.
const COLUMNS: &str = "\
name  = { role = 'identifier' }
age   = { role = 'quasi', hierarchy = { intervals = [5, 10, 20] } }
town  = { role = 'quasi', hierarchy = 'town.csv' }
code  = { role = 'quasi', hierarchy = { mask = 'right' } }
born  = { role = 'quasi', hierarchy = { auto = true } }
ill   = { role = 'sensitive' }
";
const OPEN: &str = "\
name  = { role = 'identifier' }
age   = { role = 'quasi', generalise = 'range' }
town  = { role = 'quasi', generalise = { set = 3 } }
code  = { role = 'quasi', generalise = 'prefix' }
born  = { role = 'quasi' }
ill   = { role = 'sensitive' }
";

/// So few that a search can prove which of all cuts is the best.
const FEW: &str = "\
name  = { role = 'identifier' }
age   = { role = 'quasi', hierarchy = { intervals = [20] } }
town  = { role = 'quasi', hierarchy = 'town.csv' }
'*'   = { role = 'other' }
";

const TOWNS: &str = "Bonn;Rhine;*\nMainz;Rhine;*\nUlm;Danube;*\nPassau;Danube;*\nKiel;Sea;*\n";

/// Few rows, of which each tenth is like no other: these are suppressed where that may be.
fn people(seed: u64, rows: u64) -> String {
    let mut random = Random::new(seed);
    let towns = ["Bonn", "Mainz", "Ulm", "Passau", "Kiel"];
    let mut text = "name,age,town,code,born,ill\n".to_owned();
    for row in 0..rows {
        let odd = row % 10 == 9;
        let age = if odd { 70 + random.below(29) } else { 20 + random.below(12) };
        let code = if odd { 10_000 + random.below(80_000) } else { 47_110 + random.below(9) };
        let town = random.pick(&towns[..if odd { 5 } else { 2 }]);
        let born = 1950 + random.below(if odd { 60 } else { 3 });
        let ill = random.pick(&["flu", "cold", "gout"]);
        text += &format!("Person{row:03}x,{age},{town},{code},{born}-0{}-11,{ill}\n", 1 + random.below(3));
    }
    text
}

fn job(columns: &str, algorithm: &str, suppressed: &str, format: &str, k: u64) -> String {
    format!(
        "input = 'in.csv'\noutput = {{ path = 'out.{format}', suppressed = '{suppressed}', recoding = 'r.json' }}\n\
         [columns]\n{columns}[privacy]\nk = {k}\nsuppression = 0.1\nperson = 'none'\n\
         [search]\nalgorithm = '{algorithm}'\n"
    )
}

fn apply(sandbox: &Sandbox, input: &str, output: &str, flags: JobFlags) -> Summary {
    let path = sandbox.path("r.json");
    let saved = SavedRecoding::read(&path).unwrap();
    let (input, output) = (Some(sandbox.path(input)), Some(sandbox.path(output)));
    let delivery = Delivery { flags: JobFlags { input, output, ..flags }, ..Delivery::default() };
    let job = saved.job(&path, delivery).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(pipeline::apply(&job, &saved, None, &Quiet)).unwrap()
}

/// All texts of a JSON document.
fn texts(document: &Value, found: &mut BTreeSet<String>) {
    match document {
        Value::String(text) => _ = found.insert(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(keys) => keys.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

#[test]
fn a_recoding_gives_its_own_table_the_same_bytes_again() {
    let entries = algorithm::registry().iter().filter(|entry| entry.notions.contains(&Notion::K));
    let mut suppressed_some = false;
    for (number, entry) in entries.enumerate() {
        // What tries all partitions gets a table that it can try them of.
        let rows = if entry.name == "min-gen" { 8 } else { 60 };
        let of_columns = match entry.family {
            Family::Local => &[COLUMNS, OPEN][..],
            Family::Cut if entry.guarantee != Guarantee::Admissible => &[FEW],
            Family::Cut | Family::FullDomain => &[COLUMNS],
        };
        for columns in of_columns {
            for suppressed in ["drop", "mask"] {
                let format = if number % 2 == 0 { ["csv", "parquet"] } else { ["parquet", "csv.gz"] };
                let format = format[usize::from(suppressed == "mask")];
                let (name, input) = (entry.name, people(number as u64, rows));
                let sandbox = Sandbox::with(&[("in.csv", &input), ("town.csv", TOWNS)]);
                let summary = sandbox.run(&job(columns, name, suppressed, format, 3));
                assert_eq!(summary.outcome, RunOutcome::Released, "{name}");
                suppressed_some |= summary.suppressed_rows > 0;
                let again = apply(&sandbox, "in.csv", &format!("again.{format}"), JobFlags::default());
                assert_eq!(again.suppressed_rows, summary.suppressed_rows, "{name} {suppressed}");
                let read = |stem: &str| fs::read(sandbox.path(&format!("{stem}.{format}"))).unwrap();
                assert!(read("out") == read("again"), "{name} {suppressed} {format}");
            }
        }
    }
    assert!(suppressed_some, "the table has rows that are worth suppressing");
}

#[test]
fn a_recoding_shows_no_value_that_its_release_does_not_show() {
    let grouped = COLUMNS.replace(
        "hierarchy = 'town.csv'",
        "hierarchy = { groups = [{ Rhine = ['Bonn', 'Mainz'], Danube = ['Ulm', 'Passau'], Sea = ['Kiel'] }] }",
    );
    for (columns, algorithm) in [
        (COLUMNS, "flash"),
        (grouped.as_str(), "flash"),
        (FEW, "cut-search"),
        (COLUMNS, "top-down-specialization"),
        (COLUMNS, "mondrian"),
        (OPEN, "sequential"),
        (OPEN, "mondrian"),
    ] {
        let input = people(7, 60);
        let sandbox = Sandbox::with(&[("in.csv", &input), ("town.csv", TOWNS)]);
        sandbox.run(&job(columns, algorithm, "drop", "csv", 3));
        let file = fs::read_to_string(sandbox.path("r.json")).unwrap();
        let release = fs::read_to_string(sandbox.path("out.csv")).unwrap();
        let mut shown = BTreeSet::new();
        texts(&serde_json::from_str(&file).unwrap(), &mut shown);
        for cell in input.lines().skip(1).flat_map(|line| line.split(',')) {
            // Labels of ranges and sets show their ends and members.
            let is_released = release.contains(cell);
            assert!(is_released || !shown.contains(cell), "{algorithm}: {cell} is in the recoding");
            let is_long = cell.len() > 3;
            assert!(
                is_released || !is_long || !file.contains(cell),
                "{algorithm}: {cell} is in the recoding"
            );
        }
        assert!(!file.contains("Person"), "an identifier is in the recoding");
    }
}

#[test]
fn what_fails_in_a_later_delivery_is_suppressed_if_it_may_be() {
    for (columns, algorithm) in
        [(COLUMNS, "flash"), (COLUMNS, "top-down-specialization"), (OPEN, "sequential")]
    {
        let sandbox = Sandbox::with(&[
            ("in.csv", &people(3, 100)),
            ("later.csv", &people(4, 100)),
            ("town.csv", TOWNS),
        ]);
        sandbox.run(&job(columns, algorithm, "drop", "csv", 3));
        let allowed =
            |text: &str| JobFlags { suppression: Some(text.parse().unwrap()), ..JobFlags::default() };
        let refused = apply(&sandbox, "later.csv", "none.csv", allowed("0 rows"));
        assert_eq!((refused.outcome, refused.output), (RunOutcome::Infeasible, None), "{algorithm}");
        assert!(!sandbox.path("none.csv").exists());
        let needed = refused.applied.unwrap().rows_to_suppress;
        assert!(needed > 0);
        let done = apply(&sandbox, "later.csv", "later-out.csv", allowed(&format!("{needed} rows")));
        assert_eq!((done.outcome, done.suppressed_rows), (RunOutcome::Released, needed), "{algorithm}");
        let less = apply(&sandbox, "later.csv", "none.csv", allowed(&format!("{} rows", needed - 1)));
        assert_eq!(less.outcome, RunOutcome::Infeasible, "{algorithm}");
    }
}

#[test]
fn a_job_says_where_its_recoding_goes() {
    let sandbox = Sandbox::with(&[("in.csv", &people(3, 60)), ("town.csv", TOWNS)]);
    let text = job(COLUMNS, "flash", "drop", "csv", 3);
    let summary = sandbox.run(&text);
    assert_eq!(summary.recoding, Some(sandbox.path("r.json").display().to_string()));
    let written = sandbox.job(&text).to_toml().unwrap();
    assert_eq!(sandbox.job(&written).output.recoding, Some(sandbox.path("r.json")));
    for bad in ["in.csv", "town.csv", "out.csv", "none/r.json"] {
        sandbox.fail(&text.replace("r.json", bad), &Quiet);
    }
}

#[test]
fn what_has_no_classes_for_others_is_not_saved() {
    let sandbox = Sandbox::with(&[("in.csv", &people(3, 60)), ("town.csv", TOWNS)]);
    let crowds = job(COLUMNS, "expansion", "drop", "csv", 3).replace("k = 3", "k = 3\nnotion = 'kk'");
    let refused = sandbox.fail(&crowds, &Quiet).to_string();
    assert!(refused.starts_with("this recoding cannot be saved: "), "{refused}");
    let means = job(&OPEN.replace("'range'", "'mean'"), "mondrian", "drop", "csv", 3);
    let refused = sandbox.fail(&means, &Quiet).to_string();
    assert!(
        refused.starts_with("column 'age': this recoding cannot be saved: the mean of a class"),
        "{refused}"
    );
    // A label of a group that counts most of its members does not say who they are.
    let many: String = (0..60).map(|row| format!("{},town number {}\n", 20 + row % 3, row % 30)).collect();
    let sandbox = Sandbox::with(&[("in.csv", &format!("age,town\n{many}"))]);
    let columns = "age = { role = 'quasi' }\ntown = { role = 'quasi', hierarchy = { auto = true } }\n";
    let refused = sandbox.fail(&job(columns, "flash", "drop", "csv", 3), &Quiet).to_string();
    assert!(refused.starts_with("column 'town': this recoding cannot be saved: "), "{refused}");
}

/// An automatic hierarchy is known by its labels: ranges take in numbers that nobody had before.
#[test]
fn values_that_no_label_covers_count_as_failing() {
    let rows = |ages: &[u64]| -> String {
        let rows: String = ages.iter().map(|age| format!("{age},x\n").repeat(3)).collect();
        format!("age,other\n{rows}")
    };
    let first: Vec<u64> = (20..60).collect();
    let sandbox = Sandbox::with(&[
        ("in.csv", &rows(&first)),
        ("strange.csv", &format!("{}unknown,x\n", rows(&first))),
        ("within.csv", &rows(&[21, 21, 23, 23, 33, 34, 55, 56])),
    ]);
    let columns = "age = { role = 'quasi', hierarchy = { auto = true } }\nother = { role = 'other' }\n";
    sandbox.run(&job(columns, "flash", "drop", "csv", 9).replace("0.1", "0"));
    let within = apply(
        &sandbox,
        "within.csv",
        "a.csv",
        JobFlags { suppression: Some("50%".parse().unwrap()), ..JobFlags::default() },
    );
    assert_eq!(within.applied.unwrap().uncovered_rows, 0);
    let strange = apply(&sandbox, "strange.csv", "b.csv", JobFlags::default());
    let applied = strange.applied.unwrap();
    let unknown = applied.unknown.unwrap();
    assert_eq!((applied.uncovered_rows, unknown.column.as_str(), unknown.row), (1, "age", Some(121)));
    assert_eq!(strange.outcome, RunOutcome::Infeasible);
    let one = JobFlags { suppression: Some("1 row".parse().unwrap()), ..JobFlags::default() };
    assert_eq!(apply(&sandbox, "strange.csv", "c.csv", one).suppressed_rows, 1);
}
