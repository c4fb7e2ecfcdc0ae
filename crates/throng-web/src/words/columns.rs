//! What the page about the columns says.

use super::{count, listed, percent};

pub(crate) const COLUMNS_TITLE: &str = "What could others know?";
pub(crate) const COLUMNS_LEDE: &str = "Names are not the only way to find somebody. A few ordinary facts together can do it too. Tell us which of these facts \
     other people could have.";
pub(crate) const ROLE_QUESTION: &str = "Could a neighbour, employer or journalist know this?";
pub(crate) const ROLE_SORT: &str =
    "What singles people out comes first. Our suggestions are preselected, but you know better.";
/// The role in a job, what it is called here, and what it means.
pub(crate) const ROLES: [(&str, &str, &str); 5] = [
    ("identifier", "Remove", "left out of the release"),
    ("quasi", "Others may know it", "made coarser until people look alike"),
    ("sensitive", "Secret, but needed", "kept as it is; you can require that crowds are mixed"),
    ("other", "Harmless", "kept as it is"),
    ("target", "To predict", "kept as it is; classifiers try to predict it"),
];
pub(crate) const KEEP_TEXT: &str = "Release this text as it was typed, though it may name people";
pub(crate) const WHO: &str = "Whose rows are these?";
pub(crate) const WHO_WHY: &str = "Five rows of one person are not a crowd.";
pub(crate) const EVERY_ROW: &str = "Every row is a different person";
pub(crate) const NOT_SAID: &str = "Not decided";
pub(crate) const SUGGESTED: &str = "suggested";
pub(crate) const NOBODY_UNIQUE: &str = "nobody unique";
pub(crate) const COLUMNS_NEXT: &str = "Nothing is released unless you have decided so.";
pub(crate) const COLUMNS_BUTTON: &str = "Next: how much detail";
pub(crate) const SAVED: &str = "Saved.";
pub(crate) const NOT_SAVED: &str = "Not saved. Press the form's button to see why.";

pub(crate) fn together(columns: &[String], share: f64) -> String {
    format!("{} together single out {} of the rows.", listed(columns), percent(share))
}

pub(crate) fn together_why(unique: u64, rows: u64) -> String {
    format!(
        "{} of {} rows share them with no other row. Removing the names would not hide these people.",
        count(unique),
        count(rows)
    )
}

pub(crate) fn count_people(column: &str, people: u64) -> String {
    format!("Count people by {column}: {} people", count(people))
}

pub(crate) fn unique(share: f64) -> String {
    if share <= 0.0 { NOBODY_UNIQUE.to_owned() } else { format!("{} unique", percent(share)) }
}

pub(crate) const CODE: &str = "Replace it by a code that shows which rows belong to one person";
pub(crate) const CODE_OF_KEY: &str = "the code is made with the key that this server was started with";
