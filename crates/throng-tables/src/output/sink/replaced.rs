//! Tables that a release may take the place of: earlier releases of the same table.
//!
//! A table cannot say who made it, but an earlier release has no column that the table lacks, and an original has those
//! besides that releases leave out.

use std::fs;
use std::path::Path;

use super::is_there;
use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;

/// A release that is to be written: its columns, those of the table that it is made of, and how a reader spells its text.
#[derive(Debug)]
pub struct NewRelease<'a> {
    /// Its columns.
    pub columns: Vec<&'a str>,
    /// Those of the table that it is made of.
    pub of_table: Vec<&'a str>,
    /// How a reader spells its text.
    pub spelled: DialectOverrides,
}

impl NewRelease<'_> {
    /// Refuses to replace anything but an earlier release of the same table. A file or a directory without anything in it
    /// may be replaced by whatever; tables of a database have a rule of their own.
    ///
    /// # Errors
    /// If there is another table or no table, or it cannot be read.
    pub fn refuse_other(&self, target: impl Into<Address>) -> Result<()> {
        let target = &target.into();
        match target {
            Address::Stdio(_) | Address::Postgres(_) | Address::Memory(_) => return Ok(()),
            _ if is_empty(target) || !is_there(target)? => return Ok(()),
            _ => {}
        }
        // An earlier release may have had another encoding.
        let guessed = DialectOverrides { encoding: None, ..self.spelled.clone() };
        let mut why = "is not a table";
        for spelled in [&guessed, &self.spelled] {
            match Source::open(target, spelled) {
                Ok(found) if self.is_earlier(&found) => return Ok(()),
                Ok(_) => why = "has other columns",
                Err(EngineError::BadInput(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let problem = (
            format!(
                "cannot write: what is already there {why}, so it is not an earlier release of this table and is not replaced"
            ),
            "name another output, or remove it yourself",
        );
        Err(EngineError::bad(problem).in_file(target.path()))
    }

    /// Whether a table can be a release of the same table.
    fn is_earlier(&self, found: &Source) -> bool {
        if found.dialect().is_some_and(|dialect| !dialect.header) {
            return found.columns().len() == self.columns.len();
        }
        let has = |names: &[&str]| found.columns().iter().all(|name| names.contains(&name.as_str()));
        let is_original = found.columns().len() == self.of_table.len();
        has(&self.columns) || has(&self.of_table) && !is_original
    }
}

/// Whether there is nothing in a file or directory that is there.
fn is_empty(target: &Path) -> bool {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none()),
        Ok(found) => found.is_file() && found.len() == 0,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_releases_are_replaced_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let release = NewRelease {
            columns: vec!["age", "zip", "diagnosis"],
            of_table: vec!["name", "age", "zip", "diagnosis"],
            spelled: DialectOverrides { header: Some(true), ..DialectOverrides::default() },
        };
        let is_refused = |name: &str, text: &str| {
            fs::write(at(name), text).unwrap();
            let refused = release.refuse_other(at(name));
            refused
                .inspect_err(|error| assert!(matches!(error, EngineError::BadInput(_)), "{error}"))
                .is_err()
        };
        for ours in [
            "",
            "age,zip,diagnosis\n30s,1*,flu\n",
            "age,diagnosis\n30s,flu\n",
            "zip,age\n1*,30s\n",
            "name,zip\nann,1*\n",
        ] {
            assert!(!is_refused("out.csv", ours), "{ours}");
        }
        for other in
            ["name,age,zip,diagnosis\nann,31,12,flu\n", "town,age\nBonn,31\n", "alias ll='ls'\nalias x='y'\n"]
        {
            assert!(is_refused("out.csv", other), "{other}");
        }
        assert!(!is_refused("out.jsonl", "{\"age\":\"30s\",\"zip\":\"1*\"}\n"));
        assert!(is_refused("out.jsonl", "{\"town\":\"Bonn\"}\n"));
        assert!(is_refused("out.parquet", "age,zip\n"));

        release.refuse_other(at("none.csv")).unwrap();
        fs::create_dir(at("parts")).unwrap();
        release.refuse_other(at("parts")).unwrap();
        fs::write(at("parts/part-00000.csv"), "age,zip\n30s,1*\n").unwrap();
        release.refuse_other(at("parts")).unwrap();
        fs::write(at("parts/part-00000.csv"), "town,age\nBonn,31\nKiel,32\n").unwrap();
        assert!(release.refuse_other(at("parts")).is_err());
    }
}
