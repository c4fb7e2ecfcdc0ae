//! What the release must satisfy.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use throng::notion::Notion;
use throng::privacy::ParameterValue;

use super::{Require, is_default};
use crate::error::EngineError;
use crate::wording::{Message, Packed, choose};

/// The smallest k that hides anyone.
const LEAST_K: u64 = 2;

/// What `person` says where every row is of somebody else, so that rows are counted.
pub const NO_PERSON: &str = "none";

/// The requirements of the release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Privacy {
    /// Smallest size of a class; none if other requirements stand in its place.
    #[serde(default, deserialize_with = "read_k", skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// How many rows may be suppressed.
    #[serde(default)]
    pub suppression: Suppression,
    /// What a crowd of k means.
    #[serde(default, with = "notion_name", skip_serializing_if = "is_default")]
    pub notion: Notion,
    /// The identifier column that says whom a row is of: persons are counted in place of rows then. Or
    /// [`NO_PERSON`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The share of its population that the table is a sample of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<f64>,
    /// The column that says how many people of the population each row stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_weight: Option<String>,
    /// The column that says which household a row belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub household: Option<String>,
    /// What else must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Require>,
}

/// A notion by its name.
mod notion_name {
    use super::*;

    pub(super) fn serialize<S: Serializer>(notion: &Notion, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(notion.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Notion, D::Error> {
        find_notion(&String::deserialize(deserializer)?).map_err(Packed::error)
    }
}

fn find_notion(name: &str) -> Result<Notion, Message> {
    choose("notion", name, &Notion::ALL.map(|notion| (notion.name(), notion)))
}

/// The notion of a name, for flags.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn parse_notion(name: &str) -> Result<Notion, EngineError> {
    find_notion(name).map_err(EngineError::bad)
}

impl Privacy {
    /// Refuses to look for a release of which nothing is required.
    pub(super) fn refuse_nothing(&self) -> Result<(), EngineError> {
        if self.k.is_none() && self.require.is_empty() {
            let problem = "nothing is required: set k in [privacy], or add a [[privacy.require]]";
            return Err(EngineError::bad(problem));
        }
        Ok(())
    }

    /// Checks what the type does not say.
    pub(super) fn validate(&self) -> Result<(), EngineError> {
        match self.k {
            Some(k) => check_k(k.into()).map_err(EngineError::bad)?,
            None if self.notion != Notion::K && !self.require.is_empty() => {
                return Err(EngineError::bad(("notion says what a crowd of k means", "set k as well")));
            }
            None => {}
        }
        if self.person.as_deref().is_some_and(|name| name != NO_PERSON) && self.notion != Notion::K {
            return Err(EngineError::bad("person can only be used with notion = \"k\""));
        }
        if let Some(fraction) = self.sampling_fraction.filter(|&of| !(of > 0.0 && of <= 1.0)) {
            return Err(EngineError::bad((
                format!("sampling_fraction is {fraction}"),
                "it must be above 0 and at most 1",
            )));
        }
        if self.sampling_fraction.is_some() && self.sampling_weight.is_some() {
            return Err(EngineError::bad((
                "sampling_fraction and sampling_weight both say how the table was sampled",
                "give only one of them",
            )));
        }
        self.require.iter().try_for_each(Require::validate)?;
        self.suppression.check().map_err(EngineError::bad)
    }
}

impl Privacy {
    /// Tells every requirement which share of its population the table is.
    pub(super) fn pass_on_sampling_fraction(&mut self) {
        let fraction = self.sampling_fraction;
        self.require.iter_mut().for_each(|require| require.take_sampling_fraction(fraction));
    }

    /// All that classes must satisfy: k, unless the notion of a crowd is another, and the rest.
    pub fn required(&self) -> Vec<Require> {
        let k = self.k.filter(|_| self.notion == Notion::K).map(Require::crowd);
        k.into_iter().chain(self.require.iter().cloned()).collect()
    }

    /// The largest crowd that is asked for; 1 if none is.
    pub fn largest_k(&self) -> u64 {
        self.largest_k_of(|_| true)
    }

    /// The largest crowd that is asked for; two where nothing is required, because one hides nobody.
    pub(crate) fn least_crowd(&self) -> u64 {
        let is_nothing = self.k.is_none() && self.require.is_empty();
        if is_nothing { LEAST_K } else { self.largest_k() }
    }

    /// The largest crowd that is asked for over all of so many quasi-identifiers; 1 if none is. What is asked for over
    /// some of them says nothing of how many rows are alike in all.
    pub fn k_over_all(&self, quasi: usize) -> u64 {
        self.largest_k_of(|require| require.shield.as_ref().is_none_or(|shield| shield.len() == quasi))
    }

    fn largest_k_of(&self, counts: impl Fn(&Require) -> bool) -> u64 {
        let others = self.require.iter().filter(|require| require.model == "k" && counts(require));
        let others = others.filter_map(|require| require.parameters.get("k")).filter_map(|k| match k {
            ParameterValue::Number(k) => Some(*k as u64),
            _ => None,
        });
        self.k.into_iter().chain(others).max().unwrap_or(1)
    }
}

fn check_k(k: i128) -> Result<(), Message> {
    if k < LEAST_K.into() {
        return Err((format!("k is {k}"), format!("it must be at least {LEAST_K}")).into());
    }
    match k {
        k if k > i64::MAX.into() => {
            Err((format!("k is {k}"), format!("it must be at most {}", i64::MAX)).into())
        }
        _ => Ok(()),
    }
}

fn read_k<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let k = i64::deserialize(deserializer)?;
    check_k(k.into()).map_err(Packed::error)?;
    Ok(Some(k.unsigned_abs()))
}

/// How many rows may be suppressed: a share of the rows, or a number of rows.
///
/// In a job file the spelling decides: `1` is one row, `1.0` is all rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suppression {
    /// A share of the rows, from 0 to 1.
    Share(f64),
    /// A number of rows.
    Rows(u64),
}

impl Default for Suppression {
    fn default() -> Suppression {
        Suppression::Rows(0)
    }
}

impl Suppression {
    /// The number of rows that may be suppressed in a table of `total` rows.
    ///
    /// ```
    /// use throng_engine::job::Suppression;
    /// assert_eq!(Suppression::Share(0.29).max_rows(100), 29); // 0.29 * 100.0 is below 29
    /// assert_eq!(Suppression::Rows(7).max_rows(5), 5);
    /// ```
    pub fn max_rows(self, total: u64) -> u64 {
        match self {
            Suppression::Rows(rows) => rows.min(total),
            Suppression::Share(share) => {
                // A decimal share is off by half a unit in the last place, a percentage and the
                // product by as much again: within that, a whole number is meant.
                let product = share * total as f64;
                let whole = product.round();
                let near = (product - whole).abs() <= 4.0 * f64::EPSILON * product;
                let rows = if near { whole } else { product.floor() };
                (rows as u64).min(total)
            }
        }
    }

    fn check(self) -> Result<(), Message> {
        match self {
            Suppression::Share(share) if !(0.0..=1.0).contains(&share) => Err((
                format!("suppression is {share:?}"),
                "a share of the rows must be from 0 to 1 (a number of rows is written without a decimal \
                 point)",
            )
                .into()),
            Suppression::Rows(rows) if i64::try_from(rows).is_err() => {
                Err((format!("suppression is {rows}"), format!("it must be at most {}", i64::MAX)).into())
            }
            _ => Ok(()),
        }
    }
}

/// As in a flag or a report: `0.02` is a share, `100` a number of rows.
impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Suppression::Share(share) => write!(f, "{share:?}"),
            Suppression::Rows(1) => f.write_str("1 row"),
            Suppression::Rows(rows) => write!(f, "{rows}"),
        }
    }
}

/// Reads a flag: `0.02` and `2%` are shares, `100` and `1 row` numbers of rows.
impl FromStr for Suppression {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Suppression, EngineError> {
        let unreadable = || {
            EngineError::bad(
                "suppression must be a share of the rows (0.02 or 2%) or a number of rows (100, or '100 rows')",
            )
        };
        let rows = text.strip_suffix("rows").or(text.strip_suffix("row")).map(str::trim_end);
        let suppression = if let Some(rows) = rows {
            Suppression::Rows(rows.parse().map_err(|_| unreadable())?)
        } else if let Ok(rows) = text.parse::<u64>() {
            refuse_bare_one(rows).map_err(EngineError::bad)?;
            Suppression::Rows(rows)
        } else if let Some(percent) = text.strip_suffix('%') {
            let percent: f64 = percent.trim_end().parse().map_err(|_| unreadable())?;
            Suppression::Share(percent / 100.0)
        } else if text.parse::<i128>().is_ok() {
            return Err(EngineError::bad(out_of_range(text)));
        } else {
            Suppression::Share(text.parse().map_err(|_| unreadable())?)
        };
        suppression.check().map_err(EngineError::bad)?;
        Ok(suppression)
    }
}

/// A 1 may be meant for one row, or for all of them.
fn refuse_bare_one(rows: u64) -> Result<(), &'static str> {
    match rows {
        1 => Err("suppression is 1: is that one row ('1 row') or all of them ('100%')?"),
        _ => Ok(()),
    }
}

fn out_of_range(rows: impl fmt::Display) -> Message {
    (format!("suppression is {rows}"), format!("a number of rows must be from 0 to {}", i64::MAX)).into()
}

impl Serialize for Suppression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Suppression::Share(share) => serializer.serialize_f64(share),
            Suppression::Rows(1) => serializer.serialize_str("1 row"),
            Suppression::Rows(rows) => serializer.serialize_u64(rows),
        }
    }
}

impl<'de> Deserialize<'de> for Suppression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Suppression, D::Error> {
        deserializer.deserialize_any(ShareOrRows)
    }
}

struct ShareOrRows;

impl Visitor<'_> for ShareOrRows {
    type Value = Suppression;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a share of the rows (0.02) or a number of rows (100)")
    }

    fn visit_f64<E: Error>(self, share: f64) -> Result<Suppression, E> {
        let suppression = Suppression::Share(share);
        suppression.check().map(|()| suppression).map_err(Packed::error)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Suppression, E> {
        text.parse().map_err(|error: EngineError| E::custom(Packed::from(error)))
    }

    fn visit_u64<E: Error>(self, rows: u64) -> Result<Suppression, E> {
        refuse_bare_one(rows).map_err(Packed::error)?;
        let suppression = Suppression::Rows(rows);
        suppression.check().map(|()| suppression).map_err(Packed::error)
    }

    fn visit_i64<E: Error>(self, rows: i64) -> Result<Suppression, E> {
        let rows = u64::try_from(rows).map_err(|_| Packed::error(out_of_range(rows)))?;
        self.visit_u64(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::unpack;

    fn read(text: &str) -> Result<Privacy, String> {
        toml::from_str(text).map_err(|e| unpack(e.message()).to_string())
    }

    #[test]
    fn the_spelling_decides_between_shares_and_rows() {
        let of = |text: &str| read(&format!("k = 2\nsuppression = {text}")).unwrap().suppression;
        assert_eq!(of("'1 row'"), Suppression::Rows(1));
        assert_eq!(of("'5 rows'"), Suppression::Rows(5));
        assert_eq!(of("'2 %'"), Suppression::Share(0.02));
        let asked_back = read("k = 2\nsuppression = 1").unwrap_err();
        assert!(asked_back.contains("'1 row'") && asked_back.contains("'100%'"), "{asked_back}");
        let kept = toml::to_string(&read("k = 2\nsuppression = '1 row'").unwrap()).unwrap();
        assert_eq!(read(&kept).unwrap().suppression, Suppression::Rows(1));
        assert_eq!(of("1.0"), Suppression::Share(1.0));
        assert_eq!(of("0"), Suppression::Rows(0));
        assert_eq!(of("0.02"), Suppression::Share(0.02));
        assert_eq!(read("k = 2").unwrap().suppression, Suppression::Rows(0));
    }

    #[test]
    fn flags_read_shares_percentages_and_rows() {
        let of = |text: &str| text.parse::<Suppression>().unwrap();
        assert_eq!(of("0.02"), Suppression::Share(0.02));
        assert_eq!(of("2%"), Suppression::Share(0.02));
        assert_eq!(of("2.5 %"), Suppression::Share(0.025));
        assert_eq!(of("100"), Suppression::Rows(100));
        assert_eq!((of("1 row"), of("5rows")), (Suppression::Rows(1), Suppression::Rows(5)));
        assert!("1".parse::<Suppression>().unwrap_err().to_string().contains("'1 row'"));
        assert_eq!(of("1.0"), Suppression::Share(1.0));
        assert_eq!(of(&of("0.5").to_string()), Suppression::Share(0.5));
        assert_eq!(of(&of("1.0").to_string()), Suppression::Share(1.0));
    }

    #[test]
    fn shares_round_down_but_not_below_a_whole_product() {
        assert_eq!(Suppression::Share(0.02).max_rows(50), 1);
        assert_eq!(Suppression::Share(0.02).max_rows(99), 1);
        assert_eq!(Suppression::Share(1.0).max_rows(7), 7);
        assert_eq!(Suppression::Share(0.0).max_rows(7), 0);
        for hundredths in 0..=100u64 {
            for rows in [1, 50, 100, 999, 30_162, 1_000_000_007] {
                let share = format!("0.{hundredths:02}").parse::<f64>().unwrap();
                let share = if hundredths == 100 { 1.0 } else { share };
                let percent: Suppression = format!("{hundredths}%").parse().unwrap();
                let expected = hundredths * rows / 100;
                assert_eq!(Suppression::Share(share).max_rows(rows), expected, "{share} of {rows}");
                assert_eq!(percent.max_rows(rows), expected, "{hundredths}% of {rows}");
            }
        }
    }

    #[test]
    fn bad_suppressions_are_explained() {
        let flag = |text: &str| text.parse::<Suppression>().unwrap_err().to_string();
        let share = "suppression is 1.5; a share of the rows must be from 0 to 1 \
                     (a number of rows is written without a decimal point)";
        assert_eq!(flag("1.5"), share);
        assert_eq!(flag("150%"), share);
        assert_eq!(read("k = 2\nsuppression = 1.5").unwrap_err(), share);
        assert!(flag("NaN").starts_with("suppression is NaN; a share"));
        let rows = "suppression is -1; a number of rows must be from 0 to 9223372036854775807";
        assert_eq!(flag("-1"), rows);
        assert_eq!(read("k = 2\nsuppression = -1").unwrap_err(), rows);
        assert_eq!(
            flag("few"),
            "suppression must be a share of the rows (0.02 or 2%) or a number of rows (100, or '100 rows')"
        );
    }

    #[test]
    fn k_must_hide_someone() {
        for k in ["-3", "0", "1"] {
            let expected = format!("k is {k}; it must be at least 2");
            assert_eq!(read(&format!("k = {k}")).unwrap_err(), expected);
        }
        assert_eq!(read("k = 2").unwrap().k, Some(2));
        let flag = Privacy {
            k: Some(1),
            suppression: Suppression::default(),
            notion: Notion::K,
            person: None,
            sampling_fraction: None,
            sampling_weight: None,
            household: None,
            require: Vec::new(),
        };
        assert_eq!(flag.validate().unwrap_err().to_string(), "k is 1; it must be at least 2");
    }
}
