//! How well columns predict each other, before and after.

use maud::{Markup, html};

use crate::evidence::{Associations, Evidence};
use crate::page::html::{figure, table};
use crate::plot::{ChangedRow, Changes};

use super::words::columns;

/// Links with a secret, or what is to be predicted, and others, that the pictures show.
const MOST: usize = 12;
const MOST_OTHERS: usize = 8;

/// Two columns.
struct ColumnLink {
    name: String,
    before: Option<f64>,
    after: Option<f64>,
    /// Whether one of them, and not the other, is a quasi-identifier.
    with_secret: bool,
}

pub(super) fn body(evidence: &Evidence) -> Option<Markup> {
    let found = &evidence.associations;
    let mut links = links(found);
    // A column of one value predicts nothing.
    links.retain(|link| link.before.is_some());
    links.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let (secret, others): (Vec<&ColumnLink>, Vec<&ColumnLink>) =
        links.iter().partition(|link| link.with_secret);
    (!links.is_empty()).then(|| {
        html! {
            p {
                "How well one column predicts the other: 0 is not at all, 1 is completely. ○ before, ● after. "
                span.gloss { "(Cramér’s V, corrected for bias; many values are taken as twenty groups of neighbours)" }
            }
            @if !secret.is_empty() {
                h3 { "With secrets and what is to be predicted" }
                (picture("With secrets", &secret, MOST))
            }
            @if !others.is_empty() {
                h3 { "Between other columns" }
                (picture("Between other columns", &others, MOST_OTHERS))
            }
            @if found.left_out > 0 {
                p.soft { "Not compared: " (columns(found.left_out)) ", as there are too many pairs." }
            }
        }
    })
}

fn strength(link: &ColumnLink) -> f64 {
    link.before.unwrap_or(0.0)
}

fn links(found: &Associations) -> Vec<ColumnLink> {
    let pairs = (0..found.names.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
    let link = |(b, a): (usize, usize)| ColumnLink {
        name: format!("{} and {}", found.names[b], found.names[a]),
        before: found.before[a][b],
        after: found.after[a][b],
        with_secret: a >= found.quasi,
    };
    pairs.map(link).collect()
}

fn picture(title: &str, links: &[&ColumnLink], most: usize) -> Markup {
    let spelled = |v: Option<f64>| v.map_or_else(|| "gone".to_owned(), |v| format!("{v:.2}"));
    let change = |link: &&ColumnLink| ChangedRow {
        label: link.name.clone(),
        before: link.before,
        after: Some(link.after.unwrap_or(0.0)),
        limit: None,
        text: format!("{} → {}", spelled(link.before), spelled(link.after)),
    };
    let rows: Vec<ChangedRow> = links.iter().take(most).map(change).collect();
    let strongest = rows.iter().flat_map(|row| [row.before, row.after]).flatten().fold(0.0, f64::max);
    let full = if strongest > 0.5 { 1.0 } else { 0.5 };
    let ticks = [0.0, full / 2.0, full].map(|tick| tick.to_string());
    let numbers: Vec<Vec<String>> =
        links.iter().map(|link| vec![link.name.clone(), spelled(link.before), spelled(link.after)]).collect();
    let picture =
        Changes { title: format!("{title}: strength of links, before and after"), ticks, full, rows };
    let caption = match links.len() {
        more if more > most => format!("The {most} strongest of {more}; the numbers include all of them."),
        _ => String::new(),
    };
    html! { div.changes { (figure(picture.inline(), &caption, &table(&["columns", "before#", "after#"], &numbers))) } }
}
