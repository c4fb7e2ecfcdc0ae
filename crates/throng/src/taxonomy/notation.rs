//! How numbers are spelled: with a decimal point or comma, with marks between thousands, and with a
//! sign that says 'or more' or 'or less'.

use std::borrow::Cow;

use super::decimal::Decimal;

/// Which marks the numbers of a column have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// A decimal point and no mark between thousands: `1234.5`.
    #[default]
    Plain,
    /// A decimal point, and marks between thousands where they please: `1,234.5`, `1 234.5`.
    Point,
    /// A decimal comma, and marks between thousands where they please: `1.234,5`, `1 234,5`.
    Comma,
}

/// Marks between thousands in either notation: spaces that do not break, narrow ones, apostrophes.
const MARKS: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '\u{2019}'];

/// Why nobody can say in which notation the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ambiguous;

impl Notation {
    /// The notation in which all `values` but the empty are numbers; [`Notation::Plain`] if they are
    /// not numbers, and [`Notation::Point`] if a decimal comma would make the same numbers of them.
    ///
    /// # Errors
    /// If `1,234` may be a thousand or one, and no value tells.
    pub fn infer<S: AsRef<str>>(values: &[S]) -> Result<Notation, Ambiguous> {
        let fit = |notation: Notation| notation.all_are_numbers(values);
        if fit(Notation::Plain) {
            return Ok(Notation::Plain);
        }
        let tells = |notation: Notation| {
            fit(notation) && values.iter().any(|text| notation.is_told_by(text.as_ref()))
        };
        match [Notation::Comma, Notation::Point].into_iter().find(|&notation| tells(notation)) {
            Some(notation) => Ok(notation),
            None if fit(Notation::Comma) && fit(Notation::Point) => match Notation::agree_on(values) {
                true => Ok(Notation::Point),
                false => Err(Ambiguous),
            },
            None => Ok(Notation::Plain),
        }
    }

    /// The same of the numbers among the values, whatever words are among them, too.
    ///
    /// # Errors
    /// As of [`of`](Self::of).
    pub fn among<S: AsRef<str>>(values: &[S]) -> Result<Notation, Ambiguous> {
        let all = [Notation::Plain, Notation::Comma, Notation::Point];
        let is_number = |text: &&str| all.iter().any(|notation| notation.read(text).is_some());
        let numbers: Vec<&str> = values.iter().map(AsRef::as_ref).filter(is_number).collect();
        Notation::infer(&numbers)
    }

    /// Whether all values are the same numbers with a decimal point and with a decimal comma, as `1'234` is.
    fn agree_on<S: AsRef<str>>(values: &[S]) -> bool {
        let mut texts = values.iter().map(AsRef::as_ref);
        texts.all(|text| Notation::Point.read(text) == Notation::Comma.read(text))
    }

    /// Whether all values but the empty are numbers of this notation.
    pub fn all_are_numbers<S: AsRef<str>>(self, values: &[S]) -> bool {
        let known = values.iter().map(AsRef::as_ref).filter(|text| !text.is_empty());
        known.map(|text| self.read(text)).all(|number| number.is_some())
    }

    /// Whether a number of this notation cannot be one of another with a comma or a point elsewhere.
    fn is_told_by(self, text: &str) -> bool {
        let other = if self == Notation::Comma { Notation::Point } else { Notation::Comma };
        self.read(text).is_some() && Notation::Plain.read(text).is_none() && other.read(text).is_none()
    }

    /// The number that a text spells.
    pub(super) fn read(self, text: &str) -> Option<Number> {
        let (text, side) = split_side(text.trim());
        let at = Decimal::parse(&self.plain(text)?)?;
        Some(Number { at, side })
    }

    /// A number with a decimal point, no marks and no sign of a side; none if the text is no number.
    pub fn spell_plainly(self, text: &str) -> Option<String> {
        let (text, _) = split_side(text.trim());
        let plain = self.plain(text)?;
        Decimal::parse(&plain).map(|_| plain.into_owned())
    }

    /// A number with a decimal point and no marks.
    fn plain(self, text: &str) -> Option<Cow<'_, str>> {
        let (point, mark) = match self {
            Notation::Plain => return Some(Cow::Borrowed(text)),
            Notation::Point => ('.', ','),
            Notation::Comma => (',', '.'),
        };
        let (whole, fraction) = text.split_once(point).map_or((text, None), |(w, f)| (w, Some(f)));
        let digits = whole.trim_start_matches(['+', '-']);
        let sign = &whole[..whole.len() - digits.len()];
        let used = digits.chars().find(|c| *c == mark || MARKS.contains(c));
        let digits = used.map_or(Some(Cow::Borrowed(digits)), |mark| without(digits, mark))?;
        if fraction.is_some_and(|fraction| fraction.contains([',', '.'])) {
            return None;
        }
        let fraction = fraction.map(|fraction| format!(".{fraction}")).unwrap_or_default();
        Some(Cow::Owned(format!("{sign}{digits}{fraction}")))
    }

    /// A plain number in this notation, without marks between thousands.
    pub fn write(self, plain: String) -> String {
        if self == Notation::Comma { plain.replace('.', ",") } else { plain }
    }

    /// What stands between the two ends of a range.
    pub(super) fn between(self) -> &'static str {
        if self == Notation::Comma { "; " } else { ", " }
    }
}

/// Digits without the marks between their thousands, if all marks are where they belong.
fn without(digits: &str, mark: char) -> Option<Cow<'_, str>> {
    let mut groups = digits.split(mark);
    let first = groups.next().filter(|first| (1..=3).contains(&first.len()))?;
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let rest: Vec<&str> = groups.collect();
    let good = is_number(first) && rest.iter().all(|group| group.len() == 3 && is_number(group));
    good.then(|| Cow::Owned(format!("{first}{}", rest.concat())))
}

/// A number, or all numbers on one side of it: `90+`, `>=90`, `<18`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) at: Decimal,
    pub(super) side: Side,
}

/// Which numbers are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Those below it.
    Below,
    /// Those below it, and it.
    UpTo,
    /// It alone.
    At,
    /// It, and those above it; or those above it alone, which is not told apart.
    From,
}

impl Number {
    /// Whether this is one number.
    pub(super) fn is_exact(&self) -> bool {
        self.side == Side::At
    }
}

fn split_side(text: &str) -> (&str, Side) {
    let signs = [("<=", Side::UpTo), ("≤", Side::UpTo), ("<", Side::Below)];
    let up = [(">=", Side::From), ("≥", Side::From), (">", Side::From)];
    let before = signs.into_iter().chain(up).find_map(|(sign, side)| Some((text.strip_prefix(sign)?, side)));
    let after = || Some((text.strip_suffix('+')?, Side::From));
    let (number, side) = before.or_else(after).unwrap_or((text, Side::At));
    (number.trim(), side)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(notation: Notation, text: &str) -> Option<String> {
        notation.read(text).filter(Number::is_exact).map(|number| number.at.positional())
    }

    #[test]
    fn words_do_not_hide_how_numbers_are_spelled() {
        assert_eq!(Notation::among(&["22,3", "unknown", "", "7"]), Ok(Notation::Comma));
        assert_eq!(Notation::among(&["22.3", "unknown", "7"]), Ok(Notation::Plain));
        assert_eq!(Notation::among(&["1,234", "unknown"]), Err(Ambiguous));
        assert_eq!(Notation::among(&["22,3", "22.35", "unknown"]), Ok(Notation::Plain), "two ways are none");
        assert_eq!(Notation::infer(&["22,3", "unknown"]), Ok(Notation::Plain));
    }

    #[test]
    fn marks_stand_between_thousands() {
        let comma = |text: &str| read(Notation::Comma, text);
        for text in ["1234567,5", "1.234.567,5", "1 234 567,50", "1'234'567,5", "1\u{202f}234\u{202f}567,5"] {
            assert_eq!(comma(text).as_deref(), Some("1234567.5"), "{text}");
        }
        for text in ["1.23,5", "12.34", "1.234.5", "1,234,5", "1.234'567", ".5,5", "1..234", "x", ",", ""] {
            assert_eq!(comma(text), None, "{text}");
        }
        assert_eq!(comma("-1.234"), Some("-1234".to_owned()));
        assert_eq!(read(Notation::Point, "1,234.5"), Some("1234.5".to_owned()));
        assert_eq!(read(Notation::Point, "12,5"), None);
        assert_eq!(read(Notation::Plain, "1,234"), None);
    }

    #[test]
    fn a_column_tells_its_notation() {
        let of = |values: &[&str]| Notation::infer(values);
        assert_eq!(of(&["12,5", "1.234", ""]), Ok(Notation::Comma));
        assert_eq!(of(&["1.234,56", "7"]), Ok(Notation::Comma));
        assert_eq!(of(&["1,234.5", "1,234"]), Ok(Notation::Point));
        assert_eq!(of(&["1,234,567", "5"]), Ok(Notation::Point));
        assert_eq!(of(&["1.234.567", "5"]), Ok(Notation::Comma));
        assert_eq!(of(&["1.234", "5.678"]), Ok(Notation::Plain));
        assert_eq!(of(&["1,234", "5,678", "12"]), Err(Ambiguous));
        assert_eq!(of(&["1 234", "5", ""]), Ok(Notation::Point));
        assert_eq!(of(&["1'234'567", "12’345"]), Ok(Notation::Point));
        assert_eq!(of(&["1'234'567", "1,234"]), Err(Ambiguous));
        assert_eq!(of(&["1'234'567", "1,5"]), Ok(Notation::Comma));
        assert_eq!(of(&["12,5", "1,234.5"]), Ok(Notation::Plain), "two notations are none");
        assert_eq!(of(&["x", "12,5"]), Ok(Notation::Plain));
        assert_eq!(of(&[]), Ok(Notation::Plain));
    }

    #[test]
    fn signs_say_which_side() {
        let side =
            |text: &str| Notation::Plain.read(text).map(|number| (number.at.positional(), number.side));
        let known = |number: &str, side| Some((number.to_owned(), side));
        for text in ["90+", "90 +", ">=90", "≥ 90", "> 90"] {
            assert_eq!(side(text), known("90", Side::From), "{text}");
        }
        assert_eq!((side("<18"), side("<= 17.5")), (known("18", Side::Below), known("17.5", Side::UpTo)));
        assert_eq!(side("+5"), known("5", Side::At));
        for text in ["+", "<", ">=", "<<5", "90++", "<5+"] {
            assert_eq!(side(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(units in -10_i128.pow(12)..10_i128.pow(12), place in -4_i64..1) {
            let number = Decimal::from_parts(units, place);
            for notation in [Notation::Plain, Notation::Point, Notation::Comma] {
                let text = notation.write(number.positional());
                prop_assert_eq!(notation.read(&text).map(|read| read.at), Some(number.clone()));
            }
        }

        #[test]
        fn any_text_is_a_number_or_none(text in "[0-9.,' <>=+e-]{0,12}") {
            for notation in [Notation::Plain, Notation::Point, Notation::Comma] {
                let _ = notation.read(&text);
            }
            let _ = Notation::infer(&[text]);
        }
    }
}
