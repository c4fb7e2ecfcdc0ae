//! What is said where something cannot be done.

use throng_engine::wording::Message;

use super::bytes;

pub(crate) const WRONG_HOST: &str =
    "This server does not go by that name. Use the address that it printed.\n";
pub(crate) const WRONG_ORIGIN: &str = "This request does not come from a page of this server.\n";
pub(crate) const NO_RANDOMNESS: &str = "The system provides no randomness, so no session can start.\n";
pub(crate) const LOCKED: &str = "This page needs its key";
pub(crate) const LOCKED_WHY: &str =
    "Open the address that ‘throng serve’ printed, with the token at its end. Each start has a new token.";
pub(crate) const ENTER: &str = "What is the password?";
pub(crate) const ENTER_WHY: &str = "It was set by whoever started this server.";
pub(crate) const PASSWORD: &str = "Password";
pub(crate) const ENTER_BUTTON: &str = "Enter";
pub(crate) const WRONG_PASSWORD: &str = "That is not the password. Wait a second before you try again.";
pub(crate) const NOTHING_HERE: &str = "There is nothing here";
pub(crate) const NOTHING_HERE_WHY: &str = "The address is wrong, or what was here was removed.";
pub(crate) const TO_START: &str = "Back to the start";
pub(crate) const FAILED: &str = "That did not work";
pub(crate) const WHERE_FILE: &str = "File";
pub(crate) const WHERE_ROW: &str = "Row";
pub(crate) const WHERE_LINE: &str = "Line";
pub(crate) const WHERE_COLUMN: &str = "Column";
pub(crate) const WHAT_HELPS: &str = "What would help";

pub(crate) const NO_SUCH_RUN: &str = "there is no such run";
pub(crate) const NO_SUCH_DRAFT: &str = "there is no such draft, or its table is no longer in the folder";
pub(crate) const NO_SUCH_TABLE: &str = "the folder has no such table";
pub(crate) const NO_SUCH_FILE: &str = "this run has no such file";
pub(crate) const NO_SUCH_COLUMN: &str = "this column no longer exists";
pub(crate) const NO_RELEASE_HERE: &str = "this run has no release";
pub(crate) const STOP_FIRST: (&str, &str) = ("it is being made", "stop it first");
pub(crate) const STILL_LOOKING: (&str, &str) = ("the table is still being read", "try again in a moment");
pub(crate) const NOT_A_TABLE_FORM: &str = "the form must hold exactly one table";
pub(crate) const NO_TABLE_SENT: &str = "no table was chosen";
pub(crate) const BROKEN_FORM: &str = "what was sent is not a form, or was cut short";
pub(crate) const NOT_A_JOB_FORM: &str = "the form must hold exactly one job";
pub(crate) const JOB_TOO_LARGE: &str = "the job is larger than 1 MiB";
pub(crate) const JOB_NOT_TEXT: &str = "the job is not UTF-8 text";
pub(crate) const JOB_OF_NO_FILE: &str =
    "the job's input is not a file; this page only works on files in its folder";
pub(crate) const JOB_OF_CLUSTER: (&str, &str) =
    ("the job runs on a cluster", "remove [engine], or run it from the command line");
pub(crate) const BAD_K: &str = "the size of the crowd must be a whole number of at least 2";
pub(crate) const BAD_SHARE: &str = "the share that may be left out must be between 0 and 100 %";
pub(crate) const NO_SUCH_BUILDER: &str = "there is no such way to make steps";
pub(crate) const NO_SUCH_CHANGE: &str = "there is no such change";
pub(crate) const NO_SUCH_GROUP: &str = "this group no longer exists";
pub(crate) const NAME_THE_GROUP: &str = "the group needs a name";
pub(crate) const FIXED_GROUP: &str = "values of the table and the top of the tree cannot be changed";
pub(crate) const GROUP_EXISTS: (&str, &str) =
    ("this level already has a group with that name", "move the group into it instead");
pub(crate) const NOT_A_TREE: (&str, &str) = (
    "after that change a group would be in two others at once",
    "move all of it, or give the group a name of its own",
);
pub(crate) const NOTHING_TO_UNDO: &str = "there is nothing to undo";

pub(crate) fn not_a_table(extensions: &[String]) -> Message {
    let what = format!("the name of a table must end in one of {}", extensions.join(" "));
    (what, "it may be compressed (.gz, .zst)").into()
}

pub(crate) fn too_large(most: u64) -> Message {
    let what = format!("the table is larger than {}, the most this server accepts", bytes(most));
    (what, "put it into the folder instead, or start the server with a larger --upload-limit").into()
}

pub(crate) fn outside_folder(name: &str) -> Message {
    let what = format!("the job reads '{name}', which is not a file in the folder of this server");
    (what, "put it there").into()
}
