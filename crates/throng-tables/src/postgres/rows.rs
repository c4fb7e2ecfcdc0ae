//! Rows as COPY sends them in its binary format: for each the number of its cells, for each cell its length and bytes.

use std::array::TryFromSliceError;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Int64Array, NullBufferBuilder, RecordBatch, RecordBatchOptions, StringArray,
    UInt64Array,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, Schema};
use bytes::{Buf, BytesMut};

use super::values;
use crate::error::{EngineError, Result};
use crate::input::limits::BATCH_BYTES;
use crate::input::source::BATCH_ROWS;

/// The first bytes; flags and the length of an extension follow.
const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// How the cells of a column come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// A whole number of two, four or eight bytes.
    Number,
    /// Days, of which the text is that of PostgreSQL.
    Date,
}

/// Rows on their way to batches.
pub(super) struct RowDecoder {
    columns: Vec<(String, Cells)>,
    /// The rows of each tuple, if the last column counts them.
    counts: Option<Vec<u64>>,
    rows: usize,
    started: bool,
    /// Bytes of a row that has not come as a whole.
    rest: BytesMut,
}

enum Cells {
    Text(Texts),
    Number(Vec<Option<i64>>),
    Date(Vec<Option<i32>>),
}

/// Cells of text, which is looked at when all of them are there.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
    present: NullBufferBuilder,
}

impl RowDecoder {
    /// A decoder of columns that come in these forms; with `counted`, a number of rows follows them.
    pub(super) fn new(columns: &[(&str, Form)], counted: bool) -> RowDecoder {
        RowDecoder {
            columns: columns.iter().map(|(name, form)| ((*name).to_owned(), Cells::new(*form))).collect(),
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
        if self.rows >= BATCH_ROWS || self.text_bytes() >= BATCH_BYTES {
            return self.batch().map(Some);
        }
        Ok(None)
    }

    fn text_bytes(&self) -> usize {
        let of_column = |(_, cells): &(String, Cells)| match cells {
            Cells::Text(texts) => texts.bytes.len(),
            Cells::Number(_) | Cells::Date(_) => 0,
        };
        self.columns.iter().map(of_column).sum()
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
        let expected = self.columns.len() + usize::from(self.counts.is_some());
        if usize::from(row.get_u16()) != expected {
            return Err(broken());
        }
        for (_, cells) in &mut self.columns {
            let length = usize::try_from(row.get_i32()).ok();
            cells.push(length.map(|length| &row[..length])).ok_or_else(broken)?;
            row.advance(length.unwrap_or(0));
        }
        if let Some(counts) = &mut self.counts {
            if row.get_i32() != size_of::<u64>() as i32 {
                return Err(broken());
            }
            counts.push(row.get_u64());
        }
        self.rows += 1;
        Ok(())
    }

    fn batch(&mut self) -> Result<RecordBatch> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, cells) in &mut self.columns {
            let array = cells.finish().ok_or_else(|| not_text(name))?;
            fields.push(Field::new(name.as_str(), array.data_type().clone(), true));
            arrays.push(array);
        }
        if let Some(counts) = &mut self.counts {
            fields.push(Field::new("", DataType::UInt64, false));
            arrays.push(Arc::new(UInt64Array::from(std::mem::take(counts))));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(|_| broken())
    }
}

impl Cells {
    fn new(form: Form) -> Cells {
        match form {
            Form::Text => Cells::Text(Texts::new()),
            Form::Number => Cells::Number(Vec::new()),
            Form::Date => Cells::Date(Vec::new()),
        }
    }

    /// Appends a cell; nothing comes back if it has not the length of one.
    #[inline]
    fn push(&mut self, cell: Option<&[u8]>) -> Option<()> {
        match self {
            Cells::Text(texts) => texts.push(cell)?,
            Cells::Number(numbers) => numbers.push(cell.map(number).transpose().ok()?),
            Cells::Date(days) => {
                let day = |cell: &[u8]| cell.try_into().map(i32::from_be_bytes);
                days.push(cell.map(day).transpose().ok()?);
            }
        }
        Some(())
    }

    /// The cells, which begin anew; nothing if they are no text.
    fn finish(&mut self) -> Option<ArrayRef> {
        Some(match self {
            Cells::Text(texts) => Arc::new(std::mem::replace(texts, Texts::new()).finish()?),
            Cells::Number(numbers) => Arc::new(Int64Array::from(std::mem::take(numbers))),
            Cells::Date(days) => {
                let days = std::mem::take(days);
                match days.iter().flatten().all(|&day| values::is_plain_date(day)) {
                    true => {
                        let since_1970 = |day: i32| day + values::EPOCH_DAYS as i32;
                        Arc::new(days.iter().map(|day| day.map(since_1970)).collect::<Date32Array>())
                    }
                    // Others would be spelled in another way.
                    false => {
                        Arc::new(days.iter().map(|day| day.map(values::date_text)).collect::<StringArray>())
                    }
                }
            }
        })
    }
}

impl Texts {
    fn new() -> Texts {
        let mut ends = Vec::with_capacity(BATCH_ROWS + 1);
        ends.push(0);
        Texts { bytes: Vec::new(), ends, present: NullBufferBuilder::new(BATCH_ROWS) }
    }

    #[inline]
    fn push(&mut self, cell: Option<&[u8]>) -> Option<()> {
        self.bytes.extend_from_slice(cell.unwrap_or_default());
        self.ends.push(i32::try_from(self.bytes.len()).ok()?);
        self.present.append(cell.is_some());
        Some(())
    }

    fn finish(mut self) -> Option<StringArray> {
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        StringArray::try_new(ends, self.bytes.into(), self.present.finish()).ok()
    }
}

fn number(cell: &[u8]) -> std::result::Result<i64, TryFromSliceError> {
    match cell.len() {
        2 => cell.try_into().map(|bytes| i16::from_be_bytes(bytes).into()),
        4 => cell.try_into().map(|bytes| i32::from_be_bytes(bytes).into()),
        _ => cell.try_into().map(i64::from_be_bytes),
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
    EngineError::Data("the server sent rows that cannot be read".into())
}

fn not_text(column: &str) -> EngineError {
    EngineError::bad("this is not UTF-8 text").in_column(column)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
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
            let mut decoder = RowDecoder::new(&[("a", Form::Text)], true);
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
        let mut decoder = RowDecoder::new(&[("a", Form::Text)], true);
        decoder.add(&stream[..stream.len() - 5]).unwrap();
        assert!(decoder.finish().is_err());
        assert!(RowDecoder::new(&[("a", Form::Text)], true).add(&[0; 40]).is_err());
        // A number of rows that is missing, or has another length.
        for count in [&[0xff; 4][..], &[0, 0, 0, 4, 0, 0, 0, 1]] {
            let row = [SIGNATURE, &[0; 8][..], &[0, 2, 0, 0, 0, 1, b'x'], count].concat();
            assert!(RowDecoder::new(&[("a", Form::Text)], true).add(&row).is_err());
        }
    }

    #[test]
    fn numbers_and_dates_come_as_they_are() {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        let row = |number: &[u8], day: i32| {
            let length = |cell: &[u8]| (cell.len() as i32).to_be_bytes();
            [&[0, 2][..], &length(number), number, &4_i32.to_be_bytes(), &day.to_be_bytes()].concat()
        };
        bytes.extend(row(&(-7_i16).to_be_bytes(), 0));
        bytes.extend(row(&(1_i64 << 40).to_be_bytes(), 1));
        let forms = [("n", Form::Number), ("d", Form::Date)];
        let decode = |bytes: &[u8]| {
            let mut decoder = RowDecoder::new(&forms, false);
            decoder.add(bytes).unwrap();
            decoder.finish().unwrap().unwrap()
        };
        let batch = decode(&bytes);
        assert_eq!(batch.column(0).as_ref(), &Int64Array::from(vec![-7, 1 << 40]) as &dyn Array);
        assert_eq!(batch.column(1).as_ref(), &Date32Array::from(vec![10_957, 10_958]) as &dyn Array);
        bytes.extend(row(&9_i32.to_be_bytes(), i32::MAX));
        let spelled = StringArray::from(vec!["2000-01-01", "2000-01-02", "infinity"]);
        assert_eq!(decode(&bytes).column(1).as_ref(), &spelled as &dyn Array);
    }
}
