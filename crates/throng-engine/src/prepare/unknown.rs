//! Values that a hierarchy lacks, where the job says that they are released as what stands for all.
//!
//! They become one value of the column before anything else is built on it, so that no search, writer
//! or judge can tell them apart.

use rustc_hash::FxHashMap;
use throng::taxonomy::{ANY, Taxonomy};
use throng::wording::quoted;

use crate::encode::{Encoded, rows_by_code};
use crate::error::Result;
use crate::job::{HierarchySpec, Quasi, Roles, Unknown};

/// The table in which such values are one, and what the reader of a report should know of it. The first
/// columns are the quasi-identifiers.
///
/// # Errors
/// A hierarchy that cannot be read.
pub(super) fn merge(mut encoded: Encoded, roles: &Roles) -> Result<(Encoded, Vec<String>)> {
    let mut notes = Vec::new();
    for (at, (_, name, quasi)) in roles.quasi().enumerate() {
        let (Unknown::Top, Some(spec)) = (quasi.unknown, &quasi.hierarchy) else { continue };
        let (lacking, label) = find_lacking(spec, name, quasi, &encoded, at)?;
        if lacking.is_empty() {
            continue;
        }
        let dictionary = &encoded.dictionaries[at];
        let rows = rows_by_code(dictionary.len(), &encoded.columns[at], &encoded.weights);
        let rows: u64 = lacking.iter().map(|&code| rows[code as usize]).sum();
        notes.push(format!(
            "column {}: {rows} row{} a value that its hierarchy lacks, released as {label}; losses do not \
                count these",
            quoted(name),
            if rows == 1 { " has" } else { "s have" }
        ));
        let (merged, codes) = dictionary.merged(&lacking, &label);
        encoded.columns[at].iter_mut().for_each(|code| *code = codes[*code as usize]);
        encoded.dictionaries[at] = merged;
        encoded = encoded.unite_equal();
    }
    Ok((encoded, notes))
}

/// The codes of the values that a hierarchy lacks, and the label of what stands for all.
fn find_lacking(
    spec: &HierarchySpec,
    name: &str,
    quasi: &Quasi,
    encoded: &Encoded,
    at: usize,
) -> Result<(Vec<u32>, String)> {
    let known = |value: &str, taxonomy: &Taxonomy| {
        (0..taxonomy.leaf_total() as u32).any(|leaf| taxonomy.label(leaf) == value)
    };
    let values = (0..).zip(encoded.dictionaries[at].values()).filter(|(_, value)| !value.is_empty());
    match spec {
        HierarchySpec::File(_) => {
            let taxonomy = spec.build::<&str>(name, &[])?;
            let leaves: FxHashMap<&str, ()> =
                (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), ())).collect();
            let lacking = values.filter(|(_, value)| !leaves.contains_key(value)).map(|(code, _)| code);
            Ok((lacking.collect(), taxonomy.label(taxonomy.root()).to_owned()))
        }
        HierarchySpec::Intervals { .. } | HierarchySpec::Dates { .. } => {
            let fits = |value: &str| {
                let built = spec.build_in(name, &[value], quasi.notation);
                built.is_ok_and(|taxonomy| known(value, &taxonomy))
            };
            let lacking = values.filter(|(_, value)| !fits(value)).map(|(code, _)| code);
            Ok((lacking.collect(), ANY.to_owned()))
        }
        _ => Ok((Vec::new(), ANY.to_owned())),
    }
}
