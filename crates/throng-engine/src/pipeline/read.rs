//! Reads a table once: what is counted, and what must be known of its other columns before anything is made of it.

use super::kept::KeptColumns;
use super::persons::Identifiers;
use crate::error::Result;
use crate::job::RowOrder;
use crate::plan::OpenJob;
use crate::prepare::EncodedTable;
use crate::progress::Progress;

/// Reads the table of a job. If its rows will be released, in an order, the columns are looked at that would be kept.
///
/// # Errors
/// Bad input; a job that says nothing of persons though an identifier repeats; kept columns that show people, and that the
/// job does not decide about.
pub(crate) async fn read(
    opened: &OpenJob,
    released: Option<RowOrder>,
    progress: &dyn Progress,
) -> Result<EncodedTable> {
    let identifiers = Identifiers::from_job(opened);
    let kept = released.map(|order| KeptColumns::from_job(opened, order));
    let mut observers: Vec<_> = identifiers.iter().map(Identifiers::observer).collect();
    observers.extend(kept.iter().flat_map(KeptColumns::observers));
    let counted = EncodedTable::count(opened, observers, progress).await?;
    if let Some(identifiers) = &identifiers {
        identifiers.refuse_repeated(opened, counted.source(), progress).await?;
    }
    let kept = kept.map(|kept| kept.judge(opened)).transpose()?.unwrap_or_default();
    Ok(counted.prepare(progress).await?.with_kept(kept))
}
