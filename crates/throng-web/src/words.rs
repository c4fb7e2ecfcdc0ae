//! All that the page says, in one place, so that it can be said in another language.

use throng_engine::wording::Message;

mod found;
mod questions;

pub(crate) use found::*;
pub(crate) use questions::*;

// The frame.
pub(crate) const BRAND: &str = "throng";
pub(crate) const STAYS: &str = "Your tables stay on the computer that serves this page.";
pub(crate) const STEPS: &str = "Steps";
pub(crate) const STEP_NAMES: [&str; 5] = ["Table", "Columns", "Detail", "Safety", "Result"];
pub(crate) const SKIP: &str = "Skip to the content";
pub(crate) const BACK: &str = "Back";
pub(crate) const SHOW_ORIGINALS: &str = "Show original cells";
pub(crate) const ORIGINALS_SHOWN: &str =
    "Original cells are shown: real people. Make sure nobody else can see your screen.";
pub(crate) const ORIGINALS_HIDDEN: &str =
    "Original cells are covered: this server sends none to the browser until you flip the switch.";
pub(crate) const COVER_ORIGINALS: &str = "Cover them again";

// Refusals.
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

// The start.
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

// The table.
pub(crate) const TABLE: &str = "Is this your table?";
pub(crate) const TABLE_LEDE: &str = "This is how we read it. If something looks wrong, change it below. We \
    only read your file; we never write to it.";
pub(crate) const LOOKING: &str = "We are looking at your table";
pub(crate) const LOOKING_WHY: &str = "A million rows take a few seconds. This page moves on by itself.";
pub(crate) const RELOAD: &str = "Read again";
pub(crate) const ROWS: &str = "rows";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const FIRST_ROWS: &str = "First rows";
pub(crate) const COLUMN: &str = "Column";
pub(crate) const KIND: &str = "Looks like";
pub(crate) const DIFFERENT: &str = "Different values";
pub(crate) const EMPTY: &str = "Empty";
pub(crate) const HOW_READ: &str = "How it is read";
pub(crate) const HOW_READ_WHY: &str = "Change only what is wrong. The table is then read again.";
pub(crate) const GUESS: &str = "work it out";
pub(crate) const HEADER: &str = "Where are the column names?";
pub(crate) const HEADER_YES: &str = "in the first row";
pub(crate) const HEADER_NO: &str = "nowhere";
pub(crate) const DELIMITER: &str = "What separates two cells?";
pub(crate) const DELIMITERS: [(&str, &str); 4] =
    [(",", "a comma"), (";", "a semicolon"), ("tab", "a tab"), ("|", "a bar |")];
pub(crate) const DECIMAL: &str = "What is 22,3?";
pub(crate) const DECIMALS: [(&str, &str); 2] =
    [(",", "a little more than 22"), (".", "not a decimal number")];
pub(crate) const ENCODING: &str = "Which character encoding does the file use?";
pub(crate) const ENCODINGS: [(&str, &str); 4] = [
    ("utf-8", "UTF-8, like most files"),
    ("windows-1252", "Western European (Windows)"),
    ("windows-1250", "Central European (Windows)"),
    ("utf-16le", "UTF-16"),
];
pub(crate) const READ_AGAIN: &str = "Read the table again like this";
pub(crate) const YES_MY_TABLE: &str = "Yes, this is my table";
pub(crate) const TABLE_NEXT: &str = "Next: which of these facts others could know.";

// The columns.
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

// The detail.
pub(crate) const DETAIL: &str = "How much detail must stay?";
pub(crate) const DETAIL_LEDE: &str = "To make people look alike, some values are shown less exactly, step \
    by step. You can skip this page: the suggestions work.";
pub(crate) const LEVEL: &str = "Step";
pub(crate) const LEVEL_EXACT: &str = "exact";
pub(crate) const LEVEL_TOP: &str = "hidden";
pub(crate) const LEVEL_VALUES: &str = "Different values";
pub(crate) const LEVEL_ALONE: &str = "Rows with a value to themselves";
pub(crate) const EXAMPLES_COVERED: &str = "Flip the switch above to see values and to change groups.";
pub(crate) const IMPORTANCE: &str = "How much researchers need it";
pub(crate) const IMPORTANCES: [(&str, &str); 5] =
    [("0.25", "hardly"), ("0.5", "a little"), ("1", "normally"), ("2", "a lot"), ("4", "very much")];
pub(crate) const IMPORTANCE_NOTE: &str = "The more they need it, the less it is coarsened. This counts in \
    every measure of loss that is a sum over cells.";
pub(crate) const BUILDER: &str = "How the steps are made";
pub(crate) const BUILDERS: [(&str, &str); 5] = [
    ("auto", "suggested from the values"),
    ("intervals", "ranges of numbers"),
    ("dates", "parts of dates"),
    ("mask", "first characters of codes: 1234, 123*, 12**"),
    ("none", "exact, or hidden"),
];
pub(crate) const WIDTHS: &str = "Widths of ranges, finest first";
pub(crate) const UNITS: &str = "Units of dates: day, month, quarter, year, decade";
pub(crate) const BUILD: &str = "Make these steps";
pub(crate) const SAVE: &str = "Save";
pub(crate) const UNDO: &str = "Undo the last change";
pub(crate) const TREE: &str = "Groups";
pub(crate) const TREE_WHY: &str = "Choose a line, then say what to do with it. Or drag it onto a group.";
pub(crate) const RENAME: &str = "Rename";
pub(crate) const MOVE: &str = "Move or merge into";
pub(crate) const SPLIT: &str = "Split up";
pub(crate) const TO_NAME: &str = "New name, or the group to move into";
pub(crate) const DETAIL_NEXT: &str = "You can come back to this after a first release.";
pub(crate) const DETAIL_BUTTON: &str = "Next: how safe";
pub(crate) const EMPTY_VALUE: &str = "(empty)";

pub(crate) fn builder(name: &str) -> &'static str {
    match name {
        "file" => "a tree of groups",
        "mask" => "first characters",
        "intervals" => "ranges",
        "dates" => "parts of dates",
        "groups" => "groups of the job",
        "auto" => "rebuilt in each run",
        "class" => "what each crowd shares",
        _ => "exact, or hidden",
    }
}

pub(crate) fn more_lines(lines: usize) -> String {
    format!("and {} more, not listed", count(lines as u64))
}

// The safety.
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

// A run.
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

// A result.
pub(crate) const RESULT: &str = "Will you send this?";
pub(crate) const NO_RESULT: &str = "No release is possible";
pub(crate) const NO_RESULT_LEDE: &str =
    "Nothing was written. With this table and these answers, no release meets all your requirements.";
pub(crate) const WHAT_HELPS_TITLE: &str = "What would make one possible";
pub(crate) const CHANGE_ANSWERS: &str = "Change your answers";
pub(crate) const AGAIN_WHY: &str =
    "This starts a draft with everything that was decided; the earlier run stays.";
pub(crate) const ANOTHER: &str = "The same for another table";
pub(crate) const ANOTHER_WHY: &str =
    "Next month’s file, say: put it into the folder, and everything that was decided here applies to it.";
pub(crate) const ANOTHER_BUTTON: &str = "Start with this table";
pub(crate) const BUG: (&str, &str) = ("throng met a bug and stopped", "nothing was written");
pub(crate) const STOPPED: &str = "You stopped this run";
pub(crate) const STOPPED_LEDE: &str = "Nothing was written.";
pub(crate) const FAILED_RUN: &str = "This run failed";
pub(crate) const FAILED_RUN_LEDE: &str = "Nothing was written.";
pub(crate) const INTERRUPTED: &str = "The server stopped before this run had finished";
pub(crate) const INTERRUPTED_LEDE: &str = "Nothing was written. Your decisions are still there.";
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

// Numbers.
pub(crate) fn count(number: u64) -> String {
    throng::wording::grouped(number)
}

pub(crate) fn many(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        share if share > 0.0 && share < 1.0 => "less than 1 %".to_owned(),
        share if share > 99.0 && share < 100.0 => "more than 99 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 0.001, 0.5, 0.999, 1.0].map(percent),
            ["0 %", "less than 1 %", "50 %", "more than 99 %", "100 %"]
        );
        assert_eq!([5, 2048, 4 << 30].map(bytes), ["5 bytes", "2.0 KB", "4.0 GB"]);
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
