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
    /// How dates are spelled where they are text; none means as in 2024-03-17, whatever follows the day.
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

/// A day such as 2024-03-17, and what follows it.
fn split_date(text: &str) -> Option<(Date, &str)> {
    let (day, rest) = text.split_at_checked(10)?;
    let is_time =
        |rest: &str| rest.len() > 1 && rest.starts_with(['T', ' ']) && rest.as_bytes()[1].is_ascii_digit();
    let is_day = day.as_bytes()[4] == b'-' && (rest.is_empty() || is_time(rest));
    day.parse().ok().filter(|_| is_day).map(|date| (date, rest))
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
