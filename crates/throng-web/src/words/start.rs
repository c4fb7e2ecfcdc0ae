//! What the first page says.

use super::bytes;

pub(crate) const START: &str = "Which table shall we make safe?";
pub(crate) const START_LEDE: &str = "A table about people, such as patients or answers to a survey. We find \
    what singles people out, and make a copy in which everybody hides in a crowd.";
pub(crate) const DROP: &str = "Drop a table here, or choose one";
pub(crate) const DROP_BUTTON: &str = "Use this table";
pub(crate) const IN_FOLDER: &str = "Tables in this folder";
pub(crate) const NONE_IN_FOLDER: &str = "There is no table in this folder yet.";
pub(crate) const USE_TABLE: &str = "Use";
pub(crate) const DRAFTS: &str = "Drafts";
pub(crate) const GO_ON: &str = "Continue";
pub(crate) const RUNS: &str = "Earlier runs";
pub(crate) const RUN_TABLE: &str = "Table";
pub(crate) const RUN_WHEN: &str = "When";
pub(crate) const RUN_STATE: &str = "Result";
pub(crate) const STATE_QUEUED: &str = "is waiting for its turn";
pub(crate) const STATE_RUNNING: &str = "is being made";
pub(crate) const STATE_RELEASED: &str = "released";
pub(crate) const STATE_INFEASIBLE: &str = "no release is possible";
pub(crate) const STATE_FAILED: &str = "failed";
pub(crate) const STATE_CANCELLED: &str = "stopped by you";
pub(crate) const STATE_INTERRUPTED: &str = "the server stopped before it had finished";
pub(crate) const OPEN_RUN: &str = "Open";
pub(crate) const OPEN_JOB: &str = "Open a job file";
pub(crate) const OPEN_JOB_WHY: &str = "A job records everything that was decided. Its paths are relative to this folder; it cannot read \
        anything outside it.";
pub(crate) const OPEN_JOB_BUTTON: &str = "Open the job";
pub(crate) const JOB_FILE: &str = "Job file (.toml)";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const REMOVE_DRAFT: &str = "Remove this draft";
pub(crate) const REMOVE_ALL: &str = "Remove the table and everything made from it";
pub(crate) const REMOVE_ALL_WHY: &str = "The table's file, what was decided about it, and all its runs are deleted from the disk. This cannot be undone.";

pub(crate) fn taken(extensions: &[String], most: u64) -> String {
    format!("{}, also compressed. At most {}.", extensions.join(" "), bytes(most))
}

pub(crate) const DATABASE: &str = "A table of the database";
pub(crate) const DATABASE_WHY: &str =
    "In the database that this server was started for. Include its schema, as in public.patients.";
pub(crate) const DATABASE_BUTTON: &str = "Look at it";
