//! Removes the spaces before cells, in files that put a space after every delimiter.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};

use crate::error::{EngineError, Result};

/// The batch with trimmed cells; those of only spaces become null.
///
/// The reader takes a quote after a space for text, so cells that are quoted after their space
/// are unquoted here.
pub(crate) fn trim(batch: &RecordBatch, quote: u8) -> Result<RecordBatch> {
    if batch.num_columns() == 0 {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().map(|column| trim_column(column, char::from(quote)));
    RecordBatch::try_new(batch.schema(), columns.collect())
        .map_err(|_| EngineError::Data("trimmed columns do not fit their schema".into()))
}

fn trim_column(column: &ArrayRef, quote: char) -> ArrayRef {
    let mut trimmed: Vec<Option<Cow<'_, str>>> = Vec::with_capacity(column.len());
    for cell in column.as_string::<i32>() {
        trimmed.push(cell.map(|cell| trim_cell(cell, quote)).filter(|cell| !cell.is_empty()));
    }
    Arc::new(trimmed.into_iter().collect::<StringArray>())
}

/// A cell without the spaces before it, and without quotes that follow those.
pub(crate) fn trim_cell(cell: &str, quote: char) -> Cow<'_, str> {
    let bare = cell.trim_start_matches(' ');
    let inner = bare.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match inner {
        Some(inner) if bare.len() < cell.len() => {
            let doubled: String = [quote, quote].iter().collect();
            Cow::Owned(inner.replace(&doubled, &quote.to_string()))
        }
        _ => Cow::Borrowed(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_spaces_go_and_others_stay() {
        let column: ArrayRef =
            Arc::new(StringArray::from(vec![Some(" a b "), Some("  c"), Some("  "), None]));
        let trimmed = trim_column(&column, '"');
        let expected = StringArray::from(vec![Some("a b "), Some("c"), None, None]);
        assert_eq!(trimmed.as_string::<i32>(), &expected);
    }

    #[test]
    fn quotes_after_a_space_are_quotes() {
        assert_eq!(trim_cell(" \"a \"\"b\"\"\"", '"'), "a \"b\"");
        assert_eq!(trim_cell("\"a\"", '"'), "\"a\"");
        assert_eq!(trim_cell(" \"a", '"'), "\"a");
        assert_eq!(trim_cell(" \"", '"'), "\"");
    }
}
