//! How one cell is spelled: all that a column's kind is inferred from.

use super::dates::{self, DateFormat, DateSpelling};

/// How a cell is spelled, as a number below [`Spelling::COUNT`].
///
/// Dates are numbered after the rest: one spelling for each format, and one for each format in
/// which day and month could be swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spelling(pub(super) u8);

const DATES: u8 = 24;
const AMBIGUOUS: u8 = DATES + DateFormat::ALL.len() as u8;
/// The formats in which day and month could be swapped.
const SWAPPED: [DateFormat; 7] = [
    DateFormat::DayFirstSlash,
    DateFormat::DayFirstDash,
    DateFormat::ShortDayFirstSlash,
    DateFormat::DayFirstSlashMinute,
    DateFormat::DayFirstSlashSecond,
    DateFormat::DayFirstDashMinute,
    DateFormat::DayFirstDashSecond,
];

const LAST_DATE: u8 = AMBIGUOUS + SWAPPED.len() as u8 - 1;

/// Characters of the longest text that is no free text by its length alone.
const SHORT_CHARS: usize = 50;
/// Words of the longest text that is no free text by their number alone.
const SHORT_WORDS: usize = 6;
/// Bytes of the longest code.
const CODE_BYTES: usize = 24;

/// What files write for 'unknown'.
const MARKS: [&str; 10] = ["?", "-", "--", ".", "na", "n/a", "#n/a", "null", "none", "nil"];

impl Spelling {
    /// How many spellings there are.
    pub(super) const COUNT: usize = 64;

    pub(super) const MISSING: Spelling = Spelling(0);
    /// Looks like a mark for a missing value, or is nothing but spaces.
    pub(super) const MARK: Spelling = Spelling(1);
    pub(super) const ZERO: Spelling = Spelling(2);
    pub(super) const ONE: Spelling = Spelling(3);
    pub(super) const INTEGER: Spelling = Spelling(4);
    pub(super) const NEGATIVE_INTEGER: Spelling = Spelling(5);
    /// A number that starts with a zero and another digit: a code.
    pub(super) const LEADING_ZERO: Spelling = Spelling(6);
    pub(super) const DECIMAL: Spelling = Spelling(7);
    pub(super) const NEGATIVE_DECIMAL: Spelling = Spelling(8);
    /// Not a number, infinite, or too large for a number.
    pub(super) const NON_FINITE: Spelling = Spelling(9);
    /// Digits with one comma before three of them, or with commas in odd places: `1,234` may be either.
    pub(super) const COMMA: Spelling = Spelling(10);
    pub(super) const TRUE_FALSE: Spelling = Spelling(11);
    pub(super) const YES_NO: Spelling = Spelling(12);
    pub(super) const Y_N: Spelling = Spelling(13);
    pub(super) const T_F: Spelling = Spelling(14);
    /// Letters and digits without spaces.
    pub(super) const CODE: Spelling = Spelling(15);
    pub(super) const WORDS: Spelling = Spelling(16);
    /// Many words, or several lines.
    pub(super) const LONG: Spelling = Spelling(17);
    /// Bytes that are no text at all.
    pub(super) const NOT_TEXT: Spelling = Spelling(18);
    /// Words between braces, as sets and short JSON have them.
    pub(super) const BRACED: Spelling = Spelling(19);
    /// A time of day: hours and minutes of two digits, perhaps seconds.
    pub(super) const TIME: Spelling = Spelling(20);
    /// A number with a decimal comma: `12,5`, `1.234,56`.
    pub(super) const DECIMAL_COMMA: Spelling = Spelling(21);
    /// A number with commas at its thousands: `1,234.5`.
    pub(super) const COMMA_THOUSANDS: Spelling = Spelling(22);
    /// A decimal that could be a whole number with points at its thousands: `1.234`.
    pub(super) const POINT_THOUSANDS: Spelling = Spelling(23);
    /// A day as ISO 8601 has it.
    pub(super) const ISO_DAY: Spelling = Spelling(DATES);
    /// Eight digits that are also a day.
    pub(super) const COMPACT: Spelling = Spelling(DATES + DateFormat::Compact as u8);

    /// As [`WORDS`](Self::WORDS) and [`LONG`](Self::LONG), and somebody is mentioned.
    pub(super) const MENTION: Spelling = Spelling(LAST_DATE + 1);
    pub(super) const LONG_MENTION: Spelling = Spelling(LAST_DATE + 2);

    /// The same of a text that mentions somebody.
    pub(super) fn with_mention(self) -> Spelling {
        if self == Spelling::LONG { Spelling::LONG_MENTION } else { Spelling::MENTION }
    }

    /// Whether a text may be more than a code.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Spelling::WORDS | Spelling::LONG)
    }

    fn date(written: DateSpelling) -> Spelling {
        let swapped =
            SWAPPED.iter().position(|format| *format == written.format).filter(|_| written.ambiguous);
        Spelling(swapped.map_or(DATES + written.format as u8, |at| AMBIGUOUS + at as u8))
    }

    /// The formats in which this is a date, one bit for each.
    pub(super) fn formats(self) -> u32 {
        let bit = |format: DateFormat| 1_u32 << format as u8;
        match self.0 {
            at if at > LAST_DATE => 0,
            at if at >= AMBIGUOUS => {
                let format = SWAPPED[usize::from(at - AMBIGUOUS)];
                bit(format) | format.swapped().map_or(0, bit)
            }
            // Days are read wherever times are.
            at if at == DATES => bit(DateFormat::IsoDay) | bit(DateFormat::IsoTime),
            at if at > DATES => 1 << (at - DATES),
            _ => 0,
        }
    }

    /// Every spelling that is a date.
    pub(super) fn dates() -> impl Iterator<Item = Spelling> {
        let count = DateFormat::ALL.len() as u8;
        (0..count + SWAPPED.len() as u8).map(|at| Spelling(DATES + at))
    }

    /// How a cell is spelled.
    pub(super) fn read(cell: &[u8]) -> Spelling {
        let bare = cell.trim_ascii();
        let Some(first) = bare.first() else {
            return if cell.is_empty() { Spelling::MISSING } else { Spelling::MARK };
        };
        if first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.') {
            let date = || dates::read(bare).map(Spelling::date);
            number(bare).or_else(date).or_else(|| time(bare)).unwrap_or_else(|| text(bare))
        } else {
            text(bare)
        }
    }
}

fn number(bare: &[u8]) -> Option<Spelling> {
    let (negative, digits) = match bare {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bare),
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return other_number(bare, digits, negative);
    }
    match digits {
        [] => None,
        b"0" if bare.len() == 1 => Some(Spelling::ZERO),
        b"1" if bare.len() == 1 => Some(Spelling::ONE),
        [b'0', _, ..] => Some(Spelling::LEADING_ZERO),
        _ if negative => Some(Spelling::NEGATIVE_INTEGER),
        _ if bare.len() == 8 && dates::is_compact(digits) => Some(Spelling::COMPACT),
        _ => Some(Spelling::INTEGER),
    }
}

/// Numbers with more than a sign and digits.
fn other_number(bare: &[u8], digits: &[u8], negative: bool) -> Option<Spelling> {
    let only = |allowed: &[u8]| digits.iter().all(|byte| byte.is_ascii_digit() || allowed.contains(byte));
    if digits.first().is_some_and(u8::is_ascii_digit) && only(b",.") && digits.contains(&b',') {
        return Some(with_comma(digits));
    }
    if !only(b".eE+-") && !digits.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let number: f64 = std::str::from_utf8(bare).ok()?.parse().ok()?;
    Some(match digits {
        _ if !number.is_finite() => Spelling::NON_FINITE,
        [b'0', b'0'..=b'9', ..] => Spelling::LEADING_ZERO,
        _ if negative => Spelling::NEGATIVE_DECIMAL,
        _ if is_grouped(digits, b'.') => Spelling::POINT_THOUSANDS,
        _ => Spelling::DECIMAL,
    })
}

/// Digits with commas and perhaps points among them.
fn with_comma(digits: &[u8]) -> Spelling {
    let count = |mark: u8| digits.iter().filter(|&&byte| byte == mark).count();
    let last = |mark: u8| digits.iter().rposition(|&byte| byte == mark);
    let (comma, point) = (last(b','), last(b'.'));
    let split = |at: usize| (&digits[..at], &digits[at + 1..]);
    match (comma.map(split), point.map(split)) {
        // `1.234,5`: points at the thousands, if any, and one comma.
        (Some((whole, part)), _) if count(b',') == 1 && comma > point => {
            let is_whole = whole.iter().all(u8::is_ascii_digit) || is_grouped(whole, b'.');
            let is_open = point.is_none() && is_grouped(digits, b',');
            if is_whole && !part.is_empty() && !is_open { Spelling::DECIMAL_COMMA } else { Spelling::COMMA }
        }
        (_, Some((whole, _))) if count(b'.') == 1 && is_grouped(whole, b',') => Spelling::COMMA_THOUSANDS,
        (_, None) if count(b',') > 1 && is_grouped(digits, b',') => Spelling::COMMA_THOUSANDS,
        _ => Spelling::COMMA,
    }
}

/// Whether a mark stands before each three of the last digits, and at most three come first, without a zero.
fn is_grouped(digits: &[u8], mark: u8) -> bool {
    let mut groups = digits.split(|&byte| byte == mark);
    let is_first = |first: &[u8]| (1..=3).contains(&first.len()) && first[0] != b'0';
    let all_digits = digits.iter().all(|byte| byte.is_ascii_digit() || *byte == mark);
    all_digits
        && groups.next().is_some_and(is_first)
        && digits.contains(&mark)
        && groups.all(|group| group.len() == 3)
}

fn time(bare: &[u8]) -> Option<Spelling> {
    let (clock, fraction) = bare.split_at(bare.len().min("05:21:47".len()));
    let fraction_is_digits = match fraction {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    (dates::is_clock(clock) && fraction_is_digits).then_some(Spelling::TIME)
}

fn text(bare: &[u8]) -> Spelling {
    if let Some(word) = known_word(bare) {
        return word;
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    if bare.len() <= CODE_BYTES && bare.iter().any(u8::is_ascii_digit) && bare.iter().all(plain) {
        return Spelling::CODE;
    }
    if !bare.is_ascii() && std::str::from_utf8(bare).is_err() {
        return Spelling::NOT_TEXT;
    }
    let words = bare.iter().filter(|&&byte| byte == b' ').count() + 1;
    let lines = bare.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    if lines || words > SHORT_WORDS || chars(bare) > SHORT_CHARS {
        Spelling::LONG
    } else if bare.starts_with(b"{") && bare.ends_with(b"}") {
        Spelling::BRACED
    } else {
        Spelling::WORDS
    }
}

/// Words that mean something by themselves; none is longer than nine bytes.
fn known_word(bare: &[u8]) -> Option<Spelling> {
    if bare.len() > 9 {
        return None;
    }
    let is = |word: &str| bare.eq_ignore_ascii_case(word.as_bytes());
    let any = |words: &[&str]| words.iter().any(|word| is(word));
    Some(match bare[0].to_ascii_lowercase() {
        b't' | b'f' if bare.len() == 1 => Spelling::T_F,
        b'y' | b'n' if bare.len() == 1 => Spelling::Y_N,
        b't' | b'f' if any(&["true", "false"]) => Spelling::TRUE_FALSE,
        b'y' | b'n' if any(&["yes", "no"]) => Spelling::YES_NO,
        b'n' if is("nan") => Spelling::NON_FINITE,
        b'i' if any(&["inf", "infinity"]) => Spelling::NON_FINITE,
        _ if any(&MARKS) => Spelling::MARK,
        _ => return None,
    })
}

/// Characters of a text.
pub(super) fn chars(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_all(expected: Spelling, cells: &[&str]) {
        for cell in cells {
            assert_eq!(Spelling::read(cell.as_bytes()), expected, "{cell:?}");
        }
    }

    #[test]
    fn numbers() {
        assert_all(Spelling::ZERO, &["0", " 0"]);
        assert_all(Spelling::ONE, &["1"]);
        assert_all(
            Spelling::INTEGER,
            &["7", "+5", " 42 ", "99999999999999999999", "12345678", "19990231", "+1"],
        );
        assert_all(Spelling::NEGATIVE_INTEGER, &["-7", "-0"]);
        assert_all(Spelling::DECIMAL, &["1.5", ".5", "5.", "1e3", "0.5", "2.0E-3"]);
        assert_all(Spelling::NEGATIVE_DECIMAL, &["-1.5", "-1e3"]);
        assert_all(Spelling::COMPACT, &["20240317"]);
    }

    #[test]
    fn leading_zeros_are_codes() {
        assert_all(Spelling::LEADING_ZERO, &["007", "00", "01234", "-05", "00.5"]);
    }

    #[test]
    fn no_finite_number() {
        assert_all(
            Spelling::NON_FINITE,
            &["nan", "NaN", "inf", "-Inf", "+inf", "Infinity", "-infinity", "1e999"],
        );
    }

    #[test]
    fn commas_are_no_points() {
        assert_all(
            Spelling::DECIMAL_COMMA,
            &["1,5", "1.234,5", "-12,75", "0,123", "1234,567", "1.234.567,89"],
        );
        assert_all(Spelling::COMMA_THOUSANDS, &["-1,234.5", "1,234,567", "12,345.67"]);
        assert_all(Spelling::COMMA, &["1,234", "1,2,3", "1,23.4", "1.23,4", "5,"]);
        assert_all(Spelling::POINT_THOUSANDS, &["1.234", "12.345"]);
        assert_all(Spelling::DECIMAL, &["0.123", "1234.567", "1.2345"]);
    }

    #[test]
    fn times_of_day() {
        assert_all(Spelling::TIME, &["05:21", "23:59:59", "00:00:00.125"]);
        assert_all(
            Spelling::WORDS,
            &["5:21", "24:00", "12:60", "12:3", "12:34:5", "12:34.5", "12:34:60", "12:34:56:78"],
        );
    }

    #[test]
    fn missing_and_marks() {
        assert_all(Spelling::MISSING, &[""]);
        assert_all(Spelling::MARK, &[" ", "?", "NA", "n/a", "null", "None", "-", "--", "."]);
    }

    #[test]
    fn words_for_truth() {
        assert_all(Spelling::TRUE_FALSE, &["true", "FALSE"]);
        assert_all(Spelling::YES_NO, &["Yes", "no"]);
        assert_all(Spelling::Y_N, &["Y", "n"]);
        assert_all(Spelling::T_F, &["t", "F"]);
    }

    #[test]
    fn codes_words_and_long_text() {
        assert_all(Spelling::CODE, &["J20", "AB-12", "11th", "1.2.3", "10-20"]);
        assert_all(Spelling::WORDS, &["male", "J20 bronchitis", "<=50K", "é1", "-x", "+", "e-e"]);
        assert_all(Spelling::BRACED, &["{a, b}", " {\"a\": 1} ", "{}"]);
        assert_all(Spelling::WORDS, &["{a", "b}", "[a]"]);
        assert_all(Spelling::LONG, &["a\nb", "one two three four five six seven", &"x".repeat(51)]);
        assert_eq!(Spelling::read(b"x\xc3"), Spelling::NOT_TEXT);
    }

    #[test]
    fn dates_keep_all_formats_that_fit() {
        let formats = |cell: &str| Spelling::read(cell.as_bytes()).formats().count_ones();
        assert_eq!(["03/04/2024", "13/04/2024", "2024-03-17", "J20"].map(formats), [2, 1, 2, 0]);
        let all = Spelling::dates().fold(0, |all, spelling| all | spelling.formats());
        assert_eq!(all.count_ones() as usize, DateFormat::ALL.len());
        assert!(Spelling::dates().all(|spelling| usize::from(spelling.0) < Spelling::COUNT));
    }
}
