//! JSON lines: what a line holds, and what the columns of a table of lines are.
//!
//! Cells are text, as those of delimited text are: `1.50` stays `1.50`, and `"1.50"` is the same value. What a column
//! was written as is found from the first lines, so that a release can write it like that again.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::wording::Message;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonKind {
    /// Text, or some of each.
    #[default]
    Text,
    /// Numbers.
    Number,
    /// `true` and `false`.
    Boolean,
    /// Lists and objects, which come as their JSON.
    Nested,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// It is not JSON.
    Syntax,
    /// It is JSON, but no object.
    NoObject,
    /// A key is there twice.
    Repeated,
    /// A key is there that no column has.
    Unknown,
    /// A list or an object in a column, by its number, which has none in the first lines.
    Nested(usize),
}

impl BadLine {
    /// What to say of it.
    pub fn message(self) -> Message {
        match self {
            BadLine::Syntax => ("this is not JSON", "every line must be one JSON object").into(),
            BadLine::NoObject => {
                ("this is JSON, but not an object", "every line must be one, such as {\"age\": 31}").into()
            }
            BadLine::Repeated => "a key occurs twice".into(),
            BadLine::Unknown => (
                "this line has a key that no line in the first 256 KiB of any file has, so nothing has been \
                 decided about it",
                "put a line with all keys first",
            )
                .into(),
            BadLine::Nested(_) => (
                "this is a list or an object, in a column without any in the first 256 KiB",
                "put a line with one first, or leave the column out",
            )
                .into(),
        }
    }
}

/// Hands each key of a line, and the JSON of its value, to `each`.
///
/// # Errors
/// If the line is no JSON object, or `each` refuses.
pub fn visit<'a>(
    line: &'a str,
    each: impl FnMut(&str, &'a str) -> Result<(), BadLine>,
) -> Result<(), BadLine> {
    let refused = RefCell::new(None);
    let mut json = serde_json::Deserializer::from_str(line);
    let visited = json.deserialize_map(Object { each, refused: &refused }).and_then(|()| json.end());
    visited.map_err(|error| match refused.into_inner() {
        Some(reason) => reason,
        None if error.is_data() => BadLine::NoObject,
        None => BadLine::Syntax,
    })
}

struct Object<'r, F> {
    each: F,
    refused: &'r RefCell<Option<BadLine>>,
}

impl<'de, F: FnMut(&str, &'de str) -> Result<(), BadLine>> Visitor<'de> for Object<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            let value: &'de RawValue = map.next_value()?;
            if let Err(reason) = (self.each)(&key, value.get()) {
                *self.refused.borrow_mut() = Some(reason);
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

/// A key, copied only if it has escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

/// The text of a value; nothing for `null`.
///
/// # Errors
/// If the escapes of a text make no sense.
pub fn text_of(json: &str) -> Result<Option<Cow<'_, str>>, BadLine> {
    match json.as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b'"') if json.contains('\\') => {
            serde_json::from_str(json).map(|text: String| Some(Cow::Owned(text))).map_err(|_| BadLine::Syntax)
        }
        Some(b'"') => Ok(Some(Cow::Borrowed(&json[1..json.len() - 1]))),
        _ => Ok(Some(Cow::Borrowed(json))),
    }
}

/// What a value is; nothing for `null`.
fn kind_of(json: &str) -> Option<JsonKind> {
    match json.as_bytes().first()? {
        b'n' => None,
        b'"' => Some(JsonKind::Text),
        b't' | b'f' => Some(JsonKind::Boolean),
        b'{' | b'[' => Some(JsonKind::Nested),
        _ => Some(JsonKind::Number),
    }
}

/// What a column of two kinds is. Lists and objects beside anything else keep all as JSON.
pub fn unite(one: Option<JsonKind>, other: Option<JsonKind>) -> Option<JsonKind> {
    match (one, other) {
        (None, kind) | (kind, None) => kind,
        (Some(one), Some(other)) if one == other => Some(one),
        (Some(JsonKind::Nested), _) | (_, Some(JsonKind::Nested)) => Some(JsonKind::Nested),
        _ => Some(JsonKind::Text),
    }
}

/// The columns of some lines: their keys in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub struct LineColumns {
    /// The keys.
    pub names: Vec<String>,
    /// What each is; nothing if it has no value.
    pub kinds: Vec<Option<JsonKind>>,
    /// Lines that were looked at.
    pub rows: u64,
}

impl LineColumns {
    /// Looks at lines, up to one that is none: who reads them will say so.
    pub fn find(text: &str) -> LineColumns {
        let mut columns = LineColumns::default();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let LineColumns { names, kinds, .. } = &mut columns;
            let seen = visit(line, |key, value| {
                let place = places.get(key).copied().unwrap_or_else(|| {
                    names.push(key.to_owned());
                    kinds.push(None);
                    places.insert(key.to_owned(), names.len() - 1);
                    names.len() - 1
                });
                kinds[place] = unite(kinds[place], kind_of(value));
                Ok(())
            });
            if seen.is_err() {
                break;
            }
            columns.rows += 1;
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> Result<Vec<(String, Option<String>)>, BadLine> {
        let mut cells = Vec::new();
        visit(line, |key, value| {
            cells.push((key.to_owned(), text_of(value)?.map(Cow::into_owned)));
            Ok(())
        })?;
        Ok(cells)
    }

    #[test]
    fn text_of_values_is_as_written() {
        let line =
            r#"{"a": 1.50, "b":"x\ny\u00e9", "c":null, "d":true, "e": [1, {"f":"]"}], "\u0067": -0e5}"#;
        let cells = seen(line).unwrap();
        let expected = [
            ("a", Some("1.50")),
            ("b", Some("x\nyé")),
            ("c", None),
            ("d", Some("true")),
            ("e", Some(r#"[1, {"f":"]"}]"#)),
            ("g", Some("-0e5")),
        ];
        assert_eq!(cells, expected.map(|(key, text)| (key.to_owned(), text.map(str::to_owned))));
    }

    #[test]
    fn lines_that_are_none() {
        for line in ["{", "{\"a\":1,}", "{\"a\":007}", "{'a':1}", "{\"a\":1} {}", "", "{\"a\":\"\\ud800\"}"] {
            assert_eq!(seen(line), Err(BadLine::Syntax), "{line}");
        }
        for line in ["[1]", "1", "\"x\"", "null"] {
            assert_eq!(seen(line), Err(BadLine::NoObject), "{line}");
        }
    }

    #[test]
    fn columns_are_the_keys_of_all_lines() {
        let text = "{\"a\":1,\"b\":\"x\",\"n\":null}\n\n{\"c\":[1],\"b\":2,\"a\":2.5}\n{\"d\":true,\"c\":null}\nnonsense\n{\"z\":1}";
        let LineColumns { names, kinds, rows } = LineColumns::find(text);
        assert_eq!(names, ["a", "b", "n", "c", "d"]);
        let expected =
            [JsonKind::Number, JsonKind::Text, JsonKind::Text, JsonKind::Nested, JsonKind::Boolean];
        assert_eq!(kinds[2], None);
        assert_eq!(kinds.iter().map(|kind| kind.unwrap_or_default()).collect::<Vec<_>>(), expected);
        assert_eq!(rows, 3);
    }
}
