//! What is left of each column: a bar for each, to be scanned.

use maud::{Markup, html};

use throng_engine::columns::stem;
use throng_engine::profile::special_category;
use throng_engine::summary::level_meaning;

use crate::evidence::{Cells, ColumnEvidence, Evidence, Shows};
use crate::page::html::{about, count};

use super::words::{ColumnFate, columns};

/// More rows than these are a list of small bars.
const MOST_ROWS: usize = 40;
/// Neighbours that are all exact make one row from so many on.
const RUN: usize = 6;
/// Characters of a name that small bars have room for.
const MOST_LETTERS: usize = 10;
/// Less detail than this is marked.
const LOW: f64 = 0.25;

pub(super) fn body(evidence: &Evidence) -> Markup {
    let released: Vec<&ColumnEvidence> = evidence
        .columns
        .iter()
        .filter(|column| ColumnFate::from_column(column) != ColumnFate::Removed)
        .collect();
    let known: Vec<&ColumnEvidence> = released
        .iter()
        .copied()
        .filter(|column| ColumnFate::from_column(column) == ColumnFate::Known)
        .collect();
    let mean = known.iter().map(|column| kept(column)).sum::<f64>() / known.len().max(1) as f64;
    let runs = runs(&released);
    html! {
        p {
            "Share of the released cells that are exact, coarser or hidden. The number is the detail kept: "
            (about(mean)) " on average over the " (columns(known.len())) " that others may know. Rows left out count as lost."
        }
        p.key {
            (key("--a:100%", "exact")) (key("--b:100%", "one step coarser")) (key("--c:100%", "coarser still")) (key("", "hidden (*)"))
        }
        @if runs.len() > MOST_ROWS { (compact(&released)) } @else { (table(&runs)) }
    }
}

fn key(style: &str, what: &str) -> Markup {
    html! { span { i.mix style=(style) {} (what) } }
}

/// Columns, or several neighbours that are alike.
fn runs<'e>(columns: &[&'e ColumnEvidence]) -> Vec<Vec<&'e ColumnEvidence>> {
    let is_exact = |column: &ColumnEvidence| {
        !matches!(ColumnFate::from_column(column), ColumnFate::Known | ColumnFate::Coded)
    };
    let alike = |a: &&ColumnEvidence, b: &&ColumnEvidence| {
        is_exact(a)
            && is_exact(b)
            && ColumnFate::from_column(a) == ColumnFate::from_column(b)
            && stem(&a.name) == stem(&b.name)
            && special_category(&a.name).is_none()
            && special_category(&b.name).is_none()
    };
    let mut runs = Vec::new();
    for run in columns.chunk_by(alike) {
        match run.len() >= RUN {
            true => runs.push(run.to_vec()),
            false => runs.extend(run.iter().map(|&column| vec![column])),
        }
    }
    runs
}

/// A name of at most so many characters: its start and its end, where the names of neighbours differ.
fn cut_short(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len() > MOST_LETTERS {
        true => {
            let (start, end) = (&letters[..MOST_LETTERS - 6], &letters[letters.len() - 5..]);
            start.iter().chain(['…'].iter()).chain(end).collect()
        }
        false => name.to_owned(),
    }
}

fn table(runs: &[Vec<&ColumnEvidence>]) -> Markup {
    html! {
        table.multi {
            thead { tr {
                th scope="col" { "column" } th.ro scope="col" { "role" } th scope="col" { "cells" }
                th.n scope="col" { "kept" } th.lv scope="col" { "in words" }
            } }
            tbody { @for run in runs {
                @let column = run[0];
                tr {
                    th scope="row" {
                        code { (column.name) }
                        @if run.len() > 1 { " to " code { (run[run.len() - 1].name) } }
                    }
                    td.ro { span class=(ColumnFate::from_column(column).class()) { (ColumnFate::from_column(column).name()) } }
                    td.bar { (bar(column)) }
                    td.n { @if column.cells.is_some() { b.low[kept(column) < LOW] { (about(kept(column))) } } }
                    td.lv { @if run.len() > 1 { (run.len()) " columns, " } (in_words(column)) }
                }
                "\n"
            } }
        }
    }
}

/// A small bar for each column, in their order.
fn compact(released: &[&ColumnEvidence]) -> Markup {
    let coarser = released.iter().filter(|column| kept(column) < 0.9999).count();
    let low = released.iter().filter(|column| kept(column) < LOW).count();
    html! {
        p.soft {
            (columns(released.len())) ": " (count((released.len() - coarser) as u64)) " exact, " (count(coarser as u64))
            " coarser. The number is the detail kept, in %. " b { "Bold" } ": under 25 % (" (columns(low)) ")."
        }
        ol.wide { @for column in released {
            li.low[kept(column) < LOW] title=(format!("{}: {}, {}", column.name, ColumnFate::from_column(column).name(), in_words(column))) {
                span { (cut_short(&column.name)) } (bar(column))
                @if kept(column) < 0.9999 { b { (format!("{:.0}", 100.0 * kept(column))) } }
            }
            "\n"
        } }
    }
}

fn bar(column: &ColumnEvidence) -> Markup {
    let style = column.cells.as_ref().map(|cells| {
        let ends = [cells.exact, cells.exact + cells.near, cells.exact + cells.near + cells.far];
        format!("--a:{:.1}%;--b:{:.1}%;--c:{:.1}%", 100.0 * ends[0], 100.0 * ends[1], 100.0 * ends[2])
    });
    html! { @if let Some(style) = style { span.mix style=(style) {} } }
}

/// The detail that is left.
pub(super) fn kept(column: &ColumnEvidence) -> f64 {
    1.0 - column.loss.unwrap_or(0.0)
}

fn in_words(column: &ColumnEvidence) -> String {
    match (&column.cells, ColumnFate::from_column(column)) {
        (None, _) => "codes in place of the values".to_owned(),
        (Some(_), ColumnFate::Secret | ColumnFate::Predicted | ColumnFate::Harmless) => {
            match column.told.as_ref().map(|told| (told.coding, told.shift.as_ref())) {
                Some((_, Some(shift))) => shift.text(),
                Some((coding, None)) if !coding.is_none() => format!("numbers, {}", coding.text()),
                _ => "all exact".to_owned(),
            }
        }
        (Some(cells), _) => match &cells.shows[..] {
            [(Shows::Value, _)] => "all exact".to_owned(),
            [(Shows::Nothing, _)] => "all hidden".to_owned(),
            [(only, _)] => format!("all {}", shown(column, cells, only)),
            several => {
                let part = |(what, share): &(Shows, f64)| {
                    format!("{} {}", shown(column, cells, what), about(*share))
                };
                several.iter().map(part).collect::<Vec<_>>().join(", ")
            }
        },
    }
}

fn shown(column: &ColumnEvidence, cells: &Cells, what: &Shows) -> String {
    let such_as = |example: &Option<String>| {
        example.as_ref().map(|example| format!(" such as ‘{example}’")).unwrap_or_default()
    };
    match what {
        Shows::Value => "exact".to_owned(),
        Shows::Number => "numbers in place of values".to_owned(),
        Shows::Nothing => "hidden".to_owned(),
        Shows::Range(example) => format!("ranges{}", such_as(example)),
        Shows::Set(example) => format!("sets{}", such_as(example)),
        Shows::Level(level, example) => {
            let hierarchy = column.told.as_ref().and_then(|told| told.hierarchy.as_ref());
            match level_meaning(hierarchy, *level, cells.height).as_str() {
                "generalised" => format!("step {level} of {}{}", cells.height, such_as(example)),
                meaning => meaning.to_owned(),
            }
        }
    }
}
