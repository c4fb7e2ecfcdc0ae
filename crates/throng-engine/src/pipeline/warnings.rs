//! What a reader of the summary is warned of.

use throng::notion::Notion;
use throng::wording::{quoted, quoted_list};

use crate::job::{Job, RowOrder, SuppressedRows};
use crate::report::Report;
use crate::verify::readback::Certainty;

/// What the job and what became of it give reason to warn of.
pub(super) fn warnings(job: &Job, report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    if job.output.order == RowOrder::Keep {
        // Other notions are judged row by row, so their rows stay in place.
        let remedy = if job.privacy.notion == Notion::K { " (order = \"shuffle\" changes it)" } else { "" };
        warnings.push(format!("rows keep the order of the input; an order can itself identify{remedy}"));
    }
    if let RowOrder::Shuffle { seed: Some(_) } = job.output.order {
        warnings.push(
            "the order of the rows was drawn from a seed: who knows it can undo the order (order = \"shuffle\" \
             draws from the system's randomness)"
                .to_owned(),
        );
    }
    let pseudonyms: Vec<&str> = job.columns.pseudonyms().collect();
    if !pseudonyms.is_empty() {
        warnings.push(format!(
            "rows with the same pseudonym in {} stay linkable: each hides in its class, but together they may \
             be like nobody else's",
            quoted_list(&pseudonyms)
        ));
    }
    if let Some(person) = job.person() {
        let is_guessed = job.privacy.person.is_none() && pseudonyms.len() > 1;
        let first = if is_guessed { ", the first column with pseudonyms" } else { "" };
        warnings.push(format!("persons are counted in place of rows, by {}{first}", quoted(person)));
    }
    if report.suppressed_rows == report.rows {
        let rows = report.rows;
        let what = match report.masked_rows {
            0 => "the release has no rows",
            _ => "every row of the release is masked",
        };
        warnings.push(format!("{what}: all {rows} are suppressed; allow fewer, or give finer hierarchies"));
    }
    if !report.fully_generalised.is_empty() && report.fully_generalised.len() == report.heights.len() {
        warnings.push(
            "nothing is left of any quasi-identifier: each shows one value, * or the top of its hierarchy, in \
             every row; a smaller k, more suppression, fewer quasi-identifiers or another algorithm may keep some"
                .to_owned(),
        );
    }
    if job.output.suppressed == SuppressedRows::Mask && report.suppressed_rows > report.masked_rows {
        let rows = report.suppressed_rows;
        let are =
            if rows == 1 { "the suppressed row is" } else { &format!("the {rows} suppressed rows are") };
        warnings.push(format!(
            "{are} left out, not masked: as a class of their own they would not satisfy what is required"
        ));
    }
    warnings
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
                "who finds the class of a row may know its value of {}: {}; distinct-l, entropy-l, recursive-cl, \
                 alpha-k or t-closeness prevent it",
                quoted(name),
                classes.join(", ")
            )
        })
    };
    sensitive.iter().zip(found).filter_map(warning).collect()
}

fn count_rows(rows: u64) -> String {
    format!("{rows} row{}", if rows == 1 { "" } else { "s" })
}
