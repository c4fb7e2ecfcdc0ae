//! Cuts the records of a text into batches, by their number and by their bytes.
//!
//! A batch ends after a number of records, counted from the start of the text; and before that, with the record that
//! goes beyond a number of bytes. So batches are the same wherever the pieces of a file begin, as long as each piece
//! begins after such a number of records.

use std::io::{self, BufRead, BufReader, Read};

use arrow::array::RecordBatch;
use arrow::csv::reader::Decoder;
use arrow::error::ArrowError;
use memchr::memchr2;

use crate::input::limits::{BATCH_BYTES, Excess, ROW_BYTES};

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;

type Result<T> = std::result::Result<T, ArrowError>;

/// A text, and what decodes it.
pub(crate) struct RecordReader {
    text: BufReader<Box<dyn Read + Send>>,
    decoder: Decoder,
    /// Records after which a batch ends in any case, and how many of these were given away before.
    block_rows: usize,
    given_rows: usize,
    /// Bytes of the text that the decoder holds.
    held_bytes: usize,
    batch_bytes: usize,
    row_bytes: usize,
}

impl RecordReader {
    /// The decoder must take `block_rows` at once.
    pub(crate) fn new(text: Box<dyn Read + Send>, decoder: Decoder, block_rows: usize) -> RecordReader {
        RecordReader {
            text: BufReader::with_capacity(BUFFER_BYTES, text),
            decoder,
            block_rows,
            given_rows: 0,
            held_bytes: 0,
            batch_bytes: BATCH_BYTES,
            row_bytes: ROW_BYTES,
        }
    }

    /// The next batch; nothing at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.skip_line_ends()?;
        while !self.is_block_full() {
            // Where a batch ends by its bytes is found line by line, and so is the end of a block that was cut.
            let is_by_line = self.given_rows > 0 || self.held_bytes >= self.batch_bytes;
            let is_end = if is_by_line { self.decode_line()? } else { self.decode_bytes()? };
            if is_end {
                break;
            }
        }
        self.flush()
    }

    /// Rows that were decoded, but not given away.
    pub(crate) fn held_rows(&self) -> usize {
        self.block_rows - self.decoder.capacity()
    }

    fn is_block_full(&self) -> bool {
        self.given_rows + self.held_rows() >= self.block_rows
    }

    /// Passes over line ends before a record, which would be counted in one piece, but not in another.
    fn skip_line_ends(&mut self) -> Result<()> {
        loop {
            let text = self.text.fill_buf()?;
            let ends = text.iter().take_while(|&&byte| matches!(byte, b'\r' | b'\n')).count();
            if ends == 0 {
                return Ok(());
            }
            self.decoder.decode(&text[..ends])?;
            self.text.consume(ends);
        }
    }

    /// Decodes what was read, up to the bytes of a batch; whether the text ended.
    fn decode_bytes(&mut self) -> Result<bool> {
        let text = self.text.fill_buf()?;
        let text = &text[..text.len().min(self.batch_bytes - self.held_bytes)];
        // The end of the text, of which the decoder is told like this, may end a record.
        let is_end = text.is_empty();
        let taken = self.decoder.decode(text)?;
        self.text.consume(taken);
        self.held_bytes += taken;
        Ok(is_end)
    }

    /// Decodes a line, or what was read of one; whether the batch has enough bytes, or the text ended.
    fn decode_line(&mut self) -> Result<bool> {
        let text = self.text.fill_buf()?;
        let line = &text[..memchr2(b'\r', b'\n', text).map_or(text.len(), |end| end + 1)];
        let is_end = line.is_empty();
        let before = self.decoder.capacity();
        let taken = self.decoder.decode(line)?;
        self.text.consume(taken);
        self.held_bytes += taken;
        // Records end nowhere but with a line.
        let is_record_end = self.decoder.capacity() < before;
        if !is_record_end && self.held_bytes > self.batch_bytes + self.row_bytes {
            return Err(io::Error::from(Excess::Row).into());
        }
        Ok(is_end || is_record_end && self.held_bytes > self.batch_bytes)
    }

    fn flush(&mut self) -> Result<Option<RecordBatch>> {
        self.given_rows += self.held_rows();
        if self.given_rows >= self.block_rows {
            self.given_rows = 0;
        }
        self.held_bytes = 0;
        self.decoder.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::AsArray;
    use arrow::csv::ReaderBuilder;
    use arrow::datatypes::{DataType, Field, Schema};

    use super::*;

    /// Batches of so many records and bytes.
    fn reader(text: &str, block_rows: usize, batch_bytes: usize, row_bytes: usize) -> RecordReader {
        let field = |name| Field::new(name, DataType::Utf8, true);
        let schema = Arc::new(Schema::new(vec![field("a"), field("b")]));
        let decoder = ReaderBuilder::new(schema).with_batch_size(block_rows).build_decoder();
        let text = Box::new(io::Cursor::new(text.to_owned().into_bytes()));
        RecordReader { batch_bytes, row_bytes, ..RecordReader::new(text, decoder, block_rows) }
    }

    /// The first cells of each batch.
    fn batches(mut reader: RecordReader) -> Vec<Vec<String>> {
        let mut batches = Vec::new();
        while let Some(batch) = reader.next_batch().unwrap() {
            let cells = batch.column(0).as_string::<i32>();
            batches.push(cells.iter().map(|cell| cell.unwrap_or_default().to_owned()).collect());
        }
        batches
    }

    #[test]
    fn batches_end_by_records_and_by_bytes() {
        let text = "1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g";
        assert_eq!(batches(reader(text, 3, 99, 99)), [vec!["1", "2", "3"], vec!["4", "5", "6"], vec!["7"]]);
        // A record that goes beyond five bytes is the last one; and every third ends a batch as before.
        assert_eq!(
            batches(reader(text, 3, 5, 99)),
            [vec!["1", "2"], vec!["3"], vec!["4", "5"], vec!["6"], vec!["7"]]
        );
        assert_eq!(batches(reader(text, 3, 1, 99)).len(), 7);
        assert_eq!(batches(reader("", 3, 5, 99)).len(), 0);
    }

    #[test]
    fn line_ends_in_cells_and_of_all_kinds_cut_no_record() {
        let text = "1,\"a\n\n\r\nb\"\r\n\r\n\"2\n\",b\r\"3\",c\n\n4,d\r\n";
        for bytes in 0..40 {
            assert_eq!(batches(reader(text, 9, bytes, 99)).concat(), ["1", "2\n", "3", "4"], "{bytes}");
        }
    }

    /// Reading from the start of any block on gives the batches of the whole.
    #[test]
    fn blocks_are_cut_alike_wherever_a_piece_begins() {
        let rows: Vec<String> =
            (0..40).map(|row| format!("{row},{}\r\n", "x".repeat(row * 7 % 23))).collect();
        for bytes in [1, 20, 50, 100] {
            let whole = batches(reader(&rows.concat(), 8, bytes, 99));
            let pieces = rows.chunks(8).map(|rows| format!("\n{}", rows.concat()));
            let pieces: Vec<_> = pieces.flat_map(|text| batches(reader(&text, 8, bytes, 99))).collect();
            assert_eq!(pieces, whole, "{bytes}");
        }
    }

    #[test]
    fn a_row_without_end_is_refused() {
        let text = format!("1,a\n2,\"{}", "long\n".repeat(20));
        let mut endless = reader(&text, 9, 10, 30);
        assert!(endless.next_batch().unwrap_err().to_string().contains("64 MiB"));
        assert_eq!(endless.held_rows(), 1);
        assert_eq!(batches(reader(&text, 9, 10, 200)).concat(), ["1", "2"]);
    }
}
