//! The verdict in one sentence, its colour, and what needs judgement.

use maud::{Markup, PreEscaped, html};

use throng_engine::summary::RequirementSummary;

use crate::evidence::{Colour, Concern, Evidence};
use crate::page::html::{about, count, first_names, many, rows};

use super::first::crowds;
use super::models;
use super::words::unit;

/// Columns that a point names.
const NAMED: usize = 3;

const SIGNS: [(Colour, &str, &str); 3] = [
    (
        Colour::Green,
        "verdict",
        r#"<circle cx="16" cy="15" r="13" fill="none" stroke="currentColor" stroke-width="2.5"/><path d="m10 15.5 4.5 4.5 8-9" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>"#,
    ),
    (
        Colour::Amber,
        "verdict amber",
        r#"<path d="M16 2 31 28H1Z" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linejoin="round"/><path d="M16 11v8" stroke="currentColor" stroke-width="3" stroke-linecap="round"/><circle cx="16" cy="23.5" r="1.8" fill="currentColor"/>"#,
    ),
    (
        Colour::Red,
        "verdict red",
        r#"<path d="M10.5 2h11L29 9.5v11L21.5 28h-11L3 20.5v-11Z" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linejoin="round"/><path d="m11.5 10.5 9 9m0-9-9 9" stroke="currentColor" stroke-width="3" stroke-linecap="round"/>"#,
    ),
];

pub(super) fn body(evidence: &Evidence) -> Markup {
    let colour = evidence.colour();
    let (_, class, sign) = SIGNS.iter().find(|(of, ..)| *of == colour).expect("each colour has a sign");
    let points = points(evidence);
    html! {
        div class=(class) {
            svg viewBox="0 0 32 30" width="32" height="30" aria-hidden="true" { (PreEscaped(sign)) }
            div {
                p.word { (word(evidence, points.len())) }
                h2 { (headline(evidence)) }
                @if colour == Colour::Red { p.soft { (what_fails(evidence)) } }
                @if !points.is_empty() {
                    @if colour == Colour::Red { p.soft { "Also look at this:" } }
                    ol { @for point in &points { li { b { (point.title) "." } " " (point.text) } } }
                }
            }
        }
        "\n"
    }
}

fn word(evidence: &Evidence, points: usize) -> String {
    let need = if points == 1 { "one point needs" } else { &format!("{} points need", in_words(points)) };
    match evidence.colour() {
        Colour::Green => "Green: all requirements hold, and we know of no reason not to release".to_owned(),
        Colour::Amber if evidence.not_judged().next().is_some() => {
            format!("Amber: some requirements could not be judged, and {need} your judgement")
        }
        Colour::Amber => format!("Amber: all requirements hold, but {need} your judgement"),
        Colour::Red => "Red: do not release".to_owned(),
    }
}

fn in_words(number: usize) -> String {
    const WORDS: [&str; 9] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
    WORDS.get(number).map_or_else(|| count(number as u64), |word| (*word).to_owned())
}

/// What holds, in one sentence or two; of a release that fails, what does not.
fn headline(evidence: &Evidence) -> String {
    let unit = unit(evidence);
    if evidence.colour() == Colour::Red {
        return failure(evidence);
    }
    let worst = evidence.highest_risk().map(|risk| (1.0 / risk).floor() as u64);
    let chance = |crowd: u64| match unit {
        "person" | "household" => {
            format!("Anyone who looks for one is right at most 1 time in {}.", count(crowd))
        }
        _ => format!("Anyone who looks for a person’s row is right at most 1 time in {}.", count(crowd)),
    };
    match (evidence.smallest_crowd(), worst) {
        (None, _) => "We do not know whether enough people look alike.".to_owned(),
        (Some(0 | 1), _) if evidence.after.rows == 0 => "The release has no rows.".to_owned(),
        (Some(0 | 1), _) => {
            let unique = evidence.after.exposure.unique_rows;
            format!("{} are one of a kind. Only your other requirements protect them.", rows(unique))
        }
        (Some(_), Some(0 | 1)) => {
            "Somebody who knows who is in the table can find a person for certain.".to_owned()
        }
        (Some(_), Some(worst)) if evidence.crowds.is_some() => {
            format!(
                "Anyone looking for a person finds at least {} rows that fit. Even someone who knows exactly who is in the table \
                 is right at most 1 time in {}.",
                count(evidence.reach()),
                count(worst)
            )
        }
        (Some(crowd), worst) => {
            let others =
                if crowd == 2 { "1 other".to_owned() } else { format!("{} others", count(crowd - 1)) };
            format!("Each {} looks like at least {others}. {}", unit, chance(worst.unwrap_or(crowd)))
        }
    }
}

fn failure(evidence: &Evidence) -> String {
    let (most, left_out) = evidence.left_out();
    let k = evidence.job.privacy.largest_k();
    let failing = evidence.after.requirements.iter().filter(|one| evidence.judged(one).holds == Some(false));
    let small = failing.clone().find(|one| one.summary.model == "k");
    let unique = evidence.after.exposure.unique_rows;
    match (small, failing.into_iter().next()) {
        _ if evidence.has_too_few_rows() => {
            format!("{} are in crowds of fewer than {k} people.", rows(evidence.after.exposure.at_risk_rows))
        }
        (Some(_), _) if unique > 0 && evidence.job.person().is_none() => {
            format!("{} can be singled out.", rows(unique))
        }
        (Some(one), _) if one.failing_rows > 0 => {
            let asked = one.summary.parameters.get("k").map_or("enough".to_owned(), ToString::to_string);
            format!("{} are in crowds of fewer than {asked}.", rows(one.failing_rows))
        }
        (Some(_), _) => "Some crowds have too few people.".to_owned(),
        (None, Some(one)) if one.failing_classes > 0 => {
            format!("{} of {} reveal too much.", count(one.failing_classes), crowds(evidence.after.classes))
        }
        (None, Some(_)) => "Crowds reveal too much.".to_owned(),
        _ if left_out > most => format!("{} are left out, more than allowed.", rows(left_out)),
        _ => "Fewer rows look alike than you asked for.".to_owned(),
    }
}

/// What does not hold, and what to do.
fn what_fails(evidence: &Evidence) -> Markup {
    let (most, left_out) = evidence.left_out();
    let failing: Vec<&RequirementSummary> = evidence
        .after
        .requirements
        .iter()
        .map(|one| evidence.judged(one))
        .filter(|one| one.holds == Some(false))
        .collect();
    html! {
        "This file does not meet your requirements. "
        @for one in failing { (models::question(one)) " You asked for " (models::asked(one)) ", and it is " (models::degree(one)) ". " }
        @if let Some((notion, asked, found)) = evidence.crowd() {
            @if found < asked { "You asked for " (notion.text()) " with k = " (asked) ", and it has k = " (found) ". " }
        }
        @if left_out > most { (rows(left_out)) " are left out, and " (count(most)) " may be. " }
        "Make it again from the job, or change the job if you asked for too much."
    }
}

/// Something to judge.
pub(super) struct BannerPoint {
    pub(super) title: &'static str,
    pub(super) text: Markup,
    /// What would change it.
    pub(super) remedy: &'static str,
}

/// All of them, those of secrets together.
pub(super) fn points(evidence: &Evidence) -> Vec<BannerPoint> {
    let certain: Vec<(&str, Option<u64>, u64)> = evidence
        .concerns
        .iter()
        .filter_map(|concern| match concern {
            Concern::Certain { column, crowds, rows } => Some((column.as_str(), *crowds, *rows)),
            _ => None,
        })
        .collect();
    let mut points = Vec::new();
    let mut has_certain = false;
    for concern in &evidence.concerns {
        match concern {
            Concern::Certain { .. } if has_certain => {}
            Concern::NearlyCertain { columns } => points.push(nearly_alike(columns)),
            Concern::Certain { .. } => {
                has_certain = true;
                points.push(alike(evidence, &certain));
            }
            other => points.push(point(evidence, other)),
        }
    }
    points
}

/// Crowds that all have one secret.
fn alike(evidence: &Evidence, certain: &[(&str, Option<u64>, u64)]) -> BannerPoint {
    let worst = certain.iter().max_by_key(|(.., rows)| *rows).expect("there is one");
    let &(column, in_crowds, of_rows) = worst;
    BannerPoint {
        title: "Alike within a crowd",
        text: html! {
            @match in_crowds {
                Some(number) => {
                    "In " (count(number)) " of " (crowds(evidence.after.classes)) " (" (rows(of_rows)) "), everyone has the same "
                },
                None => { "For " (rows(of_rows)) ", every row that fits has the same " },
            }
            code { (column) } ". Knowing the crowd reveals it."
            @if certain.len() > 1 { " The same is true of " (certain.len() - 1) " other secret " (plural(certain.len() - 1)) "." }
        },
        remedy: "Require several values of the secret in each crowd ([[privacy.require]] model = \"distinct-l\").",
    }
}

/// Crowds that nearly all have one secret, the worst column first.
fn nearly_alike(nearly: &[(String, f64)]) -> BannerPoint {
    let (column, share) = &nearly[0];
    let others = nearly.len() - 1;
    BannerPoint {
        title: "Nearly alike within a crowd",
        text: html! {
            "In some crowd, " (about(*share)) " have the same " code { (column) } ": knowing the crowd nearly reveals it."
            @if others > 0 { " The same is true of " (others) " other secret " (plural(others)) "." }
        },
        remedy: "Limit the share of one value in each crowd ([[privacy.require]] model = \"alpha-k\").",
    }
}

fn plural(columns: usize) -> &'static str {
    if columns == 1 { "column" } else { "columns" }
}

fn point(evidence: &Evidence, concern: &Concern) -> BannerPoint {
    let named =
        |columns: &[String]| first_names(&columns.iter().map(String::as_str).collect::<Vec<_>>(), NAMED);
    let (title, text, remedy) = match concern {
        Concern::NotJudged { .. } => (
            "Not judged",
            html! {
                @for (one, reason) in evidence.not_judged() { (models::question(one)) " Not known: " (reason) ". " }
            },
            "Make the report together with the release (throng anonymize --report): the run knows it.",
        ),
        Concern::Attack { links, asked } => (
            "An attack succeeds",
            html! {
                "Somebody who also knows who is in the table can narrow a person down to " (rows(*links)) ", fewer than the "
                (count(*asked)) " you asked for."
            },
            "Ask for the notion that holds against this attacker: notion = \"global-1k\", or \"k\".",
        ),
        Concern::Special { columns } => (
            "Special categories",
            html! {
                @for (at, (name, category)) in columns.iter().enumerate().take(NAMED) {
                    @if at > 0 { ", " } code { (name) } " (" (category) ")"
                }
                @if columns.len() > NAMED { " and " (columns.len() - NAMED) " more" }
                @if columns.len() == 1 { " is" } @else { " are" } " kept exact, and nobody marked "
                @if columns.len() == 1 { "it" } @else { "them" } " as secret."
            },
            "Mark such columns as secret (role = \"sensitive\"), or remove them (role = \"identifier\").",
        ),
        Concern::People { columns } => (
            "Names or the like",
            html! { (named(columns)) " may show who is in the table. Kept because the job says so." },
            "Remove the column: role = \"identifier\".",
        ),
        Concern::Typed { columns, mentions } => (
            "Text that people typed",
            html! {
                (named(columns)) " is released exactly as it was typed."
                @if let Some(cells) = mentions { " " (many(*cells, "cell")) @if *cells == 1 { " mentions" } @else { " mention" } " people." }
            },
            "Remove the column: role = \"identifier\".",
        ),
        Concern::Unique { columns } => (
            "One of a kind",
            html! { "Nearly every row has its own value of " (named(columns)) ". Anyone who knows the value can find the row." },
            "Make the column coarser (role = \"quasi\"), or remove it (role = \"identifier\").",
        ),
        Concern::Together { rows, of, columns } => (
            "Kept answers",
            html! {
                (about(*rows as f64 / (*of).max(1) as f64)) " of rows are unique in the " (columns) " columns that are kept. "
                "A friend who knows several of them could find the row."
            },
            "Keep fewer columns, or mark those that others may know (role = \"quasi\").",
        ),
        Concern::Extremes { columns } => (
            "Extreme values",
            html! {
                "Fewer than " (count(evidence.job.privacy.largest_k())) " rows have the lowest or the highest " (named(columns))
                ". Somebody may remember whose it is."
            },
            "Cut the ends off where enough rows reach them: bottom = … and top = … in the job.",
        ),
        Concern::Order { sorted_by } => (
            "Order of the rows",
            html! {
                "Rows are in the order of the original"
                @if !sorted_by.is_empty() { ", which is sorted by " (named(sorted_by)) }
                ". Anyone who knows that order can tell which row is whose."
            },
            "Shuffle the rows: order = \"shuffle\".",
        ),
        Concern::Seed => (
            "Order of the rows",
            html! { "Rows were shuffled with a fixed seed. Anyone who knows the seed can undo it." },
            "Shuffle without a seed: order = \"shuffle\".",
        ),
        Concern::Linkable { columns } => (
            "Rows that stay together",
            html! { "The rows of one person share a code in " (named(columns)) ". Together they may identify the person." },
            "Remove the column if nobody needs to link the rows of a person: role = \"identifier\" without \
                a pseudonym.",
        ),
        Concern::Certain { .. } | Concern::NearlyCertain { .. } => unreachable!("told together"),
    };
    BannerPoint { title, text, remedy }
}
