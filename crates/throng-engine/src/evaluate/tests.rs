use std::fmt::Write as _;

use tempfile::TempDir;

use super::*;
use crate::input::dialect::DialectOverrides;
use crate::progress::Quiet;

/// Rows of a table of the paper: cells, and the records of each class.
type Printed = [(&'static str, u32, u32)];

/// Every record of a printed table, classes A before B.
fn records(header: &str, printed: &Printed) -> String {
    let mut text = format!("{header},class\n");
    for (cells, a, b) in printed {
        (0..*a).for_each(|_| writeln!(text, "{cells},A").unwrap());
        (0..*b).for_each(|_| writeln!(text, "{cells},B").unwrap());
    }
    text
}

struct Files {
    directory: TempDir,
}

impl Files {
    fn new() -> Files {
        Files { directory: tempfile::tempdir().unwrap() }
    }

    fn open(&self, name: &str, text: &str) -> Source {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        Source::open(&path, &DialectOverrides::default()).unwrap()
    }
}

fn options(classifiers: &[ClassifierKind]) -> EvaluateOptions {
    EvaluateOptions {
        target: "class".to_owned(),
        quasi: Vec::new(),
        folds: 10,
        seed: 1,
        classifiers: classifiers.to_vec(),
    }
}

async fn evaluate_texts(before: &str, after: &str, options: &EvaluateOptions) -> Result<EvaluateSummary> {
    let files = Files::new();
    let (before, after) = (files.open("before.csv", before), files.open("after.csv", after));
    evaluate(&before, &after, options, &Quiet).await
}

/// What naive Bayes learns from a printed release.
async fn learned(header: &str, before: &Printed, after: &Printed) -> f64 {
    let bayes = options(&[ClassifierKind::NaiveBayes]);
    let found = evaluate_texts(&records(header, before), &records(header, after), &bayes).await.unwrap();
    let released = |one: &&Accuracy| one.trained_on == TrainedOn::Released && !one.tested_on_original;
    found.results.iter().find(released).unwrap().accuracy
}

const CASE_1: &Printed = &[
    ("10th,M,40", 20, 0),
    ("10th,M,30", 0, 4),
    ("9th,M,30", 0, 2),
    ("9th,F,30", 0, 4),
    ("9th,F,40", 0, 6),
    ("8th,F,30", 0, 2),
    ("8th,F,40", 0, 2),
];

const CASE_3: &Printed = &[
    ("Acc,F,30", 5, 0),
    ("Acc,F,20", 16, 0),
    ("Acc,F,40", 3, 0),
    ("Acc,M,25", 0, 4),
    ("Acc,M,30", 0, 5),
    ("Rej,M,30", 0, 10),
    ("Rej,F,30", 15, 0),
    ("Rej,F,50", 5, 0),
    ("Rej,F,20", 5, 0),
    ("Rej,M,70", 0, 15),
];

/// Case 1 of section 5.2: 100 % from the tables of both algorithms.
#[tokio::test(flavor = "multi_thread")]
async fn case_1_of_the_paper() {
    let heuristic: &Printed =
        &[("High,M,40", 20, 0), ("High,M,30", 0, 6), ("High,F,30", 0, 6), ("High,F,40", 0, 8)];
    let specialised: &Printed =
        &[("Any,M,40+", 20, 0), ("Any,M,1-40", 0, 6), ("Any,F,1-40", 0, 6), ("Any,F,40+", 0, 8)];
    for released in [heuristic, specialised] {
        assert_eq!(learned("edu,sex,hours", CASE_1, released).await, 1.0);
    }
}

/// Case 3: 100 % from the tables of TDS and BUG. From that of HeuristicMin, whose classes are mixed, the paper
/// has 63 %; by records, with one added to every count, it is a little more, and still the least of the three.
#[tokio::test(flavor = "multi_thread")]
async fn case_3_of_the_paper() {
    let header = "application,sex,age";
    let specialised: &Printed =
        &[("Any,F,0-40", 41, 0), ("Any,F,40-99", 8, 0), ("Any,M,0-40", 0, 19), ("Any,M,40-99", 0, 15)];
    assert_eq!(learned(header, CASE_3, specialised).await, 1.0);
    let generalised: &Printed = &[
        ("Any,F,30", 20, 0),
        ("Any,F,20", 21, 0),
        ("Any,F,40", 3, 0),
        ("Any,M,25", 0, 4),
        ("Any,M,30", 0, 15),
        ("Any,F,50", 5, 0),
        ("Any,M,70", 0, 15),
    ];
    assert_eq!(learned(header, CASE_3, generalised).await, 1.0);
    let heuristic: &Printed = &[
        ("Acc,Any,30", 5, 5),
        ("Acc,Any,20", 16, 0),
        ("Acc,Any,40", 3, 0),
        ("Acc,Any,25", 0, 4),
        ("Rej,Any,30", 15, 10),
        ("Rej,Any,50", 5, 0),
        ("Rej,Any,20", 5, 0),
        ("Rej,Any,70", 0, 15),
    ];
    let mixed = learned(header, CASE_3, heuristic).await;
    assert!((0.63..0.85).contains(&mixed), "{mixed}");
}

/// Two columns that tell the class, and one that says nothing; the release gives up the first.
fn telling(rows: u32, released: bool) -> String {
    let mut text = "first,second,noise,class\n".to_owned();
    for row in 0..rows {
        let (first, second) = (row % 4, row % 3);
        let class = u32::from(first >= 2) + u32::from(second == 0 && row % 7 != 0);
        let shown = if released { "*".to_owned() } else { first.to_string() };
        writeln!(text, "{shown},{second},{},c{class}", row.wrapping_mul(2_654_435_761) >> 29).unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_up_is_missed() {
    let both = options(&ClassifierKind::ALL);
    let found = evaluate_texts(&telling(600, false), &telling(600, true), &both).await.unwrap();
    assert_eq!((found.rows, found.classes, found.quasi), (600, 3, vec!["first".to_owned()]));
    assert_eq!((found.results.len(), found.notes.len()), (8, 0));
    for of_classifier in found.results.chunks(4) {
        let [original, released, asked, without] = of_classifier else { panic!("four trials") };
        assert_eq!((asked.trained_on, asked.tested_on_original), (TrainedOn::Released, true));
        assert!(original.accuracy > 0.9 && released.accuracy < 0.7, "{of_classifier:?}");
        // The only quasi-identifier is gone in both, and original cells of it are read as `*`.
        assert_eq!(asked.accuracy, released.accuracy);
        assert!((without.accuracy - released.accuracy).abs() < 0.05, "{of_classifier:?}");
        assert!(released.spread > 0.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_gives_the_same_figures() {
    let both = options(&ClassifierKind::ALL);
    let run = async |options: &EvaluateOptions| {
        evaluate_texts(&telling(300, false), &telling(300, true), options).await.unwrap()
    };
    let first = run(&both).await;
    assert_eq!(run(&both).await, first);
    assert_ne!(run(&EvaluateOptions { seed: 2, ..both }).await.results, first.results);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_left_out_or_moved_are_said() {
    let bayes = options(&[ClassifierKind::NaiveBayes]);
    let whole = telling(300, true);
    let fewer: String = whole.lines().take(251).map(|line| format!("{line}\n")).collect();
    let found = evaluate_texts(&telling(300, false), &fewer, &bayes).await.unwrap();
    assert_eq!((found.released_rows, found.results.len()), (250, 3));
    assert!(
        found.notes[0].contains("50 rows of the original are missing from the release"),
        "{:?}",
        found.notes
    );
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[1..].reverse();
    let found =
        evaluate_texts(&telling(300, false), &format!("{}\n", lines.join("\n")), &bayes).await.unwrap();
    assert!(found.notes[0].contains("in another order"), "{:?}", found.notes);
    assert_eq!(found.quasi, ["first"], "the other columns were only moved");
    let missing = telling(300, false).replace(",c2", ",");
    let found = evaluate_texts(&missing, &missing, &bayes).await.unwrap();
    assert!(found.notes[0].contains("have no class, and are left out"), "{:?}", found.notes);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_explained() {
    let complain = async |before: &str, after: &str, change: &dyn Fn(&mut EvaluateOptions)| {
        let mut options = options(&[ClassifierKind::NaiveBayes]);
        change(&mut options);
        evaluate_texts(before, after, &options).await.expect_err("bad input").to_string()
    };
    let (before, after) = (telling(60, false), telling(60, true));
    let is = |message: String, expected: &str| assert!(message.contains(expected), "{message}");
    let unknown = |options: &mut EvaluateOptions| options.target = "clas".to_owned();
    is(complain(&before, &after, &unknown).await, "there is no column 'clas' (did you mean 'class'?)");
    let quasi = |options: &mut EvaluateOptions| options.quasi = vec!["class".to_owned()];
    is(complain(&before, &after, &quasi).await, "it cannot also be a quasi-identifier");
    let folds = |options: &mut EvaluateOptions| options.folds = 61;
    is(complain(&before, &after, &folds).await, "60 rows with a class, fewer than the 61 folds");
    let one = |options: &mut EvaluateOptions| options.folds = 1;
    is(complain(&before, &after, &one).await, "folds is 1; there must be at least 2");
    let nothing = |_: &mut EvaluateOptions| {};
    let single = before.replace(",c0", ",c1").replace(",c2", ",c1");
    is(complain(&single, &single, &nothing).await, "has only one class");
    is(complain(&before, &telling(61, true), &nothing).await, "61 rows, but the original has 60");
    is(
        complain(&before, &after.replace(",c2", ",c9"), &nothing).await,
        "a class of the target that the original lacks",
    );
    let many: String = (0..1_002).map(|row| format!("x,{row}\n")).collect();
    let many = format!("a,class\n{many}");
    is(complain(&many, &many, &nothing).await, "has 1002 classes; at most 1000 can be predicted");
    is(
        complain("class\na\nb\n", "class\na\nb\n", &nothing).await,
        "apart from the target, it has none of the original's columns",
    );
}

/// A text of its own for every row says nothing, whatever the classes are; and a class by itself is no error.
#[tokio::test(flavor = "multi_thread")]
async fn forests_do_not_learn_rows_by_heart() {
    let with_id = |released: bool| -> String {
        let lines = telling(600, released);
        let mut lines = lines.lines();
        let head = format!("{},id\n", lines.next().unwrap());
        lines.enumerate().fold(head, |text, (row, line)| format!("{text}{line},row {row}\n"))
    };
    let forest = options(&[ClassifierKind::RandomForest]);
    let with = evaluate_texts(&with_id(false), &with_id(true), &forest).await.unwrap();
    let without = evaluate_texts(&telling(600, false), &telling(600, true), &forest).await.unwrap();
    for (with, without) in with.results.iter().zip(&without.results) {
        assert!((with.accuracy - without.accuracy).abs() < 0.05, "{with:?} {without:?}");
    }
    let rare: String =
        (0..21).map(|row| format!("{row},{}\n", if row == 3 { "no" } else { "yes" })).collect();
    let rare = format!("number,class\n{rare}");
    let found = evaluate_texts(&rare, &rare, &forest).await.unwrap();
    assert!(found.results.iter().all(|one| one.accuracy > 0.9), "{found:?}");
}

/// Rows that moved only within their class are still not those of the original.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_moved_within_their_class_are_seen() {
    let bayes = options(&[ClassifierKind::NaiveBayes]);
    let table = |ids: &dyn Fn(u32) -> u32| -> String {
        let row = |row: u32| format!("{},{},{}\n", ids(row), row % 5, if row < 30 { "a" } else { "b" });
        format!("id,x,class\n{}", (0..60).map(row).collect::<String>())
    };
    let moved = |row: u32| if row < 30 { 29 - row } else { row };
    let found = evaluate_texts(&table(&|row| row), &table(&moved), &bayes).await.unwrap();
    assert!(found.notes[0].contains("in another order"), "{:?}", found.notes);
    let refused = evaluate_texts(&table(&|row| row), &table(&moved).replace(",b\n", ",a\n"), &bayes).await;
    assert!(refused.unwrap_err().to_string().contains("more rows of some class"));
}
