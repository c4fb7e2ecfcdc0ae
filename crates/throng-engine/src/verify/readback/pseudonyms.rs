//! Columns of pseudonyms in a written table: no identifier may have come through.

use std::sync::Arc;

use arrow::array::RecordBatch;
use throng::wording::quoted;

use super::look::{Look, look_at};
use super::unverified;
use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::format::reopen::Reopened;
use crate::pseudonym::is_pseudonym;

/// Looks at every cell of these columns.
///
/// # Errors
/// [`EngineError::Unverified`] if one is neither empty nor a pseudonym.
pub(super) async fn check(table: &Arc<Reopened>, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let places = super::places_of(table, names)?;
    let names: Arc<[String]> = names.into();
    look_at(Arc::clone(table), places, move || Ok(Pseudonyms(Arc::clone(&names)))).await?;
    Ok(())
}

/// The names of the columns that are looked at.
struct Pseudonyms(Arc<[String]>);

impl Look for Pseudonyms {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        for (name, cells) in self.0.iter().zip(batch.columns()) {
            let refuse = || unverified(format!("column {} has cells that are not pseudonyms", quoted(name)));
            let cells = as_text(cells).ok_or_else(refuse)?;
            try_each(&cells, |cell| {
                if cell.is_empty() || is_pseudonym(cell) { Ok::<(), EngineError>(()) } else { Err(refuse()) }
            })?;
        }
        Ok(())
    }
}
