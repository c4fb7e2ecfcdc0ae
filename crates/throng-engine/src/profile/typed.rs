//! The kind of a column as a profile writes it: a type, and the format of dates beside it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng::wording::quoted;

use super::ColumnKind::{
    self, Binary, Boolean, Category, Characters, Date, Decimal, DecimalComma, Empty, Integer, Mixed, Nested,
    Text, Time,
};
use super::DateFormat;

/// Every kind but dates.
const UNDATED: [ColumnKind; 12] =
    [Empty, Boolean, Integer, Decimal, DecimalComma, Time, Characters, Category, Text, Mixed, Nested, Binary];

#[derive(Serialize, Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    name: String,
    date_format: Option<DateFormat>,
}

pub(super) fn serialize<S: Serializer>(kind: &ColumnKind, serializer: S) -> Result<S::Ok, S::Error> {
    Typed { name: kind.name().to_owned(), date_format: kind.date_format() }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ColumnKind, D::Error> {
    let Typed { name, date_format } = Typed::deserialize(deserializer)?;
    let mut kinds = UNDATED.into_iter().chain(date_format.map(Date));
    let found = kinds.find(|kind| kind.name() == name && kind.date_format() == date_format);
    found.ok_or_else(|| D::Error::custom(format!("there is no type {}", quoted(&name))))
}
