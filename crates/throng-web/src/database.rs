//! Tables of the database that the environment names, in libpq's variables. No page and no job leads to another one.

use std::env;
use std::path::{Path, PathBuf};

/// Each of them names a database, or where it is.
const VARIABLES: [&str; 2] = ["PGHOST", "PGDATABASE"];

/// All that an address has which says nothing of a server.
const START: &str = "postgres://?table=";

/// The longest name of a table, with its schema.
const MOST_NAME: usize = 128;

/// Whether the environment names a database.
pub fn is_named() -> bool {
    VARIABLES.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The address of a table, by its name with or without a schema; nothing of a name that could say anything else.
pub(crate) fn address_of(name: &str) -> Option<PathBuf> {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_name = name.len() <= MOST_NAME && name.split('.').count() <= 2 && name.split('.').all(is_word);
    is_name.then(|| PathBuf::from(format!("{START}{name}")))
}

/// The name of a table of the database; nothing of any other place.
pub(crate) fn table_of(place: &Path) -> Option<&str> {
    let name = place.to_str()?.strip_prefix(START)?;
    address_of(name).is_some().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tables_say_nothing_of_servers() {
        let address = address_of("public.patients").unwrap();
        assert_eq!(address, Path::new("postgres://?table=public.patients"));
        assert_eq!(table_of(&address), Some("public.patients"));
        for name in ["", ".", "a.", "a.b.c", "a&host=evil", "a b", "a%26host", "a;drop", "../a", "a?query=x"]
        {
            assert_eq!(address_of(name), None, "{name}");
        }
        for place in ["postgres://evil/x?table=a", "postgres://?table=a&host=evil", "/etc/passwd", "a.csv"] {
            assert_eq!(table_of(Path::new(place)), None, "{place}");
        }
    }
}
