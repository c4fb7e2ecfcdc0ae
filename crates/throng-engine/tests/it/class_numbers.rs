//! Columns whose classes show one number, and numbers beyond bounds.

use std::collections::BTreeMap;

use throng::random::Random;
use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;
use crate::table::Table;

fn job(age: &str, privacy: &str, search: &str) -> String {
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nage = {{ role = 'quasi', generalise = {age} }}\n\
         sex = {{ role = 'quasi' }}\n'*' = {{ role = 'other' }}\n\
         [privacy]\n{privacy}\n[search]\n{search}\n"
    )
}

fn release(input: &str, job: &str) -> (Table, Vec<String>) {
    let sandbox = Sandbox::with(&[("in.csv", input)]);
    let summary = sandbox.run(job);
    (sandbox.table("out.csv"), summary.warnings)
}

const SIX: &str = "age,sex,row\n20,f,1\n21,f,2\n25,f,3\n60,m,4\n60,m,5\n,m,6\n,m,7\n";

#[test]
fn a_class_shows_the_mean_of_its_numbers() {
    let (table, warnings) = release(SIX, &job("'mean'", "k = 2", "algorithm = 'agglomerative'"));
    assert_eq!(table.column("age"), ["22", "22", "22", "60", "60", "", ""]);
    let note = "'age' shows the mean of each class; its losses are those of the classes' ranges, and its \
        numbers differ from the original by 1.67 (root mean square)";
    assert!(warnings.iter().any(|warning| warning == note), "{warnings:?}");
    let (table, _) = release(SIX, &job("{ median = true }", "k = 2", "algorithm = 'agglomerative'"));
    assert_eq!(table.column("age"), ["21", "21", "21", "60", "60", "", ""]);
}

/// Whole columns move: in the place of `*` each class shows its mean.
#[test]
fn a_full_domain_release_shows_means_instead_of_nothing() {
    let input = "age,sex,row\n20,f,1\n21,f,2\n60,m,3\n64,m,4\n65,m,5\n";
    let (table, _) = release(input, &job("'mean'", "k = 2", "algorithm = 'flash'"));
    assert_eq!(table.column("age"), ["20.5", "20.5", "63", "63", "63"]);
    assert_eq!(table.column("sex"), ["f", "f", "m", "m", "m"]);
}

#[test]
fn numbers_beyond_bounds_are_one_value() {
    let input = "age,sex,row\n17,f,1\n9,f,2\n42,f,3\n42,f,4\n90,f,5\n104,f,6\n";
    // Nothing else is generalised: the bounds alone make classes of two.
    for algorithm in ["flash", "mondrian"] {
        let search = format!("algorithm = '{algorithm}'");
        let (table, _) = release(input, &job("{ bottom = 18, top = 90 }", "k = 2", &search));
        assert_eq!(table.column("age"), ["≤18", "≤18", "42", "42", "90+", "90+"], "{algorithm}");
    }
    let (table, _) = release(input, &job("{ top = 90 }", "k = 3", "algorithm = 'mondrian'"));
    assert_eq!(table.column("age"), ["9~90+"; 6]);
    let (table, _) = release(input, &job("{ mean = true, top = 90 }", "k = 3", "algorithm = 'mondrian'"));
    assert_eq!(table.column("age"), ["48.33"; 6], "of 17, 9, 42 twice and 90 twice");
}

#[test]
fn masked_rows_and_persons_go_with_means() {
    let input = "age,sex,row\n20,f,a\n21,f,a\n25,f,b\n60,m,c\n61,m,d\n70,x,e\n71,y,e\n";
    let text = job("'mean'", "k = 2\nsuppression = 2\nperson = 'row'", "algorithm = 'flash'");
    let text = text
        .replace("'*' = { role = 'other' }", "row = { role = 'identifier' }")
        .replace("output = 'out.csv'", "output = { path = 'out.csv', suppressed = 'mask' }");
    let sandbox = Sandbox::with(&[("in.csv", input)]);
    let summary = sandbox.run(&text);
    let table = sandbox.table("out.csv");
    assert_eq!(summary.suppressed_rows, 2);
    assert_eq!(table.column("age")[..5], ["22", "22", "22", "60.5", "60.5"]);
}

#[test]
fn means_are_refused_where_they_cannot_be_verified() {
    let sandbox = Sandbox::with(&[("in.csv", SIX)]);
    let text = job("'mean'", "k = 2\nnotion = 'kk'", "algorithm = 'expansion'");
    let error = sandbox.fail(&text, &Quiet).to_string();
    assert!(error.starts_with("column 'age' cannot show the mean of a class: "), "{error}");
    let words = Sandbox::with(&[("in.csv", "age,sex,row\nold,f,1\n20,f,2\n")]);
    let error = words.fail(&job("'mean'", "k = 2", "algorithm = 'mondrian'"), &Quiet).to_string();
    assert!(error.contains("row 1") && !error.contains("old"), "{error}");
}

/// Whatever the algorithm, cells of a class are equal and at least k, and each shows what its rows have.
#[test]
fn classes_of_random_tables_show_what_their_rows_have() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let rows: Vec<(f64, u64)> =
            (0..40 + random.index(60)).map(|_| (random.below(400) as f64 / 4.0, random.below(3))).collect();
        let input: String =
            rows.iter().enumerate().map(|(i, (age, sex))| format!("{age},{sex},{i}\n")).collect();
        let algorithm = ["mondrian", "agglomerative", "flash"][seed as usize % 3];
        let search = format!("algorithm = '{algorithm}'");
        let (table, _) =
            release(&format!("age,sex,row\n{input}"), &job("'mean'", "k = 3\nsuppression = 0.05", &search));
        let mut classes: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        let cells = table.column("age").into_iter().zip(table.column("sex")).zip(table.column("row"));
        for ((age, sex), row) in cells {
            let own = rows[row.parse::<usize>().unwrap()].0;
            classes.entry((age.to_owned(), sex.to_owned())).or_default().push(own);
        }
        for ((shown, _), of_class) in classes {
            assert!(of_class.len() >= 3, "{algorithm}, seed {seed}");
            let mean = of_class.iter().sum::<f64>() / of_class.len() as f64;
            assert!(
                (shown.parse::<f64>().unwrap() - mean).abs() < 1e-3,
                "{algorithm}, seed {seed}: {shown} {mean}"
            );
        }
    }
}
