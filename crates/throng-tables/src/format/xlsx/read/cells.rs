//! The cells of a sheet as text: what people see, but for what a number format only adds or hides.
//!
//! Numbers have the 15 digits that Excel shows; `0.00` gives `2.50` and `00000` gives `01234`, but no format rounds a number
//! or adds a sign to it. Dates are `2024-03-17`, with the time where their format shows one.

use std::fmt::Write;

use calamine::{DataRef, ExcelDateTime, Style};
use jiff::ToSpan;
use jiff::civil::date;

/// Digits of a number that Excel keeps and shows.
const DIGITS: usize = 15;
/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;
/// The day that Excel counts as 1900-02-29, which never was.
const NO_DAY: i64 = 60;
/// The last day that Excel knows, 9999-12-31.
const LAST_DAY: i64 = 2_958_465;
/// Days from the first day of the other count of days, 1904-01-01, to the usual one.
const DAYS_TO_1904: i64 = 1462;

/// What a number format shows of a number or a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Digits before the point, at least, if they are padded with zeros.
    digits: usize,
    /// Digits behind the point, at least.
    decimals: usize,
    date: bool,
    time: bool,
}

impl Shown {
    /// What the formats of cells show, by their number.
    pub(super) fn of_styles(styles: &[Style]) -> Vec<Shown> {
        let code =
            |style: &Style| style.number_format.as_ref().map(|format| Shown::from_code(&format.format_code));
        styles.iter().map(|style| code(style).unwrap_or_default()).collect()
    }

    /// What a format code shows, as `#,##0.00` or `dd/mm/yyyy`.
    fn from_code(code: &str) -> Shown {
        let signs = signs(code);
        let has = |any: &[char]| signs.chars().any(|sign| any.contains(&sign));
        let (date, time) = (has(&['y', 'd']), has(&['h', 's']));
        // Months and minutes are the same sign.
        let date = date || has(&['m']) && !time;
        if date || time {
            return Shown { date, time, ..Shown::default() };
        }
        let (whole, rest) = signs.split_once('.').unwrap_or((&signs, ""));
        let is_plain = signs.chars().all(|sign| matches!(sign, '0' | '#' | ',' | '.'));
        if !is_plain || !whole.ends_with('0') || signs == "general" {
            return Shown::default();
        }
        let is_padded = whole.bytes().all(|sign| sign == b'0');
        let decimals = rest.bytes().take_while(|&sign| sign == b'0').count().min(DIGITS);
        Shown { digits: if is_padded { whole.len().min(DIGITS) } else { 0 }, decimals, ..Shown::default() }
    }
}

/// The signs of the first section of a format code that stand for digits, dates and times.
fn signs(code: &str) -> String {
    let mut signs = String::new();
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => drop(characters.by_ref().find(|&next| next == '"')),
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                // Hours that do not end at 24; all else in brackets is a colour, a currency or a language.
                let inside: String = characters.by_ref().take_while(|&next| next != ']').collect();
                if inside.chars().all(|sign| matches!(sign, 'h' | 'H' | 'm' | 'M' | 's' | 'S')) {
                    signs.push('h');
                }
            }
            ';' => break,
            ' ' | '$' | '€' | '£' | '¥' | '-' | '+' | '(' | ')' => {}
            other => signs.extend(other.to_lowercase()),
        }
    }
    signs
}

/// Appends what a cell shows; nothing if it is empty.
pub(super) fn spell(text: &mut String, cell: &DataRef<'_>, shown: Shown, is_1904: bool) {
    match cell {
        DataRef::Empty => {}
        DataRef::String(cell) => text.push_str(cell),
        DataRef::SharedString(cell) => text.push_str(cell),
        DataRef::Int(number) => drop(write!(text, "{number}")),
        DataRef::Float(number) => spell_number(text, *number, shown),
        DataRef::Bool(is_true) => text.push_str(if *is_true { "true" } else { "false" }),
        DataRef::DateTime(time) => spell_time(text, time, shown, is_1904),
        DataRef::DateTimeIso(time) => match time.split_once('T') {
            Some((day, time)) if time.trim_end_matches(['0', ':', '.', 'Z']).is_empty() => text.push_str(day),
            Some((day, time)) => drop(write!(text, "{day} {time}")),
            None => text.push_str(time),
        },
        DataRef::DurationIso(time) => text.push_str(time),
        DataRef::Error(error) => drop(write!(text, "{error}")),
    }
}

fn spell_number(text: &mut String, number: f64, shown: Shown) {
    let number: f64 = format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number);
    if !number.is_finite() || number.abs() >= 1e21 || number != 0.0 && number.abs() < 1e-9 {
        let _ = write!(text, "{number:E}");
        return;
    }
    let digits = number.abs().to_string();
    let (whole, rest) = digits.split_once('.').unwrap_or((&digits, ""));
    let decimals = rest.len().max(shown.decimals);
    if number < 0.0 {
        text.push('-');
    }
    let _ = write!(text, "{whole:0>0$}", shown.digits);
    if decimals > 0 {
        let _ = write!(text, ".{rest:0<decimals$}");
    }
}

/// A date, a time of the day, both, or a length of time: as the format shows it.
fn spell_time(text: &mut String, time: &ExcelDateTime, shown: Shown, is_1904: bool) {
    let value = time.as_f64();
    let seconds = (value * DAY_SECONDS as f64).round();
    let day = seconds / DAY_SECONDS as f64;
    if !(0.0..=(LAST_DAY + 1) as f64).contains(&day) {
        return spell_number(text, value, Shown::default());
    }
    let (day, second) = (seconds as i64 / DAY_SECONDS, seconds as i64 % DAY_SECONDS);
    if time.is_duration() {
        return spell_clock(text, day * 24, second);
    }
    // Formats that differ by language have no code; then the value says it.
    let is_known = shown.date || shown.time;
    let (has_date, has_time) = match is_known {
        true => (shown.date, shown.time),
        false => (value >= 1.0, second > 0),
    };
    if has_date {
        spell_day(text, day, is_1904);
    }
    if has_date && has_time {
        text.push(' ');
    }
    if has_time || !has_date {
        spell_clock(text, 0, second);
    }
}

fn spell_clock(text: &mut String, hours: i64, second: i64) {
    let _ = write!(text, "{:02}:{:02}:{:02}", hours + second / 3600, second / 60 % 60, second % 60);
}

fn spell_day(text: &mut String, day: i64, is_1904: bool) {
    let since = match is_1904 {
        true => day + DAYS_TO_1904,
        false if day == NO_DAY => return text.push_str("1900-02-29"),
        false if day < NO_DAY => day + 1,
        false => day,
    };
    match date(1899, 12, 30).checked_add(since.days()) {
        Ok(day) => drop(write!(text, "{day}")),
        Err(_) => drop(write!(text, "{day}")),
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType;

    use super::*;

    fn number(number: f64, code: &str) -> String {
        let mut text = String::new();
        spell(&mut text, &DataRef::Float(number), Shown::from_code(code), false);
        text
    }

    fn time(value: f64, code: &str, is_1904: bool) -> String {
        let kind =
            if code.starts_with('[') { ExcelDateTimeType::TimeDelta } else { ExcelDateTimeType::DateTime };
        let mut text = String::new();
        let cell = DataRef::DateTime(ExcelDateTime::new(value, kind, is_1904));
        spell(&mut text, &cell, Shown::from_code(code), is_1904);
        text
    }

    #[test]
    fn numbers_have_the_digits_that_people_see() {
        let plain = [
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "-2.5"),
            (0.0, "0"),
            (-0.0, "0"),
            (1e15, "1000000000000000"),
        ];
        for (value, text) in plain {
            assert_eq!(number(value, "General"), text);
        }
        assert_eq!(number(1234.0 * 1.1, "General"), "1357.4");
        assert_eq!(number(2.5, "0.00"), "2.50");
        assert_eq!(number(1234.5, "#,##0.00 \"EUR\";[Red]-#,##0.00"), "1234.50");
        assert_eq!(number(0.333, "0.0"), "0.333", "no digit is lost");
        assert_eq!(number(1234.0, "00000"), "01234");
        assert_eq!(number(0.25, "0%"), "0.25");
        assert_eq!(number(1e30, "General"), "1E30");
    }

    #[test]
    fn dates_are_those_of_their_format() {
        assert_eq!(time(45_368.0, "dd/mm/yyyy", false), "2024-03-17");
        assert_eq!(time(45_368.5, "dd.mm.yy", false), "2024-03-17");
        assert_eq!(time(45_368.430_567_129_6, "yyyy-mm-dd hh:mm", false), "2024-03-17 10:20:01");
        assert_eq!(time(45_368.0, "yyyy-mm-dd hh:mm", false), "2024-03-17 00:00:00");
        assert_eq!(time(0.75, "h:mm AM/PM", false), "18:00:00");
        assert_eq!(time(1.5, "[h]:mm", false), "36:00:00");
        assert_eq!(time(45_368.0, "mmm-yy", false), "2024-03-17");
        assert_eq!(
            (time(1.0, "d", false), time(60.0, "d", false)),
            ("1900-01-01".into(), "1900-02-29".into())
        );
        assert_eq!(
            (time(61.0, "d", false), time(0.0, "d", true)),
            ("1900-03-01".into(), "1904-01-01".into())
        );
        assert_eq!((time(-1.0, "d", false), time(1e9, "d", false)), ("-1".into(), "1000000000".into()));
        assert_eq!(
            (time(2_958_465.0, "d", false), time(45_368.0, "General", false)),
            ("9999-12-31".into(), "2024-03-17".into())
        );
    }
}
