//! What the page about safety asks.

use throng_engine::wording::Message;

use super::{count, listed, many, percent};

pub(crate) const SAFETY: &str = "How safe must it be?";
pub(crate) const SAFETY_LEDE: &str =
    "Answer these questions. No release that breaks one of your answers is written.";
pub(crate) const CROWD: &str = "How large must the crowd be?";
pub(crate) const CROWD_WHY: &str = "Whoever looks for somebody finds a crowd of people who look alike. If all they can do is guess, how often may they be \
     right?";
pub(crate) const CROWDS: [(u64, &str); 4] = [
    (3, "for colleagues under the same obligations"),
    (5, "usual for named researchers"),
    (10, "usual for everyone"),
    (20, "for data that could hurt people"),
];
pub(crate) const CROWD_OTHER: &str = "another number";
pub(crate) const CROWD_TERM: &str = "This is called k-anonymity; 1 in 5 is k = 5.";
pub(crate) const SECRET_WHY: &str = "If everybody in a crowd has the same value, nobody needs to guess. So you can require that crowds are \
        mixed.";
pub(crate) const SECRETS: [(&str, &str); 5] = [
    ("0", "Does not matter"),
    ("2", "At least 2 different values"),
    ("3", "At least 3 different values"),
    ("4", "At least 4 different values"),
    ("t", "As mixed as the whole table"),
];
pub(crate) const SECRET_KEPT: &str = "As the job says";
pub(crate) const SECRET_TERM: &str = "The answers in the middle are called l-diversity; the last is t-closeness with t = 0.2, and costs the \
        most.";
pub(crate) const LEFT_OUT: &str = "May a few unusual people be left out?";
pub(crate) const LEFT_OUT_WHY: &str =
    "One person who fits in nowhere can blur everybody else. The report says how many were left out.";
pub(crate) const SHARES: [(&str, &str); 4] =
    [("0", "Nobody"), ("1", "Up to 1 %"), ("2", "Up to 2 %"), ("5", "Up to 5 %")];
pub(crate) const SHARE_KEPT: &str = "As the job says";
pub(crate) const LATER: &str = "Will this table come again, with a few people more or fewer?";
pub(crate) const LATER_WHY: &str = "Two releases of one table can reveal together what neither does alone, unless both are made in the same way.";
pub(crate) const LATER_ANSWERS: [(&str, &str); 2] =
    [("no", "No, or it may be made anew"), ("yes", "Yes, keep how it was made")];
pub(crate) const LATER_TERM: &str =
    "What is kept is called a recoding. ‘throng apply’ makes the next delivery with it.";
pub(crate) const STATED: &str = "Who gets it, and who decided?";
pub(crate) const STATED_WHY: &str = "The report shows this on its first page. You may leave it empty.";
pub(crate) const RECIPIENT: &str = "Who receives it";
pub(crate) const PURPOSE: &str = "What for, and until when";
pub(crate) const DECIDED_BY: &str = "Who decided about the columns";
pub(crate) const FRONT: &str = "More safety costs detail";
pub(crate) const FRONT_WHY: &str = "The best release for each crowd size, before anything is made.";
pub(crate) const FRONT_BUTTON: &str = "Show what each answer costs";
pub(crate) const FRONT_X: &str = "members of the smallest crowd";
pub(crate) const FRONT_Y: &str = "detail kept, in %";
pub(crate) const FRONT_NOTE: &str =
    "These releases show each column at a single step; the one that is made may keep more. Choose a crowd:";
pub(crate) const ASKED: &str = "You ask that, in the release,";
pub(crate) const MAKE: &str = "Make the release";
pub(crate) const SAFETY_NEXT: &str = "You can stop at any time.";
pub(crate) const SHOW_JOB: &str = "See the job that this makes";

pub(crate) fn one_in(k: u64) -> String {
    format!("1 in {}", count(k))
}

pub(crate) fn learn(column: &str) -> String {
    format!("May somebody learn {column} without finding the row?")
}

pub(crate) fn asked_crowd(k: u64, persons: bool) -> String {
    let unit = if persons { "person" } else { "row" };
    format!("each {unit} looks like at least {} others;", count(k.saturating_sub(1)))
}

pub(crate) fn asked_left_out(most: u64, rows: u64) -> String {
    format!("at most {} of {} rows are left out.", count(most), count(rows))
}

pub(crate) fn asked_more(requirements: usize) -> String {
    format!("{} must hold, from your answers or from the job;", many(requirements as u64, "more requirement"))
}

pub(crate) fn kept_at(k: u64, kept: f64) -> String {
    format!("{} keeps {}", one_in(k), percent(kept))
}

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

pub(crate) fn list_lacks(name: &str, columns: &[String]) -> Message {
    let what = format!("the list '{name}' has no column {}", listed(columns));
    (what, "it needs every column that others may know, under the same name").into()
}
