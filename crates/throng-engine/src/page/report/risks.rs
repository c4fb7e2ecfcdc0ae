//! Who could be found, before and after.

use throng::privacy::{self, Direction, SensitiveColumn};

use crate::check::{Bucket, CheckSummary, ModelDegree};
use crate::evidence::Evidence;
use crate::page::html::{Cell, count, decimal, figure, paragraph, percent, remark, table};
use crate::plot::{BarRow, Bars};
use crate::report::RequirementSummary;

pub(super) fn body(evidence: &Evidence) -> String {
    let (before, after) = (&evidence.before, &evidence.after);
    let row = |what: &str, before: String, after: Option<String>| {
        vec![Cell::text(what), Cell::Number(before), Cell::Number(after.unwrap_or("–".to_owned()))]
    };
    // Rows of a person are no crowd: where persons are counted, rows after are not set beside persons before.
    let by_rows = evidence.job.person().is_none();
    let unique = |found: &CheckSummary| with_share(found.exposure.unique_rows, found.exposure.unique_share);
    let at_risk =
        |found: &CheckSummary| with_share(found.exposure.at_risk_rows, found.exposure.at_risk_share);
    let highest = |of: Option<f64>| of.map(percent);
    let rows = vec![
        row("classes", count(before.classes), Some(count(after.classes))),
        row("smallest class", count(before.k), smallest(evidence).map(count)),
        row("rows like no other", unique(before), by_rows.then(|| unique(after))),
        row(
            &format!("rows in classes smaller than {}", before.threshold),
            at_risk(before),
            by_rows.then(|| at_risk(after)),
        ),
        row(
            "prosecutor: the highest chance to find somebody known to be in the table",
            percent(before.risk.highest),
            highest(prosecutor(evidence)),
        ),
        row(
            "journalist: the highest chance to find somebody of the population",
            percent(before.risk.highest),
            highest(journalist(evidence).or(prosecutor(evidence))),
        ),
        row(
            "marketer: the share of all rows that can be linked right",
            percent(before.risk.mean),
            (by_rows && evidence.crowds.is_none()).then(|| percent(after.risk.mean)),
        ),
    ];
    let sizes = if by_rows { sizes(before, after) } else { String::new() };
    format!("{}{}{sizes}{}", table(&["", "before#", "after#"], &rows), explain(evidence), models(evidence))
}

/// Members of the smallest class: persons where they are counted, if the run says how many.
fn smallest(evidence: &Evidence) -> Option<u64> {
    match evidence.job.person() {
        None => Some(evidence.after.k),
        Some(_) => evidence.summary.as_ref()?.achieved.get("k")?.as_u64(),
    }
}

/// The highest chance to find somebody who is known to be in the table: by classes, or by what may be linked.
fn prosecutor(evidence: &Evidence) -> Option<f64> {
    let crowd = match evidence.crowds {
        Some(crowds) => crowds.global_one_k,
        None => smallest(evidence)?,
    };
    Some(1.0 / crowd.max(1) as f64)
}

fn with_share(rows: u64, share: f64) -> String {
    format!("{} ({})", count(rows), percent(share))
}

/// The highest chance in a population, if the run counted one over all that others may know; or by the crowd of whom
/// others know.
fn journalist(evidence: &Evidence) -> Option<f64> {
    if let Some(crowds) = evidence.crowds {
        return Some(1.0 / crowds.one_k.max(1) as f64);
    }
    let all = &evidence.summary.as_ref()?.requirements;
    let of_all = all.iter().filter(|one| one.shield.len() == evidence.before.quasi.len());
    let chance = |one: &RequirementSummary| match one.model.as_str() {
        "k-map" => one.degree.map(|members| 1.0 / members.max(1.0)),
        "max-risk" if one.parameters.get("attacker").is_some_and(|who| who == "journalist") => one.degree,
        _ => None,
    };
    of_all.filter_map(chance).reduce(f64::max)
}

fn explain(evidence: &Evidence) -> String {
    let has_population = evidence.job.privacy.require.iter().any(|require| require.population().is_some());
    let population = match (evidence.crowds, journalist(evidence), has_population) {
        (Some(crowds), ..) => format!(
            "The release has crowds that are no classes: of whoever others know, at least {} released rows may be that person's, and {} if they know exactly who is in the table. That is what protects; the classes by themselves may be small.",
            count(crowds.one_k),
            count(crowds.global_one_k)
        ),
        (None, Some(_), _) => "The journalist's chance after the release is that in the population of the job.".to_owned(),
        (None, None, true) => "The population of the job was not counted over all that others may know here, so the journalist's chance is taken to be the prosecutor's.".to_owned(),
        (None, None, false) => "Without a table of the population, the table is taken for all of it: the journalist's chance is then the prosecutor's, and less if the population is larger.".to_owned(),
    };
    let persons = match evidence.job.person() {
        Some(_) => {
            " Persons are counted. They are not in the release, so after it only what the run counted is known."
        }
        None => "",
    };
    remark(&format!("{population}{persons}"))
}

fn sizes(before: &CheckSummary, after: &CheckSummary) -> String {
    let longest =
        if before.histogram.len() > after.histogram.len() { &before.histogram } else { &after.histogram };
    let share = |found: &CheckSummary, at: usize| {
        found.histogram.get(at).map_or(0.0, |bucket| bucket.rows as f64 / found.rows.max(1) as f64)
    };
    let bar = |share: f64| Some((share, percent(share)));
    let rows: Vec<BarRow> = longest
        .iter()
        .enumerate()
        .map(|(at, bucket)| BarRow {
            label: label(bucket),
            bars: vec![bar(share(before, at)), bar(share(after, at))],
        })
        .collect();
    let numbers: Vec<Vec<Cell>> = longest
        .iter()
        .enumerate()
        .map(|(at, bucket)| {
            let of = |found: &CheckSummary| {
                let bucket = found.histogram.get(at);
                [
                    Cell::Number(count(bucket.map_or(0, |b| b.classes))),
                    Cell::Number(count(bucket.map_or(0, |b| b.rows))),
                ]
            };
            std::iter::once(Cell::text(label(bucket))).chain(of(before)).chain(of(after)).collect()
        })
        .collect();
    let bars = Bars {
        title: "Share of the rows in classes of each size, before and after".to_owned(),
        series: vec!["before".to_owned(), "after".to_owned()],
        rows,
        full: None,
    };
    let head = ["size of the class", "classes before#", "rows before#", "classes after#", "rows after#"];
    figure(
        &bars.inline(),
        "Share of the rows that are in classes of so many rows: the larger, the safer.",
        &table(&head, &numbers),
    )
}

fn label(bucket: &Bucket) -> String {
    if bucket.from == bucket.to {
        count(bucket.from)
    } else {
        format!("{}–{}", count(bucket.from), count(bucket.to))
    }
}

/// Which degrees of a model are safer, in a word.
fn safer(model: &str) -> &'static str {
    let of_nothing = SensitiveColumn::default();
    let measured = privacy::find(model).and_then(|entry| (entry.measured)(&of_nothing).into_iter().next());
    match measured.map(|model| model.direction()) {
        Some(Direction::MoreIsSafer) => "more",
        Some(Direction::LessIsSafer) => "less",
        None => "",
    }
}

/// Every model for every sensitive column.
fn models(evidence: &Evidence) -> String {
    let (before, after) = (&evidence.before, &evidence.after);
    let of_columns = |found: &ModelDegree| found.column.is_some();
    if !before.models.iter().any(of_columns) {
        return paragraph(
            "No column is sensitive, so nothing is said about what could be learned of a person beyond being found.",
        );
    }
    let same = |a: &ModelDegree, b: &ModelDegree| {
        (&a.model, &a.variant, &a.column) == (&b.model, &b.variant, &b.column)
    };
    let degree = |degree: Option<f64>| Cell::Number(degree.map_or("∞".to_owned(), decimal));
    let row = |found: &ModelDegree| {
        let variant: Vec<String> =
            found.variant.iter().map(|(key, value)| format!("{key} = {value}").replace('"', "")).collect();
        let variant = if variant.is_empty() { String::new() } else { format!(" ({})", variant.join(", ")) };
        let later = after.models.iter().find(|other| same(other, found));
        let later = later.filter(|_| evidence.job.person().is_none());
        vec![
            Cell::text(found.column.clone().unwrap_or_default()),
            Cell::text(format!("{}{variant}", found.model)),
            Cell::text(safer(&found.model)),
            degree(found.degree),
            later.map_or(Cell::Number("–".to_owned()), |later| degree(later.degree)),
        ]
    };
    let mut found: Vec<&ModelDegree> = before.models.iter().filter(|found| of_columns(found)).collect();
    found.sort_by(|a, b| a.column.cmp(&b.column));
    let rows: Vec<Vec<Cell>> = found.into_iter().map(row).collect();
    format!(
        "<h3>What could be learned of sensitive columns</h3>\n{}{}",
        table(&["column", "model", "safer is", "before#", "after#"], &rows),
        remark(
            "Each is the degree of the worst class, whether or not it was asked for; the guide says what each means."
        )
    )
}
