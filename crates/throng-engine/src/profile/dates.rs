//! The formats in which a column's dates may be written.

use jiff::civil::Time;
use jiff::fmt::strtime;
use serde::{Deserialize, Serialize};
use throng::wording::quoted;

/// Characters of `10:20` and of `10:20:30`.
const MINUTES: usize = 5;
const SECONDS: usize = 8;
/// Those of no time of day.
const NONE: usize = 0;

/// What is known of a format.
struct Form {
    /// As people know it.
    pattern: &'static str,
    /// The format of the day alone.
    day: DateFormat,
    /// Characters of the clock behind a space.
    clock: usize,
    /// Of a format with the day first, that with the month first.
    swapped: Option<DateFormat>,
}

/// The formats, a line each: how it looks, its pattern, its day, its clock, and the same with the month first.
macro_rules! date_formats {
    ($(#[doc = $example:literal] $name:ident: $pattern:literal, $day:ident, $clock:ident, $swapped:expr;)*) => {
        /// One way to write dates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(into = "&'static str", try_from = "String")]
        pub enum DateFormat {
            $(#[doc = $example] $name,)*
        }

        use DateFormat::*;

        impl DateFormat {
            /// All formats. Where a column's dates fit several, the first of them is taken.
            pub const ALL: [DateFormat; [$(stringify!($name)),*].len()] = [$($name),*];
        }

        static FORMS: [Form; [$(stringify!($name)),*].len()] =
            [$(Form { pattern: $pattern, day: $day, clock: $clock, swapped: $swapped }),*];
    };
}

date_formats! {
    /// `2024-03-17`
    IsoDay: "%Y-%m-%d", IsoDay, NONE, None;
    /// `2024-03-17T10:00:00`, also with a space, without seconds, with an offset; days may be among them.
    IsoTime: "%Y-%m-%dT%H:%M:%S", IsoTime, NONE, None;
    /// `2024/03/17`
    YearFirstSlash: "%Y/%m/%d", YearFirstSlash, NONE, None;
    /// `2024.03.17`
    YearFirstDot: "%Y.%m.%d", YearFirstDot, NONE, None;
    /// `17/03/2024`
    DayFirstSlash: "%d/%m/%Y", DayFirstSlash, NONE, Some(MonthFirstSlash);
    /// `03/17/2024`
    MonthFirstSlash: "%m/%d/%Y", MonthFirstSlash, NONE, None;
    /// `17-03-2024`
    DayFirstDash: "%d-%m-%Y", DayFirstDash, NONE, Some(MonthFirstDash);
    /// `03-17-2024`
    MonthFirstDash: "%m-%d-%Y", MonthFirstDash, NONE, None;
    /// `17.03.2024`
    DayFirstDot: "%d.%m.%Y", DayFirstDot, NONE, None;
    /// `17/03/24`
    ShortDayFirstSlash: "%d/%m/%y", ShortDayFirstSlash, NONE, Some(ShortMonthFirstSlash);
    /// `03/17/24`
    ShortMonthFirstSlash: "%m/%d/%y", ShortMonthFirstSlash, NONE, None;
    /// `17.03.24`
    ShortDayFirstDot: "%d.%m.%y", ShortDayFirstDot, NONE, None;
    /// `17-Mar-2024`
    NamedMonthDash: "%d-%b-%Y", NamedMonthDash, NONE, None;
    /// `17 Mar 2024`
    NamedMonthSpace: "%d %b %Y", NamedMonthSpace, NONE, None;
    /// `20240317`
    Compact: "%Y%m%d", Compact, NONE, None;
    /// `2024/03/17 10:20`
    YearFirstSlashMinute: "%Y/%m/%d %H:%M", YearFirstSlash, MINUTES, None;
    /// `2024/03/17 10:20:30`
    YearFirstSlashSecond: "%Y/%m/%d %H:%M:%S", YearFirstSlash, SECONDS, None;
    /// `17/03/2024 10:20`
    DayFirstSlashMinute: "%d/%m/%Y %H:%M", DayFirstSlash, MINUTES, Some(MonthFirstSlashMinute);
    /// `17/03/2024 10:20:30`
    DayFirstSlashSecond: "%d/%m/%Y %H:%M:%S", DayFirstSlash, SECONDS, Some(MonthFirstSlashSecond);
    /// `03/17/2024 10:20`
    MonthFirstSlashMinute: "%m/%d/%Y %H:%M", MonthFirstSlash, MINUTES, None;
    /// `03/17/2024 10:20:30`
    MonthFirstSlashSecond: "%m/%d/%Y %H:%M:%S", MonthFirstSlash, SECONDS, None;
    /// `17-03-2024 10:20`
    DayFirstDashMinute: "%d-%m-%Y %H:%M", DayFirstDash, MINUTES, Some(MonthFirstDashMinute);
    /// `17-03-2024 10:20:30`
    DayFirstDashSecond: "%d-%m-%Y %H:%M:%S", DayFirstDash, SECONDS, Some(MonthFirstDashSecond);
    /// `03-17-2024 10:20`
    MonthFirstDashMinute: "%m-%d-%Y %H:%M", MonthFirstDash, MINUTES, None;
    /// `03-17-2024 10:20:30`
    MonthFirstDashSecond: "%m-%d-%Y %H:%M:%S", MonthFirstDash, SECONDS, None;
    /// `17.03.2024 10:20`
    DayFirstDotMinute: "%d.%m.%Y %H:%M", DayFirstDot, MINUTES, None;
    /// `17.03.2024 10:20:30`
    DayFirstDotSecond: "%d.%m.%Y %H:%M:%S", DayFirstDot, SECONDS, None;
}

impl DateFormat {
    fn form(self) -> &'static Form {
        &FORMS[self as usize]
    }

    /// The format for people.
    pub fn pattern(self) -> &'static str {
        self.form().pattern
    }

    /// The format as hierarchies of dates want it; nothing where they read it without one.
    pub fn strptime(self) -> Option<&'static str> {
        match self {
            IsoDay | IsoTime => None,
            other => Some(other.pattern()),
        }
    }

    /// Whether the values may have a time of day.
    pub fn has_time(self) -> bool {
        self == IsoTime || self.day() != self
    }

    /// The format of the day alone, of one with a time of day after a space.
    fn day(self) -> DateFormat {
        self.form().day
    }

    /// The format of a day with a clock of so many characters after it.
    fn with_clock(self, length: usize) -> Option<DateFormat> {
        let is_with = |form: &Form| form.day == self && form.clock == length && length != NONE;
        FORMS.iter().position(is_with).map(|at| DateFormat::ALL[at])
    }

    /// The format with day and month in the other order.
    pub(super) fn swapped(self) -> Option<DateFormat> {
        self.form().swapped
    }
}

impl TryFrom<String> for DateFormat {
    type Error = String;

    fn try_from(pattern: String) -> Result<DateFormat, String> {
        let found = DateFormat::ALL.into_iter().find(|format| format.pattern() == pattern);
        found.ok_or_else(|| format!("there is no date format {}", quoted(&pattern)))
    }
}

impl From<DateFormat> for &'static str {
    fn from(format: DateFormat) -> &'static str {
        format.pattern()
    }
}

/// The format of a date that fits only one, or that day or month may come first in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DateSpelling {
    /// The format; of two possible ones, that with the day first.
    pub(super) format: DateFormat,
    /// Whether month and day can be read either way.
    pub(super) ambiguous: bool,
}

impl DateSpelling {
    fn certain(format: DateFormat) -> DateSpelling {
        DateSpelling { format, ambiguous: false }
    }
}

/// How a cell that starts with a digit is written, if it is a date: one of the shape of a format that
/// `jiff` can read in that format.
pub(super) fn read(cell: &[u8]) -> Option<DateSpelling> {
    let (format, time) = shape(cell)?;
    let day = &cell[..cell.len() - time.len()];
    if format == IsoTime && !is_time(time) {
        return None;
    }
    let swapped = format.swapped().filter(|swapped| swapped.reads(day));
    match (format.reads(day), swapped) {
        (true, swapped) => Some(DateSpelling { format, ambiguous: swapped.is_some() }),
        (false, Some(month_first)) => Some(DateSpelling::certain(month_first)),
        (false, None) => None,
    }
}

/// Whether eight digits are a day between 1800 and 2199, as hardly any other number is.
pub(super) fn is_compact(digits: &[u8]) -> bool {
    let likely = matches!(digits, [b'1', b'8' | b'9', ..] | [b'2', b'0' | b'1', ..]);
    digits.len() == 8 && likely && Compact.reads(digits)
}

impl DateFormat {
    /// Whether a text is a day of the calendar in this format.
    fn reads(self, day: &[u8]) -> bool {
        let format = if self == IsoTime { IsoDay } else { self.day() };
        strtime::parse(format.pattern(), day).and_then(|parts| parts.to_date()).is_ok()
    }
}

/// The format whose shape a cell has, the day first where the month might be, and what follows the day.
fn shape(cell: &[u8]) -> Option<(DateFormat, &[u8])> {
    let (first, rest) = run(cell, u8::is_ascii_digit);
    let (&separator, rest) = rest.split_first()?;
    let (second, rest) = run(rest, u8::is_ascii_alphanumeric);
    let (&again, rest) = rest.split_first()?;
    let (third, rest) = run(rest, u8::is_ascii_digit);
    let named = second.iter().all(u8::is_ascii_alphabetic);
    let numbers = named || second.iter().all(u8::is_ascii_digit);
    if again != separator || !numbers {
        return None;
    }
    let format = match (separator, first.len(), second.len(), third.len(), named) {
        (b'-', 4, 2, 2, false) if rest.is_empty() => IsoDay,
        (b'-', 4, 2, 2, false) => IsoTime,
        (b'/', 4, 1 | 2, 1 | 2, false) => YearFirstSlash,
        (b'.', 4, 1 | 2, 1 | 2, false) => YearFirstDot,
        (b'-', 1 | 2, 3, 4, true) => NamedMonthDash,
        (b' ', 1 | 2, 3, 4, true) => NamedMonthSpace,
        (b'/', 1 | 2, 1 | 2, 4, false) => DayFirstSlash,
        (b'-', 1 | 2, 1 | 2, 4, false) => DayFirstDash,
        (b'.', 1 | 2, 1 | 2, 4, false) => DayFirstDot,
        (b'/', 1 | 2, 1 | 2, 2, false) => ShortDayFirstSlash,
        (b'.', 1 | 2, 1 | 2, 2, false) => ShortDayFirstDot,
        _ => return None,
    };
    if rest.is_empty() || format == IsoTime {
        return Some((format, rest));
    }
    let clock = rest.strip_prefix(b" ").filter(|clock| is_clock(clock))?;
    Some((format.with_clock(clock.len())?, rest))
}

/// The bytes at the start that belong together, and what follows them.
fn run(text: &[u8], belongs: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !belongs(byte)).unwrap_or(text.len()))
}

/// `T10:20`, ` 10:20:30.5`, with `Z` or an offset such as `+02:00` after it or not.
fn is_time(text: &[u8]) -> bool {
    let Some(([b'T' | b't' | b' '], time)) = text.split_at_checked(1) else {
        return false;
    };
    let (time, zone) = run(time, |byte| !matches!(byte, b'Z' | b'z' | b'+' | b'-'));
    let (clock, fraction) = run(time, |&byte| byte != b'.');
    let fraction_fits = match fraction {
        [] => true,
        [_, digits @ ..] => (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit),
    };
    let zone_fits =
        matches!(zone, [] | [b'Z' | b'z']) || zone.len() == "+02:00".len() && is_clock(&zone[1..]);
    fraction_fits && zone_fits && is_clock(clock)
}

/// Whether `10:20` or `10:20:30` is a time of day. Hours of one digit are none here: as codes, their
/// beginnings would mean nothing.
pub(super) fn is_clock(text: &[u8]) -> bool {
    let colons = match text.len() {
        5 => text[2] == b':',
        8 => text[2] == b':' && text[5] == b':',
        _ => false,
    };
    let pair = |at: usize| match text.get(at..at + 2) {
        Some([tens @ b'0'..=b'9', ones @ b'0'..=b'9']) => (tens - b'0') as i8 * 10 + (ones - b'0') as i8,
        Some(_) => -1,
        None => 0,
    };
    colons && Time::new(pair(0), pair(3), pair(6), 0).is_ok()
}

#[cfg(test)]
mod tests {
    use throng::taxonomy::{DateUnit, dates};

    use super::*;

    fn format(cell: &str) -> Option<DateFormat> {
        read(cell.as_bytes()).map(|written| written.format)
    }

    /// Each format, as written with and without zeros where both are allowed.
    const EXAMPLES: [(&str, DateFormat); 31] = [
        ("2024-03-17", IsoDay),
        ("0999-03-17", IsoDay),
        ("2024-03-17T10:20:30", IsoTime),
        ("2024-03-17 09:30", IsoTime),
        ("2024-03-17T10:20:30.123456Z", IsoTime),
        ("2024-03-17T10:20:30+02:00", IsoTime),
        ("2024/03/17", YearFirstSlash),
        ("2024/3/7", YearFirstSlash),
        ("2024.03.17", YearFirstDot),
        ("17/03/2024", DayFirstSlash),
        ("7/3/2024", DayFirstSlash),
        ("03/17/2024", MonthFirstSlash),
        ("3/17/2024", MonthFirstSlash),
        ("17-03-2024", DayFirstDash),
        ("03-17-2024", MonthFirstDash),
        ("17.03.2024", DayFirstDot),
        ("7.3.2024", DayFirstDot),
        ("17/03/24", ShortDayFirstSlash),
        ("03/17/71", ShortMonthFirstSlash),
        ("29.02.00", ShortDayFirstDot),
        ("17-Mar-2024", NamedMonthDash),
        ("7-MAY-2024", NamedMonthDash),
        ("17 mar 2024", NamedMonthSpace),
        ("29 Feb 2024", NamedMonthSpace),
        ("17/03/2024 03:34", DayFirstSlashMinute),
        ("03/17/2024 03:34:05", MonthFirstSlashSecond),
        ("3.2.2024 03:34", DayFirstDotMinute),
        ("17.03.2024 10:20:30", DayFirstDotSecond),
        ("17-03-2024 10:20", DayFirstDashMinute),
        ("03-17-2024 10:20:30", MonthFirstDashSecond),
        ("2024/03/17 10:20", YearFirstSlashMinute),
    ];

    #[test]
    fn every_format_is_recognised() {
        for (cell, expected) in EXAMPLES {
            assert_eq!(format(cell), Some(expected), "{cell}");
        }
        assert!(is_compact(b"20240229") && !is_compact(b"20230229") && !is_compact(b"17001231"));
    }

    /// What is called a date here can be generalised as one.
    #[test]
    fn hierarchies_of_dates_read_every_format() {
        let compact = [("20240317", Compact)];
        for (cell, format) in EXAMPLES.into_iter().chain(compact) {
            let taxonomy = dates(&[cell], &[DateUnit::Year], format.strptime());
            let taxonomy = taxonomy.unwrap_or_else(|error| panic!("{cell}: {error}"));
            let year = &taxonomy.values()[taxonomy.leaf_total()].label;
            assert!(cell.contains(year.as_str()) || cell.ends_with(&year[2..]), "{cell}: {year}");
        }
    }

    #[test]
    fn day_and_month_that_could_be_swapped_are_ambiguous() {
        let ambiguous = |cell: &str| read(cell.as_bytes()).unwrap().ambiguous;
        assert!(
            ambiguous("03/04/2024")
                && ambiguous("3-4-2024")
                && ambiguous("3-4-2024 10:20")
                && ambiguous("01/02/03")
        );
        assert!(!ambiguous("13/04/2024") && !ambiguous("04/13/2024") && !ambiguous("03.04.2024"));
    }

    #[test]
    fn what_is_no_day_is_no_date() {
        for cell in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-3-17",
            "2024-03",
            "2024-03-17x",
            "2024-03-17T25:00",
            "2024-03-17T10",
            "2024-03/17",
            "32/13/2024",
            "1.2",
            "1.2.3",
            "1.2.345",
            "12-34",
            "17-Mat-2024",
            "17-Mar-24",
            "1/2/2024 ",
            "1/2/2024 25:00",
            "1/2/2024 10:20 x",
            "1/2/2024T10:20",
            "10:20:30",
            "20240317",
            "12345-03-17",
            "17",
            "2024-03-17T10:20:30+2",
            "2024-03-17T10:20:60",
            "2024-03-17T10:20:30+02:00:00",
            "17/003/2024",
            "17-3ar-2024",
        ] {
            assert_eq!(read(cell.as_bytes()), None, "{cell}");
        }
    }

    #[test]
    fn patterns_are_distinct_and_serialised() {
        let mut patterns: Vec<&str> = DateFormat::ALL.map(DateFormat::pattern).to_vec();
        assert_eq!(serde_json::to_value(Compact).unwrap(), "%Y%m%d");
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), DateFormat::ALL.len());
        assert!(DateFormat::ALL.iter().enumerate().all(|(at, &format)| format as usize == at));
    }
}
