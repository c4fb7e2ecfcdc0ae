//! What was asked and done, in words.

use throng::algorithm;
use throng::notion::Notion;

use crate::evidence::Evidence;
use crate::job::{Role, RowOrder, SuppressedRows};
use crate::page::html::{count, list, paragraph, percent, rows};
use crate::report::Outcome;

pub(super) fn body(evidence: &Evidence) -> String {
    let mut items = vec![columns(evidence), crowd(evidence)];
    items.extend(others(evidence));
    items.push(suppressed(evidence));
    items.extend(search(evidence));
    items.extend(order(evidence));
    let warnings = evidence.summary.as_ref().map(|summary| summary.warnings.clone()).unwrap_or_default();
    let warnings = if warnings.is_empty() {
        String::new()
    } else {
        format!("{}{}", paragraph("The reader should know:"), list(&warnings))
    };
    format!("{}{warnings}", list(&items))
}

fn columns(evidence: &Evidence) -> String {
    let of = |role: Role| -> Vec<&str> {
        evidence
            .columns
            .iter()
            .filter(|column| column.role == role)
            .map(|column| column.name.as_str())
            .collect()
    };
    let known = format!("Others may know {}.", of(Role::Quasi).join(", "));
    let say = |role: Role, what: &str| match of(role).as_slice() {
        [] => String::new(),
        names => format!(" {what} {}.", names.join(", ")),
    };
    format!(
        "{known}{}{}{}{}",
        say(Role::Sensitive, "Nobody should learn of a person:"),
        identifiers(evidence),
        say(Role::Target, "To be predicted from the release:"),
        say(Role::Other, "Kept because they were taken for harmless:")
    )
}

/// Which columns that name people are left out, and which have keyed hashes in their place.
fn identifiers(evidence: &Evidence) -> String {
    let of = |hashed: bool| -> Vec<&str> {
        let all = evidence.columns.iter().filter(|column| column.role == Role::Identifier);
        all.filter(|column| column.has_pseudonyms == hashed).map(|column| column.name.as_str()).collect()
    };
    let say = |what: &str, names: Vec<&str>| match names.as_slice() {
        [] => String::new(),
        names => format!(" {what} {}.", names.join(", ")),
    };
    let (gone, hashed) = (of(false), of(true));
    format!(
        "{}{}",
        say("Left out, because they name people:", gone),
        say("Replaced by keyed hashes, by which rows of one person stay linkable:", hashed)
    )
}

fn crowd(evidence: &Evidence) -> String {
    let privacy = &evidence.job.privacy;
    let what = evidence.job.person().map_or("rows".to_owned(), |column| format!("persons (by {column})"));
    match (privacy.k, privacy.notion) {
        (Some(k), Notion::K) => {
            format!("Each row had to be one of at least {k} {what} that agree in all that others may know.")
        }
        (Some(k), notion) => format!("Asked for was {} with k = {k}.", notion.text()),
        (None, _) => "No crowd of a certain size was asked for by itself.".to_owned(),
    }
}

fn others(evidence: &Evidence) -> Option<String> {
    let count = evidence.job.privacy.require.len();
    let plural = if count == 1 { "" } else { "s" };
    (count > 0).then(|| format!("{count} further requirement{plural} had to hold, which the verdict lists."))
}

fn suppressed(evidence: &Evidence) -> String {
    let (all, left_out) = (evidence.before.rows, evidence.rows_left_out());
    let most = evidence.job.privacy.suppression.max_rows(all);
    let limit = match most {
        0 => "no row might be left out".to_owned(),
        most => format!("at most {} might be left out for that", rows(most)),
    };
    let share = percent(left_out as f64 / all as f64);
    let masked = match (evidence.job.output.suppressed, evidence.after.masked_rows) {
        (SuppressedRows::Mask, masked) if masked > 0 => {
            format!(
                " {} {} * in all that others may know: a class like any other.",
                rows(masked),
                if masked == 1 { "has" } else { "have" }
            )
        }
        _ => String::new(),
    };
    format!(
        "Of {}, {} are released; {left_out} are left out ({share}); {limit}.{masked}",
        rows(all),
        count(evidence.after.rows),
        left_out = count(left_out),
    )
}

fn search(evidence: &Evidence) -> Option<String> {
    let summary = evidence.summary.as_ref()?;
    let entry = algorithm::find(&summary.algorithm);
    let proof = match (summary.outcome, summary.optimal) {
        (Outcome::Stopped, _) => {
            "it was stopped before it was through, so a better release may exist".to_owned()
        }
        (_, true) => "it is proven that no release of this kind loses less".to_owned(),
        _ => "it is not proven that no release loses less".to_owned(),
    };
    let promise = entry.map(|entry| format!(" ({})", entry.guarantee.text())).unwrap_or_default();
    Some(format!(
        "It was found by {}{promise}, which made {} small; {proof}.",
        summary.algorithm, summary.measure
    ))
}

/// A run says itself that it kept the order.
fn order(evidence: &Evidence) -> Option<String> {
    match evidence.job.output.order {
        RowOrder::Keep if evidence.summary.is_some() => None,
        RowOrder::Keep => {
            Some("The rows keep the order of the original; an order can itself identify.".to_owned())
        }
        RowOrder::Shuffle { seed: None } => Some("The order of the rows was shuffled.".to_owned()),
        RowOrder::Shuffle { seed: Some(_) } => {
            Some("The order of the rows was shuffled by a seed: who knows it can undo the order.".to_owned())
        }
    }
}
