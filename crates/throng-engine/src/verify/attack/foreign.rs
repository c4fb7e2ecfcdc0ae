//! Generalised values that other tools write, where no hierarchy says what they stand for.

use throng::taxonomy::Leaves;

use crate::prepare::EncodedColumn;

/// What stands between the ends of a range, the longer first.
const BETWEEN: [&str; 6] = [" to ", "..", "~", "–", "—", "-"];

/// The values of a column, for who must guess what a label means: ranges of numbers (`20-29`, `[20, 30)`,
/// `<20`, `>=90`, `90+`), codes without their end (`472**`), and nothing at all for a value that was left out.
pub(super) struct Foreign<'a> {
    attribute: &'a EncodedColumn,
    /// The leaves that are numbers.
    numbers: Vec<(f64, u32)>,
}

impl<'a> Foreign<'a> {
    pub(super) fn new(attribute: &'a EncodedColumn) -> Foreign<'a> {
        let leaves = attribute.dictionary.values().zip(&attribute.leaves);
        let numbers = leaves.filter_map(|(text, &leaf)| Some((number(text)?, leaf))).collect();
        Foreign { attribute, numbers }
    }

    /// The values that a label stands for, if it can be read.
    pub(super) fn read(&self, label: &str) -> Option<Leaves> {
        let label = label.trim();
        if label.is_empty() {
            return Some(set(self.attribute.leaves.clone()));
        }
        // Others may show what ours hide.
        if let Some(own) = self.attribute.leaf_with(label).filter(|_| self.attribute.is_hidden()) {
            return Some(set(vec![own]));
        }
        let range = if self.numbers.is_empty() { None } else { ForeignRange::read(label) };
        if let Some(range) = range {
            let inside = self.numbers.iter().filter(|(number, _)| range.contains(*number));
            return Some(set(inside.map(|&(_, leaf)| leaf).collect()));
        }
        let stem = label.trim_end_matches('*');
        let stars = label.len() - stem.len();
        (stars > 0 && !stem.is_empty()).then(|| self.with_start(stem, stars))
    }

    /// The values that begin so, and are as long as the label if it has more than one star.
    fn with_start(&self, stem: &str, stars: usize) -> Leaves {
        let length = stem.chars().count() + stars;
        let fits = |text: &str| text.starts_with(stem) && (stars == 1 || text.chars().count() == length);
        let leaves = self.attribute.dictionary.values().zip(&self.attribute.leaves);
        set(leaves.filter(|(text, _)| fits(text)).map(|(_, &leaf)| leaf).collect())
    }
}

fn set(mut leaves: Vec<u32>) -> Leaves {
    leaves.sort_unstable();
    leaves.dedup();
    Leaves::Set(leaves.into())
}

pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Numbers from one to another; whether the ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForeignRange {
    pub(super) least: f64,
    with_least: bool,
    pub(super) greatest: f64,
    with_greatest: bool,
}

impl ForeignRange {
    pub(super) fn contains(self, at: f64) -> bool {
        let above = if self.with_least { at >= self.least } else { at > self.least };
        above && if self.with_greatest { at <= self.greatest } else { at < self.greatest }
    }

    pub(super) fn read(label: &str) -> Option<ForeignRange> {
        let closed = |least: f64, greatest: f64| ForeignRange {
            least,
            with_least: true,
            greatest,
            with_greatest: true,
        };
        if let Some(number) = number(label) {
            return Some(closed(number, number));
        }
        let below = |greatest: f64, with_greatest: bool| ForeignRange {
            least: f64::NEG_INFINITY,
            with_least: true,
            greatest,
            with_greatest,
        };
        let above = |least: f64, with_least: bool| ForeignRange {
            least,
            with_least,
            greatest: f64::INFINITY,
            with_greatest: true,
        };
        for (sign, with_end) in [("<=", true), ("≤", true), ("<", false)] {
            if let Some(rest) = label.strip_prefix(sign) {
                return Some(below(number(rest)?, with_end));
            }
        }
        for (sign, with_end) in [(">=", true), ("≥", true), (">", false)] {
            if let Some(rest) = label.strip_prefix(sign) {
                return Some(above(number(rest)?, with_end));
            }
        }
        if let Some(rest) = label.strip_suffix('+') {
            return Some(above(number(rest)?, true));
        }
        if let Some(range) = ForeignRange::read_brackets(label) {
            return Some(range);
        }
        let (least, greatest) = split(label, &BETWEEN)?;
        Some(closed(least, greatest))
    }

    /// `[a, b]`, with round or turned brackets where an end does not belong to it.
    fn read_brackets(label: &str) -> Option<ForeignRange> {
        let inner = label.strip_prefix(['[', '(', ']'])?.strip_suffix([']', ')', '['])?;
        let (least, greatest) = split(inner, &[",", ";", " to ", "..", "-"])?;
        Some(ForeignRange {
            least,
            with_least: label.starts_with('['),
            greatest,
            with_greatest: label.ends_with(']'),
        })
    }
}

/// Two numbers, the lesser first, and one of the signs between them.
fn split(text: &str, signs: &[&str]) -> Option<(f64, f64)> {
    let places = signs.iter().flat_map(|sign| text.match_indices(sign));
    let mut ends = places.filter_map(|(at, sign)| {
        let (least, greatest) = (number(&text[..at])?, number(&text[at + sign.len()..])?);
        (least <= greatest).then_some((least, greatest))
    });
    ends.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(label: &str) -> Vec<i32> {
        let range = ForeignRange::read(label).unwrap_or_else(|| panic!("{label} is no range"));
        (-3..=10).filter(|&at| range.contains(f64::from(at))).collect()
    }

    #[test]
    fn ranges_are_read_as_tools_write_them() {
        for label in
            ["3-5", "3–5", "3 - 5", "3.0 to 5", "3..5", "3~5", "[3, 5]", "[3;5]", "[3,6)", "]2, 5]", "(2,5]"]
        {
            assert_eq!(inside(label), [3, 4, 5], "{label}");
        }
        assert_eq!((inside("-3--1"), inside("-3-1")), (vec![-3, -2, -1], vec![-3, -2, -1, 0, 1]));
        assert_eq!((inside("<-1"), inside("<= -2")), (vec![-3, -2], vec![-3, -2]));
        assert_eq!(
            (inside("9+"), inside(">8"), inside("≥9"), inside("7.0")),
            (vec![9, 10], vec![9, 10], vec![9, 10], vec![7])
        );
        for label in ["a-b", "5-3", "[3, 5", "3-", "-", "<", "C20", "2024-01-05", "[]"] {
            assert_eq!(ForeignRange::read(label), None, "{label}");
        }
    }
}
