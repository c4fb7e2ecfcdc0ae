//! Requirements in plain words: what each asks, what was asked for, and what there is.

use throng::notion::Notion;
use throng::privacy::{self, Direction, SensitiveColumn};
use throng_engine::summary::RequirementSummary;

use crate::page::html::{about, decimal};

/// A parameter that is a value of the table, which the release may not have.
const VALUE: &str = "value";

/// Which question a requirement answers.
pub(super) fn question(one: &RequirementSummary) -> String {
    let column = one.column.as_deref().unwrap_or("the secret");
    match one.model.as_str() {
        "k" => "How many look alike, at least?".to_owned(),
        "k-map" => "How many people of the population fit a crowd, at least?".to_owned(),
        "delta-presence" => "What share of the people who fit a crowd is in the table?".to_owned(),
        "distinct-l" | "p-sensitive" => format!("How many values of {column} does a crowd have, at least?"),
        "entropy-l" => {
            format!("How mixed is {column} in a crowd: like how many equally frequent values, at least?")
        }
        "recursive-cl" => {
            format!("How far does the most frequent {column} of a crowd outnumber the rare ones?")
        }
        "alpha-k" => format!("What share of a crowd has the same {column}, at most?"),
        "t-closeness" => format!("How far is {column} in a crowd from the whole table, at most?"),
        "beta-likeness" => {
            format!("How much more frequent is a value of {column} in a crowd than overall, at most?")
        }
        "delta-disclosure" => {
            format!(
                "By how much does the frequency of a value of {column} differ between a crowd and the \
                whole table?"
            )
        }
        "max-risk" => "What is the chance of picking the right one, at most?".to_owned(),
        "average-risk" => "What is the chance of picking the right one, on average?".to_owned(),
        "estimated-k-map" => {
            "How many people of the population fit a crowd, at least, estimated from the sample?".to_owned()
        }
        "population-uniqueness" => {
            "What share of the records is unique in the population, estimated from the sample?".to_owned()
        }
        other => format!("Does {other} hold?"),
    }
}

/// What the trade calls it.
pub(super) fn gloss(model: &str) -> &str {
    match model {
        "k" => "k-anonymity",
        "distinct-l" => "distinct l-diversity",
        "p-sensitive" => "p-sensitive k-anonymity",
        "entropy-l" => "entropy l-diversity",
        "recursive-cl" => "recursive (c,l)-diversity",
        "alpha-k" => "(α,k)-anonymity",
        "beta-likeness" => "β-likeness",
        "delta-disclosure" => "δ-disclosure",
        "delta-presence" => "δ-presence",
        "max-risk" => "highest risk",
        "average-risk" => "average risk",
        other => other,
    }
}

/// What was asked for: `5 or more`, `0.2 or less (distance = ordered)`.
pub(super) fn asked(one: &RequirementSummary) -> String {
    let mut parameters = one.parameters.iter().filter(|(key, _)| *key != VALUE);
    let spelled = |value: &serde_json::Value| match value.as_f64() {
        Some(number) => number_of(&one.model, number),
        None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    };
    let first = parameters.next().map(|(_, value)| spelled(value)).unwrap_or_default();
    let or = match direction(&one.model) {
        Some(Direction::MoreIsSafer) => " or more",
        Some(Direction::LessIsSafer) => " or less",
        None => "",
    };
    let rest: Vec<String> = parameters.map(|(key, value)| format!("{key} = {}", spelled(value))).collect();
    let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
    format!("{first}{or}{rest}")
}

/// What there is.
pub(super) fn degree(one: &RequirementSummary) -> String {
    match one.degree {
        Some(degree) => number_of(&one.model, degree),
        None => one.degree_text(),
    }
}

/// A degree of a model: a share, or a number.
pub(super) fn number_of(model: &str, number: f64) -> String {
    let is_share = matches!(model, "alpha-k" | "max-risk" | "average-risk" | "population-uniqueness");
    let is_share = is_share && number > 0.0 && number <= 1.0;
    if is_share { about(number) } else { decimal(number) }
}

/// Which degrees of a model are safer.
fn direction(model: &str) -> Option<Direction> {
    if model == "population-uniqueness" {
        return Some(Direction::LessIsSafer);
    }
    if model == Notion::K.name() || model == "k-map" || model == "estimated-k-map" {
        return Some(Direction::MoreIsSafer);
    }
    let measured = privacy::find(model)
        .and_then(|entry| (entry.measured)(&SensitiveColumn::default()).into_iter().next());
    measured.map(|model| model.direction())
}
