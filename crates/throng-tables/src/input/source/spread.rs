//! A bounded number of rows from all over a table.

use std::sync::Arc;

use super::{Batches, PartRows, Parted, Source, read_ahead};
use crate::error::Result;

/// Places of a table that rows are taken from.
const PLACES: usize = 32;

impl Source {
    /// About `most` rows with only `columns`, in the order of the table: all of them, or those at the beginning of parts
    /// that are spread over it. Of a table that has no parts they are the first, and more may come than were asked for.
    ///
    /// # Errors
    /// If the file cannot be opened. Errors in its rows come with the batches.
    pub async fn scan_spread(&self, columns: &[usize], most: u64) -> Result<Batches> {
        let may_be_small = self.expected_rows().is_some_and(|rows| rows <= most);
        if may_be_small || !self.has_parts()? {
            return self.scan(columns).await;
        }
        let parts = tokio::task::block_in_place(|| self.parts(columns, &[]))?;
        Ok(read_ahead(spread(Arc::new(parts), most)))
    }
}

/// The first rows of some of the parts.
fn spread(parts: Arc<Parted>, most: u64) -> impl Iterator<Item = Result<arrow::array::RecordBatch>> + Send {
    let count = parts.starts().len();
    let places = count.min(PLACES);
    let rows_of_place = most.div_ceil(places.max(1) as u64);
    (0..places).flat_map(move |place| {
        let rows: PartRows = match parts.rows(place * count / places) {
            Ok(rows) => rows,
            Err(error) => Box::new(std::iter::once(Err(error))),
        };
        let mut taken = 0;
        rows.take_while(move |batch| {
            let is_open = taken < rows_of_place;
            taken += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
            is_open
        })
    })
}
