//! What is asked about who knows what, about places of tables, and about codes.

// The safety.
pub(crate) const MEMBER: &str = "Could somebody know that a person is in this table?";
pub(crate) const MEMBER_WHY: &str = "A neighbour who saw the ambulance could. A stranger could not.";
/// The answer of the form, what it is called, and what it means.
pub(crate) const MEMBERS: [(&str, &str, &str); 3] = [
    (
        "known",
        "Yes, assume so",
        "The crowd is counted in this table. If you are not sure, choose this: it is safer.",
    ),
    (
        "register",
        "No, and we have a list of all who could be in it",
        "The crowd is counted in the list, so more detail stays.",
    ),
    (
        "secret",
        "No, and nobody may find out",
        "Of those in the list who look alike, at most half may be in the table.",
    ),
];
pub(crate) const MEMBER_KEPT: &str = "As the job says";
pub(crate) const REGISTER: &str = "The list: a table in this folder with the same columns";
pub(crate) const MEMBER_TERM: &str =
    "The second answer is called k-map, the third δ-presence with at most 0.5.";
pub(crate) const NO_REGISTER: &str =
    "the list of all who could be in the table must be a table in the folder of this server; choose it there";

pub(crate) const ALIKE: &str = "Must the people in a crowd look exactly alike?";
pub(crate) const ALIKE_WHY: &str =
    "It is the easiest to explain, and anybody can check it. Without it, more detail stays.";
pub(crate) const ALIKES: [(&str, &str, &str); 3] = [
    ("k", "Yes", "Each row looks like all others of its crowd."),
    (
        "global-1k",
        "No, but nobody may be found",
        "Whoever knows everybody in the table still cannot tell which row of the crowd is whose.",
    ),
    (
        "kk",
        "No, and nobody knows all of the table",
        "Each row fits as many people as the crowd has, and each person as many rows.",
    ),
];
pub(crate) const ALIKE_KEPT: &str = "As the job says";
pub(crate) const ALIKE_TERM: &str = "These are k-anonymity, global (1,k) and (k,k). With the last two, rows keep their order and nobody is left out: sort \
     the table by something harmless first.";

// The columns.
pub(crate) const CODE: &str = "Replace it by a code that shows which rows belong to one person";
pub(crate) const CODE_OF_KEY: &str = "the code is made with the key that this server was started with";

// The detail.
pub(crate) fn example_row(row: usize) -> String {
    format!("Row {row}")
}

// The start, and the table.
pub(crate) const DATABASE: &str = "A table of the database";
pub(crate) const DATABASE_WHY: &str =
    "In the database that this server was started for. Include its schema, as in public.patients.";
pub(crate) const DATABASE_BUTTON: &str = "Look at it";
pub(crate) const SHEET: &str = "Which sheet is it? Its name, or its number";
