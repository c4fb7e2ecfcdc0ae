//! Top- and bottom-coding: numbers beyond a bound are one value.

use super::decimal::Decimal;
use super::notation::{Notation, Side};

/// Bounds from which on numbers are not told apart.
///
/// ```
/// use throng::taxonomy::Coding;
///
/// let ages = Coding::new(Some(18.0), Some(90.0)).unwrap();
/// let labels = ["17", "18", "42", "90", "104.5", ""].map(|age| ages.label(age));
/// assert_eq!(labels, [Some("≤18"), Some("≤18"), None, Some("90+"), Some("90+"), None]);
/// assert_eq!(ages.number("90+").as_deref(), Some("90"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coding {
    bottom: Option<Bound>,
    top: Option<Bound>,
    notation: Notation,
}

#[derive(Clone, Debug, PartialEq)]
struct Bound {
    number: Decimal,
    text: String,
    label: String,
}

impl Bound {
    fn new(number: f64, label: impl Fn(&str) -> String) -> Option<Bound> {
        let text = number.to_string();
        Some(Bound { number: Decimal::parse(&text)?, label: label(&text), text })
    }
}

impl Coding {
    /// Numbers up to `bottom` are `≤bottom`, those from `top` on `top+`; none unless the bounds are finite and
    /// in their order.
    pub fn new(bottom: Option<f64>, top: Option<f64>) -> Option<Coding> {
        let in_order = bottom.zip(top).is_none_or(|(bottom, top)| bottom < top);
        let finite = bottom.iter().chain(&top).all(|bound| bound.is_finite());
        let bound = |number: Option<f64>, label: &dyn Fn(&str) -> String| match number {
            None => Some(None),
            Some(number) => Bound::new(number, label).map(Some),
        };
        if !in_order || !finite {
            return None;
        }
        Some(Coding {
            bottom: bound(bottom, &|text| format!("≤{text}"))?,
            top: bound(top, &|text| format!("{text}+"))?,
            notation: Notation::Plain,
        })
    }

    /// The same for numbers in another notation, which the labels have, too.
    #[must_use]
    pub fn with_notation(mut self, notation: Notation) -> Coding {
        for bound in self.bottom.iter_mut().chain(&mut self.top) {
            bound.label = notation.write(std::mem::take(&mut bound.label));
        }
        self.notation = notation;
        self
    }

    /// How the numbers are spelled.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// What takes the place of a number beyond a bound; none for all else.
    pub fn label(&self, value: &str) -> Option<&str> {
        if self.bottom.is_none() && self.top.is_none() {
            return None;
        }
        let number = self.notation.read(value)?;
        let is_low = |bound: &&Bound| number.at <= bound.number && number.side != Side::From;
        let is_high =
            |bound: &&Bound| number.at >= bound.number && !matches!(number.side, Side::Below | Side::UpTo);
        let low = self.bottom.as_ref().filter(is_low);
        let high = || self.top.as_ref().filter(is_high);
        low.or_else(high).map(|bound| bound.label.as_str())
    }

    /// The number that a value stands for, with a decimal point and no marks: that of its bound, if it is one's
    /// label; none if it is no number.
    pub fn number(&self, value: &str) -> Option<String> {
        let mut bounds = self.bottom.iter().chain(&self.top);
        match bounds.find(|bound| bound.label == value) {
            Some(bound) => Some(bound.text.clone()),
            None => self.notation.spell_plainly(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_belong_to_what_is_beyond_them() {
        let coding = Coding::new(None, Some(17.5)).unwrap();
        let labels = ["17.5", "17.49", "1e3", "x", "-5"].map(|value| coding.label(value));
        assert_eq!(labels, [Some("17.5+"), None, Some("17.5+"), None, None]);
        assert_eq!(coding.number("17.5+").as_deref(), Some("17.5"));
        assert_eq!((coding.number("3.50"), coding.number("x")), (Some("3.50".to_owned()), None));
        assert_eq!(Coding::default().label("7"), None);
    }

    #[test]
    fn labels_are_in_the_notation_of_the_numbers() {
        let coding = Coding::new(Some(1.5), Some(1000.0)).unwrap().with_notation(Notation::Comma);
        let labels = ["1,5", "1.234,5", "12,5", "1000+", "<1"].map(|value| coding.label(value));
        assert_eq!(labels, [Some("≤1,5"), Some("1000+"), None, Some("1000+"), Some("≤1,5")]);
        assert_eq!(coding.number("1.234,5").as_deref(), Some("1234.5"));
    }

    #[test]
    fn bounds_must_be_in_order() {
        assert_eq!(Coding::new(Some(90.0), Some(18.0)), None);
        assert_eq!(Coding::new(Some(18.0), Some(18.0)), None);
        assert_eq!(Coding::new(Some(f64::NAN), None), None);
        assert_eq!(Coding::new(None, None), Some(Coding::default()));
    }
}
