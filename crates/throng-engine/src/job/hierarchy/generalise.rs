//! How a job says that a column has no hierarchy, but generalises to ranges, sets or prefixes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::taxonomy::{MAX_MEMBERS, MOST_MEMBERS};
use toml::{Table, Value};

use super::{HierarchySpec, Numbers, Shown};
use crate::wording::{Message, Packed, unknown};

const WAYS: [&str; 5] = ["range", "set", "prefix", "mean", "median"];

/// Keys beside a way.
const BOUNDS: [&str; 2] = ["bottom", "top"];

const UNREADABLE: &str = "generalise must be \"range\", \"set\", \"prefix\", \"mean\" or \"median\", or a table such \
                          as { range = \"%d.%m.%Y\" }, { set = 20 } or { mean = true, top = 90 }";

/// The key `generalise` of a column: `"range"`, `"set"`, `"prefix"`, `{ range = "%d.%m.%Y" }` for
/// dates that are not ISO 8601, or `{ set = 20 }` for another number of members at most; for numbers also `"mean"`
/// and `"median"`, and bounds, as in `{ mean = true, bottom = 18, top = 90 }`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::job) struct GeneraliseKey(pub(in crate::job) HierarchySpec);

impl GeneraliseKey {
    /// The part of a flag after `=`: `range`, `range:FORMAT`, `set`, `set:MOST`, `prefix`, `mean` or `median`.
    pub(super) fn from_flag(text: &str) -> Option<Result<HierarchySpec, Message>> {
        let (way, parameter) = text.split_once(':').map_or((text, None), |(way, rest)| (way, Some(rest)));
        Some(match (way, parameter) {
            ("range", None) => Ok(HierarchySpec::Range { format: None }),
            ("range", Some(format)) => range(format),
            ("set", None) => Ok(HierarchySpec::Set { most: MOST_MEMBERS }),
            ("set", Some(most)) => most.parse().map_err(|_| limits()).and_then(set),
            ("prefix", None) => Ok(HierarchySpec::Prefix),
            ("mean", None) => Ok(shown(Shown::Mean)),
            ("median", None) => Ok(shown(Shown::Median)),
            _ => return None,
        })
    }

    /// What a job says with this key, if it is this key that says it.
    pub(in crate::job) fn from_hierarchy(spec: &HierarchySpec) -> Option<GeneraliseKey> {
        use HierarchySpec::{Numbers, Prefix, Range, Set};
        let generalises = matches!(spec, Range { .. } | Set { .. } | Prefix | Numbers(_));
        generalises.then(|| GeneraliseKey(spec.clone()))
    }
}

impl<'de> Deserialize<'de> for GeneraliseKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GeneraliseKey, D::Error> {
        let spec = match Value::deserialize(deserializer)? {
            Value::String(way) => from_name(&way),
            Value::Table(table) => from_table(&table),
            _ => Err(UNREADABLE.into()),
        };
        spec.map(GeneraliseKey).map_err(Packed::error)
    }
}

impl Serialize for GeneraliseKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parameter = |way: &str, value: Value| Value::Table(Table::from_iter([(way.to_owned(), value)]));
        let value: Value = match &self.0 {
            HierarchySpec::Range { format: Some(format) } => parameter("range", format.as_str().into()),
            HierarchySpec::Set { most } if *most != MOST_MEMBERS => parameter("set", i64::from(*most).into()),
            HierarchySpec::Range { format: None } => "range".into(),
            HierarchySpec::Set { .. } => "set".into(),
            HierarchySpec::Numbers(numbers) => write_numbers(numbers),
            _ => "prefix".into(),
        };
        value.serialize(serializer)
    }
}

fn from_name(way: &str) -> Result<HierarchySpec, Message> {
    match way {
        "range" => Ok(HierarchySpec::Range { format: None }),
        "set" => Ok(HierarchySpec::Set { most: MOST_MEMBERS }),
        "prefix" => Ok(HierarchySpec::Prefix),
        "mean" => Ok(shown(Shown::Mean)),
        "median" => Ok(shown(Shown::Median)),
        _ => Err(unknown("way to generalise", way, &WAYS)),
    }
}

fn from_table(table: &Table) -> Result<HierarchySpec, Message> {
    let is_of_numbers = |key: &String| BOUNDS.contains(&key.as_str()) || key == "mean" || key == "median";
    if table.keys().any(is_of_numbers) {
        return read_numbers(table).map(HierarchySpec::Numbers);
    }
    let mut entries = table.iter();
    let (Some((way, value)), None) = (entries.next(), entries.next()) else {
        return Err(UNREADABLE.into());
    };
    match (way.as_str(), value) {
        ("range", Value::String(format)) => range(format),
        ("set", Value::Integer(most)) => u32::try_from(*most).map_err(|_| limits()).and_then(set),
        ("set", _) => Err(limits()),
        (way, _) if WAYS.contains(&way) => Err(UNREADABLE.into()),
        (way, _) => Err(unknown("way to generalise", way, &WAYS)),
    }
}

fn shown(shown: Shown) -> HierarchySpec {
    HierarchySpec::Numbers(Numbers { shown, ..Numbers::default() })
}

fn read_numbers(table: &Table) -> Result<Numbers, Message> {
    let mut numbers = Numbers::default();
    let mut ways = 0;
    for (key, value) in table {
        let number = || value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
        match (key.as_str(), value) {
            ("range" | "mean" | "median", Value::Boolean(true)) => {
                ways += 1;
                numbers.shown = match key.as_str() {
                    "mean" => Shown::Mean,
                    "median" => Shown::Median,
                    _ => Shown::Range,
                };
            }
            ("bottom", _) => numbers.bottom = Some(number().ok_or_else(bounds)?),
            ("top", _) => numbers.top = Some(number().ok_or_else(bounds)?),
            (key, _) if WAYS.contains(&key) => return Err(UNREADABLE.into()),
            (key, _) => return Err(unknown("way to generalise", key, &[&WAYS[..], &BOUNDS].concat())),
        }
    }
    if ways > 1 {
        return Err(UNREADABLE.into());
    }
    if numbers.coding().is_none() { Err(bounds()) } else { Ok(numbers) }
}

fn bounds() -> Message {
    "bottom and top must be finite numbers, with bottom below top, as in { bottom = 18, top = 90 }".into()
}

fn write_numbers(numbers: &Numbers) -> Value {
    if numbers.bottom.is_none() && numbers.top.is_none() && numbers.shown != Shown::Range {
        return numbers.shown.name().into();
    }
    let mut table = Table::from_iter([(numbers.shown.name().to_owned(), true.into())]);
    let bounds = [("bottom", numbers.bottom), ("top", numbers.top)];
    for (name, bound) in bounds {
        table.extend(bound.map(|bound| (name.to_owned(), super::syntax::number(bound))));
    }
    Value::Table(table)
}

fn range(format: &str) -> Result<HierarchySpec, Message> {
    if format.is_empty() {
        return Err("the format of dates must be text such as \"%d.%m.%Y\"".into());
    }
    Ok(HierarchySpec::Range { format: Some(format.to_owned()) })
}

fn set(most: u32) -> Result<HierarchySpec, Message> {
    if (2..=MAX_MEMBERS).contains(&most) { Ok(HierarchySpec::Set { most }) } else { Err(limits()) }
}

fn limits() -> Message {
    format!("a set may be limited to 2 to {MAX_MEMBERS} members, as in {{ set = 20 }}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::unpack;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Doc {
        generalise: GeneraliseKey,
    }

    fn read(text: &str) -> Result<HierarchySpec, String> {
        let doc: Result<Doc, _> = toml::from_str(&format!("generalise = {text}"));
        doc.map(|doc| doc.generalise.0).map_err(|error| unpack(error.message()).into())
    }

    #[test]
    fn what_is_written_is_read_back() {
        let specs = [
            HierarchySpec::Range { format: None },
            HierarchySpec::Range { format: Some("%d/%m/%Y".into()) },
            HierarchySpec::Set { most: MOST_MEMBERS },
            HierarchySpec::Set { most: 3 },
            HierarchySpec::Prefix,
            shown(Shown::Mean),
            HierarchySpec::Numbers(Numbers { shown: Shown::Median, bottom: None, top: Some(90.5) }),
            HierarchySpec::Numbers(Numbers { shown: Shown::Range, bottom: Some(-18.0), top: Some(90.0) }),
        ];
        for spec in specs {
            let doc = Doc { generalise: GeneraliseKey(spec) };
            let written = toml::to_string(&doc).unwrap();
            assert_eq!(toml::from_str::<Doc>(&written).unwrap(), doc, "{written}");
        }
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        assert_eq!(
            read("'ranges'").unwrap_err(),
            "unknown way to generalise 'ranges'; did you mean 'range'? Allowed are: range, set, prefix, \
             mean, median"
        );
        assert_eq!(read("{ set = 1 }").unwrap_err(), limits().to_string());
        assert_eq!(read("{ set = 'many' }").unwrap_err(), limits().to_string());
        for unreadable in ["7", "{}", "{ range = true }", "{ range = '%Y', set = 2 }", "{ prefix = 2 }"] {
            assert_eq!(read(unreadable).unwrap_err(), UNREADABLE, "{unreadable}");
        }
        for wrong in ["{ top = 18, bottom = 90 }", "{ top = 'old' }", "{ bottom = nan }"] {
            assert_eq!(read(wrong).unwrap_err(), bounds().to_string(), "{wrong}");
        }
        assert_eq!(read("{ mean = true, median = true }").unwrap_err(), UNREADABLE);
        assert_eq!(read("{ mean = false }").unwrap_err(), UNREADABLE);
        let other = read("{ mask = 'right' }").unwrap_err();
        assert_eq!(other, "unknown way to generalise 'mask'; allowed are: range, set, prefix, mean, median");
    }

    #[test]
    fn flags_say_the_same() {
        let of = |text: &str| GeneraliseKey::from_flag(text).map(|spec| spec.ok());
        assert_eq!(of("range"), Some(Some(HierarchySpec::Range { format: None })));
        assert_eq!(of("range:%d.%m.%Y"), Some(read("{ range = '%d.%m.%Y' }").ok()));
        assert_eq!(of("set:7"), Some(Some(HierarchySpec::Set { most: 7 })));
        assert_eq!((of("set:x"), of("prefix")), (Some(None), Some(Some(HierarchySpec::Prefix))));
        assert_eq!((of("range.csv"), of("prefix:2")), (None, None));
    }
}
