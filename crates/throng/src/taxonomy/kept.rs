//! A hierarchy that was built from other values, as far as its labels tell it.

use super::dates::{DateUnit, read};
use super::line::is_code;
use super::notation::{Notation, Number, Side};
use super::sets::read_members;
use super::{ANY, Taxonomy, TaxonomyError};

/// The hierarchy of values by labels that an automatic one gave others, each with its level: a value stands under
/// the labels that cover it, as far as text tells. What no label covers stays by itself up to the top, `*`.
///
/// Read are ranges of numbers (`20-29`, `[20, 22.5)`, `<20`, `>=90`), calendar units of ISO 8601 dates (`2024-Q1`),
/// beginnings of codes (`472**`), lists (`{a, b}`) and the values themselves. A label such as `a +12 more` or
/// `group 3 of 12` does not tell what it covers.
///
/// # Errors
/// If there is no value, one comes twice, or labels that cover a value are not one below the other.
pub fn kept<S: AsRef<str>>(
    values: &[S],
    labels: &[(String, usize)],
    height: usize,
    notation: Notation,
) -> Result<Taxonomy, TaxonomyError> {
    let labels: Vec<Label<'_>> =
        labels.iter().map(|(text, level)| Label::new(text, *level, notation)).collect();
    let row = |value: &S| -> Vec<String> {
        let value = Text::new(value.as_ref(), notation);
        let above: Vec<&Label<'_>> = labels.iter().filter(|label| label.covers(&value)).collect();
        let at = |level: usize| {
            let below = above.iter().filter(|label| label.level <= level);
            let highest = below.max_by_key(|label| label.level);
            highest.map_or(value.text, |label| label.text).to_owned()
        };
        let levels = (1..height).map(at);
        std::iter::once(value.text.to_owned()).chain(levels).chain([ANY.to_owned()]).collect()
    };
    let rows: Vec<Vec<String>> = values.iter().map(row).collect();
    Ok(Taxonomy::from_rows(&rows)?.with_notation(notation))
}

/// A value, read once in every way.
struct Text<'a> {
    text: &'a str,
    number: Option<Number>,
    /// The labels of the calendar units that it is in.
    units: Vec<String>,
}

impl<'a> Text<'a> {
    fn new(text: &'a str, notation: Notation) -> Text<'a> {
        let number = notation.read(text).filter(|_| !is_code(text));
        let date = read(text, None).filter(|_| number.is_none());
        let units = date.map(|date| DateUnit::ALL.map(|unit| unit.label(date.at.date())).to_vec());
        Text { text, number, units: units.unwrap_or_default() }
    }
}

struct Label<'a> {
    text: &'a str,
    level: usize,
    range: Option<Range>,
    /// What it lists, if it is a list.
    members: Vec<String>,
}

/// Numbers from one on, and up to another.
struct Range {
    from: Option<Number>,
    /// The end, and whether it is part of the range.
    to: Option<(Number, bool)>,
}

impl<'a> Label<'a> {
    fn new(text: &'a str, level: usize, notation: Notation) -> Label<'a> {
        let members = read_members(text).unwrap_or_default();
        Label { text, level, range: Range::read(text, notation), members }
    }

    fn covers(&self, value: &Text<'_>) -> bool {
        if value.text.is_empty() || value.text == ANY {
            return false;
        }
        let in_range =
            || self.range.as_ref().zip(value.number.as_ref()).is_some_and(|(range, n)| range.covers(n));
        self.text == value.text
            || in_range()
            || value.units.iter().any(|unit| unit == self.text)
            || self.begins(value.text)
            || self.lists(value.text)
    }

    /// Whether it is the beginning of a code: of as many characters, unless it ends in a single star.
    fn begins(&self, value: &str) -> bool {
        let stem = self.text.trim_end_matches('*');
        let stars = self.text.len() - stem.len();
        let length = || stem.chars().count() + stars;
        stars > 0
            && !stem.is_empty()
            && value.starts_with(stem)
            && (stars == 1 || value.chars().count() == length())
    }

    /// Whether it is a list with the value.
    fn lists(&self, value: &str) -> bool {
        self.members.iter().any(|member| member == value)
    }
}

impl Range {
    fn read(text: &str, notation: Notation) -> Option<Range> {
        let exact = |text: &str| notation.read(text).filter(|number| number.side == Side::At);
        if let Some(number) = notation.read(text) {
            return match number.side {
                Side::At => None,
                Side::From => Some(Range { from: Some(number), to: None }),
                Side::Below => Some(Range { from: None, to: Some((number, false)) }),
                Side::UpTo => Some(Range { from: None, to: Some((number, true)) }),
            };
        }
        let half_open = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(')'));
        let (text, between, closed) = match half_open {
            Some(inner) => (inner, vec![notation.between()], false),
            None => (text, vec![" to ", "..", "-"], true),
        };
        let places = between.iter().flat_map(|sign| text.match_indices(sign));
        let mut ends = places.filter_map(|(at, sign)| {
            let (from, to) = (exact(&text[..at])?, exact(&text[at + sign.len()..])?);
            (from.at < to.at).then_some(Range { from: Some(from), to: Some((to, closed)) })
        });
        ends.next()
    }

    fn covers(&self, number: &Number) -> bool {
        // What has no end of its own is only in a range that has none there.
        let from = match (&self.from, number.side) {
            (Some(_), Side::Below | Side::UpTo) => false,
            (Some(from), _) => number.at >= from.at,
            (None, _) => true,
        };
        from && match (&self.to, number.side) {
            (Some(_), Side::From) => false,
            (Some((to, closed)), side) => {
                number.at < to.at || (number.at == to.at && (*closed || side == Side::Below))
            }
            (None, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::{Auto, Shape};

    /// All labels of a hierarchy above its leaves, each with its level.
    fn labels(taxonomy: &Taxonomy) -> Vec<(String, usize)> {
        let values = (0..).zip(taxonomy.values());
        let above = values.filter(|(id, value)| *id != taxonomy.root() && value.level > 0);
        above.map(|(_, value)| (value.label.clone(), value.level)).collect()
    }

    fn assert_same(shape: Shape, values: &[&str]) {
        let rows = vec![1; values.len()];
        let built = Auto::new(shape, &rows).build(values).unwrap();
        let kept = kept(values, &labels(&built), built.height(), Notation::Plain).unwrap();
        let mut expected = built.to_rows();
        let mut found = kept.to_rows();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn labels_say_what_is_below_them() {
        let ages: Vec<String> = (15..95).map(|age| age.to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        assert_same(Shape::Numbers, &ages);
        let weights: Vec<String> = (0..40).map(|step| format!("{}.{}", step / 4, step % 4 * 25)).collect();
        assert_same(Shape::Numbers, &weights.iter().map(String::as_str).collect::<Vec<_>>());
        assert_same(Shape::Characters, &["22370", "22410", "00410", "00411", "99999"]);
        let days: Vec<String> = (1..=12).map(|month| format!("2024-{month:02}-17")).collect();
        assert_same(
            Shape::Dates { formats: vec![None] },
            &days.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        assert_same(Shape::Categories, &["a", "b", "c", "d"]);
    }

    #[test]
    fn values_that_were_not_there_find_their_labels() {
        let labels = [("20-29".to_owned(), 1), ("<40".to_owned(), 2)];
        let taxonomy = kept(&["23", "29.5", "35", "41", "-7"], &labels, 3, Notation::Plain).unwrap();
        let rows: Vec<String> = taxonomy.to_rows().iter().map(|row| row[1..3].join(" ")).collect();
        assert_eq!(rows, ["20-29 <40", "29.5 <40", "35 <40", "41 41", "-7 <40"]);
    }

    #[test]
    fn labels_that_are_not_nested_are_refused() {
        let labels = [("20-29".to_owned(), 1), ("25-34".to_owned(), 2)];
        assert!(kept(&["23", "27"], &labels, 3, Notation::Plain).is_err());
    }
}
