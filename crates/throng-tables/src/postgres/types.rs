//! Types of columns: how their values are had as text, and which of them can be grouped as they are.

use std::path::Path;

use arrow::datatypes::DataType;
use tokio_postgres::Client;

use super::fault;
use super::rows::Form;
use crate::error::Result;

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnType {
    /// As a statement would say it, such as `numeric(10,2)`.
    pub(super) declared: String,
    pub(super) kind: TypeUse,
    /// Whether equal values have the same text.
    spelled_once: bool,
}

/// What can be done with values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeUse {
    /// Its binary form is its text.
    Text,
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Date,
    Timestamp,
    TimestampTz,
    Uuid,
    /// It has a text, but we do not know its binary form.
    Other,
    /// Lists, structures, bytes: nothing that people would write as text.
    Textless,
}

impl ColumnType {
    /// Text of any length.
    pub(super) fn text() -> ColumnType {
        ColumnType { declared: "text".to_owned(), kind: TypeUse::Text, spelled_once: true }
    }

    /// The type for cells of Arrow; text, unless there is one whose text is the same.
    pub(super) fn of_arrow(data_type: &DataType) -> ColumnType {
        let (declared, kind) = match data_type {
            DataType::Boolean => ("boolean", TypeUse::Bool),
            DataType::Int8 | DataType::Int16 | DataType::UInt8 => ("smallint", TypeUse::Int2),
            DataType::Int32 | DataType::UInt16 => ("integer", TypeUse::Int4),
            DataType::Int64 | DataType::UInt32 => ("bigint", TypeUse::Int8),
            DataType::Float32 => ("real", TypeUse::Float4),
            DataType::Float64 => ("double precision", TypeUse::Float8),
            DataType::Date32 => ("date", TypeUse::Date),
            _ => return ColumnType::text(),
        };
        ColumnType { declared: declared.to_owned(), kind, spelled_once: true }
    }

    /// The text of a column, as COPY would write it.
    pub(super) fn text_of(&self, column: &str) -> String {
        match self.kind {
            TypeUse::Text => column.to_owned(),
            TypeUse::Bool => format!("CASE WHEN {column} THEN 't' WHEN NOT {column} THEN 'f' END"),
            TypeUse::Other => {
                format!("CASE WHEN {column} IS NULL THEN NULL ELSE pg_catalog.format('%s', {column}) END")
            }
            _ => format!("{column}::text"),
        }
    }

    /// The same as a value of type text, whatever kind of text the column has: padded, or one of a list.
    pub(super) fn plain_text_of(&self, column: &str) -> String {
        match self.kind {
            TypeUse::Text if !is_collated(&self.declared) => {
                format!("CASE WHEN {column} IS NOT NULL THEN pg_catalog.format('%s', {column}) END")
            }
            _ => self.text_of(column),
        }
    }

    /// What tuples are grouped by: the column itself, or its text where equal values have several.
    pub(super) fn grouped(&self, column: &str) -> String {
        match (self.kind, self.spelled_once) {
            (TypeUse::Text, true) if is_collated(&self.declared) => format!("{column} COLLATE \"C\""),
            (_, true) => column.to_owned(),
            // Text that was cut off from its type, which may find different texts equal.
            (TypeUse::Text, false) => format!("{column}::text COLLATE \"C\""),
            (_, false) => self.text_of(column),
        }
    }

    /// A column of groups, and the form in which it comes: numbers and days are shorter than their texts.
    pub(super) fn of_group(&self, column: &str) -> (String, Form) {
        match self.kind {
            TypeUse::Int2 | TypeUse::Int4 | TypeUse::Int8 => (column.to_owned(), Form::Number),
            TypeUse::Date => (column.to_owned(), Form::Date),
            _ if self.spelled_once => (self.text_of(column), Form::Text),
            _ => (column.to_owned(), Form::Text),
        }
    }
}

/// Whether a type is text that may be compared by other rules than its bytes.
fn is_collated(declared: &str) -> bool {
    declared == "text" || declared.starts_with("character varying")
}

const DESCRIBE: &str = "
    SELECT format_type(t.oid, m.modifier), b.typname::text, b.typcategory::text, b.typtype::text,
           bn.nspname = 'pg_catalog'
    FROM unnest($1::oid[], $2::int4[]) WITH ORDINALITY AS m (oid, modifier, place)
    JOIN pg_type t ON t.oid = m.oid
    JOIN pg_type b ON b.oid = CASE WHEN t.typbasetype <> 0 THEN t.typbasetype ELSE t.oid END
    JOIN pg_namespace bn ON bn.oid = b.typnamespace
    ORDER BY m.place";

/// The types of these numbers and modifiers.
pub(super) async fn describe(
    client: &Client,
    path: &Path,
    oids: &[u32],
    modifiers: &[i32],
) -> Result<Vec<ColumnType>> {
    let rows = client.query(DESCRIBE, &[&oids, &modifiers]).await;
    let rows = rows.map_err(|error| fault::of_statement(path, &error))?;
    let types = rows.iter().map(|row| {
        let (declared, name): (String, String) = (row.get(0), row.get(1));
        let (category, sort, ours): (String, String, bool) = (row.get(2), row.get(3), row.get(4));
        let kind = kind(&name, &category, &sort, ours);
        // Of numbers without a scale 1.0 and 1.00 are equal; numbers in floating point have two zeros.
        let spelled_once = match kind {
            TypeUse::Numeric => declared.contains('('),
            TypeUse::Float4 | TypeUse::Float8 | TypeUse::Other | TypeUse::Textless => false,
            TypeUse::Text => {
                sort == "e" || ours && ["text", "varchar", "bpchar", "name"].contains(&name.as_str())
            }
            _ => true,
        };
        ColumnType { declared, kind, spelled_once }
    });
    Ok(types.collect())
}

fn kind(name: &str, category: &str, sort: &str, ours: bool) -> TypeUse {
    match (name, category, sort) {
        (_, _, "e") => TypeUse::Text,
        (_, "A" | "C" | "P" | "R" | "G" | "X", _) | (_, _, "c" | "d" | "m" | "p" | "r") => TypeUse::Textless,
        ("bool", ..) if ours => TypeUse::Bool,
        ("int2", ..) if ours => TypeUse::Int2,
        ("int4", ..) if ours => TypeUse::Int4,
        ("int8", ..) if ours => TypeUse::Int8,
        ("float4", ..) if ours => TypeUse::Float4,
        ("float8", ..) if ours => TypeUse::Float8,
        ("numeric", ..) if ours => TypeUse::Numeric,
        ("date", ..) if ours => TypeUse::Date,
        ("timestamp", ..) if ours => TypeUse::Timestamp,
        ("timestamptz", ..) if ours => TypeUse::TimestampTz,
        ("uuid", ..) if ours => TypeUse::Uuid,
        ("text" | "varchar" | "bpchar" | "name" | "json", ..) if ours => TypeUse::Text,
        ("citext", ..) => TypeUse::Text,
        ("jsonb" | "xml" | "macaddr" | "macaddr8" | "pg_lsn" | "char", ..) if ours => TypeUse::Other,
        (_, "B" | "D" | "E" | "I" | "N" | "S" | "T" | "V", _) => TypeUse::Other,
        _ => TypeUse::Textless,
    }
}
