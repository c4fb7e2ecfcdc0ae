//! What is done to the numbers of a column that is kept: bounds beyond which they are the bound, and rounding.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use serde::{Deserialize, Serialize};
use throng::taxonomy::Notation;

use crate::dictionary::Dictionary;
use crate::input::source::Source;
use crate::wording::Message;

/// Bottom- and top-coding, and rounding.
///
/// A number below `bottom` becomes `bottom`, one above `top` becomes `top`, and any other the nearest multiple of
/// `round`, of two that are as near the one further from zero. The bounds are such multiples themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumberCoding {
    /// The least number that is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// The greatest number that is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// What all released numbers are multiples of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<f64>,
}

/// The coding of a column, and how its numbers are spelled where they are text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodedNumbers {
    /// What is done to them.
    pub coding: NumberCoding,
    /// How they are spelled.
    pub notation: Notation,
}

impl NumberCoding {
    /// Whether nothing is done.
    pub fn is_none(&self) -> bool {
        *self == NumberCoding::default()
    }

    /// Refuses what no number could satisfy.
    pub(crate) fn check(&self) -> Result<(), Message> {
        let given = [("bottom", self.bottom), ("top", self.top), ("round", self.round)];
        if let Some((key, number)) =
            given.iter().find(|(_, number)| number.is_some_and(|one| !one.is_finite()))
        {
            let number = number.unwrap_or_default();
            return Err((format!("{key} is {number}"), "it must be a finite number").into());
        }
        if let Some(round) = self.round.filter(|&round| round <= 0.0) {
            return Err((format!("round is {round}"), "it must be above 0").into());
        }
        if let (Some(bottom), Some(top)) = (self.bottom, self.top)
            && bottom >= top
        {
            return Err((format!("bottom {bottom} is not below top {top}"), "no number would be left").into());
        }
        let uneven =
            given[..2].iter().find(|(_, bound)| bound.is_some_and(|bound| self.rounded(bound) != bound));
        match (uneven, self.round) {
            (Some((key, Some(bound))), Some(round)) => Err((
                format!("{key} is {bound}, which is no multiple of round = {round}"),
                "the bounds are released, so they must be round themselves",
            )
                .into()),
            _ => Ok(()),
        }
    }

    /// What takes the place of a number.
    pub fn code(&self, number: f64) -> f64 {
        let bounded = self.bottom.map_or(number, |bottom| number.max(bottom));
        self.rounded(self.top.map_or(bounded, |top| bounded.min(top)))
    }

    /// The nearest multiple, with no more digits behind the point than what it is a multiple of.
    fn rounded(&self, number: f64) -> f64 {
        let Some(round) = self.round else { return number };
        let nearest = (number / round).round() * round;
        let digits = round.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
        let rounded: f64 = format!("{nearest:.digits$}").parse().unwrap_or(nearest);
        // Not -0.
        rounded + 0.0
    }

    /// In words: `at least 0, at most 90, rounded to 5`.
    pub fn text(&self) -> String {
        let bottom = self.bottom.map(|bottom| format!("at least {bottom}"));
        let top = self.top.map(|top| format!("at most {top}"));
        let round = self.round.map(|round| format!("rounded to {round}"));
        bottom.into_iter().chain(top).chain(round).collect::<Vec<_>>().join(", ")
    }
}

impl CodedNumbers {
    /// What takes the place of a cell; none if that is no number.
    pub fn cell(&self, text: &str) -> Option<String> {
        let text = text.trim();
        // Not 'so many and more', which is a number where ages are ranges.
        let is_bare = text.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','))
            && text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-'));
        let plain = self.notation.spell_plainly(text).filter(|_| is_bare)?;
        let number: f64 = plain.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(self.notation.write(self.coding.code(number).to_string()))
    }
}

impl CodedNumbers {
    /// The same where cells are of a type: as the released ones are spelled where somebody reads them as text.
    pub fn cell_of(&self, text: &str, kind: &DataType) -> Option<String> {
        if !kind.is_numeric() {
            return self.cell(text);
        }
        let number: f64 = text.parse().ok()?;
        let coded: ArrayRef = Arc::new(Float64Array::from(vec![self.coding.code(number)]));
        let text = cast(&cast(&coded, kind).ok()?, &DataType::Utf8).ok()?;
        Some(text.as_string::<i32>().value(0).to_owned())
    }
}

impl CodedNumbers {
    /// The values of a column of a table as they are released, and the new code of each.
    pub fn released(&self, values: &Dictionary, table: &Source, name: &str) -> (Dictionary, Vec<u32>) {
        let place = table.columns().iter().position(|known| known == name);
        let schema = table.schema();
        let kind = place.map_or(&DataType::Utf8, |place| schema.field(place).data_type());
        values.replaced(|text| self.cell_of(text, kind))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coding(bottom: Option<f64>, top: Option<f64>, round: Option<f64>) -> NumberCoding {
        NumberCoding { bottom, top, round }
    }

    #[test]
    fn numbers_are_bounded_and_rounded() {
        let ages = coding(Some(20.0), Some(90.0), Some(5.0));
        let coded = [3.0, 22.4, 22.5, 61.0, 88.0, 104.0].map(|age| ages.code(age));
        assert_eq!(coded, [20.0, 20.0, 25.0, 60.0, 90.0, 90.0]);
        let cents = coding(None, None, Some(0.1));
        assert_eq!(
            [0.25, -0.25, 0.31, -0.04].map(|x| cents.code(x).to_string()),
            ["0.3", "-0.3", "0.3", "0"]
        );
        assert_eq!(ages.text(), "at least 20, at most 90, rounded to 5");
    }

    #[test]
    fn cells_keep_the_notation_and_lose_how_they_were_spelled() {
        let of = |notation| CodedNumbers { coding: coding(None, Some(1500.5), None), notation };
        assert_eq!(of(Notation::Comma).cell("1.499,50").unwrap(), "1499,5");
        assert_eq!(of(Notation::Comma).cell("2.000").unwrap(), "1500,5");
        // Who was at the bound cannot be told from who was above it.
        assert_eq!(
            of(Notation::Plain).cell("1500.50").unwrap(),
            of(Notation::Plain).cell("9000000").unwrap()
        );
        for wrong in ["", "n/a", "90+", ">90", "12 kg", "inf", "NaN"] {
            assert_eq!(of(Notation::Plain).cell(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn cells_of_a_type_are_spelled_as_that_type_is() {
        let coded = CodedNumbers { coding: coding(None, Some(90.0), Some(5.0)), notation: Notation::Plain };
        let of = |text: &str, kind: DataType| coded.cell_of(text, &kind).unwrap();
        assert_eq!((of("93", DataType::Int32), of("93.5", DataType::Float64)), ("90".into(), "90.0".into()));
        assert_eq!(of("41", DataType::Utf8), "40");
        assert_eq!(coded.cell_of("", &DataType::Int32), None);
    }

    #[test]
    fn codings_that_leave_nothing_are_refused() {
        let refused = |one: NumberCoding| one.check().unwrap_err().to_string();
        assert_eq!(
            refused(coding(Some(9.0), Some(9.0), None)),
            "bottom 9 is not below top 9; no number would be left"
        );
        assert_eq!(refused(coding(None, None, Some(0.0))), "round is 0; it must be above 0");
        assert!(
            refused(coding(None, Some(92.0), Some(5.0)))
                .starts_with("top is 92, which is no multiple of round = 5")
        );
        assert!(refused(coding(Some(f64::NAN), None, None)).contains("finite"));
        assert!(coding(Some(-2.5), Some(2.5), Some(0.5)).check().is_ok());
    }

    proptest! {
        #[test]
        fn coding_twice_changes_nothing(number in -1e6f64..1e6, steps in 1i32..400, round in 1u32..500) {
            let round = f64::from(round) / 100.0;
            let (bottom, top) = (-f64::from(steps) * round, f64::from(steps) * round);
            let unbounded = coding(None, None, Some(round));
            let coding = coding(Some(unbounded.code(bottom)), Some(unbounded.code(top)), Some(round));
            prop_assert!(coding.check().is_ok());
            let once = coding.code(number);
            prop_assert_eq!(coding.code(once), once);
            prop_assert!(coding.bottom.unwrap() <= once && once <= coding.top.unwrap());
            if number.abs() < top {
                prop_assert!((once - number).abs() <= round / 2.0 * (1.0 + 1e-9));
            }
        }
    }
}
