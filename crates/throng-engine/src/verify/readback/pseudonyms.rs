//! Columns of pseudonyms in a written table: no identifier may have come through.

use datafusion::prelude::{Expr, ident};
use futures::StreamExt;
use throng::wording::quoted;

use super::{Stored, unverified};
use crate::error::{EngineError, Result};
use crate::prepare::dictionary::{as_text, try_each};
use crate::pseudonym::is_pseudonym;

/// Looks at every cell of these columns.
///
/// # Errors
/// [`EngineError::Unverified`] if one is neither empty nor a pseudonym.
pub(super) async fn check(stored: &Stored<'_>, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let failed = |error| stored.failed(&error);
    let columns: Vec<Expr> = names.iter().map(ident).collect();
    let frame = stored.open().await?.select(columns).map_err(failed)?;
    let mut batches = frame.execute_stream().await.map_err(failed)?;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(failed)?;
        for (name, cells) in names.iter().zip(batch.columns()) {
            let refuse = || unverified(format!("column {} has cells that are no pseudonyms", quoted(name)));
            let cells = as_text(cells).ok_or_else(refuse)?;
            try_each(&cells, |cell| {
                if cell.is_empty() || is_pseudonym(cell) { Ok::<(), EngineError>(()) } else { Err(refuse()) }
            })?;
        }
    }
    Ok(())
}
