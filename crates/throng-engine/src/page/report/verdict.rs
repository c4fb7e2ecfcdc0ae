//! Whether all that was required holds, judged by readers that share nothing with the search.

use crate::check::RequirementFound;
use crate::evidence::Evidence;
use crate::page::html::{Cell, count, paragraph, remark, rows, table};
use crate::report::RequirementSummary;

/// A parameter that is a value of the table, which the release may not have.
const VALUE: &str = "value";

/// One sentence that stands above all.
pub(super) fn banner(evidence: &Evidence) -> String {
    let failing = evidence.after.requirements.iter().filter(|one| one.summary.holds == Some(false)).count();
    if failing > 0 {
        return format!(
            "<p class=\"verdict bad\"><strong>✗ The release does not satisfy what was asked for:</strong> {failing} of {} requirements do not hold.</p>\n",
            evidence.after.requirements.len()
        );
    }
    let k = match evidence.job.person() {
        Some(_) => String::new(),
        None => format!(
            " Each row is one of at least {} that agree in all that others may know.",
            count(evidence.after.k)
        ),
    };
    format!("<p class=\"verdict good\"><strong>✓ All that was asked for holds.</strong>{k}</p>\n")
}

pub(super) fn body(evidence: &Evidence) -> String {
    let rows_of_table: Vec<Vec<Cell>> =
        evidence.after.requirements.iter().map(|one| row(evidence, one)).collect();
    let how = match evidence.summary {
        Some(_) => {
            "The release was judged three times: the recoded table by a verifier that shares no code with the search; the written file, read back and grouped anew by another reader before it was published; and the published file once more for this report."
        }
        None => {
            "The file was read and its classes were counted for this report, by a reader that shares no code with any search."
        }
    };
    let head = ["requirement", "asked", "achieved", "verdict", "if it fails"];
    format!("{}{}{}", paragraph(how), table(&head, &rows_of_table), by_run(evidence))
}

fn row(evidence: &Evidence, one: &RequirementFound) -> Vec<Cell> {
    let of_run = judged_by_run(evidence, &one.summary);
    let summary = of_run.filter(|_| one.not_judged.is_some()).unwrap_or(&one.summary);
    let asked: Vec<String> = summary
        .parameters
        .iter()
        .filter(|(key, _)| *key != VALUE)
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    let about = match (&one.not_judged, of_run) {
        (Some(reason), Some(_)) => format!("judged by the run itself: {reason}"),
        (Some(reason), None) => reason.clone(),
        (None, _) if one.failing_classes > 0 => {
            format!("{} classes with {}", count(one.failing_classes), rows(one.failing_rows))
        }
        _ => String::new(),
    };
    let column = summary.column.as_ref().map(|column| format!(" of {column}")).unwrap_or_default();
    vec![
        Cell::text(format!("{}{column} over {}", summary.model, summary.shield.join(", "))),
        Cell::text(asked.join(", ")),
        Cell::text(summary.degree_text()),
        Cell::Verdict(summary.holds),
        Cell::text(about),
    ]
}

/// What the run found of a requirement that the file alone cannot be judged by.
fn judged_by_run<'e>(evidence: &'e Evidence, one: &RequirementSummary) -> Option<&'e RequirementSummary> {
    let all = &evidence.summary.as_ref()?.requirements;
    let same = |other: &&RequirementSummary| {
        (&other.model, &other.column, &other.shield, &other.parameters)
            == (&one.model, &one.column, &one.shield, &one.parameters)
    };
    all.iter().find(same)
}

/// What a run says of crowds that are not classes, or of persons.
fn by_run(evidence: &Evidence) -> String {
    let person = evidence.job.person().map(|_| {
        remark("Persons are not in the release, so the file alone cannot tell how many there are in a class: they were counted by the run.")
    });
    person.unwrap_or_default()
}
