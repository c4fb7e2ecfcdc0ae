//! What each column is.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::privacy::folded;
use throng::wording::quoted;

use super::hierarchy::{GeneraliseKey, HierarchySpec};
use super::pseudonym::Pseudonym;
use super::shift::DateShift;
use crate::coding::NumberCoding;
use crate::error::{EngineError, Result};
use crate::input::dialect::check_decimal;
use crate::role::Role;
use crate::wording::{Message, Packed, choose};

/// The name that stands for every column that the job does not mention.
pub const REST: &str = "*";

/// How messages call a column of a job: `column 'age'`, or all that it does not name.
pub(crate) fn called(name: &str) -> String {
    if name == REST { "all other columns".to_owned() } else { format!("column {}", quoted(name)) }
}

/// An error about a column of a job; about none where the job has it for all that it does not name.
pub(super) fn in_column(error: EngineError, name: &str) -> EngineError {
    if name == REST { error } else { error.in_column(name) }
}

/// The roles of columns whose cells are released as they are.
const KEPT: [Role; 3] = [Role::Sensitive, Role::Target, Role::Other];

/// What the job says about one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ColumnKeys", into = "ColumnKeys")]
pub struct Column {
    /// What the column is to the release.
    pub role: Role,
    /// How much the column counts in weighted measures; 1 when not given.
    pub weight: Option<f64>,
    /// The lowest level of its hierarchy that it may be released at; none means as it is.
    pub min_level: Option<usize>,
    /// The highest level of its hierarchy that it may be released at; none means the top.
    pub max_level: Option<usize>,
    /// How its values are generalised; none means all or nothing. Of a sensitive column, how far its values
    /// are from each other.
    pub hierarchy: Option<HierarchySpec>,
    /// The values of a sensitive column, from the least to the greatest.
    pub order: Option<Vec<String>>,
    /// Whether values of a sensitive column are the same only if they are spelled alike; no when not given.
    pub exact: Option<bool>,
    /// What takes the place of an identifier; none means that it is left out.
    pub pseudonym: Option<Pseudonym>,
    /// The mark before decimals; that of the table when not given.
    pub decimal: Option<char>,
    /// What becomes of values that the hierarchy lacks.
    pub unknown: Option<Unknown>,
    /// That text which people typed is released as it is; such a column is refused otherwise.
    pub text: Option<TypedText>,
    /// What is done to the numbers of a column that is kept.
    pub coding: NumberCoding,
    /// How the dates of a column that is kept are moved.
    pub shift: Option<DateShift>,
}

/// What becomes of text that people typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum TypedText {
    /// It is released as it is.
    Keep,
}

impl FromStr for TypedText {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<TypedText> {
        choose("way with text", name, &[("keep", TypedText::Keep)]).map_err(EngineError::bad)
    }
}

impl TryFrom<String> for TypedText {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<TypedText, Packed> {
        Ok(name.parse()?)
    }
}

/// What becomes of a value that a hierarchy lacks, or that its builder cannot read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Unknown {
    /// It is an error.
    #[default]
    Error,
    /// It is released as what stands for all values, `*`.
    Top,
}

const UNKNOWN: [(&str, Unknown); 2] = [("error", Unknown::Error), ("top", Unknown::Top)];

impl FromStr for Unknown {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Unknown> {
        choose("way with unknown values", name, &UNKNOWN).map_err(EngineError::bad)
    }
}

impl TryFrom<String> for Unknown {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<Unknown, Packed> {
        Ok(name.parse()?)
    }
}

/// A column as a job spells it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnKeys {
    role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_level: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_level: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hierarchy: Option<HierarchySpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generalise: Option<GeneraliseKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pseudonym: Option<Pseudonym>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decimal: Option<char>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<Unknown>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<TypedText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bottom: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    top: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shift_days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date_format: Option<String>,
}

impl TryFrom<ColumnKeys> for Column {
    type Error = &'static str;

    fn try_from(keys: ColumnKeys) -> std::result::Result<Column, &'static str> {
        let ColumnKeys {
            role,
            weight,
            min_level,
            max_level,
            hierarchy,
            generalise,
            order,
            exact,
            pseudonym,
            decimal,
            unknown,
            text,
            bottom,
            top,
            round,
            shift_days,
            date_format,
        } = keys;
        if date_format.is_some() && shift_days.is_none() {
            return Err("'date_format' is how the dates of a column with 'shift_days' are spelled");
        }
        let column = |hierarchy| Column {
            role,
            weight,
            min_level,
            max_level,
            hierarchy,
            order,
            exact,
            pseudonym,
            decimal,
            unknown,
            text,
            coding: NumberCoding { bottom, top, round },
            shift: shift_days.map(|days| DateShift { days, format: date_format }),
        };
        match (hierarchy, generalise) {
            (Some(_), Some(_)) => {
                Err("a column takes either a hierarchy or 'generalise': give only one of them")
            }
            (hierarchy, None) => Ok(column(hierarchy)),
            (None, Some(GeneraliseKey(spec))) => Ok(column(Some(spec))),
        }
    }
}

impl From<Column> for ColumnKeys {
    fn from(column: Column) -> ColumnKeys {
        let generalise = column.hierarchy.as_ref().and_then(GeneraliseKey::from_hierarchy);
        let hierarchy = column.hierarchy.filter(|_| generalise.is_none());
        ColumnKeys {
            role: column.role,
            weight: column.weight,
            min_level: column.min_level,
            max_level: column.max_level,
            hierarchy,
            generalise,
            order: column.order,
            exact: column.exact,
            pseudonym: column.pseudonym,
            decimal: column.decimal,
            unknown: column.unknown,
            text: column.text,
            bottom: column.coding.bottom,
            top: column.coding.top,
            round: column.coding.round,
            shift_days: column.shift.as_ref().map(|shift| shift.days),
            date_format: column.shift.and_then(|shift| shift.format),
        }
    }
}

impl Column {
    /// A column with nothing but a role.
    pub fn new(role: Role) -> Column {
        Column {
            role,
            weight: None,
            min_level: None,
            max_level: None,
            hierarchy: None,
            order: None,
            exact: None,
            pseudonym: None,
            decimal: None,
            unknown: None,
            text: None,
            coding: NumberCoding::default(),
            shift: None,
        }
    }

    /// An identifier that is replaced.
    pub fn with_pseudonym(pseudonym: Pseudonym) -> Column {
        Column { pseudonym: Some(pseudonym), ..Column::new(Role::Identifier) }
    }

    fn validate(&self, name: &str) -> Result<()> {
        let bad = |problem: Message| Err(EngineError::bad(problem).in_column(name));
        let key = if self.hierarchy.as_ref().and_then(GeneraliseKey::from_hierarchy).is_some() {
            "generalise"
        } else {
            "hierarchy"
        };
        let told = [
            (key, self.hierarchy.is_some(), &[Role::Quasi, Role::Sensitive][..]),
            ("weight", self.weight.is_some(), &[Role::Quasi]),
            ("min_level", self.min_level.is_some(), &[Role::Quasi]),
            ("max_level", self.max_level.is_some(), &[Role::Quasi]),
            ("order", self.order.is_some(), &[Role::Sensitive]),
            ("exact", self.exact.is_some(), &[Role::Sensitive]),
            ("pseudonym", self.pseudonym.is_some(), &[Role::Identifier]),
            ("bottom", self.coding.bottom.is_some(), &KEPT),
            ("top", self.coding.top.is_some(), &KEPT),
            ("round", self.coding.round.is_some(), &KEPT),
            ("shift_days", self.shift.is_some(), &[Role::Other]),
            ("decimal", self.decimal.is_some() && self.coding.is_none(), &[Role::Quasi]),
            ("unknown", self.unknown.is_some(), &[Role::Quasi]),
            ("text", self.text.is_some(), &KEPT),
        ];
        if let Some((key, _, roles)) = told.iter().find(|(_, told, of)| *told && !of.contains(&self.role)) {
            let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            return bad(
                format!("'{key}' is only for the role {}, not {}", roles.join(" or "), self.role).into()
            );
        }
        if self.role == Role::Sensitive && self.hierarchy.as_ref().is_some_and(HierarchySpec::is_from_data) {
            return bad(format!(
                "the {key} of a sensitive column must be a file or a rule, not built from data"
            )
            .into());
        }
        if let Some(order) = &self.order
            && let Some(at) = self.find_twice(order)
        {
            return bad(format!("'order' lists its value number {} twice", at + 1).into());
        }
        if let (Some(min), Some(max)) = (self.min_level, self.max_level)
            && min > max
        {
            return bad(
                (format!("min_level {min} is above max_level {max}"), "no level satisfies both").into()
            );
        }
        if (self.min_level.is_some() || self.max_level.is_some()) && key == "generalise" {
            return bad(("min_level and max_level are levels of a hierarchy", "'generalise' has none").into());
        }
        self.decimal.map_or(Ok(()), check_decimal).map_err(|error| error.in_column(name))?;
        let shift = self.shift.as_ref().map_or(Ok(()), DateShift::check);
        shift.map_err(|problem| EngineError::bad(problem).in_column(name))?;
        if self.shift.is_some() && !self.coding.is_none() {
            return bad("shift_days is for dates, bottom, top and round are for numbers".into());
        }
        self.coding.check().map_err(|problem| EngineError::bad(problem).in_column(name))?;
        match self.weight {
            Some(weight) if !(weight.is_finite() && weight > 0.0) => {
                bad((format!("weight is {weight}"), "it must be above 0 and finite").into())
            }
            _ => Ok(()),
        }
    }
}

impl Column {
    /// The first of some values of a sensitive column that is the same as one before it.
    fn find_twice(&self, values: &[String]) -> Option<usize> {
        let exact = self.exact.unwrap_or(false);
        let mut seen = BTreeSet::new();
        values.iter().position(|value| {
            let value = if exact { value.as_str().into() } else { folded(value) };
            !seen.insert(value)
        })
    }
}

/// The columns in the order of the job; each name occurs once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns(Vec<(String, Column)>);

impl Columns {
    /// What the job says about a column by its own name, not by `*`.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, column)| column)
    }

    /// What the job says about columns that it does not name.
    pub fn rest(&self) -> Option<&Column> {
        self.get(REST)
    }

    /// Sets what the job says about a column; gives back what it said before.
    pub fn set(&mut self, name: impl Into<String>, column: Column) -> Option<Column> {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => Some(std::mem::replace(known, column)),
            None => {
                self.0.push((name, column));
                None
            }
        }
    }

    /// Names (without `*`) and columns, in the order of the job.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.0.iter().filter(|(name, _)| name != REST).map(|(name, column)| (name.as_str(), column))
    }

    /// The columns that are kept, but whose numbers are coded or whose dates are moved, in the order of the job; `*` for
    /// those that it does not name.
    pub fn coded(&self) -> impl Iterator<Item = &str> {
        let is_coded = |column: &Column| !column.coding.is_none() || column.shift.is_some();
        self.0.iter().filter(move |(_, column)| is_coded(column)).map(|(name, _)| name.as_str())
    }

    /// The columns whose dates are moved, in the order of the job; `*` for those that it does not name.
    pub fn shifted(&self) -> impl Iterator<Item = (&str, &DateShift)> {
        self.0.iter().filter_map(|(name, column)| Some((name.as_str(), column.shift.as_ref()?)))
    }

    /// The identifiers that are replaced by pseudonyms, in the order of the job.
    pub fn pseudonyms(&self) -> impl Iterator<Item = &str> {
        self.named().filter(|(_, column)| column.pseudonym.is_some()).map(|(name, _)| name)
    }

    /// The hierarchies, so that their paths can be made absolute, or tables put in the place of files.
    pub fn hierarchies_mut(&mut self) -> impl Iterator<Item = &mut HierarchySpec> {
        self.0.iter_mut().filter_map(|(_, column)| column.hierarchy.as_mut())
    }

    /// Checks what does not need the table.
    pub(super) fn validate(&self) -> Result<()> {
        for (name, column) in &self.0 {
            column.validate(name)?;
        }
        if let Some(rest) = self.rest()
            && !matches!(rest.role, Role::Other | Role::Identifier)
        {
            return Err(EngineError::bad((
                format!("the columns that '*' stands for cannot be {}", rest.role),
                "they can be other or identifier",
            )));
        }
        if self.rest().is_some_and(|rest| rest.pseudonym.is_some()) {
            return Err(EngineError::bad((
                "the columns that '*' stands for cannot have pseudonyms",
                "name each column that should",
            )));
        }
        if self.rest().is_some_and(|rest| rest.text.is_some()) {
            return Err(EngineError::bad(
                "free text is kept column by column: name each column with text = \"keep\" instead of '*'",
            ));
        }
        if !self.named().any(|(_, column)| column.role == Role::Quasi) {
            return Err(EngineError::bad((
                "no column has the role quasi",
                "at least one quasi-identifier is needed",
            )));
        }
        Ok(())
    }
}

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, column)| (name, column)))
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Columns, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Columns;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of columns")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Columns, A::Error> {
        let mut columns = Columns::default();
        let mut seen = BTreeSet::new();
        while let Some((name, column)) = map.next_entry::<String, Column>()? {
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format!("column {} is given twice", quoted(&name))));
            }
            columns.0.push((name, column));
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        toml::from_str::<Columns>(text).unwrap().validate().unwrap_err().to_string()
    }

    #[test]
    fn the_order_of_the_job_is_kept() {
        let text = "z = { role = 'quasi' }\na = { role = 'other' }\n'*' = { role = 'identifier' }";
        let columns: Columns = toml::from_str(text).unwrap();
        assert_eq!(columns.named().map(|(name, _)| name).collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(columns.rest(), Some(&Column::new(Role::Identifier)));
        assert!(columns.validate().is_ok());
    }

    #[test]
    fn ranges_and_sets_have_a_key_of_their_own() {
        let text = "age = { role = 'quasi', generalise = 'range' }\njob = { role = 'quasi', generalise = { set = 3 } }";
        let columns: Columns = toml::from_str(text).unwrap();
        assert_eq!(columns.get("age").unwrap().hierarchy, Some(HierarchySpec::Range { format: None }));
        let written = toml::to_string(&columns).unwrap();
        assert!(written.contains("generalise = \"range\""), "{written}");
        assert_eq!(toml::from_str::<Columns>(&written).unwrap(), columns);
        let both = "age = { role = 'quasi', hierarchy = 'age.csv', generalise = 'range' }";
        let error = toml::from_str::<Columns>(both).unwrap_err().to_string();
        assert!(error.contains("a column takes either a hierarchy or 'generalise'"), "{error}");
        assert_eq!(
            complaint("a = { role = 'other', generalise = 'set' }"),
            "column 'a': 'generalise' is only for the role quasi or sensitive, not other"
        );
    }

    #[test]
    fn levels_are_of_hierarchies_and_in_order() {
        let quasi = |keys: &str| format!("a = {{ role = 'quasi', hierarchy = 'a.csv', {keys} }}");
        let columns: Columns = toml::from_str(&quasi("min_level = 1, max_level = 2")).unwrap();
        columns.validate().unwrap();
        let written = toml::to_string(&columns).unwrap();
        assert_eq!(toml::from_str::<Columns>(&written).unwrap(), columns);
        assert_eq!(
            complaint(&quasi("min_level = 3, max_level = 2")),
            "column 'a': min_level 3 is above max_level 2; no level satisfies both"
        );
        assert_eq!(
            complaint("a = { role = 'quasi', generalise = 'range', max_level = 1 }"),
            "column 'a': min_level and max_level are levels of a hierarchy; 'generalise' has none"
        );
        assert_eq!(
            complaint("a = { role = 'other', min_level = 1 }"),
            "column 'a': 'min_level' is only for the role quasi, not other"
        );
    }

    #[test]
    fn setting_a_column_replaces_it_in_place() {
        let mut columns = Columns::default();
        assert_eq!(columns.set("a", Column::new(Role::Other)), None);
        columns.set("b", Column::new(Role::Quasi));
        assert_eq!(columns.set("a", Column::new(Role::Target)), Some(Column::new(Role::Other)));
        let roles: Vec<_> = columns.named().map(|(name, column)| (name, column.role)).collect();
        assert_eq!(roles, [("a", Role::Target), ("b", Role::Quasi)]);
    }

    #[test]
    fn a_column_given_twice_is_an_error_in_json_too() {
        let text = r#"{"a": {"role": "other"}, "a": {"role": "quasi"}}"#;
        let error = serde_json::from_str::<Columns>(text).unwrap_err().to_string();
        assert!(error.starts_with("column 'a' is given twice"), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_explained() {
        assert_eq!(
            complaint("a = { role = 'other' }"),
            "no column has the role quasi; at least one quasi-identifier is needed"
        );
        assert_eq!(
            complaint("a = { role = 'target', hierarchy = 'a.csv' }"),
            "column 'a': 'hierarchy' is only for the role quasi or sensitive, not target"
        );
        assert_eq!(
            complaint("a = { role = 'quasi', order = ['x'] }"),
            "column 'a': 'order' is only for the role sensitive, not quasi"
        );
        assert_eq!(
            complaint("a = { role = 'sensitive', order = ['x', 'y', 'x'] }"),
            "column 'a': 'order' lists its value number 3 twice"
        );
        assert_eq!(
            complaint("a = { role = 'quasi', pseudonym = 'keyed' }"),
            "column 'a': 'pseudonym' is only for the role identifier, not quasi"
        );
        assert_eq!(
            complaint("a = { role = 'quasi' }\n'*' = { role = 'identifier', pseudonym = 'keyed' }"),
            "the columns that '*' stands for cannot have pseudonyms; name each column that should"
        );
        let unkeyed = toml::from_str::<Columns>("a = { role = 'identifier', pseudonym = 'sha256' }");
        let unkeyed = throng_tables::wording::unpack(unkeyed.unwrap_err().message());
        assert_eq!(unkeyed, "unknown pseudonym 'sha256'; allowed are: keyed");
        assert_eq!(
            complaint("a = { role = 'other', weight = 1 }"),
            "column 'a': 'weight' is only for the role quasi, not other"
        );
        for (weight, shown) in [("0", "0"), ("-1.5", "-1.5"), ("nan", "NaN"), ("inf", "inf")] {
            assert_eq!(
                complaint(&format!("a = {{ role = 'quasi', weight = {weight} }}")),
                format!("column 'a': weight is {shown}; it must be above 0 and finite")
            );
        }
        assert_eq!(
            complaint("a = { role = 'quasi' }\n'*' = { role = 'quasi' }"),
            "the columns that '*' stands for cannot be quasi; they can be other or identifier"
        );
    }
}
