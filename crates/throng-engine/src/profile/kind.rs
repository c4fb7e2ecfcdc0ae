//! What a column's values are, inferred from how they are spelled.
//!
//! A kind says what can be done with a column, so it holds for *every* known cell: one word among
//! a million numbers makes the column [`ColumnKind::Mixed`], because ranges of numbers could not
//! place that word. The rules, in order; `known` cells are those that are not empty:
//!
//! | the known cells | kind |
//! |---|---|
//! | there are none | empty |
//! | true/false, or yes/no, or y/n, or t/f, or both 0 and 1 | boolean |
//! | numbers, some with leading zeros (`007`) | code: as numbers they would lose their zeros |
//! | days as eight digits (`20240317`) | date |
//! | whole numbers, negative ones too | integer; code if the name says so (`zip`) and all are equally long |
//! | finite numbers | decimal |
//! | numbers with a decimal comma (`12,5`, `1.234,56`), whole numbers among them | decimal comma |
//! | dates that one format reads | date, with that format; day first where month and day cannot be told apart |
//! | dates in several formats | mixed |
//! | times of day (`05:21`, `05:21:47`) | time |
//! | at least half numbers, or at least half dates, and something else: words, NaN, infinity, `?` | mixed |
//! | letters with digits, without spaces (`J20`), and numbers | code |
//! | mostly long (over 50 characters, 6 words, or one line) | text |
//! | over 20 values, which occur less than twice on average | text |
//! | anything else, 100,000 values too | category |

use std::fmt;

use serde::Serialize;

use super::dates::DateFormat;
use super::free_text::TextFacts;
use super::looks::{ColumnLook, Looks, ValueMarks};
use super::no_answer::NoAnswer;
use super::notes;
use super::role::Facts;
use super::spelling::{Spelling, chars};
use super::words::Words;

/// What a column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum ColumnKind {
    /// Every cell is missing.
    Empty,
    /// Two values that say yes and no.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Finite numbers.
    Decimal,
    /// Finite numbers with a comma where others have a point.
    DecimalComma,
    /// Dates that one format reads.
    Date(DateFormat),
    /// Times of day, without a date.
    Time,
    /// Codes whose characters count one by one, such as postcodes; leading zeros stay.
    Characters,
    /// Text that repeats.
    Category,
    /// Free text: hardly ever the same twice, or long.
    Text,
    /// Numbers or dates that something else is among; to be treated as a category.
    Mixed,
    /// Lists or structures, which only Parquet has.
    Nested,
    /// Bytes of which some are no text, which only Parquet has.
    Binary,
}

impl ColumnKind {
    /// The kind in one word or two.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::Empty => "empty",
            ColumnKind::Boolean => "boolean",
            ColumnKind::Integer => "integer",
            ColumnKind::Decimal => "decimal",
            ColumnKind::DecimalComma => "decimal comma",
            ColumnKind::Date(_) => "date",
            ColumnKind::Time => "time",
            ColumnKind::Characters => "code",
            ColumnKind::Category => "category",
            ColumnKind::Text => "free text",
            ColumnKind::Mixed => "mixed",
            ColumnKind::Nested => "nested",
            ColumnKind::Binary => "binary",
        }
    }

    /// Whether every known cell is a finite number.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnKind::Integer | ColumnKind::Decimal | ColumnKind::DecimalComma)
    }

    /// Whether every known cell is a date or a time of day.
    pub fn is_moment(self) -> bool {
        matches!(self, ColumnKind::Date(_) | ColumnKind::Time)
    }

    /// Whether values can be neither compared nor generalised.
    pub fn is_opaque(self) -> bool {
        matches!(self, ColumnKind::Nested | ColumnKind::Binary)
    }

    /// The format of dates.
    pub fn date_format(self) -> Option<DateFormat> {
        match self {
            ColumnKind::Date(format) => Some(format),
            _ => None,
        }
    }
}

impl From<ColumnKind> for &'static str {
    fn from(kind: ColumnKind) -> &'static str {
        kind.name()
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnKind::Date(format) => write!(f, "date {}", format.pattern()),
            other => f.write_str(other.name()),
        }
    }
}

/// A kind, and what should be known about the column besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// What the values are.
    pub kind: ColumnKind,
    /// What is unusual, for people; no value of the data is in it.
    pub notes: Vec<String>,
}

impl Inferred {
    /// A column whose values cannot be looked at.
    pub(super) fn opaque(kind: ColumnKind) -> Inferred {
        let notes = match kind {
            ColumnKind::Binary => vec!["some values are bytes that are not text".to_owned()],
            _ => Vec::new(),
        };
        Inferred { kind, notes }
    }
}

/// How many rows of a column are spelled in which way. No value is kept.
///
/// ```
/// use throng_engine::profile::{ColumnKind, Spellings};
///
/// let mut zip = Spellings::default();
/// for cell in ["01067", "22301", "", "22301"] {
///     zip.add(cell, 1);
/// }
/// assert_eq!(zip.infer("zip", 2).kind, ColumnKind::Characters);
/// ```
#[derive(Clone, Debug)]
pub struct Spellings {
    rows: [u64; Spelling::COUNT],
    /// Characters of the shortest and the longest known cell.
    lengths: Option<(usize, usize)>,
    looks: Looks,
    text: TextFacts,
    no_answer: NoAnswer,
}

impl Default for Spellings {
    fn default() -> Spellings {
        Spellings {
            rows: [0; Spelling::COUNT],
            lengths: None,
            looks: Looks::default(),
            text: TextFacts::default(),
            no_answer: NoAnswer::default(),
        }
    }
}

/// Values that a column of text has before it is asked whether they repeat.
const FEW_VALUES: u64 = 20;

impl Spellings {
    /// Adds a cell that so many rows have; an empty one is missing.
    pub fn add(&mut self, cell: &str, rows: u64) {
        let spelling = self.see(cell.as_bytes());
        self.count(spelling, rows);
    }

    /// How a cell is spelled; its length is noted, but no row counted.
    pub(super) fn see(&mut self, cell: &[u8]) -> Spelling {
        let spelling = Spelling::read(cell);
        if spelling != Spelling::MISSING {
            let length = chars(cell);
            let (shortest, longest) = self.lengths.unwrap_or((length, length));
            self.lengths = Some((shortest.min(length), longest.max(length)));
            self.looks.add(cell);
            self.no_answer.see(cell);
        }
        if spelling.is_text() && self.text.see(cell) { spelling.with_mention() } else { spelling }
    }

    /// Looks at a number that is not spelled out.
    pub(super) fn see_number(&mut self, number: i64) {
        self.looks.add(number.to_string().as_bytes());
        self.no_answer.see_number(number);
    }

    /// What is known of a column of these cells, of which no value came twice, for its role.
    pub(crate) fn facts<'a>(
        &self,
        name: &'a str,
        kind: ColumnKind,
        distinct: u64,
        unique_rows: u64,
    ) -> Facts<'a> {
        let missing = self.missing();
        let (rows, dated, look) = (missing + self.known(), self.is_dated(), self.look());
        Facts { name, kind, rows, missing, distinct, unique_rows, dated, look, text: self.text() }
    }

    /// What is known of the texts among the cells.
    pub(super) fn text(&self) -> TextFacts {
        let mention_rows = self.all_of(&[Spelling::MENTION, Spelling::LONG_MENTION]);
        TextFacts { mention_rows, ..self.text }
    }

    /// The codes among the values that stand for no answer.
    pub(super) fn no_answers(&self, distinct: u64) -> Vec<String> {
        let is_question = self.rows_with(Spelling::YES_NO) + self.rows_with(Spelling::TRUE_FALSE) > 0;
        self.no_answer.codes(distinct, is_question)
    }

    /// The words among its numbers that stand for a missing one.
    pub(super) fn words_among_numbers(&self) -> Vec<String> {
        self.no_answer.words_among_numbers()
    }

    /// Whether most values are whole names of people.
    pub(super) fn has_whole_names(&self) -> bool {
        self.looks.has_whole_names()
    }

    /// What the values look like, if they look like somebody.
    pub fn look(&self) -> Option<ColumnLook> {
        self.looks.decide()
    }

    /// What the values look like, for who lists the marks of each.
    pub(super) fn looks(&mut self) -> &mut Looks {
        &mut self.looks
    }

    /// The marks of values as they were listed.
    pub(super) fn listed_marks(&self) -> &[ValueMarks] {
        self.looks.listed()
    }

    /// Counts rows of a spelling that was seen.
    pub(super) fn count(&mut self, spelling: Spelling, rows: u64) {
        self.rows[usize::from(spelling.0)] += rows;
    }

    /// Rows whose cells are empty.
    pub fn missing(&self) -> u64 {
        self.rows_with(Spelling::MISSING)
    }

    /// Rows whose cells are not.
    pub fn known(&self) -> u64 {
        self.rows.iter().sum::<u64>() - self.missing()
    }

    /// Characters of the shortest and the longest known cell; nothing if none is known as text.
    pub fn lengths(&self) -> Option<(usize, usize)> {
        self.lengths
    }

    /// Rows of one spelling.
    pub(super) fn rows_with(&self, spelling: Spelling) -> u64 {
        self.rows[usize::from(spelling.0)]
    }

    /// Rows of several spellings.
    fn all_of(&self, spellings: &[Spelling]) -> u64 {
        spellings.iter().map(|&spelling| self.rows_with(spelling)).sum()
    }

    fn integers(&self) -> u64 {
        let negative = Spelling::NEGATIVE_INTEGER;
        self.all_of(&[Spelling::ZERO, Spelling::ONE, Spelling::INTEGER, negative, Spelling::COMPACT])
    }

    /// Rows with finite numbers, those with leading zeros left out.
    pub(super) fn numbers(&self) -> u64 {
        let decimals = [Spelling::DECIMAL, Spelling::NEGATIVE_DECIMAL, Spelling::POINT_THOUSANDS];
        self.integers() + self.all_of(&decimals)
    }

    /// Rows with dates, eight digits left out.
    pub(super) fn dates(&self) -> u64 {
        Spelling::dates().filter(|&date| date != Spelling::COMPACT).map(|date| self.rows_with(date)).sum()
    }

    /// Whether at least half of the known cells are dates or times of day.
    pub(super) fn is_dated(&self) -> bool {
        let dated = self.dates() + self.all_of(&[Spelling::COMPACT, Spelling::TIME]);
        dated > 0 && 2 * dated >= self.known()
    }

    /// The kind of the column, which has so many distinct known values.
    ///
    /// The name of the column is a hint at most, and may be empty.
    pub fn infer(&self, name: &str, distinct: u64) -> Inferred {
        let kind = self.kind(&Words::in_name(name), distinct);
        Inferred { kind, notes: notes::notes(self, kind, distinct) }
    }

    fn kind(&self, name: &Words, distinct: u64) -> ColumnKind {
        let known = self.known();
        let zeros = self.rows_with(Spelling::LEADING_ZERO);
        if known == 0 {
            return ColumnKind::Empty;
        }
        if self.is_boolean(known, distinct) {
            return ColumnKind::Boolean;
        }
        if self.numbers() + zeros == known {
            return self.kind_of_numbers(name, known);
        }
        if self.has_decimal_commas(known) {
            return ColumnKind::DecimalComma;
        }
        if self.rows_with(Spelling::COMPACT) == 0
            && self.dates() == known
            && let Some(&format) = self.formats().first()
        {
            return ColumnKind::Date(format);
        }
        if self.rows_with(Spelling::TIME) == known {
            return ColumnKind::Time;
        }
        let numbers = (self.numbers() + zeros).max(self.numbers_with_commas());
        if 2 * numbers.max(self.dates()) >= known && !self.is_code(known) {
            return ColumnKind::Mixed;
        }
        self.kind_of_text(known, distinct)
    }

    fn is_boolean(&self, known: u64, distinct: u64) -> bool {
        let [zero, one] = [Spelling::ZERO, Spelling::ONE].map(|digit| self.rows_with(digit));
        let words = [Spelling::TRUE_FALSE, Spelling::YES_NO].map(|pair| self.rows_with(pair));
        // A letter by itself says yes or no only if its opposite is there.
        let letters = [Spelling::Y_N, Spelling::T_F].map(|pair| self.rows_with(pair));
        words.contains(&known)
            || letters.contains(&known) && distinct > 1
            || zero > 0 && one > 0 && zero + one == known
    }

    /// Whether the cells are whole numbers and such with decimal commas; what could be either is taken for those, as a
    /// column has one way to write numbers.
    fn has_decimal_commas(&self, known: u64) -> bool {
        self.numbers_with_commas() == known
    }

    /// Rows with whole numbers and such with decimal commas, if any has a decimal comma for certain.
    pub(super) fn numbers_with_commas(&self) -> u64 {
        let open = [Spelling::DECIMAL_COMMA, Spelling::COMMA, Spelling::POINT_THOUSANDS];
        if self.rows_with(Spelling::DECIMAL_COMMA) > 0 { self.integers() + self.all_of(&open) } else { 0 }
    }

    fn kind_of_numbers(&self, name: &Words, known: u64) -> ColumnKind {
        let equally_long = self.lengths.is_some_and(|(shortest, longest)| shortest == longest && longest > 2);
        if self.rows_with(Spelling::LEADING_ZERO) > 0 {
            ColumnKind::Characters
        } else if self.rows_with(Spelling::COMPACT) == known {
            ColumnKind::Date(DateFormat::Compact)
        } else if self.integers() < known {
            ColumnKind::Decimal
        } else if equally_long && name.speak_of_codes() && self.rows_with(Spelling::NEGATIVE_INTEGER) == 0 {
            ColumnKind::Characters
        } else {
            ColumnKind::Integer
        }
    }

    fn is_code(&self, known: u64) -> bool {
        let numbers = self.integers() + self.rows_with(Spelling::LEADING_ZERO);
        self.rows_with(Spelling::CODE) > 0 && self.rows_with(Spelling::CODE) + numbers == known
    }

    fn kind_of_text(&self, known: u64, distinct: u64) -> ColumnKind {
        if 2 * self.all_of(&[Spelling::LONG, Spelling::LONG_MENTION]) >= known {
            ColumnKind::Text
        } else if self.is_code(known) {
            ColumnKind::Characters
        } else if distinct > FEW_VALUES && 2 * distinct > known {
            ColumnKind::Text
        } else {
            ColumnKind::Category
        }
    }

    /// The formats that read every date of the column.
    pub(super) fn formats(&self) -> Vec<DateFormat> {
        let seen = Spelling::dates().filter(|&date| self.rows_with(date) > 0);
        let fit = seen.map(Spelling::formats).fold(u32::MAX, |fit, formats| fit & formats);
        DateFormat::ALL.into_iter().filter(|&format| fit >> format as u8 & 1 == 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infer(name: &str, cells: &[&str]) -> Inferred {
        let mut spellings = Spellings::default();
        let mut values: Vec<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
        values.sort_unstable();
        values.dedup();
        cells.iter().for_each(|cell| spellings.add(cell, 1));
        spellings.infer(name, values.len() as u64)
    }

    fn kind(cells: &[&str]) -> ColumnKind {
        infer("", cells).kind
    }

    #[test]
    fn numbers() {
        assert_eq!(kind(&["3", "", "12", "0"]), ColumnKind::Integer);
        assert_eq!(kind(&["-3", "12"]), ColumnKind::Integer);
        assert_eq!(kind(&["3", "1.5"]), ColumnKind::Decimal);
        assert_eq!(kind(&["1e3", "-0.5"]), ColumnKind::Decimal);
    }

    #[test]
    fn numbers_with_decimal_commas() {
        assert_eq!(kind(&["12,5", "3", "", "1.234,56", "1.234"]), ColumnKind::DecimalComma);
        assert_eq!(kind(&["1,5", "2,25"]), ColumnKind::DecimalComma);
        assert_eq!(kind(&["1,5", "2.25"]), ColumnKind::Mixed, "either way of writing, but not both");
        assert_eq!(kind(&["1.234", "5.678"]), ColumnKind::Decimal);
    }

    #[test]
    fn one_word_among_numbers_is_mixed() {
        assert_eq!(kind(&["3", "4", "5", "six"]), ColumnKind::Mixed);
        assert_eq!(kind(&["3", "4", "?"]), ColumnKind::Mixed);
        assert_eq!(kind(&["22,3", "4,5", "unbekannt"]), ColumnKind::Mixed);
        assert_eq!(kind(&["1.5", "NaN", "2"]), ColumnKind::Mixed);
        assert_eq!(kind(&["1.5", "-inf", "2"]), ColumnKind::Mixed);
        assert_eq!(kind(&["3", "four", "five", "six"]), ColumnKind::Category);
        assert_eq!(kind(&["2024-03-17", "2024-03-18", "soon"]), ColumnKind::Mixed);
    }

    #[test]
    fn truth() {
        for cells in
            [&["true", "False", ""][..], &["yes", "no"], &["Y", "N"], &["t", "f"], &["0", "1", "1"], &["yes"]]
        {
            assert_eq!(kind(cells), ColumnKind::Boolean, "{cells:?}");
        }
        assert_eq!(kind(&["0", "0"]), ColumnKind::Integer);
        assert_eq!(kind(&["f", "f"]), ColumnKind::Category);
        assert_eq!(kind(&["f", "m"]), ColumnKind::Category);
        assert_eq!(kind(&["yes", "true"]), ColumnKind::Category);
    }

    #[test]
    fn leading_zeros_make_codes() {
        assert_eq!(kind(&["007", "12", "0"]), ColumnKind::Characters);
        assert_eq!(kind(&["007", "x"]), ColumnKind::Mixed);
        assert_eq!(kind(&["01234", "A1234"]), ColumnKind::Characters);
    }

    #[test]
    fn a_name_makes_equally_long_numbers_codes() {
        let cells = ["12345", "22301"];
        assert_eq!(infer("zip", &cells).kind, ColumnKind::Characters);
        assert_eq!(infer("Postal_Code", &cells).kind, ColumnKind::Characters);
        assert_eq!(infer("income", &cells).kind, ColumnKind::Integer);
        assert_eq!(infer("zip", &["1234", "22301"]).kind, ColumnKind::Integer);
    }

    #[test]
    fn dates_have_one_format() {
        let date = |cells: &[&str]| kind(cells).date_format();
        assert_eq!(date(&["2024-03-17", ""]), Some(DateFormat::IsoDay));
        assert_eq!(date(&["2024-03-17", "2024-03-18 10:00"]), Some(DateFormat::IsoTime));
        assert_eq!(date(&["03/04/2024", "05/06/2024"]), Some(DateFormat::DayFirstSlash));
        assert_eq!(date(&["03/04/2024", "05/16/2024"]), Some(DateFormat::MonthFirstSlash));
        assert_eq!(date(&["20240317", "20240318"]), Some(DateFormat::Compact));
        assert_eq!(date(&["03/02/2024 03:34", "13/02/2024 23:59"]), Some(DateFormat::DayFirstSlashMinute));
        assert_eq!(date(&["03/02/2024 03:34", "03/13/2024 23:59"]), Some(DateFormat::MonthFirstSlashMinute));
        assert_eq!(date(&["2024-02-03T03:34:00Z", "2024-02-03"]), Some(DateFormat::IsoTime));
        assert_eq!(date(&["3.2.2024 03:34", "13.12.2024 10:20"]), Some(DateFormat::DayFirstDotMinute));
        assert_eq!(kind(&["20240317", "20240399"]), ColumnKind::Integer);
    }

    #[test]
    fn times_of_day() {
        assert_eq!(kind(&["05:21", "", "23:59:59", "00:00:00.125"]), ColumnKind::Time);
        assert_eq!(kind(&["05:21", "24:00"]), ColumnKind::Category);
        let many: Vec<String> = (0..1_000).map(|at| format!("{:02}:{:02}:07", at / 60, at % 60)).collect();
        let mut cells: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(kind(&cells), ColumnKind::Time);
        cells.push("noon");
        assert_eq!(kind(&cells), ColumnKind::Text, "as before: one word makes them text");
    }

    #[test]
    fn two_formats_are_no_date() {
        assert_eq!(kind(&["2024-03-17", "17/03/2024"]), ColumnKind::Mixed);
        assert_eq!(kind(&["13/01/2024", "01/13/2024"]), ColumnKind::Mixed);
        assert_eq!(kind(&["2024-03-17", "20240317"]), ColumnKind::Mixed);
    }

    #[test]
    fn text_that_repeats_is_a_category() {
        let mut spellings = Spellings::default();
        spellings.add("a word", 100);
        let kind = |distinct| spellings.infer("", distinct).kind;
        assert_eq!((kind(50), kind(51)), (ColumnKind::Category, ColumnKind::Text));
        assert_eq!(infer("", &["a", "b"]).kind, ColumnKind::Category);
        assert_eq!(infer("", &["a\nb", "a\nb"]).kind, ColumnKind::Text);
        assert_eq!(infer("", &["J20", "250", "E11"]).kind, ColumnKind::Characters);
    }

    #[test]
    fn nothing_known_is_empty() {
        assert_eq!(kind(&["", ""]), ColumnKind::Empty);
        assert_eq!(kind(&[]), ColumnKind::Empty);
    }
}
