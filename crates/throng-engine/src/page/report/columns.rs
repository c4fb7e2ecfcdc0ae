//! Each column before and after.

use crate::evidence::{ColumnEvidence, Distribution, Evidence, Share};
use crate::job::{Column, Role};
use crate::page::html::{Cell, count, figure, percent, remark, table};
use crate::plot::{BarRow, Bars, escape};
use crate::report::Fate;

pub(super) fn body(evidence: &Evidence) -> String {
    let cards: String = evidence.columns.iter().map(|column| card(evidence, column)).collect();
    let note = "Only values that the release has are shown. A value that stands for several original ones is compared with all rows that it may stand for; released rows are spread evenly over what they may be.";
    let hidden =
        evidence.columns.iter().any(|one| one.distribution.as_ref().is_some_and(|found| found.hides_before));
    let hidden = match hidden {
        true => remark(
            "So few rows are left out that their values could be told from what was before: it is not shown.",
        ),
        false => String::new(),
    };
    format!("{}{hidden}<div class=\"cards\">\n{cards}</div>\n", remark(note))
}

fn card(evidence: &Evidence, column: &ColumnEvidence) -> String {
    let distinct = column.distinct.map(|(before, after)| {
        format!(
            "; {} value{} before, {} after",
            count(before),
            if before == 1 { "" } else { "s" },
            count(after)
        )
    });
    let about = format!("{}: {}{}", column.role, fate(evidence, column), distinct.unwrap_or_default());
    let picture = match &column.distribution {
        Some(distribution) => picture(&column.name, distribution),
        None if column.role == Role::Identifier => String::new(),
        None => remark("Its values are too many, or no text, and are not shown."),
    };
    format!("<div class=\"card\">\n<h3>{}</h3>\n{}{picture}</div>\n", escape(&column.name), remark(&about))
}

fn fate(evidence: &Evidence, column: &ColumnEvidence) -> String {
    let of_rest = Column::new(column.role);
    let level = column.level.as_ref().map(|level| (level.level, level.values.len() - 1));
    let cuts = evidence.summary.as_ref().and_then(|summary| summary.cuts.as_ref());
    let is_emptied = column.distinct.is_some_and(|(before, after)| before > 1 && after == 1)
        && column.loss.is_some_and(|loss| loss > 0.9999);
    let columns = evidence.summary.iter().flat_map(|summary| &summary.columns);
    Fate {
        column: column.told.as_ref().unwrap_or(&of_rest),
        level,
        is_emptied,
        cut_values: cuts
            .and_then(|cuts| cuts.get(&column.name))
            .and_then(|values| values.as_array())
            .map(Vec::len),
        cells: columns.filter(|one| one.name == column.name).find_map(|one| one.cells.as_ref()),
    }
    .text()
}

fn picture(name: &str, distribution: &Distribution) -> String {
    let all: Vec<&Share> = distribution.shares.iter().chain(&distribution.rest).collect();
    let bar = |share: f64| Some((share, percent(share)));
    let hidden = distribution.hides_before;
    let before = |one: &Share| Some(one.before).filter(|_| !hidden);
    let rows = distribution.shares.iter().map(|one| BarRow {
        label: one.label.clone(),
        bars: vec![before(one).and_then(bar), bar(one.after)],
    });
    let bars = Bars {
        title: format!("Shares of the values of {name}, before and after"),
        series: vec!["before".to_owned(), "after".to_owned()],
        rows: rows.collect(),
        full: None,
    };
    let numbers: Vec<Vec<Cell>> = all
        .iter()
        .map(|one| {
            vec![
                Cell::text(&one.label),
                Cell::Number(before(one).map_or("–".to_owned(), percent)),
                Cell::Number(percent(one.after)),
            ]
        })
        .collect();
    // A bar of its own would make all others short.
    let rest = distribution
        .rest
        .as_ref()
        .map(|rest| format!("all others: {} before, {} after", percent(rest.before), percent(rest.after)));
    figure(&bars.inline(), &rest.unwrap_or_default(), &table(&["value", "before#", "after#"], &numbers))
}
