//! What the page about the table says.

use throng_engine::profile::ColumnKind;

pub(crate) const TABLE: &str = "Is this your table?";
pub(crate) const TABLE_LEDE: &str = "This is how we read it. If something looks wrong, change it below. We \
    only read your file; we never write to it.";
pub(crate) const LOOKING: &str = "We are looking at your table";
pub(crate) const SAY_BELOW: &str =
    "If we only read it wrongly, say below how it is written. Otherwise mend the file, and use it again.";
pub(crate) const SUGGESTING: &str = "We are working out what others could know";
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
pub(crate) const SHEET: &str = "Which sheet is it? Its name, or its number";

/// What a column looks like. How dates are written is told by the last day of a year, in which no two numbers are alike.
pub(crate) fn kind(kind: ColumnKind) -> String {
    let ColumnKind::Date(format) = kind else { return kind.to_string() };
    const PARTS: [(&str, &str); 7] = [
        ("%Y", "2024"),
        ("%y", "24"),
        ("%m", "12"),
        ("%b", "Dec"),
        ("%d", "31"),
        ("%H:%M:%S", "10:20:30"),
        ("%H:%M", "10:20"),
    ];
    let example =
        PARTS.iter().fold(format.pattern().to_owned(), |text, (part, shown)| text.replace(part, shown));
    format!("date, as {example}")
}

#[cfg(test)]
mod tests {
    use throng_engine::profile::DateFormat;

    use super::*;

    #[test]
    fn dates_are_told_by_example() {
        assert_eq!(kind(ColumnKind::Category), "category");
        assert_eq!(kind(ColumnKind::Date(DateFormat::MonthFirstSlash)), "date, as 12/31/2024");
        for format in DateFormat::ALL {
            let told = kind(ColumnKind::Date(format));
            assert!(!told.contains('%') && told.contains("31"), "{told}");
        }
    }
}
