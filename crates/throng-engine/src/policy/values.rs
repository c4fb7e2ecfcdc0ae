//! What values say of a column, by the rules that no name decides: ZIP codes, dates, ages, keys.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::profile::{ColumnKind, ColumnLook, Spellings, suggest_roles};
use crate::role::Role;

/// Ages above this are told as one category.
const OLDEST_AGE: f64 = 89.0;

/// In fewer rows most values are of one row each, whatever they are.
const FEW_ROWS: u64 = 20;

/// What is said of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueRule {
    /// ZIP codes show three digits at most, and not those of areas with few people.
    ZipCodes,
    /// Dates show no more than a year.
    Dates,
    /// Ages above 89 are one category.
    Ages,
    /// No column is a key of people.
    Keys,
}

/// The values of a column, and in how many rows each is.
pub(crate) struct ColumnValues {
    values: Vec<(String, u64)>,
    kind: ColumnKind,
    look: Option<ColumnLook>,
    /// Whether it is somebody's identifier, by its name or values.
    is_key: bool,
}

impl ColumnValues {
    /// Takes the values as they are, each once.
    pub(crate) fn new(name: &str, values: impl Iterator<Item = (String, u64)>) -> ColumnValues {
        let values: Vec<(String, u64)> = values
            .map(|(value, rows)| (value.trim().to_owned(), rows))
            .filter(|(value, _)| shows(value))
            .collect();
        let mut spellings = Spellings::default();
        values.iter().for_each(|(value, rows)| spellings.add(value, *rows));
        let distinct = values.len() as u64;
        let kind = spellings.infer(name, distinct).kind;
        let unique = values.iter().filter(|(_, rows)| *rows == 1).count() as u64;
        let facts = spellings.facts(name, kind, distinct, unique);
        let suggested = suggest_roles(&[facts]).remove(0);
        let may_tell = suggested.by_name || spellings.known() >= FEW_ROWS;
        let is_key = suggested.role == Role::Identifier && may_tell;
        ColumnValues { look: spellings.look(), values, kind, is_key }
    }

    pub(crate) fn known_rows(&self) -> u64 {
        self.values.iter().map(|(_, rows)| rows).sum()
    }

    pub(crate) fn look(&self) -> Option<ColumnLook> {
        self.look
    }

    fn rows_of(&self, is_it: impl Fn(&str) -> bool) -> u64 {
        self.values.iter().filter(|(value, _)| is_it(value)).map(|(_, rows)| rows).sum()
    }
}

/// Whether a cell shows anything.
fn shows(value: &str) -> bool {
    !value.is_empty() && value.chars().any(|c| c != '*')
}

impl ValueRule {
    /// Whether a column with the right name and harmless values is harmless.
    pub(super) fn decides(self) -> bool {
        matches!(self, ValueRule::ZipCodes | ValueRule::Ages)
    }

    /// Rows that it is about, and why; nothing where there are none.
    pub(super) fn find(self, column: &ColumnValues, named: bool) -> Option<(u64, &'static str)> {
        let (rows, why) = match self {
            ValueRule::ZipCodes if named => (
                column.rows_of(|value| !is_safe_zip(value)),
                "more than three digits, or an area with few people",
            ),
            ValueRule::Ages if named => ages(column),
            ValueRule::Dates => dates(column),
            ValueRule::Keys if column.is_key => (column.known_rows(), "it seems to identify people"),
            _ => return None,
        };
        (rows > 0).then_some((rows, why))
    }
}

/// The prefixes of areas with few people.
fn small_areas() -> &'static [String] {
    #[derive(Deserialize)]
    struct Prefixes {
        prefixes: Vec<String>,
    }
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let file: Prefixes = toml::from_str(include_str!("zip-prefixes.toml")).expect("the file of prefixes");
        file.prefixes
    })
}

/// Whether a ZIP code, or what it was generalised to, may be shown.
fn is_safe_zip(value: &str) -> bool {
    let cut = value.trim_end_matches(['*', 'x', 'X', '#']);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((low, high)) = value.split_once('-').map(|(low, high)| (low.trim(), high.trim()))
        && digits(low)
        && digits(high)
        && low.len() == high.len()
        && low < high
    {
        // A range shows what all of it begins with, if all of that is in it.
        let same = low.bytes().zip(high.bytes()).take_while(|(a, b)| a == b).count();
        let whole =
            low[same..].bytes().all(|digit| digit == b'0') && high[same..].bytes().all(|digit| digit == b'9');
        return whole && is_safe_zip(&low[..same]);
    }
    match cut.len() {
        0 => true,
        1..=2 => digits(cut),
        3 => digits(cut) && (cut == "000" || !small_areas().iter().any(|area| area == cut)),
        _ => false,
    }
}

fn ages(column: &ColumnValues) -> (u64, &'static str) {
    let open = |value: &str| {
        let number =
            value.strip_suffix('+').or_else(|| value.strip_prefix(">=")).or_else(|| value.strip_prefix('≥'));
        number.or_else(|| value.strip_prefix('>')).and_then(|number| number.trim().parse::<f64>().ok())
    };
    let range = |value: &str| {
        let (low, high) = value.trim_matches(['[', ']', '(', ')']).split_once(['-', '–', ','])?;
        Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?))
    };
    let is_exact = |value: &str| value.parse::<f64>().is_ok_and(|age| age > OLDEST_AGE);
    let is_old = |value: &str| {
        is_exact(value)
            || open(value).is_some_and(|age| age > OLDEST_AGE)
            || range(value).is_some_and(|(low, _)| low > OLDEST_AGE)
    };
    let old: Vec<&str> =
        column.values.iter().map(|(value, _)| value.as_str()).filter(|value| is_old(value)).collect();
    // One category of ninety or older may stay.
    if old.len() == 1 && !is_exact(old[0]) {
        return (0, "");
    }
    (column.rows_of(is_old), "ages over 89 that are not in a single category")
}

fn dates(column: &ColumnValues) -> (u64, &'static str) {
    if matches!(column.kind, ColumnKind::Date(_)) {
        return (column.known_rows(), "its values are dates");
    }
    (column.rows_of(is_finer_than_a_year), "dates, or months of a year, among its values")
}

/// Whether a value by itself, or the begin or end of a range, is a date or the month of a year.
fn is_finer_than_a_year(value: &str) -> bool {
    let looks = |text: &str| {
        (6..=25).contains(&text.len())
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && text.contains(['-', '/', '.'])
    };
    let is_month = |text: &str| {
        text.split_once(['-', '/']).is_some_and(|(year, month)| {
            let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            let month = if month.len() == 2 && digits(month) { month.parse().unwrap_or(0) } else { 0 };
            year.len() == 4 && digits(year) && (1..=12).contains(&month)
        })
    };
    let is_date = |text: &str| {
        let mut spellings = Spellings::default();
        spellings.add(text, 1);
        matches!(spellings.infer("", 1).kind, ColumnKind::Date(_))
    };
    let one = |text: &str| looks(text) && (is_month(text) || is_date(text));
    one(value)
        || [" to ", " – ", " - ", ".."]
            .iter()
            .any(|sign| value.split_once(sign).is_some_and(|(a, b)| one(a) || one(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: &[&str]) -> ColumnValues {
        ColumnValues::new(name, values.iter().map(|value| ((*value).to_owned(), 2)))
    }

    #[test]
    fn zip_codes_show_three_digits_of_large_areas() {
        for safe in ["021", "021**", "021xx", "02100-02199", "02***", "0", "000", "000**", "20000-29999"] {
            assert!(is_safe_zip(safe), "{safe}");
        }
        for bad in [
            "02139",
            "0213*",
            "02139-1234",
            "036",
            "036**",
            "89300-89399",
            "02100-02149",
            "SW1A",
            "{02139, 02140}",
        ] {
            assert!(!is_safe_zip(bad), "{bad}");
        }
        assert_eq!(small_areas().len(), 17);
    }

    #[test]
    fn ages_above_89_are_one_category() {
        let rows = |values: &[&str]| ValueRule::Ages.find(&column("age", values), true).map(|(rows, _)| rows);
        assert_eq!(rows(&["12", "89", "40-49"]), None);
        assert_eq!(rows(&["12", "90", "104"]), Some(4));
        assert_eq!(rows(&["80-89", "90+"]), None);
        assert_eq!(rows(&["80-89", "90-99", "100-109"]), Some(4));
        assert_eq!(rows(&["90-120", "85"]), None);
        assert_eq!(rows(&[">=90", "91"]), Some(4));
    }

    #[test]
    fn dates_show_the_year() {
        let rows =
            |values: &[&str]| ValueRule::Dates.find(&column("born", values), false).map(|(rows, _)| rows);
        assert_eq!(rows(&["1985", "1990-1999", "*"]), None);
        assert_eq!(rows(&["1985-03-02", "1990-12-24"]), Some(4));
        assert_eq!(rows(&["1985-03", "1990"]), Some(2));
        assert_eq!(rows(&["03/17/1985", "1990"]), Some(2));
        assert_eq!(rows(&["1.5", "120.75", "12-14", "2000-12345"]), None);
    }

    #[test]
    fn keys_are_told_where_there_are_rows_enough() {
        let of = |name: &str, rows: u64| {
            let values = (0..rows).map(|row| (format!("x{}", row * 7919 % 99_991), 1));
            ValueRule::Keys.find(&ColumnValues::new(name, values), false).map(|(rows, _)| rows)
        };
        assert_eq!((of("remark_code", 6), of("remark_code", 60)), (None, Some(60)));
        let few = [("flu".to_owned(), 1), ("gout".to_owned(), 1)].into_iter();
        assert_eq!(ValueRule::Keys.find(&ColumnValues::new("diagnosis", few), false), None);
    }
}
