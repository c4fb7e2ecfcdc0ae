//! What is done to the numbers of a column that is kept: bounds beyond which they are the bound, and rounding.

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use arrow::error::ArrowError;
use serde::{Deserialize, Serialize};
use throng::taxonomy::Notation;

use crate::dictionary::Dictionary;
use crate::input::source::Source;
use crate::wording::Message;

/// Bottom- and top-coding, and rounding.
///
/// A number below `bottom` becomes `bottom`, one above `top` becomes `top`, and any other the nearest multiple of
/// `round`; one halfway between two may become either, as computers cannot tell exactly. The bounds are such multiples
/// themselves.
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
    /// Whether the job says how they are spelled. If not, `24.500` could be two numbers.
    pub is_said: bool,
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

    /// Whether it makes whole numbers of whole numbers.
    pub(crate) fn is_whole(&self) -> bool {
        [self.bottom, self.top, self.round].into_iter().flatten().all(|number| number.fract() == 0.0)
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
        let plain = self.notation.spell_plainly(text).filter(|_| is_bare && !self.is_ambiguous(text))?;
        let number: f64 = plain.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(self.notation.write(self.coding.code(number).to_string()))
    }
}

impl CodedNumbers {
    /// Whether a cell of text is another number with a decimal comma, and the job does not say which is meant.
    pub fn is_ambiguous(&self, text: &str) -> bool {
        let text = text.trim();
        // No thousands begin with 0.
        if self.is_said || text.trim_start_matches(['+', '-']).starts_with('0') {
            return false;
        }
        let number = |notation: Notation| notation.spell_plainly(text)?.parse::<f64>().ok();
        let (point, comma) = (number(Notation::Plain), number(Notation::Comma));
        point.is_some() && comma.is_some() && point != comma
    }

    /// The same as [`cell`](Self::cell) where cells are of a type: as the released ones are spelled where somebody reads
    /// them as text.
    pub fn cell_of(&self, text: &str, kind: &DataType) -> Option<String> {
        if !kind.is_numeric() {
            return self.cell(text);
        }
        let typed = cast(&StringArray::from(vec![text]), kind).ok()?;
        let (released, unfit) = self.code_typed(&typed).ok()?;
        let released = cast(&released, &DataType::Utf8).ok()?;
        let known = unfit.is_none() && released.is_valid(0);
        known.then(|| released.as_string::<i32>().value(0).to_owned())
    }

    /// What takes the place of cells of a numeric type, in that type; and the first cell whose number would be another
    /// in it.
    pub(crate) fn code_typed(&self, cells: &ArrayRef) -> Result<(ArrayRef, Option<usize>), ArrowError> {
        let numbers = cast(cells, &DataType::Float64)?;
        let coded: Float64Array =
            numbers.as_primitive::<Float64Type>().unary(|number| self.coding.code(number));
        let released = cast(&coded, cells.data_type())?;
        let back = cast(&released, &DataType::Float64)?;
        let back = back.as_primitive::<Float64Type>();
        let precision = precision(cells.data_type());
        let is_kept = |at: usize| {
            let (number, released) = (coded.value(at), back.value(at));
            back.is_valid(at) && (number == released || (number - released).abs() <= precision * number.abs())
        };
        let unfit = (0..coded.len()).find(|&at| cells.is_valid(at) && !is_kept(at));
        Ok((released, unfit))
    }
}

/// How far numbers of a type may be from what they stand for, as a share of them.
fn precision(kind: &DataType) -> f64 {
    match kind {
        DataType::Float16 => 1.0 / 1024.0,
        DataType::Float32 => f64::from(f32::EPSILON),
        _ => 4.0 * f64::EPSILON,
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
    use arrow::array::{Float32Array, Int8Array};
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
        let of =
            |notation| CodedNumbers { coding: coding(None, Some(1500.5), None), notation, is_said: true };
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
        let coded = CodedNumbers {
            coding: coding(None, Some(90.0), Some(5.0)),
            notation: Notation::Plain,
            is_said: false,
        };
        let of = |text: &str, kind: DataType| coded.cell_of(text, &kind).unwrap();
        assert_eq!((of("93", DataType::Int32), of("93.5", DataType::Float64)), ("90".into(), "90.0".into()));
        assert_eq!(of("41", DataType::Utf8), "40");
        assert_eq!(coded.cell_of("", &DataType::Int32), None);
    }

    /// 0.15 is a little above the middle in 32 bits, and a little below in 64.
    #[test]
    fn a_cell_of_32_bits_is_judged_by_the_number_that_is_released() {
        let coded =
            CodedNumbers { coding: coding(None, None, Some(0.1)), notation: Notation::Plain, is_said: false };
        for thousandths in (0..2_000_u16).step_by(50) {
            let number = f32::from(thousandths) / 1000.0;
            let cells: ArrayRef = std::sync::Arc::new(Float32Array::from(vec![number]));
            let (released, unfit) = coded.code_typed(&cells).unwrap();
            let text = cast(&released, &DataType::Utf8).unwrap().as_string::<i32>().value(0).to_owned();
            assert_eq!(coded.cell_of(&number.to_string(), &DataType::Float32), Some(text), "{number}");
            assert_eq!(unfit, None);
        }
    }

    #[test]
    fn numbers_that_a_type_lacks_are_found() {
        let coded = |top: f64| CodedNumbers {
            coding: coding(None, Some(top), None),
            notation: Notation::Plain,
            is_said: false,
        };
        let cells: ArrayRef = std::sync::Arc::new(Int8Array::from(vec![Some(3), None, Some(100)]));
        assert_eq!(coded(90.0).code_typed(&cells).unwrap().1, None);
        assert_eq!(coded(90.5).code_typed(&cells).unwrap().1, Some(2), "no whole number");
        let high = CodedNumbers { coding: coding(Some(200.0), None, None), ..coded(0.0) };
        assert_eq!(high.code_typed(&cells).unwrap().1, Some(0), "no such number in eight bits");
    }

    #[test]
    fn cells_that_could_be_two_numbers_are_no_numbers_until_the_job_says_which() {
        let of =
            |notation, is_said| CodedNumbers { coding: coding(None, Some(9e9), None), notation, is_said };
        let (unsaid, point, comma) =
            (of(Notation::Plain, false), of(Notation::Point, true), of(Notation::Comma, true));
        assert!(unsaid.is_ambiguous("24.500") && unsaid.cell("24.500").is_none());
        assert_eq!(point.cell("24.500").as_deref(), Some("24.5"));
        assert_eq!(comma.cell("24.500").as_deref(), Some("24500"));
        for clear in ["24.5", "24500", "24.5001", "1234.500", "-3", "0.125", "-0.250"] {
            assert!(unsaid.cell(clear).is_some(), "{clear}");
        }
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
