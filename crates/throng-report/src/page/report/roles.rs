//! Who decided what each column is, and why: in short for the first page, and in full behind it.

use maud::{Markup, html};

use throng_engine::profile::special_category;

use crate::evidence::{ColumnEvidence, Evidence, Reason};
use crate::page::html::{first_names, names};

use super::words::ColumnFate;

/// Characters of names, and of reasons, that the first page has room for.
const MOST_NAMES: usize = 130;
const MOST_REASONS: usize = 150;

/// A line for each role.
pub(super) fn in_short(evidence: &Evidence) -> Markup {
    html! {
        table.stack.roles {
            thead { tr { th scope="col" { "role" } th scope="col" { "columns" } th scope="col" { "what that means, and why" } } }
            tbody {
                @for fate in ColumnFate::ALL {
                    @let columns = special_first(with_fate(evidence, fate));
                    @if !columns.is_empty() {
                        tr {
                            th.nowrap scope="row" { (capital(fate.name())) }
                            td { (first_names(&named(&columns), room(&columns))) }
                            td { (fate.meaning()) " " (reasons_in_short(&columns)) }
                        }
                    }
                }
            }
        }
    }
}

/// Every column, those with one reason together.
pub(super) fn all(evidence: &Evidence) -> Markup {
    let stated = &evidence.job.release;
    html! {
        p {
            @match &stated.decided_by {
                Some(who) => {
                    "Decided by: " (who) @if let Some(date) = &stated.date { " (" (date) ")" } ". "
                },
                None => "The job does not say who decided. ",
            }
            "The reasons are the comments in the job."
        }
        table.stack.roles {
            thead { tr { th scope="col" { "role" } th scope="col" { "columns" } th scope="col" { "why" } } }
            tbody {
                @for fate in ColumnFate::ALL {
                    @for (reason, columns) in by_reason(&with_fate(evidence, fate)) {
                        tr {
                            td { span class=(fate.class()) { (fate.name()) } }
                            td { (names(named(&columns))) }
                            td { (told(reason)) (special(&columns)) }
                        }
                    }
                }
            }
        }
    }
}

fn with_fate(evidence: &Evidence, fate: ColumnFate) -> Vec<&ColumnEvidence> {
    evidence.columns.iter().filter(|column| ColumnFate::from_column(column) == fate).collect()
}

/// Special categories of personal data before the others, so that the first page names them.
fn special_first(mut columns: Vec<&ColumnEvidence>) -> Vec<&ColumnEvidence> {
    columns.sort_by_key(|column| special_category(&column.name).is_none());
    columns
}

fn named<'e>(columns: &[&'e ColumnEvidence]) -> Vec<&'e str> {
    columns.iter().map(|column| column.name.as_str()).collect()
}

/// How many names fit.
fn room(columns: &[&ColumnEvidence]) -> usize {
    let mut length = 0;
    let fits = |column: &&&ColumnEvidence| {
        length += column.name.chars().count() + 2;
        length <= MOST_NAMES
    };
    columns.iter().take_while(fits).count().max(1)
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// The reasons in the order of the columns, each with its columns.
fn by_reason<'e>(columns: &[&'e ColumnEvidence]) -> Vec<(Option<&'e Reason>, Vec<&'e ColumnEvidence>)> {
    let mut found: Vec<(Option<&Reason>, Vec<&ColumnEvidence>)> = Vec::new();
    for &column in columns {
        let reason = column.reason.as_ref();
        match found.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, of_reason)) => of_reason.push(column),
            None => found.push((reason, vec![column])),
        }
    }
    found
}

/// Which of some columns are special categories of personal data, by their names.
fn special(columns: &[&ColumnEvidence]) -> Markup {
    let special: Vec<(&str, &str)> = columns
        .iter()
        .filter_map(|column| Some((column.name.as_str(), special_category(&column.name)?)))
        .collect();
    html! {
        @for (name, category) in special {
            " " span.gloss { "Special category of personal data: " code { (name) } " (" (category) ")." }
        }
    }
}

/// A reason in quotes; what throng suggested has quotes within it, and is set off by its end.
fn quoted(reason: &Reason) -> Markup {
    html! {
        @if reason.is_suggestion { (capital(&reason.text)) ". " } @else { "‘" (reason.text) "’ " }
    }
}

fn told(reason: Option<&Reason>) -> Markup {
    html! {
        @match reason {
            None => span.judge { "no reason given" },
            Some(reason) if reason.is_suggestion => { (reason.text) " " span.gloss { "(suggested by throng)" } },
            Some(reason) => (reason.text),
        }
    }
}

fn reasons_in_short(columns: &[&ColumnEvidence]) -> Markup {
    let without = columns.iter().filter(|column| column.reason.is_none()).count();
    let groups = by_reason(columns);
    let reasons: Vec<&Reason> = groups.iter().filter_map(|(reason, _)| *reason).collect();
    let length: usize = reasons.iter().map(|reason| reason.text.chars().count() + 3).sum();
    let suggested =
        columns.iter().filter(|column| column.reason.as_ref().is_some_and(|one| one.is_suggestion));
    let suggested = suggested.count();
    let by_throng = match suggested {
        0 => "",
        some if some == columns.len() => ", as throng suggested",
        _ => ", some as throng suggested",
    };
    html! {
        @if reasons.is_empty() {
            span.judge { "No reason given." }
        } @else if length <= MOST_REASONS {
            @for reason in &reasons { (quoted(reason)) }
            @if without > 0 { span.judge { (without) " without a reason." } }
            @else if suggested > 0 { span.gloss { "(suggested by throng)" } }
        } @else {
            a href="#decided" { "Reasons" } " for " (columns.len() - without) " of " (columns.len()) (by_throng) "."
        }
    }
}
