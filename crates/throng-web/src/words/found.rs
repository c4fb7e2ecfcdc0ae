//! What is said of work that takes a while, of classifiers and crowds, and of what would make a release possible.

use super::{count, listed, many, one_in, percent};

// Work that takes a while.
pub(crate) const WORKING: &str = "We are working on it.";
pub(crate) const WORKING_WHY: &str = "This page moves on by itself.";
pub(crate) const TOOK_TOO_LONG: &str = "it took more than ten minutes, so it was stopped";

// Classifiers.
pub(crate) const LEARNED: &str = "What can still be learned from it";
pub(crate) const LEARNED_WHY: &str =
    "We let two classifiers learn a column from all the others, and count how often they are right.";
pub(crate) const LEARNED_TARGET: &str = "The column to predict";
pub(crate) const LEARNED_BUTTON: &str = "Let them learn";
pub(crate) const LEARNED_COLUMNS: [&str; 4] =
    ["Right answers", "from the original", "from this release", "without what others may know"];
pub(crate) const LEARNED_NOTHING: &str = "always the most frequent answer";

pub(crate) fn learned_of(column: &str) -> String {
    format!("How often {column} is predicted correctly")
}

pub(crate) fn classifier(name: &str) -> &str {
    match name {
        "naive-bayes" => "naive Bayes",
        "random-forest" => "random forest",
        other => other,
    }
}

// The command.
pub(crate) const SAME_COMMAND_CHANCE: &str = "This command makes the same release, except that chance decides again which of several identical rows is released \
     in which way.";

// The crowds.
pub(crate) const CROWDS_PICTURE: &str = "The crowds";
pub(crate) const CROWDS_KEY: [(&str, &str); 4] = [
    ("d0", "nothing hidden"),
    ("d1", "less than half hidden"),
    ("d2", "half or more hidden"),
    ("gone", "all hidden (*)"),
];
pub(crate) const POINT: &str = "Point at something, or press the arrow keys, to see what it is.";

pub(crate) fn crowds_why(total: u64, drawn: u64) -> String {
    let some = if drawn < total { format!(" {} crowds are drawn.", count(drawn)) } else { String::new() };
    format!("People who look alike: {}. A larger square has more people.{some}", many(total, "crowd"))
}

pub(crate) fn crowd(rows: u64, shows: &str) -> String {
    format!("{}: {shows}", many(rows, "row"))
}

// The lattice.
pub(crate) const LATTICE_SIZE: &str = "larger: keeps more, before anybody is left out";

pub(crate) fn node(levels: &str, kept: Option<f64>, known: &str) -> String {
    let kept = kept.map(|kept| format!(", keeps {}", percent(kept))).unwrap_or_default();
    let known = super::LATTICE_KEY.iter().find(|(class, _)| *class == known).map_or("", |(_, text)| text);
    format!("{levels}{kept}: {known}")
}

pub(crate) fn sampled_lattice(drawn: u64, total: &str) -> String {
    format!("{} of {total} are drawn: all next to this release, and some of each height.", count(drawn))
}

// What would make a release possible.
pub(crate) const TRY_THIS: &str = "Try this";
pub(crate) const REMEDY_SEARCH: &str = "Search again for this table.";
pub(crate) const REMEDY_TIME: &str =
    "Give the search more time: start the server with a larger --time-limit, or set time_limit in the job.";
pub(crate) const REMEDY_ANY: &str =
    "Accept the best that was found so far, though hardly anything is left in it: accept_any in the job.";
pub(crate) const REMEDY_EMPTY: &str = "Accept a release without rows: accept_any in the job.";
pub(crate) const REMEDY_OPTIMAL: &str = "Search with flash, which tries everything: algorithm in the job.";
pub(crate) const REMEDY_LEVELS: &str = "Choose higher steps, or let the search choose them.";

pub(crate) fn remedy_failing(rows: u64) -> String {
    format!("Leave out {} that cannot be hidden.", many(rows, "row"))
}

pub(crate) fn remedy_faster(names: &[&str]) -> String {
    format!("Use a faster search, {}: algorithm in the job.", names.join(" or "))
}

pub(crate) fn remedy_blocks(is_in_blocks: bool) -> &'static str {
    if is_in_blocks {
        "Search in smaller blocks: block_rows in the job."
    } else {
        "Search in blocks: block_rows in the job."
    }
}

pub(crate) fn remedy_crowd(most: u64) -> String {
    format!("A smaller crowd: {} is possible.", one_in(most))
}

pub(crate) fn remedy_less(requirement: &str) -> String {
    format!("Ask for less than {requirement}: this table cannot give it, even alone.")
}

pub(crate) fn remedy_left_out(now: u64) -> String {
    match now {
        0 => "Let a few unusual people be left out, up to 5 %: now nobody may be.".to_owned(),
        now => format!("Let more unusual people be left out: now {} may be.", many(now, "row")),
    }
}

pub(crate) fn remedy_max_level(columns: &[String]) -> String {
    format!("Let {} become coarser than the job allows: max_level.", listed(columns))
}

pub(crate) fn remedy_last_level(columns: &[String]) -> String {
    match columns {
        [] => "Let every column be hidden (*) where needed: one that must stay exact keeps people apart."
            .to_owned(),
        columns => format!("Add a last step to {} that shows the same for everybody.", listed(columns)),
    }
}
