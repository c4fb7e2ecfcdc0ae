//! Dates that are kept, but moved by a random number of days, the same for all dates of a person.

use jiff::civil::Date;
use jiff::fmt::strtime;
use jiff::{Span, ToSpan};

use crate::wording::Message;

/// The most days that dates can be moved by: a century.
const MOST_DAYS: u32 = 36_525;

/// How dates of a column are moved.
#[derive(Clone, Debug, PartialEq)]
pub struct DateShift {
    /// The most days, earlier or later.
    pub days: u32,
    /// How dates are spelled where they are text; none means as in 2024-03-17, with or without a time of day.
    pub format: Option<String>,
}

impl DateShift {
    /// Refuses a number of days by which nothing would be moved, or far too many.
    pub(crate) fn check(&self) -> Result<(), Message> {
        if (1..=MOST_DAYS).contains(&self.days) {
            return Ok(());
        }
        let allowed = format!("it must be a whole number of days from 1 to {MOST_DAYS}");
        Err((format!("shift_days is {}", self.days), allowed).into())
    }

    /// A date that is so many days later, spelled alike; none if the text is no date, or the other is none.
    pub(crate) fn cell(&self, text: &str, days: i32) -> Option<String> {
        let text = text.trim();
        let span: Span = days.days();
        match &self.format {
            Some(format) => {
                let at = strtime::parse(format, text).ok()?.to_datetime().ok()?;
                strtime::format(format, at.checked_add(span).ok()?).ok()
            }
            None => {
                let (date, rest) = split_date(text)?;
                Some(format!("{}{rest}", date.checked_add(span).ok()?))
            }
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        let days = if self.days == 1 { "day".to_owned() } else { format!("{} days", self.days) };
        format!(
            "dates moved by one random number of days a person, at most {days} either way; intervals between the \
             dates of a person are exact, so anyone who knows one of them can undo it"
        )
    }
}

/// A day such as 2024-03-17, and the time that follows it, if one does.
fn split_date(text: &str) -> Option<(Date, &str)> {
    let (day, rest) = text.split_at_checked(10)?;
    let is_day =
        day.as_bytes()[4] == b'-' && (rest.is_empty() || rest.strip_prefix(['T', ' ']).is_some_and(is_time));
    day.parse().ok().filter(|_| is_day).map(|date| (date, rest))
}

/// Whether all of a text is a time such as `09:30`, `09:30:15.25`, `09:30Z` or `09:30+01:00`: it is released as it is, so
/// nothing else may be in it.
fn is_time(text: &str) -> bool {
    let (clock, offset) = text.split_at(text.find(['Z', 'z', '+', '-']).unwrap_or(text.len()));
    let is_offset = match offset.strip_prefix(['+', '-']) {
        Some(ahead) => match ahead.len() {
            2 => is_below(ahead, 24),
            4 => ahead.is_ascii() && is_below(&ahead[..2], 24) && is_below(&ahead[2..], 60),
            _ => are_hours_and_minutes(ahead),
        },
        None => matches!(offset, "" | "Z" | "z"),
    };
    let (hours, seconds) = clock.split_at_checked(5).unwrap_or((clock, ""));
    is_offset && are_hours_and_minutes(hours) && (seconds.is_empty() || are_seconds(seconds))
}

fn are_hours_and_minutes(text: &str) -> bool {
    text.split_once(':').is_some_and(|(hours, minutes)| is_below(hours, 24) && is_below(minutes, 60))
}

/// Whether a text is `:15`, or that with up to nine decimals.
fn are_seconds(text: &str) -> bool {
    let Some(text) = text.strip_prefix(':') else { return false };
    let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let are_digits = decimals.bytes().all(|digit| digit.is_ascii_digit());
    is_below(whole, 60) && (1..=9).contains(&decimals.len()) && are_digits
}

/// Whether a text is two digits of a number below another.
fn is_below(text: &str, limit: u8) -> bool {
    let are_digits = text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_digit());
    are_digits && text.parse().is_ok_and(|number: u8| number < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(format: Option<&str>) -> DateShift {
        DateShift { days: 40, format: format.map(str::to_owned) }
    }

    #[test]
    fn dates_are_spelled_alike() {
        let iso = |text: &str, days| shift(None).cell(text, days).unwrap();
        assert_eq!(iso("2024-02-28", 2), "2024-03-01");
        assert_eq!(iso("2024-03-01T09:30:00Z", -1), "2024-02-29T09:30:00Z");
        assert_eq!(iso(" 1999-12-31 23:59", 1), "2000-01-01 23:59");
        let german = shift(Some("%d.%m.%Y"));
        assert_eq!(german.cell("31.12.2023", 40).unwrap(), "09.02.2024");
        let time = shift(Some("%m/%d/%Y %H:%M"));
        assert_eq!(time.cell("12/31/2023 07:05", -31).unwrap(), "11/30/2023 07:05");
        let stays = [
            "T09:30",
            " 23:59:59",
            "T09:30:15.250000001",
            "T00:00:00Z",
            " 09:30+0100",
            "T09:30-04:30",
            " 09:30+02",
        ];
        for time in stays {
            assert_eq!(iso(&format!("2023-01-05{time}"), 1), format!("2023-01-06{time}"));
        }
        let others = [
            " 9 Ann Koch",
            " 09:30 Ann",
            " 09:30Z Ann",
            " 09:30+01:00 Ann",
            "T9",
            " 24:00",
            "T09:60",
            "T09:30:15.",
            "T09:30:15.1234567891",
            "T09:30[Ann]",
            "T09:30+1",
            "T09:30+é",
            "T09:30+ééé",
            "Té9:30",
        ];
        for other in others {
            assert_eq!(shift(None).cell(&format!("2023-01-05{other}"), 1), None, "{other}");
        }
        for wrong in ["", "17.03.2024", "2024-13-01", "2024-03-17x", "20240317", "9999-12-31"] {
            assert_eq!(shift(None).cell(wrong, 1), None, "{wrong}");
        }
        assert_eq!(german.cell("2024-03-17", 1), None);
    }

    #[test]
    fn no_days_and_too_many_are_refused() {
        let of = |days| DateShift { days, format: None }.check();
        assert!(of(0).is_err() && of(36_526).is_err() && of(1).is_ok());
    }
}
