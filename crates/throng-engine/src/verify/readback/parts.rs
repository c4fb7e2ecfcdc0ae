//! A file in parts that several threads read: text between line ends, Parquet by row groups, Arrow by batches.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Format as TextFormat;
use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use arrow::json::ReaderBuilder as LinesReaderBuilder;
use encoding_rs::Encoding;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;

use super::stored::{Opened, Store, read_text};
use crate::input::dialect::Dialect;
use crate::input::format::Compression;
use crate::input::source::{Cutter, Piece};

/// Rows per batch.
const BATCH_ROWS: usize = 8192;
/// About how much text is a part.
const PART_BYTES: u64 = 4 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// What one thread reads at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of a text file.
    Whole,
    /// Lines of a text file.
    Lines { start: u64, end: u64 },
    /// A row group of a Parquet file, or a batch of an Arrow one.
    Group(usize),
}

/// The rows of a part.
pub(super) type Rows = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Cuts text after line ends; no cell may have one.
pub(super) fn cut_text(path: &Path) -> io::Result<Vec<Part>> {
    cut_every(path, PART_BYTES)
}

/// Cuts text before records, where cells may have line ends; all of it is one part if that cannot be done.
pub(super) fn cut_records(path: &Path, dialect: Dialect) -> io::Result<Vec<Part>> {
    let pieces = Cutter::new(path, dialect, 0).cut()?.filter(|pieces| !pieces.is_empty());
    let part = |piece: Piece| Part::Lines { start: piece.start, end: piece.end };
    Ok(pieces.map_or(vec![Part::Whole], |pieces| pieces.into_iter().map(part).collect()))
}

fn cut_every(path: &Path, part_bytes: u64) -> io::Result<Vec<Part>> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut parts = Vec::new();
    let mut start = 0;
    while start < bytes {
        let about = start + part_bytes;
        let end = if about < bytes { about + line_rest(&mut file, about)? } else { bytes };
        parts.push(Part::Lines { start, end });
        start = end;
    }
    Ok(parts)
}

/// How many bytes of a line there are from a place on, with its end.
fn line_rest(file: &mut File, start: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    Ok(BufReader::new(file).skip_until(b'\n')? as u64)
}

/// The row groups.
pub(super) fn cut_groups(file: &ParquetMetaData) -> Vec<Part> {
    (0..file.num_row_groups()).map(Part::Group).collect()
}

impl Opened {
    /// The rows of a part of a file, with only the columns at `places`, in that order.
    pub(super) fn rows(&self, (file, part): (usize, Part), places: &[usize]) -> Result<Rows, ArrowError> {
        let (path, store) = &self.files[file];
        match (store, part) {
            (Store::Paged(metadata), Part::Group(group)) => group_rows(path, metadata, group, places),
            (Store::Ipc, Part::Group(group)) => batch_rows(path, group, places),
            (Store::Paged(_) | Store::Ipc, _) => unreachable!("these are read by groups"),
            (Store::Lines { compression, encoding }, part) => {
                self.line_rows(path, (*compression, encoding), part, places)
            }
            (Store::Text { format, compression, encoding }, part) => {
                self.text_rows(path, format.clone(), (*compression, encoding), part, places)
            }
        }
    }

    fn text_rows(
        &self,
        path: &Path,
        format: TextFormat,
        spelled: (Compression, &'static Encoding),
        part: Part,
        places: &[usize],
    ) -> Result<Rows, ArrowError> {
        let (text, is_start) = read_part(path, spelled, part)?;
        let format = if is_start { format } else { format.with_header(false) };
        let reader = ReaderBuilder::new(Arc::clone(&self.schema))
            .with_format(format)
            .with_batch_size(BATCH_ROWS)
            .with_projection(places.to_vec())
            .build_buffered(BufReader::with_capacity(BUFFER_BYTES, text))?;
        Ok(Box::new(reader))
    }

    fn line_rows(
        &self,
        path: &Path,
        spelled: (Compression, &'static Encoding),
        part: Part,
        places: &[usize],
    ) -> Result<Rows, ArrowError> {
        let (text, _) = read_part(path, spelled, part)?;
        // Numbers come as they are spelled.
        let reader = LinesReaderBuilder::new(Arc::new(self.schema.project(places)?))
            .with_coerce_primitive(true)
            .with_batch_size(BATCH_ROWS)
            .build(BufReader::with_capacity(BUFFER_BYTES, text))?;
        Ok(Box::new(reader))
    }
}

/// The text of a part, and whether it is the start of its file.
fn read_part(
    path: &Path,
    (compression, encoding): (Compression, &'static Encoding),
    part: Part,
) -> io::Result<(Box<dyn Read + Send>, bool)> {
    let mut file = File::open(path)?;
    let Part::Lines { start, end } = part else {
        return Ok((read_text(file, compression, encoding)?, true));
    };
    file.seek(SeekFrom::Start(start))?;
    let lines = file.take(end - start);
    Ok(match start {
        0 => (Box::new(lines), true),
        // A line end first: a byte order mark at the very start would be taken for none of the text.
        _ => (Box::new((&b"\n"[..]).chain(lines)), false),
    })
}

/// A batch of an Arrow IPC file.
fn batch_rows(path: &Path, batch: usize, places: &[usize]) -> Result<Rows, ArrowError> {
    let mut reader = FileReader::try_new(BufReader::new(File::open(path)?), None)?;
    reader.set_index(batch)?;
    let places = places.to_vec();
    Ok(Box::new(reader.take(1).map(move |batch| batch?.project(&places))))
}

fn group_rows(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    group: usize,
    places: &[usize],
) -> Result<Rows, ArrowError> {
    // Roots come in the order of the file, and each once.
    let mut roots = places.to_vec();
    roots.sort_unstable();
    roots.dedup();
    let order: Vec<usize> = places.iter().map(|place| roots.partition_point(|root| root < place)).collect();
    // A file of its own: readers that share one would move each other's place in it.
    let file = File::open(path)?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    let reader =
        builder.with_row_groups(vec![group]).with_batch_size(BATCH_ROWS).with_projection(mask).build()?;
    Ok(Box::new(reader.map(move |batch| batch?.project(&order))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a text, wherever it is cut, are whole lines and together the text.
    #[test]
    fn text_is_cut_after_line_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        for text in ["a,b\n1,2\n333,4\n\n5,6\n", "a\nlong line without end", "\n\n\n", "a", ""] {
            std::fs::write(&path, text).unwrap();
            for part_bytes in 1..=text.len() as u64 + 1 {
                let parts = cut_every(&path, part_bytes).unwrap();
                let mut joined = String::new();
                for part in parts {
                    let Part::Lines { start, end } = part else { panic!("{part:?}") };
                    assert_eq!(start as usize, joined.len());
                    let lines = &text[start as usize..end as usize];
                    assert!(lines.ends_with('\n') || end as usize == text.len(), "{lines:?}");
                    joined.push_str(lines);
                }
                assert_eq!(joined, text);
            }
        }
    }
}
