//! What tables are called in an engine.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::SqlDialect;
use crate::address::Address;
use crate::address::{DatabaseAddress, split_name};
use crate::error::{EngineError, Result};
use crate::input::files::is_pattern;

/// The most parts that a name may have: a catalogue, a schema and the table.
const MOST_PARTS: usize = 3;

/// The name of a table, perhaps in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName(Vec<String>);

impl TableName {
    pub(super) fn in_dialect(&self, dialect: SqlDialect) -> String {
        self.0.iter().map(|part| dialect.quote_name(part)).collect::<Vec<_>>().join(".")
    }

    /// Another table in the same schema.
    pub(super) fn beside(&self, name: &str) -> TableName {
        let mut parts = self.0.clone();
        parts.pop();
        parts.push(name.to_owned());
        TableName(parts)
    }
}

impl FromStr for TableName {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<TableName> {
        let parts = split_name(text).filter(|parts| parts.len() <= MOST_PARTS);
        parts.map(TableName).ok_or_else(|| {
            EngineError::bad((
                "give a table as name, schema.name or catalogue.schema.name",
                "put a name that contains \
                                                                                a dot in double quotes",
            ))
        })
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The name of the table of an input.
///
/// # Errors
/// If it has none.
pub(crate) fn default_table(input: &Path) -> Result<TableName> {
    let named = of_path(input)?;
    named.ok_or_else(|| {
        EngineError::bad((
            "the input has no name that a table could have",
            "give --table NAME, as the engine knows it",
        ))
    })
}

/// The name of the table that takes the place of an output.
///
/// # Errors
/// An address that is none.
pub(crate) fn default_release(output: Option<&Path>) -> Result<TableName> {
    Ok(output.map(of_path).transpose()?.flatten().unwrap_or_else(|| TableName(vec!["release".to_owned()])))
}

/// What a file or the table of an address is called; nothing for streams and queries.
fn of_path(path: &Path) -> Result<Option<TableName>> {
    if let Address::Postgres(_) = Address::from_path(path) {
        let address = DatabaseAddress::parse(&path.to_string_lossy())?;
        let table = address.table().ok();
        return Ok(table
            .map(|(schema, name)| TableName(schema.into_iter().chain([name]).map(str::to_owned).collect())));
    }
    if matches!(Address::of_target(path), Address::Stdio(_)) || is_pattern(path) {
        return Ok(None);
    }
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    Ok((!stem.is_empty()).then(|| TableName(vec![stem.to_owned()])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_files_and_addresses() {
        let of = |path: &str| default_table(Path::new(path)).map(|name| name.to_string()).ok();
        assert_eq!(of("data/people.csv.gz").as_deref(), Some("people"));
        assert_eq!(of("postgres://h/d?table=shop.people").as_deref(), Some("shop.people"));
        assert_eq!(of("lake/people/").as_deref(), Some("people"));
        assert_eq!(of("lake/*.csv"), None);
        assert_eq!((of("-"), of("postgres://h/d?query=SELECT 1")), (None, None));
        assert_eq!(default_release(Some(Path::new("-"))).unwrap().to_string(), "release");
    }

    #[test]
    fn a_name_has_up_to_three_parts() {
        let name: TableName = "\"a.b\".c".parse().unwrap();
        assert_eq!(name.in_dialect(SqlDialect::Spark), "`a.b`.`c`");
        assert_eq!(name.beside("d").in_dialect(SqlDialect::Ansi), "\"a.b\".\"d\"");
        for wrong in ["", "a..b", "a.b.c.d", "\"a"] {
            assert!(wrong.parse::<TableName>().is_err(), "{wrong}");
        }
    }
}
