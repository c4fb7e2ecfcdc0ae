//! Workbooks that were written, read back by a small reader of our own that shares nothing with the other two.
//!
//! It knows no more than what a release needs, and refuses all else: formulas, links, comments, lists of texts, other
//! sheets, bytes between the parts. So nothing is in a release but what its cells show.

mod archive;
mod sheet;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringBuilder};
use ::arrow::datatypes::SchemaRef;
use ::arrow::error::ArrowError;

use self::archive::Archive;
use self::sheet::{Cell, SheetReader};
use crate::error::{EngineError, Result};
use crate::format::Format;
use crate::format::reopen::{BATCH_ROWS, ReopenedFile, Rows, text_columns};

/// Something is in the workbook that is not what a release has.
#[derive(Debug)]
pub(super) struct Unexpected;

impl From<std::io::Error> for Unexpected {
    fn from(_: std::io::Error) -> Unexpected {
        Unexpected
    }
}

impl From<quick_xml::Error> for Unexpected {
    fn from(_: quick_xml::Error) -> Unexpected {
        Unexpected
    }
}

/// A workbook, and where its sheet is in the file.
pub(super) struct SheetFile {
    path: PathBuf,
    /// Where the compressed bytes of the sheet begin, and how many there are.
    place: (u64, u64),
    /// For each format of cells, how many decimals it shows at least.
    decimals: Arc<[usize]>,
    /// The places of columns in the sheet are those of the table.
    columns: usize,
}

/// Opens a workbook, and looks through all of it.
pub(super) fn open(path: &Path) -> Result<(SchemaRef, SheetFile)> {
    look_through(path).map_err(|Unexpected| not_read_back())
}

fn not_read_back() -> EngineError {
    Format::XLSX.not_read_back()
}

fn look_through(path: &Path) -> std::result::Result<(SchemaRef, SheetFile), Unexpected> {
    let Archive { place, decimals, mut file } = Archive::open(path)?;
    let mut names = Vec::new();
    {
        // By the archive's own reader, which looks at the checksum.
        let mut sheet = SheetReader::new(file.sheet()?, Arc::clone(&decimals));
        let mut cells = Vec::new();
        if !sheet.next_row(&mut cells)? {
            return Err(Unexpected);
        }
        for (column, cell) in cells.drain(..).enumerate() {
            match cell {
                Cell { column: at, text: Some(text) } if at == column => names.push(text),
                _ => return Err(Unexpected),
            }
        }
        while sheet.next_row(&mut cells)? {
            if cells.last().is_some_and(|last| last.column >= names.len()) {
                return Err(Unexpected);
            }
        }
        std::io::copy(&mut sheet.into_inner(), &mut std::io::sink())?;
    }
    let columns = names.len();
    Ok((text_columns(&names), SheetFile { path: path.to_owned(), place, decimals, columns }))
}

impl ReopenedFile for SheetFile {
    fn parts(&self) -> usize {
        1
    }

    fn rows(&self, schema: &SchemaRef, _: usize, places: &[usize]) -> std::result::Result<Rows, ArrowError> {
        let mut reader =
            SheetReader::new(archive::unpack(&self.path, self.place)?, Arc::clone(&self.decimals));
        // The names.
        let mut cells = Vec::new();
        reader.next_row(&mut cells).map_err(unreadable)?;
        let schema = Arc::new(schema.project(places)?);
        let places = places.to_vec();
        let (columns, mut is_over) = (self.columns, false);
        Ok(Box::new(std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let batch = next_batch(&mut reader, &mut cells, &schema, &places, columns);
            is_over = !matches!(batch, Ok(Some(_)));
            batch.transpose()
        })))
    }
}

fn next_batch(
    reader: &mut SheetReader<impl Read>,
    cells: &mut Vec<Cell>,
    schema: &SchemaRef,
    places: &[usize],
    columns: usize,
) -> std::result::Result<Option<RecordBatch>, ArrowError> {
    let mut builders: Vec<StringBuilder> = places.iter().map(|_| StringBuilder::new()).collect();
    let mut texts: Vec<Option<String>> = Vec::new();
    let mut rows = 0;
    while rows < BATCH_ROWS && reader.next_row(cells).map_err(unreadable)? {
        texts.clear();
        texts.resize(columns, None);
        for Cell { column, text } in cells.drain(..) {
            *texts.get_mut(column).ok_or_else(|| unreadable(Unexpected))? = text;
        }
        builders
            .iter_mut()
            .zip(places)
            .for_each(|(cells, &place)| cells.append_option(texts[place].as_deref()));
        rows += 1;
    }
    if rows == 0 {
        return Ok(None);
    }
    let arrays = builders.iter_mut().map(|cells| Arc::new(cells.finish()) as ArrayRef).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options).map(Some)
}

fn unreadable(_: Unexpected) -> ArrowError {
    ArrowError::ParseError("the sheet cannot be read back".to_owned())
}
