//! Who could be found, before and after.

use crate::check::{Bucket, CheckSummary, ModelDegree};
use crate::evidence::Evidence;
use crate::page::html::{Cell, count, decimal, figure, paragraph, percent, remark, table};
use crate::plot::{BarRow, Bars};

pub(super) fn body(evidence: &Evidence) -> String {
    let (before, after) = (&evidence.before, &evidence.after);
    let journalist = journalist(evidence);
    let row = |what: &str, of: &dyn Fn(&CheckSummary) -> String| {
        vec![Cell::text(what), Cell::Number(of(before)), Cell::Number(of(after))]
    };
    let mut rows = vec![
        row("classes", &|found| count(found.classes)),
        row("smallest class", &|found| count(found.k)),
        row("rows like no other", &|found| {
            with_share(found.exposure.unique_rows, found.exposure.unique_share)
        }),
        row(&format!("rows in classes smaller than {}", before.threshold), &|found| {
            with_share(found.exposure.at_risk_rows, found.exposure.at_risk_share)
        }),
        row("prosecutor: the highest chance to find somebody known to be in the table", &|found| {
            percent(found.risk.highest)
        }),
        row("marketer: the share of all rows that can be linked right", &|found| percent(found.risk.mean)),
    ];
    rows.insert(
        5,
        vec![
            Cell::text("journalist: the highest chance to find somebody of the population"),
            Cell::Number(percent(before.risk.highest)),
            Cell::Number(percent(journalist.unwrap_or(after.risk.highest))),
        ],
    );
    format!(
        "{}{}{}{}",
        table(&["", "before#", "after#"], &rows),
        explain(evidence, journalist.is_some()),
        sizes(before, after),
        models(before, after)
    )
}

fn with_share(rows: u64, share: f64) -> String {
    format!("{} ({})", count(rows), percent(share))
}

/// The highest chance in a population, if a requirement counted one.
fn journalist(evidence: &Evidence) -> Option<f64> {
    let all = &evidence.summary.as_ref()?.requirements;
    let of_population = all.iter().find(|one| one.model == "k-map")?;
    of_population.degree.map(|members| 1.0 / members.max(1.0))
}

fn explain(evidence: &Evidence, has_population: bool) -> String {
    let population = match has_population {
        true => "The journalist's chance after the release is that in the population of the job.",
        false => {
            "Without a table of the population, the table is taken for all of it: the journalist's chance is then the prosecutor's, and less if the population is larger."
        }
    };
    let persons = match evidence.job.person() {
        Some(_) => " Before, persons are counted; after, rows, because persons are not in the release.",
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

/// Every model for every sensitive column.
fn models(before: &CheckSummary, after: &CheckSummary) -> String {
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
        vec![
            Cell::text(found.column.clone().unwrap_or_default()),
            Cell::text(format!("{}{variant}", found.model)),
            degree(found.degree),
            later.map_or(Cell::Number("–".to_owned()), |later| degree(later.degree)),
        ]
    };
    let mut rows: Vec<(Option<String>, Vec<Cell>)> = before
        .models
        .iter()
        .filter(|found| of_columns(found))
        .map(|found| (found.column.clone(), row(found)))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let rows: Vec<Vec<Cell>> = rows.into_iter().map(|(_, row)| row).collect();
    format!(
        "<h3>What could be learned of sensitive columns</h3>\n{}{}",
        table(&["column", "model", "before#", "after#"], &rows),
        remark(
            "Each is the degree of the worst class, whether or not it was asked for; the guide says what each means."
        )
    )
}
