//! What must go from a table by a policy, column by column: all columns, whatever their role.

use super::CheckedTable;
use crate::encode::{encode_any, rows_by_code};
use crate::error::{EngineError, Result};
use crate::memory::Budget;
use crate::policy::{self, ColumnValues, Finding, Policy};
use crate::progress::{Progress, refuse_cancelled};

/// Looks at every column of a table, and at the name of its file; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// If the table cannot be read, or the run was cancelled.
pub async fn find_removals(
    subject: &CheckedTable,
    policy: &Policy,
    progress: &dyn Progress,
) -> Result<Vec<Finding>> {
    if policy.remove.is_empty() {
        return Ok(Vec::new());
    }
    let file = subject.path().file_name().map(|name| name.to_string_lossy().into_owned());
    let mut found = policy::of_file_name(&policy.remove, &file.unwrap_or_default());
    for (at, name) in subject.columns().iter().enumerate() {
        refuse_cancelled(progress)?;
        // One after the other: what is held is the values of one.
        let encoded = match encode_any(subject.source(), &[at], Budget::default(), progress).await {
            Ok(encoded) => encoded,
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(_) => {
                found.push(unreadable(name));
                continue;
            }
        };
        let (dictionary, codes) = (&encoded.dictionaries[0], &encoded.columns[0]);
        let rows = rows_by_code(dictionary.len(), codes, &encoded.weights);
        let values = dictionary.values().map(str::to_owned).zip(rows);
        let look = || policy::find_removals(&policy.remove, name, &ColumnValues::new(name, values));
        found.extend(tokio::task::block_in_place(look));
    }
    Ok(found)
}

/// A column of lists or bytes, which nobody has looked into.
fn unreadable(name: &str) -> Finding {
    Finding {
        column: Some(name.to_owned()),
        rule: "(R)".to_owned(),
        what: "any other number, mark or code of one person".to_owned(),
        why: "its values are not text, so they were not examined".to_owned(),
        rows: 0,
    }
}
