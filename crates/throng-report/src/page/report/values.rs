//! The values of columns before and after, and what of them the release no longer tells.

use maud::{Markup, html};

use crate::evidence::{ColumnEvidence, Distribution, Evidence, Share};
use crate::page::html::{about, count, figure, many, names, percent, table};
use crate::plot::{BarRow, Bars};

use super::words::{ColumnFate, columns};

/// Columns that have a picture.
const MOST: usize = 12;
/// Secrets and targets among them.
const MOST_SECRETS: usize = 4;

pub(super) fn body(evidence: &Evidence) -> Option<Markup> {
    let (shown, others) = chosen(evidence);
    let hides = shown.iter().any(|(_, found)| found.hides_before);
    let gone: Vec<&str> =
        evidence.columns.iter().filter(|column| is_gone(column)).map(|one| one.name.as_str()).collect();
    (!shown.is_empty()).then(|| {
        html! {
            p {
                "Share of the rows with each value. After the release, a row counts for a value only if the value is still shown; "
                "the hatched bar is what is coarser than the values listed, or hidden. Only values that the release has are shown."
            }
            @if hides {
                p.soft {
                    "Before is not shown: so few rows are left out that the difference would reveal their values."
                }
            }
            div.figures { @for (column, found) in &shown {
                div { h3 { code { (column.name) } " " span class=(ColumnFate::from_column(column).class()) { (ColumnFate::from_column(column).name()) } } (picture(column, found)) }
                "\n"
            } }
            @if !gone.is_empty() { p.soft { "Nothing is left of " (names(gone)) "." } }
            @if others > 0 { p.soft { "Not shown as charts, for lack of room or too many values: " (columns(others)) "." } }
        }
    })
}

/// Nothing of it is released but `*`.
fn is_gone(column: &ColumnEvidence) -> bool {
    column.cells.as_ref().is_some_and(|cells| cells.hidden > 0.9999)
}

fn pictured(column: &ColumnEvidence) -> Option<(&ColumnEvidence, &Distribution)> {
    Some((column, column.distribution.as_ref()?))
}

/// Secrets first, then what lost most; and how many are not shown.
fn chosen(evidence: &Evidence) -> (Vec<(&ColumnEvidence, &Distribution)>, usize) {
    let candidates: Vec<&ColumnEvidence> = evidence
        .columns
        .iter()
        .filter(|column| ColumnFate::from_column(column) != ColumnFate::Removed && !is_gone(column))
        .collect();
    let of = |is: fn(ColumnFate) -> bool| {
        candidates.iter().filter(move |column| is(ColumnFate::from_column(column)))
    };
    let mut known: Vec<&ColumnEvidence> = of(|fate| fate == ColumnFate::Known).copied().collect();
    known.sort_by(|a, b| b.loss.unwrap_or(0.0).total_cmp(&a.loss.unwrap_or(0.0)));
    let secrets = of(|fate| matches!(fate, ColumnFate::Secret | ColumnFate::Predicted))
        .filter_map(|column| pictured(column));
    let mut shown: Vec<_> = secrets.take(MOST_SECRETS).collect();
    shown.extend(known.iter().copied().filter_map(|column| pictured(column)).take(MOST - shown.len()));
    let room = MOST - shown.len();
    shown.extend(of(|fate| fate == ColumnFate::Harmless).filter_map(|column| pictured(column)).take(room));
    let others = candidates.len() - shown.len();
    (shown, others)
}

/// How many values became how few, where some can no longer be told apart: bars of the coarser values do not show it.
fn fewer(column: &ColumnEvidence, found: &Distribution) -> Option<String> {
    let (before, after) = column.distinct.filter(|(before, after)| after < before && !found.hides_before)?;
    let is_coarser = ColumnFate::from_column(column) == ColumnFate::Known;
    is_coarser.then(|| format!("{} before became {}.", many(before, "value"), count(after)))
}

fn picture(column: &ColumnEvidence, found: &Distribution) -> Markup {
    let bar = |share: f64| Some((share, percent(share)));
    let before = |one: &Share| Some(one.before).filter(|_| !found.hides_before);
    let row = |one: &Share| BarRow {
        label: one.label.clone(),
        before: before(one).and_then(bar),
        after: bar(one.after),
        hatched: false,
    };
    let coarser = (found.coarser > 5e-4).then(|| BarRow {
        label: "coarser or hidden".to_owned(),
        before: None,
        after: bar(found.coarser),
        hatched: true,
    });
    let rows = found.shares.iter().map(row).chain(coarser).collect();
    let all = found.shares.iter().chain(&found.rest);
    let coarser = Share { label: "coarser or hidden".to_owned(), before: 0.0, after: found.coarser };
    let numbers: Vec<Vec<String>> = all
        .chain((found.coarser > 0.0).then_some(&coarser))
        .map(|one| {
            let before = before(one).map_or_else(|| "not shown".to_owned(), percent);
            vec![one.label.clone(), before, percent(one.after)]
        })
        .collect();
    let picture = Bars { title: format!("Shares of the values of {}, before and after", column.name), rows };
    // A bar of its own would make all others short.
    let rest = found.rest.as_ref().map(|rest| match found.hides_before {
        true => format!("All others: {} after.", about(rest.after)),
        false => format!("All others: {} before, {} after.", about(rest.before), about(rest.after)),
    });
    let caption: Vec<String> = fewer(column, found).into_iter().chain(rest).collect();
    figure(picture.inline(), &caption.join(" "), &table(&["value", "before#", "after#"], &numbers))
}
