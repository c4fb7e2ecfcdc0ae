use std::fs;
use std::path::Path;

use super::*;
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;

/// Longer than any search here takes.
const WHAT_IF: Duration = Duration::from_secs(60);

const JOB: &str = r#"
input  = "people.csv"
output = "release.csv"

[columns]
name    = { role = "identifier" }
age     = { role = "quasi", hierarchy = { intervals = [10, 40] } }
sex     = { role = "quasi" }
illness = { role = "sensitive" }
note    = { role = "other" }

[privacy]
k = 3
suppression = 0.1
"#;

fn people() -> String {
    let mut text = "name,age,sex,illness,note\n".to_owned();
    for row in 0..60u32 {
        let age = if row == 0 { 97 } else { 20 + row * 7 % 40 };
        let (sex, illness) = (["f", "m"][row as usize % 2], ["flu", "cold", "gout"][row as usize % 3]);
        let note = if row == 0 { "only here" } else { ["a", "b"][row as usize % 2] };
        text += &format!("Secret {row},{age},{sex},{illness},{note}\n");
    }
    text
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// A folder with a table, and the job that reads it.
fn job(dir: &Path, extra: &str) -> Job {
    fs::write(dir.join("people.csv"), people()).unwrap();
    Job::parse(&format!("{JOB}{extra}"), dir).unwrap()
}

fn gathered(extra: &str) -> (Evidence, Summary) {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), extra);
    run(async {
        let summary = anonymize(&job, &Quiet).await.unwrap();
        let evidence =
            Evidence::gather(&job, job.output.path().unwrap(), Some(&summary), Some(WHAT_IF), &Quiet)
                .await
                .unwrap();
        (evidence, summary)
    })
}

fn column<'e>(evidence: &'e Evidence, name: &str) -> &'e ColumnEvidence {
    evidence.columns.iter().find(|column| column.name == name).unwrap()
}

#[test]
fn losses_of_columns_are_those_that_the_run_measured() {
    for algorithm in ["flash", "cut-search", "mondrian", "sequential"] {
        let (evidence, summary) = gathered(&format!("[search]\nalgorithm = '{algorithm}'\n"));
        let losses: Vec<f64> =
            ["age", "sex"].iter().map(|name| column(&evidence, name).loss.unwrap()).collect();
        let lm = summary.measures["lm"].as_f64().unwrap();
        assert!((losses.iter().sum::<f64>() / 2.0 - lm).abs() < 1e-9, "{algorithm}: {losses:?} {lm}");
        assert_eq!(evidence.verdict(), Judgement::Holds, "{algorithm}");
    }
}

#[test]
fn ranges_and_sets_are_read_for_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(dir.path(), "[search]\nalgorithm = 'mondrian'\n");
    job = Job::parse(
        &job.to_toml().unwrap().replace("hierarchy = { intervals = [10.0, 40.0] }", "generalise = \"range\""),
        dir.path(),
    )
    .unwrap();
    let (evidence, lm) = run(async {
        let summary = anonymize(&job, &Quiet).await.unwrap();
        let evidence = Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet).await.unwrap();
        (evidence, summary.measures["lm"].as_f64().unwrap())
    });
    let losses: f64 = ["age", "sex"].iter().map(|name| column(&evidence, name).loss.unwrap()).sum();
    assert!((losses / 2.0 - lm).abs() < 1e-9, "{losses} {lm}");
}

#[test]
fn shares_add_up_and_only_released_labels_are_shown() {
    let (evidence, _) = gathered("");
    for name in ["age", "sex", "illness", "note"] {
        let found = column(&evidence, name).distribution.clone().unwrap();
        let all = || found.shares.iter().chain(&found.rest);
        let after = all().map(|one| one.after).sum::<f64>() + found.coarser;
        for sum in [all().map(|one| one.before).sum::<f64>(), after] {
            assert!((sum - 1.0).abs() < 2e-3, "{name}: {sum}");
        }
    }
    let notes: Vec<&str> = column(&evidence, "note")
        .distribution
        .as_ref()
        .unwrap()
        .shares
        .iter()
        .map(|one| one.label.as_str())
        .collect();
    assert_eq!(notes, ["b", "a"], "the note of the suppressed row is in no released row");
    assert_eq!(column(&evidence, "note").distinct, Some((3, 2)));
}

#[test]
fn what_if_searches_say_what_a_column_costs() {
    let (evidence, summary) = gathered("");
    let age = evidence.drivers.iter().find(|driver| driver.name == "age").unwrap();
    let sex = column(&evidence, "sex").loss.unwrap();
    assert!((age.others.unwrap() - sex).abs() < 1e-9);
    // Without age, both sexes are crowds.
    assert_eq!(age.without, WhatIf::Loses(0.0));
    let lm = summary.measures["lm"].as_f64().unwrap();
    assert!(matches!(age.finer, WhatIf::Loses(loss) if loss <= lm + 1e-12), "{:?} {lm}", age.finer);
}

#[test]
fn a_release_without_its_summary_tells_its_levels() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), "");
    let (evidence, summary) = run(async {
        let summary = anonymize(&job, &Quiet).await.unwrap();
        (Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet).await.unwrap(), summary)
    });
    for (name, level) in summary.levels.unwrap() {
        assert_eq!(
            column(&evidence, &name).level.as_ref().map(|found| found.level as u64),
            level.as_u64(),
            "{name}"
        );
    }
}

#[test]
fn other_tables_are_no_releases_of_the_job() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), "");
    let refused = |text: &str| {
        let other = dir.path().join("other.csv");
        fs::write(&other, text).unwrap();
        run(Evidence::gather(&job, &other, None, None, &Quiet)).unwrap_err().to_string()
    };
    run(anonymize(&job, &Quiet)).unwrap();
    let release = fs::read_to_string(job.output.path().unwrap()).unwrap();
    assert!(refused("age,sex\n1,f\n2,m\n").contains("it is not the job's release"));
    assert!(
        refused(&format!("{release}{}", release.split_once('\n').unwrap().1))
            .contains("it is not a release of that input")
    );
    let (head, rest) = release.split_once('\n').unwrap();
    let row = rest.lines().next().unwrap();
    let foreign = |row: String| {
        refused(&format!("{head}\n{row}\n{rest}").lines().take(40).collect::<Vec<_>>().join("\n"))
    };
    let cells: Vec<&str> = row.split(',').collect();
    let unknown = foreign(format!("nobody,{}", cells[1..].join(",")));
    assert!(unknown.contains("row 1") && unknown.contains("age") && !unknown.contains("nobody"), "{unknown}");
    let invented = foreign(format!("{},never,{}", cells[..2].join(","), cells[3]));
    assert!(invented.contains("has more of these values") && !invented.contains("never"), "{invented}");
}

/// What goes together does not depend on how many digits the numbers have, nor on masked rows.
#[test]
fn associations_follow_numbers_and_not_their_text() {
    let v = |shift: u32, extra: &str| {
        let dir = tempfile::tempdir().unwrap();
        let mut text = "name,age,sex,illness,note\n".to_owned();
        for row in 0..400u32 {
            let age = shift + row % 100;
            text += &format!("n{row},{age},{},i{},a\n", ["f", "m"][row as usize % 2], (row % 100) / 25);
        }
        let job = job(dir.path(), extra);
        fs::write(dir.path().join("people.csv"), text).unwrap();
        let evidence = run(async {
            anonymize(&job, &Quiet).await.unwrap();
            Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet).await.unwrap()
        });
        let place = |name: &str| evidence.associations.names.iter().position(|known| known == name).unwrap();
        evidence.associations.after[place("age")][place("illness")].unwrap()
    };
    let mondrian = "[search]\nalgorithm = 'mondrian'\n";
    assert!((v(0, mondrian) - v(1000, mondrian)).abs() < 1e-9, "{} {}", v(0, mondrian), v(1000, mondrian));
}

/// Values that the recoding takes for one are several in the original.
#[test]
fn columns_with_bounds_and_unknown_values_have_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let rows = (0..200u32).map(|row| {
        let zip = if row % 50 == 0 { "?".to_owned() } else { format!("{:05}", 10_000 + row % 30) };
        format!("{},{zip},i{}\n", row % 70, row % 3)
    });
    fs::write(dir.path().join("in.csv"), format!("age,zip,illness\n{}", rows.collect::<String>())).unwrap();
    let zips = (0..30).map(|zip| format!("{};1****;*\n", 10_000 + zip)).collect::<String>();
    fs::write(dir.path().join("zip.csv"), zips).unwrap();
    let job = "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nillness = { role = 'sensitive' }\n\
        age = { role = 'quasi', generalise = { bottom = 10, top = 50 } }\n\
        zip = { role = 'quasi', hierarchy = 'zip.csv', unknown = 'top' }\n[privacy]\nk = 2\n\
        [search]\nalgorithm = 'mondrian'\n";
    let job = Job::parse(job, dir.path()).unwrap();
    let evidence = run(async {
        anonymize(&job, &Quiet).await.unwrap();
        Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet).await.unwrap()
    });
    let names = ["age", "zip", "illness"];
    assert_eq!(evidence.associations.names, names);
    assert!(evidence.associations.before[0][1].is_some());
}

/// What is hidden is no value: a column that is mostly `*` must not look as it did before.
#[test]
fn cells_that_tell_less_than_a_label_do_not_count_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), "");
    let mut text = "name,age,sex,illness,note\n".to_owned();
    for row in 0..60 {
        text += &format!("n{row},{},{},flu,a\n", 20 + row % 3 * 15, ["f", "m"][row % 2]);
    }
    fs::write(dir.path().join("people.csv"), text).unwrap();
    run(anonymize(&job, &Quiet)).unwrap();
    // Somebody hides more: most ages become *.
    let release = fs::read_to_string(job.output.path().unwrap()).unwrap();
    let hidden = |(at, line): (usize, &str)| match line.split_once(',') {
        Some((_, rest)) if at > 15 => format!("*,{rest}\n"),
        _ => format!("{line}\n"),
    };
    fs::write(job.output.path().unwrap(), release.lines().enumerate().map(hidden).collect::<String>())
        .unwrap();
    let evidence = run(Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet)).unwrap();
    let age = column(&evidence, "age");
    let (found, cells) = (age.distribution.as_ref().unwrap(), age.cells.as_ref().unwrap());
    let shown: f64 = found.shares.iter().map(|one| one.after).sum();
    assert!((found.coarser - 0.75).abs() < 1e-9 && (shown - 0.25).abs() < 1e-9, "{found:?}");
    assert!((found.shares.iter().map(|one| one.before).sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
    assert!((cells.hidden - 0.75).abs() < 1e-9, "{cells:?}");
    assert!((cells.exact + cells.near + cells.far + cells.hidden - 1.0).abs() < 1e-9, "{cells:?}");
}

#[test]
fn guesses_are_those_of_the_most_frequent_value() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), "");
    let mut text = "name,age,sex,illness,note\n".to_owned();
    // Two crowds of ten: all of one have flu, and four in ten of the other gout.
    for row in 0..20 {
        let illness = if row < 13 { "flu" } else { ["gout", "cold"][usize::from(row > 16)] };
        text += &format!("n{row},30,{},{illness},a\n", if row < 10 { "f" } else { "m" });
    }
    fs::write(dir.path().join("people.csv"), text).unwrap();
    let evidence = run(async {
        anonymize(&job, &Quiet).await.unwrap();
        Evidence::gather(&job, job.output.path().unwrap(), None, None, &Quiet).await.unwrap()
    });
    let [guess] = &evidence.guesses[..] else { panic!("{:?}", evidence.guesses) };
    assert_eq!((guess.certain_crowds, guess.certain_rows), (1, 10));
    assert!(
        (guess.with_crowds - 14.0 / 20.0).abs() < 1e-9 && (guess.without - 13.0 / 20.0).abs() < 1e-9,
        "{guess:?}"
    );
    let certain = Concern::Certain { column: "illness".to_owned(), crowds: Some(1), rows: 10 };
    assert!(evidence.concerns.contains(&certain), "{:?}", evidence.concerns);
    assert!(
        evidence.concerns.iter().any(|one| matches!(one, Concern::Order { .. })),
        "{:?}",
        evidence.concerns
    );
    assert_eq!((evidence.verdict(), evidence.colour()), (Judgement::Holds, Colour::Amber));
}
