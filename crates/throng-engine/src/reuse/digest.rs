//! SHA-256 of what hierarchies say, whatever they are spelled like.

use sha2::{Digest, Sha256};

use crate::error::{EngineError, Result};
use crate::job::{BuildError, Column, HierarchySpec};

/// Tells these hashes from those of files.
const CONTEXT: &str = "throng recoding 1";

/// The hash of what a column's hierarchy file says, and of the values that a job lists for it; and whether it lists
/// any. None if there is neither.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn digest(name: &str, column: &Column) -> Result<Option<(String, bool)>> {
    let mut parts: Vec<Vec<String>> = Vec::new();
    if let Some(spec @ HierarchySpec::File(_)) = &column.hierarchy {
        let taxonomy = spec.build::<&str>(name, &[]).map_err(|error| match error {
            BuildError::Bad(error) => error,
            BuildError::Unfit { expected, .. } => EngineError::bad(expected.after("a value is not ")),
        })?;
        let rows = taxonomy.to_rows();
        let mut rows: Vec<Vec<String>> =
            rows.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
        rows.sort_unstable();
        parts.extend(rows);
    }
    let mut listed = false;
    if let Some(HierarchySpec::Groups(levels)) = &column.hierarchy {
        listed = true;
        for (level, groups) in levels.iter().enumerate() {
            for group in groups {
                let mut values = group.values.clone();
                values.sort_unstable();
                let group = [level.to_string(), group.label.clone()].into_iter().chain(values);
                parts.push(group.collect());
            }
        }
    }
    if let Some(order) = &column.order {
        listed = true;
        parts.push(order.clone());
    }
    Ok((!parts.is_empty()).then(|| (hash(&parts), listed)))
}

fn hash(parts: &[Vec<String>]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(CONTEXT);
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        for text in part {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::job::Role;

    fn of_file(directory: &Path, bytes: &[u8]) -> String {
        let path = directory.join("h.csv");
        fs::write(&path, bytes).unwrap();
        let column = Column { hierarchy: Some(HierarchySpec::File(path.into())), ..Column::new(Role::Quasi) };
        digest("place", &column).unwrap().unwrap().0
    }

    #[test]
    fn how_a_hierarchy_is_spelled_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let of = |bytes: &[u8]| of_file(folder.path(), bytes);
        let first = of("Köln;Land;*\nUlm;Land;*\n".as_bytes());
        assert_eq!(first, of("Ulm,Land,*\r\nKöln,Land,*\r\n".as_bytes()), "separator and order");
        assert_eq!(first, of(b"K\xf6ln;Land;*\nUlm;Land;*\n"), "encoding");
        assert_ne!(first, of("Köln;Rhein;*\nUlm;Land;*\n".as_bytes()));
        assert_ne!(first, of("Köln;Land;*\nUlm;Land;*\nBonn;Land;*\n".as_bytes()));
    }

    #[test]
    fn lists_of_a_job_are_hashed() {
        let text = "a = { role = 'quasi', hierarchy = { groups = [{ low = ['x', 'y'] }] } }";
        let columns: crate::job::Columns = toml::from_str(text).unwrap();
        let (_, listed) = digest("a", columns.get("a").unwrap()).unwrap().unwrap();
        assert!(listed);
        assert_eq!(digest("b", &Column::new(Role::Other)).unwrap(), None);
    }
}
