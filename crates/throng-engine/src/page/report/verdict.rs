//! Whether all that was required holds, judged by readers that share nothing with the search.

use crate::check::RequirementFound;
use crate::evidence::Evidence;
use crate::page::html::{Cell, count, paragraph, remark, rows, table};
use crate::plot::escape;
use crate::report::RequirementSummary;

/// A parameter that is a value of the table, which the release may not have.
const VALUE: &str = "value";

/// One sentence that stands above all.
pub(super) fn banner(evidence: &Evidence) -> String {
    let verdict = |class: &str, strong: &str, rest: &str| {
        format!("<p class=\"verdict {class}\"><strong>{strong}</strong>{}</p>\n", escape(rest))
    };
    if !evidence.holds() {
        return verdict(
            "bad",
            "✗ The release does not satisfy what was asked for.",
            " The verdict says what fails.",
        );
    }
    let unknown = evidence.after.requirements.iter().any(|one| judged(evidence, one).holds.is_none());
    if unknown {
        return verdict(
            "",
            "As far as the file tells, all that was asked for holds.",
            " Some of it cannot be judged by the file alone.",
        );
    }
    let crowd = match evidence.crowd() {
        Some((notion, _, k)) => format!(" It has {} with k = {}.", notion.text(), count(k)),
        None if evidence.job.person().is_some() => String::new(),
        None => format!(
            " Each row is one of at least {} that agree in all that others may know.",
            count(evidence.after.k)
        ),
    };
    verdict("good", "✓ All that was asked for holds.", &crowd)
}

pub(super) fn body(evidence: &Evidence) -> String {
    let others = evidence.after.requirements.iter().map(|one| row(evidence, one));
    let rows_of_table: Vec<Vec<Cell>> =
        crowd(evidence).into_iter().chain(others).chain([left_out(evidence)]).collect();
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

/// A crowd that is no class.
fn crowd(evidence: &Evidence) -> Option<Vec<Cell>> {
    let (notion, asked, found) = evidence.crowd()?;
    Some(vec![
        Cell::text(notion.text()),
        Cell::text(format!("k = {asked}")),
        Cell::text(count(found)),
        Cell::Verdict(Some(found >= asked)),
        Cell::text(""),
    ])
}

/// How many rows may be left out, and are.
fn left_out(evidence: &Evidence) -> Vec<Cell> {
    let (most, found) = evidence.left_out();
    vec![
        Cell::text("rows that are left out or masked"),
        Cell::text(format!("at most {}", count(most))),
        Cell::text(count(found)),
        Cell::Verdict(Some(found <= most)),
        Cell::text(""),
    ]
}

/// What is known of a requirement: from the file, or from the run where the file alone cannot tell.
fn judged<'e>(evidence: &'e Evidence, one: &'e RequirementFound) -> &'e RequirementSummary {
    let of_run = judged_by_run(evidence, &one.summary);
    of_run.filter(|_| one.not_judged.is_some()).unwrap_or(&one.summary)
}

fn row(evidence: &Evidence, one: &RequirementFound) -> Vec<Cell> {
    let of_run = judged_by_run(evidence, &one.summary);
    let summary = judged(evidence, one);
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
    let has_too_few = summary.model == "k" && evidence.has_too_few_rows();
    let column = summary.column.as_ref().map(|column| format!(" of {column}")).unwrap_or_default();
    vec![
        Cell::text(format!("{}{column} over {}", summary.model, summary.shield.join(", "))),
        Cell::text(asked.join(", ")),
        Cell::text(summary.degree_text()),
        Cell::Verdict(if has_too_few { Some(false) } else { summary.holds }),
        Cell::text(if has_too_few {
            "a class has fewer rows than it must have persons".to_owned()
        } else {
            about
        }),
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
