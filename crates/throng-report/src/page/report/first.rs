//! The first page, for whoever decides: one sheet of paper, with a line to sign.

use maud::{Markup, html};

use crate::evidence::{Colour, Evidence, Guess};
use crate::page::html::{about, count, many, one_in, rows};

use super::words::{ColumnFate, columns, file_name, many_units, unit};
use super::{banner, roles};

pub(super) fn page(evidence: &Evidence) -> Markup {
    let sha256 = evidence.fingerprints.iter().find_map(|file| file.sha256.as_deref());
    html! {
        p.kick {
            b { "throng" }
            span {
                @if let Some(hash) = sha256 { "File " (hash[..8]) " · " }
                "Page 1 is for your decision; the rest is evidence"
            }
        }
        h1 { "May we release ‘" (file_name(evidence)) "’?" }
        (facts(evidence))
        (banner::body(evidence))
        (not_protected(evidence))
        h2 { "The risk that remains" }
        (risk(evidence))
        h2 { "Who decided about each column, and why" }
        (roles::in_short(evidence))
        (sign(evidence))
        p.tiny style="margin-top:8px" {
            "This report counts people of the original. Keep it as safe as the original, and do not publish it."
        }
    }
}

fn facts(evidence: &Evidence) -> Markup {
    let stated = &evidence.job.release;
    let released = evidence
        .columns
        .iter()
        .filter(|column| ColumnFate::from_column(column) != ColumnFate::Removed)
        .count();
    let fact = |name: &str, stated: &Option<String>, key: &str| {
        html! {
            dt { (name) }
            @match stated {
                Some(text) => dd { (text) },
                None => dd.none { "not stated (" code { (key) } " under " code { "[release]" } " in the job)" },
            }
        }
    };
    html! {
        dl.facts {
            div.w {
                dt { "What" }
                dd {
                    b { (file_name(evidence)) } ": " (rows(evidence.after.rows)) ", " (columns(released))
                    @if let (Some(persons), Some(name)) = (evidence.persons, evidence.job.person()) {
                        ". The original describes " (many_units(evidence, persons)) ", counted by " code { (name) }
                    }
                }
            }
            div { (fact("Date", &stated.date, "date")) }
            div { (fact("To whom", &stated.recipient, "recipient")) }
            div { (fact("For what", &stated.purpose, "purpose")) }
            div { (fact("Decided by", &stated.decided_by, "decided_by")) }
        }
    }
}

/// Right under the banner: what nobody may read into it.
fn not_protected(evidence: &Evidence) -> Markup {
    let known =
        evidence.columns.iter().filter(|column| ColumnFate::from_column(column) == ColumnFate::Known).count();
    let has_codes = evidence.columns.iter().any(|column| column.has_pseudonyms);
    html! {
        div.not {
            b { "What this does not protect against" }
            ul {
                li { "People who know more than the " (columns(known)) " marked ‘others may know’." }
                li { "A second release about the same people, compared with this one." }
                li { "Learning about groups. What is true of a whole crowd stays true and visible." }
                li {
                    "Anybody who can open the original"
                    @if has_codes { " or has the key to the codes" }
                    ", or keeps notes of it."
                }
            }
        }
    }
}

fn risk(evidence: &Evidence) -> Markup {
    html! { div.risk { p { (found(evidence)) } p { (guessed(evidence)) } p { (left_out(evidence)) } } }
}

/// The chance to find somebody.
fn found(evidence: &Evidence) -> Markup {
    let unit = unit(evidence);
    let unique = evidence.before.exposure.unique_rows;
    let known =
        evidence.columns.iter().filter(|column| ColumnFate::from_column(column) == ColumnFate::Known).count();
    let highest = evidence.highest_risk();
    // Where rows are no crowd, their mean says nothing.
    let mean =
        (evidence.job.person().is_none() && evidence.crowds.is_none()).then_some(evidence.after.risk.mean);
    html! {
        b {
            @match highest {
                Some(risk) if risk > 0.9999 => "Certain, at worst",
                Some(risk) => { (one_in(risk)) ", at most" },
                None => "Not known",
            }
        }
        "the chance of picking the right " (unit) ", knowing "
        @if known == 1 { "the column" } @else { "all " (known) " columns" } " that others may know. "
        @if let Some(mean) = mean { "On average " (one_in(mean)) ". " }
        "Before: certain for " (count(unique)) " of " (rows(evidence.before.rows)) "."
    }
}

/// The chance to learn a secret.
fn guessed(evidence: &Evidence) -> Markup {
    let worst = evidence.guesses.iter().max_by(|a, b| a.gain().total_cmp(&b.gain()));
    let secrets = evidence
        .columns
        .iter()
        .filter(|column| ColumnFate::from_column(column) == ColumnFate::Secret)
        .count();
    let Some(Guess { column, with_crowds, without, .. }) = worst else {
        return html! {
            b { "Not counted" }
            @if secrets == 0 {
                "No column is marked secret, so nothing is said about what could be learned about a person."
            } @else {
                "Crowds overlap here, so no single number says how well secrets can be guessed."
            }
        };
    };
    let limits = evidence.after.requirements.iter().any(|one| one.summary.column.as_ref() == Some(column));
    let (with, without) = (about(*with_crowds), about(*without));
    html! {
        b { @if with == without { (with) ", no more than without this table" } @else { (with) ", instead of " (without) } }
        "of " code { (column) } " guessed right by anyone who finds the crowd. Without this table, naming \
            the most frequent value is "
        "right in " (without) " of cases. "
        @if secrets > 1 { "The worst of " (secrets) " secret columns. " }
        @if limits { "A limit was set; the evidence shows whether it holds." } @else { "No limit was set." }
    }
}

fn left_out(evidence: &Evidence) -> Markup {
    let (most, found) = evidence.left_out();
    let all = evidence.before.rows;
    html! {
        b { @if found == 0 { "Nobody left out" } @else { (rows(found)) " left out" } }
        @if found == 0 {
            "All " (rows(all)) " are in the release. "
            @if most == 0 { "None were allowed to be left out." } @else { "Up to " (count(most)) " were allowed to be left out." }
        } @else {
            (about(found as f64 / all.max(1) as f64)) " of " (count(all)) "; the limit is " (count(most)) ". "
            @if found == 1 { "It fits" } @else { "They fit" } " no crowd, so results about rare cases will be off."
        }
    }
}

fn sign(evidence: &Evidence) -> Markup {
    html! {
        div.sign {
            b { "Decision of the data-protection officer" }
            p.boxes {
                @if evidence.colour() != Colour::Red { span { "Release" } }
                span { "Do not release" }
                @if evidence.colour() != Colour::Red { span.cond { "Release, on these conditions:" } }
            }
            div.lines { span { "Name" } span { "Signature" } span { "Date" } }
        }
    }
}

/// `2 crowds`.
pub(super) fn crowds(number: u64) -> String {
    many(number, "crowd")
}
