//! Rows as COPY sends them in its binary format: for each the number of its cells, for each cell its length and bytes.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringBuilder, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use bytes::{Buf, BytesMut};

use crate::error::{EngineError, Result};
use crate::input::source::BATCH_ROWS;

/// The first bytes; flags and the length of an extension follow.
const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// Rows on their way to batches.
pub(super) struct RowDecoder {
    schema: SchemaRef,
    cells: Vec<StringBuilder>,
    /// The rows of each tuple, if the last column counts them.
    counts: Option<Vec<u64>>,
    rows: usize,
    started: bool,
    /// Bytes of a row that has not come as a whole.
    rest: BytesMut,
}

impl RowDecoder {
    /// A decoder of so many columns of text; with `counted`, a number of rows follows them.
    pub(super) fn new(names: &[&str], counted: bool) -> RowDecoder {
        let mut fields: Vec<Field> =
            names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
        if counted {
            fields.push(Field::new("", DataType::UInt64, false));
        }
        RowDecoder {
            schema: Arc::new(Schema::new(fields)),
            cells: names.iter().map(|_| StringBuilder::new()).collect(),
            counts: counted.then(Vec::new),
            rows: 0,
            started: false,
            rest: BytesMut::new(),
        }
    }

    /// Takes up what came; a batch, if there are enough rows for one.
    ///
    /// # Errors
    /// If it is not what COPY sends.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<Option<RecordBatch>> {
        if self.rest.is_empty() {
            let used = self.take(bytes)?;
            self.rest.extend_from_slice(&bytes[used..]);
        } else {
            let mut all = std::mem::take(&mut self.rest);
            all.extend_from_slice(bytes);
            let used = self.take(&all)?;
            all.advance(used);
            self.rest = all;
        }
        if self.rows >= BATCH_ROWS { self.batch().map(Some) } else { Ok(None) }
    }

    /// The rows that are left, if there are any.
    ///
    /// # Errors
    /// If the last one did not come as a whole.
    pub(super) fn finish(mut self) -> Result<Option<RecordBatch>> {
        if !self.rest.is_empty() {
            return Err(broken());
        }
        if self.rows > 0 { self.batch().map(Some) } else { Ok(None) }
    }

    /// Takes up whole rows; how many bytes they have.
    fn take(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut left = bytes;
        if !self.started {
            let Some(header) = left.split_at_checked(SIGNATURE.len() + 8) else { return Ok(0) };
            if !header.0.starts_with(SIGNATURE) {
                return Err(broken());
            }
            left = header.1;
            self.started = true;
        }
        loop {
            match row_length(left)? {
                Some(0) | None => return Ok(bytes.len() - left.len()),
                // The end has no cells.
                Some(2) if left.starts_with(&[0xff, 0xff]) => left = &left[2..],
                Some(length) => {
                    self.take_row(&left[..length])?;
                    left = &left[length..];
                }
            }
        }
    }

    fn take_row(&mut self, mut row: &[u8]) -> Result<()> {
        let expected = self.cells.len() + usize::from(self.counts.is_some());
        if usize::from(row.get_u16()) != expected {
            return Err(broken());
        }
        for (column, cells) in self.cells.iter_mut().enumerate() {
            match usize::try_from(row.get_i32()) {
                Err(_) => cells.append_null(),
                Ok(length) => {
                    let text = std::str::from_utf8(&row[..length]);
                    let text = text.map_err(|_| not_text(self.schema.field(column).name()))?;
                    cells.append_value(text);
                    row.advance(length);
                }
            }
        }
        if let Some(counts) = &mut self.counts {
            row.advance(4);
            counts.push(row.get_u64());
        }
        self.rows += 1;
        Ok(())
    }

    fn batch(&mut self) -> Result<RecordBatch> {
        let mut columns: Vec<ArrayRef> =
            self.cells.iter_mut().map(|cells| Arc::new(cells.finish()) as ArrayRef).collect();
        if let Some(counts) = &mut self.counts {
            columns.push(Arc::new(UInt64Array::from(std::mem::take(counts))));
        }
        let options =
            arrow::array::RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options).map_err(|_| broken())
    }
}

/// The bytes of the row that comes first; nothing if it has not come as a whole.
fn row_length(bytes: &[u8]) -> Result<Option<usize>> {
    let Some((cells, _)) = bytes.split_first_chunk::<2>() else { return Ok(None) };
    let mut at = 2;
    for _ in 0..i16::from_be_bytes(*cells).max(0) {
        let Some((length, _)) = bytes.get(at..).and_then(|left| left.split_first_chunk::<4>()) else {
            return Ok(None);
        };
        at += 4 + usize::try_from(i32::from_be_bytes(*length)).unwrap_or(0);
    }
    Ok((at <= bytes.len()).then_some(at))
}

fn broken() -> EngineError {
    EngineError::Data("the server sent rows that make no sense".into())
}

fn not_text(column: &str) -> EngineError {
    EngineError::bad("this is not UTF-8 text").in_column(column)
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::UInt64Type;

    use super::*;

    fn stream() -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        for (cell, rows) in [(Some("né"), 7_u64), (None, 1), (Some(""), 2)] {
            bytes.extend([0, 2]);
            match cell {
                Some(cell) => {
                    bytes.extend((cell.len() as i32).to_be_bytes());
                    bytes.extend(cell.as_bytes());
                }
                None => bytes.extend((-1_i32).to_be_bytes()),
            }
            bytes.extend(8_i32.to_be_bytes());
            bytes.extend(rows.to_be_bytes());
        }
        bytes.extend([0xff, 0xff]);
        bytes
    }

    /// Rows are the same however they come in pieces.
    #[test]
    fn pieces_make_no_difference() {
        let stream = stream();
        for piece in 1..=stream.len() {
            let mut decoder = RowDecoder::new(&["a"], true);
            stream.chunks(piece).for_each(|piece| assert!(decoder.add(piece).unwrap().is_none()));
            let batch = decoder.finish().unwrap().unwrap();
            let cells: Vec<Option<&str>> = batch.column(0).as_string::<i32>().iter().collect();
            assert_eq!(cells, [Some("né"), None, Some("")]);
            assert_eq!(batch.column(1).as_primitive::<UInt64Type>().values(), &[7, 1, 2]);
        }
    }

    #[test]
    fn what_is_cut_short_is_no_table() {
        let stream = stream();
        let mut decoder = RowDecoder::new(&["a"], true);
        decoder.add(&stream[..stream.len() - 5]).unwrap();
        assert!(decoder.finish().is_err());
        assert!(RowDecoder::new(&["a"], true).add(&[0; 40]).is_err());
    }
}
