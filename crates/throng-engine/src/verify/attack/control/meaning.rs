//! What a released cell may stand for: the value itself, a group of its hierarchy, a range, a beginning, or anything.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use throng::privacy::folded;
use throng::taxonomy::{ANY, Leaves};

use crate::prepare::EncodedColumn;
use crate::verify::attack::foreign::{ForeignRange, number};

/// The cells of a released column, each read once.
pub(super) struct Meanings<'a> {
    attribute: Option<&'a EncodedColumn>,
    labels: Vec<Label<'a>>,
    /// The leaf of each text of the hierarchy.
    leaves: FxHashMap<&'a str, u32>,
    /// Between the least and the greatest number.
    range: f64,
}

/// What a column is to its readers.
#[derive(Clone, Copy)]
pub(super) enum ColumnNature<'a> {
    /// A quasi-identifier, which may be generalised.
    Quasi(&'a EncodedColumn),
    /// A sensitive column, whose cells are what they say; whether spellings count.
    Sensitive { exact: bool },
}

/// A value that labels are held against.
struct Seen<'v> {
    value: &'v str,
    at: Option<f64>,
    leaf: Option<u32>,
    /// The labels of the groups that it is in.
    above: Vec<&'v str>,
    folded: Cow<'v, str>,
}

struct Label<'a> {
    text: &'a str,
    /// As a sensitive value is compared.
    folded: Option<Cow<'a, str>>,
    is_any: bool,
    numbers: Option<ForeignRange>,
    /// Of ranges and sets that local recoding made.
    made: Option<Leaves>,
    /// The beginning of a value, and its length if that is known.
    stem: Option<(&'a str, Option<usize>)>,
}

impl<'a> Meanings<'a> {
    /// Those of a column.
    pub(super) fn new(labels: impl Iterator<Item = &'a str>, nature: ColumnNature<'a>) -> Meanings<'a> {
        let attribute = match nature {
            ColumnNature::Quasi(attribute) => Some(attribute),
            ColumnNature::Sensitive { .. } => None,
        };
        let folds = matches!(nature, ColumnNature::Sensitive { exact: false });
        let read = |text: &'a str| Label {
            folded: folds.then(|| folded(text)).filter(|text| !text.is_empty()),
            ..Label::read(text, attribute)
        };
        let labels: Vec<Label<'a>> = labels.map(read).collect();
        let ends =
            labels.iter().filter_map(|label| label.numbers).flat_map(|range| [range.least, range.greatest]);
        let ends = ends.filter(|end| end.is_finite());
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
        let leaves = attribute.map_or_else(FxHashMap::default, |attribute| {
            let taxonomy = &attribute.taxonomy;
            (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect()
        });
        Meanings { attribute, labels, leaves, range: high - low }
    }

    /// How far each label is from a value: 0 if it may stand for it, and up to 1 otherwise; of numbers by the gap.
    pub(super) fn distances(&self, value: &str) -> Vec<f32> {
        let seen = self.see(value);
        let distance = |label: &Label<'_>| {
            if label.covers(&seen) {
                return 0.0;
            }
            match (label.numbers, seen.at) {
                (Some(range), Some(at)) if self.range > 0.0 => {
                    let gap = (range.least - at).max(at - range.greatest);
                    (gap / self.range).clamp(0.0, 1.0) as f32
                }
                _ => 1.0,
            }
        };
        self.labels.iter().map(distance).collect()
    }

    /// Whether a label, by its number, may stand for a value.
    pub(super) fn covers(&self, label: u32, value: &str) -> bool {
        self.labels[label as usize].covers(&self.see(value))
    }

    fn see<'v>(&'v self, value: &'v str) -> Seen<'v> {
        let folded = folded(value);
        let value = value.trim();
        let leaf = self.leaf(value);
        let above = leaf.map(|leaf| self.above(leaf)).unwrap_or_default();
        Seen { value, at: number(value), leaf, above, folded }
    }

    fn leaf(&self, value: &str) -> Option<u32> {
        let known = self.attribute.and_then(|attribute| attribute.leaf_with(value));
        known.or_else(|| self.leaves.get(value).copied())
    }

    /// The labels of the groups that a leaf is in.
    fn above(&self, leaf: u32) -> Vec<&str> {
        let of = |attribute: &'a EncodedColumn| {
            let taxonomy = &attribute.taxonomy;
            (0..=taxonomy.height()).map(|level| taxonomy.label(taxonomy.generalise(leaf, level))).collect()
        };
        self.attribute.map(of).unwrap_or_default()
    }
}

impl<'a> Label<'a> {
    fn read(text: &'a str, attribute: Option<&EncodedColumn>) -> Label<'a> {
        let trimmed = text.trim();
        let stem = trimmed.trim_end_matches('*');
        let stars = trimmed.len() - stem.len();
        // Outside of the quasi-identifiers an empty cell is a missing one, and nothing was generalised.
        let is_any = attribute.is_some() && (trimmed == ANY || trimmed.is_empty());
        let made = attribute.and_then(|own| own.taxonomy.read_made(trimmed, |value| own.leaf_with(value)));
        let stem = match attribute {
            Some(_) if stars > 0 && !stem.is_empty() => {
                Some((stem, (stars > 1).then(|| stem.chars().count() + stars)))
            }
            // A year, or a year and a month, of dates.
            Some(_) if is_part_of_a_date(trimmed) => Some((trimmed, None)),
            _ => None,
        };
        Label { text: trimmed, folded: None, is_any, numbers: ForeignRange::read(trimmed), made, stem }
    }

    fn covers(&self, seen: &Seen<'_>) -> bool {
        let Seen { value, at, leaf, .. } = *seen;
        let in_range = || self.numbers.zip(at).is_some_and(|(range, at)| range.contains(at));
        let in_made = || self.made.as_ref().zip(leaf).is_some_and(|(made, leaf)| made.contains(leaf));
        let begins = |(stem, length): (&str, Option<usize>)| {
            let rest = value.strip_prefix(stem);
            let is_date = is_part_of_a_date(stem);
            rest.is_some_and(|rest| !is_date || rest.starts_with('-'))
                && length.is_none_or(|length| value.chars().count() == length)
        };
        self.is_any
            || self.text == value
            || seen.above.contains(&self.text)
            || self.folded.as_ref().is_some_and(|folded| *folded == seen.folded)
            || in_range()
            || in_made()
            || self.stem.is_some_and(begins)
    }
}

/// `1985`, or `1985-03`.
fn is_part_of_a_date(text: &str) -> bool {
    let digits =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        None => digits(text, 4),
        Some((year, month)) => digits(year, 4) && digits(month, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_outside_of_the_quasi_identifiers_are_what_they_say() {
        let nature = |exact| ColumnNature::Sensitive { exact };
        let of = |exact| Meanings::new(["flu", "*", "", "12", "20"].into_iter(), nature(exact));
        let cells = of(false);
        assert_eq!(cells.distances("flu"), [0.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!((cells.distances("FLU ")[0], of(true).distances("FLU")[0]), (0.0, 1.0));
        assert_eq!(cells.distances("14"), [1.0, 1.0, 1.0, 0.25, 0.75]);
        assert_eq!(cells.distances("99")[3], 1.0);
    }

    #[test]
    fn parts_of_dates_are_years_and_months() {
        assert!(is_part_of_a_date("1985") && is_part_of_a_date("1985-03"));
        assert!(!is_part_of_a_date("198") && !is_part_of_a_date("1985-3") && !is_part_of_a_date("47-21"));
    }
}
