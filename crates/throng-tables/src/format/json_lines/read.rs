//! The rows of JSON lines.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use arrow::array::{ArrayBuilder, ArrayRef, RecordBatch, RecordBatchOptions, StringBuilder, new_null_array};
use arrow::datatypes::{DataType, SchemaRef};
use encoding_rs::UTF_8;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::error::{EngineError, Result};
use crate::format::Compression;
use crate::format::csv::cut::{PIECE_BYTES, Piece, cut_lines, read_full};
use crate::format::json_lines::line::{BadLine, JsonKind, text_of, visit};
use crate::input::limits::{BATCH_BYTES, Excess, ROW_BYTES};
use crate::input::named::NamedFile;
use crate::input::source::fault::{CELL_NOT_UTF_8, read_failure};
use crate::input::source::probe::read_text;
use crate::input::source::{BATCH_ROWS, PartRows, PartStream, Parted, Source, each_once};

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 1 << 20;
/// What a file may begin with, and what is no part of its first line.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Some columns of a file of JSON lines, in pieces.
pub(crate) struct LinePieces {
    source: Source,
    /// The columns that are read, each once, and for each that was asked for its place among them.
    roots: Vec<usize>,
    places: Vec<usize>,
    /// None if the file is one part.
    pieces: Option<Arc<[Piece]>>,
}

impl LinePieces {
    /// Cuts a plain file where lines end; another is one part. Pieces do not depend on the number of threads.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn cut(source: &Source, columns: &[usize]) -> Result<LinePieces> {
        let (roots, places) = each_once(columns);
        let is_plain = source.compression == Compression::None && source.encoding == UTF_8;
        let cut = || {
            let file = source.file()?;
            source.pieces.or_cut(&file, || cut_pieces(source, &file).map(Some))
        };
        let pieces = if is_plain { cut() } else { Ok(None) };
        let pieces = pieces.map_err(|cause| read_failure(&source.path, source.compression, &cause))?;
        Ok(LinePieces { source: source.clone(), roots, places, pieces })
    }
}

impl PartStream for LinePieces {
    fn starts(&self) -> Vec<u64> {
        match &self.pieces {
            Some(pieces) => pieces.iter().map(|piece| piece.rows_before).collect(),
            None => vec![0],
        }
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        let source = &self.source;
        let piece = self.pieces.as_ref().map(|pieces| pieces[part]);
        let text = match piece {
            Some(piece) => read_piece(source, piece),
            None => read_text(source),
        };
        let text = text.map_err(|cause| read_failure(&source.path, source.compression, &cause))?;
        let before = piece.map_or(0, |piece| piece.rows_before);
        Ok(Box::new(LineRows::new(self, text, before)?))
    }

    fn with_columns(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        let ((roots, places), pieces) = (each_once(columns), self.pieces.clone());
        Ok(Box::new(LinePieces { source: source.clone(), roots, places, pieces }))
    }
}

fn cut_pieces(source: &Source, file: &NamedFile) -> io::Result<Vec<Piece>> {
    let source = &Source { shared: None, ..source.clone() };
    let lines = cut_lines(&file.local, 0, PIECE_BYTES)?;
    let rows: Vec<u64> = match lines.len() {
        // Nobody asks for the rows before the first piece.
        0 | 1 => vec![0; lines.len()],
        _ => {
            lines.par_iter().map(|&(start, end)| count_rows(source, start, end)).collect::<io::Result<_>>()?
        }
    };
    let before = rows.iter().scan(0, |sum, rows| Some(std::mem::replace(sum, *sum + rows)));
    let piece = |(&(start, end), rows_before): (&(u64, u64), u64)| Piece { start, end, rows_before };
    Ok(lines.iter().zip(before).map(piece).collect())
}

fn count_rows(source: &Source, start: u64, end: u64) -> io::Result<u64> {
    let mut chunks = Chunks::new(read_piece(source, Piece { start, end, rows_before: 0 })?);
    let mut rows = 0;
    while let Some(chunk) = chunks.next_chunk()? {
        rows += chunk.split(|&byte| byte == b'\n').filter(|line| !is_blank(line)).count() as u64;
    }
    Ok(rows)
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn read_piece(source: &Source, piece: Piece) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(source.open_at(piece.start)?.take(piece.end - piece.start)))
}

/// Text in chunks of whole lines.
struct Chunks {
    text: BufReader<Box<dyn Read + Send>>,
    /// The start of a line whose end was not read yet.
    rest: Vec<u8>,
    is_start: bool,
}

impl Chunks {
    fn new(text: Box<dyn Read + Send>) -> Chunks {
        Chunks { text: BufReader::with_capacity(CHUNK_BYTES, text), rest: Vec::new(), is_start: true }
    }

    fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut chunk = std::mem::take(&mut self.rest);
        loop {
            let filled = chunk.len();
            chunk.resize(filled + CHUNK_BYTES, 0);
            let read = read_full(&mut self.text, &mut chunk[filled..])?;
            chunk.truncate(filled + read);
            if std::mem::take(&mut self.is_start) && chunk.starts_with(MARK) {
                chunk.drain(..MARK.len());
            }
            if read < CHUNK_BYTES {
                return Ok((!chunk.is_empty()).then_some(chunk));
            }
            // What was there before has no line end.
            if let Some(end) = memchr::memrchr(b'\n', &chunk[filled..]) {
                self.rest = chunk.split_off(filled + end + 1);
                return Ok(Some(chunk));
            }
            if chunk.len() > ROW_BYTES {
                return Err(Excess::Row.into());
            }
        }
    }
}

/// Batches of some columns of JSON lines. Nothing may be taken after an error.
pub(crate) struct LineRows {
    source: Source,
    schema: SchemaRef,
    places: Vec<usize>,
    chunks: Chunks,
    /// Whole lines of the chunk at hand, and how much of them was taken.
    chunk: String,
    taken: usize,
    rows_before: u64,
    row: RowCells,
}

/// The cells of the rows at hand.
struct RowCells {
    names: Arc<[String]>,
    by_name: FxHashMap<String, usize>,
    nested: Vec<bool>,
    /// For each column of the file, its place among those that are read.
    wanted: Vec<Option<usize>>,
    cells: Vec<StringBuilder>,
    /// The row, from 1, in which each column was last seen.
    seen: Vec<u64>,
    rows: u64,
}

impl LineRows {
    fn new(pieces: &LinePieces, text: Box<dyn Read + Send>, rows_before: u64) -> Result<LineRows> {
        let source = pieces.source.clone();
        let schema = source.schema.project(&pieces.roots);
        let schema = Arc::new(schema.map_err(|_| EngineError::Data("there is no such column".into()))?);
        let row = RowCells::new(&source, &pieces.roots);
        Ok(LineRows {
            source,
            schema,
            places: pieces.places.clone(),
            chunks: Chunks::new(text),
            chunk: String::new(),
            taken: 0,
            rows_before,
            row,
        })
    }

    /// The next batch; nothing at the end.
    fn read(&mut self) -> Result<Option<RecordBatch>> {
        let mut bytes = 0;
        while self.row.rows < BATCH_ROWS as u64 && bytes < BATCH_BYTES {
            if self.taken == self.chunk.len() && !self.fill()? {
                break;
            }
            let rest = &self.chunk[self.taken..];
            let line = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
            self.taken = (self.taken + line.len() + 1).min(self.chunk.len());
            if is_blank(line.as_bytes()) {
                continue;
            }
            // A column that a line lacks takes room, too.
            bytes += line.len().max(self.source.columns.len());
            self.row.add(line).map_err(|reason| {
                let bad = self.source.bad(reason.message()).at_row(self.rows_before + self.row.rows + 1);
                match reason {
                    BadLine::Nested(column) => bad.in_column(&self.source.columns[column]),
                    _ => bad,
                }
            })?;
        }
        if self.row.rows == 0 {
            return Ok(None);
        }
        self.rows_before += self.row.rows;
        let (rows, columns) = self.row.take();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
        let batch = batch.and_then(|batch| batch.project(&self.places));
        batch.map(Some).map_err(|_| EngineError::Data("a batch of lines could not be made".into()))
    }

    /// Takes up the next chunk; whether there is one.
    fn fill(&mut self) -> Result<bool> {
        let Source { path, compression, .. } = &self.source;
        let chunk = self.chunks.next_chunk().map_err(|cause| read_failure(path, *compression, &cause))?;
        let Some(chunk) = chunk else { return Ok(false) };
        self.chunk = String::from_utf8(chunk).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let lines = before.split(|&byte| byte == b'\n').rev().skip(1).filter(|line| !is_blank(line));
            let row = self.rows_before + self.row.rows + lines.count() as u64 + 1;
            self.source.bad(CELL_NOT_UTF_8).at_row(row)
        })?;
        self.taken = 0;
        Ok(true)
    }
}

impl Iterator for LineRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        self.read().transpose()
    }
}

impl RowCells {
    fn new(source: &Source, roots: &[usize]) -> RowCells {
        let names = Arc::clone(&source.columns);
        let mut wanted = vec![None; names.len()];
        roots.iter().enumerate().for_each(|(place, &root)| wanted[root] = Some(place));
        RowCells {
            by_name: names.iter().cloned().zip(0..).collect(),
            nested: source.kinds.iter().map(|&kind| kind == Some(JsonKind::Nested)).collect(),
            seen: vec![0; names.len()],
            names,
            wanted,
            cells: roots.iter().map(|_| StringBuilder::new()).collect(),
            rows: 0,
        }
    }

    /// Adds a row; columns that it lacks are missing in it.
    fn add(&mut self, line: &str) -> std::result::Result<(), BadLine> {
        let RowCells { names, by_name, nested, wanted, cells, seen, rows } = self;
        // Most lines have all keys in the same order.
        let mut next = 0;
        visit(line, |key, value| {
            let column = match names.get(next) {
                Some(name) if name == key => next,
                _ => *by_name.get(key).ok_or(BadLine::Unknown)?,
            };
            next = column + 1;
            if std::mem::replace(&mut seen[column], *rows + 1) == *rows + 1 {
                return Err(BadLine::Repeated);
            }
            let Some(place) = wanted[column] else { return Ok(()) };
            let cells = &mut cells[place];
            // Rows before that lacked it: to look for such columns in every row would take far longer than to read it.
            cells.append_nulls(*rows as usize - cells.len());
            if nested[column] {
                // All of the column is JSON: a text has its quotes.
                match value {
                    "null" => cells.append_null(),
                    json => cells.append_value(json),
                }
                return Ok(());
            }
            if value.starts_with(['{', '[']) {
                return Err(BadLine::Nested(column));
            }
            cells.append_option(text_of(value)?);
            Ok(())
        })?;
        *rows += 1;
        Ok(())
    }

    /// The rows so far, and their cells.
    fn take(&mut self) -> (usize, Vec<ArrayRef>) {
        self.seen.fill(0);
        let rows = std::mem::take(&mut self.rows) as usize;
        // Columns that no row has share their cells.
        let missing = new_null_array(&DataType::Utf8, rows);
        let finish = |cells: &mut StringBuilder| -> ArrayRef {
            if cells.is_empty() {
                return Arc::clone(&missing);
            }
            cells.append_nulls(rows - cells.len());
            Arc::new(cells.finish())
        };
        (rows, self.cells.iter_mut().map(finish).collect())
    }
}
