//! Reads a table once: what is counted, and what must be known of the other columns before anything is released.

use super::kept::KeptColumns;
use super::persons::Identifiers;
use crate::error::Result;
use crate::job::RowOrder;
use crate::plan::OpenJob;
use crate::prepare::Prepared;
use crate::progress::Progress;

/// Reads the table of a job that is to be released in rows of this order.
///
/// # Errors
/// Bad input; a job that says nothing of persons though an identifier repeats; kept columns that show people, and that the
/// job does not decide about.
pub(super) async fn read(opened: &OpenJob, order: RowOrder, progress: &dyn Progress) -> Result<Prepared> {
    let (identifiers, kept) = (Identifiers::of(opened), KeptColumns::of(opened, order));
    let mut observers: Vec<_> = identifiers.iter().map(Identifiers::observer).collect();
    observers.extend(kept.observers());
    let counted = Prepared::count(opened, observers, progress).await?;
    if let Some(identifiers) = &identifiers {
        identifiers.refuse_repeated(opened, progress).await?;
    }
    let kept = kept.judge(opened)?;
    Ok(counted.prepare(progress).await?.with_kept(kept))
}

/// The same for who releases nothing.
///
/// # Errors
/// But for kept columns.
pub(crate) async fn read_to_search(opened: &OpenJob, progress: &dyn Progress) -> Result<Prepared> {
    let identifiers = Identifiers::of(opened);
    let observers = identifiers.iter().map(Identifiers::observer).collect();
    let counted = Prepared::count(opened, observers, progress).await?;
    if let Some(identifiers) = &identifiers {
        identifiers.refuse_repeated(opened, progress).await?;
    }
    counted.prepare(progress).await
}
