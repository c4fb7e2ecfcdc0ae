//! What a reader of the summary is warned of.

use throng::loss::Kind;
use throng::notion::Notion;
use throng::wording::{quoted, quoted_list};

use crate::input::formulas::Formulas;
use crate::job::{Column, Job, Role, RowOrder, SuppressedRows, find_measure};
use crate::prepare::EncodedTable;
use crate::profile::{numbers_households, special_category};
use crate::summary::Summary;
use crate::verify::readback::Certainty;
use throng_tables::output::sink::Written;

/// What the job and what became of it give reason to warn of, in rows of this order; `is_sorted` if it was warned of the order already.
pub(super) fn warnings(job: &Job, order: RowOrder, summary: &Summary, is_sorted: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if order == RowOrder::Keep && !is_sorted {
        // Other notions are judged row by row, so their rows stay in place.
        let remedy = if job.privacy.notion == Notion::K { " (order = \"shuffle\" prevents it)" } else { "" };
        warnings.push(format!(
            "rows keep the order of the input, and the order alone can identify \
                               people{remedy}"
        ));
    }
    if let RowOrder::Shuffle { seed: Some(_) } = order {
        warnings.push(
            "the rows were shuffled with a seed: anyone who knows the seed can undo the shuffling (order = \
                \"shuffle\" uses the system's randomness)"
                .to_owned(),
        );
    }
    let pseudonyms: Vec<&str> = job.columns.pseudonyms().collect();
    if !pseudonyms.is_empty() {
        warnings.push(format!(
            "rows with the same pseudonym in {} can be linked: each hides in its class, but together they \
                may be unique",
            quoted_list(&pseudonyms)
        ));
    }
    if let Some(person) = job.person() {
        let is_guessed = job.privacy.person.is_none() && pseudonyms.len() > 1;
        let first = if is_guessed { ", the first column with pseudonyms" } else { "" };
        let who = if numbers_households(person) { "households" } else { "persons" };
        warnings.push(format!("{who} are counted instead of rows, by {}{first}", quoted(person)));
    }
    warnings.extend(special_categories(job));
    let shifted = summary.columns.iter().filter(|column| column.shift_days.is_some());
    let shifted: Vec<&str> = shifted.map(|column| column.name.as_str()).collect();
    if !shifted.is_empty() {
        warnings.push(format!(
            "the dates of a person in {} are moved by one number of days, so the intervals between them are exact: \
                anyone who knows one of the dates, or intervals that few others have, can find the row and undo the \
                shift",
            quoted_list(&shifted)
        ));
    }
    warnings.extend(useless_weights(job));
    warnings.extend(useless_aggregate(job));
    if summary.suppressed_rows == summary.rows {
        let rows = summary.rows;
        let what = match summary.masked_rows {
            0 => "the release has no rows",
            _ => "every row of the release is masked",
        };
        warnings.push(format!("{what}: all {rows} are suppressed; allow fewer, or give finer hierarchies"));
    }
    if !summary.fully_generalised.is_empty() && summary.fully_generalised.len() == summary.heights.len() {
        warnings.push(
            "nothing is left of any quasi-identifier: each shows a single value, * or the top of its \
             hierarchy, in every row; a smaller k, more suppression, fewer quasi-identifiers or another \
             algorithm may keep some of them"
                .to_owned(),
        );
    }
    if job.output.suppressed == SuppressedRows::Mask && summary.suppressed_rows > summary.masked_rows {
        let rows = summary.suppressed_rows;
        let are =
            if rows == 1 { "the suppressed row is" } else { &format!("the {rows} suppressed rows are") };
        warnings.push(format!(
            "{are} left out instead of masked: as a class of their own they would not satisfy the \
                requirements"
        ));
    }
    warnings
}

/// Names special categories of personal data that the job calls harmless.
fn special_categories(job: &Job) -> Option<String> {
    let is_exact = |column: &Column| column.coding.is_none() && column.shift.is_none();
    let kept = job.columns.named().filter(|(_, column)| column.role == Role::Other && is_exact(column));
    let special: Vec<String> = kept
        .filter_map(|(name, _)| Some(format!("{} ({})", quoted(name), special_category(name)?)))
        .collect();
    let (are, them) =
        if special.len() == 1 { ("is a special category", "it") } else { ("are special categories", "them") };
    (!special.is_empty()).then(|| {
        format!(
            "{} {are} of personal data, kept unchanged as 'other': nothing limits what the release says about {them} \
             (role = \"sensitive\" would show it)",
            special.join(", ")
        )
    })
}

/// Says that weights have no effect, where the measure is no sum over cells.
fn useless_weights(job: &Job) -> Option<String> {
    let weighted: Vec<&str> =
        job.columns.named().filter(|(_, column)| column.weight.is_some()).map(|(name, _)| name).collect();
    let of_cells =
        find_measure(&job.search.measure).is_ok_and(|measure| matches!(measure.kind(), Kind::Cells(_)));
    let is_useless = !weighted.is_empty() && !of_cells;
    is_useless.then(|| {
        let of = if weighted.len() == 1 { "weight of column" } else { "weights of columns" };
        let have = if weighted.len() == 1 { "has" } else { "have" };
        format!(
            "the {of} {} {have} no effect on the search: measure = \"{}\" is not a sum over cells, and only \
                such measures use weights",
            quoted_list(&weighted),
            job.search.measure
        )
    })
}

/// Says that a mean over columns, or a preference, changes only what is shown, where the measure is made of neither.
fn useless_aggregate(job: &Job) -> Option<String> {
    let of_losses = find_measure(&job.search.measure)
        .is_ok_and(|measure| matches!(measure.kind(), Kind::Cells(cells) if cells.starts_at_zero()));
    let is_useless = !job.search.aggregate.is_plain() && !of_losses;
    is_useless.then(|| {
        format!(
            "mean and suppress_or_generalise have no effect on the search: measure = \"{}\" is not a sum over \
                columns of what they lose",
            job.search.measure
        )
    })
}

/// Warnings of sensitive values that all or nearly all of a class have.
pub(super) fn certain_values(sensitive: &[String], found: &[Certainty]) -> Vec<String> {
    let warning = |(name, found): (&String, &Certainty)| {
        let classes = [
            (found.certain_rows, "where all have the same"),
            (found.likely_rows, "where more than 90 % have the same"),
        ];
        let classes = classes.iter().filter(|(rows, _)| *rows > 0);
        let classes: Vec<String> =
            classes.map(|(rows, what)| format!("{} {what}", count_rows(*rows))).collect();
        (!classes.is_empty()).then(|| {
            format!(
                "anyone who finds the class of a row may know its value of {}: {}; distinct-l, \
                 entropy-l, recursive-cl, alpha-k or t-closeness prevent this",
                quoted(name),
                classes.join(", ")
            )
        })
    };
    sensitive.iter().zip(found).filter_map(warning).collect()
}

/// A warning of cells that a spreadsheet would run.
pub(super) fn formulas(written: &Written, prepared: &EncodedTable) -> Option<String> {
    let columns = prepared.roles.released().zip(written.formulas()).filter(|(_, cells)| **cells > 0);
    let columns: Vec<&str> = columns.map(|((_, name), _)| name).collect();
    let cells: u64 = written.formulas().iter().sum();
    let (are, them) = if cells == 1 { ("cell begins", "it") } else { ("cells begin", "them") };
    let of = if columns.len() == 1 { "column" } else { "columns" };
    let done = match written.layout().formulas {
        Formulas::Quote => format!("an apostrophe was put before {them}"),
        _ => format!(
            "anyone who opens the file in a spreadsheet runs {them} (formulas = \"quote\" in [csv], or \
             --formulas \
             quote, puts an apostrophe before {them})"
        ),
    };
    (cells > 0).then(|| {
        format!("{cells} {are} like spreadsheet formulas, in {of} {}: {done}", quoted_list(&columns))
    })
}

fn count_rows(rows: u64) -> String {
    format!("{rows} row{}", if rows == 1 { "" } else { "s" })
}
