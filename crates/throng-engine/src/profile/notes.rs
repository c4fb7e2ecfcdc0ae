//! What is unusual about a column, in words. Counts and formats only, never a value.

use throng::wording::grouped;

use super::dates::DateFormat;
use super::kind::{ColumnKind, Spellings};
use super::spelling::Spelling;

/// Categories that nobody wants to group by hand.
const MANY_VALUES: u64 = 1_000;

/// The notes of a column of some kind with so many distinct known values.
pub(super) fn notes(spellings: &Spellings, kind: ColumnKind, distinct: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if kind == ColumnKind::Empty {
        return vec!["every cell is missing".to_owned()];
    }
    if distinct == 1 {
        notes.push(match spellings.missing() {
            0 => "every cell has the same value".to_owned(),
            _ => "every cell that is not missing has the same value".to_owned(),
        });
    }
    let no_answers = spellings.no_answers(distinct);
    // Where codes for no answer are named, there is no riddle in what else is among the numbers.
    notes.extend(
        of_kind(spellings, kind, distinct).filter(|_| kind != ColumnKind::Mixed || no_answers.is_empty()),
    );
    notes.extend(of_spellings(spellings, kind));
    notes.extend(of_no_answers(&no_answers));
    notes
}

fn of_kind(spellings: &Spellings, kind: ColumnKind, distinct: u64) -> Option<String> {
    let zeros = spellings.rows_with(Spelling::LEADING_ZERO);
    match kind {
        ColumnKind::Mixed => Some(mixed(spellings)),
        ColumnKind::Characters if zeros > 0 => {
            Some(format!("{} with leading zeros: kept as text, not as numbers", cells(zeros)))
        }
        ColumnKind::Characters if spellings.rows_with(Spelling::CODE) == 0 => {
            Some("numbers of equal length, named like a code: kept as text".to_owned())
        }
        ColumnKind::Date(DateFormat::Compact) => {
            Some("eight digits that are all valid dates: read as dates".to_owned())
        }
        ColumnKind::Date(format) if format.swapped().is_some() && spellings.formats().len() > 1 => {
            Some(format!(
                "the dates don't show whether the day or the month comes first; the day is assumed to come \
                    first ({})",
                format.pattern()
            ))
        }
        ColumnKind::Category if distinct >= MANY_VALUES => {
            Some("too many categories to group by hand".to_owned())
        }
        _ => None,
    }
}

/// Why a column is neither numbers nor dates.
fn mixed(spellings: &Spellings) -> String {
    let known = spellings.known();
    let zeros = spellings.rows_with(Spelling::LEADING_ZERO);
    let numbers = (spellings.numbers() + zeros).max(spellings.numbers_with_commas());
    let dates = spellings.dates() + spellings.rows_with(Spelling::COMPACT);
    if dates == known {
        let patterns = formats_seen(spellings).into_iter().map(DateFormat::pattern).collect::<Vec<_>>();
        return format!("dates in several formats ({}): treated as text", patterns.join(", "));
    }
    let (what, count) =
        if spellings.dates() > numbers { ("dates", spellings.dates()) } else { ("numbers", numbers) };
    let others = known - count;
    let (others, known, are_not) = (grouped(others), grouped(known), not(what, others));
    let words = spellings.words_among_numbers();
    match words.len() {
        0 => format!("{what}, but {others} of {known} cells {are_not}: treated as text"),
        // The list of words is ours, so they may be named.
        1 => format!(
            "{what}, but {others} of {known} cells {are_not}: '{}' stands for a missing value",
            words[0]
        ),
        _ => format!(
            "{what}, but {others} of {known} cells {are_not}: '{}' stand for missing values",
            words.join("', '")
        ),
    }
}

fn not(what: &str, count: u64) -> String {
    let (verb, article) =
        if count == 1 { ("is not a", what.trim_end_matches('s')) } else { ("are not", what) };
    format!("{verb} {article}")
}

/// The formats that occur; one in which day and month may be swapped only if neither is certain.
fn formats_seen(spellings: &Spellings) -> Vec<DateFormat> {
    let seen = Spelling::dates().filter(|&date| spellings.rows_with(date) > 0);
    let mut formats: Vec<DateFormat> = Vec::new();
    for date in seen {
        let fits = |format: &DateFormat| date.formats() >> *format as u8 & 1 == 1;
        if !formats.iter().any(fits) {
            formats.extend(DateFormat::ALL.iter().find(|format| fits(format)));
        }
    }
    formats
}

/// Notes that go with any kind.
fn of_spellings(spellings: &Spellings, kind: ColumnKind) -> Vec<String> {
    let number = kind.is_number() || kind == ColumnKind::Mixed;
    let negative =
        spellings.rows_with(Spelling::NEGATIVE_INTEGER) + spellings.rows_with(Spelling::NEGATIVE_DECIMAL);
    let non_finite = spellings.rows_with(Spelling::NON_FINITE);
    let comma = [Spelling::COMMA, Spelling::COMMA_THOUSANDS, Spelling::DECIMAL_COMMA];
    let comma = comma.iter().map(|&spelling| spellings.rows_with(spelling)).sum();
    let has_commas = kind == ColumnKind::Mixed && spellings.numbers_with_commas() > spellings.numbers();
    let comma = if kind == ColumnKind::DecimalComma || has_commas { 0 } else { comma };
    let about = [
        (if number { negative } else { 0 }, "is a negative number", "are negative numbers"),
        (if number { non_finite } else { 0 }, "is not a finite number", "are not finite numbers"),
        (
            comma,
            "is a number with a comma: read as text; with a point it would be a number",
            "are numbers with a comma: read as text; with a point they would be numbers",
        ),
        (
            spellings.rows_with(Spelling::BRACED),
            "looks like a set ({…}), so the column cannot be generalised to sets; a hierarchy can group it",
            "look like sets ({…}), so the column cannot be generalised to sets; a hierarchy can group them",
        ),
        (
            spellings.rows_with(Spelling::MARK),
            "looks like a mark for a missing value (a question mark, NA, …) but is a value unless you empty it",
            "look like marks for missing values (a question mark, NA, …) but are values unless you empty them",
        ),
    ];
    let said = about.into_iter().filter(|&(count, ..)| count > 0);
    said.map(|(count, one, many)| format!("{} {}", cells(count), if count == 1 { one } else { many }))
        .collect()
}

/// Codes that stand for no answer come from a list of ours, so they may be named.
fn of_no_answers(codes: &[String]) -> Option<String> {
    let (looks, they) = match codes.len() {
        0 => return None,
        1 => ("looks like a code", "it counts as an answer unless you empty those cells"),
        _ => ("look like codes", "they count as answers unless you empty those cells"),
    };
    Some(format!("{} {looks} for no answer; {they}", codes.join(", ")))
}

fn cells(count: u64) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{} cells", grouped(count)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_of(cells: &[&str], distinct: u64) -> Vec<String> {
        let mut spellings = Spellings::default();
        cells.iter().for_each(|cell| spellings.add(cell, 1));
        spellings.infer("", distinct).notes
    }

    #[test]
    fn nothing_unusual_needs_no_note() {
        for cells in
            [&["1", "2"][..], &["a", "b"], &["2024-03-17", "2024-03-18"], &["13/01/2024", "01/02/2024"]]
        {
            assert_eq!(notes_of(cells, 2), Vec::<String>::new(), "{cells:?}");
        }
    }

    #[test]
    fn each_oddity_has_its_note() {
        let cases = [
            (&["", ""][..], 0, "every cell is missing"),
            (&["5", "5"], 1, "every cell has the same value"),
            (&["5", ""], 1, "every cell that is not missing has the same value"),
            (&["1", "2", "3", "x"], 4, "numbers, but 1 of 4 cells is not a number: treated as text"),
            (
                &["2024-03-17", "2024-03-18", "x", "y"],
                4,
                "dates, but 2 of 4 cells are not dates: treated as text",
            ),
            (
                &["2024-03-17", "17/03/2024"],
                2,
                "dates in several formats (%Y-%m-%d, %d/%m/%Y): treated as text",
            ),
            (
                &["13/01/2024", "01/13/2024", "01/02/2024"],
                3,
                "dates in several formats (%d/%m/%Y, %m/%d/%Y): treated as text",
            ),
            (
                &["01/02/2024", "03/04/2024"],
                2,
                "the dates don't show whether the day or the month comes first; the day is assumed to come first (%d/%m/%Y)",
            ),
            (&["007", "008", "9"], 3, "2 cells with leading zeros: kept as text, not as numbers"),
            (&["-1.5", "5", "-2.5"], 3, "2 cells are negative numbers"),
            (&["20240317", "20240318"], 2, "eight digits that are all valid dates: read as dates"),
            (&["1,5", "x"], 2, "numbers, but 1 of 2 cells is not a number: treated as text"),
            (
                &["{\"a\": 1}", "{b, c}", "x"],
                3,
                "2 cells look like sets ({…}), so the column cannot be generalised to sets; a hierarchy can \
                 group them",
            ),
        ];
        for (cells, distinct, expected) in cases {
            assert_eq!(notes_of(cells, distinct), [expected], "{cells:?}");
        }
    }

    #[test]
    fn no_finite_numbers_and_marks_are_noted_beside_the_mixture() {
        let notes = notes_of(&["1", "2", "nan", "?"], 4);
        assert_eq!(notes[0], "numbers, but 2 of 4 cells are not numbers: treated as text");
        assert_eq!(notes[1], "1 cell is not a finite number");
        assert!(notes[2].starts_with("1 cell looks like a mark for a missing value"), "{}", notes[2]);
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!([7_u64, 999, 1_000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn many_categories() {
        let mut spellings = Spellings::default();
        spellings.add("word", 1_000_000);
        let inferred = spellings.infer("", 100_000);
        assert_eq!(inferred.kind, ColumnKind::Category);
        assert_eq!(inferred.notes, ["too many categories to group by hand"]);
    }
}
