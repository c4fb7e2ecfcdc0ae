use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;
use crate::job::Job;
use crate::progress::Quiet;
use throng_tables::tables::Tables;

const PEOPLE: &str = "name,zip,sex\na,1,f\nb,1,f\nc,1,m\nd,2,m\ne,2,m\nf,3,m\n";

fn place(name: &str, text: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    (directory, path)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn subject(path: &Path, quasi: &[&str]) -> Result<CheckedTable> {
    CheckedTable::of_table(&Tables::default(), path, &DialectOverrides::default(), &names(quasi), &[])
}

async fn check_text(text: &str, quasi: &[&str], threshold: u64) -> CheckSummary {
    let (_directory, path) = place("t.csv", text);
    check(&subject(&path, quasi).unwrap(), threshold, &Quiet).await.unwrap()
}

fn complaint(text: &str, quasi: &[&str]) -> String {
    let (_directory, path) = place("t.csv", text);
    let message = subject(&path, quasi).unwrap_err().to_string();
    message.replace(&path.display().to_string(), "t.csv")
}

#[tokio::test(flavor = "multi_thread")]
async fn small_classes_are_at_risk() {
    // Classes: (1, f) of 2, (1, m) of 1, (2, m) of 2, (3, m) of 1.
    let found = check_text(PEOPLE, &["zip", "sex"], 2).await;
    assert_eq!((found.rows, found.masked_rows, found.classes, found.k), (6, 0, 4, 1));
    assert_eq!((found.exposure.unique_rows, found.exposure.at_risk_rows), (2, 2));
    assert_eq!(found.classes_at_risk, 2);
    assert_eq!(found.risk, ReidentificationRisk { highest: 1.0, mean: 4.0 / 6.0 });
    let sizes: Vec<(u64, u64)> = found.histogram.iter().map(|b| (b.from, b.classes)).collect();
    assert_eq!(sizes, [(1, 2), (2, 2)]);
    let found = check_text(PEOPLE, &["zip", "sex"], 3).await;
    assert_eq!((found.exposure.unique_rows, found.exposure.at_risk_rows), (2, 6));
    assert_eq!(found.exposure.at_risk_share, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_column_whose_absence_helps_most_comes_first() {
    let found = check_text(PEOPLE, &["sex", "zip"], 2).await;
    let columns: Vec<(&str, u64, u64, u64)> = found
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.values, c.left_out.unique_rows, c.alone.unique_rows))
        .collect();
    // Without zip: f 2, m 4. Without sex: zip 1 has 3, 2 has 2, 3 has 1.
    assert_eq!(columns, [("zip", 3, 0, 1), ("sex", 2, 1, 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_nothing_but_stars_are_a_class_like_any_other() {
    let text = "zip,sex\n*,*\n1,f\n1,f\n*,f\n*,f\n";
    let found = check_text(text, &["zip", "sex"], 2).await;
    assert_eq!((found.rows, found.masked_rows, found.classes, found.k), (5, 1, 3, 1));
    assert_eq!((found.exposure.unique_rows, found.exposure.at_risk_rows), (1, 1));
    assert_eq!(found.risk, ReidentificationRisk { highest: 1.0, mean: 0.6 });
    let sex = found.columns.iter().find(|column| column.name == "sex").unwrap();
    assert_eq!((sex.values, sex.alone.unique_rows, sex.left_out.at_risk_rows), (2, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_masked_rows_is_one_crowd() {
    let found = check_text("zip,sex\n*,*\n*,*\n*,*\n", &["zip", "sex"], 5).await;
    assert_eq!((found.rows, found.masked_rows, found.classes, found.k), (3, 3, 1, 3));
    assert_eq!(found.risk, ReidentificationRisk { highest: 1.0 / 3.0, mean: 1.0 / 3.0 });
    assert_eq!(found.columns[0].left_out.at_risk_share, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_come_one_by_one_or_in_a_list() {
    let (_directory, path) = place("t.csv", "a,\"b,c\",d\n1,2,3\n4,5,6\n");
    let quasi = |given: &[&str]| subject(&path, given).unwrap().quasi().to_vec();
    assert_eq!(quasi(&["d", "a"]), [2, 0]);
    assert_eq!(quasi(&["d, a"]), [2, 0]);
    assert_eq!(quasi(&["b,c"]), [1], "a name that has a comma is a name");
}

#[test]
fn names_that_cannot_be_used_are_explained() {
    assert_eq!(
        complaint(PEOPLE, &["zipp"]),
        "t.csv: there is no column 'zipp' (did you mean 'zip'?); the first row was taken for the column \
            names (3 of them): if it is data, use --no-header; if it is the header, use --header to see them \
            listed"
    );
    assert_eq!(
        complaint(PEOPLE, &["sex,zipp"]),
        "t.csv: there is no column 'zipp' (did you mean 'zip'?); its columns are 'name', 'zip', 'sex'"
    );
    assert_eq!(complaint(PEOPLE, &["zip", "sex,zip"]), "column 'zip' is given twice");
    let none = complaint(PEOPLE, &[]);
    assert!(none.contains("--qi COLUMN") && none.contains("(3 of them)"), "{none}");
    assert_eq!(none, complaint(PEOPLE, &[","]));
}

/// What was only taken for a header may be the first record.
#[test]
fn a_first_row_that_may_be_data_is_not_shown() {
    let people = "Smith,Berlin,b\nJones,Paris,c\nMiller,Rome,d\n";
    for asked in [&["city"][..], &["a"], &["name", "city"], &[]] {
        let message = complaint(people, asked);
        assert!(message.contains("if it is data, use --no-header"), "{message}");
        assert!(
            !message.contains("Smith") && !message.contains("Berlin") && !message.contains("'b'"),
            "{message}"
        );
    }
    let (_directory, path) = place("t.csv", people);
    let stated = DialectOverrides { header: Some(true), ..Default::default() };
    let message = CheckedTable::of_table(&Tables::default(), &path, &stated, &names(&["city"]), &[])
        .unwrap_err()
        .to_string();
    assert!(message.contains("its columns are 'Smith', 'Berlin', 'b'"), "{message}");
}

/// A job without a header drops its first column: positions shift, names must not.
#[tokio::test(flavor = "multi_thread")]
async fn the_release_of_a_job_without_a_header_keeps_its_names() {
    let (directory, path) = place("in.csv", "x;1;f\ny;1;m\n");
    let columns: Vec<String> = {
        let overrides = DialectOverrides { header: Some(false), ..Default::default() };
        Source::open(&path, &overrides).unwrap().columns().to_vec()
    };
    let text = format!(
        "input = 'in.csv'\noutput = 'out.csv'\ncsv.header = false\nprivacy.k = 2\n[columns]\n\
         {} = {{ role = 'identifier' }}\n{} = {{ role = 'other' }}\n{} = {{ role = 'quasi' }}\n",
        columns[0], columns[1], columns[2]
    );
    let job = Job::parse(&text, directory.path()).unwrap();
    assert!(CheckedTable::of_job_output(&job, &[]).unwrap_err().to_string().contains("has not written"));

    std::fs::write(directory.path().join("out.csv"), "1;*\n1;*\n").unwrap();
    let subject = CheckedTable::of_job_output(&job, &[]).unwrap();
    assert_eq!((subject.quasi(), subject.quasi_names().next()), (&[1][..], Some(columns[2].as_str())));
    assert_eq!(check(&subject, 2, &Quiet).await.unwrap().masked_rows, 2);
    assert_eq!(CheckedTable::of_job_input(&job, &[]).unwrap().quasi(), [2]);

    std::fs::write(directory.path().join("out.csv"), "1;*;9\n").unwrap();
    let other = CheckedTable::of_job_output(&job, &[]).unwrap_err().to_string();
    assert!(other.ends_with("3 columns; the job's release has 2"), "{other}");
}

struct Impatient;

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_check_is_an_interruption() {
    let (_directory, path) = place("t.csv", PEOPLE);
    let stopped = check(&subject(&path, &["zip"]).unwrap(), 2, &Impatient).await;
    assert!(matches!(stopped, Err(EngineError::Interrupted)));
}
