//! Some rows of a table as text: only for those who turned the switch, or of a release.

use arrow::util::display::array_value_to_string;
use futures::StreamExt;
use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;

/// Rows that are shown.
pub(crate) const SHOWN: usize = 10;

/// Characters of a cell that are shown.
const MOST_CHARS: usize = 60;

/// The first rows of a table.
pub(crate) async fn first_rows(source: &Source) -> Result<Vec<Vec<String>>> {
    let all: Vec<usize> = (0..source.columns().len()).collect();
    let mut batches = source.scan(&all).await?;
    let mut rows = Vec::new();
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        for row in 0..batch.num_rows().min(SHOWN - rows.len()) {
            let cells = batch.columns().iter().map(|column| {
                let text = array_value_to_string(column, row);
                text.map(|text| text.chars().take(MOST_CHARS).collect())
            });
            let cells = cells.collect::<std::result::Result<_, _>>();
            rows.push(cells.map_err(|_| EngineError::Data("a cell cannot be shown as text".into()))?);
        }
        if rows.len() == SHOWN {
            break;
        }
    }
    Ok(rows)
}
