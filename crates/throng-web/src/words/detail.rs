//! What the page about the steps of columns says.

use super::count;

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

pub(crate) fn example_row(row: usize) -> String {
    format!("Row {row}")
}
