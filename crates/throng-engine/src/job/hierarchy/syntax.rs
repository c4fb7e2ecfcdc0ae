//! How a hierarchy is written in a job and in a flag.
//!
//! Messages never show a member of a group: those are values of the data.

use std::str::FromStr;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::taxonomy::{Auto, DateUnit, Group, MaskSide, SEPARATORS};
use toml::{Table, Value};

use crate::address::Address;

use super::{GeneraliseKey, HierarchyFile, HierarchySpec};
use crate::error::EngineError;
use crate::wording::{Message, Packed, choose, unknown};

/// The builders, each with the keys that may go with it.
const BUILDERS: [(&str, &[&str]); 6] = [
    ("file", &["separator"]),
    ("mask", &[]),
    ("intervals", &["origin", "ranges"]),
    ("dates", &["format"]),
    ("groups", &[]),
    ("auto", &["levels"]),
];

const SPELLINGS: [(&str, bool); 2] = [("signs", false), ("words", true)];

const EMPTY: (&str, &str) =
    ("the hierarchy is empty", "name a file, or a builder: mask, intervals, dates, groups or auto");

const SIDES: [(&str, MaskSide); 2] = [("right", MaskSide::Right), ("left", MaskSide::Left)];

const UNITS: [(&str, DateUnit); 5] = [
    ("day", DateUnit::Day),
    ("month", DateUnit::Month),
    ("quarter", DateUnit::Quarter),
    ("year", DateUnit::Year),
    ("decade", DateUnit::Decade),
];

impl<'de> Deserialize<'de> for HierarchySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HierarchySpec, D::Error> {
        let spec = match Value::deserialize(deserializer)? {
            Value::String(path) => from_path(&path),
            Value::Table(table) => from_table(&table),
            _ => Err("a hierarchy must be a file name in quotes or a table with a builder".into()),
        };
        spec.map_err(Packed::error)
    }
}

impl Serialize for HierarchySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = Table::new();
        match self {
            HierarchySpec::File(HierarchyFile { in_memory: Some(table), .. }) => {
                return Address::Memory(table.clone()).serialize(serializer);
            }
            HierarchySpec::File(HierarchyFile { path, separator: None, .. }) => {
                return path.serialize(serializer);
            }
            HierarchySpec::File(HierarchyFile { path, separator: Some(separator), .. }) => {
                let path = path.to_str().ok_or_else(|| S::Error::custom("a path that is not Unicode"))?;
                table.insert("file".into(), path.into());
                table.insert("separator".into(), separator.to_string().into());
            }
            // A column writes these with a key of their own.
            HierarchySpec::Range { .. }
            | HierarchySpec::Set { .. }
            | HierarchySpec::Prefix
            | HierarchySpec::Numbers(_) => {
                return GeneraliseKey(self.clone()).serialize(serializer);
            }
            HierarchySpec::Mask(side) => {
                table.insert("mask".into(), name_of(side, &SIDES).into());
            }
            HierarchySpec::Intervals { widths, origin, in_words } => {
                let widths: Vec<Value> = widths.iter().map(|&width| number(width)).collect();
                table.insert("intervals".into(), widths.into());
                table.insert("origin".into(), number(*origin));
                if *in_words {
                    table.insert("ranges".into(), "words".into());
                }
            }
            HierarchySpec::Dates { units, format } => {
                let units: Vec<&str> = units.iter().map(|unit| name_of(unit, &UNITS)).collect();
                table.insert("dates".into(), units.into());
                table.extend(format.iter().map(|format| ("format".to_owned(), format.as_str().into())));
            }
            HierarchySpec::Groups(levels) => {
                let levels: Vec<Value> = levels.iter().map(|level| level_table(level)).collect();
                table.insert("groups".into(), levels.into());
            }
            HierarchySpec::Auto { levels } => {
                table.insert("auto".into(), true.into());
                if *levels != Auto::MAX_LEVELS {
                    table.insert("levels".into(), Value::Integer(*levels as i64));
                }
            }
        }
        table.serialize(serializer)
    }
}

/// Reads a flag: `mask:right`, `intervals:5,10,20`, `dates:month,year`, `auto`, `range`,
/// `range:%d.%m.%Y`, `set`, `set:20`, `prefix`, `mean`, `median`, or a file name.
///
/// A file whose name starts like a builder can be written as `./mask:…` or `./auto`.
impl FromStr for HierarchySpec {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<HierarchySpec, EngineError> {
        if let Some(spec) = GeneraliseKey::from_flag(text) {
            return spec.map_err(EngineError::bad);
        }
        let spec = match text.split_once(':') {
            Some(("mask", side)) => choose_side(side).map(HierarchySpec::Mask),
            Some(("intervals", widths)) => {
                let widths = widths.split(',').map(|width| width.trim().parse::<f64>());
                let widths: Result<Vec<f64>, _> = widths.collect();
                let widths = widths.map_err(|_| NOT_NUMBERS.into());
                widths.and_then(|widths| intervals(widths, 0.0, false))
            }
            Some(("dates", units)) => {
                let units: Result<_, _> = units.split(',').map(|u| choose_unit(u.trim())).collect();
                units.map(|units| HierarchySpec::Dates { units, format: None })
            }
            None if text == "auto" => Ok(HierarchySpec::Auto { levels: Auto::MAX_LEVELS }),
            _ => from_path(text),
        };
        spec.map_err(EngineError::bad)
    }
}

/// Levels that an automatic hierarchy may have: more only make the search longer.
const MOST_LEVELS: usize = 20;

const NOT_NUMBERS: &str = "the widths of intervals must be numbers, as in intervals = [5, 10, 20]";

fn from_path(path: &str) -> Result<HierarchySpec, Message> {
    if path.is_empty() {
        return Err(EMPTY.into());
    }
    Ok(HierarchySpec::File(path.into()))
}

fn from_table(table: &Table) -> Result<HierarchySpec, Message> {
    let Some(first) = table.keys().next() else {
        return Err(EMPTY.into());
    };
    let mut chosen = BUILDERS.iter().filter(|(builder, _)| table.contains_key(*builder));
    let Some(&(builder, options)) = chosen.next() else {
        return Err(unknown("hierarchy builder", first, &BUILDERS.map(|(builder, _)| builder)));
    };
    if let Some((second, _)) = chosen.next() {
        return Err(format!("a hierarchy has one builder, not both {builder} and {second}").into());
    }
    let allowed: Vec<&str> = std::iter::once(builder).chain(options.iter().copied()).collect();
    if let Some(key) = table.keys().find(|key| !allowed.contains(&key.as_str())) {
        return Err(unknown(&format!("key of the builder {builder}"), key, &allowed));
    }
    let (value, option) = (&table[builder], options.first().and_then(|key| table.get(*key)));
    match builder {
        "file" => read_file(value, option),
        "mask" => {
            let side = value.as_str().ok_or("mask must be \"right\" or \"left\"")?;
            choose_side(side).map(HierarchySpec::Mask)
        }
        "intervals" => read_intervals(value, option, table.get("ranges")),
        "dates" => read_dates(value, option),
        "auto" => read_auto(value, option),
        _ => read_groups(value),
    }
}

fn read_file(path: &Value, separator: Option<&Value>) -> Result<HierarchySpec, Message> {
    let path = path.as_str().filter(|path| !path.is_empty()).ok_or("file must be a path in quotes")?;
    let separator = match separator {
        None => None,
        Some(separator) => Some(choose_separator(separator.as_str().unwrap_or_default())?),
    };
    Ok(HierarchySpec::File(HierarchyFile { path: path.into(), separator, in_memory: None }))
}

/// What may stand between the labels of a hierarchy file.
pub(in crate::job) fn choose_separator(text: &str) -> Result<char, Message> {
    let known = SEPARATORS.into_iter().find(|separator| text == separator.to_string());
    let tab = (text == "tab" || text == "\\t").then_some('\t');
    known.or(tab).ok_or_else(|| "the separator of a hierarchy is ';', ',' or a tab".into())
}

fn choose_side(side: &str) -> Result<MaskSide, Message> {
    choose("side to mask", side, &SIDES)
}

fn choose_unit(unit: &str) -> Result<DateUnit, Message> {
    choose("calendar unit", unit, &UNITS)
}

fn read_intervals(
    widths: &Value,
    origin: Option<&Value>,
    ranges: Option<&Value>,
) -> Result<HierarchySpec, Message> {
    let widths = widths.as_array().ok_or(NOT_NUMBERS)?;
    let widths: Option<Vec<f64>> = widths.iter().map(to_number).collect();
    let origin = origin.map_or(Some(0.0), to_number).filter(|origin| origin.is_finite());
    let origin = origin.ok_or("the origin of intervals must be a finite number")?;
    let in_words = match ranges {
        None => false,
        Some(ranges) => choose("spelling of ranges", ranges.as_str().unwrap_or_default(), &SPELLINGS)?,
    };
    intervals(widths.ok_or(NOT_NUMBERS)?, origin, in_words)
}

fn intervals(widths: Vec<f64>, origin: f64, in_words: bool) -> Result<HierarchySpec, Message> {
    if widths.is_empty() {
        return Err("intervals needs at least one width, as in intervals = [5, 10, 20]".into());
    }
    if widths.iter().any(|width| !(width.is_finite() && *width > 0.0)) {
        return Err("the widths of intervals must be above 0 and finite".into());
    }
    Ok(HierarchySpec::Intervals { widths, origin, in_words })
}

fn read_dates(units: &Value, format: Option<&Value>) -> Result<HierarchySpec, Message> {
    const UNREADABLE: &str = "dates must be a list of calendar units, as in dates = [\"month\", \"year\"]";
    let units = units.as_array().filter(|units| !units.is_empty()).ok_or(UNREADABLE)?;
    let units = units.iter().map(|unit| choose_unit(unit.as_str().ok_or(UNREADABLE)?));
    let units: Vec<DateUnit> = units.collect::<Result<_, Message>>()?;
    let format = match format {
        None => None,
        Some(Value::String(format)) if !format.is_empty() => Some(format.clone()),
        Some(_) => return Err("the format of dates must be text such as \"%d.%m.%Y\"".into()),
    };
    Ok(HierarchySpec::Dates { units, format })
}

fn read_auto(auto: &Value, levels: Option<&Value>) -> Result<HierarchySpec, Message> {
    if auto.as_bool() != Some(true) {
        return Err(("auto must be true", "without a hierarchy, values are shown exactly or as *").into());
    }
    let levels = levels.map_or(Some(Auto::MAX_LEVELS as i64), Value::as_integer);
    let levels =
        levels.and_then(|levels| usize::try_from(levels).ok()).filter(|levels| *levels <= MOST_LEVELS);
    let levels = levels.ok_or_else(|| format!("levels must be a whole number from 0 to {MOST_LEVELS}"))?;
    Ok(HierarchySpec::Auto { levels })
}

fn read_groups(levels: &Value) -> Result<HierarchySpec, Message> {
    let levels = levels.as_array().filter(|levels| !levels.is_empty()).ok_or(
        "groups must be a list with one table per level, as in groups = [{ \"label\" = [\"a\", \"b\"] }]",
    )?;
    let levels = levels.iter().enumerate().map(|(index, level)| {
        read_level(level)
            .map_err(|problem| Message::from(format!("level {} of groups: {problem}", index + 1)))
    });
    levels.collect::<Result<_, _>>().map(HierarchySpec::Groups)
}

fn read_level(level: &Value) -> Result<Vec<Group>, &'static str> {
    let level = level.as_table().ok_or("it must be a table of labels and lists of values")?;
    if level.is_empty() {
        return Err("it has no group");
    }
    let groups = level.iter().map(|(label, members)| {
        let members = members.as_array().ok_or("a group must be a list of values")?;
        let values: Option<Vec<String>> = members.iter().map(to_cell).collect();
        let values = values.ok_or("the values of a group must be text or whole numbers")?;
        if values.is_empty() {
            return Err("a group has no value");
        }
        Ok(Group { label: label.clone(), values })
    });
    groups.collect()
}

/// A member of a group as it is spelled in the data.
fn to_cell(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

fn to_number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// Whole numbers are written without a decimal point where they are exact.
pub(super) fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 1e15 { Value::Integer(x as i64) } else { Value::Float(x) }
}

fn name_of<T: PartialEq>(item: &T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|(_, choice)| choice == item).map_or("", |&(name, _)| name)
}

fn level_table(level: &[Group]) -> Value {
    let groups = level.iter().map(|group| (group.label.clone(), group.values.clone().into()));
    Value::Table(groups.collect())
}

#[cfg(test)]
mod tests;
