//! What the page about a release says.

use super::{count, many, percent};

pub(crate) const RESULT: &str = "Will you send this?";
pub(crate) const CHANGE_ANSWERS: &str = "Change your answers";
pub(crate) const AGAIN_WHY: &str =
    "This starts a draft with everything that was decided; the earlier run stays.";
pub(crate) const ANOTHER: &str = "The same for another table";
pub(crate) const ANOTHER_WHY: &str =
    "Next month’s file, say: put it into the folder, and everything that was decided here applies to it.";
pub(crate) const ANOTHER_BUTTON: &str = "Start with this table";
pub(crate) const RELEASED_ROWS: &str = "Rows of the release";
pub(crate) const RELEASED_ROWS_WHY: &str = "Its first rows, as a stranger sees them.";
pub(crate) const PAIRED_WHY: &str = "Each original row above the row that was released for it.";
pub(crate) const SHUFFLED_WHY: &str = "The first rows of the original, and the first of the release. The release is in an order of its own, so they are not the same people.";
pub(crate) const UNPAIRED_WHY: &str = "The first rows of the original, and the first of the release. Rows were left out, so they are not the same people.";
pub(crate) const ORIGINAL: &str = "original";
pub(crate) const LEFT_OF: &str = "What is left of each column";
pub(crate) const LEFT_KEY: [&str; 4] = ["exact", "one step coarser", "coarser still", "hidden (*)"];
pub(crate) const EXACT_KEPT: &str = "Columns that are not listed are removed, or kept as they are.";
pub(crate) const RISKS: &str = "Risk before and after";
pub(crate) const RISK_ROWS: [&str; 4] = [
    "Rows",
    "Rows like no other",
    "Rows in crowds that are too small",
    "Chance of picking the right row, at worst",
];
pub(crate) const BEFORE: &str = "Before";
pub(crate) const AFTER: &str = "After";
pub(crate) const ATTACK: &str = "Try to break it";
pub(crate) const ATTACK_WHY: &str = "We pose as somebody who knows everything that others may know about \
    everyone in the table, and count the rows that fit.";
pub(crate) const ATTACK_BUTTON: &str = "Attack the release";
pub(crate) const ATTACK_FAILED: &str = "Nobody was found: the attack failed.";
pub(crate) const ATTACK_SUCCEEDED: &str =
    "The attack succeeded: somebody can be narrowed down further than you asked for.";
pub(crate) const WORST: &str = "The people who are least well hidden, by their rows in the original:";
pub(crate) const COSTS: &str = "What would lose less";
pub(crate) const COSTS_WHY: &str =
    "We search again without each column, for at most 20 seconds, and see what the others gain.";
pub(crate) const COSTS_BUTTON: &str = "Find out";
pub(crate) const COSTS_COLUMNS: [&str; 3] = ["Column", "Others keep now", "Others keep without it"];
pub(crate) const WAYS: &str = "Releases of this table";
pub(crate) const WAYS_WHY: &str = "Side by side, newest first.";
pub(crate) const WAY_COLUMNS: [&str; 5] =
    ["Made", "Right guess, at most", "Detail kept", "Rows left out", ""];
pub(crate) const THIS_ONE: &str = "shown here";
pub(crate) const LATTICE: &str = "Where this release stands among all possible ones";
pub(crate) const LATTICE_WHY: &str =
    "Each dot is a way to take each column to one step; the higher, the coarser.";
pub(crate) const LATTICE_LABEL: &str = "All combinations of steps by height, and the one that was released";
pub(crate) const LATTICE_KEY: [(&str, &str); 4] = [
    ("chosen", "this release"),
    ("coarser", "as safe, but keeps less"),
    ("finer", "not safe enough"),
    ("unknown", "neither finer nor coarser"),
];
pub(crate) const DOWNLOAD: &str = "Download";
/// The file, what it is called, and what it is.
pub(crate) const DOWNLOADS: [(&str, &str, &str); 4] = [
    ("release", "Release", "This is what you send."),
    (
        "report.html",
        "Report",
        "For your data-protection officer to read and sign. It counts people of the original.",
    ),
    ("job.toml", "Job for IT", "All your answers. Run from the command line, it gives the same bytes."),
    ("summary.json", "Summary", "What the run did, for scripts."),
];
pub(crate) const MORE_FILES: &str = "More files";
pub(crate) const RECODING: &str = "Recoding";
pub(crate) const RECODING_WHY: &str = "for ‘throng apply’, which makes the next delivery of the table in the same way. It belongs beside the groups.";
pub(crate) const HIERARCHY_OF: &str = "Groups of";
pub(crate) const SQL_FOR: &str = "As SQL for";
pub(crate) const DO_NOT_SEND: &str = "Do not send:";
pub(crate) const DO_NOT_SEND_WHY: &str = "the original table, the SQL, and the files of groups. They list every value that was in the table, rare ones too.";
pub(crate) const SAME_COMMAND: &str = "The same without this page";
pub(crate) const SAME_COMMAND_WHY: &str = "This command makes the same file, byte for byte.";
pub(crate) const COPY: &str = "Copy";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const WARNINGS: &str = "What you should know before you send it";
pub(crate) const OPEN_REPORT: &str = "Open the report";
pub(crate) const RESULT_NEXT: &str = "Nothing was sent anywhere else.";
pub(crate) const REMOVE_RUN: &str = "Remove this run";
pub(crate) const REMOVE_RUN_WHY: &str = "Its release, its report and its job are deleted from the disk.";
pub(crate) const UNREPORTED: &str = "The release was verified, but there is no report about it.";

pub(crate) fn kept(share: f64) -> String {
    format!("{} of the detail is kept, on average.", percent(share))
}

pub(crate) fn made(rows: u64, left_out: u64, optimal: bool) -> String {
    let proof = if optimal {
        "No release of this kind keeps more."
    } else {
        "The best that was found, but not proven to be the best."
    };
    format!(
        "{} of {} rows. We read the finished file again with separate code: it meets all your requirements. \
            {proof}",
        count(rows - left_out),
        count(rows)
    )
}

pub(crate) fn worst_row(row: u64, links: u64) -> String {
    format!("row {}: {} fit", count(row), many(links, "released row"))
}

pub(crate) fn leaving_out(column: &str, now: f64, without: f64) -> String {
    format!(
        "Leaving out {column} would keep {} of the other columns instead of {}.",
        percent(without),
        percent(now)
    )
}

pub(crate) fn table_caption(rows: usize) -> String {
    format!("The first {} of the table", many(rows as u64, "row"))
}

pub(crate) const SAME_COMMAND_CHANCE: &str = "This command makes the same release, except that chance decides again which of several identical rows is released \
     in which way.";
