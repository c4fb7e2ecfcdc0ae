//! What is said of a run that is being made, or that made nothing.

use super::{listed, many, one_in};

pub(crate) const RUNNING: &str = "We are making your release";
pub(crate) const RUNNING_WHY: &str = "You may close this page; the run continues, and the start page lists \
    it. Nothing is published before it has been verified.";
pub(crate) const STOP: &str = "Stop";
pub(crate) const PHASES: [(&str, &str); 7] = [
    ("queued", "Waits for its turn"),
    ("read", "Reads and counts the table"),
    ("search", "Looks for the release that keeps the most"),
    ("write", "Writes the release"),
    ("verify", "Reads the written file again, and judges it by separate code"),
    ("compare", "Compares the table with the release"),
    ("report", "Writes the report"),
];
pub(crate) const TIME_LEFT: &str = "seconds left in this part, at most";
pub(crate) const TIME_UNKNOWN: &str = "It is not known how long it will take.";

pub(crate) const NO_RESULT: &str = "No release is possible";
pub(crate) const NO_RESULT_LEDE: &str =
    "Nothing was written. With this table and these answers, no release meets all your requirements.";
pub(crate) const WHAT_HELPS_TITLE: &str = "What would make one possible";
pub(crate) const BUG: (&str, &str) = ("throng met a bug and stopped", "nothing was written");
pub(crate) const STOPPED: &str = "You stopped this run";
pub(crate) const STOPPED_LEDE: &str = "Nothing was written.";
pub(crate) const FAILED_RUN: &str = "This run failed";
pub(crate) const FAILED_RUN_LEDE: &str = "Nothing was written.";
pub(crate) const INTERRUPTED: &str = "The server stopped before this run had finished";
pub(crate) const INTERRUPTED_LEDE: &str = "Nothing was written. Your decisions are still there.";
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
