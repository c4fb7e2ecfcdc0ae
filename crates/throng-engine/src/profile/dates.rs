//! The formats in which a column's dates may be written.

use serde::Serialize;

/// One way to write dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum DateFormat {
    /// `2024-03-17`
    IsoDay,
    /// `2024-03-17T10:00:00`, also with a space, without seconds, with an offset; days may be among them.
    IsoTime,
    /// `2024/03/17`
    YearFirstSlash,
    /// `2024.03.17`
    YearFirstDot,
    /// `17/03/2024`
    DayFirstSlash,
    /// `03/17/2024`
    MonthFirstSlash,
    /// `17-03-2024`
    DayFirstDash,
    /// `03-17-2024`
    MonthFirstDash,
    /// `17.03.2024`
    DayFirstDot,
    /// `17/03/24`
    ShortDayFirstSlash,
    /// `03/17/24`
    ShortMonthFirstSlash,
    /// `17.03.24`
    ShortDayFirstDot,
    /// `17-Mar-2024`
    NamedMonthDash,
    /// `17 Mar 2024`
    NamedMonthSpace,
    /// `20240317`
    Compact,
}

use DateFormat::*;

impl DateFormat {
    /// All formats. Where a column's dates fit several, the first of them is taken.
    pub const ALL: [DateFormat; 15] = [
        IsoDay,
        IsoTime,
        YearFirstSlash,
        YearFirstDot,
        DayFirstSlash,
        MonthFirstSlash,
        DayFirstDash,
        MonthFirstDash,
        DayFirstDot,
        ShortDayFirstSlash,
        ShortMonthFirstSlash,
        ShortDayFirstDot,
        NamedMonthDash,
        NamedMonthSpace,
        Compact,
    ];

    /// The format for people.
    pub fn pattern(self) -> &'static str {
        match self {
            IsoDay => "%Y-%m-%d",
            IsoTime => "%Y-%m-%dT%H:%M:%S",
            YearFirstSlash => "%Y/%m/%d",
            YearFirstDot => "%Y.%m.%d",
            DayFirstSlash => "%d/%m/%Y",
            MonthFirstSlash => "%m/%d/%Y",
            DayFirstDash => "%d-%m-%Y",
            MonthFirstDash => "%m-%d-%Y",
            DayFirstDot => "%d.%m.%Y",
            ShortDayFirstSlash => "%d/%m/%y",
            ShortMonthFirstSlash => "%m/%d/%y",
            ShortDayFirstDot => "%d.%m.%y",
            NamedMonthDash => "%d-%b-%Y",
            NamedMonthSpace => "%d %b %Y",
            Compact => "%Y%m%d",
        }
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
        self == IsoTime
    }

    /// The format with day and month in the other order.
    pub(super) fn swapped(self) -> Option<DateFormat> {
        match self {
            DayFirstSlash => Some(MonthFirstSlash),
            DayFirstDash => Some(MonthFirstDash),
            ShortDayFirstSlash => Some(ShortMonthFirstSlash),
            _ => None,
        }
    }
}

impl From<DateFormat> for &'static str {
    fn from(format: DateFormat) -> &'static str {
        format.pattern()
    }
}

/// The format of a date that fits only one, or that day or month may come first in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The format; of two possible ones, that with the day first.
    pub(super) format: DateFormat,
    /// Whether month and day can be read either way.
    pub(super) ambiguous: bool,
}

impl Written {
    fn certain(format: DateFormat) -> Written {
        Written { format, ambiguous: false }
    }
}

/// How a cell that starts with a digit is written, if it is a date.
pub(super) fn read(cell: &[u8]) -> Option<Written> {
    let (first, rest) = digits(cell)?;
    let (&separator, rest) = rest.split_first()?;
    match cell.len() - rest.len() - 1 {
        4 => year_first(first, separator, rest),
        1 | 2 => day_or_month_first(first, separator, rest),
        _ => None,
    }
}

/// Whether eight digits are a day between 1800 and 2199, as hardly any other number is.
pub(super) fn is_compact(digits: &[u8]) -> bool {
    let number =
        |range: std::ops::Range<usize>| digits[range].iter().fold(0, |n, d| n * 10 + u32::from(d - b'0'));
    digits.len() == 8
        && (1800..2200).contains(&number(0..4))
        && is_day(number(0..4), number(4..6), number(6..8))
}

fn year_first(year: u32, separator: u8, rest: &[u8]) -> Option<Written> {
    let (month, after) = digits(rest)?;
    let (&second, days) = after.split_first()?;
    let (day, time) = digits(days)?;
    let padded = rest.len() - after.len() == 2 && days.len() - time.len() == 2;
    if second != separator || !is_day(year, month, day) {
        return None;
    }
    match (separator, time) {
        (b'-', []) if padded => Some(Written::certain(IsoDay)),
        (b'-', time) if padded && is_time(time) => Some(Written::certain(IsoTime)),
        (b'/', []) => Some(Written::certain(YearFirstSlash)),
        (b'.', []) => Some(Written::certain(YearFirstDot)),
        _ => None,
    }
}

fn day_or_month_first(first: u32, separator: u8, rest: &[u8]) -> Option<Written> {
    let named = match separator {
        b'-' => Some(NamedMonthDash),
        b' ' => Some(NamedMonthSpace),
        _ => None,
    };
    if let (Some(format), Some(month)) = (named, rest.get(..3).and_then(month_named)) {
        let (&second, year) = rest[3..].split_first()?;
        let (year, end) = digits(year).filter(|_| year.len() == 4)?;
        return (second == separator && end.is_empty() && is_day(year, month, first))
            .then_some(Written::certain(format));
    }
    let (second, rest) = digits(rest)?;
    let (&again, rest) = rest.split_first()?;
    let (year, end) = digits(rest)?;
    if again != separator || !end.is_empty() {
        return None;
    }
    let day_first = match (separator, rest.len()) {
        (b'/', 4) => DayFirstSlash,
        (b'-', 4) => DayFirstDash,
        (b'.', 4) => DayFirstDot,
        (b'/', 2) => ShortDayFirstSlash,
        (b'.', 2) => ShortDayFirstDot,
        _ => return None,
    };
    // Years of two digits run from 1969 to 2068.
    let year = if rest.len() == 4 { year } else { 1900 + year + if year < 69 { 100 } else { 0 } };
    let month_first = day_first.swapped().filter(|_| is_day(year, first, second));
    match (is_day(year, second, first), month_first) {
        (true, other) => Some(Written { format: day_first, ambiguous: other.is_some() }),
        (false, Some(month_first)) => Some(Written::certain(month_first)),
        (false, None) => None,
    }
}

/// The number that up to four digits at the start make, and what follows them.
fn digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    let number = text[..length].iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
    (1..=4).contains(&length).then_some((number, &text[length..]))
}

fn month_named(name: &[u8]) -> Option<u32> {
    const NAMES: [&[u8]; 12] =
        [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
    (1..).zip(NAMES).find(|(_, known)| name.eq_ignore_ascii_case(known)).map(|(month, _)| month)
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `T10:20`, ` 10:20:30.5`, with `Z` or an offset such as `+02:00` after it or not.
fn is_time(text: &[u8]) -> bool {
    let Some(([b'T' | b't' | b' '], time)) = text.split_at_checked(1) else {
        return false;
    };
    let zone = time.iter().position(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-')).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone);
    let (time, fraction) = match time.iter().position(|&byte| byte == b'.') {
        Some(point) => (&time[..point], &time[point + 1..]),
        None => (time, &b"0"[..]),
    };
    let fraction_fits = (1..=9).contains(&fraction.len()) && fraction.iter().all(u8::is_ascii_digit);
    let zone_fits = matches!(zone, [] | [b'Z' | b'z']) || is_clock(&zone[1..], &[23, 59]);
    fraction_fits && zone_fits && (is_clock(time, &[23, 59]) || is_clock(time, &[23, 59, 59]))
}

/// Two digits for each limit, none above it, with colons between.
fn is_clock(text: &[u8], limits: &[u32]) -> bool {
    let mut parts = text.split(|&byte| byte == b':');
    let fits = limits.iter().all(|&limit| {
        parts.next().is_some_and(|part| {
            part.len() == 2 && digits(part).is_some_and(|(n, end)| end.is_empty() && n <= limit)
        })
    });
    fits && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use throng::taxonomy::{DateUnit, dates};

    use super::*;

    fn format(cell: &str) -> Option<DateFormat> {
        read(cell.as_bytes()).map(|written| written.format)
    }

    /// Each format, as written with and without zeros where both are allowed.
    const EXAMPLES: [(&str, DateFormat); 24] = [
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
        assert!(ambiguous("03/04/2024") && ambiguous("3-4-2024") && ambiguous("01/02/03"));
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
            "10:20:30",
            "20240317",
            "12345-03-17",
            "17",
            "2024-03-17T10:20:30+2",
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
